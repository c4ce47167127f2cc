//! Batches: atomic, numbered without gaps, each with its audit event.

use super::builders::{batch, event, link, moment, note, remember};
use super::fixture::{StoreFixture, full_page};
use model::{AuditEvent, ErrorCode, JsonMap, LinkKind, MemoryId, Seq, Status, limits};
use store::{AuditQuery, Batch, Change, ChangeResult, MemoryQuery, Ref};

pub async fn every_batch_gets_the_next_sequence_number(at: &StoreFixture) {
    assert_eq!(at.seq().await, Seq::ZERO);
    let first = at.write(vec![remember("one")]).await;
    let second = at.write(vec![remember("two"), remember("three")]).await;
    assert_eq!(first.seq, Seq::ZERO.next());
    assert_eq!(second.seq, first.seq.next());
    assert_eq!(at.seq().await, second.seq);
}

pub async fn a_batch_returns_a_result_for_each_change_in_order(at: &StoreFixture) {
    let changes = vec![
        remember("one"),
        Change::PutSetting { name: "theme".into(), value: "dark".into() },
        remember("two"),
    ];
    let committed = at.write(changes).await;
    assert!(!committed.replayed);
    assert!(
        matches!(
            committed.results[..],
            [ChangeResult::Memory(a), ChangeResult::Done, ChangeResult::Memory(b)] if a != b
        ),
        "{:?}",
        committed.results
    );
}

pub async fn a_failing_change_at_the_end_leaves_no_trace_of_the_batch(at: &StoreFixture) {
    let kept = at.remember("kept").await;
    let refusal = at
        .refusal_code(vec![
            remember("never written"),
            Change::SetStatus { memory: Ref::Id(kept), status: Status::Retired },
            Change::PutSetting { name: "theme".into(), value: "dark".into() },
            link(kept, MemoryId(987_654), LinkKind::Supports),
        ])
        .await;
    assert_eq!(refusal, ErrorCode::NotFound);
    assert_eq!(at.list_ids(&MemoryQuery::default()).await, [kept]);
    assert_eq!(at.memory(kept).await.status, Status::Active);
    assert_eq!(at.store.setting(&at.owner, "theme").await.unwrap(), None);
    assert!(at.store.changes(&at.owner, at.seq().await, 10).await.unwrap().entries.is_empty());
}

pub async fn the_next_batch_after_a_refused_one_gets_the_next_number(at: &StoreFixture) {
    let first = at.write(vec![remember("one")]).await;
    at.refusal_code(vec![
        remember("never written"),
        Change::DeleteEntity(model::EntityId(987_654)),
    ])
    .await;
    let second = at.write(vec![remember("two")]).await;
    assert_eq!(second.seq, first.seq.next());
}

pub async fn every_write_has_its_audit_event(at: &StoreFixture) {
    let logged = AuditEvent { note: "created 1".into(), ..event(moment(5)) };
    let committed = at.commit(Batch::new(logged.clone(), vec![remember("one")])).await;
    let log = at.store.audit(&at.owner, &AuditQuery::default(), full_page()).await.unwrap();
    assert_eq!(log.total, 1);
    assert_eq!(log.items[0].seq, committed.seq);
    assert_eq!(log.items[0], AuditEvent { id: log.items[0].id, seq: committed.seq, ..logged });
}

pub async fn a_later_change_may_refer_to_the_result_of_an_earlier_one(at: &StoreFixture) {
    let mut in_session = note("made in the session");
    in_session.session = Some(Ref::ResultOf(0));
    let committed = at
        .write(vec![
            Change::StartSession(model::NewSession::default()),
            super::builders::add(in_session),
            remember("the other end"),
            Change::Link {
                source: Ref::ResultOf(1),
                target: Ref::ResultOf(2),
                kind: LinkKind::PartOf,
                weight: 1.0,
            },
            Change::EndSession { session: Ref::ResultOf(0), episode: Some(Ref::ResultOf(1)) },
        ])
        .await;
    let (session, memory) =
        (committed.results[0].session().unwrap(), committed.results[1].memory().unwrap());
    assert_eq!(at.memory(memory).await.session, Some(session));
    assert_eq!(at.links(memory).await.outgoing[0].target, committed.results[2].memory().unwrap());
    assert_eq!(at.store.session(&at.owner, session).await.unwrap().unwrap().episode, Some(memory));
}

pub async fn a_reference_to_a_duplicate_means_the_memory_that_was_found(at: &StoreFixture) {
    let there = at.remember("said before").await;
    let committed = at
        .write(vec![
            remember("said before"),
            remember("new"),
            Change::Link {
                source: Ref::ResultOf(1),
                target: Ref::ResultOf(0),
                kind: LinkKind::Supports,
                weight: 1.0,
            },
        ])
        .await;
    assert_eq!(committed.results[0], ChangeResult::Duplicate(there));
    assert_eq!(at.links(there).await.incoming[0].source, committed.results[1].memory().unwrap());
}

