//! Consent: each tool needs the grants that its document names, and a refusal names the missing
//! one. Denied data appears in no search, list, graph or count.

use super::{each, facts};
use crate::fixture::DialectFixture;
use dialects::{DialectApi, Epitome};
use engine::grants::SetGrantRequest;
use engine::{Caller, CallerAccess};
use model::{AgentName, ErrorCode, Failure, OwnerId, Permission};
use serde_json::{Value, json};

const AGENT: &str = "chatgpt";
const EVERYTHING: [&str; 5] = ["profile", "tables/*", "vectors/*", "graph", "memory"];

/// Creates a fixture with data of every kind and the given grants for the agent.
async fn fixture_with_grants(grants: &[(&str, Permission)]) -> DialectFixture {
    let fixture = super::new_fixture().await;
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
    let set = |(resource, permission): &(&str, Permission)| SetGrantRequest {
        agent: AgentName::new(AGENT),
        resource: (*resource).to_owned(),
        permission: *permission,
    };
    let grants: Vec<SetGrantRequest> = grants.iter().map(set).collect();
    fixture.engine.admin().set_grants(&Caller::person(OwnerId::me()), &grants).await.unwrap();
    fixture
}

/// Returns an agent with a credential, to which grants apply.
fn agent(fixture: &DialectFixture) -> Caller {
    fixture.caller(AGENT).with_reach(CallerAccess::Credential(Permission::Write))
}

async fn call_as_agent(
    fixture: &DialectFixture,
    tool: &str,
    arguments: Value,
) -> Result<Value, Failure> {
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
        let fixture = fixture_with_grants(&all_but((resource, left))).await;
        let refusal = call_as_agent(&fixture, tool, arguments.clone()).await.expect_err(tool);
        assert_eq!(
            Epitome::default().error_code(refusal.code),
            "CONSENT_DENIED",
            "{tool} {arguments}"
        );
        // The message is for people; the detail has the name that the contract knows.
        let named = resource.trim_end_matches("/*");
        let expected = format!("{AGENT} may not {permission} {}", engine::resource_in_words(named));
        let detail = refusal.details.get("resource").and_then(serde_json::Value::as_str);
        assert!(detail.is_some_and(|detail| detail.starts_with(named)), "{tool}: {refusal:?}");
        assert!(refusal.message.starts_with(&expected), "{tool} {arguments}: {}", refusal.message);
        assert!(
            refusal.message.contains("quipu grants set"),
            "it says how to get it: {}",
            refusal.message
        );
    }
}

#[tokio::test]
async fn with_all_documented_grants_every_tool_works() {
    let fixture =
        fixture_with_grants(&EVERYTHING.map(|resource| (resource, Permission::Write))).await;
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
        call_as_agent(&fixture, tool, arguments)
            .await
            .unwrap_or_else(|refusal| panic!("{tool}: {refusal}"));
    }
}

