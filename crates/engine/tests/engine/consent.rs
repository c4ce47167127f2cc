//! Visibility: what an agent may not read does not exist for it. Every use case is called with
//! different grants, and no canary text may come back from a resource that was not granted.

use crate::fixture::{EngineFixture, agent, fields, owner, refused};
use engine::briefing::BriefingRequest;
use engine::entities::{EntityGraphRequest, EntityRef, GraphStart, ListEntitiesRequest};
use engine::explore::ExploreRequest;
use engine::forget::ForgetRequest;
use engine::grants::SetGrantRequest;
use engine::handoffs::{ListHandoffsRequest, StoreHandoffRequest};
use engine::profile::PatchProfileRequest;
use engine::recall::RecallRequest;
use engine::references::FileReferenceRequest;
use engine::remember::{NewRow, RememberRequest};
use engine::review::{FlagMemoryRequest, ListReviewsRequest};
use engine::sessions::{ResumeSessionRequest, SessionRef, StartSessionRequest};
use engine::tables::QueryTableRequest;
use engine::{Caller, CallerAccess};
use model::{
    AgentName, AuditOutcome, ErrorCode, HandoffId, MemoryId, NewHandoff, Page, Permission,
    ReviewId, SessionId,
};
use serde_json::json;
use std::fmt::Debug;
use store::{AuditQuery, MemoryQuery};

const DOCUMENT: &str = "## Start & intent\ncanary-handoff\n## Journey\nx\n\
                        ## Current state\nx\n## What's left\nx\n## Open questions\nx\n";

fn guest() -> Caller {
    agent("guest").with_reach(CallerAccess::Credential(Permission::Write))
}

async fn grant(fixture: &EngineFixture, written: &[(&str, Permission)]) {
    let grants: Vec<SetGrantRequest> = written
        .iter()
        .map(|(resource, permission)| SetGrantRequest {
            agent: AgentName::new("guest"),
            resource: (*resource).to_owned(),
            permission: *permission,
        })
        .collect();
    fixture.engine.admin().set_grants(&owner(), &grants).await.unwrap();
}

/// Creates a fixture with something in every resource, each with a canary text of its own.
async fn filled_fixture() -> EngineFixture {
    let fixture = EngineFixture::new().await;
    let (engine, resident) = (&fixture.engine, agent("resident"));
    let patch =
        PatchProfileRequest { patch: fields(json!({"diet": "canary-profile"})), reason: None };
    engine.profile().patch(&owner(), &patch).await.unwrap();
    let row = NewRow {
        table: "medical".into(),
        description: Some("canary-medical".into()),
        data: fields(json!({"drug": "canary-medical"})),
    };
    engine
        .memories()
        .remember(&resident, &RememberRequest { row: Some(row), ..RememberRequest::text("") })
        .await
        .unwrap();
    let private = RememberRequest {
        collection: Some("private".into()),
        session: Some(SessionRef::Key("canary-private-session".into())),
        kind: Some("decision".into()),
        project: Some("canary-private-project".into()),
        tags: vec!["canary-private-tag".into()],
        ..RememberRequest::text(
            "The canary-private port is 8080, said Smithfield from CanaryPrivateWorks",
        )
    };
    engine.memories().remember(&resident, &private).await.unwrap();
    engine
        .memories()
        .remember(&resident, &RememberRequest::text("The open port is 8080, said Smithfield"))
        .await
        .unwrap();
    let other = RememberRequest {
        text: "The canary-private port is 9090, said Smithfield from CanaryPrivateWorks".into(),
        ..private
    };
    engine.memories().remember(&resident, &other).await.unwrap();
    let new = NewHandoff {
        title: "canary-handoff".into(),
        document: DOCUMENT.into(),
        ..NewHandoff::default()
    };
    let stored = engine
        .handoffs()
        .store(&resident, &StoreHandoffRequest { handoff: new, idempotency_key: None })
        .await;
    stored.unwrap_or_else(|failure| panic!("{failure}"));
    let reference =
        FileReferenceRequest { path: "a.md".into(), text: "# canary-reference\nport".into() };
    engine.references().put(&owner(), &reference).await.unwrap();
    fixture
}

