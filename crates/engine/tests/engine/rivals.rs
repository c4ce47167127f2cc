//! Rivals: several memories that contradict each other. Decisions on their items end in the same
//! state in any order, and the listing shows them as one item.

use crate::fixture::{EngineFixture, agent, from_origin, owner, refused};
use engine::CallerAccess;
use engine::grants::SetGrantRequest;
use engine::recall::RecallRequest;
use engine::review::{
    DecisionScope, FlagMemoryRequest, ListReviewsRequest, ResolveReviewRequest, ReviewView,
};
use model::{
    AgentName, ErrorCode, JsonMap, LinkKind, MemoryId, NewReview, Origin, OwnerId, Permission,
    Resolution, ReviewId, ReviewKind, ReviewState, Status,
};
use store::{Change, ChangeResult, Ref};

/// Rival memories, oldest first.
pub struct RivalMemories {
    pub fixture: EngineFixture,
    pub ids: Vec<MemoryId>,
}

impl RivalMemories {
    /// Writes some memories with different values.
    pub async fn new(count: usize) -> Self {
        let (fixture, mut ids) = (EngineFixture::new().await, Vec::new());
        for number in 0..count {
            ids.push(fixture.add("codex", &format!("The port is {number}."), |_| {}).await);
        }
        Self { fixture, ids }
    }

    /// Raises a contradiction between two of the memories, by their positions.
    pub async fn contradict(&self, subject: usize, against: usize) -> ReviewId {
        let reason = "both name a port".into();
        let item = NewReview { kind: ReviewKind::Contradiction, reason, details: JsonMap::new() };
        let (source, target) = (Ref::Id(self.ids[subject]), Ref::Id(self.ids[against]));
        let kind = LinkKind::Contradicts;
        let raise = Change::RaiseReview { item, subject: Some(source), against: Some(target) };
        let link = Change::Link { source, target, kind, weight: 1.0 };
        let made = self.fixture.write("codex", vec![link, raise]).await;
        let ChangeResult::Review(id) = made[1] else { panic!("a review item, not {made:?}") };
        id
    }

    /// Decides one item alone.
    pub async fn decide(&self, review: ReviewId, resolution: Resolution) -> ReviewView {
        let request = ResolveReviewRequest { review, resolution, scope: DecisionScope::Item };
        self.fixture.engine.reviews().resolve(&owner(), &request).await.unwrap()
    }

    /// Decides an item as the listing shows it.
    pub async fn decide_shown(&self, review: ReviewId, resolution: Resolution) -> ReviewView {
        let request = ResolveReviewRequest::new(review, resolution);
        self.fixture.engine.reviews().resolve(&owner(), &request).await.unwrap()
    }

    pub async fn statuses(&self) -> Vec<Status> {
        let mut statuses = Vec::new();
        for id in &self.ids {
            statuses.push(self.fixture.memory(*id).await.status);
        }
        statuses
    }

    pub async fn open(&self) -> Vec<ReviewView> {
        let all = ListReviewsRequest::default();
        self.fixture.engine.reviews().list(&owner(), &all).await.unwrap().items
    }
}

#[tokio::test]
async fn confirming_three_rivals_in_the_order_they_are_listed_leaves_the_newest_current() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let rivals = RivalMemories::new(3).await;
        let items = [
            rivals.contradict(1, 0).await,
            rivals.contradict(2, 0).await,
            rivals.contradict(2, 1).await,
        ];
        for position in order {
            rivals.decide(items[position], Resolution::Confirm).await;
        }
        assert_eq!(
            rivals.statuses().await,
            [Status::Superseded, Status::Superseded, Status::Active],
            "{order:?}"
        );
    }
}

#[tokio::test]
async fn a_rejected_memory_stays_rejected_whatever_is_decided_afterwards() {
    for other in Resolution::ALL {
        for order in [[0, 1], [1, 0]] {
            let rivals = RivalMemories::new(3).await;
            let items = [rivals.contradict(1, 0).await, rivals.contradict(2, 1).await];
            let resolutions = [Resolution::Reject, other];
            for position in order {
                rivals.decide(items[position], resolutions[position]).await;
            }
            let statuses = rivals.statuses().await;
            assert_eq!(statuses[..2], [Status::Active, Status::Rejected], "{other:?} {order:?}");
        }
    }
}

