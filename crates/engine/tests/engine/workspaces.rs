//! Workspaces: named groups of memories.

use crate::fixture::{House, agent, refused};
use engine::workspaces::NewContext;
use model::{ContextRole, ContextSource, ErrorCode, OwnerId, WorkspaceId, limits};

fn own(workspace: WorkspaceId) -> NewContext {
    NewContext {
        workspace,
        source: ContextSource::Owner(OwnerId::me()),
        role: ContextRole::Primary,
        label: "mine".into(),
    }
}

#[tokio::test]
async fn a_workspace_outlives_the_process_that_made_it() {
    let house = House::new().await;
    let made = house.engine.workspaces().create(&agent("a"), " all ").await.unwrap().id;
    let added =
        house.engine.workspaces().add_context(&agent("a"), &own(made)).await.unwrap().context;
    assert_eq!(added.number, 1);
    let seen = house.twin(None).workspaces().get(&agent("b"), made).await.unwrap();
    assert_eq!((seen.name.as_str(), seen.contexts), ("all", vec![added]));
}

#[tokio::test]
async fn a_workspace_is_bounded_and_one_that_is_not_there_is_named() {
    let house = House::new().await;
    refused(house.engine.workspaces().get(&agent("a"), WorkspaceId(9)).await, ErrorCode::NotFound);
    refused(
        house.engine.workspaces().add_context(&agent("a"), &own(WorkspaceId(9))).await,
        ErrorCode::NotFound,
    );
    refused(house.engine.workspaces().create(&agent("a"), " ").await, ErrorCode::InvalidArgument);
    let made = house.engine.workspaces().create(&agent("a"), "all").await.unwrap().id;
    for _ in 0..limits::CONTEXTS {
        house.engine.workspaces().add_context(&agent("a"), &own(made)).await.unwrap();
    }
    refused(
        house.engine.workspaces().add_context(&agent("a"), &own(made)).await,
        ErrorCode::LimitExceeded,
    );
}
