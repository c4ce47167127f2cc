//! Maintenance: nothing is removed without confirmation, and retired memories can be restored.

use crate::fixture::{House, agent, fields, in_session, owner, refused};
use engine::entities::PutEntity;
use engine::maintenance::{Prune, PruneBy, PurgeAll, PurgeSession, RestoreAgent, RetireAgent};
use engine::remember::Remember;
use engine::sessions::{SessionRef, StartSession};
use model::{AgentName, ContentHash, ErrorCode, Moment, OwnerId, Status};
use serde_json::json;
use store::{Change, Ref};

const DAY: i64 = 86_400;

fn all_of(agent: &str, since: Moment) -> RetireAgent {
    RetireAgent { agent: AgentName::new(agent), since, confirm: true }
}

#[tokio::test]
async fn the_status_counts_what_is_there_and_a_checkup_finds_it_sound() {
    let house = House::new().await;
    house.add("codex", "one", |_| {}).await;
    house.add("codex", "two", |add| add.memory.status = Status::Proposed).await;
    let status = house.engine.admin().status(&agent("codex")).await.unwrap();
    assert_eq!(
        (status.counts.in_status(Status::Active), status.counts.in_status(Status::Proposed)),
        (1, 1)
    );
    assert_eq!(status.seq.0, 2);
    let checkup = house.engine.admin().checkup(&agent("codex")).await.unwrap();
    assert!(checkup.health.sound, "{:?}", checkup.health.problems);
    assert_eq!(checkup.status.counts, status.counts);
    house.engine.admin().compact(&agent("codex")).await.unwrap();
    assert!(
        house
            .engine
            .admin()
            .status(&agent("codex"))
            .await
            .unwrap()
            .counts
            .in_status(Status::Active)
            == 1
    );
}

#[tokio::test]
async fn only_the_owner_backs_up() {
    let house = House::new().await;
    house.add("codex", "kept twice", |_| {}).await;
    let path = house.path("copy.backup");
    refused(house.engine.admin().backup(&agent("codex"), &path).await, ErrorCode::ConsentRequired);
    assert!(!path.exists());
    house.engine.admin().backup(&owner(), &path).await.unwrap();
    assert!(path.exists());
}

#[tokio::test]
async fn pruning_says_how_many_before_it_is_confirmed_and_spares_what_is_young() {
    let house = House::new().await;
    let old = house.add("codex", "old", |_| {}).await;
    house.clock.advance(100 * DAY);
    let young = house.add("codex", "young", |_| {}).await;
    let prune = Prune { older_than_days: 90, ..Prune::default() };
    let message = refused(
        house.engine.admin().prune(&agent("codex"), &prune).await,
        ErrorCode::InvalidArgument,
    );
    assert!(
        message.contains("retire 1 memories") && message.contains("confirm: true"),
        "{message}"
    );
    assert_eq!(house.memory(old).await.status, Status::Active);
    let removal = house
        .engine
        .admin()
        .prune(&agent("codex"), &Prune { confirm: true, ..prune })
        .await
        .unwrap();
    assert_eq!(removal.memories, 1);
    assert_eq!(house.memory(old).await.status, Status::Retired);
    assert_eq!(house.memory(young).await.status, Status::Active);
    refused(
        house.engine.admin().prune(&agent("codex"), &Prune::default()).await,
        ErrorCode::InvalidArgument,
    );
}

#[tokio::test]
async fn pruning_by_forgetting_leaves_only_tombstones() {
    let house = House::new().await;
    let old = house.add("codex", "old", |_| {}).await;
    house.clock.advance(100 * DAY);
    let prune = Prune { older_than_days: 90, by: PruneBy::Forgetting, confirm: true };
    let removal = house.engine.admin().prune(&agent("codex"), &prune).await.unwrap();
    assert_eq!((removal.memories, removal.removed_from("memories")), (1, 1));
    assert_eq!(house.find(old).await, None);
    let tombstone = house.store.forgotten(&OwnerId::me(), ContentHash::of("old")).await.unwrap();
    assert_eq!(tombstone, Some(house.now()));
}

