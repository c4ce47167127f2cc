//! Removal in bulk by an agent: what its dialect wrote, and only its own without asking.

use super::{grant_erase, open_items, resolve, through};
use crate::fixture::{EngineFixture, agent, from_origin, in_session, owner, refused};
use engine::Caller;
use engine::entities::{EntityRef, PutEntityRequest};
use engine::erasure::ErasureMode;
use engine::maintenance::{PruneRequest, PurgeAllRequest, PurgeSessionRequest};
use engine::sessions::{SessionRef, StartSessionRequest};
use model::{AgentName, Dialect, ErrorCode, Origin, OwnerId, Resolution, Status};
use store::{AddMemory, Change};

fn codememory_agent(name: &str) -> Caller {
    Caller::agent(OwnerId::me(), AgentName::new(name), Dialect::CodeMemory).with_tool("maintenance")
}

#[tokio::test]
async fn a_purge_of_an_agent_means_what_its_dialect_wrote() {
    let fixture = EngineFixture::new().await;
    let codex = codememory_agent("codex");
    let session = fixture
        .engine
        .sessions()
        .start(&codex, &StartSessionRequest::default())
        .await
        .unwrap()
        .session
        .id;
    let within = |dialect: Dialect| {
        move |add: &mut AddMemory| {
            in_session(session)(add);
            through(dialect)(add);
        }
    };
    let own = fixture.add("codex", "own", within(Dialect::CodeMemory)).await;
    let colleague = fixture.add("claude", "colleague", within(Dialect::CodeMemory)).await;
    let elsewhere = fixture.add("codex", "elsewhere", within(Dialect::Quipu)).await;
    let typed = fixture.add("me", "typed", from_origin(Origin::Typed)).await;
    let purge = PurgeSessionRequest { session: SessionRef::Id(session), confirm: true };
    let done = fixture.engine.admin().purge_session(&codex, &purge).await.unwrap();
    assert_eq!(done.memories, 1);
    assert_eq!(done.proposal.unwrap().erasure.memories, [colleague]);
    assert_eq!(fixture.find(own).await, None);
    for stays in [colleague, elsewhere, typed] {
        assert_eq!(fixture.memory(stays).await.status, Status::Active);
    }
    grant_erase(&fixture, "codex").await;
    let all = PurgeAllRequest { confirm: true };
    let done = fixture.engine.admin().purge_all(&codex, &all).await.unwrap();
    assert_eq!((done.memories, done.proposal), (1, None));
    assert_eq!(fixture.find(colleague).await, None);
    for stays in [elsewhere, typed] {
        assert_eq!(fixture.memory(stays).await.status, Status::Active);
    }
}

#[tokio::test]
async fn pruning_more_than_twenty_memories_is_proposed_and_accepted_whole() {
    let fixture = EngineFixture::new().await;
    let adds = (0..2_100).map(|n| fixture.add_change("codex", &format!("memory {n}"), |_| {}));
    let adds: Vec<Change> = adds.collect();
    fixture.write("codex", adds).await;
    fixture.clock.advance(10 * 86_400);
    let prune = PruneRequest { older_than_days: 5, mode: ErasureMode::Forget, confirm: true };
    let done = fixture.engine.admin().prune(&agent("codex"), &prune).await.unwrap();
    assert_eq!(done.memories, 0);
    let proposal = done.proposal.unwrap();
    assert_eq!(proposal.erasure.memories.len(), 2_100);
    let shown = open_items(&fixture).await.remove(0).erasure.unwrap();
    assert_eq!((shown.memories.len(), shown.left_out()), (100, 2_000));
    let again = fixture.engine.admin().prune(&agent("codex"), &prune).await.unwrap();
    assert_eq!(again.proposal.unwrap().review, proposal.review);
    let decided = resolve(&fixture, &owner(), proposal.review, Resolution::Confirm).await.unwrap();
    let receipt = decided.erasure.unwrap().receipt.unwrap();
    assert_eq!((receipt.memories.len(), receipt.removed_from("memories")), (2_100, 2_100));
}

#[tokio::test]
async fn a_purge_proposes_the_entities_that_were_stated_directly() {
    let fixture = EngineFixture::new().await;
    let codex = codememory_agent("codex");
    grant_erase(&fixture, "codex").await;
    fixture.add("codex", "a note", through(Dialect::CodeMemory)).await;
    let alone = PutEntityRequest { name: "alone".into(), ..PutEntityRequest::default() };
    let entity = fixture.engine.graph().put_entity(&codex, &alone).await.unwrap().entity.id;
    let unconfirmed = fixture.engine.admin().purge_all(&codex, &PurgeAllRequest::default()).await;
    let told = refused(unconfirmed, ErrorCode::InvalidArgument);
    assert!(told.contains("1 memories written through codememory, and 1 entities"), "{told}");
    let all = PurgeAllRequest { confirm: true };
    let done = fixture.engine.admin().purge_all(&codex, &all).await.unwrap();
    assert_eq!((done.memories, &done.proposal.unwrap().erasure.entities[..]), (1, &[entity][..]));
    let name = EntityRef::Id(entity);
    assert!(fixture.engine.graph().entity(&codex, &name).await.is_ok());
}
