//! Remembering: results, duplicates, contradictions and refusals.

use crate::fixture::{House, agent, fields, owner, refused};
use engine::recall::Recall;
use engine::remember::{Happened, NewLink, NewRow, Remember};
use engine::sessions::SessionRef;
use model::{ErrorCode, LinkKind, MemoryId, Moment, Origin, OwnerId, Page, Status};
use serde_json::json;
use store::AuditQuery;

#[tokio::test]
async fn a_remembered_text_is_recalled_at_once() {
    let house = House::new().await;
    let done = house
        .engine
        .memories()
        .remember(&agent("claude"), &Remember::text("We deploy on Fridays"))
        .await
        .unwrap();
    assert_eq!(done.happened, Happened::Created);
    let found = house
        .engine
        .memories()
        .recall(&agent("codex"), &Recall::query("when do we deploy?"))
        .await
        .unwrap();
    assert_eq!(found.hits[0].memory.id, done.id.unwrap());
    assert_eq!(found.hits[0].memory.provenance.author.agent.as_str(), "claude");
}

#[tokio::test]
async fn a_duplicate_answers_with_the_memory_that_is_there() {
    let house = House::new().await;
    let first = house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("The API runs on port 8080"))
        .await
        .unwrap();
    let again = house
        .engine
        .memories()
        .remember(&agent("b"), &Remember::text("the api  runs on port 8080"))
        .await
        .unwrap();
    assert_eq!((again.happened, again.id), (Happened::Duplicate, first.id));
}

#[tokio::test]
async fn the_same_text_in_two_projects_is_two_memories() {
    let house = House::new().await;
    let one = Remember { project: Some("a".into()), ..Remember::text("Tests run on every push") };
    let two = Remember { project: Some("b".into()), ..one.clone() };
    let first = house.engine.memories().remember(&agent("x"), &one).await.unwrap();
    let second = house.engine.memories().remember(&agent("x"), &two).await.unwrap();
    assert_eq!(second.happened, Happened::Created);
    assert_ne!(first.id, second.id);
}

#[tokio::test]
async fn an_idempotency_key_writes_once_however_often_it_is_sent() {
    let house = House::new().await;
    let input = Remember {
        row: Some(NewRow {
            table: "meals".into(),
            description: None,
            data: fields(json!({"food": "soup"})),
        }),
        idempotency_key: Some("k1".into()),
        ..Remember::text("Soup for lunch")
    };
    let first = house.engine.memories().remember(&agent("a"), &input).await.unwrap();
    for _ in 0..5 {
        let again = house.engine.memories().remember(&agent("a"), &input).await.unwrap();
        assert!(again.replayed);
        assert_eq!((again.id, again.row.clone()), (first.id, first.row.clone()));
    }
    assert_eq!(house.store.tables(&OwnerId::me()).await.unwrap()[0].rows, 1);
    let other = Remember { text: "Bread".into(), ..input };
    refused(
        house.engine.memories().remember(&agent("a"), &other).await,
        ErrorCode::IdempotencyMismatch,
    );
}

#[tokio::test]
async fn a_row_is_written_with_its_memory_and_two_equal_rows_are_two() {
    let house = House::new().await;
    let input = Remember {
        row: Some(NewRow {
            table: "Food log".into(),
            description: None,
            data: fields(json!({"food": "pizza", "calories": 800})),
        }),
        ..Remember::default()
    };
    let first = house.engine.memories().remember(&agent("a"), &input).await.unwrap();
    let second = house.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert_ne!(first.id, second.id);
    assert_eq!(first.row.as_ref().unwrap().0, "food_log");
    let found = house.engine.memories().recall(&agent("a"), &Recall::query("pizza")).await.unwrap();
    assert!(found.hits[0].memory.text.contains("pizza"), "{}", found.hits[0].memory.text);
}

