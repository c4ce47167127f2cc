//! The graph page: each action by mouse, keys and fingers, at the sizes of a desktop and a phone,
//! and the frame times of large graphs.

use super::{at_each_size, run_scenario};
use crate::fixture::DashboardFixture;
use engine::Caller;
use engine::entities::{PutEntityRequest, RelateEntitiesRequest};
use engine::remember::RememberRequest;
use model::{EntityId, NewEntity, OwnerId};
use serde_json::json;
use store::{Change, ChangeResult, NewMention, NewRelation, Ref};
use store_conformance::builders;

/// Starts a dashboard over a small graph: `relations` between people and things.
fn related(relations: &[(&str, &str, &str)]) -> DashboardFixture {
    let fixture = DashboardFixture::start();
    let person = Caller::person(OwnerId::me()).with_tool("graph");
    fixture.with_engine(async |engine| {
        for (source, kind, target) in relations {
            let relate = RelateEntitiesRequest {
                source: (*source).into(),
                source_kind: Some("person".into()),
                target: (*target).into(),
                kind: (*kind).into(),
                ..RelateEntitiesRequest::default()
            };
            engine.graph().relate(&person, &relate).await.unwrap();
        }
    });
    fixture
}

/// Starts a dashboard over four entities, of which two are the same person, with memories that
/// mention them.
fn studio() -> DashboardFixture {
    let fixture = related(&[("Ada", "works_at", "Kiln House"), ("Bo", "knows", "Ada")]);
    let person = Caller::person(OwnerId::me()).with_tool("graph");
    let put = PutEntityRequest {
        name: "Ada L.".into(),
        kind: Some("person".into()),
        ..PutEntityRequest::default()
    };
    fixture.with_engine(async |engine| {
        engine.graph().put_entity(&person, &put).await.unwrap();
    });
    let texts =
        ["The log says that Ada fires the kiln at Kiln House.", "The list has Ada and Bo on it."];
    for text in texts {
        fixture.remember_as("codex", &RememberRequest::text(text));
    }
    fixture
}

#[test]
fn the_graph_shows_memories_and_entities_of_a_period() {
    let memory = || {
        let fixture = DashboardFixture::start();
        for text in ["Ada Lovelace works at Kiln House.", "Grace Hopper met Ada Lovelace."] {
            fixture.remember_as("codex", &RememberRequest::text(text));
        }
        fixture
    };
    at_each_size(memory, "graph", "withMemories", json!({}));
}

#[test]
fn the_graph_is_searched_filtered_and_its_entities_renamed_merged_and_deleted() {
    let memory = || related(&[("Ada", "works_at", "Kiln House"), ("Bo", "knows", "Ada")]);
    at_each_size(memory, "graph", "explored", json!({}));
}

#[test]
fn the_graph_fits_on_load_and_stays_the_same_between_visits() {
    run_scenario(&studio(), "graph", "stable", json!({}));
}

#[test]
fn the_graph_is_zoomed_at_the_pointer_and_moved_on_a_trackpad() {
    at_each_size(studio, "graph", "zoomed", json!({}));
}

#[test]
fn a_node_of_the_graph_is_inspected_and_linked_to() {
    let fixture = studio();
    run_scenario(&fixture, "graph", "inspected", json!({}));
    run_scenario(&fixture, "graph", "inspected", json!({ "phone": true }));
}

#[test]
fn relations_of_the_graph_are_said_as_a_person_says_them() {
    let memory = || related(&[("me", "lives_at", "Porto"), ("me", "eat_with", "Marta")]);
    at_each_size(memory, "graph", "inWords", json!({}));
}

#[test]
fn kinds_and_co_mentions_of_the_graph_are_shown_and_hidden() {
    at_each_size(studio, "graph", "filtered", json!({}));
}

#[test]
fn the_growth_of_the_graph_is_replayed() {
    let fixture = studio();
    run_scenario(&fixture, "graph", "grown", json!({}));
    run_scenario(&fixture, "graph", "grown", json!({ "phone": true }));
}