pub async fn a_reference_to_a_result_of_another_type_is_refused(at: &StoreFixture) {
    let status =
        |position| Change::SetStatus { memory: Ref::ResultOf(position), status: Status::Retired };
    for position in [0, 1, 2, 99] {
        let changes = vec![
            Change::StartSession(model::NewSession::default()),
            status(position),
            remember("late"),
        ];
        let code = at.refusal_code(changes).await;
        assert!(
            matches!(code, ErrorCode::InvalidArgument | ErrorCode::NotFound),
            "{position}: {code}"
        );
    }
}

pub async fn a_batch_of_too_many_changes_is_refused(at: &StoreFixture) {
    let setting = |n: usize| Change::PutSetting { name: format!("s{}", n % 10), value: n.into() };
    let changes = (0..=limits::BATCH_CHANGES).map(setting).collect();
    assert_eq!(at.refusal_code(changes).await, ErrorCode::LimitExceeded);
    assert_eq!(at.store.setting(&at.owner, "s1").await.unwrap(), None);
}

pub async fn a_change_that_names_something_unknown_is_refused(at: &StoreFixture) {
    let (memory, entity) = (MemoryId(987_654), model::EntityId(987_654));
    let (table, path) = ("meals".to_owned(), "api/auth.md".to_owned());
    let record = model::RecordId(987_654);
    let known = at.remember("known").await;
    for change in [
        Change::EditMemory { memory, edit: Box::default() },
        Change::SetStatus { memory: Ref::Id(memory), status: Status::Retired },
        Change::Supersede { old: memory, new: Ref::Id(known) },
        Change::Supersede { old: known, new: Ref::Id(memory) },
        Change::SetVector { memory, vector: super::builders::vector("m", 1) },
        link(known, memory, LinkKind::Supports),
        link(memory, known, LinkKind::Supports),
        Change::Unlink { source: known, target: memory, kind: LinkKind::Supports },
        Change::EndSession { session: super::builders::unknown_session(), episode: None },
        Change::EditEntity { entity, edit: store::EntityEdit::default() },
        Change::MergeEntities { from: Ref::Id(entity), into: Ref::Id(model::EntityId(987_655)) },
        Change::UndoMerge { entity },
        Change::DeleteEntity(entity),
        super::builders::mention(known, entity, "Ada"),
        Change::UpdateRecord { table: table.clone(), record, patch: JsonMap::new() },
        Change::DeleteRecord { table, record },
        super::builders::claim(model::HandoffId(987_654), moment(9)),
        Change::RemoveReference { path },
        super::builders::contradiction(memory, known),
        super::builders::contradiction(known, memory),
        Change::ResolveReview {
            review: model::ReviewId(987_654),
            resolution: model::Resolution::Confirm,
        },
        Change::Flag { memory, reason: "wrong".into() },
        Change::SettleFlags { memory },
        Change::RevokeGrant { agent: model::AgentName::new("bob"), resource: "memory".into() },
    ] {
        let refusal = at.expect_refused(batch(vec![change.clone()])).await;
        assert!(matches!(refusal, store::WriteError::NotFound { .. }), "{change:?}: {refusal:?}");
    }
}

pub async fn a_write_through_one_handle_is_read_through_another(at: &StoreFixture) {
    let id = at.remember("said here").await;
    assert_eq!(at.second_handle.seq(&at.owner).await.unwrap(), at.seq().await);
    assert_eq!(at.second_handle.memories(&at.owner, &[id]).await.unwrap()[0].text, "said here");
    let there =
        at.second_handle.write(&at.owner, batch(vec![remember("said there")])).await.unwrap();
    assert_eq!(at.seq().await, there.seq);
    assert_eq!(at.memory(there.results[0].memory().unwrap()).await.text, "said there");
}

pub async fn many_writers_on_two_handles_lose_nothing_and_share_no_sequence_number(
    at: &StoreFixture,
) {
    let mut writers = tokio::task::JoinSet::new();
    for n in 0..40 {
        let (store, owner) = (
            if n % 2 == 0 { at.store.clone() } else { at.second_handle.clone() },
            at.owner.clone(),
        );
        let changes = vec![remember(&format!("memory {n}"))];
        writers.spawn(async move { store.write(&owner, batch(changes)).await });
    }
    let done = writers.join_all().await;
    let mut numbers: Vec<i64> = done.iter().map(|result| result.as_ref().unwrap().seq.0).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=40).collect::<Vec<_>>());
    assert_eq!(at.list_ids(&MemoryQuery::default()).await.len(), 40);
    assert_eq!(at.event_count().await, 40);
}

pub async fn a_refused_batch_among_racing_ones_takes_nothing_with_it(at: &StoreFixture) {
    let mut writers = tokio::task::JoinSet::new();
    for n in 0..30 {
        let (store, owner) = (
            if n % 2 == 0 { at.store.clone() } else { at.second_handle.clone() },
            at.owner.clone(),
        );
        let mut changes = vec![remember(&format!("memory {n}"))];
        changes.extend((n % 3 == 0).then_some(Change::DeleteEntity(model::EntityId(987_654))));
        writers.spawn(async move { store.write(&owner, batch(changes)).await });
    }
    let done = writers.join_all().await;
    let mut numbers: Vec<i64> = done.iter().flatten().map(|committed| committed.seq.0).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
    assert_eq!(
        (at.list_ids(&MemoryQuery::default()).await.len(), at.event_count().await),
        (20, 20)
    );
}
