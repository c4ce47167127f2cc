//! Review items: a decision changes both sides at once, and only the owner may overrule what the
//! owner typed.

use crate::fixture::{EngineFixture, agent, fields, from_origin, owner, refused};
use engine::Caller;
use engine::profile::PatchProfileRequest;
use engine::review::{FlagMemoryRequest, ListReviewsRequest, ResolveReviewRequest, ReviewView};
use model::{
    ErrorCode, Failure, JsonMap, LinkKind, MemoryId, NewReview, Origin, OwnerId, Resolution,
    ReviewId, ReviewKind, ReviewState, Status,
};
use serde_json::{Value, json};
use store::{Change, ChangeResult, Ref};

struct Dispute {
    review: ReviewId,
    subject: MemoryId,
    against: MemoryId,
}

/// Creates two memories that disagree, with a review item.
async fn dispute(fixture: &EngineFixture, kind: ReviewKind, against: Origin) -> Dispute {
    let against = fixture.add("claude", "The port is 22.", from_origin(against)).await;
    let status = if kind == ReviewKind::Proposal { Status::Proposed } else { Status::Active };
    let subject = fixture.add("codex", "The port is 2222.", |add| add.memory.status = status).await;
    let item = NewReview { kind, reason: "both name a port".into(), details: JsonMap::new() };
    let (source, target) = (Ref::Id(subject), Ref::Id(against));
    let made = fixture
        .write(
            "codex",
            vec![
                Change::Link { source, target, kind: LinkKind::Contradicts, weight: 1.0 },
                Change::RaiseReview { item, subject: Some(source), against: Some(target) },
            ],
        )
        .await;
    let ChangeResult::Review(review) = made[1] else { panic!("a review item, not {:?}", made[1]) };
    Dispute { review, subject, against }
}

async fn resolve(
    fixture: &EngineFixture,
    caller: &Caller,
    review: ReviewId,
    resolution: Resolution,
) -> Result<ReviewView, Failure> {
    fixture.engine.reviews().resolve(caller, &ResolveReviewRequest::new(review, resolution)).await
}

async fn statuses(fixture: &EngineFixture, dispute: &Dispute) -> (Status, Status) {
    (fixture.memory(dispute.subject).await.status, fixture.memory(dispute.against).await.status)
}

#[tokio::test]
async fn a_decision_on_a_contradiction_changes_both_sides() {
    for (resolution, expected) in [
        (Resolution::Confirm, (Status::Active, Status::Superseded)),
        (Resolution::Reject, (Status::Rejected, Status::Active)),
        (Resolution::KeepBoth, (Status::Active, Status::Active)),
    ] {
        let fixture = EngineFixture::new().await;
        let dispute = dispute(&fixture, ReviewKind::Contradiction, Origin::Agent).await;
        let decided = resolve(&fixture, &agent("codex"), dispute.review, resolution).await.unwrap();
        assert_eq!(statuses(&fixture, &dispute).await, expected, "{resolution:?}");
        assert!(
            matches!(decided.item.state, ReviewState::Resolved { .. }),
            "{:?}",
            decided.item.state
        );
        assert_eq!(decided.subject.unwrap().status, expected.0);
        let links = fixture.store.links(&OwnerId::me(), dispute.subject).await.unwrap().outgoing;
        let kinds: Vec<LinkKind> = links.iter().map(|link| link.kind).collect();
        match resolution {
            Resolution::Confirm => assert!(kinds.contains(&LinkKind::Supersedes), "{kinds:?}"),
            Resolution::Reject => assert_eq!(kinds, [LinkKind::Contradicts]),
            Resolution::KeepBoth => assert_eq!(kinds, [LinkKind::RelatedTo]),
        }
    }
}