#[tokio::test]
async fn rejecting_a_memory_makes_what_it_replaced_current_again() {
    let rivals = RivalMemories::new(3).await;
    let (over_first, over_second) = (rivals.contradict(2, 0).await, rivals.contradict(2, 1).await);
    rivals.decide(over_first, Resolution::Confirm).await;
    rivals.decide(over_second, Resolution::Reject).await;
    assert_eq!(rivals.statuses().await, [Status::Active, Status::Active, Status::Rejected]);
    let links = rivals.fixture.store.links(&OwnerId::me(), rivals.ids[0]).await.unwrap();
    assert!(links.incoming.iter().all(|link| link.kind != LinkKind::Supersedes), "{links:?}");
    let (memories, query) = (rivals.fixture.engine.memories(), RecallRequest::query("port"));
    assert_eq!(memories.recall(&owner(), &query).await.unwrap().hits.len(), 2);
}

#[tokio::test]
async fn a_confirmed_flag_on_the_memory_that_won_makes_the_other_one_current_again() {
    let rivals = RivalMemories::new(2).await;
    let item = rivals.contradict(1, 0).await;
    rivals.decide(item, Resolution::Confirm).await;
    let flag = FlagMemoryRequest { memory: rivals.ids[1], reason: "a typing error".into() };
    let flagged = rivals.fixture.engine.reviews().flag(&owner(), &flag).await.unwrap();
    rivals.decide(flagged.review, Resolution::Confirm).await;
    assert_eq!(rivals.statuses().await, [Status::Active, Status::Rejected]);
    rivals.fixture.engine.reviews().undo(&owner(), flagged.review).await.unwrap();
    assert_eq!(rivals.statuses().await, [Status::Superseded, Status::Active]);
}

#[tokio::test]
async fn a_confirmation_of_a_corrected_memory_leads_to_its_current_version() {
    let rivals = RivalMemories::new(2).await;
    let item = rivals.contradict(1, 0).await;
    let corrected = rivals.fixture.add("codex", "The port is 81.", |_| {}).await;
    let correction = Change::Supersede { old: rivals.ids[1], new: Ref::Id(corrected) };
    rivals.fixture.write("codex", vec![correction]).await;
    rivals.decide(item, Resolution::Confirm).await;
    assert_eq!(rivals.statuses().await, [Status::Superseded, Status::Superseded]);
    let memories = rivals.fixture.engine.memories();
    let versions = memories.versions(&owner(), rivals.ids[0]).await.unwrap();
    assert_eq!(versions.latest, corrected);
}

#[tokio::test]
async fn a_confirmation_of_a_retired_memory_ends_nothing() {
    let rivals = RivalMemories::new(2).await;
    let item = rivals.contradict(1, 0).await;
    rivals.fixture.engine.memories().retire(&owner(), &rivals.ids[1..]).await.unwrap();
    rivals.decide(item, Resolution::Confirm).await;
    assert_eq!(rivals.statuses().await, [Status::Active, Status::Retired]);
}

#[tokio::test]
async fn simultaneous_decisions_end_in_the_same_state_too() {
    let rivals = RivalMemories::new(3).await;
    let items = [
        (rivals.contradict(1, 0).await, Resolution::Confirm),
        (rivals.contradict(2, 0).await, Resolution::Confirm),
        (rivals.contradict(2, 1).await, Resolution::Reject),
    ];
    let mut deciding = tokio::task::JoinSet::new();
    for (review, resolution) in items {
        let engine = rivals.fixture.reopen(None);
        let request = ResolveReviewRequest { review, resolution, scope: DecisionScope::Item };
        deciding.spawn(async move {
            while let Err(failure) = engine.reviews().resolve(&owner(), &request).await {
                assert_eq!(failure.code, ErrorCode::Conflict, "{failure}");
            }
        });
    }
    deciding.join_all().await;
    assert_eq!(rivals.statuses().await, [Status::Superseded, Status::Active, Status::Rejected]);
}

