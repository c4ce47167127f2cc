//! Erasing is the owner's: an agent deletes what it wrote itself, and proposes the rest.

mod fields_rows_entities;
mod purges;

use crate::fixture::{EngineFixture, agent, from_origin, owner, refused};
use engine::Caller;
use engine::correct::CorrectRequest;
use engine::edit::TagMemoriesRequest;
use engine::erasure::{Erasure, ErasureMode};
use engine::forget::{ForgetOutcome, ForgetRequest};
use engine::grants::SetGrantRequest;
use engine::recall::RecallRequest;
use engine::review::{FlagMemoryRequest, ListReviewsRequest, ResolveReviewRequest, ReviewView};
use model::{
    AgentName, Dialect, ErrorCode, Failure, MemoryId, Origin, OwnerId, Page, Permission,
    Resolution, ReviewId, ReviewState, Status, limits,
};
use store::AddMemory;

pub async fn grant_erase(fixture: &EngineFixture, agent: &str) {
    let grant = SetGrantRequest {
        agent: AgentName::new(agent),
        resource: "erase".into(),
        permission: Permission::Write,
    };
    fixture.engine.admin().set_grants(&owner(), &[grant]).await.unwrap();
}

async fn forget(fixture: &EngineFixture, caller: &Caller, ids: &[MemoryId]) -> ForgetOutcome {
    let input = ForgetRequest { memories: ids.to_vec(), ..ForgetRequest::default() };
    fixture.engine.memories().forget(caller, &input).await.unwrap()
}

async fn resolve(
    fixture: &EngineFixture,
    caller: &Caller,
    review: ReviewId,
    resolution: Resolution,
) -> Result<ReviewView, Failure> {
    fixture.engine.reviews().resolve(caller, &ResolveReviewRequest::new(review, resolution)).await
}

async fn open_items(fixture: &EngineFixture) -> Vec<ReviewView> {
    let list = ListReviewsRequest::default();
    fixture.engine.reviews().list(&owner(), &list).await.unwrap().items
}

/// Sets the tool contract through which the memory was written.
fn through(dialect: Dialect) -> impl FnOnce(&mut AddMemory) {
    move |add| add.memory.provenance.author.dialect = dialect
}

