//! The `.amem` format byte by byte, so that files can be exchanged with AgenticMemory.

use crate::synthetic::{edge, graph, node};
use interchange::amem::{AmemError, AmemGraph, read, write};
use model::LinkKind;

fn u64_at(file: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(file[at..at + 8].try_into().unwrap())
}

fn u32_at(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap())
}

#[test]
fn a_written_file_round_trips() {
    assert_eq!(read(&write(&graph())), Ok(graph()));
    assert_eq!(read(&write(&AmemGraph::default())), Ok(AmemGraph::default()));
}

#[test]
fn the_header_holds_the_offsets_of_all_sections() {
    let file = write(&graph());
    assert_eq!(&file[..4], b"AMEM");
    assert_eq!((u32_at(&file, 4), u32_at(&file, 8), u32_at(&file, 12)), (1, 128, 0));
    let (nodes, edges) = (u64_at(&file, 16), u64_at(&file, 24));
    assert_eq!((nodes, edges), (9, 10));
    assert_eq!(u64_at(&file, 32), 64);
    assert_eq!(u64_at(&file, 40), 64 + nodes * 72);
    assert_eq!(u64_at(&file, 48), 64 + nodes * 72 + edges * 32);
    assert_eq!(u64_at(&file, 56) + nodes * 512, file.len() as u64);
}

#[test]
fn a_node_has_its_fields_at_the_documented_offsets() {
    let one = AmemGraph { nodes: vec![node(0, "skill", "Rust", 7)], edges: Vec::new() };
    let file = write(&one);
    let record = &file[64..136];
    assert_eq!((u64_at(record, 0), record[8]), (0, 4));
    assert_eq!(u64_at(record, 12), 1_777_777_777_000_000);
    assert_eq!(u32_at(record, 20), 7);
    assert_eq!(f32::from_bits(u32_at(record, 24)), 0.75);
    assert_eq!(u32_at(record, 28), 3);
    assert_eq!(u64_at(record, 32), 1_777_777_777_000_005);
    assert_eq!(f32::from_bits(u32_at(record, 40)), 0.5);
    assert_eq!(u64_at(record, 44), 0, "its content comes first");
    let packed = u32_at(record, 52) as usize;
    let contents = u64_at(&file, 48) as usize;
    assert_eq!(u32_at(&file, contents), 4, "the length precedes the compressed text");
    assert_eq!(contents + packed, u64_at(&file, 56) as usize);
}

#[test]
fn kinds_without_a_code_are_facts_and_causes_to_other_readers() {
    let nodes = vec![node(0, "note", "a", 1), node(1, "bug-fix", "b", 1)];
    let file = write(&AmemGraph { nodes, edges: vec![edge(1, 0, LinkKind::DerivedFrom)] });
    assert_eq!((file[64 + 8], file[64 + 72 + 8]), (0, 0));
    let edges = u64_at(&file, 40) as usize;
    assert_eq!(file[edges + 16], 0);
    let back = read(&file).unwrap();
    assert_eq!((back.nodes[0].kind.as_str(), back.nodes[1].kind.as_str()), ("note", "fact"));
    assert_eq!(back.edges[0].kind, LinkKind::DerivedFrom);
}

#[test]
fn an_index_after_the_vectors_is_ignored() {
    let mut file = write(&graph());
    file.push(5);
    file.extend(u64::MAX.to_le_bytes());
    file.extend([0xFF; 40]);
    assert_eq!(read(&file), Ok(graph()));
}

#[test]
fn an_unsupported_version_is_named_in_the_error() {
    let mut file = write(&graph());
    file[4] = 2;
    assert_eq!(read(&file), Err(AmemError::Version(2)));
    assert!(AmemError::Version(2).to_string().contains("version 2"));
}
