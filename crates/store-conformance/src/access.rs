//! Grants, workspaces and settings of an owner.

use super::builders::moment;
use super::fixture::StoreFixture;
use model::{
    AgentName, ContextRole, ContextSource, Grant, OwnerId, Permission, Workspace, WorkspaceContext,
    WorkspaceId,
};
use serde_json::json;
use store::{Change, ChangeResult};

fn grant(agent: &str, resource: &str, permission: Permission) -> Grant {
    let (agent, resource) = (AgentName::new(agent), resource.to_owned());
    Grant { agent, resource, permission, granted_at: moment(2) }
}

async fn create(at: &StoreFixture, name: &str) -> WorkspaceId {
    match at.apply(Change::CreateWorkspace { name: name.to_owned() }).await {
        ChangeResult::Workspace(id) => id,
        other => panic!("expected a workspace, got {other:?}"),
    }
}

pub async fn grants_are_listed_by_agent_and_resource(at: &StoreFixture) {
    let wanted = [
        grant("bob", "memory", Permission::Write),
        grant("bob", "tables/meals", Permission::None),
        grant("eve", "memory", Permission::Read),
    ];
    at.write_at(2, wanted.iter().rev().cloned().map(Change::PutGrant).collect()).await;
    assert_eq!(at.store.grants(&at.owner).await.unwrap(), wanted);
}

pub async fn a_grant_replaces_the_one_before(at: &StoreFixture) {
    at.write(vec![Change::PutGrant(grant("bob", "memory", Permission::Write))]).await;
    at.write(vec![Change::PutGrant(grant("bob", "memory", Permission::Read))]).await;
    assert_eq!(
        at.store.grants(&at.owner).await.unwrap(),
        [grant("bob", "memory", Permission::Read)]
    );
}

pub async fn a_grant_can_be_revoked(at: &StoreFixture) {
    let remaining = grant("bob", "tables/*", Permission::Read);
    at.write(vec![
        Change::PutGrant(grant("bob", "memory", Permission::Write)),
        Change::PutGrant(remaining.clone()),
    ])
    .await;
    at.write(vec![Change::RevokeGrant { agent: AgentName::new("bob"), resource: "memory".into() }])
        .await;
    assert_eq!(at.store.grants(&at.owner).await.unwrap(), [remaining]);
}

pub async fn a_workspace_numbers_its_contexts_from_one(at: &StoreFixture) {
    let id = create(at, "team").await;
    let contexts = [
        (ContextSource::Owner(OwnerId::me()), ContextRole::Primary, "mine"),
        (ContextSource::File("old/notes.amem".into()), ContextRole::Archive, "old notes"),
    ];
    for (position, (source, role, label)) in contexts.iter().enumerate() {
        let (source, role, label) = (source.clone(), *role, (*label).to_owned());
        let result = at.apply(Change::AddContext { workspace: id, source, role, label }).await;
        assert_eq!(result, ChangeResult::Context(position as u32 + 1));
    }
    let context =
        |(position, (source, role, label)): (usize, &(ContextSource, ContextRole, &str))| {
            WorkspaceContext {
                number: position as u32 + 1,
                source: source.clone(),
                role: *role,
                label: (*label).into(),
            }
        };
    let contexts = contexts.iter().enumerate().map(context).collect();
    let expected = Workspace { id, name: "team".into(), contexts };
    assert_eq!(at.store.workspace(&at.owner, id).await.unwrap(), Some(expected));
}

pub async fn workspaces_are_listed_by_id(at: &StoreFixture) {
    let (first, second) = (create(at, "z").await, create(at, "a").await);
    let ids: Vec<WorkspaceId> = at
        .store
        .workspaces(&at.owner)
        .await
        .unwrap()
        .iter()
        .map(|workspace| workspace.id)
        .collect();
    assert_eq!(ids, [first, second]);
    assert_eq!(at.store.workspace(&at.owner, WorkspaceId(987_654)).await.unwrap(), None);
}

pub async fn a_context_of_an_unknown_workspace_is_refused(at: &StoreFixture) {
    let stray = Change::AddContext {
        workspace: WorkspaceId(987_654),
        source: ContextSource::Owner(OwnerId::me()),
        role: ContextRole::Secondary,
        label: "stray".into(),
    };
    assert_eq!(at.refusal_code(vec![stray]).await, model::ErrorCode::NotFound);
}

pub async fn a_setting_keeps_the_value_written_last(at: &StoreFixture) {
    let put = |value| Change::PutSetting { name: "recall".into(), value };
    assert_eq!(at.store.setting(&at.owner, "recall").await.unwrap(), None);
    at.write(vec![put(json!({"budget": 1500}))]).await;
    at.write(vec![put(json!([1, "two", null]))]).await;
    assert_eq!(at.store.setting(&at.owner, "recall").await.unwrap(), Some(json!([1, "two", null])));
    assert_eq!(at.store.setting(&at.owner, "recal").await.unwrap(), None);
}