#[tokio::test]
async fn without_grants_everything_is_denied() {
    let fixture = fixture_with_grants(&[]).await;
    for (tool, arguments) in [
        ("get_user_context", json!({})),
        ("list_tables", json!({})),
        ("recall", json!({"topic": "ramen"})),
        ("memorize", json!({"text": "Hello"})),
        ("memorize", json!({"text": "Had ramen at Ippudo", "action": "delete"})),
        ("review", json!({"action": "list"})),
    ] {
        let answer = call_as_agent(&fixture, tool, arguments.clone()).await;
        assert_eq!(answer.expect_err(tool).code, ErrorCode::ConsentRequired, "{tool} {arguments}");
    }
    let context = call_as_agent(&fixture, "recall", json!({})).await.unwrap();
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

#[tokio::test]
async fn without_the_profile_the_context_tells_what_is_granted() {
    let fixture = fixture_with_grants(&[("tables/*", Permission::Read)]).await;
    let context = call_as_agent(&fixture, "recall", json!({})).await.unwrap();
    assert_eq!(
        (&context["access"]["profile"], &context["profile"]),
        (&json!("denied"), &Value::Null)
    );
    assert_eq!(context["access"]["tables"], "granted", "{context}");
    assert!(!context["tables"].as_array().unwrap().is_empty(), "{context}");
    let hint = context["hints"]["suggestedTools"].to_string();
    assert!(hint.contains("table") && !hint.contains("nothing is known"), "{hint}");
    let nothing = fixture_with_grants(&[]).await;
    let context = call_as_agent(&nothing, "recall", json!({})).await.unwrap();
    let hint = context["hints"]["suggestedTools"].to_string();
    assert!(hint.contains("not granted") && !hint.contains("nothing is known"), "{hint}");
}

/// Returns every grant except the medical table and collection.
fn all_but_medical() -> Vec<(&'static str, Permission)> {
    let closed = [("tables/medications", Permission::None), ("vectors/medical", Permission::None)];
    EVERYTHING.map(|resource| (resource, Permission::Write)).into_iter().chain(closed).collect()
}

#[tokio::test]
async fn a_denied_source_does_not_exist_in_federated_recall() {
    let fixture = fixture_with_grants(&all_but_medical()).await;
    for topic in ["warfarin", "heart diagnosis at Charité", "what medication do I take?"] {
        let owner = fixture.call("recall", json!({ "topic": topic })).await;
        assert!(!facts(&owner).is_empty(), "{topic}: {owner}");
        let answer = call_as_agent(&fixture, "recall", json!({ "topic": topic, "budget": "deep" }))
            .await
            .unwrap();
        assert_nothing_medical(&answer);
    }
    let open = call_as_agent(&fixture, "recall", json!({"topic": "ramen"})).await.unwrap();
    assert!(facts(&open).iter().any(|fact| fact.contains("Kyoto")), "{open}");
    assert!(facts(&open).iter().any(|fact| fact.contains("ramen")), "{open}");
}

#[tokio::test]
async fn a_grant_on_one_table_alone_is_enough_to_find_what_is_in_it() {
    let fixture =
        fixture_with_grants(&[("profile", Permission::Read), ("tables/meals", Permission::Read)])
            .await;
    let answer = call_as_agent(&fixture, "recall", json!({"topic": "ramen"})).await.unwrap();
    assert!(facts(&answer).iter().any(|fact| fact.contains("Ippudo")), "{answer}");
    assert!(facts(&answer).iter().all(|fact| !fact.contains("Kyoto")), "{answer}");
    assert_nothing_medical(&answer);
}

#[tokio::test]
async fn a_source_without_a_grant_counts_as_not_searched() {
    let fixture =
        fixture_with_grants(&[("profile", Permission::Read), ("tables/meals", Permission::Read)])
            .await;
    let answer = call_as_agent(&fixture, "recall", json!({"topic": "ramen"})).await.unwrap();
    assert_eq!(answer["sourcesQueried"], json!(["profile", "tables"]));
    assert_eq!(answer["coverageDetails"]["missingSources"], json!(["vectors", "graph"]));
    assert_eq!(
        (&answer["coverage"], answer["warnings"].as_array().unwrap().len()),
        (&json!(0.5), 2)
    );
    assert_eq!(answer["uncertaintyReason"], "most sources are not granted");
    let context = call_as_agent(&fixture, "recall", json!({})).await.unwrap();
    assert_eq!(context["access"]["deniedSections"], json!(["vectors", "graph"]));
    assert_eq!((&context["recentMemories"], &context["topEntities"]), (&json!([]), &json!([])));
    assert_eq!(each(&context["tables"], "name"), ["meals"]);
}

#[tokio::test]
async fn a_denied_source_does_not_exist_in_the_context_and_its_counts() {
    let fixture = fixture_with_grants(&all_but_medical()).await;
    let context = call_as_agent(&fixture, "recall", json!({})).await.unwrap();
    assert_nothing_medical(&context);
    assert_eq!(each(&context["tables"], "name"), ["meals"]);
    assert!(each(&context["collections"], "name").contains(&"journal"));
    let listed = call_as_agent(&fixture, "list_tables", json!({})).await.unwrap();
    assert_eq!(each(&listed["tables"], "name"), ["meals"]);
}

#[tokio::test]
async fn a_denied_source_does_not_exist_in_the_graph() {
    let fixture = fixture_with_grants(&all_but_medical()).await;
    let pattern = json!({"queryType": "pattern", "pattern": {"entityName": "warfarin"}});
    let owner = fixture.call("query_graph", pattern.clone()).await;
    assert!(!owner["result"]["entities"].as_array().unwrap().is_empty(), "{owner}");
    let closed = call_as_agent(&fixture, "query_graph", pattern).await.unwrap();
    assert_eq!((&closed["result"]["entities"], &closed["edges"]), (&json!([]), &json!([])));
    let id = owner["result"]["entities"][0]["id"].clone();
    let walk = json!({"queryType": "traverse", "entityId": id});
    assert_eq!(
        call_as_agent(&fixture, "query_graph", walk).await.unwrap_err().code,
        ErrorCode::NotFound
    );
}

#[tokio::test]
async fn sql_reaches_no_denied_table_by_any_name() {
    let fixture = fixture_with_grants(&all_but_medical()).await;
    for sql in [
        "SELECT * FROM medications",
        "SELECT m.food, x.name FROM meals m, medications x",
        "WITH a AS (SELECT * FROM medications) SELECT * FROM a",
        "SELECT name FROM sqlite_master",
    ] {
        let answer = call_as_agent(&fixture, "recall", json!({"mode": "table", "sql": sql})).await;
        let text = answer.map_or_else(|refusal| refusal.to_string(), |answer| answer.to_string());
        assert!(!text.contains("warfarin"), "{sql}: {text}");
    }
    let fine = json!({"mode": "table", "table": "meals", "sql": "SELECT food FROM meals"});
    assert_eq!(
        call_as_agent(&fixture, "recall", fine).await.unwrap()["records"],
        json!([{"food": "ramen"}])
    );
}

#[tokio::test]
async fn denied_memories_cannot_be_deleted_by_meaning() {
    let fixture = fixture_with_grants(&all_but_medical()).await;
    let delete = json!({"text": "The diagnosis at Charité was a heart murmur", "action": "delete"});
    let answer = call_as_agent(&fixture, "memorize", delete).await.unwrap();
    assert_eq!(answer["deleted"], 0);
    assert_nothing_medical(&answer);
    let still = fixture.call("recall", json!({"topic": "diagnosis at Charité"})).await;
    assert!(facts(&still).iter().any(|fact| fact.contains("murmur")), "{still}");
}

#[tokio::test]
async fn a_grant_does_not_cover_a_name_that_merely_starts_with_it() {
    let rules = [("profile", Permission::Read), ("tables/meal", Permission::Write)];
    let fixture = fixture_with_grants(&rules).await;
    let refusal =
        call_as_agent(&fixture, "query_table", json!({"tableName": "meals"})).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ConsentRequired);
}

/// Asserts that a result contains neither the medical data nor the names of its table and
/// collection.
#[track_caller]
fn assert_nothing_medical(answer: &Value) {
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