fn result_text<T: Debug, E: Debug>(result: &Result<T, E>) -> String {
    format!("{result:?}").to_lowercase().replace('_', "-")
}

/// Calls every use case that reads and some that write, and returns each result as text.
async fn call_everything(fixture: &EngineFixture, caller: &Caller) -> Vec<(&'static str, String)> {
    let (e, c) = (&fixture.engine, caller);
    let page = Page::first(100);
    let key = |key: &str| SessionRef::Key(key.to_owned());
    let mut said = Vec::new();
    macro_rules! ask {
        ($($name:literal: $call:expr;)*) => { $(said.push(($name, result_text(&$call.await)));)* };
    }
    ask! {
        "recall": e.memories().recall(
            c,
            &RecallRequest { explain: true, ..RecallRequest::query("port Smithfield diet drug") },
        );
        "recall newest": e.memories().recall(c, &RecallRequest::query(""));
        "recall a session": e.memories().recall(
            c,
            &RecallRequest {
                sessions: vec![key("canary-private-session")],
                ..RecallRequest::query("port")
            },
        );
        "list": e.memories().list(c, &MemoryQuery::default(), page);
        "briefing": e.memories().briefing(c, &BriefingRequest::default());
        "verify": e.memories().verify(c, "the port is 8080");
        "profile": e.profile().get(c);
        "profile history": e.profile().history(c, page);
        "tables": e.tables().list(c);
        "query table": e.tables().query(
            c,
            &QueryTableRequest { table: "medical".into(), ..QueryTableRequest::default() },
        );
        "query no table": e.tables().query(
            c,
            &QueryTableRequest { table: "nothing".into(), ..QueryTableRequest::default() },
        );
        "sessions": e.sessions().list(c, page);
        "session": e.sessions().get(c, &key("canary-private-session"));
        "session 1": e.sessions().get(c, &SessionRef::Id(SessionId(1)));
        "resume": e.sessions().resume(c, &ResumeSessionRequest::default());
        "start": e.sessions().start(c, &StartSessionRequest::default());
        "entities": e.graph().list_entities(c, &ListEntitiesRequest::default());
        "graph": e.graph().entity_graph(c, &EntityGraphRequest::default());
        "graph by name": e.graph().entity_graph(
            c,
            &EntityGraphRequest {
                start: GraphStart::NameContains("canary".into()),
                ..EntityGraphRequest::default()
            },
        );
        "entity": e.graph().entity(c, &EntityRef::Name("Smithfield".into()));
        "no entity": e.graph().entity(c, &EntityRef::Name("Canary".into()));
        "handoffs": e.handoffs().list(c, &ListHandoffsRequest::default());
        "handoff": e.handoffs().get(c, HandoffId(1));
        "references": e.references().list(c, page);
        "search references": e.references().search(c, "port", None);
        "reviews": e.reviews().list(
            c,
            &ListReviewsRequest { decided: true, ..ListReviewsRequest::default() },
        );
        "status": e.admin().status(c);
        "checkup": e.admin().checkup(c);
        "vectors": e.admin().embedding_progress(c);
        "would forget": e.memories().forget_candidates(c, "port");
        "remember": e.memories().remember(
            c,
            &RememberRequest::text(
                "The canary-private port is 7070, said Smithfield from CanaryPrivateWorks"
                    .replace("canary-private ", "")
                    .replace("CanaryPrivateWorks", "Works"),
            ),
        );
        "grants": e.admin().grants(c);
    }
    for id in 1..=6 {
        ask! {
            "get": e.memories().get(c, &[MemoryId(id)]);
            "get whole": e.memories().get_details(c, MemoryId(id));
            "versions": e.memories().versions(c, MemoryId(id));
            "explore": e.graph().explore(
                c,
                &ExploreRequest { with_history: true, ..ExploreRequest::around(MemoryId(id)) },
            );
            "path": e.graph().path(c, MemoryId(id), MemoryId(3));
            "entities in": e.graph().entities_in(c, MemoryId(id));
            "review": e.reviews().get(c, ReviewId(id));
            "relations": e.graph().relations(c, &[model::EntityId(id)]);
        }
    }
    said
}