#[tokio::test]
async fn decisions_are_undone_in_any_order() {
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]] {
        let rivals = RivalMemories::new(3).await;
        let items = [
            rivals.contradict(1, 0).await,
            rivals.contradict(2, 0).await,
            rivals.contradict(2, 1).await,
        ];
        let resolutions = [Resolution::Confirm, Resolution::Confirm, Resolution::Reject];
        for (item, resolution) in items.into_iter().zip(resolutions) {
            rivals.decide(item, resolution).await;
        }
        let undo = async |position: usize| {
            rivals.fixture.engine.reviews().undo(&owner(), items[position]).await.unwrap()
        };
        undo(order[0]).await;
        let again = rivals.decide(items[order[0]], resolutions[order[0]]).await;
        assert!(matches!(again.item.state, ReviewState::Resolved { .. }));
        assert_eq!(
            rivals.statuses().await,
            [Status::Superseded, Status::Active, Status::Rejected],
            "{order:?}"
        );
        for position in order {
            undo(position).await;
        }
        assert_eq!(rivals.statuses().await, [Status::Active; 3], "{order:?}");
        for id in &rivals.ids {
            assert_eq!(rivals.fixture.memory(*id).await.ended_at, None);
            let links = rivals.fixture.store.links(&OwnerId::me(), *id).await.unwrap().outgoing;
            assert!(links.iter().all(|link| link.kind == LinkKind::Contradicts), "{links:?}");
        }
    }
}

#[tokio::test]
async fn undoing_restores_a_proposal_whichever_of_its_decisions_is_undone_first() {
    for order in [[0, 1], [1, 0]] {
        let rivals = RivalMemories::new(2).await;
        let proposal = rivals
            .fixture
            .add("codex", "The port is 90.", |add| add.memory.status = Status::Proposed)
            .await;
        let mut items = Vec::new();
        for against in &rivals.ids {
            let item = NewReview {
                kind: ReviewKind::Proposal,
                reason: "another port".into(),
                details: JsonMap::new(),
            };
            let (subject, against) = (Some(Ref::Id(proposal)), Some(Ref::Id(*against)));
            let raise = Change::RaiseReview { item, subject, against };
            let made = rivals.fixture.write("codex", vec![raise]).await;
            let ChangeResult::Review(id) = made[0] else { panic!("a review item, not {made:?}") };
            items.push(id);
        }
        rivals.decide(items[0], Resolution::Confirm).await;
        rivals.decide(items[1], Resolution::Reject).await;
        assert_eq!(rivals.fixture.memory(proposal).await.status, Status::Rejected);
        assert_eq!(rivals.statuses().await, [Status::Active, Status::Active]);
        for position in order {
            rivals.fixture.engine.reviews().undo(&owner(), items[position]).await.unwrap();
        }
        assert_eq!(rivals.fixture.memory(proposal).await.status, Status::Proposed, "{order:?}");
    }
}

#[tokio::test]
async fn an_agent_may_not_end_what_the_owner_typed_through_rivals() {
    let fixture = EngineFixture::new().await;
    let typed = fixture.add("me", "The port is 1.", from_origin(Origin::Typed)).await;
    let mut rivals = RivalMemories { fixture, ids: vec![typed] };
    for number in 2..4 {
        let text = format!("The port is {number}.");
        rivals.ids.push(rivals.fixture.add("codex", &text, |_| {}).await);
    }
    rivals.contradict(1, 0).await;
    let shown = rivals.contradict(2, 1).await;
    let request = ResolveReviewRequest::new(shown, Resolution::Confirm);
    let answer = rivals.fixture.engine.reviews().resolve(&agent("codex"), &request).await;
    refused(answer, ErrorCode::ConsentRequired);
    assert_eq!(rivals.statuses().await, [Status::Active; 3]);
}

