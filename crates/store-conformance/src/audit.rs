//! The audit log and the use counts of memories.

use super::builders::{event, event_by, moment, remember};
use super::fixture::{StoreFixture, full_page};
use model::{AccessStats, AgentName, AuditEvent, AuditOutcome, MemoryId, Page, Seq};
use store::{AuditQuery, Batch, ReadEvent};

async fn log_showing(at: &StoreFixture, seconds: i64, memories: &[MemoryId]) {
    let logged = ReadEvent::new(event(moment(seconds)), memories.to_vec());
    at.store.log_reads(&at.owner, vec![logged]).await.unwrap();
}

async fn log(at: &StoreFixture, query: &AuditQuery) -> Vec<AuditEvent> {
    let listing = at.store.audit(&at.owner, query, full_page()).await.unwrap();
    assert_eq!(listing.total, listing.items.len());
    listing.items
}

pub async fn a_read_is_counted_without_a_sequence_number(at: &StoreFixture) {
    let (used, other) = (at.remember("used").await, at.remember("other").await);
    let (seq, before) = (at.seq().await, at.memory(used).await);
    log_showing(at, 5, &[used]).await;
    log_showing(at, 8, &[used, other]).await;
    assert_eq!(at.seq().await, seq);
    assert!(at.store.changes(&at.owner, seq, 10).await.unwrap().entries.is_empty());
    let after = at.memory(used).await;
    assert_eq!(after.access, AccessStats { count: 2, last: Some(moment(8)) });
    assert_eq!(at.memory(other).await.access.count, 1);
    assert_eq!(after.updated_at, before.updated_at, "reading changes nothing of a memory");
}

pub async fn a_read_has_its_audit_event(at: &StoreFixture) {
    let id = at.remember("used").await;
    let logged = AuditEvent {
        note: "showed 1".into(),
        outcome: AuditOutcome::Refused,
        ..event_by("bob", moment(5))
    };
    at.store.log_reads(&at.owner, vec![ReadEvent::new(logged.clone(), vec![id])]).await.unwrap();
    let newest = log(at, &AuditQuery::default()).await.remove(0);
    assert_eq!(
        newest,
        AuditEvent { id: newest.id, seq: Seq::ZERO, ..logged },
        "it tells of no change"
    );
}

pub async fn a_read_of_a_forgotten_memory_is_still_logged(at: &StoreFixture) {
    let id = at.remember("used").await;
    log_showing(at, 5, &[MemoryId(987_654), id]).await;
    assert_eq!(at.memory(id).await.access.count, 1);
    assert_eq!(at.event_count().await, 2);
}

pub async fn events_are_listed_by_every_filter_newest_first(at: &StoreFixture) {
    let mut events =
        [event_by("ada", moment(1)), event_by("bob", moment(2)), event_by("ada", moment(3))];
    events[0].resource = "tables/meals".into();
    events[1].resource = "tables".into();
    events[2].resource = "tablespoons".into();
    events[1].author.tool = "recall".into();
    events[2].outcome = AuditOutcome::Failed;
    for (n, logged) in events.iter().enumerate() {
        at.commit(Batch::new(logged.clone(), vec![remember(&format!("memory {n}"))])).await;
    }
    let all = AuditQuery::default;
    for (query, found) in [
        (all(), vec![3, 2, 1]),
        (AuditQuery { agent: Some(AgentName::new("ada")), ..all() }, vec![3, 1]),
        (AuditQuery { tool: Some("recall".into()), ..all() }, vec![2]),
        (AuditQuery { resource: Some("tables".into()), ..all() }, vec![2, 1]),
        (AuditQuery { resource: Some("tables/meals".into()), ..all() }, vec![1]),
        (AuditQuery { outcome: Some(AuditOutcome::Failed), ..all() }, vec![3]),
        (AuditQuery { from: Some(moment(2)), ..all() }, vec![3, 2]),
        (AuditQuery { until: Some(moment(2)), ..all() }, vec![1]),
        (
            AuditQuery {
                agent: Some(AgentName::new("bob")),
                outcome: Some(AuditOutcome::Failed),
                ..all()
            },
            vec![],
        ),
    ] {
        let numbers: Vec<i64> = log(at, &query).await.iter().map(|logged| logged.seq.0).collect();
        assert_eq!(numbers, found, "{query:?}");
    }
}

pub async fn the_log_is_paged_and_its_ids_grow(at: &StoreFixture) {
    for n in 0..5 {
        at.write_at(n, vec![remember(&format!("memory {n}"))]).await;
    }
    let page = Page { limit: 2, offset: 2 };
    let listing = at.store.audit(&at.owner, &AuditQuery::default(), page).await.unwrap();
    assert_eq!(listing.items.iter().map(|logged| logged.seq.0).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(listing.total, 5);
    assert!(listing.items[0].id > listing.items[1].id);
}
