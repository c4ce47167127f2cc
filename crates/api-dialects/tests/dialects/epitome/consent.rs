//! Consent: each tool needs the grants that its document names, and a refusal names the missing
//! one. Denied data appears in no search, list, graph or count.

use super::{each, facts};
use crate::house::House;
use dialects::{Dialect, Epitome};
use engine::grants::SetGrant;
use engine::{Caller, Reach};
use model::{AgentName, ErrorCode, Failure, OwnerId, Permission};
use serde_json::{Value, json};

const AGENT: &str = "chatgpt";
const EVERYTHING: [&str; 5] = ["profile", "tables/*", "vectors/*", "graph", "memory"];

/// Creates a fixture with data of every kind and the given grants for the agent.
async fn granted(grants: &[(&str, Permission)]) -> House {
    let fixture = super::house().await;
    let meal = json!({
        "text": "Had ramen at Ippudo",
        "category": "meals",
        "data": {"food": "ramen", "calories": 700},
    });
    let pill = json!({
        "text": "I take warfarin for my heart",
        "category": "medications",
        "data": {"name": "warfarin"},
    });
    let note =
        json!({"text": "Ramen reminds me of Kyoto", "storage": "memory", "collection": "journal"});
    let secret = json!({
        "text": "The diagnosis at Charité was a heart murmur",
        "storage": "memory",
        "collection": "medical",
    });
    let profile =
        json!({"text": "I am called Ada", "category": "profile", "data": {"name": "Ada"}});
    for written in [meal, pill, note, secret, profile] {
        fixture.call("memorize", written).await;
    }
    for text in ["My bike is red.", "My bike is blue."] {
        fixture.call("memorize", json!({"text": text, "storage": "memory"})).await;
    }
    let set = |(resource, permission): &(&str, Permission)| SetGrant {
        agent: AgentName::new(AGENT),
        resource: (*resource).to_owned(),
        permission: *permission,
    };
    let grants: Vec<SetGrant> = grants.iter().map(set).collect();
    fixture.engine.admin().set_grants(&Caller::person(OwnerId::me()), &grants).await.unwrap();
    fixture
}

/// Returns an agent with a credential, to which grants apply.
fn agent(fixture: &House) -> Caller {
    fixture.caller(AGENT).reaching(Reach::Credential(Permission::Write))
}

async fn ask(fixture: &House, tool: &str, arguments: Value) -> Result<Value, Failure> {
    fixture.try_call_as(&agent(fixture), tool, arguments).await
}

