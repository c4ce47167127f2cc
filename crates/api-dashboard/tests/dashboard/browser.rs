//! The dashboard in headless Chromium, used as a person would. The steps are in `tests/browser`;
//! this file prepares their data.

mod filled_memory;
mod graph_page;
mod page_list;
mod sizes;

use filled_memory::filled;
use page_list::pages;

use crate::fixture::{DashboardFixture, TOKEN};
use crate::raw_http::RawRequest;
use engine::Caller;
use engine::handoffs::{ClaimHandoffRequest, SECTIONS, StoreHandoffRequest};
use engine::recall::RecallRequest;
use engine::references::FileReferenceRequest;
use engine::remember::RememberRequest;
use engine::sessions::StartSessionRequest;
use model::{AgentName, Dialect, NewHandoff, OwnerId};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use store::Change;

/// Maximum size of a page with everything it loads, in bytes.
const WEIGHT_MAX: u64 = 250_000;

/// Runs a scenario and returns its report.
#[track_caller]
fn run_scenario(fixture: &DashboardFixture, module: &str, scenario: &str, details: Value) -> Value {
    let link = fixture.link();
    let plan = json!({ "link": link, "module": module, "scenario": scenario, "details": details });
    let mut child =
        node().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(plan.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (report, fault) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{module}.{scenario}:\n{fault}");
    serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}"))
}

/// Runs a scenario on a new memory at the sizes of a desktop and a phone.
#[track_caller]
fn at_each_size(
    memory: impl Fn() -> DashboardFixture,
    module: &str,
    scenario: &str,
    details: Value,
) {
    for phone in [false, true] {
        let mut details = details.clone();
        details["phone"] = phone.into();
        run_scenario(&memory(), module, scenario, details);
    }
}

/// Command that runs the installed Node with the scenario runner.
fn node() -> Command {
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let mut command =
        Command::new(tool(&format!("node/node_modules/node-linux-{machine}/bin/node")));
    let player = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/play.mjs");
    command.arg(player).env("CLIENT_PACKAGES", tool("node/node_modules"));
    command
}

/// Path of something in `.tools`. A tool that is not installed is a failed test, never a skipped
/// one.
pub fn tool(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let path = root.join(".tools").join(path);
    assert!(path.exists(), "{} is not installed: run `cargo xtask check` once", path.display());
    path
}

#[test]
fn a_memory_is_written_found_explained_corrected_flagged_and_forgotten() {
    at_each_size(DashboardFixture::start, "memories", "lifeOfAMemory", json!({}));
}

#[test]
fn a_server_on_another_port_gets_no_session() {
    run_scenario(&DashboardFixture::start(), "session", "otherPort", json!({}));
}

/// Starts a dashboard over three memories about a studio.
fn with_three_memories() -> DashboardFixture {
    let fixture = DashboardFixture::start();
    for text in ["The studio opens at nine.", "Clay comes on Tuesdays.", "The van is in the yard."]
    {
        fixture.remember_as("codex", &RememberRequest::text(text));
    }
    fixture
}

#[test]
fn selected_memories_are_tagged_retired_and_forgotten_together() {
    at_each_size(with_three_memories, "memories", "manyAtOnce", json!({}));
}

#[test]
fn a_question_without_an_answer_leads_to_writing_it() {
    let memory = || {
        let fixture = DashboardFixture::start();
        fixture.remember_as("codex", &RememberRequest::text("Clay comes on Tuesdays."));
        fixture
    };
    at_each_size(memory, "memories", "nothingFound", json!({}));
}

#[test]
fn a_contradiction_is_decided_with_both_sides_in_view() {
    let memory = || {
        let fixture = DashboardFixture::start();
        fixture.remember_as("codex", &RememberRequest::text("I live in Berlin."));
        fixture.remember_as("cursor", &RememberRequest::text("I do not live in Berlin."));
        fixture
    };
    at_each_size(memory, "deciding", "bothSides", json!({}));
}

#[test]
fn review_items_are_decided_by_keyboard_without_a_reload() {
    let memory = || {
        let fixture = DashboardFixture::start();
        for (earlier, later) in [
            ("Marta Kowalska lives in Berlin.", "Marta Kowalska does not live in Berlin."),
            ("Marta Kowalska likes celadon.", "Marta Kowalska does not like celadon."),
            ("The studio is in Vienna.", "The studio is not in Vienna."),
            ("The van is insured.", "The van is not insured."),
        ] {
            fixture.remember_as("codex", &RememberRequest::text(earlier));
            fixture.remember_as("cursor", &RememberRequest::text(later));
        }
        fixture
    };
    at_each_size(memory, "deciding", "byKeys", json!({}));
}

