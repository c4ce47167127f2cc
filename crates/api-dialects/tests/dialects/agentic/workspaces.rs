//! Workspaces over files and owners, within the directories that the owner allowed.

use super::{each, new_fixture};
use crate::fixture::DialectFixture;
use dialects::{Agentic, WorkspaceAllowlist};
use engine::grants::SetGrantRequest;
use engine::remember::RememberRequest;
use engine::{Caller, CallerAccess};
use interchange::amem::{AmemEdge, AmemGraph, AmemNode, write};
use model::{AgentName, ErrorCode, LinkKind, OwnerId, Permission};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

fn node(id: u64, content: &str) -> AmemNode {
    let at = 1_777_777_777_000_000;
    AmemNode {
        id,
        kind: "fact".into(),
        title: None,
        content: content.into(),
        reason: None,
        is_replaced: false,
        created_at: at,
        session: Some(1),
        confidence: 0.9,
        uses: 0,
        used_at: at,
        decay: 1.0,
    }
}

fn file(path: &Path, contents: &[&str]) {
    let nodes = contents.iter().zip(0..).map(|(content, id)| node(id, content)).collect();
    std::fs::write(path, write(&AmemGraph { nodes, edges: Vec::new() })).unwrap();
}

/// Creates a fixture with one allowed directory and one that is not allowed.
async fn fixture_with_directories() -> (DialectFixture, TempDir) {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("allowed")).unwrap();
    std::fs::create_dir(root.path().join("outside")).unwrap();
    let places =
        WorkspaceAllowlist { directories: vec![root.path().join("allowed")], owners: Vec::new() };
    (DialectFixture::with_dialect(Agentic::new(places)).await, root)
}

async fn add(fixture: &DialectFixture, path: &str) -> Value {
    fixture.call("memory_workspace_add", json!({"workspace_id": "ws_1", "path": path})).await
}

/// Creates a workspace of the owner's own memory and two files.
async fn fixture_with_three_sources() -> (DialectFixture, TempDir) {
    let (fixture, root) = fixture_with_directories().await;
    file(
        &root.path().join("allowed/old.amem"),
        &["The database is MySQL.", "Releases go out on Fridays."],
    );
    file(&root.path().join("allowed/other.amem"), &["The cat sleeps."]);
    fixture.node("fact", "The database is PostgreSQL.").await;
    let created = fixture.call("memory_workspace_create", json!({"name": "everything"})).await;
    assert_eq!(created, json!({"workspace_id": "ws_1", "name": "everything", "status": "created"}));
    for path in ["quipu:me", "old.amem", "other.amem"] {
        add(&fixture, path).await;
    }
    (fixture, root)
}

