//! Hostile `.amem` files: reading one gives a graph or an error and never much memory.

use crate::synthetic::{SplitMix64, graph, node};
use interchange::amem::{AmemError, AmemGraph, read, write};
use model::limits;

fn with_u64(at: usize, value: u64) -> Vec<u8> {
    let mut file = write(&graph());
    file[at..at + 8].copy_from_slice(&value.to_le_bytes());
    file
}

#[test]
fn a_file_truncated_anywhere_is_an_error() {
    let file = write(&graph());
    for length in 0..file.len() {
        assert!(read(&file[..length]).is_err(), "{length} of {} bytes", file.len());
    }
}

#[test]
fn invalid_counts_and_offsets_are_errors_and_allocate_nothing() {
    for at in (16..64).step_by(8) {
        for value in [1 << 40, u64::MAX, u64::MAX - 63, i64::MAX as u64] {
            assert!(read(&with_u64(at, value)).is_err(), "{value} at {at}");
        }
    }
}

#[test]
fn an_invalid_dimension_is_an_error() {
    let mut file = write(&graph());
    file[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(read(&file), Err(AmemError::Truncated("vectors")));
}

#[test]
fn an_oversized_content_is_an_error_before_it_is_decompressed() {
    let mut file =
        write(&AmemGraph { nodes: vec![node(0, "fact", "short", 1)], edges: Vec::new() });
    let contents = 64 + 72;
    file[contents..contents + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(read(&file), Err(AmemError::Node { node: 0, what: "content (too long)" }));
}

#[test]
fn a_content_of_the_maximum_length_is_accepted() {
    let long = AmemGraph {
        nodes: vec![node(0, "fact", &"a".repeat(limits::TEXT_BYTES), 1)],
        edges: Vec::new(),
    };
    assert_eq!(read(&write(&long)), Ok(long));
    let longer = AmemGraph {
        nodes: vec![node(0, "fact", &"a".repeat(limits::TEXT_BYTES + 1), 1)],
        edges: Vec::new(),
    };
    assert!(read(&write(&longer)).is_err());
}

#[test]
fn nodes_that_share_one_compressed_content_count_towards_the_import_limit() {
    let nodes = 5_000_u64;
    let mut file = write(&AmemGraph {
        nodes: vec![node(0, "fact", &"a".repeat(limits::TEXT_BYTES), 1)],
        edges: Vec::new(),
    });
    let (record, packed) = (file[64..136].to_vec(), file[136..file.len() - 512].to_vec());
    file.truncate(64);
    for id in 0..nodes {
        file.extend(id.to_le_bytes());
        file.extend(&record[8..]);
    }
    let contents = file.len() as u64;
    file.extend(packed);
    let end = file.len() as u64;
    file[8..12].copy_from_slice(&0_u32.to_le_bytes());
    for (at, value) in [(16, nodes), (24, 0), (40, contents), (48, contents), (56, end)] {
        file[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    assert_eq!(read(&file), Err(AmemError::TextTooLarge { limit: limits::IMPORT_BYTES }));
}

#[test]
fn duplicate_node_ids_and_dangling_edges_are_errors() {
    let twice = AmemGraph {
        nodes: vec![node(3, "fact", "a", 1), node(3, "fact", "b", 1)],
        edges: Vec::new(),
    };
    assert!(matches!(read(&write(&twice)), Err(AmemError::Node { .. })));
    let mut nowhere = graph();
    nowhere.edges[0].target = 99;
    assert!(matches!(read(&write(&nowhere)), Err(AmemError::Edge { .. })));
}

#[test]
fn every_flipped_bit_of_a_file_gives_a_graph_or_an_error() {
    let file = write(&graph());
    let (mut intact, mut damaged) = (0, 0);
    for at in 0..file.len() - 9 * 512 {
        for bit in 0..8 {
            let mut flipped = file.clone();
            flipped[at] ^= 1 << bit;
            match read(&flipped) {
                Ok(read) => {
                    intact += 1;
                    assert!(read.nodes.iter().all(|node| (0.0..=1.0).contains(&node.confidence)));
                }
                Err(error) => {
                    damaged += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    assert!(damaged > 1_000 && intact > 0, "{damaged} damaged, {intact} intact");
}

#[test]
fn twenty_thousand_mutated_files_give_a_graph_or_an_error() {
    let whole = write(&graph());
    let mut numbers = SplitMix64(42);
    for _ in 0..20_000 {
        let mut file = whole.clone();
        for _ in 0..=numbers.below(12) {
            mutate(&mut file, &mut numbers);
        }
        if let Ok(graph) = read(&file) {
            let again = read(&write(&graph)).expect("what was read can be written and read");
            assert_eq!(again.nodes.len(), graph.nodes.len());
        }
    }
}

/// Applies one random change, such as a broken disk, a network or an attacker makes.
fn mutate(file: &mut Vec<u8>, numbers: &mut SplitMix64) {
    if file.is_empty() {
        return;
    }
    let at = numbers.below(file.len());
    match numbers.below(6) {
        0 => file[at] = numbers.next() as u8,
        1 => file[at] ^= 1 << numbers.below(8),
        2 => file.truncate(at),
        3 => file.insert(at, numbers.next() as u8),
        4 => {
            let wild = [0, u64::MAX, 1 << 40, 72, numbers.next()][numbers.below(5)].to_le_bytes();
            let end = (at + 8).min(file.len());
            file[at..end].copy_from_slice(&wild[..end - at]);
        }
        _ => {
            let from = numbers.below(file.len());
            let part = file[from..(from + numbers.below(64)).min(file.len())].to_vec();
            file.splice(at..at, part);
        }
    }
}