#[test]
fn memories_are_selected_and_opened_by_keyboard() {
    at_each_size(with_three_memories, "memories", "byKeys", json!({}));
}

#[test]
fn writing_a_memory_tells_what_happened() {
    at_each_size(DashboardFixture::start, "memories", "outcomes", json!({}));
}

#[test]
fn an_unknown_address_is_a_page_for_a_browser_and_json_for_a_program() {
    let fixture = DashboardFixture::start();
    for phone in [false, true] {
        run_scenario(&fixture, "every", "unknown", json!({ "phone": phone }));
    }
    let answer = fixture.ask(RawRequest::new("GET", "/no-such-page"));
    assert_eq!(answer.status, 404);
    assert_eq!(answer.json()["error"]["code"], "not_found");
}

#[test]
fn the_palette_finds_memories_pages_tables_and_actions() {
    let memory = || {
        let fixture = with_meals();
        fixture.remember_as(
            "codex",
            &RememberRequest::text("Ada Lovelace fires the kiln on Mondays."),
        );
        fixture
    };
    at_each_size(memory, "every", "palette", json!({}));
}

#[test]
fn the_pages_fit_a_phone_with_a_bar_at_the_bottom() {
    let fixture = filled("plain");
    run_scenario(&fixture, "every", "onAPhone", json!({ "pages": pages(&fixture, "plain") }));
}

#[test]
fn no_page_shows_a_name_for_programs() {
    let fixture = filled("plain");
    run_scenario(&fixture, "every", "plainWords", json!({ "pages": pages(&fixture, "plain") }));
}

#[test]
fn every_detail_of_a_memory_is_edited_and_its_conflicts_are_decided_in_place() {
    let memory = || {
        let fixture = DashboardFixture::start();
        for text in [
            "The kiln is **hot**.\n\n| cone | heat |\n|---|---|\n| 10 | 1260 |\n\n```\nfire\n```",
            "Clay comes on Tuesdays.",
            "I live in Berlin.",
            "I do not live in Berlin.",
        ] {
            fixture.remember_as("codex", &RememberRequest::text(text));
        }
        fixture
    };
    at_each_size(memory, "memories", "edited", json!({}));
}

#[test]
fn home_is_live_and_the_owners_looking_counts_nowhere() {
    for phone in [false, true] {
        let fixture = DashboardFixture::start();
        fixture.remember_as("codex", &RememberRequest::text("Clay comes on Tuesdays."));
        let key = json!({ "agent": "cursor", "scope": "write", "grants": "write" });
        let key = fixture.call("POST", "/v1/keys", &key)["secret"].clone();
        run_scenario(&fixture, "home", "live", json!({ "key": key, "phone": phone }));
    }
}

#[test]
fn a_table_is_edited_as_a_grid() {
    at_each_size(with_meals, "tables", "grid", json!({}));
}

#[test]
fn permissions_are_shown_together_and_set_by_presets() {
    at_each_size(with_tables_and_diary, "agents", "permissions", json!({}));
}

#[test]
fn the_profile_is_edited_as_a_form_and_as_json_and_restored() {
    at_each_size(DashboardFixture::start, "deciding", "aboutMe", json!({}));
}

#[test]
fn a_table_is_created_sorted_filtered_edited_and_exported() {
    at_each_size(DashboardFixture::start, "tables", "meals", json!({}));
}

#[test]
fn a_handoff_is_read_released_cancelled_and_reopened() {
    let memory = || {
        let fixture = DashboardFixture::start();
        let agent = Caller::agent(OwnerId::me(), AgentName::new("codex"), Dialect::Quipu)
            .with_tool("handoff");
        let document = SECTIONS
            .iter()
            .fold(String::new(), |text, name| format!("{text}## {name}\n- see `driver.rs`\n"));
        let handoff = NewHandoff {
            title: "Finish the kiln driver".into(),
            document,
            ..NewHandoff::default()
        };
        fixture.with_engine(async |engine| {
            engine.sessions().start(&agent, &StartSessionRequest::default()).await.unwrap();
            let store = StoreHandoffRequest { handoff, idempotency_key: None };
            let stored = engine.handoffs().store(&agent, &store).await.unwrap().handoff.id;
            engine.handoffs().claim(&agent, &ClaimHandoffRequest::new(stored)).await.unwrap();
        });
        fixture
    };
    at_each_size(memory, "work", "handoffs", json!({ "section": SECTIONS[0] }));
}