#[test]
fn a_dragged_node_of_the_graph_is_pinned() {
    at_each_size(studio, "graph", "pinned", json!({}));
}

#[test]
fn two_entities_are_merged_by_dragging_one_onto_the_other() {
    at_each_size(studio, "graph", "mergedByDragging", json!({}));
}

#[test]
fn an_entity_is_merged_with_one_that_is_searched() {
    run_scenario(&studio(), "graph", "mergedBySearch", json!({}));
    run_scenario(&studio(), "graph", "mergedBySearch", json!({ "phone": true }));
}

#[test]
fn a_merge_of_two_entities_is_undone() {
    for phone in [false, true] {
        let fixture = studio();
        let id = |name: &str| {
            let found = fixture.call("GET", "/v1/entities?limit=20", &json!({}));
            let items = found["items"].as_array().unwrap().clone();
            items.iter().find(|one| one["name"] == name).unwrap()["id"].clone()
        };
        let ids = [id("Ada"), id("Ada L.")];
        run_scenario(&fixture, "graph", "parted", json!({ "ids": ids, "phone": phone }));
    }
}

#[test]
fn the_graph_is_saved_as_svg_and_png() {
    at_each_size(studio, "graph", "exported", json!({}));
}

#[test]
fn the_graph_is_moved_and_zoomed_by_fingers() {
    run_scenario(&studio(), "graph", "byFingers", json!({}));
}

#[test]
fn the_layout_of_the_graph_moves_unless_less_motion_is_preferred() {
    at_each_size(studio, "graph", "moving", json!({}));
}

#[test]
fn a_graph_of_two_thousand_nodes_is_laid_out_and_drawn() {
    let frames = measure_frames(2_000, 4_000);
    println!("{frames}");
    assert_eq!((frames["nodes"].as_u64(), frames["edges"].as_u64()), (Some(2_000), Some(4_000)));
}

#[test]
fn a_graph_of_ten_thousand_nodes_is_laid_out_and_drawn() {
    let frames = measure_frames(10_000, 20_000);
    println!("{frames}");
    assert_eq!((frames["nodes"].as_u64(), frames["edges"].as_u64()), (Some(10_000), Some(20_000)));
}

/// Returns the frame times of a graph with so many entities and relations.
fn measure_frames(nodes: usize, edges: usize) -> serde_json::Value {
    let fixture = DashboardFixture::start();
    let entity = |number: usize| {
        let kind = ["person", "place", "tool", "file"][number % 4].to_owned();
        NewEntity { kind: Some(kind), ..builders::entity(&format!("Entity {number}")) }
    };
    let mut changes: Vec<Change> =
        (0..nodes).map(|number| Change::PutEntity(entity(number))).collect();
    changes.push(builders::remember("One memory."));
    changes.push(Change::Mention(NewMention {
        memory: Ref::ResultOf(nodes),
        entity: Ref::ResultOf(0),
        kind: "person".into(),
        name: "Entity 0".into(),
        source: "test".into(),
        path: None,
    }));
    let written = fixture.write(changes).results;
    let ids: Vec<EntityId> = written.iter().filter_map(ChangeResult::entity).collect();
    // Each node is connected to one of the same cluster and to one anywhere.
    let relations: Vec<Change> = (0..edges)
        .map(|number| {
            let source = number % nodes;
            let near = source / 40 * 40 + (number * 7 + 1) % 40;
            let target = if number < nodes { near } else { (number * 131 + 17) % nodes };
            let target = if target == source { (target + 1) % nodes } else { target };
            relation(ids[source], ids[target], &format!("kind {}", number / nodes))
        })
        .collect();
    for part in relations.chunks(10_000) {
        fixture.write(part.to_vec());
    }
    run_scenario(&fixture, "graph", "large", json!({ "nodes": nodes }))
}

fn relation(source: EntityId, target: EntityId, kind: &str) -> Change {
    Change::Relate(Box::new(NewRelation {
        source: Ref::Id(source),
        target: Ref::Id(target),
        kind: kind.to_owned(),
        weight: 1.0,
        confidence: 1.0,
        memory: None,
        properties: model::JsonMap::new(),
    }))
}
