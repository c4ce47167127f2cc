//! Import and export of `.amem` graphs through an engine.

use crate::fixture::{InterchangeFixture, me};
use crate::synthetic::{edge, graph, node};
use engine::MemoryQuery;
use engine::entities::EntityRef;
use engine::explore::ExploreRequest;
use engine::forget::ForgetRequest;
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use engine::sessions::SessionRef;
use interchange::amem::{AmemGraph, read, write};
use interchange::{AmemImportOutcome, ForgottenTexts, export_amem, import_amem};
use model::{LinkKind, Memory, Moment, Origin, Page, SessionId, Status};

impl InterchangeFixture {
    async fn import(&self, graph: &AmemGraph) -> AmemImportOutcome {
        import_amem(&self.engine, &me(), graph, ForgottenTexts::Skip, |_| ()).await.unwrap()
    }

    async fn memory_with_text(&self, text: &str) -> Memory {
        self.all().await.into_iter().find(|memory| memory.text == text).unwrap()
    }

    async fn all(&self) -> Vec<Memory> {
        self.engine
            .memories()
            .list(&me(), &MemoryQuery::default(), Page::first(1_000))
            .await
            .unwrap()
            .items
    }
}

#[tokio::test]
async fn an_imported_graph_is_recalled_with_its_attributes() {
    let fixture = InterchangeFixture::new().await;
    let mut steps = Vec::new();
    let imported = import_amem(&fixture.engine, &me(), &graph(), ForgottenTexts::Skip, |step| {
        steps.push(step)
    })
    .await
    .unwrap();
    assert_eq!(
        (imported.added, imported.existing, imported.links, imported.sessions),
        (9, 0, 10, 2)
    );
    assert_eq!(steps.last().map(|step| (step.done, step.total)), Some((19, 19)));
    let found = fixture
        .engine
        .memories()
        .recall(&me(), &RecallRequest::query("is the office in Montreal?"))
        .await
        .unwrap();
    assert_eq!(found.hits[0].memory.text, "The office is in Montreal.");
    let old = fixture.memory_with_text("The office is in Toronto.").await;
    assert_eq!((old.status, old.confidence, old.kind.as_str()), (Status::Superseded, 0.75, "fact"));
    assert_eq!(old.valid_from, Moment(1_777_777_777_000_000));
    assert_eq!(old.provenance.origin, Origin::Imported);
    assert_eq!(old.metadata["uses_before_import"], 3);
}

#[tokio::test]
async fn sessions_keep_their_numbers_and_episodes() {
    let fixture = InterchangeFixture::new().await;
    fixture.import(&graph()).await;
    let first = fixture.engine.sessions().get(&me(), &SessionRef::Id(SessionId(1))).await.unwrap();
    assert_eq!(first.episode.unwrap().text, "Talked about offices.");
    let second = fixture.memory_with_text("Moved the office.").await;
    assert_eq!(second.session, Some(SessionId(2)));
}

#[tokio::test]
async fn an_imported_session_does_not_take_over_an_existing_number() {
    let fixture = InterchangeFixture::new().await;
    fixture
        .engine
        .sessions()
        .start(&me(), &engine::sessions::StartSessionRequest::default())
        .await
        .unwrap();
    fixture.import(&graph()).await;
    let own = fixture.engine.sessions().get(&me(), &SessionRef::Id(SessionId(1))).await.unwrap();
    assert_eq!(own.memories, 0);
    assert_ne!(fixture.memory_with_text("We meet in Toronto.").await.session, Some(SessionId(1)));
}

#[tokio::test]
async fn links_keep_their_ends_and_derived_stays_derived() {
    let fixture = InterchangeFixture::new().await;
    fixture.import(&graph()).await;
    let derived = fixture.memory_with_text("東京の天気は晴れです").await;
    let walk = ExploreRequest {
        with_history: true,
        depth: Some(1),
        kinds: vec![LinkKind::DerivedFrom],
        ..ExploreRequest::around(derived.id)
    };
    let around = fixture.engine.graph().explore(&me(), &walk).await.unwrap();
    assert_eq!(around.followed[0].kind, LinkKind::DerivedFrom);
    assert_eq!(around.visits[1].0.text, "The office is in Toronto.");
}

#[tokio::test]
async fn a_second_import_of_the_same_file_adds_nothing() {
    let fixture = InterchangeFixture::new().await;
    fixture.import(&graph()).await;
    let before = fixture.all().await;
    let again = fixture.import(&graph()).await;
    assert_eq!((again.added, again.existing, again.links, again.sessions), (0, 9, 0, 0));
    assert_eq!(fixture.all().await, before);
}

#[tokio::test]
async fn importing_a_grown_file_adds_only_the_new_nodes() {
    let fixture = InterchangeFixture::new().await;
    fixture.import(&graph()).await;
    let mut grown = graph();
    grown.nodes.push(node(9, "fact", "The new office has a lift.", 2));
    grown.edges.push(edge(9, 4, LinkKind::Supports));
    let again = fixture.import(&grown).await;
    assert_eq!((again.added, again.links, again.sessions), (1, 1, 0));
}

