//! Details of memories and graphs that survive a file: session 0, replaced nodes, titles, reasons,
//! links, cycles and identical texts.

use crate::fixture::{InterchangeFixture, me};
use crate::synthetic::{edge, graph, node};
use engine::MemoryQuery;
use engine::correct::CorrectRequest;
use engine::remember::{NewMemoryLink, RememberRequest};
use engine::sessions::{SessionRef, StartSessionRequest};
use interchange::amem::{AmemGraph, AmemNode, read, write};
use interchange::{AmemImportOutcome, ForgottenTexts, export_amem, import_amem};
use model::{LinkKind, Memory, MemoryId, Page, SessionId, Status, limits};

async fn import(fixture: &InterchangeFixture, graph: &AmemGraph) -> AmemImportOutcome {
    import_amem(&fixture.engine, &me(), graph, ForgottenTexts::Skip, |_| ()).await.unwrap()
}

/// Exports the memory, through the bytes of a file.
async fn export(fixture: &InterchangeFixture) -> AmemGraph {
    let exported = export_amem(&fixture.engine, &me(), |_| ()).await.unwrap();
    read(&write(&exported)).unwrap()
}

async fn memories(fixture: &InterchangeFixture) -> Vec<Memory> {
    let query = MemoryQuery::default();
    fixture.engine.memories().list(&me(), &query, Page::first(1_000)).await.unwrap().items
}

async fn remember(fixture: &InterchangeFixture, request: RememberRequest) -> MemoryId {
    fixture.engine.memories().remember(&me(), &request).await.unwrap().id.unwrap()
}

fn node_with<'g>(graph: &'g AmemGraph, content: &str) -> &'g AmemNode {
    graph.nodes.iter().find(|node| node.content == content).unwrap()
}

/// Returns a graph as the original program sees it and writes it again: without the free bytes.
fn written_by_the_original(mut graph: AmemGraph) -> AmemGraph {
    for node in &mut graph.nodes {
        node.content = node.full_text();
        (node.title, node.reason) = (None, None);
        node.session = Some(node.session.unwrap_or(0));
        if node.is_replaced {
            (node.confidence, node.is_replaced) = (0.0, false);
        }
    }
    for edge in &mut graph.edges {
        if edge.kind == LinkKind::DerivedFrom {
            edge.kind = LinkKind::CausedBy;
        }
    }
    graph
}

#[tokio::test]
async fn session_zero_stays_session_zero_in_an_empty_memory() {
    let fixture = InterchangeFixture::new().await;
    let nodes = vec![node(0, "fact", "The sky is blue.", 0), node(1, "fact", "Tea is hot.", 1)];
    let imported = import(&fixture, &AmemGraph { nodes, edges: Vec::new() }).await;
    assert_eq!(imported.sessions, 2);
    let sessions: Vec<_> = memories(&fixture).await.iter().map(|memory| memory.session).collect();
    assert!(sessions.contains(&Some(SessionId(0))) && sessions.contains(&Some(SessionId(1))));
    let zero = SessionRef::Id(SessionId(0));
    assert_eq!(fixture.engine.sessions().get(&me(), &zero).await.unwrap().memories, 1);
    let exported = export(&fixture).await;
    assert_eq!(node_with(&exported, "The sky is blue.").session, Some(0));
}

#[tokio::test]
async fn a_replaced_node_is_hidden_from_the_original_and_keeps_its_confidence() {
    let (here, there) = (InterchangeFixture::new().await, InterchangeFixture::new().await);
    import(&here, &graph()).await;
    let exported = export(&here).await;
    let old = node_with(&exported, "The office is in Toronto.");
    assert_eq!((old.is_replaced, old.confidence), (true, 0.75));
    let bytes = write(&exported);
    // The confidence is 24 bytes into the record of a node, which are of 72 bytes after 64.
    let at = 64 + old.id as usize * 72 + 24;
    assert_eq!(bytes[at..at + 4], 0.0_f32.to_le_bytes(), "other readers see no confidence");
    import(&there, &exported).await;
    let found = memories(&there).await;
    let old = found.iter().find(|memory| memory.text == "The office is in Toronto.").unwrap();
    assert_eq!((old.status, old.confidence), (Status::Superseded, 0.75));
}

#[tokio::test]
async fn a_confidence_that_the_original_gave_later_counts() {
    let fixture = InterchangeFixture::new().await;
    import(&fixture, &graph()).await;
    let mut bytes = write(&export(&fixture).await);
    bytes[64 + 24..64 + 28].copy_from_slice(&0.25_f32.to_le_bytes());
    let node = read(&bytes).unwrap().nodes.remove(0);
    assert_eq!((node.confidence, node.is_replaced), (0.25, false));
}

#[tokio::test]
async fn titles_and_reasons_are_in_the_text_and_come_back() {
    let (here, there) = (InterchangeFixture::new().await, InterchangeFixture::new().await);
    let titled = RememberRequest {
        title: Some("Staging database host".into()),
        ..RememberRequest::text("blue.internal:9001")
    };
    let id = remember(&here, titled).await;
    let correction = CorrectRequest {
        reason: Some("moved in May".into()),
        ..CorrectRequest::new(id, "green.internal:9002")
    };
    here.engine.memories().correct(&me(), &correction).await.unwrap();
    let exported = export(&here).await;
    let node = node_with(&exported, "green.internal:9002");
    assert_eq!(
        node.full_text(),
        "Staging database host\ngreen.internal:9002\nReason: moved in May"
    );
    import(&there, &exported).await;
    let found = memories(&there).await;
    let found = found.iter().find(|memory| memory.text == "green.internal:9002").unwrap();
    assert_eq!(found.title.as_deref(), Some("Staging database host"));
    assert_eq!(found.metadata["reason"], "moved in May");
    for returned in [exported.clone(), written_by_the_original(exported)] {
        let again = import(&here, &returned).await;
        assert_eq!((again.added, again.links), (0, 0), "the memory it comes from has it already");
    }
}