#[tokio::test]
async fn a_contradiction_keeps_both_links_them_and_waits_for_a_decision() {
    let house = House::new().await;
    let old = house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("I live in Berlin"))
        .await
        .unwrap();
    let new = house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("I live in Munich"))
        .await
        .unwrap();
    assert_eq!(new.conflicts.len(), 1, "{new:?}");
    assert_eq!(new.conflicts[0].memory, old.id.unwrap());
    assert_eq!(new.conflicts[0].text, "I live in Berlin");
    assert!(new.conflicts[0].review.is_some());
    let links = house.store.links(&OwnerId::me(), new.id.unwrap()).await.unwrap();
    assert!(links.outgoing.iter().any(|link| link.kind == LinkKind::Contradicts));
    assert_eq!(house.memory(old.id.unwrap()).await.status, Status::Active);
}

#[tokio::test]
async fn repeating_a_contradiction_does_not_raise_it_again() {
    let house = House::new().await;
    house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("I live in Berlin"))
        .await
        .unwrap();
    house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("I live in Munich"))
        .await
        .unwrap();
    let again = house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("I live in Munich"))
        .await
        .unwrap();
    assert!(again.conflicts.is_empty());
}

#[tokio::test]
async fn what_it_supersedes_leaves_recall_and_stays_in_history() {
    let house = House::new().await;
    let old = house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("Standup is at nine"))
        .await
        .unwrap()
        .id
        .unwrap();
    let input = Remember { supersedes: vec![old], ..Remember::text("Standup is at ten") };
    let new = house.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert_eq!(new.superseded, [old]);
    let found =
        house.engine.memories().recall(&agent("a"), &Recall::query("standup")).await.unwrap();
    let texts: Vec<&str> = found.hits.iter().map(|hit| hit.memory.text.as_str()).collect();
    assert_eq!(texts, ["Standup is at ten"]);
    assert_eq!(house.memory(old).await.status, Status::Superseded);
}

#[tokio::test]
async fn a_weaker_source_proposes_instead_of_replacing() {
    let house = House::new().await;
    let typed = house
        .engine
        .memories()
        .remember(&owner(), &Remember::text("My birthday is in June"))
        .await
        .unwrap()
        .id
        .unwrap();
    let input = Remember { supersedes: vec![typed], ..Remember::text("My birthday is in July") };
    let done = house.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert_eq!(done.happened, Happened::Proposed);
    assert_eq!(done.proposals.len(), 1);
    assert!(done.superseded.is_empty());
    assert_eq!(house.memory(typed).await.status, Status::Active);
    let found =
        house.engine.memories().recall(&agent("a"), &Recall::query("birthday")).await.unwrap();
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.hits[0].memory.id, typed);
}

#[tokio::test]
async fn nobody_can_claim_a_stronger_source_than_themselves() {
    let house = House::new().await;
    let input = Remember { origin: Some(Origin::Typed), ..Remember::text("Trust me") };
    let done = house.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert_eq!(done.ignored[0].field, "origin");
    assert_eq!(house.memory(done.id.unwrap()).await.provenance.origin, Origin::Agent);
    let weak = Remember { origin: Some(Origin::Outside), ..Remember::text("A page said so") };
    let done = house.engine.memories().remember(&agent("a"), &weak).await.unwrap();
    assert_eq!(house.memory(done.id.unwrap()).await.provenance.trust, Origin::Outside.trust());
}

#[tokio::test]
async fn a_secret_is_refused_and_nothing_of_it_is_kept() {
    let house = House::new().await;
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let input = Remember::text(format!("The deploy token is {secret}"));
    let message = refused(
        house.engine.memories().remember(&agent("a"), &input).await,
        ErrorCode::SecretRefused,
    );
    assert!(!message.contains(&secret));
    assert_eq!(house.store.seq(&OwnerId::me()).await.unwrap().0, 0);
}

#[tokio::test]
async fn a_secret_in_a_row_or_in_the_profile_is_refused_too() {
    let house = House::new().await;
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let row =
        NewRow { table: "keys".into(), description: None, data: fields(json!({"value": secret})) };
    let with_row = Remember { row: Some(row), ..Remember::text("A key") };
    refused(
        house.engine.memories().remember(&agent("a"), &with_row).await,
        ErrorCode::SecretRefused,
    );
    let with_profile = Remember {
        profile: Some(fields(json!({"key": {"value": secret}}))),
        ..Remember::default()
    };
    refused(
        house.engine.memories().remember(&agent("a"), &with_profile).await,
        ErrorCode::SecretRefused,
    );
    assert_eq!(house.store.seq(&OwnerId::me()).await.unwrap().0, 0);
}