#[test]
fn a_document_is_uploaded_looked_up_read_and_removed() {
    at_each_size(DashboardFixture::start, "work", "references", json!({}));
}

#[test]
fn only_a_select_runs_over_the_tables() {
    at_each_size(with_meals, "work", "sqlConsole", json!({}));
}

#[test]
fn backups_are_created_by_hand_and_by_a_schedule() {
    at_each_size(with_meals, "settings", "backups", json!({}));
}

#[test]
fn dialects_and_questions_are_switched_keys_revoked_and_a_new_link_logs_in() {
    let memory = || {
        let fixture = with_meals();
        assert_eq!(fixture.recall_as("codex", &RecallRequest::query("where is the zebra")), 0);
        fixture
    };
    at_each_size(memory, "settings", "switched", json!({ "token": TOKEN }));
}

#[test]
fn everything_is_erased_only_after_typing_the_confirmation() {
    let pages =
        ["/", "/memories?status=any", "/tables", "/profile", "/handoffs", "/references", "/graph"];
    at_each_size(with_marinara, "settings", "erased", json!({ "pages": pages }));
}

/// Starts a dashboard over a memory that has the same word everywhere.
fn with_marinara() -> DashboardFixture {
    let fixture = with_meals();
    let document =
        SECTIONS.iter().fold(String::new(), |text, name| format!("{text}## {name}\n- marinara\n"));
    let handoff = NewHandoff { title: "Order marinara".into(), document, ..NewHandoff::default() };
    let person = Caller::person(OwnerId::me()).with_tool("test");
    fixture.with_engine(async |engine| {
        engine
            .handoffs()
            .store(&person, &StoreHandoffRequest { handoff, idempotency_key: None })
            .await
            .unwrap();
        let file =
            FileReferenceRequest { path: "marinara.md".into(), text: "# Marinara\nis red".into() };
        engine.references().put(&person, &file).await.unwrap();
    });
    fixture.remember_as("codex", &RememberRequest::text("Ines likes marinara."));
    fixture.call("PATCH", "/v1/profile", &json!({ "patch": { "name": "Ines" } }));
    fixture.call("POST", "/v1/backup", &json!({}));
    fixture
}

#[test]
fn a_memory_is_exported_and_imported_with_progress() {
    let memory = || {
        let fixture = with_meals();
        fixture.remember_as("codex", &RememberRequest::text("Clay comes on Tuesdays."));
        fixture
    };
    at_each_size(memory, "settings", "exportAndImport", json!({}));
}

#[test]
fn an_admin_adds_changes_and_removes_the_members_of_a_group() {
    let memory = || {
        let fixture = DashboardFixture::start();
        fixture.add_group(model::GroupRole::Admin);
        fixture
    };
    at_each_size(memory, "settings", "members", json!({}));
}

#[test]
fn home_shows_news_unanswered_questions_and_store_health() {
    let memory = || {
        let fixture = DashboardFixture::start();
        fixture.remember_as("codex", &RememberRequest::text("I live in Berlin."));
        fixture.remember_as("cursor", &RememberRequest::text("I do not live in Berlin."));
        assert_eq!(fixture.recall_as("codex", &RecallRequest::query("blorptang")), 0);
        assert_eq!(fixture.recall_as("codex", &RecallRequest::query("quizzlefrob")), 0);
        assert!(fixture.recall_as("codex", &RecallRequest::query("where do I live, Berlin")) > 0);
        // The previous visit ended an hour ago.
        let hour_ago = fixture.engine.now().plus_seconds(-3600).0;
        fixture.write(vec![Change::PutSetting {
            name: "visits".into(),
            value: json!({ "seen": hour_ago }),
        }]);
        fixture
    };
    at_each_size(memory, "home", "atHome", json!({}));
}

#[test]
fn home_lists_weak_answers_by_their_score_and_no_sure_ones() {
    let fixture = DashboardFixture::start();
    for text in ["Clay comes on Tuesdays.", "The van is in the yard.", "I live in Berlin."] {
        fixture.remember_as("codex", &RememberRequest::text(text));
    }
    for sure in ["when does the clay come", "where is the van", "where do I live"] {
        assert!(fixture.recall_as("codex", &RecallRequest::query(sure)) > 0, "{sure}");
    }
    for weak in ["who insured the van", "blorptang"] {
        fixture.recall_as("codex", &RecallRequest::query(weak));
    }
    run_scenario(&fixture, "home", "weakestFirst", json!({}));
    run_scenario(&fixture, "home", "weakestFirst", json!({ "phone": true }));
}

