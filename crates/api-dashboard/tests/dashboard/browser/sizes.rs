//! Actions of the owner at the sizes of a desktop and a phone: the profile, previews, first steps,
//! weak answers, imports and sessions.

use super::at_each_size;
use crate::fixture::{DashboardFixture, TOKEN};
use engine::Caller;
use engine::forget::ForgetRequest;
use engine::profile::PatchProfileRequest;
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use engine::sessions::{EndSessionRequest, EpisodeSource, SessionRef, StartSessionRequest};
use model::{AgentName, Dialect, JsonMap, OwnerId, SessionId};
use serde_json::json;

fn agent(name: &str) -> Caller {
    Caller::agent(OwnerId::me(), AgentName::new(name), Dialect::Quipu).with_tool("remember")
}

/// Starts a dashboard over a profile with a text, a list and a group.
fn with_profile() -> DashboardFixture {
    let fixture = DashboardFixture::start();
    let home = json!({ "city": "Bonn", "zip": "53111", "pets": ["cat"] });
    let patch = json!({ "name": "Ines", "likes": ["tofu", "rice"], "home": home });
    fixture.call("PATCH", "/v1/profile", &json!({ "patch": patch }));
    fixture
}

#[test]
fn lists_and_groups_of_the_profile_have_editors() {
    at_each_size(with_profile, "deciding", "profileEditors", json!({}));
}

#[test]
fn a_proposed_change_of_the_profile_is_decided_at_its_field() {
    let proposed = || {
        let fixture = with_profile();
        for patch in [json!({ "home": { "city": "Lisbon" } }), json!({ "name": "Agnes" })] {
            let patch: JsonMap = patch.as_object().unwrap().clone();
            let request = PatchProfileRequest { patch, reason: None };
            fixture.with_engine(async |engine| {
                let done = engine.profile().patch(&agent("codex"), &request).await.unwrap();
                assert!(done.review.is_some(), "{done:?}");
            });
        }
        fixture
    };
    at_each_size(proposed, "deciding", "waitingChange", json!({}));
}

fn with_clay() -> DashboardFixture {
    let fixture = DashboardFixture::start();
    fixture.remember_as("codex", &RememberRequest::text("Clay comes on Tuesdays."));
    fixture
}

#[test]
fn the_exact_text_of_each_dialect_is_previewed() {
    at_each_size(with_clay, "agents", "previews", json!({}));
}

#[test]
fn a_key_for_a_client_comes_with_a_link_that_opens_it() {
    at_each_size(DashboardFixture::start, "agents", "deepLinks", json!({}));
}

#[test]
fn an_empty_memory_offers_three_steps() {
    at_each_size(DashboardFixture::start, "home", "firstSteps", json!({ "token": TOKEN }));
}

#[test]
fn a_weak_answer_is_shown_with_its_score() {
    let question = "which insurance covers the delivery van";
    let best = "The studio has a van.";
    let asked = || {
        let fixture = DashboardFixture::start();
        fixture.remember_as("codex", &RememberRequest::text(best));
        fixture.remember_as("codex", &RememberRequest::text("Clay comes on Tuesdays."));
        fixture.recall_as("codex", &RecallRequest::query(question));
        fixture
    };
    at_each_size(asked, "home", "weakAnswers", json!({ "question": question, "best": best }));
}

#[test]
fn the_progress_of_an_import_says_percent_rate_and_time_left() {
    at_each_size(DashboardFixture::start, "settings", "progress", json!({}));
}

#[test]
fn a_session_shows_its_topic_and_current_text() {
    let worked = || {
        let fixture = DashboardFixture::start();
        let metadata = json!({ "topic": "Firing the large kiln" }).as_object().unwrap().clone();
        let start = StartSessionRequest { metadata, ..StartSessionRequest::default() };
        let session = SessionRef::Id(SessionId(1));
        let end = EndSessionRequest {
            session: Some(session.clone()),
            episode: EpisodeSource::Written("We fired the kiln.".into()),
            ..EndSessionRequest::default()
        };
        fixture.with_engine(async |engine| {
            let codex = agent("codex");
            engine.sessions().start(&codex, &start).await.unwrap();
            let remember = RememberRequest {
                session: Some(session),
                ..RememberRequest::text("The kiln takes nine hours.")
            };
            engine.memories().remember(&codex, &remember).await.unwrap();
            engine.sessions().end(&codex, &end).await.unwrap();
        });
        fixture
    };
    at_each_size(worked, "work", "sessions", json!({}));
}

#[test]
fn results_of_a_search_go_on_past_fifty_and_are_sorted() {
    let fired = || {
        let fixture = DashboardFixture::start();
        for number in 0..60 {
            let text = format!("Kiln number {number} was fired on shelf {}.", number % 7);
            fixture.remember_as("codex", &RememberRequest::text(text));
        }
        fixture
    };
    at_each_size(fired, "memories", "manyResults", json!({}));
}

#[test]
fn the_newer_value_that_stays_is_on_the_receipt() {
    let (before, after) = ("I live in Berlin", "I live in Munich");
    let moved = || {
        let fixture = DashboardFixture::start();
        let older = fixture.remember_as("codex", &RememberRequest::text(before));
        fixture.remember_as("codex", &RememberRequest::text(after));
        let person = Caller::person(OwnerId::me()).with_tool("forget");
        let request = ForgetRequest { memories: vec![older], dry_run: true };
        let kept = fixture.with_engine(async |engine| {
            engine.memories().forget(&person, &request).await.unwrap().kept.len()
        });
        assert_eq!((older.0, kept), (1, 1), "the newer value stays");
        fixture
    };
    at_each_size(moved, "memories", "newerStays", json!({ "memory": 1 }));
}
