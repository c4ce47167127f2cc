//! Import of the formats of other programs: each sample is recognized, counted without being
//! written, imported with the origin `imported`, and adds nothing a second time.

use crate::fixture::{InterchangeFixture, me};
use engine::recall::RecallRequest;
use interchange::transfer::ImportOutcome;
use interchange::{ForeignMemory, ForeignOptions, ForeignSource, VaultFile, import_foreign};
use model::{JsonMap, Memory, Moment, Origin, Page};
use serde_json::{Value, json};
use std::collections::BTreeMap;

macro_rules! sample {
    ($name:literal) => {
        ForeignSource::File {
            name: $name.to_owned(),
            text: include_str!(concat!("../samples/foreign/", $name)).to_owned(),
        }
    };
}

fn recognize(source: ForeignSource) -> Box<dyn ForeignMemory> {
    source.recognize().unwrap()
}

async fn import(fixture: &InterchangeFixture, content: &dyn ForeignMemory) -> ImportOutcome {
    let options = ForeignOptions::default();
    import_foreign(&fixture.engine, &me(), content, options, |_| ()).await.unwrap()
}

async fn all(fixture: &InterchangeFixture) -> Vec<Memory> {
    let query = engine::MemoryQuery { sort: engine::MemorySort::Oldest, ..Default::default() };
    let listed = fixture.engine.memories().list(&me(), &query, Page::first(100)).await.unwrap();
    let mut items = listed.items;
    items.sort_by_key(|memory| memory.id);
    items
}

/// Imports content twice after counting it, and returns its memories.
pub async fn check(content: &dyn ForeignMemory, program: &str, memories: usize) -> Vec<Memory> {
    assert_eq!(content.program(), program);
    let fixture = InterchangeFixture::new().await;
    let counting = ForeignOptions { dry_run: true, ..ForeignOptions::default() };
    let counted = import_foreign(&fixture.engine, &me(), content, counting, |_| ()).await.unwrap();
    assert_eq!(all(&fixture).await, [], "a dry run writes nothing");
    let imported = import(&fixture, content).await;
    assert_eq!(counted, imported, "a dry run counts what an import does");
    let found = all(&fixture).await;
    assert_eq!(found.len(), memories, "{found:#?}");
    assert!(found.iter().all(|memory| memory.provenance.origin == Origin::Imported));
    let again = import(&fixture, content).await;
    assert_eq!(again.added.get("memory"), None, "{again:?}");
    assert_eq!(all(&fixture).await.len(), memories, "a second import adds nothing");
    found
}

fn texts(memories: &[Memory]) -> Vec<&str> {
    memories.iter().map(|memory| memory.text.as_str()).collect()
}

fn at(text: &str) -> Moment {
    Moment::parse(text).unwrap()
}

#[tokio::test]
async fn memories_of_mem0_keep_their_categories_times_and_metadata() {
    let found = check(&*recognize(sample!("mem0.json")), "mem0", 2).await;
    assert_eq!(texts(&found), ["Prefers dark roast coffee", "Lives in Lisbon"]);
    assert_eq!(found[0].tags, ["food", "preferences"]);
    assert_eq!(found[0].provenance.at, at("2026-01-02T10:04:05Z"));
    assert_eq!(
        (&found[0].metadata["topic"], &found[0].metadata["user_id"]),
        (&json!("food"), &json!("alex"))
    );
    assert_eq!(found[1].valid_to, Some(at("2026-12-31")));
}

#[tokio::test]
async fn facts_of_graphiti_keep_when_they_held() {
    let found = check(&*recognize(sample!("graphiti.json")), "Graphiti", 2).await;
    assert_eq!(found[0].valid_from, at("2025-03-01"));
    assert_eq!(found[1].valid_to, Some(at("2024-06-01")));
    assert_eq!(found[1].project.as_deref(), Some("team"));
}

