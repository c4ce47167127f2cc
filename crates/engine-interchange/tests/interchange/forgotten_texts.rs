//! Texts that the owner had forgotten: a file brings them back when the owner chooses so, once for
//! the whole file, and they never make an import fail.

use crate::fixture::{InterchangeFixture, me};
use crate::synthetic::graph;
use engine::MemoryQuery;
use engine::maintenance::PurgeAllRequest;
use engine::remember::{NewMemoryLink, NewRow, RememberRequest};
use engine::tables::QueryTableRequest;
use interchange::transfer::{ImportOptions, ImportOutcome};
use interchange::{
    EpitomeExport, ForeignOptions, ForgottenTexts, describe_forgotten, export_jsonl, import_amem,
    import_foreign, import_jsonl,
};
use model::{LinkKind, MemoryId, Page};
use serde_json::json;

impl InterchangeFixture {
    async fn texts(&self) -> Vec<String> {
        let listed =
            self.engine.memories().list(&me(), &MemoryQuery::default(), Page::first(100)).await;
        let mut texts: Vec<String> =
            listed.unwrap().items.into_iter().map(|memory| memory.text).collect();
        texts.sort();
        texts
    }

    async fn purge(&self) {
        let all = PurgeAllRequest { confirm: true };
        self.engine.admin().purge_all(&me(), &all).await.unwrap();
        assert_eq!(self.texts().await, [""; 0]);
    }

    async fn import_with(&self, file: &[u8], forgotten: ForgottenTexts) -> ImportOutcome {
        let options = ImportOptions { forgotten, ..ImportOptions::default() };
        import_jsonl(&self.engine, &me(), file, options, |_| ()).await.unwrap()
    }
}

/// Creates an engine with two linked memories and a row, and exports it.
async fn exported() -> (InterchangeFixture, Vec<u8>) {
    let fixture = InterchangeFixture::new().await;
    let memories = fixture.engine.memories();
    let first = RememberRequest::text("The harbour opens at six");
    let first = memories.remember(&me(), &first).await.unwrap().id.unwrap();
    let link = NewMemoryLink { target: first, kind: LinkKind::RelatedTo, weight: 1.0 };
    let second =
        RememberRequest { links: vec![link], ..RememberRequest::text("Ada Lovelace has the key") };
    memories.remember(&me(), &second).await.unwrap();
    let data = json!({"food": "eel"}).as_object().unwrap().clone();
    let row = NewRow { table: "meals".into(), description: None, data };
    let meal = RememberRequest { row: Some(row), ..RememberRequest::default() };
    memories.remember(&me(), &meal).await.unwrap();
    let mut file = Vec::new();
    export_jsonl(&fixture.engine, &me(), &mut file, |_| ()).await.unwrap();
    (fixture, file)
}

#[tokio::test]
async fn after_a_purge_an_import_counts_the_forgotten_texts_instead_of_listing_them() {
    let (fixture, file) = exported().await;
    fixture.purge().await;
    let imported = fixture.import_with(&file, ForgottenTexts::Skip).await;
    assert_eq!((imported.forgotten, &imported.skipped[..]), (3, &[][..]));
    assert_eq!(fixture.texts().await, [""; 0]);
    let told = describe_forgotten(imported.forgotten).unwrap();
    assert_eq!(told, "3 texts were not imported, because they were forgotten before");
}

#[tokio::test]
async fn the_owner_brings_all_forgotten_texts_back_with_their_links_and_rows() {
    let (fixture, file) = exported().await;
    let before = fixture.texts().await;
    fixture.purge().await;
    let first = fixture.import_with(&file, ForgottenTexts::Skip).await;
    let again = fixture.import_with(&file, ForgottenTexts::Include).await;
    let both = first.with_forgotten(again);
    assert_eq!((both.forgotten, &both.skipped[..], both.added["memory"]), (0, &[][..], 3));
    assert_eq!(fixture.texts().await, before);
    let all = QueryTableRequest { table: "meals".into(), ..QueryTableRequest::default() };
    assert_eq!(fixture.engine.tables().query(&me(), &all).await.unwrap().total, 1);
    let newest = MemoryQuery::default();
    let listed = fixture.engine.memories().list(&me(), &newest, Page::first(9)).await.unwrap();
    let key = listed.items.iter().find(|memory| memory.text.contains("key")).unwrap().id;
    let details = fixture.engine.memories().get_details(&me(), key).await.unwrap();
    assert_eq!(details.links.outgoing.len(), 1);
    let third = fixture.import_with(&file, ForgottenTexts::Include).await;
    assert_eq!(third.added.get("memory"), None, "a third time adds nothing");
}

#[tokio::test]
async fn an_amem_file_and_an_export_of_epitome_ask_the_same() {
    let fixture = InterchangeFixture::new().await;
    let engine = &fixture.engine;
    let amem =
        async |forgotten| import_amem(engine, &me(), &graph(), forgotten, |_| ()).await.unwrap();
    let added = amem(ForgottenTexts::Skip).await.added;
    fixture.purge().await;
    let first = amem(ForgottenTexts::Skip).await;
    assert_eq!((first.added, first.forgotten, &first.skipped[..]), (0, added, &[][..]));
    let both = first.with_forgotten(amem(ForgottenTexts::Include).await);
    assert_eq!((both.added, both.forgotten), (added, 0));
    fixture.purge().await;
    let document = json!({"vectors": {"entries": {"journal": [
        {"id": 1, "text": "I walked to the harbour", "created_at": "2026-02-12 08:30:00+00"}
    ]}}});
    let document = EpitomeExport::read(document.to_string().as_bytes()).unwrap();
    let epitome = async |forgotten| {
        let options = ForeignOptions { forgotten, ..ForeignOptions::default() };
        import_foreign(engine, &me(), &document, options, |_| ()).await.unwrap()
    };
    assert_eq!(epitome(ForgottenTexts::Skip).await.added["memory"], 1);
    fixture.purge().await;
    assert_eq!(epitome(ForgottenTexts::Skip).await.forgotten, 1);
    assert_eq!(epitome(ForgottenTexts::Include).await.added["memory"], 1);
}

#[tokio::test]
async fn an_agent_does_not_capture_a_forgotten_text_after_the_import_skipped_it() {
    let (fixture, file) = exported().await;
    fixture.purge().await;
    fixture.import_with(&file, ForgottenTexts::Skip).await;
    let agent = engine::Caller::agent(
        model::OwnerId::me(),
        model::AgentName::new("claude"),
        model::Dialect::Quipu,
    );
    let again = RememberRequest::text("The harbour opens at six");
    let refusal = fixture.engine.memories().remember(&agent, &again).await.unwrap_err();
    assert_eq!(refusal.code, model::ErrorCode::Forgotten);
    assert_eq!(fixture.engine.memories().get(&me(), &[MemoryId(1)]).await.unwrap(), []);
}
