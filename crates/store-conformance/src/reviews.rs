//! Review items are decided once; flags are counted while they are open.

use super::builders::{batch_by, contradiction, fields, moment};
use super::fixture::{StoreFixture, full_page};
use model::{
    AgentName, Flag, FlagId, NewReview, Page, Resolution, ReviewId, ReviewItem, ReviewKind,
    ReviewState, Status,
};
use serde_json::json;
use store::{Change, ChangeResult, Conflict, Ref, ReviewQuery, WriteError};

async fn raise(at: &StoreFixture, seconds: i64, change: Change) -> ReviewId {
    match at.apply_at(seconds, change).await {
        ChangeResult::Review(id) => id,
        other => panic!("expected a review item, got {other:?}"),
    }
}

async fn read(at: &StoreFixture, id: ReviewId) -> ReviewItem {
    at.store.review(&at.owner, id).await.unwrap().expect("the review item exists")
}

fn complaint(memory: model::MemoryId, reason: &str) -> Change {
    Change::Flag { memory, reason: reason.to_owned() }
}

pub async fn a_review_item_reads_back_as_it_was_raised(at: &StoreFixture) {
    let old = at.remember("old").await;
    let item = NewReview {
        kind: ReviewKind::Proposal,
        reason: "a weaker source says otherwise".into(),
        details: fields(json!({"text": "new"})),
    };
    let raised = Change::RaiseReview {
        item: item.clone(),
        subject: Some(Ref::ResultOf(0)),
        against: Some(Ref::Id(old)),
    };
    let results = at.write_at(4, vec![super::builders::remember("new"), raised]).await.results;
    let ChangeResult::Review(id) = results[1] else {
        panic!("expected a review item, got {:?}", results[1])
    };
    let expected = ReviewItem {
        id,
        kind: item.kind,
        subject: results[0].memory(),
        against: Some(old),
        reason: item.reason,
        details: item.details,
        raised_by: AgentName::new("ada"),
        raised_at: moment(4),
        state: ReviewState::Open,
    };
    assert_eq!(read(at, id).await, expected);
    assert_eq!(at.store.review(&at.owner, ReviewId(987_654)).await.unwrap(), None);
}

pub async fn a_review_item_needs_no_memory(at: &StoreFixture) {
    let item =
        NewReview { kind: ReviewKind::Flag, reason: "look".into(), details: fields(json!({})) };
    let id = raise(at, 1, Change::RaiseReview { item, subject: None, against: None }).await;
    let item = read(at, id).await;
    assert_eq!((item.subject, item.against), (None, None));
}

pub async fn a_review_item_is_decided_once(at: &StoreFixture) {
    let (a, b) = (at.remember("a").await, at.remember("b").await);
    for resolution in Resolution::ALL {
        let id = raise(at, 1, contradiction(a, b)).await;
        let resolve = |resolution| vec![Change::ResolveReview { review: id, resolution }];
        at.commit(batch_by("bob", moment(7), resolve(resolution))).await;
        let decided =
            ReviewState::Resolved { resolution, by: AgentName::new("bob"), at: moment(7) };
        assert_eq!(read(at, id).await.state, decided);
        let late =
            at.expect_refused(batch_by("eve", moment(8), resolve(Resolution::KeepBoth))).await;
        assert!(matches!(late, WriteError::Conflict(Conflict::ReviewResolved)), "{late:?}");
        assert_eq!(read(at, id).await.state, decided);
    }
}

pub async fn review_items_are_listed_by_state_kind_and_memory_newest_first(at: &StoreFixture) {
    let (a, b, c) = (at.remember("a").await, at.remember("b").await, at.remember("c").await);
    let first = raise(at, 1, contradiction(a, b)).await;
    let second = raise(at, 2, contradiction(b, c)).await;
    let item =
        NewReview { kind: ReviewKind::Flag, reason: "wrong".into(), details: fields(json!({})) };
    let third =
        raise(at, 3, Change::RaiseReview { item, subject: Some(Ref::Id(c)), against: None }).await;
    at.write(vec![Change::ResolveReview { review: first, resolution: Resolution::Confirm }]).await;
    let all = ReviewQuery::default;
    for (query, found) in [
        (all(), vec![third, second, first]),
        (ReviewQuery { open_only: true, ..all() }, vec![third, second]),
        (ReviewQuery { kind: Some(ReviewKind::Contradiction), ..all() }, vec![second, first]),
        (ReviewQuery { memories: Some(vec![b]), ..all() }, vec![second, first]),
        (ReviewQuery { memories: Some(vec![c, a]), ..all() }, vec![third, second, first]),
        (ReviewQuery { memories: Some(vec![]), ..all() }, vec![]),
        (ReviewQuery { memories: Some(vec![b]), open_only: true, ..all() }, vec![second]),
    ] {
        let listing = at.store.reviews(&at.owner, &query, full_page()).await.unwrap();
        let ids: Vec<ReviewId> = listing.items.iter().map(|item| item.id).collect();
        assert_eq!((ids.as_slice(), listing.total), (found.as_slice(), found.len()), "{query:?}");
    }
    let page = at.store.reviews(&at.owner, &all(), Page { limit: 1, offset: 2 }).await.unwrap();
    assert_eq!((page.items[0].id, page.total), (first, 3));
}