#[tokio::test]
async fn secret_and_empty_texts_are_skipped_and_forgotten_ones_counted() {
    let fixture = InterchangeFixture::new().await;
    let address = RememberRequest::text("My old address is Elm Street 4.");
    let id = fixture.engine.memories().remember(&me(), &address).await.unwrap().id.unwrap();
    fixture
        .engine
        .memories()
        .forget(&me(), &ForgetRequest { memories: vec![id], ..ForgetRequest::default() })
        .await
        .unwrap();
    let token = format!("The token is ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let mut extended = graph();
    extended.nodes.push(node(9, "fact", "My old address is Elm Street 4.", 1));
    extended.nodes.push(node(10, "fact", &token, 1));
    extended.nodes.push(node(11, "fact", "", 1));
    let imported = fixture.import(&extended).await;
    assert_eq!(imported.added, 9);
    let numbers: Vec<u64> = imported.skipped.iter().map(|(number, _)| *number).collect();
    assert_eq!((numbers, imported.forgotten), (vec![10, 11], 1));
    assert!(!imported.skipped[0].1.contains("aB3dE5"), "a refusal does not repeat the secret");
}

#[tokio::test]
async fn a_file_does_not_replace_what_the_owner_typed() {
    let fixture = InterchangeFixture::new().await;
    fixture
        .engine
        .memories()
        .remember(&me(), &RememberRequest::text("The office is in Toronto."))
        .await
        .unwrap();
    let imported = fixture.import(&graph()).await;
    assert_eq!(fixture.memory_with_text("The office is in Toronto.").await.status, Status::Active);
    assert!(imported.skipped.iter().any(|(number, why)| *number == 4 && why.contains("stronger")));
}

#[tokio::test]
async fn of_a_cycle_of_corrections_the_newest_memory_stays_current() {
    let fixture = InterchangeFixture::new().await;
    let cycle = AmemGraph {
        nodes: vec![node(0, "fact", "Round and round.", 1), node(1, "fact", "And round again.", 1)],
        edges: vec![edge(0, 1, LinkKind::Supersedes), edge(1, 0, LinkKind::Supersedes)],
    };
    let imported = fixture.import(&cycle).await;
    assert_eq!(imported.links, 1);
    assert!(imported.skipped[0].1.contains("cycle was broken"), "{:?}", imported.skipped);
    assert_eq!(fixture.memory_with_text("Round and round.").await.status, Status::Superseded);
    assert_eq!(fixture.memory_with_text("And round again.").await.status, Status::Active);
}

#[tokio::test]
async fn an_export_is_restored_in_another_memory() {
    let (here, there) = (InterchangeFixture::new().await, InterchangeFixture::new().await);
    here.import(&graph()).await;
    let mut steps = Vec::new();
    let exported = export_amem(&here.engine, &me(), |step| steps.push(step)).await.unwrap();
    assert!(steps.windows(2).all(|two| two[0].done < two[1].done && two[0].total == two[1].total));
    assert!(steps.last().is_some_and(|last| last.done == last.total && last.done > 0), "{steps:?}");
    let file = write(&exported);
    assert_eq!(read(&file).as_ref(), Ok(&exported));
    let imported = there.import(&exported).await;
    assert_eq!((imported.added, imported.links), (9, 10));
    let mut texts = [here.all().await, there.all().await].map(|all| {
        all.into_iter().map(|memory| (memory.text, memory.status.name())).collect::<Vec<_>>()
    });
    texts.iter_mut().for_each(|list| list.sort());
    assert_eq!(texts[0], texts[1]);
    let again = here.import(&exported).await;
    assert_eq!(
        (again.added, again.links),
        (0, 0),
        "importing an export where it comes from adds nothing"
    );
}

#[tokio::test]
async fn relations_and_code_symbols_of_imported_texts_are_extracted() {
    let fixture = InterchangeFixture::new().await;
    let mut graph = graph();
    for (old, new) in [
        ("We meet in Toronto.", "I work at Acme."),
        ("東京の天気は晴れです", "The retry:\n```rust\nfn späte_zahlung() {}\n```"),
    ] {
        graph.nodes.iter_mut().find(|node| node.content == old).unwrap().content = new.to_owned();
    }
    fixture.import(&graph).await;
    let acme =
        fixture.engine.graph().entity(&me(), &EntityRef::Name("Acme".to_owned())).await.unwrap();
    let works = acme.relations.iter().find(|one| one.relation.kind == "works_at").unwrap();
    assert_eq!((works.source.as_str(), acme.entity.kind.as_str()), ("me", "organization"));
    let code = fixture.all().await.into_iter().find(|memory| memory.text.contains("rust")).unwrap();
    let mentions = fixture.engine.graph().entities_in(&me(), code.id).await.unwrap();
    let symbol = mentions.iter().find(|mention| mention.name == "späte_zahlung").unwrap();
    assert_eq!((symbol.kind.as_str(), symbol.source.as_str()), ("function", "tree-sitter"));
}