#[tokio::test]
async fn a_proposal_takes_effect_only_when_it_is_confirmed_or_kept() {
    for (resolution, expected) in [
        (Resolution::Confirm, (Status::Active, Status::Superseded)),
        (Resolution::Reject, (Status::Rejected, Status::Active)),
        (Resolution::KeepBoth, (Status::Active, Status::Active)),
    ] {
        let fixture = EngineFixture::new().await;
        let dispute = dispute(&fixture, ReviewKind::Proposal, Origin::Stated).await;
        resolve(&fixture, &agent("codex"), dispute.review, resolution).await.unwrap();
        assert_eq!(statuses(&fixture, &dispute).await, expected, "{resolution:?}");
    }
}

#[tokio::test]
async fn only_the_owner_decides_a_proposal_against_what_the_owner_typed() {
    let fixture = EngineFixture::new().await;
    let dispute = dispute(&fixture, ReviewKind::Proposal, Origin::Typed).await;
    for resolution in Resolution::ALL {
        let answer = resolve(&fixture, &agent("codex"), dispute.review, resolution).await;
        assert!(refused(answer, ErrorCode::ConsentRequired).contains("owner"));
    }
    assert_eq!(statuses(&fixture, &dispute).await, (Status::Proposed, Status::Active));
    resolve(&fixture, &owner(), dispute.review, Resolution::Confirm).await.unwrap();
    assert_eq!(statuses(&fixture, &dispute).await, (Status::Active, Status::Superseded));
}

#[tokio::test]
async fn an_agent_cannot_overrule_what_the_owner_typed_through_a_contradiction() {
    let fixture = EngineFixture::new().await;
    let dispute = dispute(&fixture, ReviewKind::Contradiction, Origin::Typed).await;
    let answer = resolve(&fixture, &agent("codex"), dispute.review, Resolution::Confirm).await;
    refused(answer, ErrorCode::ConsentRequired);
    resolve(&fixture, &agent("codex"), dispute.review, Resolution::Reject).await.unwrap();
    assert_eq!(statuses(&fixture, &dispute).await, (Status::Rejected, Status::Active));
}

#[tokio::test]
async fn a_confirmed_proposal_replaces_a_newer_version_too() {
    let fixture = EngineFixture::new().await;
    let dispute = dispute(&fixture, ReviewKind::Proposal, Origin::Stated).await;
    let newer = fixture.add("claude", "The port is 23.", from_origin(Origin::Stated)).await;
    fixture
        .write("claude", vec![Change::Supersede { old: dispute.against, new: Ref::Id(newer) }])
        .await;
    resolve(&fixture, &owner(), dispute.review, Resolution::Confirm).await.unwrap();
    assert_eq!(fixture.memory(newer).await.status, Status::Superseded);
    assert_eq!(fixture.memory(dispute.subject).await.status, Status::Active);
}

#[tokio::test]
async fn an_item_is_decided_only_once() {
    let fixture = EngineFixture::new().await;
    let dispute = dispute(&fixture, ReviewKind::Contradiction, Origin::Agent).await;
    resolve(&fixture, &agent("codex"), dispute.review, Resolution::Confirm).await.unwrap();
    let again = resolve(&fixture, &agent("claude"), dispute.review, Resolution::Reject).await;
    let message = refused(again, ErrorCode::Conflict);
    assert!(message.contains("confirm by codex"), "{message}");
    assert_eq!(statuses(&fixture, &dispute).await, (Status::Active, Status::Superseded));
    refused(
        resolve(&fixture, &owner(), ReviewId(99), Resolution::Reject).await,
        ErrorCode::NotFound,
    );
}

#[tokio::test]
async fn a_listing_has_both_texts_and_only_open_items() {
    let fixture = EngineFixture::new().await;
    let dispute = dispute(&fixture, ReviewKind::Contradiction, Origin::Agent).await;
    let listed = fixture
        .engine
        .reviews()
        .list(&agent("codex"), &ListReviewsRequest::default())
        .await
        .unwrap();
    assert_eq!(listed.total, 1);
    let texts = [&listed.items[0].subject, &listed.items[0].against]
        .map(|side| side.as_ref().unwrap().text.clone());
    assert_eq!(texts, ["The port is 2222.", "The port is 22."]);
    resolve(&fixture, &agent("codex"), dispute.review, Resolution::KeepBoth).await.unwrap();
    let open = fixture
        .engine
        .reviews()
        .list(&agent("codex"), &ListReviewsRequest::default())
        .await
        .unwrap();
    assert_eq!(open.total, 0);
    let all = ListReviewsRequest { decided: true, ..ListReviewsRequest::default() };
    assert_eq!(fixture.engine.reviews().list(&agent("codex"), &all).await.unwrap().total, 1);
}