#[tokio::test]
async fn rivals_are_listed_as_one_item_newest_first() {
    let rivals = RivalMemories::new(5).await;
    rivals.contradict(1, 0).await;
    let newest = rivals.contradict(2, 1).await;
    rivals.contradict(2, 0).await;
    let apart = rivals.contradict(4, 3).await;
    let open = rivals.open().await;
    let ids: Vec<ReviewId> = open.iter().map(|view| view.item.id).collect();
    assert_eq!(ids, [apart, newest]);
    let found: Vec<MemoryId> = open[1].rivals().iter().map(|memory| memory.id).collect();
    assert_eq!(found, [rivals.ids[2], rivals.ids[1], rivals.ids[0]]);
    assert_eq!(open[1].folded.len(), 2);
    let listing = ListReviewsRequest { limit: Some(1), offset: 1, ..Default::default() };
    let page = rivals.fixture.engine.reviews().list(&owner(), &listing).await.unwrap();
    assert_eq!((page.total, page.items[0].item.id), (2, newest));
    let of_one = ListReviewsRequest { memory: Some(rivals.ids[0]), ..Default::default() };
    let page = rivals.fixture.engine.reviews().list(&owner(), &of_one).await.unwrap();
    assert_eq!((page.total, page.items[0].item.id), (1, newest));
    let briefing = rivals.fixture.engine.memories().briefing(&owner(), &Default::default()).await;
    assert_eq!(briefing.unwrap().inventory.reviews, 2);
}

#[tokio::test]
async fn a_decision_on_the_shown_item_settles_all_rivals() {
    for (resolution, expected) in [
        (Resolution::Confirm, [Status::Superseded, Status::Superseded, Status::Active]),
        (Resolution::KeepBoth, [Status::Active; 3]),
    ] {
        let rivals = RivalMemories::new(3).await;
        rivals.contradict(1, 0).await;
        let shown = rivals.contradict(2, 1).await;
        let decided = rivals.decide_shown(shown, resolution).await;
        assert_eq!(decided.folded.len(), 1);
        assert_eq!(rivals.statuses().await, expected, "{resolution:?}");
        assert!(rivals.open().await.is_empty());
        rivals.fixture.engine.reviews().undo(&owner(), shown).await.unwrap();
        assert_eq!(rivals.statuses().await, [Status::Active; 3], "{resolution:?}");
        assert_eq!(rivals.open().await[0].folded.len(), 1);
    }
}

#[tokio::test]
async fn rejecting_the_shown_item_leaves_the_question_between_the_others() {
    let rivals = RivalMemories::new(3).await;
    let between = rivals.contradict(1, 0).await;
    rivals.contradict(2, 0).await;
    let shown = rivals.contradict(2, 1).await;
    let decided = rivals.decide_shown(shown, Resolution::Reject).await;
    assert_eq!(decided.folded.len(), 1, "both items of the newest are decided");
    assert_eq!(rivals.statuses().await, [Status::Active, Status::Active, Status::Rejected]);
    let open: Vec<ReviewId> = rivals.open().await.iter().map(|view| view.item.id).collect();
    assert_eq!(open, [between]);
}

#[tokio::test]
async fn an_item_closes_by_itself_when_its_sides_were_replaced_by_the_same_memory() {
    let rivals = RivalMemories::new(3).await;
    let between = rivals.contradict(1, 0).await;
    let over_first = rivals.contradict(2, 0).await;
    let over_second = rivals.contradict(2, 1).await;
    rivals.decide(over_first, Resolution::Confirm).await;
    assert_eq!(rivals.open().await.len(), 1, "the second still contradicts the third");
    rivals.decide(over_second, Resolution::Confirm).await;
    assert!(rivals.open().await.is_empty());
    let reviews = rivals.fixture.engine.reviews();
    assert!(reviews.get(&owner(), between).await.unwrap().is_settled);
    reviews.undo(&owner(), over_second).await.unwrap();
    let open: Vec<ReviewId> = rivals.open().await.iter().map(|view| view.item.id).collect();
    assert_eq!(open, [over_second], "with the other one folded into it");
}

