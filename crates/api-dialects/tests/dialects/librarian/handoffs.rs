//! `store_handoff`, `list_handoffs` and `claim_handoff`.

use super::new_fixture;
use crate::fixture::DialectFixture;
use dialects::Librarian;
use model::ErrorCode;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

const DOCUMENT: &str = "## Start & intent\nMove billing.\n## Journey\nTried two ways.\n\
                        ## Current state\nHalf done.\n\
                        ## What's left\nTests.\n## Open questions\nNone.";

fn handoff(title: &str, project: &str, cwd: &str) -> Value {
    json!({
        "title": title, "document_md": DOCUMENT, "project_key": project, "cwd": cwd,
        "harness": "claude-code", "source_ref": "run-7", "tags": ["billing"]
    })
}

async fn store(fixture: &DialectFixture, title: &str, project: &str, cwd: &str) -> String {
    fixture.clock.advance(60);
    fixture.call("store_handoff", handoff(title, project, cwd)).await["handoff_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn titles(fixture: &DialectFixture, filters: Value) -> Vec<String> {
    let answer = fixture.call("list_handoffs", filters).await;
    let all = answer["handoffs"].as_array().unwrap().clone();
    all.iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_handoff_stores_every_given_field() {
    let fixture = new_fixture().await;
    let answer = fixture.call("store_handoff", handoff("Billing move", "shop", "/src/shop")).await;
    for (name, value) in [
        ("title", json!("Billing move")),
        ("project_key", json!("shop")),
        ("cwd", json!("/src/shop")),
        ("harness", json!("claude-code")),
        ("source_ref", json!("run-7")),
        ("tags", json!(["billing"])),
        ("created_by", json!("claude")),
    ] {
        assert_eq!(answer[name], value, "{name}");
    }
}

#[tokio::test]
async fn the_five_sections_pass_at_any_heading_level() {
    let fixture = new_fixture().await;
    for marks in ["#", "###", "######"] {
        let document = DOCUMENT.replace("##", marks);
        fixture.call("store_handoff", json!({"title": "T", "document_md": document})).await;
    }
}

#[tokio::test]
async fn missing_and_surplus_sections_are_named() {
    let fixture = new_fixture().await;
    let document = DOCUMENT.replace("Journey", "Diary");
    let failure =
        fixture.call_refused("store_handoff", json!({"title": "T", "document_md": document})).await;
    assert_eq!(failure.code, ErrorCode::InvalidArgument);
    assert!(failure.message.contains("missing: Journey; not among the five: Diary"), "{failure}");
    let surplus = format!("{DOCUMENT}\n## Appendix\nMore.");
    let failure =
        fixture.call_refused("store_handoff", json!({"title": "T", "document_md": surplus})).await;
    assert!(failure.message.contains("not among the five: Appendix"), "{failure}");
}

#[tokio::test]
async fn filters_narrow_exactly_and_dropping_one_broadens() {
    let fixture = new_fixture().await;
    store(&fixture, "here", "shop", "/src/shop").await;
    store(&fixture, "same project", "shop", "/src/other").await;
    store(&fixture, "elsewhere", "blog", "/src/blog").await;
    assert_eq!(
        titles(&fixture, json!({"project_key": "shop", "cwd": "/src/shop"})).await,
        ["here"]
    );
    assert_eq!(titles(&fixture, json!({"project_key": "shop"})).await, ["same project", "here"]);
    assert_eq!(titles(&fixture, json!({"cwd": "/src/blog"})).await, ["elsewhere"]);
    assert_eq!(
        titles(&fixture, json!({})).await,
        ["elsewhere", "same project", "here"],
        "newest first"
    );
    assert_eq!(titles(&fixture, json!({"harness": "codex"})).await, Vec::<String>::new());
    assert_eq!(titles(&fixture, json!({"limit": 1})).await.len(), 1);
}

#[tokio::test]
async fn an_empty_list_says_which_filter_to_drop() {
    let fixture = new_fixture().await;
    store(&fixture, "same project", "shop", "/src/other").await;
    let near =
        fixture.call("list_handoffs", json!({"project_key": "shop", "cwd": "/src/shop"})).await;
    assert_eq!(near["hint"], "none here; drop cwd to see 1 open elsewhere");
    let far =
        fixture.call("list_handoffs", json!({"project_key": "blog", "cwd": "/src/blog"})).await;
    assert_eq!(far["hint"], "none here; drop every filter to see 1 open elsewhere");
    let empty = new_fixture().await.call("list_handoffs", json!({"cwd": "/x"})).await;
    assert_eq!(empty["hint"], "no open handoffs");
}

#[tokio::test]
async fn without_filters_the_list_starts_where_the_caller_runs_and_widens() {
    let fixture = new_fixture().await;
    store(&fixture, "elsewhere", "blog", "/src/blog").await;
    let mut caller = fixture.caller("codex");
    caller.environment.project = Some("shop".into());
    caller.environment.cwd = Some("/src/shop".into());
    let far = fixture.try_call_as(&caller, "list_handoffs", json!({})).await.unwrap();
    assert_eq!(
        (&far["scope"]["broadened"], &far["handoffs"][0]["title"]),
        (&json!(true), &json!("elsewhere"))
    );
    store(&fixture, "here", "shop", "/src/shop").await;
    let near = fixture.try_call_as(&caller, "list_handoffs", json!({})).await.unwrap();
    assert_eq!(
        near["scope"],
        json!({"broadened": false, "project_key": "shop", "cwd": "/src/shop"})
    );
    assert_eq!(near["handoffs"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_claim_gives_the_document_and_takes_the_handoff_off_the_list() {
    let fixture = new_fixture().await;
    let id = store(&fixture, "Billing move", "shop", "/src/shop").await;
    let taken = fixture.call("claim_handoff", json!({"handoff_id": id})).await;
    assert_eq!(taken["document_md"], DOCUMENT);
    assert!(fixture.render_text("claim_handoff", &taken).ends_with(DOCUMENT));
    assert_eq!(titles(&fixture, json!({})).await, Vec::<String>::new());
}

#[tokio::test]
async fn the_holder_is_the_caller_and_its_claims_about_itself_are_notes() {
    let fixture = new_fixture().await;
    let id = store(&fixture, "Billing move", "shop", "/src/shop").await;
    let claim = json!({
        "handoff_id": id, "claiming_agent_id": "somebody-else", "claiming_harness": "codex",
        "claiming_source_ref": "run-8", "claiming_cwd": "/src/shop"
    });
    let taken = fixture.try_call("codex", "claim_handoff", claim).await.unwrap();
    assert_eq!(taken["claim"]["claimed_by"], "codex");
    for (name, value) in [
        ("agent_id", "somebody-else"),
        ("harness", "codex"),
        ("source_ref", "run-8"),
        ("cwd", "/src/shop"),
    ] {
        assert_eq!(taken["claim"][format!("claiming_{name}")], value);
    }
}

#[tokio::test]
async fn an_unknown_handoff_is_404_and_a_claimed_one_409_with_who_and_since_when() {
    let fixture = new_fixture().await;
    for id in ["99", "hdo_unknown"] {
        let failure = fixture.call_refused("claim_handoff", json!({"handoff_id": id})).await;
        assert_eq!((failure.code, failure.code.http_status()), (ErrorCode::NotFound, 404));
    }
    let id = store(&fixture, "Billing move", "shop", "/src/shop").await;
    let first = fixture.call("claim_handoff", json!({"handoff_id": id})).await;
    let failure =
        fixture.try_call("codex", "claim_handoff", json!({"handoff_id": id})).await.unwrap_err();
    assert_eq!((failure.code, failure.code.http_status()), (ErrorCode::Conflict, 409));
    assert_eq!(failure.details["claimed_by"], "claude");
    assert_eq!(failure.details["claimed_at"], first["claim"]["claimed_at"]);
    assert!(failure.message.contains("held by claude since"), "{failure}");
}

#[tokio::test]
async fn of_many_claims_at_once_exactly_one_wins() {
    const AGENTS: usize = 16;
    let fixture = new_fixture().await;
    let id = store(&fixture, "Billing move", "shop", "/src/shop").await;
    let start = Arc::new(Barrier::new(AGENTS));
    let mut claims = JoinSet::new();
    for number in 0..AGENTS {
        let (fixture, start, id) =
            (fixture.sharing_memory(Librarian::default()), Arc::clone(&start), id.clone());
        claims.spawn(async move {
            let agent = format!("agent-{number}");
            start.wait().await;
            (
                agent.clone(),
                fixture.try_call(&agent, "claim_handoff", json!({"handoff_id": id})).await,
            )
        });
    }
    let (won, lost): (Vec<_>, Vec<_>) =
        claims.join_all().await.into_iter().partition(|(_, claim)| claim.is_ok());
    assert_eq!((won.len(), lost.len()), (1, AGENTS - 1));
    for (_, refusal) in lost {
        let refusal = refusal.unwrap_err();
        assert_eq!(refusal.code, ErrorCode::Conflict);
        assert!(
            refusal.message.contains(&won[0].0),
            "each loser learns who has it: {}",
            refusal.message
        );
    }
}

#[tokio::test]
async fn a_claimed_handoff_does_not_come_back_by_itself() {
    let fixture = new_fixture().await;
    let id = store(&fixture, "Billing move", "shop", "/src/shop").await;
    let taken = fixture.call("claim_handoff", json!({"handoff_id": id})).await;
    assert_eq!(taken["claim"].get("claimed_until"), None, "{taken}");
    fixture.clock.advance(400 * 86_400);
    assert_eq!(titles(&fixture, json!({})).await, Vec::<String>::new());
    let late = fixture.try_call("codex", "claim_handoff", json!({"handoff_id": id})).await;
    assert_eq!(late.unwrap_err().code, ErrorCode::Conflict);
    assert!(fixture.try_call("claude", "claim_handoff", json!({"handoff_id": id})).await.is_ok());
}

#[tokio::test]
async fn a_claim_belongs_to_one_session_of_an_agent() {
    let fixture = new_fixture().await;
    let id = store(&fixture, "Billing move", "shop", "/src/shop").await;
    let session = |name: &str| {
        fixture.caller("claude-code").over_connection(model::ConnectionId::process(name))
    };
    let claim = json!({
        "handoff_id": id, "claiming_agent_id": "ada", "claiming_harness": "cli",
        "claiming_source_ref": "run-8", "claiming_cwd": "/src"
    });
    let (one, two) = (session("one"), session("two"));
    let first = fixture.try_call_as(&one, "claim_handoff", claim.clone()).await.unwrap();
    let text = fixture.render_text("claim_handoff", &first);
    for part in ["tags billing", "source_ref run-7", "by claude at", "cwd /src/shop", "run-8"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let second = fixture.try_call_as(&two, "claim_handoff", claim.clone()).await.unwrap_err();
    assert_eq!(second.code, ErrorCode::Conflict);
    assert_eq!(second.details["claimed_at"], first["claim"]["claimed_at"]);
    for (name, value) in
        [("agent_id", "ada"), ("harness", "cli"), ("source_ref", "run-8"), ("cwd", "/src")]
    {
        assert_eq!(second.details[&format!("claiming_{name}")], value);
        assert!(second.message.contains(value), "{second}");
    }
    assert!(fixture.try_call_as(&one, "claim_handoff", json!({"handoff_id": id})).await.is_ok());
}

#[tokio::test]
async fn a_listed_handoff_shows_all_that_it_says_of_itself() {
    let fixture = new_fixture().await;
    store(&fixture, "Billing move", "shop", "/src/shop").await;
    let listed = fixture.call("list_handoffs", json!({})).await;
    let text = fixture.render_text("list_handoffs", &listed);
    for part in [
        "[1] Billing move",
        "by claude at 2026-05-03",
        "project shop",
        "cwd /src/shop",
        "harness claude-code",
        "source_ref run-7",
        "tags billing",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn the_twenty_newest_handoffs_are_listed_by_default() {
    let fixture = new_fixture().await;
    for number in 0..22 {
        fixture.clock.advance(60);
        store(&fixture, &format!("Task {number}"), "shop", "/src/shop").await;
    }
    let usual = titles(&fixture, json!({})).await;
    assert_eq!((usual.len(), usual[0].as_str()), (20, "Task 21"));
    assert_eq!(titles(&fixture, json!({"limit": 100})).await.len(), 22);
    for limit in [0, 101] {
        let failure = fixture.call_refused("list_handoffs", json!({ "limit": limit })).await;
        assert_eq!(failure.code, ErrorCode::InvalidArgument, "{limit}");
    }
}

#[tokio::test]
async fn missing_or_too_long_handoff_arguments_are_refused_by_name() {
    let fixture = new_fixture().await;
    let long = format!("{DOCUMENT}\n{}", "x".repeat(50_001));
    for (given, named) in [
        (json!({"document_md": DOCUMENT}), "title"),
        (json!({"title": "Billing move"}), "document_md"),
        (json!({"title": " ", "document_md": DOCUMENT}), "title"),
        (json!({"title": "Billing move", "document_md": long}), "document"),
        (json!({"title": "Billing move", "document_md": DOCUMENT, "tags": "billing"}), "tags"),
    ] {
        let failure = fixture.call_refused("store_handoff", given).await;
        assert!(failure.message.contains(named), "{named}: {failure}");
    }
    let failure = fixture.call_refused("claim_handoff", json!({})).await;
    assert!(failure.message.contains("handoff_id"), "{failure}");
}

#[tokio::test]
async fn a_directory_matches_with_and_without_its_trailing_slash() {
    let fixture = new_fixture().await;
    store(&fixture, "First", "shop", "/src/shop/").await;
    store(&fixture, "Second", "shop", "/src/shop").await;
    for cwd in ["/src/shop", "/src/shop/"] {
        assert_eq!(titles(&fixture, json!({ "cwd": cwd })).await, ["Second", "First"], "{cwd}");
    }
    assert!(titles(&fixture, json!({"cwd": "/src/shop2"})).await.is_empty());
}

#[tokio::test]
async fn five_empty_sections_are_refused() {
    let fixture = new_fixture().await;
    let headings: String =
        DOCUMENT.lines().filter(|line| line.starts_with('#')).collect::<Vec<_>>().join("\n\n");
    let failure = fixture
        .call_refused("store_handoff", json!({"title": "Empty", "document_md": headings}))
        .await;
    assert_eq!(failure.code, ErrorCode::InvalidArgument);
    assert!(failure.message.contains("empty"), "{failure}");
}
