//! Workspaces: named groups of memories.

use crate::fixture::{EngineFixture, agent, refused};
use engine::workspaces::AddContextRequest;
use model::{ContextRole, ContextSource, ErrorCode, OwnerId, WorkspaceId, limits};

fn own_context(workspace: WorkspaceId) -> AddContextRequest {
    AddContextRequest {
        workspace,
        source: ContextSource::Owner(OwnerId::me()),
        role: ContextRole::Primary,
        label: "mine".into(),
    }
}

#[tokio::test]
async fn a_workspace_is_visible_to_other_processes() {
    let fixture = EngineFixture::new().await;
    let made = fixture.engine.workspaces().create(&agent("a"), " all ").await.unwrap().id;
    let added = fixture
        .engine
        .workspaces()
        .add_context(&agent("a"), &own_context(made))
        .await
        .unwrap()
        .context;
    assert_eq!(added.number, 1);
    let seen = fixture.reopen(None).workspaces().get(&agent("b"), made).await.unwrap();
    assert_eq!((seen.name.as_str(), seen.contexts), ("all", vec![added]));
}

#[tokio::test]
async fn a_workspace_is_bounded_and_an_unknown_one_is_refused() {
    let fixture = EngineFixture::new().await;
    refused(
        fixture.engine.workspaces().get(&agent("a"), WorkspaceId(9)).await,
        ErrorCode::NotFound,
    );
    refused(
        fixture.engine.workspaces().add_context(&agent("a"), &own_context(WorkspaceId(9))).await,
        ErrorCode::NotFound,
    );
    refused(fixture.engine.workspaces().create(&agent("a"), " ").await, ErrorCode::InvalidArgument);
    let made = fixture.engine.workspaces().create(&agent("a"), "all").await.unwrap().id;
    for _ in 0..limits::WORKSPACE_CONTEXTS {
        fixture.engine.workspaces().add_context(&agent("a"), &own_context(made)).await.unwrap();
    }
    refused(
        fixture.engine.workspaces().add_context(&agent("a"), &own_context(made)).await,
        ErrorCode::LimitExceeded,
    );
}