#[test]
fn a_memory_shows_who_recalled_it_and_what_it_mentions() {
    let memory = || {
        let fixture = DashboardFixture::start();
        fixture.remember_as(
            "codex",
            &RememberRequest::text("Ada Lovelace fires the kiln on Mondays."),
        );
        assert_eq!(fixture.recall_as("cursor", &RecallRequest::query("who fires the kiln")), 1);
        fixture
    };
    at_each_size(memory, "home", "recalledBy", json!({}));
}

/// Starts a dashboard over a memory with a table of meals.
fn with_meals() -> DashboardFixture {
    let fixture = DashboardFixture::start();
    for (food, calories) in [("pizza", 800), ("soup", 250), ("pizza", 800)] {
        fixture.call(
            "POST",
            "/v1/tables/meals/rows",
            &json!({ "data": { "food": food, "calories": calories } }),
        );
    }
    fixture
}

#[test]
fn an_agent_is_connected_granted_previewed_and_revoked() {
    let memory = || {
        let fixture = with_tables_and_diary();
        fixture.remember_as("cursor", &RememberRequest::text("Clay comes on Tuesdays."));
        fixture
    };
    at_each_size(memory, "agents", "connected", json!({}));
}

/// Starts a dashboard over a memory with two tables and a diary.
fn with_tables_and_diary() -> DashboardFixture {
    let fixture = DashboardFixture::start();
    let diary = RememberRequest {
        collection: Some("diary".into()),
        ..RememberRequest::text("Dear diary, nobody reads this.")
    };
    fixture.remember_as("cursor", &diary);
    for table in ["meals", "books"] {
        fixture.call(
            "POST",
            &format!("/v1/tables/{table}/rows"),
            &json!({ "data": { "name": "one" } }),
        );
    }
    fixture
}

#[test]
fn a_program_of_another_site_is_allowed() {
    at_each_size(DashboardFixture::start, "consent", "allowed", json!({}));
}

#[test]
fn a_program_is_allowed_individual_tables_and_collections() {
    at_each_size(with_tables_and_diary, "consent", "toIndividualResources", json!({}));
}

#[test]
fn a_program_is_denied() {
    at_each_size(DashboardFixture::start, "consent", "denied", json!({}));
}

#[test]
fn a_program_is_allowed_after_the_login() {
    at_each_size(DashboardFixture::start, "consent", "afterTheLogin", json!({ "token": TOKEN }));
}

#[test]
fn everything_that_an_agent_wrote_is_retired_and_restored() {
    let memory = || {
        let fixture = DashboardFixture::start();
        fixture.remember_as("cursor", &RememberRequest::text("The van is stolen."));
        fixture
    };
    at_each_size(memory, "agents", "retired", json!({}));
}

#[test]
fn new_audit_events_appear_while_the_page_is_open() {
    at_each_size(with_meals, "agents", "live", json!({ "token": TOKEN }));
}

#[test]
fn every_page_is_reached_by_keyboard() {
    at_each_size(|| filled("plain"), "every", "byKeyboard", json!({}));
}

#[test]
fn no_stored_text_runs_or_breaks_a_page() {
    for text in [
        r#"<script>window.ran=true</script><img src=x onerror="window.ran=true">"#,
        r#""'><svg onload=window.ran=true><a href="javascript:window.ran=true">x</a>{{7*7}}${7*7}"#,
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{627}\u{644}\u{639}\u{631}\u{628}\u{64a}\u{629} \
         \u{1f9f6}\u{1f469}\u{200d}\u{1f52c} e\u{301}\u{301}\u{301}\u{301}",
        &"unbroken".repeat(8000),
    ] {
        let fixture = filled(text);
        run_scenario(&fixture, "every", "nothingRuns", json!({ "pages": pages(&fixture, text) }));
    }
}

#[test]
fn axe_finds_no_serious_violation_on_any_page() {
    let fixture = filled("plain");
    for phone in [false, true] {
        let details = json!({ "pages": pages(&fixture, "plain"), "phone": phone });
        run_scenario(&fixture, "every", "accessible", details);
    }
}

#[test]
fn no_page_weighs_more_than_250_kilobytes() {
    let text = "A long memory about glazes and kilns. ".repeat(1000);
    let fixture = filled(&text);
    let weights =
        run_scenario(&fixture, "every", "weights", json!({ "pages": pages(&fixture, &text) }));
    for (page, weight) in weights.as_object().unwrap() {
        assert!(weight.as_u64().unwrap() < WEIGHT_MAX, "{page}: {weight}");
    }
}
