//! `recall`: filters apply before the limit, flagged memories come last, ids come on request.

use super::new_fixture;
use dialects::{DialectApi, Librarian};
use model::ErrorCode;
use serde_json::json;

#[tokio::test]
async fn eight_memories_are_shown_by_default() {
    let fixture = new_fixture().await;
    for n in 0..12 {
        fixture.store_note(&format!("Note {n}"), &format!("Fact number {n} about gardens.")).await;
    }
    assert_eq!(fixture.titles(json!({})).await.len(), 8);
    assert_eq!(fixture.titles(json!({"query": "gardens"})).await.len(), 8);
    let three = fixture.call("recall", json!({"query": "gardens", "limit": 3})).await;
    assert_eq!(
        (three["memories"].as_array().unwrap().len(), three["left_out"].as_i64()),
        (3, Some(9))
    );
    for limit in [0, -1, 101] {
        let failure = fixture.call_refused("recall", json!({"limit": limit})).await;
        assert_eq!(failure.code, ErrorCode::InvalidArgument, "{limit}");
    }
}

#[tokio::test]
async fn a_rare_tag_is_found_however_many_better_matches_lack_it() {
    let fixture = new_fixture().await;
    for n in 0..60 {
        fixture
            .store_note(
                &format!("Gardens {n}"),
                &format!("Gardens, gardens and gardens again, part {n}."),
            )
            .await;
    }
    for (title, tag) in [("Roses", "rare"), ("Tulips", "other")] {
        let body = format!("{title} grow in some gardens beside the house.");
        fixture.call("remember", json!({"title": title, "body": body, "tags": [tag]})).await;
    }
    assert_eq!(fixture.titles(json!({"query": "gardens", "tags": ["rare"]})).await, ["Roses"]);
    let any =
        fixture.titles(json!({"query": "gardens", "tags": ["rare", "other", "unknown"]})).await;
    assert_eq!(any.len(), 2, "any of the tags: {any:?}");
}

#[tokio::test]
async fn ids_are_shown_only_on_request_before_each_memory() {
    let fixture = new_fixture().await;
    let id = fixture.store_note("Deploy day", "We deploy on Tuesdays.").await;
    let plain = fixture.call("recall", json!({"query": "deploy"})).await;
    assert!(plain["memories"][0].get("id").is_none(), "{plain}");
    assert_eq!(
        fixture.render_text("recall", &plain),
        "Relevant Memories\n\n- Deploy day: We deploy on Tuesdays. (2026-05-03, by claude)"
    );
    let with_ids = fixture.call("recall", json!({"query": "deploy", "include_ids": true})).await;
    let text = fixture.render_text("recall", &with_ids);
    let item = format!("- [{id}] Deploy day: We deploy on Tuesdays. (2026-05-03, by claude)");
    assert_eq!(text, format!("Relevant Memories\n\n{item}"));
    fixture.call("flag_memory", json!({"memory_id": format!("[{id}]"), "reason": "moved"})).await;
}

#[tokio::test]
async fn a_flagged_memory_ranks_below_all_others_with_a_query_without_one_and_under_a_tag() {
    let fixture = new_fixture().await;
    let right = json!({
        "title": "Wrong",
        "body": "Deploy on Fridays, deploy often, deploy.",
        "tags": ["ops"],
    });
    let flagged = fixture.call("remember", right).await;
    fixture
        .call(
            "remember",
            json!({"title": "Right", "body": "We may deploy to staging any day.", "tags": ["ops"]}),
        )
        .await;
    assert_eq!(fixture.titles(json!({"query": "deploy"})).await[0], "Wrong", "the better match");
    fixture
        .call("flag_memory", json!({"memory_id": flagged["id"], "reason": "never on Fridays"}))
        .await;
    fixture.clock.advance(60);
    for arguments in [
        json!({"query": "deploy"}),
        json!({}),
        json!({"tags": ["ops"]}),
        json!({"query": "deploy", "tags": ["ops"]}),
    ] {
        assert_eq!(fixture.titles(arguments.clone()).await, ["Right", "Wrong"], "{arguments}");
    }
}

#[tokio::test]
async fn the_newest_come_first_without_a_query() {
    let fixture = new_fixture().await;
    for title in ["One", "Two", "Three"] {
        fixture.store_note(title, &format!("This is the note called {title}.")).await;
        fixture.clock.advance(60);
    }
    assert_eq!(fixture.titles(json!({})).await, ["Three", "Two", "One"]);
    assert_eq!(fixture.titles(json!({"query": "   "})).await, ["Three", "Two", "One"]);
}

#[tokio::test]
async fn text_in_any_script_and_short_names_are_found_by_words() {
    let fixture = new_fixture().await;
    for (title, body) in [
        ("Go", "The scheduler is written in Go."),
        ("C sharp", "The desktop client is written in C#."),
        ("Кириллица", "Сервер стоит в Амстердаме."),
        ("日本語", "東京のオフィスは三階です。"),
        ("عربي", "الخادم في دبي"),
    ] {
        fixture.store_note(title, body).await;
    }
    for (query, title) in [
        ("Go", "Go"),
        ("C#", "C sharp"),
        ("сервер", "Кириллица"),
        ("東京", "日本語"),
        ("الخادم", "عربي"),
    ] {
        assert_eq!(fixture.titles(json!({"query": query})).await[0], title, "{query}");
    }
}

