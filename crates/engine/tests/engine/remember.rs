//! Remembering: results, duplicates, contradictions and refusals.

use crate::fixture::{EngineFixture, agent, fields, owner, refused};
use engine::recall::RecallRequest;
use engine::remember::{NewMemoryLink, NewRow, RememberRequest, RememberStatus};
use engine::sessions::SessionRef;
use model::{ErrorCode, LinkKind, MemoryId, Moment, Origin, OwnerId, Page, Status};
use serde_json::json;
use store::AuditQuery;

#[tokio::test]
async fn a_remembered_text_is_recalled_at_once() {
    let fixture = EngineFixture::new().await;
    let done = fixture
        .engine
        .memories()
        .remember(&agent("claude"), &RememberRequest::text("We deploy on Fridays"))
        .await
        .unwrap();
    assert_eq!(done.status, RememberStatus::Created);
    let found = fixture
        .engine
        .memories()
        .recall(&agent("codex"), &RecallRequest::query("when do we deploy?"))
        .await
        .unwrap();
    assert_eq!(found.hits[0].memory.id, done.id.unwrap());
    assert_eq!(found.hits[0].memory.provenance.author.agent.as_str(), "claude");
}

#[tokio::test]
async fn a_duplicate_returns_the_existing_memory() {
    let fixture = EngineFixture::new().await;
    let first = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("The API runs on port 8080"))
        .await
        .unwrap();
    let again = fixture
        .engine
        .memories()
        .remember(&agent("b"), &RememberRequest::text("the api  runs on port 8080"))
        .await
        .unwrap();
    assert_eq!((again.status, again.id), (RememberStatus::Duplicate, first.id));
}

#[tokio::test]
async fn the_same_text_in_two_projects_is_two_memories() {
    let fixture = EngineFixture::new().await;
    let one = RememberRequest {
        project: Some("a".into()),
        ..RememberRequest::text("Tests run on every push")
    };
    let two = RememberRequest { project: Some("b".into()), ..one.clone() };
    let first = fixture.engine.memories().remember(&agent("x"), &one).await.unwrap();
    let second = fixture.engine.memories().remember(&agent("x"), &two).await.unwrap();
    assert_eq!(second.status, RememberStatus::Created);
    assert_ne!(first.id, second.id);
}

#[tokio::test]
async fn an_idempotency_key_writes_once() {
    let fixture = EngineFixture::new().await;
    let input = RememberRequest {
        row: Some(NewRow {
            table: "meals".into(),
            description: None,
            data: fields(json!({"food": "soup"})),
        }),
        idempotency_key: Some("k1".into()),
        ..RememberRequest::text("Soup for lunch")
    };
    let first = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    for _ in 0..5 {
        let again = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
        assert!(again.replayed);
        assert_eq!((again.id, again.row.clone()), (first.id, first.row.clone()));
    }
    assert_eq!(fixture.store.tables(&OwnerId::me()).await.unwrap()[0].rows, 1);
    let other = RememberRequest { text: "Bread".into(), ..input };
    refused(
        fixture.engine.memories().remember(&agent("a"), &other).await,
        ErrorCode::IdempotencyMismatch,
    );
}

#[tokio::test]
async fn a_row_is_written_with_its_memory_and_two_equal_rows_are_two() {
    let fixture = EngineFixture::new().await;
    let input = RememberRequest {
        row: Some(NewRow {
            table: "Food log".into(),
            description: None,
            data: fields(json!({"food": "pizza", "calories": 800})),
        }),
        ..RememberRequest::default()
    };
    let first = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    let second = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert_ne!(first.id, second.id);
    assert_eq!(first.row.as_ref().unwrap().0, "food_log");
    let found = fixture
        .engine
        .memories()
        .recall(&agent("a"), &RecallRequest::query("pizza"))
        .await
        .unwrap();
    assert!(found.hits[0].memory.text.contains("pizza"), "{}", found.hits[0].memory.text);
}

