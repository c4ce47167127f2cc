//! In and out through an engine: what comes in is found, what goes out comes back.

use crate::house::{House, me};
use crate::made_up::{edge, graph, node};
use engine::MemoryQuery;
use engine::entities::EntityRef;
use engine::explore::Explore;
use engine::forget::Forget;
use engine::recall::Recall;
use engine::remember::Remember;
use engine::sessions::SessionRef;
use interchange::amem::{Graph, read, write};
use interchange::{Imported, export_amem, import_amem};
use model::{LinkKind, Memory, Moment, Origin, Page, SessionId, Status};

impl House {
    async fn import(&self, graph: &Graph) -> Imported {
        import_amem(&self.engine, &me(), graph, |_| ()).await.unwrap()
    }

    async fn saying(&self, text: &str) -> Memory {
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
async fn an_imported_graph_is_found_and_keeps_what_was_known_of_it() {
    let house = House::new().await;
    let mut steps = Vec::new();
    let imported =
        import_amem(&house.engine, &me(), &graph(), |step| steps.push(step)).await.unwrap();
    assert_eq!((imported.added, imported.known, imported.links, imported.sessions), (9, 0, 10, 2));
    assert_eq!(steps.last().map(|step| (step.done, step.total)), Some((19, 19)));
    let found = house
        .engine
        .memories()
        .recall(&me(), &Recall::query("is the office in Montreal?"))
        .await
        .unwrap();
    assert_eq!(found.hits[0].memory.text, "The office is in Montreal.");
    let old = house.saying("The office is in Toronto.").await;
    assert_eq!((old.status, old.confidence, old.kind.as_str()), (Status::Superseded, 0.75, "fact"));
    assert_eq!(old.valid_from, Moment(1_777_777_777_000_000));
    assert_eq!(old.provenance.origin, Origin::Imported);
    assert_eq!(old.metadata["uses_before_import"], 3);
}

#[tokio::test]
async fn sessions_keep_their_numbers_and_episodes() {
    let house = House::new().await;
    house.import(&graph()).await;
    let first = house.engine.sessions().get(&me(), &SessionRef::Id(SessionId(1))).await.unwrap();
    assert_eq!(first.episode.unwrap().text, "Talked about offices.");
    let second = house.saying("Moved the office.").await;
    assert_eq!(second.session, Some(SessionId(2)));
}

#[tokio::test]
async fn a_number_that_is_taken_is_left_to_who_has_it() {
    let house = House::new().await;
    house.engine.sessions().start(&me(), &engine::sessions::StartSession::default()).await.unwrap();
    house.import(&graph()).await;
    let own = house.engine.sessions().get(&me(), &SessionRef::Id(SessionId(1))).await.unwrap();
    assert_eq!(own.memories, 0);
    assert_ne!(house.saying("We meet in Toronto.").await.session, Some(SessionId(1)));
}

#[tokio::test]
async fn links_lead_where_they_led_and_derived_stays_derived() {
    let house = House::new().await;
    house.import(&graph()).await;
    let derived = house.saying("東京の天気は晴れです").await;
    let walk = Explore {
        with_history: true,
        depth: Some(1),
        kinds: vec![LinkKind::DerivedFrom],
        ..Explore::around(derived.id)
    };
    let around = house.engine.graph().explore(&me(), &walk).await.unwrap();
    assert_eq!(around.taken[0].kind, LinkKind::DerivedFrom);
    assert_eq!(around.visits[1].0.text, "The office is in Toronto.");
}

#[tokio::test]
async fn a_second_import_of_the_same_file_adds_nothing() {
    let house = House::new().await;
    house.import(&graph()).await;
    let before = house.all().await;
    let again = house.import(&graph()).await;
    assert_eq!((again.added, again.known, again.links, again.sessions), (0, 9, 0, 0));
    assert_eq!(house.all().await, before);
}

#[tokio::test]
async fn a_file_that_grew_adds_only_what_is_new() {
    let house = House::new().await;
    house.import(&graph()).await;
    let mut grown = graph();
    grown.nodes.push(node(9, "fact", "The new office has a lift.", 2));
    grown.edges.push(edge(9, 4, LinkKind::Supports));
    let again = house.import(&grown).await;
    assert_eq!((again.added, again.links, again.sessions), (1, 1, 0));
}

#[tokio::test]
async fn what_may_not_be_kept_is_passed_over_and_named() {
    let house = House::new().await;
    let kept = Remember::text("My old address is Elm Street 4.");
    let id = house.engine.memories().remember(&me(), &kept).await.unwrap().id.unwrap();
    house
        .engine
        .memories()
        .forget(&me(), &Forget { memories: vec![id], ..Forget::default() })
        .await
        .unwrap();
    let token = format!("The token is ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let mut told = graph();
    told.nodes.push(node(9, "fact", "My old address is Elm Street 4.", 1));
    told.nodes.push(node(10, "fact", &token, 1));
    told.nodes.push(node(11, "fact", "", 1));
    let imported = house.import(&told).await;
    assert_eq!(imported.added, 9);
    let numbers: Vec<u64> = imported.passed_over.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [9, 10, 11]);
    assert!(imported.passed_over[0].1.contains("forgotten"));
    assert!(!imported.passed_over[1].1.contains("aB3dE5"), "a refusal does not repeat the secret");
}

#[tokio::test]
async fn what_the_owner_typed_is_not_replaced_by_a_file() {
    let house = House::new().await;
    house
        .engine
        .memories()
        .remember(&me(), &Remember::text("The office is in Toronto."))
        .await
        .unwrap();
    let imported = house.import(&graph()).await;
    assert_eq!(house.saying("The office is in Toronto.").await.status, Status::Active);
    assert!(
        imported.passed_over.iter().any(|(number, why)| *number == 4 && why.contains("stronger"))
    );
}

#[tokio::test]
async fn cycles_of_corrections_come_in_and_resolve() {
    let house = House::new().await;
    let told = Graph {
        nodes: vec![node(0, "fact", "Round and round.", 1), node(1, "fact", "And round again.", 1)],
        edges: vec![edge(0, 1, LinkKind::Supersedes), edge(1, 0, LinkKind::Supersedes)],
    };
    house.import(&told).await;
    let id = house.saying("Round and round.").await.id;
    assert_eq!(house.engine.memories().versions(&me(), id).await.unwrap().all.len(), 2);
}

#[tokio::test]
async fn an_export_comes_back_in_another_memory_as_it_was() {
    let (here, there) = (House::new().await, House::new().await);
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
    assert_eq!((again.added, again.links), (0, 0), "an export is known where it comes from");
}

#[tokio::test]
async fn what_an_imported_text_states_and_the_code_in_it_are_read_as_if_it_were_remembered() {
    let house = House::new().await;
    let mut graph = graph();
    for (old, new) in [
        ("We meet in Toronto.", "I work at Acme."),
        ("東京の天気は晴れです", "The retry:\n```rust\nfn späte_zahlung() {}\n```"),
    ] {
        graph.nodes.iter_mut().find(|node| node.content == old).unwrap().content = new.to_owned();
    }
    house.import(&graph).await;
    let acme =
        house.engine.graph().entity(&me(), &EntityRef::Name("Acme".to_owned())).await.unwrap();
    let works = acme.relations.iter().find(|one| one.relation.kind == "works_at").unwrap();
    assert_eq!((works.source.as_str(), acme.entity.kind.as_str()), ("me", "organization"));
    let code = house.all().await.into_iter().find(|memory| memory.text.contains("rust")).unwrap();
    let mentions = house.engine.graph().entities_in(&me(), code.id).await.unwrap();
    let symbol = mentions.iter().find(|mention| mention.name == "späte_zahlung").unwrap();
    assert_eq!((symbol.kind.as_str(), symbol.source.as_str()), ("function", "tree-sitter"));
}
