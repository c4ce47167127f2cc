//! Handoffs: stored with five sections, listed by scope, claimed by exactly one agent.

use crate::fixture::{EngineFixture, agent, owner, refused, secret};
use engine::Caller;
use engine::handoffs::{
    CLAIM_SECONDS, CLAIM_SECONDS_MAX, ClaimHandoffRequest, ListHandoffsRequest, StoreHandoffRequest,
};
use model::{AgentName, ErrorCode, Handoff, HandoffId, HandoffState, NewHandoff};

const DOCUMENT: &str = "## Start & intent\nPort the parser.\n## Journey\nTried nom.\n\
                        ## Current state\nHalf done.\n## What's left\nThe tests.\n\
                        ## Open questions\nNone.";

fn document(title: &str) -> StoreHandoffRequest {
    let handoff = NewHandoff {
        title: title.to_owned(),
        document: DOCUMENT.to_owned(),
        ..NewHandoff::default()
    };
    StoreHandoffRequest { handoff, idempotency_key: None }
}

async fn stored(fixture: &EngineFixture, caller: &Caller, title: &str) -> HandoffId {
    fixture.engine.handoffs().store(caller, &document(title)).await.unwrap().handoff.id
}

fn working_in(project: &str, cwd: &str) -> Caller {
    let mut caller = agent("codex");
    caller.environment.project = Some(project.to_owned());
    caller.environment.cwd = Some(cwd.to_owned());
    caller
}

fn holder(handoff: &Handoff) -> Option<&AgentName> {
    handoff.claim.as_ref().map(|claim| &claim.by)
}

#[tokio::test]
async fn a_handoff_gets_the_clients_project_and_directory() {
    let fixture = EngineFixture::new().await;
    let stored = fixture
        .engine
        .handoffs()
        .store(&working_in("quipu", "/src"), &document("Port"))
        .await
        .unwrap();
    let handoff = fixture.engine.handoffs().get(&agent("claude"), stored.handoff.id).await.unwrap();
    assert_eq!((handoff.project.as_deref(), handoff.cwd.as_deref()), (Some("quipu"), Some("/src")));
    assert_eq!((handoff.document.as_str(), handoff.created_by.as_str()), (DOCUMENT, "codex"));
    refused(
        fixture.engine.handoffs().get(&agent("claude"), HandoffId(99)).await,
        ErrorCode::NotFound,
    );
}

#[tokio::test]
async fn a_document_without_its_sections_is_refused_and_nothing_is_stored() {
    let fixture = EngineFixture::new().await;
    let mut input = document("Port");
    input.handoff.document = DOCUMENT.replace("## Journey", "## Notes");
    let message = refused(
        fixture.engine.handoffs().store(&agent("codex"), &input).await,
        ErrorCode::InvalidArgument,
    );
    assert!(
        message.contains("missing: Journey") && message.contains("not among the five: Notes"),
        "{message}"
    );
    let listed = fixture
        .engine
        .handoffs()
        .list(&agent("codex"), &ListHandoffsRequest::default())
        .await
        .unwrap();
    assert_eq!(listed.handoffs.total, 0);
}

#[tokio::test]
async fn a_handoff_with_a_secret_is_refused() {
    let fixture = EngineFixture::new().await;
    let mut input = document("Port");
    input.handoff.document = format!("{DOCUMENT}\nlog in with {}", secret());
    refused(
        fixture.engine.handoffs().store(&agent("codex"), &input).await,
        ErrorCode::SecretRefused,
    );
}

#[tokio::test]
async fn a_retried_store_stores_once() {
    let fixture = EngineFixture::new().await;
    let input = StoreHandoffRequest { idempotency_key: Some("k".into()), ..document("Port") };
    let first = fixture.engine.handoffs().store(&agent("codex"), &input).await.unwrap();
    let again = fixture.engine.handoffs().store(&agent("codex"), &input).await.unwrap();
    assert_eq!(first.handoff, again.handoff);
}

#[tokio::test]
async fn a_listing_starts_with_the_clients_scope_and_widens_it_when_nothing_is_found() {
    let fixture = EngineFixture::new().await;
    let (src, docs) = (working_in("quipu", "/src"), working_in("quipu", "/docs"));
    stored(&fixture, &src, "in src").await;
    stored(&fixture, &docs, "in docs").await;
    let list = async |caller: &Caller| {
        fixture.engine.handoffs().list(caller, &ListHandoffsRequest::default()).await.unwrap()
    };
    let near = list(&src).await;
    assert_eq!((near.handoffs.total, near.broadened), (1, false));
    assert_eq!(near.handoffs.items[0].title, "in src");
    let project = list(&working_in("quipu", "/tests")).await;
    assert_eq!((project.handoffs.total, project.broadened, project.cwd), (2, true, None));
    assert_eq!(project.project.as_deref(), Some("quipu"));
    let anywhere = list(&working_in("other", "/tests")).await;
    assert_eq!((anywhere.handoffs.total, anywhere.broadened, anywhere.project), (2, true, None));
    let named =
        ListHandoffsRequest { project: Some("other".into()), ..ListHandoffsRequest::default() };
    let named = fixture.engine.handoffs().list(&src, &named).await.unwrap();
    assert_eq!((named.handoffs.total, named.broadened), (0, false));
}