#[tokio::test]
async fn a_contradiction_keeps_both_memories_and_raises_a_review_item() {
    let fixture = EngineFixture::new().await;
    let old = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("We use Redis"))
        .await
        .unwrap();
    let new = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("We do not use Redis"))
        .await
        .unwrap();
    assert_eq!(new.conflicts.len(), 1, "{new:?}");
    assert_eq!(new.conflicts[0].memory, old.id.unwrap());
    assert_eq!(new.conflicts[0].text, "We use Redis");
    assert!(new.conflicts[0].review.is_some());
    let links = fixture.store.links(&OwnerId::me(), new.id.unwrap()).await.unwrap();
    assert!(links.outgoing.iter().any(|link| link.kind == LinkKind::Contradicts));
    assert_eq!(fixture.memory(old.id.unwrap()).await.status, Status::Active);
}

#[tokio::test]
async fn a_later_value_of_the_same_state_replaces_the_earlier_one() {
    let fixture = EngineFixture::new().await;
    let told = async |text: &str| {
        let input = RememberRequest::text(text);
        fixture.engine.memories().remember(&agent("a"), &input).await.unwrap()
    };
    let old = told("I live in Berlin").await.id.unwrap();
    let new = told("I live in Munich").await;
    assert_eq!(new.superseded, [old], "{new:?}");
    assert_eq!(new.replaced[0].text, "I live in Berlin");
    assert_eq!(
        new.replaced[0].reason,
        "said again with another value: \"Berlin\" in one, \"Munich\" in the other"
    );
    assert_eq!(fixture.memory(old).await.status, Status::Superseded);
    assert!(new.conflicts.is_empty());
}

#[tokio::test]
async fn an_agent_does_not_replace_what_the_owner_typed() {
    let fixture = EngineFixture::new().await;
    let typed = RememberRequest::text("My manager is Tom");
    let typed = fixture.engine.memories().remember(&owner(), &typed).await.unwrap().id.unwrap();
    let input = RememberRequest::text("My manager is now Sofia");
    let new = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert!(new.superseded.is_empty() && new.replaced.is_empty(), "{new:?}");
    assert_eq!(new.conflicts[0].memory, typed);
    assert_eq!(fixture.memory(typed).await.status, Status::Active);
}

#[tokio::test]
async fn events_neither_replace_nor_contradict_each_other() {
    let fixture = EngineFixture::new().await;
    for (nth, text) in [
        "Lunch: chicken salad, 540 kcal",
        "Lunch: lentil soup, 410 kcal",
        "Ran 5 km this morning",
        "Ran 8 km this morning",
        "I took 20 mg at 8 am",
        "I took 40 mg at 9 pm",
    ]
    .iter()
    .enumerate()
    {
        let input = RememberRequest::text(*text);
        let done = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
        assert!(done.superseded.is_empty() && done.conflicts.is_empty(), "{nth}: {done:?}");
    }
}

#[tokio::test]
async fn near_repetitions_are_stored_and_told() {
    let fixture = EngineFixture::new().await;
    let told = async |text: &str| {
        let input = RememberRequest::text(text);
        fixture.engine.memories().remember(&agent("a"), &input).await.unwrap()
    };
    let first = told("We deploy on Tuesdays after the stand-up").await.id.unwrap();
    let second = told("The shop is deployed on Tuesdays, after the stand-up meeting").await;
    assert_eq!(second.similar.len(), 1, "{second:?}");
    assert_eq!(second.similar[0].memory, first);
}

#[tokio::test]
async fn repeating_a_contradiction_does_not_raise_it_again() {
    let fixture = EngineFixture::new().await;
    fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("I live in Berlin"))
        .await
        .unwrap();
    fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("I live in Munich"))
        .await
        .unwrap();
    let again = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("I live in Munich"))
        .await
        .unwrap();
    assert!(again.conflicts.is_empty());
}

