//! Maintenance: nothing is removed without confirmation, and retired memories can be restored.

use crate::fixture::{EngineFixture, agent, fields, in_session, owner, refused};
use engine::entities::PutEntityRequest;
use engine::erasure::ErasureMode;
use engine::maintenance::{
    PruneRequest, PurgeAllRequest, PurgeSessionRequest, RestoreAgentRequest, RetireAgentRequest,
};
use engine::remember::RememberRequest;
use engine::sessions::{SessionRef, StartSessionRequest};
use model::{AgentName, ContentHash, ErrorCode, Moment, OwnerId, Status};
use serde_json::json;
use store::{Change, Ref};

const DAY: i64 = 86_400;

fn retire_all_of(agent: &str, since: Moment) -> RetireAgentRequest {
    RetireAgentRequest { agent: AgentName::new(agent), since, confirm: true }
}

#[tokio::test]
async fn the_status_counts_memories_and_a_checkup_finds_no_problem() {
    let fixture = EngineFixture::new().await;
    fixture.add("codex", "one", |_| {}).await;
    fixture.add("codex", "two", |add| add.memory.status = Status::Proposed).await;
    let status = fixture.engine.admin().status(&agent("codex")).await.unwrap();
    assert_eq!(
        (status.counts.in_status(Status::Active), status.counts.in_status(Status::Proposed)),
        (1, 1)
    );
    assert_eq!(status.seq.0, 2);
    let checkup = fixture.engine.admin().checkup(&agent("codex")).await.unwrap();
    assert!(checkup.health.sound, "{:?}", checkup.health.problems);
    assert_eq!(checkup.status.counts, status.counts);
    fixture.engine.admin().compact(&agent("codex")).await.unwrap();
    assert!(
        fixture
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
    let fixture = EngineFixture::new().await;
    fixture.add("codex", "kept twice", |_| {}).await;
    let path = fixture.path("copy.backup");
    refused(
        fixture.engine.admin().backup(&agent("codex"), &path).await,
        ErrorCode::ConsentRequired,
    );
    assert!(!path.exists());
    fixture.engine.admin().backup(&owner(), &path).await.unwrap();
    assert!(path.exists());
}

#[tokio::test]
async fn pruning_reports_the_number_before_it_is_confirmed_and_keeps_new_memories() {
    let fixture = EngineFixture::new().await;
    let old = fixture.add("codex", "old", |_| {}).await;
    fixture.clock.advance(100 * DAY);
    let young = fixture.add("codex", "young", |_| {}).await;
    let prune = PruneRequest { older_than_days: 90, ..PruneRequest::default() };
    let message = refused(
        fixture.engine.admin().prune(&agent("codex"), &prune).await,
        ErrorCode::InvalidArgument,
    );
    assert!(
        message.contains("retire 1 memories") && message.contains("confirm: true"),
        "{message}"
    );
    assert_eq!(fixture.memory(old).await.status, Status::Active);
    let removal = fixture
        .engine
        .admin()
        .prune(&agent("codex"), &PruneRequest { confirm: true, ..prune })
        .await
        .unwrap();
    assert_eq!(removal.memories, 1);
    assert_eq!(fixture.memory(old).await.status, Status::Retired);
    assert_eq!(fixture.memory(young).await.status, Status::Active);
    refused(
        fixture.engine.admin().prune(&agent("codex"), &PruneRequest::default()).await,
        ErrorCode::InvalidArgument,
    );
}

#[tokio::test]
async fn pruning_by_forgetting_leaves_only_tombstones() {
    let fixture = EngineFixture::new().await;
    let old = fixture.add("codex", "old", |_| {}).await;
    fixture.clock.advance(100 * DAY);
    let prune = PruneRequest { older_than_days: 90, mode: ErasureMode::Forget, confirm: true };
    let removal = fixture.engine.admin().prune(&agent("codex"), &prune).await.unwrap();
    assert_eq!((removal.memories, removal.removed_from("memories")), (1, 1));
    assert_eq!(fixture.find(old).await, None);
    let tombstone =
        fixture.store.forgotten_at(&OwnerId::me(), ContentHash::of_text("old")).await.unwrap();
    assert_eq!(tombstone, Some(fixture.now()));
}

#[tokio::test]
async fn purging_a_session_forgets_its_memories_and_nothing_else() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let session = fixture
        .engine
        .sessions()
        .start(&codex, &StartSessionRequest::default())
        .await
        .unwrap()
        .session
        .id;
    let inside = fixture.add("codex", "inside", in_session(session)).await;
    let outside = fixture.add("codex", "outside", |_| {}).await;
    let purge = |confirm| PurgeSessionRequest { session: SessionRef::Id(session), confirm };
    let message = refused(
        fixture.engine.admin().purge_session(&codex, &purge(false)).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("forget 1 memories of session"), "{message}");
    assert_eq!(
        fixture.engine.admin().purge_session(&codex, &purge(true)).await.unwrap().memories,
        1
    );
    assert_eq!(
        (fixture.find(inside).await, fixture.memory(outside).await.status),
        (None, Status::Active)
    );
    let unknown = PurgeSessionRequest { session: SessionRef::Key("nowhere".into()), confirm: true };
    refused(fixture.engine.admin().purge_session(&codex, &unknown).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn purging_all_removes_every_memory_row_and_entity_in_bounded_batches() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let adds =
        (0..2_100).map(|n| fixture.add_change("codex", &format!("memory {n}"), |_| {})).collect();
    fixture.write("codex", adds).await;
    let row = fields(json!({"food": "pizza"}));
    let add =
        Change::AddRecord { table: "meals".into(), description: None, data: row, memory: None };
    fixture.write("codex", vec![add]).await;
    fixture
        .engine
        .graph()
        .put_entity(&codex, &PutEntityRequest { name: "Ada".into(), ..PutEntityRequest::default() })
        .await
        .unwrap();
    let message = refused(
        fixture.engine.admin().purge_all(&owner(), &PurgeAllRequest::default()).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("all 2100 memories, 1 rows and 1 entities"), "{message}");
    let removal = fixture
        .engine
        .admin()
        .purge_all(&owner(), &PurgeAllRequest { confirm: true })
        .await
        .unwrap();
    assert_eq!((removal.memories, removal.batches), (2_100, 5));
    assert_eq!((removal.removed_from("records"), removal.removed_from("entities")), (1, 1));
    let counts = fixture.engine.admin().status(&codex).await.unwrap().counts;
    assert_eq!(
        (counts.memories.iter().map(|(_, n)| n).sum::<usize>(), counts.records, counts.entities),
        (0, 0, 0)
    );
}

#[tokio::test]
async fn retiring_an_agent_makes_what_it_replaced_current_again() {
    let fixture = EngineFixture::new().await;
    let good = fixture.add("claude", "The port is 2222.", |_| {}).await;
    let early = fixture.add("evil", "An earlier note.", |_| {}).await;
    fixture.clock.advance(DAY);
    let since = fixture.now();
    let first = fixture.add("evil", "The port is 1.", |_| {}).await;
    fixture.write("evil", vec![Change::Supersede { old: good, new: Ref::Id(first) }]).await;
    let second = fixture.add("evil", "The port is 2.", |_| {}).await;
    fixture.write("evil", vec![Change::Supersede { old: first, new: Ref::Id(second) }]).await;
    fixture.clock.advance(1);
    let unconfirmed = RetireAgentRequest { confirm: false, ..retire_all_of("evil", since) };
    let message = refused(
        fixture.engine.admin().retire_agent(&owner(), &unconfirmed).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("retire 1 memories by evil"), "{message}");
    let taken =
        fixture.engine.admin().retire_agent(&owner(), &retire_all_of("evil", since)).await.unwrap();
    assert_eq!((taken.retired, taken.revived), (1, 1));
    let statuses = async || {
        let mut statuses = Vec::new();
        for id in [good, early, first, second] {
            statuses.push(fixture.memory(id).await.status);
        }
        statuses
    };
    assert_eq!(
        statuses().await,
        [Status::Active, Status::Active, Status::Superseded, Status::Retired]
    );
    fixture.clock.advance(1);
    let undo = RestoreAgentRequest { agent: AgentName::new("evil"), retired_at: None };
    let restored = fixture.engine.admin().restore_agent(&owner(), &undo).await.unwrap();
    assert_eq!((restored.restored, restored.replaced), (1, 1));
    assert_eq!(
        statuses().await,
        [Status::Superseded, Status::Active, Status::Superseded, Status::Active]
    );
}

#[tokio::test]
async fn restoring_reactivates_only_what_that_retirement_retired() {
    let fixture = EngineFixture::new().await;
    let retired_before = fixture.add("codex", "deleted long ago", |_| {}).await;
    fixture
        .write(
            "codex",
            vec![Change::SetStatus { memory: Ref::Id(retired_before), status: Status::Retired }],
        )
        .await;
    fixture.clock.advance(1);
    let taken = fixture.add("codex", "poison", |_| {}).await;
    fixture.clock.advance(1);
    let at = fixture
        .engine
        .admin()
        .retire_agent(&owner(), &retire_all_of("codex", Moment(0)))
        .await
        .unwrap()
        .at;
    let undo = RestoreAgentRequest { agent: AgentName::new("codex"), retired_at: Some(at) };
    assert_eq!(fixture.engine.admin().restore_agent(&owner(), &undo).await.unwrap().restored, 1);
    assert_eq!(fixture.memory(taken).await.status, Status::Active);
    assert_eq!(fixture.memory(retired_before).await.status, Status::Retired);
    let never = RestoreAgentRequest { agent: AgentName::new("claude"), retired_at: None };
    refused(fixture.engine.admin().restore_agent(&owner(), &never).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn no_agent_retires_what_another_wrote() {
    let fixture = EngineFixture::new().await;
    let memory = fixture.add("claude", "mine", |_| {}).await;
    let answer = fixture
        .engine
        .admin()
        .retire_agent(&agent("codex"), &retire_all_of("claude", Moment(0)))
        .await;
    refused(answer, ErrorCode::ConsentRequired);
    assert_eq!(fixture.memory(memory).await.status, Status::Active);
}

#[tokio::test]
async fn a_clock_that_jumps_ahead_removes_nothing_by_age() {
    let fixture = EngineFixture::new().await;
    let admin = || fixture.engine.admin();
    let me = owner();
    admin().set_audit_retention(&me, Some(90)).await.unwrap();
    let keyed =
        RememberRequest { idempotency_key: Some("key".into()), ..RememberRequest::text("A lamp") };
    fixture.engine.memories().remember(&agent("codex"), &keyed).await.unwrap();
    let events = || async { admin().verify_audit(&me).await.unwrap().events };
    let before = events().await;
    fixture.clock.advance(10 * 365 * DAY);
    fixture.add("codex", "written while the clock was wrong", |_| {}).await;
    assert_eq!(admin().prune_audit(&me).await.unwrap(), 0);
    assert_eq!(admin().prune_idempotency_keys(&me).await.unwrap(), 0);
    fixture.clock.advance(-10 * 365 * DAY);
    assert!(events().await >= before, "nothing was removed");
    for _ in 0..100 {
        fixture.clock.advance(DAY);
        fixture.add("codex", "a day in the life of a memory", |_| {}).await;
    }
    assert!(admin().prune_audit(&me).await.unwrap() > 0, "events of a wrong clock stop nothing");
    assert_eq!(admin().prune_idempotency_keys(&me).await.unwrap(), 1);
}

#[tokio::test]
async fn a_clock_that_disagrees_with_the_log_is_doubted_until_an_event_confirms_it() {
    let fixture = EngineFixture::new().await;
    let me = owner();
    let doubt = || async { fixture.engine.admin().clock_doubt(&me).await.unwrap() };
    fixture.add("codex", "A lamp", |_| {}).await;
    assert_eq!(doubt().await, None);
    fixture.clock.advance(10 * 365 * DAY);
    assert!(doubt().await.unwrap().contains("the newest event is of"));
    fixture.add("codex", "written while the clock was wrong", |_| {}).await;
    fixture.clock.advance(-10 * 365 * DAY);
    assert!(doubt().await.unwrap().contains("an event is dated"));
    fixture.add("codex", "written when it was right again", |_| {}).await;
    assert_eq!(doubt().await, None);
}

#[tokio::test]
async fn the_head_of_the_log_is_compared_with_the_log_of_its_owner_only() {
    let fixture = EngineFixture::new().await;
    let (me, admin) = (owner(), || fixture.engine.admin());
    fixture.add("codex", "A lamp", |_| {}).await;
    let report = admin().verify_audit(&me).await.unwrap();
    let head = report.anchor(&me.owner).unwrap();
    fixture.add("codex", "Another lamp", |_| {}).await;
    let report = admin().verify_audit(&me).await.unwrap();
    assert_eq!(admin().compare_audit_head(&me, &report, &head).await.unwrap(), None);
    let mut forged = head.clone();
    forged.mac[0] ^= 1;
    let problem = admin().compare_audit_head(&me, &report, &forged).await.unwrap();
    assert!(problem.unwrap().contains("not the one that the line names"));
    forged.owner = model::OwnerId::new("another").unwrap();
    let refusal = admin().compare_audit_head(&me, &report, &forged).await;
    refused(refusal, ErrorCode::InvalidArgument);
    let verified = admin().last_audit_verification(&me).await.unwrap().unwrap();
    assert_eq!(
        (verified.problem, verified.head),
        (None, report.anchor(&me.owner).map(|it| it.to_line()))
    );
}

#[tokio::test]
async fn an_idempotency_key_is_valid_for_a_month_and_is_then_removed() {
    let fixture = EngineFixture::new().await;
    let keyed = |text: &str| RememberRequest {
        idempotency_key: Some("key".into()),
        ..RememberRequest::text(text)
    };
    fixture.engine.memories().remember(&agent("codex"), &keyed("The lamp is green")).await.unwrap();
    fixture.clock.advance(29 * DAY);
    assert_eq!(fixture.engine.admin().prune_idempotency_keys(&agent("codex")).await.unwrap(), 0);
    refused(
        fixture.engine.memories().remember(&agent("codex"), &keyed("Another")).await,
        ErrorCode::IdempotencyMismatch,
    );
    fixture.clock.advance(2 * DAY);
    assert_eq!(fixture.engine.admin().prune_idempotency_keys(&agent("codex")).await.unwrap(), 1);
    fixture.engine.memories().remember(&agent("codex"), &keyed("Another")).await.unwrap();
}