#[tokio::test]
async fn an_agent_forgets_its_own_memories_and_proposes_the_others_in_one_batch() {
    let fixture = EngineFixture::new().await;
    let own = fixture.add("codex", "The lamp is green", |_| {}).await;
    let typed = fixture.add("me", "I take 5 mg at night", from_origin(Origin::Typed)).await;
    let foreign = fixture.add("claude", "We deploy on Tuesdays", |_| {}).await;
    let before = fixture.store.seq(&OwnerId::me()).await.unwrap();
    let done = forget(&fixture, &agent("codex"), &[own, typed, foreign]).await;
    assert_eq!(done.receipt.unwrap().memories, [own]);
    let proposal = done.proposal.unwrap();
    assert_eq!(proposal.erasure, Erasure::of_memories(ErasureMode::Forget, vec![typed, foreign]));
    let message = proposal.message();
    for part in ["not deleted yet: 2 memories", "quipu review", "dashboard", "Proposal 1 waits"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(fixture.find(own).await, None);
    assert_eq!(fixture.memory(typed).await.status, Status::Active);
    assert_eq!(fixture.memory(foreign).await.status, Status::Active);
    let after = fixture.store.seq(&OwnerId::me()).await.unwrap();
    assert_eq!(after.0 - before.0, 1, "one batch");
    let items = open_items(&fixture).await;
    let shown = items[0].erasure.as_ref().unwrap();
    let texts: Vec<&str> = shown.memories.iter().map(|memory| memory.text.as_str()).collect();
    assert_eq!(texts, ["I take 5 mg at night", "We deploy on Tuesdays"]);
    assert_eq!(items[0].item.reason, "wants to forget 2 memories");
}

#[tokio::test]
async fn the_same_request_again_returns_the_open_proposal() {
    let fixture = EngineFixture::new().await;
    let one = fixture.add("claude", "One", |_| {}).await;
    let two = fixture.add("claude", "Two", |_| {}).await;
    let ask = async |who: &str, ids: &[MemoryId]| {
        forget(&fixture, &agent(who), ids).await.proposal.unwrap().review
    };
    let first = ask("codex", &[one, two]).await;
    assert_eq!(ask("codex", &[two, one]).await, first);
    assert_eq!(ask("codex", &[two]).await, first, "a part of it is proposed already");
    assert_ne!(ask("cursor", &[one, two]).await, first, "another agent asks for itself");
    resolve(&fixture, &owner(), first, Resolution::Reject).await.unwrap();
    assert_ne!(ask("codex", &[one, two]).await, first, "it was refused, so this is a new request");
    assert_eq!(open_items(&fixture).await.len(), 2);
}

#[tokio::test]
async fn accepting_deletes_exactly_what_was_proposed_with_a_receipt() {
    let fixture = EngineFixture::new().await;
    let gone = fixture.add("claude", "The locker code is mauve seven", |_| {}).await;
    let stays = fixture.add("claude", "The lamp is green", |_| {}).await;
    let review = forget(&fixture, &agent("codex"), &[gone]).await.proposal.unwrap().review;
    for caller in [agent("codex"), agent("claude")] {
        let answer = resolve(&fixture, &caller, review, Resolution::Confirm).await;
        assert!(refused(answer, ErrorCode::ConsentRequired).contains("owner"));
    }
    refused(
        resolve(&fixture, &owner(), review, Resolution::KeepBoth).await,
        ErrorCode::InvalidArgument,
    );
    let decided = resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    let erased = decided.erasure.unwrap();
    let receipt = erased.receipt.unwrap();
    assert_eq!((receipt.memories.clone(), receipt.removed_from("memories")), (vec![gone], 1));
    assert_eq!(erased.skipped, [""; 0]);
    assert!(matches!(decided.item.state, ReviewState::Resolved { .. }));
    assert_eq!(fixture.find(gone).await, None);
    assert_eq!(fixture.memory(stays).await.status, Status::Active);
    let recall = RecallRequest::query("locker code mauve");
    assert!(fixture.engine.memories().recall(&owner(), &recall).await.unwrap().hits.is_empty());
    let undone = fixture.engine.reviews().undo(&owner(), review).await;
    assert!(refused(undone, ErrorCode::InvalidArgument).contains("cannot be brought back"));
    let again = resolve(&fixture, &owner(), review, Resolution::Confirm).await;
    refused(again, ErrorCode::Conflict);
}

#[tokio::test]
async fn no_text_of_a_forgotten_memory_remains_in_the_review_list() {
    let fixture = EngineFixture::new().await;
    let gone = fixture.add("claude", "canary-text", |_| {}).await;
    let review = forget(&fixture, &agent("codex"), &[gone]).await.proposal.unwrap().review;
    resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    let item = fixture.store.review(&OwnerId::me(), review).await.unwrap().unwrap();
    assert!(!format!("{item:?}").contains("canary"), "{item:?}");
}

#[tokio::test]
async fn refusing_deletes_nothing_and_can_be_undone() {
    let fixture = EngineFixture::new().await;
    let typed = fixture.add("me", "I take 5 mg", from_origin(Origin::Typed)).await;
    let review = forget(&fixture, &agent("codex"), &[typed]).await.proposal.unwrap().review;
    let refused_item = resolve(&fixture, &owner(), review, Resolution::Reject).await.unwrap();
    assert_eq!(refused_item.erasure.unwrap().receipt, None);
    assert_eq!(fixture.memory(typed).await.status, Status::Active);
    let view = fixture.engine.reviews().undo(&owner(), review).await.unwrap();
    assert_eq!(view.item.state, ReviewState::Open);
    assert_eq!(fixture.memory(typed).await.status, Status::Active);
}

#[tokio::test]
async fn what_was_corrected_since_or_is_gone_is_skipped_and_told() {
    let fixture = EngineFixture::new().await;
    let corrected = fixture.add("claude", "The port is 22", |_| {}).await;
    let gone = fixture.add("claude", "The desk is blue", |_| {}).await;
    let same = fixture.add("claude", "The lamp is green", |_| {}).await;
    let ids = [corrected, gone, same];
    let review = forget(&fixture, &agent("codex"), &ids).await.proposal.unwrap().review;
    fixture.clock.advance(60);
    let correction = CorrectRequest::new(corrected, "The port is 2222");
    let newer = fixture.engine.memories().correct(&owner(), &correction).await.unwrap().id.unwrap();
    forget(&fixture, &owner(), &[gone]).await;
    let decided = resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    let erased = decided.erasure.unwrap();
    assert_eq!(erased.receipt.unwrap().memories, [same]);
    let told = erased.skipped.join("; ");
    assert!(told.contains(&format!("memory {corrected} was corrected since")), "{told}");
    assert!(told.contains(&format!("memories {gone} were gone already")), "{told}");
    assert_eq!(fixture.memory(newer).await.status, Status::Active);
    assert_eq!(fixture.memory(corrected).await.status, Status::Superseded);
}

#[tokio::test]
async fn more_than_twenty_of_its_own_memories_are_proposed_whole() {
    let fixture = EngineFixture::new().await;
    let mut ids = Vec::new();
    for number in 0..=limits::ERASED_AT_ONCE {
        ids.push(fixture.add("codex", &format!("memory {number}"), |_| {}).await);
    }
    let done = forget(&fixture, &agent("codex"), &ids).await;
    assert_eq!((done.receipt, done.proposal.unwrap().erasure.memories.len()), (None, 21));
    let twenty = forget(&fixture, &agent("codex"), &ids[1..]).await;
    assert_eq!((twenty.receipt.unwrap().memories.len(), twenty.proposal), (20, None));
}

#[tokio::test]
async fn a_version_of_somebody_else_makes_the_memory_theirs() {
    let fixture = EngineFixture::new().await;
    let mine = fixture.add("codex", "The port is 22", |_| {}).await;
    fixture.clock.advance(60);
    let correction = CorrectRequest::new(mine, "The port is 2222");
    let typed = fixture.engine.memories().correct(&owner(), &correction).await.unwrap().id.unwrap();
    let done = forget(&fixture, &agent("codex"), &[mine]).await;
    assert_eq!(done.receipt, None);
    assert_eq!(done.proposal.unwrap().erasure.memories, [mine, typed]);
    assert!(fixture.find(mine).await.is_some() && fixture.find(typed).await.is_some());
}

#[tokio::test]
async fn imported_memories_belong_to_nobody_who_takes_the_owners_name() {
    let fixture = EngineFixture::new().await;
    let imported = fixture.add("me", "From a file", through(Dialect::Import)).await;
    let typed = fixture.add("me", "By hand", from_origin(Origin::Typed)).await;
    let done = forget(&fixture, &agent("me"), &[imported, typed]).await;
    assert_eq!((done.receipt, done.proposal.unwrap().erasure.memories.len()), (None, 2));
}

#[tokio::test]
async fn a_dry_run_names_what_needs_the_owners_consent() {
    let fixture = EngineFixture::new().await;
    let own = fixture.add("codex", "Mine", |_| {}).await;
    let foreign = fixture.add("claude", "Theirs", |_| {}).await;
    let input = ForgetRequest { memories: vec![own, foreign], dry_run: true };
    let shown = fixture.engine.memories().forget(&agent("codex"), &input).await.unwrap();
    assert_eq!((shown.memories.len(), shown.withheld, shown.proposal), (2, vec![foreign], None));
    assert_eq!(open_items(&fixture).await.len(), 0);
}

#[tokio::test]
async fn the_grant_erase_lifts_the_rule_for_one_agent_and_no_other_grant_does() {
    let fixture = EngineFixture::new().await;
    let typed = async |text: &str| fixture.add("me", text, from_origin(Origin::Typed)).await;
    let everything = SetGrantRequest {
        agent: AgentName::new("cursor"),
        resource: "*".into(),
        permission: Permission::Write,
    };
    fixture.engine.admin().set_grants(&owner(), &[everything]).await.unwrap();
    grant_erase(&fixture, "codex").await;
    let memory = typed("One").await;
    assert!(forget(&fixture, &agent("cursor"), &[memory]).await.proposal.is_some());
    let done = forget(&fixture, &agent("codex"), &[memory]).await;
    assert_eq!((done.receipt.unwrap().memories, done.proposal), (vec![memory], None));
    let codex = AgentName::new("codex");
    fixture.engine.admin().remove_grant(&owner(), &codex, "erase").await.unwrap();
    let memory = typed("Two").await;
    assert!(forget(&fixture, &agent("codex"), &[memory]).await.proposal.is_some());
    let nothing_to_read =
        SetGrantRequest { agent: codex, resource: "erase".into(), permission: Permission::Read };
    let answer = fixture.engine.admin().set_grants(&owner(), &[nothing_to_read]).await;
    refused(answer, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn the_grant_erase_needs_the_grant_on_the_memories_too() {
    let fixture = EngineFixture::new().await;
    let memory = fixture.add("claude", "Theirs", |_| {}).await;
    grant_erase(&fixture, "guest").await;
    let guest = agent("guest").with_reach(engine::CallerAccess::Credential(Permission::Write));
    let input = ForgetRequest { memories: vec![memory], ..ForgetRequest::default() };
    let answer = fixture.engine.memories().forget(&guest, &input).await;
    refused(answer, ErrorCode::ConsentRequired);
}

#[tokio::test]
async fn retiring_follows_the_same_rule_and_its_acceptance_can_be_undone() {
    let fixture = EngineFixture::new().await;
    let own = fixture.add("codex", "Mine", |_| {}).await;
    let typed = fixture.add("me", "By hand", from_origin(Origin::Typed)).await;
    let done = fixture.engine.memories().retire(&agent("codex"), &[own, typed]).await.unwrap();
    assert_eq!(done.memories[0].id, own);
    let review = done.proposal.unwrap().review;
    assert_eq!(fixture.memory(own).await.status, Status::Retired);
    assert_eq!(fixture.memory(typed).await.status, Status::Active);
    resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    assert_eq!(fixture.memory(typed).await.status, Status::Retired);
    fixture.engine.reviews().undo(&owner(), review).await.unwrap();
    assert_eq!(fixture.memory(typed).await.status, Status::Active);
}

#[tokio::test]
async fn only_the_owner_restores_retired_memories() {
    let fixture = EngineFixture::new().await;
    let memory = fixture.add("codex", "Poison", |_| {}).await;
    fixture.engine.memories().retire(&owner(), &[memory]).await.unwrap();
    let answer = fixture.engine.memories().unretire(&agent("codex"), &[memory]).await;
    let message = refused(answer, ErrorCode::ConsentRequired);
    assert!(message.contains(&format!("quipu retire --undo {memory}")), "{message}");
    fixture.engine.memories().unretire(&owner(), &[memory]).await.unwrap();
    assert_eq!(fixture.memory(memory).await.status, Status::Active);
}

#[tokio::test]
async fn a_replaced_memory_is_restored_beside_what_replaced_it() {
    let fixture = EngineFixture::new().await;
    let old = fixture.add("codex", "The port is 22", |_| {}).await;
    let correction = CorrectRequest::new(old, "The port is 2222");
    let new = fixture.engine.memories().correct(&owner(), &correction).await.unwrap().id.unwrap();
    fixture.engine.memories().unretire(&owner(), &[old]).await.unwrap();
    for memory in [old, new] {
        assert_eq!(fixture.memory(memory).await.status, Status::Active);
    }
    let again = fixture.engine.memories().unretire(&owner(), &[old]).await;
    assert!(refused(again, ErrorCode::Conflict).contains("not retired or superseded"));
}

#[tokio::test]
async fn an_agent_adds_labels_anywhere_and_removes_only_its_own() {
    let fixture = EngineFixture::new().await;
    let tagged = |add: &mut AddMemory| add.memory.tags = vec!["health".into()];
    let own = fixture.add("codex", "Mine", tagged).await;
    let foreign = fixture.add("claude", "Theirs", tagged).await;
    let request = |memory, add: &[&str], remove: &[&str]| TagMemoriesRequest {
        memories: vec![memory],
        add: add.iter().map(|tag| (*tag).to_owned()).collect(),
        remove: remove.iter().map(|tag| (*tag).to_owned()).collect(),
    };
    let memories = fixture.engine.memories();
    memories.tag(&agent("codex"), &request(foreign, &["work"], &["absent"])).await.unwrap();
    let answer = memories.tag(&agent("codex"), &request(foreign, &[], &["health"])).await;
    refused(answer, ErrorCode::ConsentRequired);
    assert_eq!(fixture.memory(foreign).await.tags, ["health", "work"]);
    memories.tag(&agent("codex"), &request(own, &[], &["health"])).await.unwrap();
    assert_eq!(fixture.memory(own).await.tags, [""; 0]);
}

#[tokio::test]
async fn no_agent_rejects_anothers_memory_by_confirming_its_own_flag() {
    let fixture = EngineFixture::new().await;
    let memory = fixture.add("claude", "The port is 22", |_| {}).await;
    let flag = FlagMemoryRequest { memory, reason: "I want it gone".into() };
    let review = fixture.engine.reviews().flag(&agent("codex"), &flag).await.unwrap().review;
    refused(
        resolve(&fixture, &agent("codex"), review, Resolution::Confirm).await,
        ErrorCode::ConsentRequired,
    );
    assert_eq!(fixture.memory(memory).await.status, Status::Active);
    resolve(&fixture, &agent("claude"), review, Resolution::Confirm).await.unwrap();
    assert_eq!(fixture.memory(memory).await.status, Status::Rejected);
}

#[tokio::test]
async fn a_proposal_about_hidden_memories_does_not_exist_for_an_agent() {
    let fixture = EngineFixture::new().await;
    let hidden = |add: &mut AddMemory| add.memory.collection = "private".into();
    let memory = fixture.add("claude", "canary", hidden).await;
    let review = forget(&fixture, &agent("codex"), &[memory]).await.proposal.unwrap().review;
    let grant = |resource: &str| SetGrantRequest {
        agent: AgentName::new("guest"),
        resource: resource.into(),
        permission: Permission::Write,
    };
    let grants = [grant("memory"), grant("vectors/memories")];
    fixture.engine.admin().set_grants(&owner(), &grants).await.unwrap();
    let guest = agent("guest").with_reach(engine::CallerAccess::Credential(Permission::Write));
    refused(fixture.engine.reviews().get(&guest, review).await, ErrorCode::NotFound);
    let more = [grant("vectors/private")];
    fixture.engine.admin().set_grants(&owner(), &more).await.unwrap();
    let seen = fixture.engine.reviews().get(&guest, review).await.unwrap();
    assert_eq!(seen.erasure.unwrap().memories[0].text, "canary");
}

#[tokio::test]
async fn every_proposal_and_its_decision_are_in_the_audit_log() {
    let fixture = EngineFixture::new().await;
    let memory = fixture.add("claude", "Theirs", |_| {}).await;
    let review = forget(&fixture, &agent("codex"), &[memory]).await.proposal.unwrap().review;
    forget(&fixture, &agent("codex"), &[memory]).await;
    resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    fixture.engine.flush().await;
    let log = fixture
        .store
        .audit(&OwnerId::me(), &store::AuditQuery::default(), Page::first(20))
        .await
        .unwrap();
    let notes: Vec<&str> = log.items.iter().map(|event| event.note.as_str()).collect();
    let asked = notes.iter().filter(|note| **note == "forgot 0, proposed 1").count();
    assert_eq!(asked, 2, "{notes:?}");
    assert!(notes.contains(&"erased 1 memories by review item 1"), "{notes:?}");
}