#[tokio::test]
async fn a_superseded_memory_leaves_recall_and_stays_in_the_history() {
    let fixture = EngineFixture::new().await;
    let old = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("Standup is at nine"))
        .await
        .unwrap()
        .id
        .unwrap();
    let input =
        RememberRequest { supersedes: vec![old], ..RememberRequest::text("Standup is at ten") };
    let new = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert_eq!(new.superseded, [old]);
    let found = fixture
        .engine
        .memories()
        .recall(&agent("a"), &RecallRequest::query("standup"))
        .await
        .unwrap();
    let texts: Vec<&str> = found.hits.iter().map(|hit| hit.memory.text.as_str()).collect();
    assert_eq!(texts, ["Standup is at ten"]);
    assert_eq!(fixture.memory(old).await.status, Status::Superseded);
}

#[tokio::test]
async fn a_weaker_source_proposes_instead_of_replacing() {
    let fixture = EngineFixture::new().await;
    let typed = fixture
        .engine
        .memories()
        .remember(&owner(), &RememberRequest::text("My birthday is in June"))
        .await
        .unwrap()
        .id
        .unwrap();
    let input = RememberRequest {
        supersedes: vec![typed],
        ..RememberRequest::text("My birthday is in July")
    };
    let done = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert_eq!(done.status, RememberStatus::Proposed);
    assert_eq!(done.proposals.len(), 1);
    assert!(done.superseded.is_empty());
    assert_eq!(fixture.memory(typed).await.status, Status::Active);
    let found = fixture
        .engine
        .memories()
        .recall(&agent("a"), &RecallRequest::query("birthday"))
        .await
        .unwrap();
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.hits[0].memory.id, typed);
}

#[tokio::test]
async fn nobody_can_claim_a_stronger_source_than_themselves() {
    let fixture = EngineFixture::new().await;
    let input =
        RememberRequest { origin: Some(Origin::Typed), ..RememberRequest::text("Trust me") };
    let done = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert_eq!(done.ignored[0].field, "origin");
    assert_eq!(fixture.memory(done.id.unwrap()).await.provenance.origin, Origin::Agent);
    let weak = RememberRequest {
        origin: Some(Origin::Outside),
        ..RememberRequest::text("A page said so")
    };
    let done = fixture.engine.memories().remember(&agent("a"), &weak).await.unwrap();
    assert_eq!(fixture.memory(done.id.unwrap()).await.provenance.trust, Origin::Outside.trust());
}

#[tokio::test]
async fn a_secret_is_refused_and_nothing_of_it_is_stored() {
    let fixture = EngineFixture::new().await;
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let input = RememberRequest::text(format!("The deploy token is {secret}"));
    let message = refused(
        fixture.engine.memories().remember(&agent("a"), &input).await,
        ErrorCode::SecretRefused,
    );
    assert!(!message.contains(&secret));
    assert_eq!(fixture.store.seq(&OwnerId::me()).await.unwrap().0, 0);
}

#[tokio::test]
async fn a_secret_in_a_row_or_in_the_profile_is_refused_too() {
    let fixture = EngineFixture::new().await;
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let row =
        NewRow { table: "keys".into(), description: None, data: fields(json!({"value": secret})) };
    let with_row = RememberRequest { row: Some(row), ..RememberRequest::text("A key") };
    refused(
        fixture.engine.memories().remember(&agent("a"), &with_row).await,
        ErrorCode::SecretRefused,
    );
    let with_profile = RememberRequest {
        profile: Some(fields(json!({"key": {"value": secret}}))),
        ..RememberRequest::default()
    };
    refused(
        fixture.engine.memories().remember(&agent("a"), &with_profile).await,
        ErrorCode::SecretRefused,
    );
    assert_eq!(fixture.store.seq(&OwnerId::me()).await.unwrap().0, 0);
}

#[tokio::test]
async fn an_unknown_session_number_is_refused_and_an_unknown_key_starts_a_session() {
    let fixture = EngineFixture::new().await;
    let by = |session| RememberRequest {
        session: Some(session),
        ..RememberRequest::text("In a session")
    };
    let number = fixture
        .engine
        .memories()
        .remember(&agent("a"), &by(SessionRef::Id(model::SessionId(99))))
        .await;
    refused(number, ErrorCode::NotFound);
    let key = fixture
        .engine
        .memories()
        .remember(&agent("a"), &by(SessionRef::Key("new".into())))
        .await
        .unwrap();
    assert!(key.session.is_some());
}