pub async fn a_flag_counts_until_it_is_settled(at: &StoreFixture) {
    let (memory, other) = (at.remember("flagged").await, at.remember("other").await);
    at.write_at(1, vec![complaint(memory, "wrong")]).await;
    let results =
        at.commit(batch_by("bob", moment(2), vec![complaint(memory, "outdated")])).await.results;
    let ChangeResult::Flag(id) = results[0] else { panic!("expected a flag, got {results:?}") };
    assert_eq!((at.memory(memory).await.flags, at.memory(other).await.flags), (2, 0));
    let newest = flag(id, memory, "outdated", false);
    assert_eq!(at.store.flags(&at.owner, memory).await.unwrap()[0], newest);
    at.write_at(5, vec![Change::SettleFlags { memory }]).await;
    assert_eq!(at.memory(memory).await.flags, 0);
    let flags = at.store.flags(&at.owner, memory).await.unwrap();
    assert_eq!(
        (flags.len(), flags.iter().all(|flag| flag.settled)),
        (2, true),
        "settled, not removed"
    );
    at.write_at(6, vec![complaint(memory, "wrong again")]).await;
    assert_eq!(at.memory(memory).await.flags, 1);
}

pub async fn settling_a_memory_without_flags_is_fine(at: &StoreFixture) {
    let memory = at.remember("not flagged").await;
    assert_eq!(at.apply(Change::SettleFlags { memory }).await, ChangeResult::Done);
}

pub async fn a_decided_item_is_open_again_once_it_is_reopened(at: &StoreFixture) {
    let (a, b) = (at.remember("a").await, at.remember("b").await);
    let id = raise(at, 1, contradiction(a, b)).await;
    let early = at
        .expect_refused(batch_by("ada", moment(2), vec![Change::ReopenReview { review: id }]))
        .await;
    assert!(matches!(early, WriteError::Conflict(Conflict::ReviewOpen)), "{early:?}");
    let before = fields(json!({"memories": [[a.0, "active", null]]}));
    at.write(vec![
        Change::ResolveReview { review: id, resolution: Resolution::Reject },
        Change::SaveUndoState { review: id, before: before.clone() },
    ])
    .await;
    assert_eq!(at.store.review_undo_state(&at.owner, id).await.unwrap(), before);
    at.write(vec![Change::ReopenReview { review: id }]).await;
    assert_eq!(read(at, id).await.state, ReviewState::Open);
    assert_eq!(at.store.review_undo_state(&at.owner, id).await.unwrap(), fields(json!({})));
}

pub async fn a_memory_is_restored_to_its_earlier_status(at: &StoreFixture) {
    let memory = at.remember("was proposed").await;
    at.write_at(3, vec![Change::SetStatus { memory: Ref::Id(memory), status: Status::Rejected }])
        .await;
    let put_back = |status, ended_at| vec![Change::RestoreStatus { memory, status, ended_at }];
    at.write_at(4, put_back(Status::Proposed, None)).await;
    let restored = at.memory(memory).await;
    assert_eq!(
        (restored.status, restored.ended_at, restored.updated_at),
        (Status::Proposed, None, moment(4))
    );
    at.write_at(5, put_back(Status::Superseded, Some(moment(2)))).await;
    assert_eq!(at.memory(memory).await.ended_at, Some(moment(2)));
}

pub async fn flags_that_were_settled_are_opened_again(at: &StoreFixture) {
    let memory = at.remember("flagged").await;
    let results = at.write(vec![complaint(memory, "one"), complaint(memory, "two")]).await.results;
    let ChangeResult::Flag(first) = results[0] else { panic!("expected a flag, got {results:?}") };
    at.write(vec![Change::SettleFlags { memory }]).await;
    at.write(vec![Change::ReopenFlags { memory, flags: vec![first, FlagId(987_654)] }]).await;
    assert_eq!(at.memory(memory).await.flags, 1);
    let open: Vec<FlagId> = at
        .store
        .flags(&at.owner, memory)
        .await
        .unwrap()
        .into_iter()
        .filter(|flag| !flag.settled)
        .map(|flag| flag.id)
        .collect();
    assert_eq!(open, [first]);
}

fn flag(id: FlagId, memory: model::MemoryId, reason: &str, settled: bool) -> Flag {
    Flag {
        id,
        memory,
        reason: reason.to_owned(),
        by: AgentName::new("bob"),
        at: moment(2),
        settled,
    }
}