#[tokio::test]
async fn memories_of_mcp_memory_service_keep_tags_and_type() {
    let content = recognize(sample!("mcp-memory-service.json"));
    let found = check(&*content, "mcp-memory-service", 1).await;
    assert_eq!((found[0].kind.as_str(), found[0].tags.join(" ")), ("decision", "deploy ci".into()));
    assert_eq!(found[0].provenance.at, at("2026-01-01T00:00:00.5Z"));
}

#[tokio::test]
async fn observations_of_engram_keep_session_project_and_title_and_deleted_ones_stay_out() {
    let found = check(&*recognize(sample!("engram.json")), "Engram", 1).await;
    assert_eq!(found[0].title.as_deref(), Some("JWT for auth"));
    assert_eq!((found[0].kind.as_str(), found[0].project.as_deref()), ("decision", Some("shop")));
    assert!(found[0].session.is_some());
}

#[tokio::test]
async fn observations_and_summaries_of_claude_mem_become_memories_and_episodes() {
    let found = check(&*recognize(sample!("claude-mem.json")), "claude-mem", 2).await;
    let storm = "The queue retried without a limit.\n- The limit is now 5\n- Backoff doubles";
    assert_eq!(found[0].text, storm);
    assert_eq!(
        (found[0].tags.join(" "), found[1].kind.as_str()),
        ("queue gotcha".into(), "episode")
    );
    assert!(found[1].text.starts_with("Request: Stop the retry storm\nLearned: "));
    assert_eq!(found[0].session, found[1].session);
}

#[tokio::test]
async fn the_graph_of_server_memory_becomes_memories_that_name_their_entities() {
    let content = recognize(sample!("server-memory.jsonl"));
    let found = check(&*content, "server-memory", 3).await;
    assert_eq!(
        texts(&found),
        [
            "Marta Kowalska: Speaks Polish",
            "Marta Kowalska runs the Tuesday sync",
            "Marta Kowalska works at Acme.",
        ]
    );
    let fixture = InterchangeFixture::new().await;
    import(&fixture, &*content).await;
    let request = RecallRequest::query("where does Marta work?");
    let recalled = fixture.engine.memories().recall(&me(), &request).await.unwrap();
    assert_eq!(recalled.hits[0].memory.text, "Marta Kowalska works at Acme.");
}

#[tokio::test]
async fn drawers_of_a_palace_keep_wing_room_and_author() {
    let found = check(&*recognize(sample!("palace.json")), "MemPalace", 1).await;
    assert_eq!(
        (found[0].project.as_deref(), found[0].tags.join(" ")),
        (Some("shop"), "decisions".into())
    );
    assert_eq!(found[0].provenance.author.agent.as_str(), "codex");
}

fn table(name: &str, rows: &Value) -> (String, Vec<JsonMap>) {
    let rows = rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap().clone());
    (name.to_owned(), rows.collect())
}

#[tokio::test]
async fn sqlite_files_are_told_apart_by_their_tables() {
    let document = |key: &str, value: &str| json!({"id": 1, "key": key, "string_value": value});
    let palace = table(
        "embedding_metadata",
        &json!([document("chroma:document", "We ship on Tuesdays."), document("wing", "shop"),]),
    );
    let claude_mem = [
        table("observations", &json!([{"id": 1, "narrative": "It rained.", "project": "shop"}])),
        table("session_summaries", &json!([])),
    ];
    let engram = table(
        "observations",
        &json!([
            {"id": 1, "session_id": "s", "type": "note", "title": "A", "content": "It rained."},
        ]),
    );
    let service = table(
        "memories",
        &json!([
            {"id": 1, "content_hash": "aa", "content": "It rained.", "memory_type": "note"},
        ]),
    );
    for (tables, program) in [
        (BTreeMap::from([palace]), "MemPalace"),
        (BTreeMap::from(claude_mem), "claude-mem"),
        (BTreeMap::from([engram]), "Engram"),
        (BTreeMap::from([service]), "mcp-memory-service"),
    ] {
        check(&*recognize(ForeignSource::Tables(tables)), program, 1).await;
    }
    let other = BTreeMap::from([table("memories", &json!([{"id": 1, "words": "x"}]))]);
    assert!(ForeignSource::Tables(other).recognize().is_err());
}