#[test]
fn a_content_that_is_full_keeps_its_text_before_title_and_reason() {
    let mut full = node(0, "fact", &"x".repeat(limits::TEXT_BYTES), 1);
    (full.title, full.reason) = (Some("Title".into()), Some("because".into()));
    let file = write(&AmemGraph { nodes: vec![full.clone()], edges: Vec::new() });
    let read = read(&file).unwrap().nodes.remove(0);
    assert_eq!((read.content.len(), read.title, read.reason), (full.content.len(), None, None));
}

#[tokio::test]
async fn a_round_trip_through_the_original_adds_no_twin_edges() {
    let fixture = InterchangeFixture::new().await;
    import(&fixture, &graph()).await;
    let before = export(&fixture).await;
    let again = import(&fixture, &written_by_the_original(before.clone())).await;
    assert_eq!((again.added, again.links), (0, 0), "{:?}", again.skipped);
    assert_eq!(export(&fixture).await.edges, before.edges);
}

#[tokio::test]
async fn a_cause_that_is_a_derivation_too_is_one_edge() {
    let fixture = InterchangeFixture::new().await;
    let target = remember(&fixture, RememberRequest::text("The disk is full.")).await;
    let links = [LinkKind::CausedBy, LinkKind::DerivedFrom];
    let links = links.map(|kind| NewMemoryLink { target, kind, weight: 1.0 }).to_vec();
    let request = RememberRequest { links, ..RememberRequest::text("Backups stopped on Monday.") };
    remember(&fixture, request).await;
    let kinds: Vec<_> = export(&fixture).await.edges.iter().map(|edge| edge.kind).collect();
    assert_eq!(kinds, [LinkKind::DerivedFrom]);
}

#[tokio::test]
async fn a_session_number_that_the_field_cannot_hold_gets_a_free_one() {
    let fixture = InterchangeFixture::new().await;
    for (number, text) in [(1, "One is a small number."), (9_000_000_000, "Nine is a large one.")] {
        let session = Some(SessionRef::Id(SessionId(number)));
        let start = StartSessionRequest { session: session.clone(), ..Default::default() };
        fixture.engine.sessions().start(&me(), &start).await.unwrap();
        remember(&fixture, RememberRequest { session, ..RememberRequest::text(text) }).await;
    }
    remember(&fixture, RememberRequest::text("This one is in no session.")).await;
    let exported = export(&fixture).await;
    assert_eq!(node_with(&exported, "One is a small number.").session, Some(1));
    assert_eq!(node_with(&exported, "Nine is a large one.").session, Some(2));
    assert_eq!(node_with(&exported, "This one is in no session.").session, None);
}

#[tokio::test]
async fn a_cycle_of_replacements_is_broken_at_its_oldest_edge_and_told() {
    let fixture = InterchangeFixture::new().await;
    let texts = ["The plan is red.", "The plan is green.", "The plan is blue."];
    let nodes = texts.iter().zip(0..).map(|(text, id)| node(id, "fact", text, 1)).collect();
    let mut edges = [(0, 1), (1, 2), (2, 0)].map(|(s, t)| edge(s, t, LinkKind::Supersedes));
    // The edge from the second node is the oldest.
    for (edge, at) in edges.iter_mut().zip([30, 10, 20]) {
        edge.created_at = at;
    }
    let imported = import(&fixture, &AmemGraph { nodes, edges: edges.to_vec() }).await;
    assert_eq!(imported.links, 2);
    assert_eq!(imported.skipped.len(), 1);
    let (number, why) = &imported.skipped[0];
    assert_eq!(*number, 1);
    assert!(why.contains("cycle was broken at this link, its oldest"), "{why}");
    let found = memories(&fixture).await;
    let active: Vec<_> = found
        .iter()
        .filter(|memory| memory.status == Status::Active)
        .map(|memory| memory.text.as_str())
        .collect();
    assert_eq!(active, ["The plan is blue."]);
}

#[tokio::test]
async fn identical_texts_of_different_type_stay_two() {
    let (here, there) = (InterchangeFixture::new().await, InterchangeFixture::new().await);
    let nodes = vec![
        node(0, "fact", "We ship on Tuesdays.", 1),
        node(1, "decision", "We ship on Tuesdays.", 1),
        node(2, "fact", "We ship on Tuesdays.", 1),
    ];
    let twins = AmemGraph { nodes, edges: Vec::new() };
    let imported = import(&here, &twins).await;
    assert_eq!((imported.added, imported.existing), (2, 1));
    let mut kinds: Vec<_> =
        memories(&here).await.iter().map(|memory| memory.kind.to_string()).collect();
    kinds.sort();
    assert_eq!(kinds, ["decision", "fact"]);
    assert_eq!(import(&here, &twins).await.added, 0, "a second import adds nothing");
    let exported = export(&here).await;
    assert_eq!(import(&there, &exported).await.added, 2);
}

#[tokio::test]
async fn a_text_that_another_tool_wrote_is_not_added_again_under_another_type() {
    let fixture = InterchangeFixture::new().await;
    remember(&fixture, RememberRequest::text("We ship on Tuesdays.")).await;
    let nodes = vec![node(0, "fact", "We ship on Tuesdays.", 1)];
    let imported = import(&fixture, &AmemGraph { nodes, edges: Vec::new() }).await;
    assert_eq!((imported.added, imported.existing), (0, 1));
}