#[tokio::test]
async fn an_empty_result_says_that_nothing_matches() {
    let fixture = new_fixture().await;
    let answer = fixture.call("recall", json!({"query": "anything"})).await;
    assert_eq!(answer["memories"], json!([]));
    assert!(fixture.render_text("recall", &answer).starts_with("No memories match."));
}

#[tokio::test]
async fn an_agent_id_is_accepted_and_ignored() {
    let fixture = new_fixture().await;
    fixture.store_note("A", "Alpha is first.").await;
    let same = fixture.call("recall", json!({"agent_id": "claude"})).await;
    assert!(same.get("ignored").is_none());
    let other = fixture.call("recall", json!({"agent_id": "codex"})).await;
    assert_eq!(other["ignored"][0]["field"], "agent_id");
}

#[tokio::test]
async fn a_few_very_long_notes_do_not_fill_a_context() {
    let fixture = new_fixture().await;
    for n in 0..8 {
        let body: String = (0..3_000).map(|word| format!("garden{n}x{word} ")).collect();
        fixture.store_note(&format!("Long {n}"), &format!("About gardens. {body}")).await;
    }
    let answer = fixture.call("recall", json!({"query": "about gardens"})).await;
    assert!(answer.to_string().len() < 60_000, "{}", answer.to_string().len());
    assert_eq!(answer["memories"][0]["cut"], true);
}

#[tokio::test]
async fn the_newest_memories_can_be_read_as_a_resource() {
    let fixture = new_fixture().await;
    let id = fixture.store_note("Deploy day", "We deploy on Tuesdays.").await;
    let (librarian, caller) = (Librarian::default(), fixture.caller("claude"));
    let uris: Vec<&str> = librarian.resources().iter().map(|one| one.uri).collect();
    assert_eq!(uris, ["librarian://memories"]);
    let read = librarian.read_resource(&fixture.engine, &caller, uris[0]).await.unwrap();
    assert_eq!(
        (&read["memories"][0]["id"], &read["memories"][0]["title"]),
        (&json!(id), &json!("Deploy day"))
    );
    let nowhere =
        librarian.read_resource(&fixture.engine, &caller, "librarian://inbox").await.unwrap_err();
    assert_eq!(nowhere.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn arguments_of_earlier_versions_pass_in_every_verb_and_are_reported() {
    let fixture = new_fixture().await;
    let document = "## Start & intent\na\n## Journey\nb\n## Current state\nc\n\
                    ## What's left\nd\n## Open questions\ne";
    let calls = [
        ("remember", json!({"title": "Port", "body": "The port is 22."})),
        ("recall", json!({"query": "port"})),
        ("flag_memory", json!({"memory_id": "1", "reason": "moved"})),
        ("store_handoff", json!({"title": "Move", "document_md": document})),
        ("list_handoffs", json!({})),
        ("claim_handoff", json!({"handoff_id": "1"})),
        ("search_references", json!({"query": "port"})),
    ];
    for (verb, mut given) in calls {
        for name in ["conv_id", "visibility", "category", "scope"] {
            given[name] = json!("common");
        }
        let answer = fixture.call(verb, given).await;
        let ignored: Vec<&str> = answer["ignored"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["field"].as_str().unwrap())
            .collect();
        assert_eq!(ignored, ["conv_id", "visibility", "category", "scope"], "{verb}");
    }
    let answer = fixture.call("recall", json!({"query": "port", "project_key": "shop"})).await;
    assert_eq!(answer["ignored"][0]["field"], "project_key");
    assert_eq!(answer["memories"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_long_body_can_be_read_to_the_end() {
    let fixture = new_fixture().await;
    let body: String = (0..1_200).map(|n| format!("Step {n} of the migration is done. ")).collect();
    let id = fixture.store_note("Migration", body.trim()).await;
    let found = fixture.call("recall", json!({"query": "steps of the migration"})).await;
    assert_eq!(found["memories"][0]["whole"], format!("[{id}]"));
    let text = fixture.render_text("recall", &found);
    assert!(text.contains(&format!("recall with query \"[{id}]\"")), "{text}");
    let (mut query, mut read) = (format!("[{id}]"), String::new());
    for _ in 0..10 {
        let part = fixture.call("recall", json!({ "query": query })).await;
        assert!(part.to_string().len() < 8_000 * 5, "{}", part.to_string().len());
        read.push_str(part["memories"][0]["body"].as_str().unwrap());
        read.push(' ');
        let Some(next) = part["hint"].as_str().and_then(|hint| hint.split('"').nth(1)) else {
            break;
        };
        query = next.to_owned();
    }
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&read).len(), words(&body).len());
    assert!(read.contains("Step 1199 of"));
    let unknown = fixture.call_refused("recall", json!({"query": "[999]"})).await;
    assert_eq!(unknown.code.http_status(), 404);
}