#[tokio::test]
async fn of_twenty_concurrent_claims_one_wins_and_the_others_learn_who() {
    let fixture = EngineFixture::new().await;
    let id = stored(&fixture, &agent("codex"), "Port").await;
    let mut race = tokio::task::JoinSet::new();
    for n in 0..20 {
        let engine = std::sync::Arc::clone(&fixture.engine);
        let caller = agent(&format!("agent-{n}"));
        race.spawn(
            async move { engine.handoffs().claim(&caller, &ClaimHandoffRequest::new(id)).await },
        );
    }
    let results = race.join_all().await;
    let winners: Vec<&Handoff> =
        results.iter().filter_map(|won| Some(&won.as_ref().ok()?.handoff)).collect();
    assert_eq!(winners.len(), 1);
    let winner = holder(winners[0]).unwrap();
    for failure in results.iter().filter_map(|result| result.as_ref().err()) {
        assert_eq!(failure.code, ErrorCode::Conflict);
        let told = format!(
            "held by {winner} since {} until {}",
            fixture.now(),
            fixture.now().plus_seconds(4 * 3600)
        );
        assert!(failure.message.contains(&told), "{}", failure.message);
    }
}

#[tokio::test]
async fn a_claim_is_a_lease_that_its_holder_can_extend() {
    let fixture = EngineFixture::new().await;
    let (codex, claude) = (agent("codex"), agent("claude"));
    let id = stored(&fixture, &codex, "Port").await;
    let notes = vec![("harness".to_owned(), "cli".to_owned())];
    let claim = ClaimHandoffRequest { notes: notes.clone(), ..ClaimHandoffRequest::new(id) };
    let claimed =
        fixture.engine.handoffs().claim(&codex, &claim).await.unwrap().handoff.claim.unwrap();
    assert_eq!(
        (claimed.until, claimed.notes),
        (fixture.now().plus_seconds(i64::from(CLAIM_SECONDS)), notes)
    );
    fixture.clock.advance(3600);
    let longer =
        ClaimHandoffRequest { seconds: Some(CLAIM_SECONDS_MAX), ..ClaimHandoffRequest::new(id) };
    let extended =
        fixture.engine.handoffs().claim(&codex, &longer).await.unwrap().handoff.claim.unwrap();
    assert_eq!(extended.until, fixture.now().plus_seconds(i64::from(CLAIM_SECONDS_MAX)));
    let free =
        fixture.engine.handoffs().list(&claude, &ListHandoffsRequest::default()).await.unwrap();
    assert_eq!(free.handoffs.total, 0);
    fixture.clock.advance(i64::from(CLAIM_SECONDS_MAX));
    let free =
        fixture.engine.handoffs().list(&claude, &ListHandoffsRequest::default()).await.unwrap();
    assert_eq!(free.handoffs.total, 1, "an expired claim frees the handoff");
    let taken = fixture
        .engine
        .handoffs()
        .claim(&claude, &ClaimHandoffRequest::new(id))
        .await
        .unwrap()
        .handoff;
    assert_eq!(holder(&taken).unwrap().as_str(), "claude");
}

#[tokio::test]
async fn the_length_of_a_claim_is_bounded() {
    let fixture = EngineFixture::new().await;
    let id = stored(&fixture, &agent("codex"), "Port").await;
    for seconds in [0, CLAIM_SECONDS_MAX + 1] {
        let claim = ClaimHandoffRequest { seconds: Some(seconds), ..ClaimHandoffRequest::new(id) };
        refused(
            fixture.engine.handoffs().claim(&agent("codex"), &claim).await,
            ErrorCode::InvalidArgument,
        );
    }
    let unknown = ClaimHandoffRequest::new(HandoffId(99));
    refused(fixture.engine.handoffs().claim(&agent("codex"), &unknown).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn only_the_holder_or_the_owner_in_person_changes_its_state() {
    let fixture = EngineFixture::new().await;
    let (codex, claude) = (agent("codex"), agent("claude"));
    let id = stored(&fixture, &codex, "Port").await;
    fixture.engine.handoffs().claim(&codex, &ClaimHandoffRequest::new(id)).await.unwrap();
    for refusal in [
        fixture.engine.handoffs().release(&claude, id).await,
        fixture.engine.handoffs().complete(&claude, id).await,
        fixture.engine.handoffs().cancel(&claude, id).await,
    ] {
        assert!(refused(refusal, ErrorCode::Conflict).contains("held by codex"));
    }
    assert_eq!(
        fixture.engine.handoffs().release(&owner(), id).await.unwrap().state,
        HandoffState::Open
    );
    let message =
        refused(fixture.engine.handoffs().complete(&codex, id).await, ErrorCode::Conflict);
    assert!(message.contains("claim it first"), "{message}");
    fixture.engine.handoffs().claim(&claude, &ClaimHandoffRequest::new(id)).await.unwrap();
    assert_eq!(
        fixture.engine.handoffs().complete(&claude, id).await.unwrap().state,
        HandoffState::Completed
    );
}

#[tokio::test]
async fn a_cancelled_handoff_is_claimed_only_after_it_was_reopened() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let id = stored(&fixture, &codex, "Port").await;
    assert_eq!(
        fixture.engine.handoffs().cancel(&codex, id).await.unwrap().state,
        HandoffState::Cancelled
    );
    let message = refused(
        fixture.engine.handoffs().claim(&codex, &ClaimHandoffRequest::new(id)).await,
        ErrorCode::Conflict,
    );
    assert!(message.contains("has been cancelled") && message.contains("reopen"), "{message}");
    let all = ListHandoffsRequest {
        states: vec![HandoffState::Cancelled],
        ..ListHandoffsRequest::default()
    };
    assert_eq!(fixture.engine.handoffs().list(&codex, &all).await.unwrap().handoffs.total, 1);
    assert_eq!(
        fixture.engine.handoffs().reopen(&codex, id).await.unwrap().state,
        HandoffState::Open
    );
    fixture.engine.handoffs().claim(&codex, &ClaimHandoffRequest::new(id)).await.unwrap();
}