/// Returns the canary texts of resources that were not granted in the guest's results.
async fn leaked_canaries(fixture: &EngineFixture, canaries: &[&str]) -> Vec<String> {
    let said = call_everything(fixture, &guest()).await;
    let crossed = |(name, text): &(&str, String)| {
        let found = canaries.iter().find(|canary| {
            // A refusal quotes what the guest asked for; that reveals nothing.
            let asked = text.starts_with("err") && text.matches(**canary).count() == 1;
            text.contains(**canary) && !asked
        });
        found.map(|canary| format!("{canary} in {name}: {text}"))
    };
    said.iter().filter_map(crossed).collect()
}

const ALL: [&str; 5] =
    ["canary-profile", "canary-medical", "canary-private", "canary-handoff", "canary-reference"];

#[tokio::test]
async fn without_a_grant_every_call_is_refused() {
    let fixture = filled_fixture().await;
    let said = call_everything(&fixture, &guest()).await;
    for (name, text) in said {
        assert!(text.starts_with("err") && text.contains("consentrequired"), "{name}: {text}");
        assert!(!ALL.iter().any(|canary| text.contains(canary)), "{name}: {text}");
    }
}

#[tokio::test]
async fn with_every_grant_every_canary_is_returned() {
    let fixture = filled_fixture().await;
    grant(&fixture, &[("*", Permission::Read)]).await;
    let said: String =
        call_everything(&fixture, &guest()).await.into_iter().map(|(_, text)| text).collect();
    for canary in ALL.iter().chain(&["canaryprivateworks"]) {
        assert!(said.contains(canary), "{canary}");
    }
}

#[tokio::test]
async fn what_is_denied_below_a_wildcard_is_never_returned() {
    let fixture = filled_fixture().await;
    grant(
        &fixture,
        &[
            ("*", Permission::Write),
            ("profile", Permission::None),
            ("tables/medical", Permission::None),
            ("vectors/private", Permission::None),
            ("handoffs", Permission::None),
            ("references", Permission::None),
        ],
    )
    .await;
    let crossed = leaked_canaries(&fixture, &[&ALL[..], &["canaryprivateworks"]].concat()).await;
    assert!(crossed.is_empty(), "{}", crossed.join("\n"));
}

#[tokio::test]
async fn each_grant_alone_gives_access_to_its_own_resource_and_no_other() {
    for (resource, own) in [
        ("profile", "canary-profile"),
        ("tables/medical", "canary-medical"),
        ("vectors/private", "canary-private"),
        ("handoffs", "canary-handoff"),
        ("references", "canary-reference"),
    ] {
        let fixture = filled_fixture().await;
        grant(&fixture, &[(resource, Permission::Read)]).await;
        let others: Vec<&str> = ALL.into_iter().filter(|canary| *canary != own).collect();
        let crossed = leaked_canaries(&fixture, &others).await;
        assert!(crossed.is_empty(), "{resource}: {}", crossed.join("\n"));
        let said: String =
            call_everything(&fixture, &guest()).await.into_iter().map(|(_, text)| text).collect();
        assert!(said.contains(own), "{resource} opens {own}");
    }
}

