//! Handoffs: one of many racing claims wins, leases expire, and only the holder completes the work.

use super::builders::{batch_by, claim, handoff, moment, step, step_in};
use super::fixture::{StoreFixture, full_page};
use model::{AgentName, Claim, ConnectionId, Handoff, HandoffId, HandoffState, NewHandoff, Page};
use store::{Change, ChangeResult, Conflict, HandoffQuery, HandoffStep, WriteError};

async fn store_handoff(at: &StoreFixture, seconds: i64, new: NewHandoff) -> HandoffId {
    match at.apply_at(seconds, Change::StoreHandoff(Box::new(new))).await {
        ChangeResult::Handoff(id) => id,
        other => panic!("expected a handoff, got {other:?}"),
    }
}

async fn apply_by(at: &StoreFixture, agent: &str, seconds: i64, change: Change) {
    at.commit(batch_by(agent, moment(seconds), vec![change])).await;
}

/// Applies a change that must conflict, and returns the handoff that the error carries.
async fn conflict(at: &StoreFixture, agent: &str, seconds: i64, change: Change) -> Handoff {
    match at.expect_refused(batch_by(agent, moment(seconds), vec![change])).await {
        WriteError::Conflict(Conflict::Handoff(shown)) => *shown,
        other => panic!("expected a conflict over a handoff, got {other:?}"),
    }
}

fn holder(handoff: &Handoff) -> Option<&str> {
    handoff.claim.as_ref().map(|claim| claim.by.as_str())
}

const RELEASE: HandoffStep = HandoffStep::Release { anyone: false };
const COMPLETE: HandoffStep = HandoffStep::Complete { anyone: false };
const CANCEL: HandoffStep = HandoffStep::Cancel { anyone: false };

pub async fn a_handoff_reads_back_as_it_was_stored(at: &StoreFixture) {
    let new = NewHandoff {
        title: "Finish the parser".into(),
        document: "## Start & Intent\nÜ".into(),
        project: Some("quipu".into()),
        cwd: Some("/src".into()),
        harness: Some("cli".into()),
        source_ref: Some("branch x".into()),
        tags: vec!["b".into(), "a".into()],
    };
    let id = store_handoff(at, 3, new.clone()).await;
    let expected = Handoff {
        id,
        title: new.title,
        document: new.document,
        project: new.project,
        cwd: new.cwd,
        harness: new.harness,
        source_ref: new.source_ref,
        tags: new.tags,
        state: HandoffState::Open,
        claim: None,
        created_by: AgentName::new("ada"),
        created_at: moment(3),
        updated_at: moment(3),
    };
    assert_eq!(at.handoff(id).await, expected);
    assert_eq!(at.store.handoff(&at.owner, HandoffId(987_654)).await.unwrap(), None);
}

pub async fn a_claim_is_a_lease_of_its_author(at: &StoreFixture) {
    let id = store_handoff(at, 1, handoff("work")).await;
    let notes =
        vec![("harness".to_owned(), "cli".to_owned()), ("cwd".to_owned(), "/src".to_owned())];
    let take = HandoffStep::Claim { until: moment(60), notes: notes.clone() };
    apply_by(at, "bob", 5, step(id, take)).await;
    let taken = at.handoff(id).await;
    let expected = Claim { by: AgentName::new("bob"), since: moment(5), until: moment(60), notes };
    assert_eq!(
        (taken.state, taken.claim, taken.updated_at),
        (HandoffState::Claimed, Some(expected), moment(5))
    );
}

pub async fn exactly_one_of_twenty_racing_claims_wins_and_the_others_see_who(at: &StoreFixture) {
    let id = store_handoff(at, 1, handoff("work")).await;
    let mut race = tokio::task::JoinSet::new();
    for n in 0..20 {
        let (store, owner) = (
            if n % 2 == 0 { at.store.clone() } else { at.second_handle.clone() },
            at.owner.clone(),
        );
        let batch = batch_by(&format!("agent {n}"), moment(5), vec![claim(id, moment(60))]);
        race.spawn(async move { (n, store.write(&owner, batch).await) });
    }
    let results = race.join_all().await;
    let winners: Vec<_> =
        results.iter().filter(|(_, result)| result.is_ok()).map(|(n, _)| *n).collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    let winner = format!("agent {}", winners[0]);
    assert_eq!(holder(&at.handoff(id).await), Some(winner.as_str()));
    for (n, result) in results.into_iter().filter(|(_, result)| result.is_err()) {
        let Err(WriteError::Conflict(Conflict::Handoff(shown))) = result else {
            panic!("agent {n}: {result:?}")
        };
        assert_eq!(holder(&shown), Some(winner.as_str()));
    }
}