#[tokio::test]
async fn a_contradiction_closes_when_one_side_is_replaced_and_opens_when_that_is_undone() {
    let rivals = RivalMemories::new(2).await;
    let item = rivals.contradict(1, 0).await;
    let other = rivals.fixture.add("codex", "The harbour is closed.", |_| {}).await;
    let replaced = Change::Supersede { old: rivals.ids[0], new: Ref::Id(other) };
    rivals.fixture.write("codex", vec![replaced]).await;
    assert!(rivals.open().await.is_empty());
    let reviews = rivals.fixture.engine.reviews();
    assert!(reviews.get(&owner(), item).await.unwrap().is_settled);
    rivals.fixture.engine.memories().unretire(&owner(), &[rivals.ids[0]]).await.unwrap();
    assert_eq!(rivals.open().await.len(), 1, "both hold again");
}

#[tokio::test]
async fn a_result_under_review_names_what_it_contradicts() {
    let rivals = RivalMemories::new(3).await;
    let item = rivals.contradict(1, 0).await;
    let marks = async || {
        let query = RecallRequest::query("port");
        let mut hits =
            rivals.fixture.engine.memories().recall(&owner(), &query).await.unwrap().hits;
        hits.sort_by_key(|hit| hit.memory.id);
        hits.into_iter().map(|hit| hit.under_review).collect::<Vec<_>>()
    };
    let found = marks().await;
    let (older, newer) = (found[0].clone().unwrap(), found[1].clone().unwrap());
    assert_eq!((older.others, newer.others.clone()), (vec![rivals.ids[1]], vec![rivals.ids[0]]));
    assert_eq!(newer.description(), format!("contradicts {}", rivals.ids[0]));
    assert_eq!((newer.review, &found[2]), (item, &None));
    rivals.decide(item, Resolution::Confirm).await;
    assert_eq!(marks().await, [None, None]);
}

#[tokio::test]
async fn of_two_results_under_review_the_newer_comes_first_and_the_older_names_it() {
    let rivals = RivalMemories::new(0).await;
    let old = rivals.fixture.add("codex", "The staging port is 5433.", |_| {}).await;
    let text = "Ada painted a port with three ships on the wall of the staging room.";
    let new = rivals.fixture.add("codex", text, |_| {}).await;
    let rivals = RivalMemories { ids: vec![old, new], ..rivals };
    let recalled = async || {
        let query = RecallRequest::query("What is the staging port?");
        let hits = rivals.fixture.engine.memories().recall(&owner(), &query).await.unwrap().hits;
        hits.into_iter().map(|hit| (hit.memory.id, hit.newer)).collect::<Vec<_>>()
    };
    assert_eq!(recalled().await, [(old, None), (new, None)], "nothing is known of the two");
    rivals.contradict(1, 0).await;
    assert_eq!(recalled().await, [(new, None), (old, Some(new))]);
}

#[tokio::test]
async fn a_mark_does_not_reveal_what_the_agent_may_not_read() {
    let rivals = RivalMemories::new(1).await;
    let hidden = rivals
        .fixture
        .add("codex", "The secret port is 7.", |add| add.memory.collection = "diary".into())
        .await;
    let rivals = RivalMemories { ids: vec![rivals.ids[0], hidden], ..rivals };
    rivals.contradict(1, 0).await;
    let engine = &rivals.fixture.engine;
    let reader = agent("reader").with_reach(CallerAccess::Credential(Permission::Read));
    let grants = ["vectors/memories", "memory"].map(|resource| SetGrantRequest {
        agent: AgentName::new("reader"),
        resource: resource.into(),
        permission: Permission::Read,
    });
    engine.admin().set_grants(&owner(), &grants).await.unwrap();
    let query = RecallRequest::query("port");
    let hits = engine.memories().recall(&reader, &query).await.unwrap().hits;
    assert_eq!((hits.len(), &hits[0].under_review), (1, &None));
    let listed = engine.reviews().list(&reader, &ListReviewsRequest::default()).await.unwrap();
    assert_eq!(listed.total, 0);
}