#[tokio::test]
async fn a_hidden_memory_looks_like_a_missing_one() {
    let fixture = filled_fixture().await;
    grant(&fixture, &[("vectors/memories", Permission::Write), ("graph", Permission::Read)]).await;
    let (engine, guest) = (&fixture.engine, guest());
    let hidden =
        refused(engine.memories().get_details(&guest, MemoryId(3)).await, ErrorCode::NotFound);
    let missing =
        refused(engine.memories().get_details(&guest, MemoryId(987)).await, ErrorCode::NotFound);
    assert_eq!(hidden.replace('3', "987"), missing);
    let forget = |id| ForgetRequest { memories: vec![MemoryId(id)], ..ForgetRequest::default() };
    let hidden = refused(engine.memories().forget(&guest, &forget(3)).await, ErrorCode::NotFound);
    let missing =
        refused(engine.memories().forget(&guest, &forget(987)).await, ErrorCode::NotFound);
    assert_eq!(hidden.replace('3', "987"), missing);
    let flag = |id| FlagMemoryRequest { memory: MemoryId(id), reason: "wrong".into() };
    refused(engine.reviews().flag(&guest, &flag(3)).await, ErrorCode::ConsentRequired);
}

#[tokio::test]
async fn counts_include_only_what_may_be_read() {
    let fixture = filled_fixture().await;
    grant(&fixture, &[("vectors/memories", Permission::Read)]).await;
    let counts = fixture.engine.admin().status(&guest()).await.unwrap().counts;
    assert_eq!(counts.memories.iter().map(|(_, count)| count).sum::<usize>(), 1);
    assert_eq!(counts.collections, [("memories".to_owned(), 1)]);
    let hidden =
        (counts.records, counts.handoffs, counts.references, counts.entities, counts.reviews_open);
    assert_eq!(hidden, (0, 0, 0, 0, 0));
    assert_eq!((counts.bytes, counts.events, counts.projects.len()), (0, 0, 0));
}

#[tokio::test]
async fn hidden_memories_do_not_take_places_in_the_results() {
    let fixture = EngineFixture::new().await;
    let resident = agent("resident");
    for n in 0..60 {
        let hidden = RememberRequest {
            collection: Some("private".into()),
            ..RememberRequest::text(format!("lighthouse {n} lighthouse"))
        };
        fixture.engine.memories().remember(&resident, &hidden).await.unwrap();
    }
    fixture
        .engine
        .memories()
        .remember(&resident, &RememberRequest::text("the lighthouse keeper is called Ada"))
        .await
        .unwrap();
    grant(&fixture, &[("vectors/memories", Permission::Read)]).await;
    let recalled = fixture
        .engine
        .memories()
        .recall(&guest(), &RecallRequest::query("lighthouse"))
        .await
        .unwrap();
    assert_eq!((recalled.hits.len(), recalled.left_out), (1, 0));
    let listed = fixture
        .engine
        .memories()
        .list(&guest(), &MemoryQuery::default(), Page::first(1))
        .await
        .unwrap();
    assert_eq!((listed.items.len(), listed.total), (1, 1));
}

#[tokio::test]
async fn a_read_grant_does_not_allow_writing() {
    let fixture = filled_fixture().await;
    grant(&fixture, &[("*", Permission::Read)]).await;
    let (engine, guest) = (&fixture.engine, guest());
    refused(
        engine.memories().remember(&guest, &RememberRequest::text("x")).await,
        ErrorCode::ConsentRequired,
    );
    let forget = ForgetRequest { memories: vec![MemoryId(3)], ..ForgetRequest::default() };
    refused(engine.memories().forget(&guest, &forget).await, ErrorCode::ConsentRequired);
    let patch = PatchProfileRequest { patch: fields(json!({"a": 1})), reason: None };
    refused(engine.profile().patch(&guest, &patch).await, ErrorCode::ConsentRequired);
    grant(&fixture, &[("*", Permission::Write), ("vectors/private", Permission::Read)]).await;
    let message =
        refused(engine.memories().forget(&guest, &forget).await, ErrorCode::ConsentRequired);
    assert!(message.contains("quipu grants set guest memories/private write"), "{message}");
}

