//! Invalid arguments: wrong types, empty texts, numbers out of range, unknown ids.

use super::new_fixture;
use crate::invalid_arguments::{
    any_value_yields_a_result_or_an_error, arguments_are_refused_by_name,
};
use dialects::{DialectApi, Librarian, Quipu};
use model::ErrorCode;
use serde_json::{Value, json};

const DOCUMENT: &str = "## Start & intent\na\n## Journey\nb\n## Current state\nc\n\
                        ## What’s left\nd\n## Open questions\ne";

/// Returns valid arguments for a verb, given that memory 1 exists.
fn valid_arguments(verb: &str) -> Value {
    match verb {
        "remember" => json!({"title": "Port", "body": "The port is 22."}),
        "flag_memory" => json!({"memory_id": "1", "reason": "it moved"}),
        "store_handoff" => json!({"title": "Move billing", "document_md": DOCUMENT}),
        "claim_handoff" => json!({"handoff_id": "1"}),
        "search_references" => json!({"query": "ports"}),
        _ => json!({}),
    }
}

#[tokio::test]
async fn an_argument_of_the_wrong_type_or_an_unknown_one_is_refused_by_name() {
    let fixture = new_fixture().await;
    fixture.store_note("Port", "The port is 22.").await;
    arguments_are_refused_by_name(&fixture, &Librarian::default(), valid_arguments).await;
}

#[tokio::test]
async fn any_value_of_an_argument_yields_a_result_or_a_readable_error() {
    let fixture = new_fixture().await;
    // Of another subject than the notes that are stored on the way, some of which give the port
    // another number and replace one another.
    fixture.store_note("Cello", "Ana plays the cello.").await;
    fixture.call("store_handoff", valid_arguments("store_handoff")).await;
    any_value_yields_a_result_or_an_error(&fixture, Librarian::default().tools(), valid_arguments)
        .await;
}

#[tokio::test]
async fn a_number_out_of_range_is_refused_by_name() {
    let fixture = new_fixture().await;
    for verb in ["recall", "list_handoffs", "search_references"] {
        for limit in [json!(0), json!(-1), json!(101), json!(i64::MAX), json!(i64::MIN)] {
            let mut given = valid_arguments(verb);
            given["limit"] = limit.clone();
            let failure = fixture.call_refused(verb, given).await;
            assert_eq!(failure.code, ErrorCode::InvalidArgument, "{verb} {limit}");
            assert!(
                failure.message.contains("limit must be between 1 and 100"),
                "{verb}: {failure}"
            );
        }
    }
    let answer = fixture.call("recall", json!({"limit": 8.0})).await;
    assert_eq!(answer["memories"], json!([]), "a limit is a number, with a point or without");
}

#[tokio::test]
async fn a_text_that_is_too_long_is_refused_by_name_with_the_limit() {
    let fixture = new_fixture().await;
    fixture.store_note("Port", "The port is 22.").await;
    let tags: Vec<String> = (0..65).map(|tag| format!("tag {tag}")).collect();
    for (verb, name, long) in [
        ("recall", "query", json!("word ".repeat(4_000))),
        ("remember", "title", json!("t".repeat(301))),
        ("remember", "body", json!("word ".repeat(14_000))),
        ("remember", "tags", json!(tags)),
        ("remember", "confidence", json!("c".repeat(201))),
        ("flag_memory", "reason", json!("r".repeat(2_001))),
        ("store_handoff", "title", json!("t".repeat(301))),
        ("store_handoff", "document", json!(format!("{DOCUMENT}{}", "x".repeat(50_000)))),
        ("store_handoff", "tags", json!(tags)),
        ("search_references", "query", json!("word ".repeat(4_000))),
    ] {
        let argument = if name == "document" { "document_md" } else { name };
        let mut given = valid_arguments(verb);
        given[argument] = long;
        let failure = fixture.call_refused(verb, given).await;
        assert_eq!(failure.code, ErrorCode::LimitExceeded, "{verb}.{name}: {failure}");
        assert!(
            failure.message.contains(name) && failure.message.contains("limit"),
            "{verb}: {failure}"
        );
    }
}

#[tokio::test]
async fn an_unknown_id_is_404_and_says_where_ids_come_from() {
    let fixture = new_fixture().await;
    let gone = fixture.store_note("Address", "My old address is Elm Street 4.").await;
    let forget = json!({"ids": [gone.parse::<i64>().unwrap()]});
    fixture.sharing_memory(Quipu::default()).call("forget", forget).await;
    for id in [
        gone.as_str(),
        "",
        "0",
        "-1",
        "9223372036854775807",
        "99999999999999999999",
        "mem_01J8",
        "十七",
    ] {
        let failure =
            fixture.call_refused("flag_memory", json!({"memory_id": id, "reason": "wrong"})).await;
        assert_eq!(failure.code.http_status(), 404, "{id}: {failure}");
        let failure = fixture.call_refused("claim_handoff", json!({"handoff_id": id})).await;
        assert_eq!(failure.code.http_status(), 404, "{id}: {failure}");
        assert!(failure.message.contains("list"), "{id}: {failure}");
    }
}

#[tokio::test]
async fn an_empty_text_counts_as_missing() {
    let fixture = new_fixture().await;
    let stored = json!({
        "title": "Move billing", "document_md": DOCUMENT, "project_key": "", "cwd": " ",
        "harness": "",
        "source_ref": "", "tags": ["", "billing", " "]
    });
    let answer = fixture.call("store_handoff", stored).await;
    for name in ["project_key", "cwd", "harness", "source_ref"] {
        assert!(answer.get(name).is_none(), "{name}: {answer}");
    }
    assert_eq!(answer["tags"], json!(["billing"]));
    let listed =
        fixture.call("list_handoffs", json!({"project_key": "", "cwd": "", "harness": " "})).await;
    assert_eq!(listed["handoffs"].as_array().unwrap().len(), 1, "{listed}");
    let claim =
        json!({"handoff_id": answer["handoff_id"], "claiming_harness": "", "claiming_cwd": "/src"});
    let claim = fixture.call("claim_handoff", claim).await["claim"].clone();
    assert_eq!((claim.get("claiming_harness"), &claim["claiming_cwd"]), (None, &json!("/src")));
    let tagged = json!({"title": "Port", "body": "The port is 22.", "tags": [" ops ", ""]});
    fixture.call("remember", tagged).await;
    for tags in [json!([""]), json!([" ops "]), json!([])] {
        assert_eq!(fixture.titles(json!({ "tags": tags })).await, ["Port"], "{tags}");
    }
}