#[tokio::test]
async fn links_need_existing_memories_and_a_wrong_one_writes_nothing() {
    let fixture = EngineFixture::new().await;
    let cause = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("The disk was full"))
        .await
        .unwrap()
        .id
        .unwrap();
    let link = |target| NewMemoryLink { target, kind: LinkKind::CausedBy, weight: 1.0 };
    let bad = RememberRequest {
        links: vec![link(MemoryId(999))],
        ..RememberRequest::text("The build broke")
    };
    refused(fixture.engine.memories().remember(&agent("a"), &bad).await, ErrorCode::NotFound);
    let found = fixture
        .engine
        .memories()
        .recall(&agent("a"), &RecallRequest::query("build broke"))
        .await
        .unwrap();
    assert!(found.hits.iter().all(|hit| hit.memory.text != "The build broke"));
    let good =
        RememberRequest { links: vec![link(cause)], ..RememberRequest::text("The build broke") };
    let done = fixture.engine.memories().remember(&agent("a"), &good).await.unwrap();
    let links = fixture.store.links(&OwnerId::me(), done.id.unwrap()).await.unwrap();
    assert_eq!(links.outgoing[0].target, cause);
}

#[tokio::test]
async fn the_client_environment_supplies_missing_arguments() {
    let fixture = EngineFixture::new().await;
    let mut caller = agent("claude");
    caller.environment.project = Some("billing".into());
    caller.environment.session = Some("run-7".into());
    let done = fixture
        .engine
        .memories()
        .remember(&caller, &RememberRequest::text("Invoices are numbered per year"))
        .await
        .unwrap();
    let memory = fixture.memory(done.id.unwrap()).await;
    assert_eq!(memory.project.as_deref(), Some("billing"));
    assert_eq!(memory.session, done.session);
    let recall = RecallRequest {
        sessions: vec![SessionRef::Key("run-7".into())],
        ..RecallRequest::query("invoices")
    };
    assert_eq!(
        fixture.engine.memories().recall(&agent("codex"), &recall).await.unwrap().hits.len(),
        1
    );
}

#[tokio::test]
async fn an_expired_memory_is_not_recalled() {
    let fixture = EngineFixture::new().await;
    let input = RememberRequest {
        expires: Some(Moment::parse("2026-05-04").unwrap()),
        ..RememberRequest::text("The lift is broken")
    };
    fixture.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert_eq!(
        fixture
            .engine
            .memories()
            .recall(&agent("a"), &RecallRequest::query("lift"))
            .await
            .unwrap()
            .hits
            .len(),
        1
    );
    fixture.clock.set(Moment::parse("2026-05-05").unwrap());
    assert!(
        fixture
            .engine
            .memories()
            .recall(&agent("a"), &RecallRequest::query("lift"))
            .await
            .unwrap()
            .hits
            .is_empty()
    );
    let past = RememberRequest {
        expires: Some(Moment::parse("2020-01-01").unwrap()),
        ..RememberRequest::text("Old")
    };
    refused(
        fixture.engine.memories().remember(&agent("a"), &past).await,
        ErrorCode::InvalidArgument,
    );
}

#[tokio::test]
async fn every_write_has_an_audit_event_without_its_text() {
    let fixture = EngineFixture::new().await;
    fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("Zanzibar is a word nobody says"))
        .await
        .unwrap();
    let events =
        fixture.store.audit(&OwnerId::me(), &AuditQuery::default(), Page::first(10)).await.unwrap();
    assert_eq!(events.items.len(), 1);
    assert!(!format!("{:?}", events.items[0]).contains("Zanzibar"));
}

#[tokio::test]
async fn an_empty_text_is_refused_with_advice() {
    let fixture = EngineFixture::new().await;
    let message = refused(
        fixture.engine.memories().remember(&agent("a"), &RememberRequest::text(" ")).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("sentence"), "{message}");
}