#[tokio::test]
async fn a_read_key_never_writes_whatever_is_granted() {
    let fixture = filled_fixture().await;
    grant(&fixture, &[("*", Permission::Write)]).await;
    let reader = agent("guest").with_reach(CallerAccess::Credential(Permission::Read));
    refused(
        fixture.engine.memories().remember(&reader, &RememberRequest::text("x")).await,
        ErrorCode::Forbidden,
    );
    fixture.engine.memories().recall(&reader, &RecallRequest::query("port")).await.unwrap();
}

#[tokio::test]
async fn agents_of_the_owners_account_need_grants_only_once_they_are_enforced() {
    let fixture = filled_fixture().await;
    let local = agent("guest");
    fixture.engine.memories().recall(&local, &RecallRequest::query("port")).await.unwrap();
    fixture.engine.admin().enforce_grants(&owner(), true).await.unwrap();
    refused(
        fixture.engine.memories().recall(&local, &RecallRequest::query("port")).await,
        ErrorCode::ConsentRequired,
    );
    let token = agent("guest").with_reach(CallerAccess::OwnerToken);
    fixture.engine.memories().recall(&token, &RecallRequest::query("port")).await.unwrap();
    fixture.engine.memories().recall(&owner(), &RecallRequest::query("port")).await.unwrap();
    fixture.engine.admin().enforce_grants(&owner(), false).await.unwrap();
    fixture.engine.memories().recall(&local, &RecallRequest::query("port")).await.unwrap();
}

#[tokio::test]
async fn no_agent_grants_anything_to_anybody() {
    let fixture = filled_fixture().await;
    grant(&fixture, &[("*", Permission::Write)]).await;
    let more = [SetGrantRequest {
        agent: AgentName::new("guest"),
        resource: "*".into(),
        permission: Permission::Write,
    }];
    for agent in [guest(), agent("local"), agent("x").with_reach(CallerAccess::OwnerToken)] {
        refused(fixture.engine.admin().set_grants(&agent, &more).await, ErrorCode::ConsentRequired);
        refused(
            fixture.engine.admin().remove_grant(&agent, &AgentName::new("guest"), "*").await,
            ErrorCode::ConsentRequired,
        );
        refused(
            fixture.engine.admin().enforce_grants(&agent, false).await,
            ErrorCode::ConsentRequired,
        );
        refused(fixture.engine.admin().grants(&agent).await, ErrorCode::ConsentRequired);
    }
}

#[tokio::test]
async fn a_removed_grant_takes_effect_at_once() {
    let fixture = filled_fixture().await;
    grant(&fixture, &[("vectors", Permission::Read)]).await;
    fixture.engine.memories().recall(&guest(), &RecallRequest::query("port")).await.unwrap();
    fixture
        .engine
        .admin()
        .remove_grant(&owner(), &AgentName::new("guest"), "vectors")
        .await
        .unwrap();
    refused(
        fixture.engine.memories().recall(&guest(), &RecallRequest::query("port")).await,
        ErrorCode::ConsentRequired,
    );
}

#[tokio::test]
async fn every_refusal_is_in_the_audit_log_with_its_resource() {
    let fixture = filled_fixture().await;
    grant(&fixture, &[("vectors", Permission::Read)]).await;
    let _ = fixture.engine.profile().get(&guest()).await;
    let _ = fixture.engine.memories().remember(&guest(), &RememberRequest::text("x")).await;
    fixture.engine.flush().await;
    let query = AuditQuery { outcome: Some(AuditOutcome::Refused), ..AuditQuery::default() };
    let log = fixture.store.audit(&model::OwnerId::me(), &query, Page::first(10)).await.unwrap();
    let mut told: Vec<(String, String)> =
        log.items.into_iter().map(|e| (e.resource, e.note)).collect();
    told.sort();
    let expected = [("profile", "may not read"), ("vectors/memories", "may not write")];
    assert_eq!(told, expected.map(|(resource, note)| (resource.to_owned(), note.to_owned())));
}