#[tokio::test]
async fn a_context_is_named_and_has_its_role_and_label() {
    let (fixture, root) = fixture_with_directories().await;
    let path = root.path().join("allowed/brain.amem");
    file(&path, &["a b c"]);
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    let path = path.to_str().unwrap();
    let first = add(&fixture, path).await;
    assert_eq!(
        first,
        json!({"context_id": "ctx_1_ws_1", "workspace_id": "ws_1", "path": path, "role": "primary",
            "label": "brain", "status": "added"})
    );
    let given =
        json!({"workspace_id": "ws_1", "path": path, "role": "archive", "label": "Last year"});
    let second = fixture.call("memory_workspace_add", given).await;
    assert_eq!((&second["role"], &second["label"]), (&json!("archive"), &json!("Last year")));
    let refusal = fixture
        .call_refused(
            "memory_workspace_add",
            json!({"workspace_id": "ws_1", "path": path, "role": "king"}),
        )
        .await;
    assert!(
        refusal.message.contains("`king`") && refusal.message.contains("secondary"),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_workspace_lists_its_sources() {
    let (fixture, _root) = fixture_with_three_sources().await;
    let listed = fixture.call("memory_workspace_list", json!({"workspace_id": "ws_1"})).await;
    assert_eq!(listed["count"], 3);
    assert_eq!(each(&listed["contexts"], "label"), ["me", "old", "other"]);
    assert_eq!(each(&listed["contexts"], "node_count"), [1, 2, 1]);
    for field in ["context_id", "role", "path", "edge_count"] {
        assert!(listed["contexts"][1].get(field).is_some(), "{field}");
    }
}

#[tokio::test]
async fn one_question_goes_to_every_memory() {
    let (fixture, _root) = fixture_with_three_sources().await;
    let given = json!({"workspace_id": "ws_1", "query": "which database"});
    let answer = fixture.call("memory_workspace_query", given).await;
    assert_eq!((&answer["total_matches"], &answer["contexts_searched"]), (&json!(2), &json!(3)));
    let contents: Vec<&Value> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|result| result["matches"].as_array().unwrap())
        .map(|found| &found["content"])
        .collect();
    assert_eq!(contents, ["The database is PostgreSQL.", "The database is MySQL."]);
    let first = &answer["results"][0];
    assert_eq!(
        (&first["context_id"], &first["context_role"]),
        (&json!("ctx_1_ws_1"), &json!("primary"))
    );
    for field in ["node_id", "content", "event_type", "confidence", "score"] {
        assert!(first["matches"][0].get(field).is_some(), "{field}");
    }
    let none = json!({"workspace_id": "ws_1", "query": "which database", "max_per_context": 0});
    assert_eq!(fixture.call("memory_workspace_query", none).await["total_matches"], 0);
}

#[tokio::test]
async fn a_topic_is_compared_and_looked_up() {
    let (fixture, _root) = fixture_with_three_sources().await;
    let given = json!({"workspace_id": "ws_1", "item": "database"});
    let compared = fixture.call("memory_workspace_compare", given.clone()).await;
    assert_eq!(compared["found_in"], json!(["me", "old"]));
    assert_eq!(compared["missing_from"], json!(["other"]));
    assert_eq!(each(&compared["details"], "context"), ["me", "old"]);
    let found = fixture.call("memory_workspace_xref", given).await;
    assert_eq!(
        found,
        json!({
            "item": "database",
            "present_in": ["me", "old"],
            "absent_from": ["other"],
            "coverage": "2/3",
        })
    );
}

#[tokio::test]
async fn superseded_nodes_of_a_file_are_not_found() {
    let (fixture, root) = fixture_with_directories().await;
    let nodes = vec![node(0, "The office is in Toronto."), node(1, "The office is in Montreal.")];
    let edge = AmemEdge {
        source: 1,
        target: 0,
        kind: LinkKind::Supersedes,
        weight: 1.0,
        created_at: 1_777_777_777_000_000,
    };
    let graph = AmemGraph { nodes, edges: vec![edge] };
    std::fs::write(root.path().join("allowed/a.amem"), write(&graph)).unwrap();
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    add(&fixture, "a.amem").await;
    let answer = fixture
        .call("memory_workspace_query", json!({"workspace_id": "ws_1", "query": "office"}))
        .await;
    assert_eq!(each(&answer["results"][0]["matches"], "content"), ["The office is in Montreal."]);
}

#[tokio::test]
async fn a_changed_file_is_read_again_and_a_missing_one_is_reported() {
    let (fixture, root) = fixture_with_directories().await;
    let path = root.path().join("allowed/a.amem");
    file(&path, &["One zebra."]);
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    add(&fixture, "a.amem").await;
    let ask = json!({"workspace_id": "ws_1", "query": "zebra"});
    assert_eq!(fixture.call("memory_workspace_query", ask.clone()).await["total_matches"], 1);
    file(&path, &["One zebra.", "Another zebra."]);
    assert_eq!(fixture.call("memory_workspace_query", ask.clone()).await["total_matches"], 2);
    std::fs::remove_file(&path).unwrap();
    let answer = fixture.call("memory_workspace_query", ask).await;
    assert_eq!(answer["contexts_searched"], 0);
    assert!(answer["results"][0]["unreadable"].is_string());
}

#[tokio::test]
async fn files_outside_the_allowed_directories_are_not_found() {
    let (fixture, root) = fixture_with_directories().await;
    file(&root.path().join("outside/secret.amem"), &["Hidden."]);
    std::fs::write(root.path().join("allowed/notes.txt"), "no memory").unwrap();
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    let absolute = root.path().join("outside/secret.amem");
    for path in [
        absolute.to_str().unwrap(),
        "../outside/secret.amem",
        "/etc/passwd",
        "notes.txt",
        "",
        ".",
        "none.amem",
    ] {
        let refusal = fixture
            .call_refused("memory_workspace_add", json!({"workspace_id": "ws_1", "path": path}))
            .await;
        assert_eq!(refusal.code, ErrorCode::NotFound, "{path}: {refusal}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn no_symbolic_link_leads_outside_even_if_created_later() {
    let (fixture, root) = fixture_with_directories().await;
    let (inside, outside) = (root.path().join("allowed"), root.path().join("outside"));
    file(&outside.join("secret.amem"), &["Hidden zebra."]);
    file(&inside.join("plain.amem"), &["Plain zebra."]);
    std::os::unix::fs::symlink(outside.join("secret.amem"), inside.join("link.amem")).unwrap();
    std::os::unix::fs::symlink(&outside, inside.join("folder")).unwrap();
    std::os::unix::fs::symlink(inside.join("plain.amem"), inside.join("inner.amem")).unwrap();
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    for path in ["link.amem", "folder/secret.amem"] {
        fixture
            .call_refused("memory_workspace_add", json!({"workspace_id": "ws_1", "path": path}))
            .await;
    }
    add(&fixture, "inner.amem").await;
    std::fs::remove_file(inside.join("plain.amem")).unwrap();
    std::os::unix::fs::symlink(outside.join("secret.amem"), inside.join("plain.amem")).unwrap();
    let answer = fixture
        .call("memory_workspace_query", json!({"workspace_id": "ws_1", "query": "zebra"}))
        .await;
    assert_eq!((&answer["total_matches"], &answer["contexts_searched"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn a_damaged_file_is_refused_with_what_is_wrong() {
    let (fixture, root) = fixture_with_directories().await;
    std::fs::write(root.path().join("allowed/bad.amem"), b"AMEM and then nothing").unwrap();
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    let refusal = fixture
        .call_refused("memory_workspace_add", json!({"workspace_id": "ws_1", "path": "bad.amem"}))
        .await;
    assert_eq!(refusal.code, ErrorCode::InvalidArgument);
    assert!(refusal.message.contains("bad.amem"), "{refusal}");
}

#[tokio::test]
async fn the_memory_of_another_owner_is_forbidden_unless_allowed() {
    let (fixture, _root) = fixture_with_directories().await;
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    let refusal = fixture
        .call_refused("memory_workspace_add", json!({"workspace_id": "ws_1", "path": "quipu:ada"}))
        .await;
    assert_eq!(refusal.code, ErrorCode::Forbidden);
    let refusal = fixture
        .call_refused("memory_workspace_add", json!({"workspace_id": "ws_1", "path": "quipu:../x"}))
        .await;
    assert_eq!(refusal.code, ErrorCode::InvalidArgument);
    let allowed = WorkspaceAllowlist {
        owners: vec![OwnerId::new("ada").unwrap()],
        ..WorkspaceAllowlist::default()
    };
    let fixture = DialectFixture::with_dialect(Agentic::new(allowed)).await;
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    let outcome = fixture
        .try_call(
            "claude",
            "memory_workspace_add",
            json!({"workspace_id": "ws_1", "path": "quipu:ada"}),
        )
        .await;
    assert_ne!(outcome.map_err(|failure| failure.code).err(), Some(ErrorCode::Forbidden));
}

/// Gives an agent of an owner permission on a resource.
async fn grant(fixture: &DialectFixture, owner: &OwnerId, agent: &str, resource: &str) {
    let rule = SetGrantRequest {
        agent: AgentName::new(agent),
        resource: resource.to_owned(),
        permission: Permission::Read,
    };
    let person = Caller::person(owner.clone()).with_tool("grants");
    fixture.engine.admin().set_grants(&person, &[rule]).await.unwrap();
}

#[tokio::test]
async fn another_owners_memory_is_read_only_by_a_granted_identity() {
    let ada = OwnerId::new("ada").unwrap();
    let places = WorkspaceAllowlist { owners: vec![ada.clone()], ..WorkspaceAllowlist::default() };
    let fixture = DialectFixture::with_dialect(Agentic::new(places)).await;
    fixture.create_owner("ada").await;
    let typed = Caller::person(ada.clone()).with_tool("remember");
    let secret = RememberRequest::text("The zebra is called Canary.");
    fixture.engine.memories().remember(&typed, &secret).await.unwrap();
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    let given = json!({"workspace_id": "ws_1", "path": "quipu:ada"});
    // Grants of ada's own agent of the same name are no grants of this one.
    grant(&fixture, &ada, "claude", "*").await;
    let refusal = fixture.call_refused("memory_workspace_add", given.clone()).await;
    assert_eq!(refusal.code, ErrorCode::ConsentRequired, "{refusal}");
    assert!(refusal.message.contains("claude@me") && !refusal.message.contains("Canary"));
    grant(&fixture, &ada, "claude@me", "*").await;
    fixture.call("memory_workspace_add", given).await;
    let ask = json!({"workspace_id": "ws_1", "query": "zebra"});
    let answer = fixture.call("memory_workspace_query", ask.clone()).await;
    assert_eq!(answer["total_matches"], 1, "{answer}");
    let person = Caller::person(ada.clone()).with_tool("grants");
    let agent = AgentName::new("claude@me");
    fixture.engine.admin().remove_grant(&person, &agent, "*").await.unwrap();
    let answer = fixture.call("memory_workspace_query", ask).await;
    assert_eq!(answer["total_matches"], 0, "{answer}");
    assert!(!answer.to_string().contains("Canary"), "{answer}");
}

#[tokio::test]
async fn workspaces_need_a_grant_of_their_own() {
    let (fixture, root) = fixture_with_directories().await;
    file(&root.path().join("allowed/canary.amem"), &["The zebra is called Canary."]);
    fixture.call("memory_workspace_create", json!({"name": "canary"})).await;
    add(&fixture, "canary.amem").await;
    let guest = fixture.caller("guest").with_reach(CallerAccess::Credential(Permission::Write));
    grant(&fixture, &OwnerId::me(), "guest", "vectors").await;
    for (tool, given) in [
        ("memory_workspace_list", json!({"workspace_id": "ws_1"})),
        ("memory_workspace_list", json!({"workspace_id": "ws_9"})),
        ("memory_workspace_query", json!({"workspace_id": "ws_1", "query": "zebra"})),
        ("memory_workspace_compare", json!({"workspace_id": "ws_1", "item": "zebra"})),
        ("memory_workspace_xref", json!({"workspace_id": "ws_1", "item": "zebra"})),
    ] {
        let refusal = fixture.try_call_as(&guest, tool, given).await.unwrap_err();
        assert_eq!(refusal.code, ErrorCode::ConsentRequired, "{tool}: {refusal}");
        assert!(!refusal.message.to_lowercase().contains("canary"), "{tool}: {refusal}");
    }
    grant(&fixture, &OwnerId::me(), "guest", "workspaces").await;
    let ask = json!({"workspace_id": "ws_1", "query": "zebra"});
    let answer = fixture.try_call_as(&guest, "memory_workspace_query", ask).await.unwrap();
    assert_eq!(answer["total_matches"], 1, "{answer}");
}

#[tokio::test]
async fn without_allowed_directories_only_the_own_memory_can_be_added() {
    let fixture = new_fixture().await;
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    add(&fixture, "quipu:me").await;
    let refusal = fixture
        .call_refused("memory_workspace_add", json!({"workspace_id": "ws_1", "path": "/etc/hosts"}))
        .await;
    assert!(refusal.message.contains("workspace_dirs"), "{refusal}");
}

#[tokio::test]
async fn an_unknown_workspace_is_not_found() {
    let fixture = new_fixture().await;
    for (tool, given) in [
        ("memory_workspace_add", json!({"workspace_id": "ws_9", "path": "quipu:me"})),
        ("memory_workspace_list", json!({"workspace_id": "ws_9"})),
        ("memory_workspace_query", json!({"workspace_id": "ws_9", "query": "x"})),
        ("memory_workspace_compare", json!({"workspace_id": "everything", "item": "x"})),
        ("memory_workspace_xref", json!({"workspace_id": "ws_", "item": "x"})),
    ] {
        assert_eq!(fixture.call_refused(tool, given).await.code, ErrorCode::NotFound, "{tool}");
    }
    assert!(
        fixture
            .call_refused("memory_workspace_create", json!({"name": " "}))
            .await
            .message
            .contains("empty")
    );
}