/// Returns every grant that the tools need, with one replaced.
fn all_but(denied: (&'static str, Permission)) -> Vec<(&'static str, Permission)> {
    let all = EVERYTHING.into_iter().map(|resource| (resource, Permission::Write));
    all.filter(|(resource, _)| *resource != denied.0).chain([denied]).collect()
}

#[tokio::test]
async fn each_tool_is_refused_without_the_consent_that_its_document_names() {
    use Permission::{None, Read};
    let in_journal = json!({"collection": "journal", "query": "Kyoto"});
    let cases = [
        ("get_user_context", json!({}), "profile", None, "read"),
        ("update_profile", json!({"data": {"name": "Eve"}}), "profile", Read, "write"),
        ("list_tables", json!({}), "tables/*", None, "read"),
        ("recall", json!({"mode": "table"}), "tables/*", None, "read"),
        ("query_table", json!({"tableName": "meals"}), "tables/meals", None, "read"),
        (
            "add_record",
            json!({"tableName": "meals", "data": {"food": "soup"}}),
            "tables/meals",
            Read,
            "write",
        ),
        ("search_memory", in_journal.clone(), "vectors/journal", None, "read"),
        (
            "save_memory",
            json!({"collection": "journal", "text": "A walk."}),
            "vectors/journal",
            Read,
            "write",
        ),
        (
            "query_graph",
            json!({"queryType": "pattern", "pattern": "what food do I like?"}),
            "graph",
            None,
            "read",
        ),
        ("review_memories", json!({"action": "list"}), "memory", None, "read"),
        (
            "review_memories",
            json!({"action": "resolve", "metaId": 1, "resolution": "confirm"}),
            "memory",
            Read,
            "write",
        ),
        ("recall", json!({"mode": "table", "table": "meals"}), "tables/meals", None, "read"),
        (
            "recall",
            json!({"mode": "memory", "memory": in_journal}),
            "vectors/journal",
            None,
            "read",
        ),
        (
            "recall",
            json!({
                "mode": "graph",
                "graph": {"queryType": "pattern", "pattern": "what food do I like?"},
            }),
            "graph",
            None,
            "read",
        ),
        ("memorize", json!({"text": "Soup", "category": "meals"}), "tables/meals", Read, "write"),
        (
            "memorize",
            json!({"text": "A walk.", "storage": "memory", "collection": "journal"}),
            "vectors/journal",
            Read,
            "write",
        ),
        ("memorize", json!({"text": "I am Eve", "category": "profile"}), "profile", Read, "write"),
        (
            "memorize",
            json!({"text": "Ramen reminds me of Kyoto", "action": "delete"}),
            "vectors/journal",
            Read,
            "write",
        ),
        ("memorize", json!({"text": "meals:1", "action": "delete"}), "tables/meals", Read, "write"),
        ("memorize", json!({"text": "profile:name", "action": "delete"}), "profile", Read, "write"),
        ("memorize", json!({"text": "entity:1", "action": "delete"}), "graph", Read, "write"),
        (
            "memorize",
            json!({"text": "Ramen bores me", "sourceRef": "vectors/journal#3"}),
            "vectors/journal",
            Read,
            "write",
        ),
        (
            "memorize",
            json!({"text": "Had soup", "sourceRef": "meals:1", "data": {"food": "soup"}}),
            "tables/meals",
            Read,
            "write",
        ),
        ("memorize", json!({"text": "Eve", "sourceRef": "profile:name"}), "profile", Read, "write"),
        ("review", json!({"action": "list"}), "memory", None, "read"),
        (
            "review",
            json!({"action": "resolve", "metaId": 1, "resolution": "confirm"}),
            "memory",
            Read,
            "write",
        ),
    ];
    for (tool, arguments, resource, left, permission) in cases {
        let fixture = granted(&all_but((resource, left))).await;
        let refusal = ask(&fixture, tool, arguments.clone()).await.expect_err(tool);
        assert_eq!(Epitome::default().code(refusal.code), "CONSENT_DENIED", "{tool} {arguments}");
        let expected = format!("{AGENT} may not {permission} {}", resource.trim_end_matches("/*"));
        assert!(refusal.message.starts_with(&expected), "{tool} {arguments}: {}", refusal.message);
        assert!(
            refusal.message.contains("quipu grants set"),
            "it says how to get it: {}",
            refusal.message
        );
    }
}

#[tokio::test]
async fn with_all_that_the_document_names_every_tool_answers() {
    let fixture = granted(&EVERYTHING.map(|resource| (resource, Permission::Write))).await;
    for (tool, arguments) in [
        ("get_user_context", json!({})),
        ("update_profile", json!({"data": {"timezone": "UTC"}})),
        ("list_tables", json!({})),
        ("query_table", json!({"tableName": "meals"})),
        ("add_record", json!({"tableName": "meals", "data": {"food": "soup"}})),
        ("search_memory", json!({"collection": "journal", "query": "Kyoto"})),
        ("save_memory", json!({"collection": "journal", "text": "A walk."})),
        ("query_graph", json!({"queryType": "pattern", "pattern": "what food do I like?"})),
        ("review_memories", json!({"action": "list"})),
    ] {
        ask(&fixture, tool, arguments).await.unwrap_or_else(|refusal| panic!("{tool}: {refusal}"));
    }
}

#[tokio::test]
async fn without_any_rule_everything_is_denied() {
    let fixture = granted(&[]).await;
    for (tool, arguments) in [
        ("get_user_context", json!({})),
        ("list_tables", json!({})),
        ("recall", json!({"topic": "ramen"})),
        ("memorize", json!({"text": "Hello"})),
        ("memorize", json!({"text": "Had ramen at Ippudo", "action": "delete"})),
        ("review", json!({"action": "list"})),
    ] {
        let answer = ask(&fixture, tool, arguments.clone()).await;
        assert_eq!(answer.expect_err(tool).code, ErrorCode::ConsentRequired, "{tool} {arguments}");
    }
    let context = ask(&fixture, "recall", json!({})).await.unwrap();
    assert_eq!(
        context["access"]["deniedSections"],
        json!(["profile", "tables", "vectors", "graph"])
    );
    assert_eq!(
        (&context["profile"], &context["tables"], &context["recentMemories"]),
        (&Value::Null, &json!([]), &json!([]))
    );
    assert!(context["_meta"]["warnings"][0].as_str().unwrap().contains("not granted"), "{context}");
}

/// Returns every grant except the medical table and collection.
fn all_but_medical() -> Vec<(&'static str, Permission)> {
    let closed = [("tables/medications", Permission::None), ("vectors/medical", Permission::None)];
    EVERYTHING.map(|resource| (resource, Permission::Write)).into_iter().chain(closed).collect()
}

#[tokio::test]
async fn a_denied_source_does_not_exist_in_federated_recall() {
    let fixture = granted(&all_but_medical()).await;
    for topic in ["warfarin", "heart diagnosis at Charité", "what medication do I take?"] {
        let owner = fixture.call("recall", json!({ "topic": topic })).await;
        assert!(!facts(&owner).is_empty(), "{topic}: {owner}");
        let answer =
            ask(&fixture, "recall", json!({ "topic": topic, "budget": "deep" })).await.unwrap();
        nothing_medical(&answer);
    }
    let open = ask(&fixture, "recall", json!({"topic": "ramen"})).await.unwrap();
    assert!(facts(&open).iter().any(|fact| fact.contains("Kyoto")), "{open}");
    assert!(facts(&open).iter().any(|fact| fact.contains("ramen")), "{open}");
}

#[tokio::test]
async fn a_grant_on_one_table_alone_is_enough_to_find_what_is_in_it() {
    let fixture =
        granted(&[("profile", Permission::Read), ("tables/meals", Permission::Read)]).await;
    let answer = ask(&fixture, "recall", json!({"topic": "ramen"})).await.unwrap();
    assert!(facts(&answer).iter().any(|fact| fact.contains("Ippudo")), "{answer}");
    assert!(facts(&answer).iter().all(|fact| !fact.contains("Kyoto")), "{answer}");
    nothing_medical(&answer);
}

#[tokio::test]
async fn what_is_not_granted_counts_as_not_searched() {
    let fixture =
        granted(&[("profile", Permission::Read), ("tables/meals", Permission::Read)]).await;
    let answer = ask(&fixture, "recall", json!({"topic": "ramen"})).await.unwrap();
    assert_eq!(answer["sourcesQueried"], json!(["profile", "tables"]));
    assert_eq!(answer["coverageDetails"]["missingSources"], json!(["vectors", "graph"]));
    assert_eq!(
        (&answer["coverage"], answer["warnings"].as_array().unwrap().len()),
        (&json!(0.5), 2)
    );
    assert_eq!(answer["uncertaintyReason"], "most sources are not granted");
    let context = ask(&fixture, "recall", json!({})).await.unwrap();
    assert_eq!(context["access"]["deniedSections"], json!(["vectors", "graph"]));
    assert_eq!((&context["recentMemories"], &context["topEntities"]), (&json!([]), &json!([])));
    assert_eq!(each(&context["tables"], "name"), ["meals"]);
}

#[tokio::test]
async fn a_denied_source_does_not_exist_in_the_context_and_its_counts() {
    let fixture = granted(&all_but_medical()).await;
    let context = ask(&fixture, "recall", json!({})).await.unwrap();
    nothing_medical(&context);
    assert_eq!(each(&context["tables"], "name"), ["meals"]);
    assert!(each(&context["collections"], "name").contains(&"journal"));
    let listed = ask(&fixture, "list_tables", json!({})).await.unwrap();
    assert_eq!(each(&listed["tables"], "name"), ["meals"]);
}

#[tokio::test]
async fn a_denied_source_does_not_exist_in_the_graph() {
    let fixture = granted(&all_but_medical()).await;
    let pattern = json!({"queryType": "pattern", "pattern": {"entityName": "warfarin"}});
    let owner = fixture.call("query_graph", pattern.clone()).await;
    assert!(!owner["result"]["entities"].as_array().unwrap().is_empty(), "{owner}");
    let closed = ask(&fixture, "query_graph", pattern).await.unwrap();
    assert_eq!((&closed["result"]["entities"], &closed["edges"]), (&json!([]), &json!([])));
    let id = owner["result"]["entities"][0]["id"].clone();
    let walk = json!({"queryType": "traverse", "entityId": id});
    assert_eq!(ask(&fixture, "query_graph", walk).await.unwrap_err().code, ErrorCode::NotFound);
}

#[tokio::test]
async fn sql_reaches_no_denied_table_by_any_name() {
    let fixture = granted(&all_but_medical()).await;
    for sql in [
        "SELECT * FROM medications",
        "SELECT m.food, x.name FROM meals m, medications x",
        "WITH a AS (SELECT * FROM medications) SELECT * FROM a",
        "SELECT name FROM sqlite_master",
    ] {
        let answer = ask(&fixture, "recall", json!({"mode": "table", "sql": sql})).await;
        let text = answer.map_or_else(|refusal| refusal.to_string(), |answer| answer.to_string());
        assert!(!text.contains("warfarin"), "{sql}: {text}");
    }
    let fine = json!({"mode": "table", "table": "meals", "sql": "SELECT food FROM meals"});
    assert_eq!(ask(&fixture, "recall", fine).await.unwrap()["records"], json!([{"food": "ramen"}]));
}

#[tokio::test]
async fn what_is_denied_is_not_forgotten_by_meaning_either() {
    let fixture = granted(&all_but_medical()).await;
    let delete = json!({"text": "The diagnosis at Charité was a heart murmur", "action": "delete"});
    let answer = ask(&fixture, "memorize", delete).await.unwrap();
    assert_eq!(answer["deleted"], 0);
    nothing_medical(&answer);
    let still = fixture.call("recall", json!({"topic": "diagnosis at Charité"})).await;
    assert!(facts(&still).iter().any(|fact| fact.contains("murmur")), "{still}");
}

#[tokio::test]
async fn a_rule_covers_no_name_that_only_begins_like_it() {
    let rules = [("profile", Permission::Read), ("tables/meal", Permission::Write)];
    let fixture = granted(&rules).await;
    let refusal = ask(&fixture, "query_table", json!({"tableName": "meals"})).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ConsentRequired);
}

/// Asserts that a result contains neither the medical data nor the names of its table and
/// collection.
#[track_caller]
fn nothing_medical(answer: &Value) {
    let mut rest = answer.clone();
    // These repeat the request, which reveals nothing.
    for repeated in ["topic", "query", "intent", "retrievalPlan"] {
        rest.as_object_mut().unwrap().remove(repeated);
    }
    let text = rest.to_string().to_lowercase();
    for word in ["warfarin", "murmur", "charité", "medical", "medications"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}