#[tokio::test]
async fn purging_a_session_forgets_what_it_left_and_nothing_else() {
    let house = House::new().await;
    let codex = agent("codex");
    let session =
        house.engine.sessions().start(&codex, &StartSession::default()).await.unwrap().session.id;
    let inside = house.add("codex", "inside", in_session(session)).await;
    let outside = house.add("codex", "outside", |_| {}).await;
    let purge = |confirm| PurgeSession { session: SessionRef::Id(session), confirm };
    let message = refused(
        house.engine.admin().purge_session(&codex, &purge(false)).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("forget 1 memories of session"), "{message}");
    assert_eq!(house.engine.admin().purge_session(&codex, &purge(true)).await.unwrap().memories, 1);
    assert_eq!(
        (house.find(inside).await, house.memory(outside).await.status),
        (None, Status::Active)
    );
    let unknown = PurgeSession { session: SessionRef::Key("nowhere".into()), confirm: true };
    refused(house.engine.admin().purge_session(&codex, &unknown).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn purging_all_takes_every_memory_row_and_entity_in_bounded_batches() {
    let house = House::new().await;
    let codex = agent("codex");
    let adds = (0..2_100).map(|n| house.adding("codex", &format!("memory {n}"), |_| {})).collect();
    house.write("codex", adds).await;
    let row = fields(json!({"food": "pizza"}));
    let add =
        Change::AddRecord { table: "meals".into(), description: None, data: row, memory: None };
    house.write("codex", vec![add]).await;
    house
        .engine
        .graph()
        .put_entity(&codex, &PutEntity { name: "Ada".into(), ..PutEntity::default() })
        .await
        .unwrap();
    let message = refused(
        house.engine.admin().purge_all(&codex, &PurgeAll::default()).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("all 2100 memories, 1 rows and 1 entities"), "{message}");
    let removal =
        house.engine.admin().purge_all(&codex, &PurgeAll { confirm: true }).await.unwrap();
    assert_eq!((removal.memories, removal.batches), (2_100, 5));
    assert_eq!((removal.removed_from("records"), removal.removed_from("entities")), (1, 1));
    let counts = house.engine.admin().status(&codex).await.unwrap().counts;
    assert_eq!(
        (counts.memories.iter().map(|(_, n)| n).sum::<usize>(), counts.records, counts.entities),
        (0, 0, 0)
    );
}

#[tokio::test]
async fn what_an_agent_wrote_is_taken_back_and_what_it_replaced_holds_again() {
    let house = House::new().await;
    let good = house.add("claude", "The port is 2222.", |_| {}).await;
    let early = house.add("evil", "An earlier note.", |_| {}).await;
    house.clock.advance(DAY);
    let since = house.now();
    let first = house.add("evil", "The port is 1.", |_| {}).await;
    house.write("evil", vec![Change::Supersede { old: good, new: Ref::Id(first) }]).await;
    let second = house.add("evil", "The port is 2.", |_| {}).await;
    house.write("evil", vec![Change::Supersede { old: first, new: Ref::Id(second) }]).await;
    house.clock.advance(1);
    let unconfirmed = RetireAgent { confirm: false, ..all_of("evil", since) };
    let message = refused(
        house.engine.admin().retire_agent(&owner(), &unconfirmed).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("retire 1 memories by evil"), "{message}");
    let taken = house.engine.admin().retire_agent(&owner(), &all_of("evil", since)).await.unwrap();
    assert_eq!((taken.retired, taken.revived), (1, 1));
    let statuses = async || {
        let mut statuses = Vec::new();
        for id in [good, early, first, second] {
            statuses.push(house.memory(id).await.status);
        }
        statuses
    };
    assert_eq!(
        statuses().await,
        [Status::Active, Status::Active, Status::Superseded, Status::Retired]
    );
    house.clock.advance(1);
    let undo = RestoreAgent { agent: AgentName::new("evil"), retired_at: None };
    let restored = house.engine.admin().restore_agent(&owner(), &undo).await.unwrap();
    assert_eq!((restored.restored, restored.replaced), (1, 1));
    assert_eq!(
        statuses().await,
        [Status::Superseded, Status::Active, Status::Superseded, Status::Active]
    );
}

#[tokio::test]
async fn undoing_brings_back_only_what_that_taking_back_took() {
    let house = House::new().await;
    let retired_before = house.add("codex", "deleted long ago", |_| {}).await;
    house
        .write(
            "codex",
            vec![Change::SetStatus { memory: Ref::Id(retired_before), status: Status::Retired }],
        )
        .await;
    house.clock.advance(1);
    let taken = house.add("codex", "poison", |_| {}).await;
    house.clock.advance(1);
    let at =
        house.engine.admin().retire_agent(&owner(), &all_of("codex", Moment(0))).await.unwrap().at;
    let undo = RestoreAgent { agent: AgentName::new("codex"), retired_at: Some(at) };
    assert_eq!(house.engine.admin().restore_agent(&owner(), &undo).await.unwrap().restored, 1);
    assert_eq!(house.memory(taken).await.status, Status::Active);
    assert_eq!(house.memory(retired_before).await.status, Status::Retired);
    let never = RestoreAgent { agent: AgentName::new("claude"), retired_at: None };
    refused(house.engine.admin().restore_agent(&owner(), &never).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn no_agent_takes_back_what_another_wrote() {
    let house = House::new().await;
    let memory = house.add("claude", "mine", |_| {}).await;
    let answer =
        house.engine.admin().retire_agent(&agent("codex"), &all_of("claude", Moment(0))).await;
    refused(answer, ErrorCode::ConsentRequired);
    assert_eq!(house.memory(memory).await.status, Status::Active);
}

#[tokio::test]
async fn a_key_answers_a_retry_for_a_month_and_is_then_given_up() {
    let house = House::new().await;
    let keyed =
        |text: &str| Remember { idempotency_key: Some("key".into()), ..Remember::text(text) };
    house.engine.memories().remember(&agent("codex"), &keyed("The lamp is green")).await.unwrap();
    house.clock.advance(29 * DAY);
    assert_eq!(house.engine.admin().give_up_old_keys(&agent("codex")).await.unwrap(), 0);
    refused(
        house.engine.memories().remember(&agent("codex"), &keyed("Another")).await,
        ErrorCode::IdempotencyMismatch,
    );
    house.clock.advance(2 * DAY);
    assert_eq!(house.engine.admin().give_up_old_keys(&agent("codex")).await.unwrap(), 1);
    house.engine.memories().remember(&agent("codex"), &keyed("Another")).await.unwrap();
}