#[tokio::test]
async fn a_decision_settles_all_flags_of_a_memory() {
    for (resolution, expected) in [
        (Resolution::Confirm, Status::Rejected),
        (Resolution::Reject, Status::Active),
        (Resolution::KeepBoth, Status::Active),
    ] {
        let fixture = EngineFixture::new().await;
        let memory = fixture.add("codex", "The port is 22.", |_| {}).await;
        let flag = |reason: &str| FlagMemoryRequest { memory, reason: reason.to_owned() };
        let first =
            fixture.engine.reviews().flag(&agent("claude"), &flag("it is 2222")).await.unwrap();
        let second =
            fixture.engine.reviews().flag(&agent("cursor"), &flag("outdated")).await.unwrap();
        assert_eq!(second.review, first.review, "one item covers all flags of a memory");
        assert_eq!(fixture.memory(memory).await.flags, 2);
        resolve(&fixture, &agent("codex"), first.review, resolution).await.unwrap();
        let decided = fixture.memory(memory).await;
        assert_eq!((decided.status, decided.flags), (expected, 0), "{resolution:?}");
    }
}

#[tokio::test]
async fn only_the_owner_confirms_a_flag_on_what_the_owner_typed() {
    let fixture = EngineFixture::new().await;
    let memory = fixture.add("me", "The port is 22.", from_origin(Origin::Typed)).await;
    let flag = FlagMemoryRequest { memory, reason: "I think not".into() };
    let review = fixture.engine.reviews().flag(&agent("codex"), &flag).await.unwrap().review;
    refused(
        resolve(&fixture, &agent("codex"), review, Resolution::Confirm).await,
        ErrorCode::ConsentRequired,
    );
    resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    assert_eq!(fixture.memory(memory).await.status, Status::Rejected);
}

#[tokio::test]
async fn a_flag_needs_a_memory_and_a_reason_of_bounded_length() {
    let fixture = EngineFixture::new().await;
    let memory = fixture.add("codex", "The port is 22.", |_| {}).await;
    let flag = async |memory, reason: String| {
        fixture.engine.reviews().flag(&agent("codex"), &FlagMemoryRequest { memory, reason }).await
    };
    refused(flag(memory, " ".into()).await, ErrorCode::InvalidArgument);
    refused(flag(memory, "a".repeat(2_001)).await, ErrorCode::LimitExceeded);
    refused(flag(MemoryId(99), "wrong".into()).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_proposed_profile_change_is_applied_when_the_owner_confirms_it() {
    let fixture = EngineFixture::new().await;
    let patch = |value: Value| PatchProfileRequest { patch: fields(value), reason: None };
    fixture.engine.profile().patch(&owner(), &patch(json!({"name": "Ada"}))).await.unwrap();
    let proposed = fixture
        .engine
        .profile()
        .patch(&agent("codex"), &patch(json!({"name": "Eve"})))
        .await
        .unwrap();
    let review = proposed.review.unwrap();
    refused(
        resolve(&fixture, &agent("codex"), review, Resolution::Confirm).await,
        ErrorCode::ConsentRequired,
    );
    refused(
        resolve(&fixture, &owner(), review, Resolution::KeepBoth).await,
        ErrorCode::InvalidArgument,
    );
    resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    let profile = fixture.engine.profile().get(&owner()).await.unwrap().unwrap();
    assert_eq!(profile.data["name"], json!("Eve"));
}