pub async fn the_holder_may_claim_again_to_extend_the_lease(at: &StoreFixture) {
    let id = store_handoff(at, 1, handoff("work")).await;
    apply_by(at, "bob", 5, claim(id, moment(60))).await;
    apply_by(at, "bob", 50, claim(id, moment(120))).await;
    assert_eq!(at.handoff(id).await.claim.unwrap().until, moment(120));
    conflict(at, "eve", 100, claim(id, moment(200))).await;
}

pub async fn a_claim_belongs_to_one_session_of_its_agent(at: &StoreFixture) {
    let id = store_handoff(at, 1, handoff("work")).await;
    let take = || HandoffStep::Claim { until: moment(60), notes: Vec::new() };
    apply_by(at, "bob", 5, step_in("first", id, take())).await;
    let first = at.handoff(id).await.claim.unwrap();
    assert_eq!(first.connection(), Some(ConnectionId::process("first")));
    for way in [take(), RELEASE, COMPLETE, CANCEL] {
        let shown = conflict(at, "bob", 6, step_in("second", id, way.clone())).await;
        assert_eq!(shown.claim.as_ref(), Some(&first));
        conflict(at, "bob", 6, step(id, way)).await;
    }
    apply_by(at, "bob", 7, step_in("first", id, take())).await;
    apply_by(at, "bob", 60, step_in("second", id, take())).await;
    conflict(at, "bob", 61, step_in("first", id, COMPLETE)).await;
    apply_by(at, "bob", 62, step_in("second", id, COMPLETE)).await;
    assert_eq!(at.handoff(id).await.state, HandoffState::Completed);
}

pub async fn a_claim_that_is_renewed_keeps_its_notes(at: &StoreFixture) {
    let id = store_handoff(at, 1, handoff("work")).await;
    let note = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let take = |notes| HandoffStep::Claim { until: moment(60), notes };
    let first = vec![note("cwd", "/src"), note("harness", "cli")];
    apply_by(at, "bob", 5, step_in("p", id, take(first))).await;
    apply_by(at, "bob", 6, step_in("p", id, take(vec![note("cwd", "/other")]))).await;
    let claim = at.handoff(id).await.claim.unwrap();
    let kept: Vec<(&str, &str)> = claim.details().collect();
    assert_eq!(kept, [("cwd", "/other"), ("harness", "cli")]);
    assert_eq!(claim.since, moment(5));
}

pub async fn an_expired_lease_can_be_claimed_by_anyone(at: &StoreFixture) {
    let id = store_handoff(at, 1, handoff("work")).await;
    apply_by(at, "bob", 5, claim(id, moment(60))).await;
    assert_eq!(holder(&conflict(at, "eve", 59, claim(id, moment(90))).await), Some("bob"));
    apply_by(at, "eve", 60, claim(id, moment(90))).await;
    assert_eq!(holder(&at.handoff(id).await), Some("eve"));
    assert_eq!(holder(&conflict(at, "bob", 61, step(id, COMPLETE)).await), Some("eve"));
}

pub async fn only_the_holder_releases_unless_anyone_may(at: &StoreFixture) {
    let id = store_handoff(at, 1, handoff("work")).await;
    apply_by(at, "bob", 5, claim(id, moment(60))).await;
    assert_eq!(holder(&conflict(at, "eve", 6, step(id, RELEASE)).await), Some("bob"));
    apply_by(at, "bob", 7, step(id, RELEASE)).await;
    let free = at.handoff(id).await;
    assert_eq!((free.state, free.claim), (HandoffState::Open, None));
    apply_by(at, "eve", 8, claim(id, moment(60))).await;
    apply_by(at, "ada", 9, step(id, HandoffStep::Release { anyone: true })).await;
    assert_eq!(at.handoff(id).await.state, HandoffState::Open);
}

pub async fn only_the_holder_completes_unless_anyone_may(at: &StoreFixture) {
    let (id, other) =
        (store_handoff(at, 1, handoff("work")).await, store_handoff(at, 1, handoff("other")).await);
    assert_eq!(conflict(at, "bob", 2, step(id, COMPLETE)).await.state, HandoffState::Open);
    apply_by(at, "bob", 5, claim(id, moment(60))).await;
    assert_eq!(holder(&conflict(at, "eve", 6, step(id, COMPLETE)).await), Some("bob"));
    apply_by(at, "bob", 7, step(id, COMPLETE)).await;
    let done = at.handoff(id).await;
    assert_eq!((done.state, done.updated_at), (HandoffState::Completed, moment(7)));
    apply_by(at, "bob", 8, claim(other, moment(60))).await;
    apply_by(at, "ada", 9, step(other, HandoffStep::Complete { anyone: true })).await;
    assert_eq!(at.handoff(other).await.state, HandoffState::Completed);
}