#[tokio::test]
async fn an_unknown_session_number_is_a_mistake_and_an_unknown_key_begins_a_session() {
    let house = House::new().await;
    let by = |session| Remember { session: Some(session), ..Remember::text("In a session") };
    let number = house
        .engine
        .memories()
        .remember(&agent("a"), &by(SessionRef::Id(model::SessionId(99))))
        .await;
    refused(number, ErrorCode::NotFound);
    let key = house
        .engine
        .memories()
        .remember(&agent("a"), &by(SessionRef::Key("new".into())))
        .await
        .unwrap();
    assert!(key.session.is_some());
}

#[tokio::test]
async fn links_reach_memories_that_are_there_and_a_wrong_one_writes_nothing() {
    let house = House::new().await;
    let cause = house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("The disk was full"))
        .await
        .unwrap()
        .id
        .unwrap();
    let link = |target| NewLink { target, kind: LinkKind::CausedBy, weight: 1.0 };
    let bad = Remember { links: vec![link(MemoryId(999))], ..Remember::text("The build broke") };
    refused(house.engine.memories().remember(&agent("a"), &bad).await, ErrorCode::NotFound);
    let found =
        house.engine.memories().recall(&agent("a"), &Recall::query("build broke")).await.unwrap();
    assert!(found.hits.iter().all(|hit| hit.memory.text != "The build broke"));
    let good = Remember { links: vec![link(cause)], ..Remember::text("The build broke") };
    let done = house.engine.memories().remember(&agent("a"), &good).await.unwrap();
    let links = house.store.links(&OwnerId::me(), done.id.unwrap()).await.unwrap();
    assert_eq!(links.outgoing[0].target, cause);
}

#[tokio::test]
async fn the_clients_surroundings_fill_in_what_is_missing() {
    let house = House::new().await;
    let mut caller = agent("claude");
    caller.surroundings.project = Some("billing".into());
    caller.surroundings.session = Some("run-7".into());
    let done = house
        .engine
        .memories()
        .remember(&caller, &Remember::text("Invoices are numbered per year"))
        .await
        .unwrap();
    let memory = house.memory(done.id.unwrap()).await;
    assert_eq!(memory.project.as_deref(), Some("billing"));
    assert_eq!(memory.session, done.session);
    let recall =
        Recall { sessions: vec![SessionRef::Key("run-7".into())], ..Recall::query("invoices") };
    assert_eq!(
        house.engine.memories().recall(&agent("codex"), &recall).await.unwrap().hits.len(),
        1
    );
}

#[tokio::test]
async fn what_expired_is_not_recalled() {
    let house = House::new().await;
    let input = Remember {
        expires: Some(Moment::parse("2026-05-04").unwrap()),
        ..Remember::text("The lift is broken")
    };
    house.engine.memories().remember(&agent("a"), &input).await.unwrap();
    assert_eq!(
        house
            .engine
            .memories()
            .recall(&agent("a"), &Recall::query("lift"))
            .await
            .unwrap()
            .hits
            .len(),
        1
    );
    house.clock.set(Moment::parse("2026-05-05").unwrap());
    assert!(
        house
            .engine
            .memories()
            .recall(&agent("a"), &Recall::query("lift"))
            .await
            .unwrap()
            .hits
            .is_empty()
    );
    let past =
        Remember { expires: Some(Moment::parse("2020-01-01").unwrap()), ..Remember::text("Old") };
    refused(house.engine.memories().remember(&agent("a"), &past).await, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn every_write_has_its_audit_event_with_no_word_of_the_text() {
    let house = House::new().await;
    house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("Zanzibar is a word nobody says"))
        .await
        .unwrap();
    let events =
        house.store.audit(&OwnerId::me(), &AuditQuery::default(), Page::first(10)).await.unwrap();
    assert_eq!(events.items.len(), 1);
    assert!(!format!("{:?}", events.items[0]).contains("Zanzibar"));
}

#[tokio::test]
async fn an_empty_text_is_refused_with_what_to_do() {
    let house = House::new().await;
    let message = refused(
        house.engine.memories().remember(&agent("a"), &Remember::text(" ")).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("sentence"), "{message}");
}
