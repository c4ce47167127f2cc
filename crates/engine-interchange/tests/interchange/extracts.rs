//! Extracts in exports: they stay derived from their parts, and bring back nothing forgotten.

use crate::fixture::{InterchangeFixture, me};
use engine::MemoryQuery;
use engine::forget::ForgetRequest;
use engine::remember::RememberRequest;
use engine::sessions::{EndSessionRequest, SessionRef, StartSessionRequest};
use interchange::amem::AmemGraph;
use interchange::transfer::ImportOptions;
use interchange::{export_amem, export_jsonl, import_amem, import_jsonl};
use model::{Kind, Memory, MemoryId, Origin, Page, Status};

const SECRET: &str = "The locker code is mauve seven.";
const OTHER: &str = "The locker is in the hall.";

impl InterchangeFixture {
    /// Creates a fixture with a session of two memories and its extract.
    async fn with_extract() -> Self {
        let fixture = Self::new().await;
        let sessions = fixture.engine.sessions();
        let started = sessions.start(&me(), &StartSessionRequest::default()).await.unwrap();
        let session = Some(SessionRef::Id(started.session.id));
        for text in [SECRET, OTHER] {
            fixture.clock.advance(60);
            let input = RememberRequest { session: session.clone(), ..RememberRequest::text(text) };
            fixture.engine.memories().remember(&me(), &input).await.unwrap();
        }
        let end = EndSessionRequest { session, ..EndSessionRequest::default() };
        sessions.end(&me(), &end).await.unwrap();
        fixture.clock.advance(60);
        fixture
    }

    async fn listed(&self, query: MemoryQuery) -> Vec<Memory> {
        let page = Page::first(100);
        self.engine.memories().list(&me(), &query, page).await.unwrap().items
    }

    async fn extracts(&self) -> Vec<Memory> {
        self.listed(MemoryQuery { kinds: vec![Kind::episode()], ..MemoryQuery::default() }).await
    }

    async fn forget_text(&self, text: &str) {
        let all = self.listed(MemoryQuery::default()).await;
        let ids = all.iter().filter(|memory| memory.text == text).map(|memory| memory.id);
        let memories: Vec<MemoryId> = ids.collect();
        assert!(!memories.is_empty(), "{text}");
        let input = ForgetRequest { memories, ..ForgetRequest::default() };
        self.engine.memories().forget(&me(), &input).await.unwrap();
    }

    async fn exported_lines(&self) -> String {
        let mut out = Vec::new();
        export_jsonl(&self.engine, &me(), &mut out, |_| ()).await.unwrap();
        String::from_utf8(out).unwrap()
    }

    async fn exported_graph(&self) -> AmemGraph {
        export_amem(&self.engine, &me(), |_| ()).await.unwrap()
    }

    async fn import_lines(&self, file: &str, from_outside: bool) {
        let options = ImportOptions { from_outside };
        import_jsonl(&self.engine, &me(), file.as_bytes(), options, |_| ()).await.unwrap();
    }

    async fn import_graph(&self, graph: &AmemGraph) {
        import_amem(&self.engine, &me(), graph, |_| ()).await.unwrap();
    }
}

#[tokio::test]
async fn an_extract_follows_its_parts_in_the_store_it_was_imported_into() {
    let file = InterchangeFixture::with_extract().await.exported_lines().await;
    for from_outside in [false, true] {
        let there = InterchangeFixture::new().await;
        there.import_lines(&file, from_outside).await;
        let text = there.extracts().await[0].text.clone();
        assert!(text.contains(SECRET) && text.contains(OTHER), "{text}");
        there.forget_text(SECRET).await;
        let text = there.extracts().await[0].text.clone();
        assert!(!text.contains("mauve") && text.contains(OTHER), "{text}");
        assert!(!there.exported_lines().await.contains("mauve"));
    }
}

#[tokio::test]
async fn an_old_export_brings_back_no_quote_of_a_forgotten_memory() {
    let fixture = InterchangeFixture::with_extract().await;
    let (file, graph) = (fixture.exported_lines().await, fixture.exported_graph().await);
    fixture.forget_text(SECRET).await;
    let before = fixture.extracts().await;
    fixture.import_lines(&file, false).await;
    assert_eq!(fixture.extracts().await, before, "it is the same extract");
    fixture.import_graph(&graph).await;
    for extract in fixture.extracts().await {
        assert!(!extract.text.contains("mauve"), "{}", extract.text);
    }
    assert!(!fixture.exported_lines().await.contains("mauve"));
}

#[tokio::test]
async fn an_extract_whose_parts_were_all_forgotten_comes_back_empty() {
    let fixture = InterchangeFixture::with_extract().await;
    let (file, graph) = (fixture.exported_lines().await, fixture.exported_graph().await);
    fixture.forget_text(SECRET).await;
    fixture.forget_text(OTHER).await;
    assert!(fixture.extracts().await.is_empty(), "forgotten with the last part");
    fixture.import_lines(&file, false).await;
    fixture.import_graph(&graph).await;
    for extract in fixture.extracts().await {
        assert_eq!(extract.status, Status::Retired);
        assert!(extract.text.ends_with(": 0 memories."), "{}", extract.text);
    }
}

#[tokio::test]
async fn an_extract_is_made_again_from_the_parts_of_an_amem_file() {
    let graph = InterchangeFixture::with_extract().await.exported_graph().await;
    let there = InterchangeFixture::new().await;
    there.import_graph(&graph).await;
    let extracts = there.extracts().await;
    assert_eq!((extracts.len(), extracts[0].provenance.origin), (1, Origin::Inferred));
    assert!(extracts[0].text.contains(SECRET) && extracts[0].text.contains(OTHER));
    there.import_graph(&graph).await;
    assert_eq!(there.extracts().await, extracts, "a second intake adds nothing");
    there.forget_text(SECRET).await;
    assert!(!there.extracts().await[0].text.contains("mauve"));
}
