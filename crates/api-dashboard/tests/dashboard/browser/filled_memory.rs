//! A memory with a text in every field that a page shows, for checks of all pages at once.

use crate::fixture::DashboardFixture;
use engine::Caller;
use engine::entities::PutEntityRequest;
use engine::handoffs::{SECTIONS, StoreHandoffRequest};
use engine::recall::RecallRequest;
use engine::references::FileReferenceRequest;
use engine::remember::{NewRow, RememberRequest};
use engine::review::{FlagMemoryRequest, ResolveReviewRequest};
use engine::sessions::StartSessionRequest;
use model::{AgentName, Dialect, JsonMap, NewHandoff, OwnerId, Resolution};
use serde_json::Value;

/// Starts a dashboard over a memory with a text in every field, as much of it as fits.
pub(super) fn filled(text: &str) -> DashboardFixture {
    let fixture = DashboardFixture::start();
    let cut = |chars: usize| text.chars().take(chars).collect::<String>();
    let person = Caller::person(OwnerId::me()).with_tool("remember");
    let remember = RememberRequest {
        title: Some(cut(300)),
        kind: Some(cut(200)),
        tags: vec![cut(100), "kiln".into()],
        project: Some(cut(200)),
        collection: Some(cut(200)),
        ..RememberRequest::text(format!("The kiln: {}", cut(60_000)))
    };
    let first = fixture.remember_as(&cut(100), &remember);
    let second = fixture.remember_as(
        "codex",
        &RememberRequest {
            supersedes: vec![first],
            reason: Some(cut(1000)),
            ..RememberRequest::text(format!("The new kiln: {}", cut(60_000)))
        },
    );
    let row = NewRow {
        table: format!("t{}", cut(100)),
        description: Some(cut(500)),
        data: JsonMap::from_iter([
            (format!("c{}", cut(100)), Value::from(cut(30_000))),
            ("n".into(), 5.into()),
        ]),
    };
    let profile = JsonMap::from_iter([
        (format!("p{}", cut(100)), Value::from(cut(2000))),
        ("on".into(), true.into()),
    ]);
    let put = PutEntityRequest {
        name: cut(500),
        kind: Some(cut(200)),
        observations: vec![cut(1000)],
        ..PutEntityRequest::default()
    };
    let document =
        SECTIONS.iter().fold(String::new(), |all, name| format!("{all}## {name}\n{}\n", cut(2000)));
    let handoff =
        NewHandoff { title: cut(300), document, tags: vec![cut(100)], ..NewHandoff::default() };
    let file = FileReferenceRequest {
        path: "kiln.md".into(),
        text: format!("# Kiln {}\n{}", cut(200), cut(20_000)),
    };
    fixture.with_engine(async |engine| {
        engine.graph().put_entity(&person, &put).await.unwrap();
        engine
            .handoffs()
            .store(&person, &StoreHandoffRequest { handoff, idempotency_key: None })
            .await
            .unwrap();
        engine.references().put(&person, &file).await.unwrap();
        engine.sessions().start(&person, &StartSessionRequest::default()).await.unwrap();
        engine
            .reviews()
            .flag(
                &person,
                &FlagMemoryRequest { memory: second, reason: format!("No: {}", cut(1500)) },
            )
            .await
            .unwrap();
        engine
            .memories()
            .remember(&person, &RememberRequest { row: Some(row), ..RememberRequest::default() })
            .await
            .unwrap();
        engine
            .memories()
            .remember(
                &person,
                &RememberRequest { profile: Some(profile), ..RememberRequest::default() },
            )
            .await
            .unwrap();
        engine.admin().back_up_into(&person, &fixture.home.path().join("backups")).await.unwrap();
        engine.admin().verify_audit(&person).await.unwrap();
    });
    add_questions_and_decision(&fixture, &cut(100), &cut(500));
    fixture
}

/// Adds a question that found nothing, one that was answered, and a decision that can be undone.
fn add_questions_and_decision(fixture: &DashboardFixture, agent: &str, text: &str) {
    let nowhere = RecallRequest {
        projects: vec!["no such project".into()],
        ..RecallRequest::query(format!("why {text}"))
    };
    assert_eq!(fixture.recall_as(agent, &nowhere), 0);
    assert!(fixture.recall_as(agent, &RecallRequest::query("the new kiln")) > 0);
    let person = Caller::person(OwnerId::me()).with_tool("review");
    let wrong =
        fixture.remember_as("codex", &RememberRequest::text(format!("The old kiln: {text}")));
    fixture.with_engine(async |engine| {
        let flag = FlagMemoryRequest { memory: wrong, reason: format!("No: {text}") };
        let review = engine.reviews().flag(&person, &flag).await.unwrap().review;
        let resolve = ResolveReviewRequest::new(review, Resolution::Reject);
        engine.reviews().resolve(&person, &resolve).await.unwrap();
        engine.admin().note_served(
            &Caller::agent(OwnerId::me(), AgentName::new(agent), Dialect::Quipu),
            1234,
        );
    });
}