pub async fn a_handoff_is_cancelled_unless_somebody_else_holds_it(at: &StoreFixture) {
    let (open, held) =
        (store_handoff(at, 1, handoff("open")).await, store_handoff(at, 1, handoff("held")).await);
    apply_by(at, "eve", 2, step(open, CANCEL)).await;
    assert_eq!(at.handoff(open).await.state, HandoffState::Cancelled);
    apply_by(at, "bob", 3, claim(held, moment(60))).await;
    assert_eq!(holder(&conflict(at, "eve", 4, step(held, CANCEL)).await), Some("bob"));
    apply_by(at, "ada", 5, step(held, HandoffStep::Cancel { anyone: true })).await;
    assert_eq!(at.handoff(held).await.state, HandoffState::Cancelled);
}

pub async fn a_settled_handoff_is_claimed_only_after_it_was_reopened(at: &StoreFixture) {
    for end in [HandoffStep::Complete { anyone: true }, HandoffStep::Cancel { anyone: true }] {
        let id = store_handoff(at, 1, handoff("work")).await;
        apply_by(at, "bob", 2, claim(id, moment(60))).await;
        apply_by(at, "bob", 3, step(id, end.clone())).await;
        let settled = conflict(at, "bob", 4, claim(id, moment(90))).await.state;
        assert!(matches!(settled, HandoffState::Completed | HandoffState::Cancelled), "{end:?}");
        apply_by(at, "eve", 5, step(id, HandoffStep::Reopen)).await;
        let open = at.handoff(id).await;
        assert_eq!((open.state, open.claim), (HandoffState::Open, None));
        apply_by(at, "eve", 6, claim(id, moment(90))).await;
    }
}

pub async fn only_a_settled_handoff_can_be_reopened(at: &StoreFixture) {
    let id = store_handoff(at, 1, handoff("work")).await;
    assert_eq!(
        conflict(at, "bob", 2, step(id, HandoffStep::Reopen)).await.state,
        HandoffState::Open
    );
    apply_by(at, "bob", 3, claim(id, moment(60))).await;
    assert_eq!(
        conflict(at, "bob", 4, step(id, HandoffStep::Reopen)).await.state,
        HandoffState::Claimed
    );
}

pub async fn handoffs_are_filtered_by_state_availability_and_location_newest_first(
    at: &StoreFixture,
) {
    let placed = |title: &str| NewHandoff {
        project: Some("quipu".into()),
        cwd: Some("/src".into()),
        harness: Some("cli".into()),
        ..handoff(title)
    };
    let (a, b) =
        (store_handoff(at, 1, placed("a")).await, store_handoff(at, 2, handoff("b")).await);
    let c = store_handoff(at, 3, handoff("c")).await;
    apply_by(at, "bob", 4, claim(b, moment(60))).await;
    apply_by(at, "bob", 5, step(c, CANCEL)).await;
    let all = HandoffQuery::default;
    for (query, found) in [
        (all(), vec![c, b, a]),
        (
            HandoffQuery { states: vec![HandoffState::Open, HandoffState::Claimed], ..all() },
            vec![b, a],
        ),
        (HandoffQuery { free_at: Some(moment(59)), ..all() }, vec![a]),
        (HandoffQuery { free_at: Some(moment(60)), ..all() }, vec![b, a]),
        (HandoffQuery { project: Some("quipu".into()), ..all() }, vec![a]),
        (HandoffQuery { cwd: Some("/src".into()), ..all() }, vec![a]),
        (HandoffQuery { harness: Some("cli".into()), ..all() }, vec![a]),
        (HandoffQuery { harness: Some("cl".into()), ..all() }, vec![]),
    ] {
        let listing = at.store.handoffs(&at.owner, &query, full_page()).await.unwrap();
        let ids: Vec<HandoffId> = listing.items.iter().map(|handoff| handoff.id).collect();
        assert_eq!((ids.as_slice(), listing.total), (found.as_slice(), found.len()), "{query:?}");
    }
    let page = at.store.handoffs(&at.owner, &all(), Page { limit: 1, offset: 1 }).await.unwrap();
    assert_eq!((page.items[0].id, page.total), (b, 3));
}