#[tokio::test]
async fn a_data_export_of_claude_becomes_transcripts_and_memories() {
    let file = |path: &str, text: &str| VaultFile { path: path.into(), text: text.into() };
    let content = recognize(ForeignSource::Directory(vec![
        file("conversations.json", include_str!("../samples/foreign/claude-conversations.json")),
        file("memories.json", include_str!("../samples/foreign/claude-memories.json")),
    ]));
    let found = check(&*content, "Claude", 6).await;
    let (turns, memories): (Vec<Memory>, Vec<Memory>) =
        found.into_iter().partition(|memory| memory.collection == "transcripts");
    assert_eq!(texts(&turns), ["I am allergic to peanuts, plan a trip.", "Day one: the Ribeira."]);
    assert_eq!((&turns[0].metadata["speaker"], turns[0].priority), (&json!("user"), 5));
    assert!(texts(&memories).contains(&"Prefers short answers"), "{memories:#?}");
}

#[tokio::test]
async fn a_conversation_of_chatgpt_is_the_branch_that_was_shown_last() {
    let found = check(&*recognize(sample!("chatgpt-conversations.json")), "ChatGPT", 2).await;
    assert_eq!(texts(&found), ["How long does sourdough rise?", "About eight hours."]);
    assert!(found[0].session.is_some() && found[0].session == found[1].session);
}

#[tokio::test]
async fn plain_lists_are_read_from_json_csv_and_markdown() {
    let json = check(&*recognize(sample!("list.json")), "a list", 2).await;
    assert_eq!((json[1].kind.as_str(), json[1].tags.join(" ")), ("decision", "queue".into()));
    let csv = check(&*recognize(sample!("list.csv")), "a table", 2).await;
    assert_eq!(csv[0].text, "Invoices are due in 30 days, net");
    assert_eq!(
        (csv[0].tags.join(" "), csv[0].valid_from),
        ("billing legal".into(), at("2026-01-09"))
    );
    let markdown = check(&*recognize(sample!("CLAUDE.md")), "a Markdown list", 3).await;
    assert_eq!(markdown[2].title.as_deref(), Some("Testing"));
    assert_eq!(markdown[2].text, "Integration tests need Docker.\n  - Start it first.");
}

#[tokio::test]
async fn the_same_text_in_a_list_is_one_memory() {
    let text = "Ship on Tuesdays.\nShip on Tuesdays.\n\n".to_owned();
    let content = recognize(ForeignSource::File { name: "list.txt".into(), text });
    let fixture = InterchangeFixture::new().await;
    let outcome = import(&fixture, &*content).await;
    assert_eq!((outcome.added["memory"], outcome.existing), (1, 1));
}

#[tokio::test]
async fn names_in_imported_texts_are_in_the_graph() {
    let text = "- Marta Kowalska moved billing to PostgreSQL.\n".to_owned();
    let content = recognize(ForeignSource::File { name: "notes.md".into(), text });
    let fixture = InterchangeFixture::new().await;
    import(&fixture, &*content).await;
    let details = fixture.engine.memories().get_details(&me(), model::MemoryId(1)).await.unwrap();
    assert!(details.mentions.iter().any(|one| one.name == "Marta Kowalska"), "{details:?}");
}

#[test]
fn a_document_without_a_list_of_memories_is_refused() {
    for text in ["{\"a\": 1}", "[1, 2]", "{broken", "<html>"] {
        let source = ForeignSource::File { name: "x.json".into(), text: text.into() };
        assert!(source.recognize().is_err(), "{text}");
    }
}
