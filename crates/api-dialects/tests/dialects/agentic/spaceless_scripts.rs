//! Chinese, Japanese and Korean: every search finds what a recall finds.

use super::{each, new_fixture};
use crate::fixture::DialectFixture;
use dialects::{Agentic, Quipu, WorkspaceAllowlist};
use serde_json::json;

/// Memories with a question that a recall answers with each.
const TEXTS: [(&str, &str); 6] = [
    ("デプロイは毎週火曜日に行う", "デプロイはいつですか"),
    ("東京のオフィスは品川駅の近くにある", "東京のオフィス"),
    ("数据库迁移安排在星期五晚上", "数据库迁移是什么时候"),
    ("我们的服务器在上海机房", "服务器在哪里"),
    ("배포는 매주 화요일에 진행한다", "배포는 언제"),
    ("서울 사무실은 강남역 근처에 있다", "서울 사무실"),
];

async fn with_memories() -> DialectFixture {
    let fixture = new_fixture().await;
    for (text, _) in TEXTS {
        fixture.node("fact", text).await;
    }
    fixture
}

#[tokio::test]
async fn evidence_and_similar_find_what_a_recall_finds() {
    let fixture = with_memories().await;
    let recall = fixture.sharing_memory(Quipu::default());
    for ((_, question), id) in TEXTS.iter().zip(1..) {
        let recalled = recall.call("recall", json!({"query": question})).await;
        assert!(recalled.to_string().contains(TEXTS[id - 1].0), "{question}: {recalled}");
        let evidence = fixture.call("memory_evidence", json!({"query": question})).await;
        assert_eq!(each(&evidence["evidence"], "node_id").first(), Some(&&json!(id)), "{question}");
        let similar = fixture.call("memory_similar", json!({"query_text": question})).await;
        assert_eq!(each(&similar["matches"], "node_id").first(), Some(&&json!(id)), "{question}");
        let suggested = fixture.call("memory_suggest", json!({"query": question})).await;
        let first = each(&suggested["suggestions"], "node_id");
        assert_eq!(first.first(), Some(&&json!(id)), "{question}");
    }
}

#[tokio::test]
async fn a_claim_is_grounded_by_its_characters() {
    let fixture = with_memories().await;
    for (claim, id) in
        [("デプロイは火曜日に行う", 1), ("服务器在上海机房", 4), ("서울 사무실은 강남역 근처", 6)]
    {
        let grounded = fixture.call("memory_ground", json!({"claim": claim})).await;
        assert_ne!(grounded["status"], "ungrounded", "{grounded}");
        assert_eq!(grounded["evidence"][0]["node_id"], id, "{grounded}");
    }
    let unknown = fixture.call("memory_ground", json!({"claim": "猫は魚が好きです"})).await;
    assert_eq!(unknown["status"], "ungrounded", "{unknown}");
}

#[tokio::test]
async fn a_workspace_finds_them_in_the_memory_and_in_a_file() {
    use interchange::{amem, export_amem};
    let folder = tempfile::tempdir().unwrap();
    let allowlist =
        WorkspaceAllowlist { directories: vec![folder.path().into()], ..Default::default() };
    let fixture = with_memories().await.sharing_memory(Agentic::new(allowlist));
    let owner = engine::Caller { in_person: true, ..fixture.caller("me") };
    let graph = export_amem(&fixture.engine, &owner, |_| ()).await.unwrap();
    std::fs::write(folder.path().join("old.amem"), amem::write(&graph)).unwrap();
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    for path in ["quipu:me", "old.amem"] {
        fixture.call("memory_workspace_add", json!({"workspace_id": "ws_1", "path": path})).await;
    }
    for (text, question) in TEXTS {
        let given = json!({"workspace_id": "ws_1", "query": question});
        let found = fixture.call("memory_workspace_query", given).await;
        for context in found["results"].as_array().unwrap() {
            assert_eq!(context["matches"][0]["content"], text, "{question}: {context}");
        }
    }
    let given = json!({"workspace_id": "ws_1", "item": "东京塔"});
    assert_eq!(fixture.call("memory_workspace_xref", given).await["present_in"], json!([]));
}
