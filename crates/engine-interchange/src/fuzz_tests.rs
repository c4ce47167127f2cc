//! The parsers of foreign files, on samples that are changed at random.

use crate::{EpitomeExport, ForeignMemory, ForeignSource, LibrarianVault, VaultFile, amem, jsonl};
use fuzz::FuzzTarget;
use model::{AgentName, Author, Dialect, Moment, Origin, Provenance};

fn target(name: &'static str) -> FuzzTarget {
    FuzzTarget::new(name, env!("CARGO_MANIFEST_DIR"), 500)
}

fn provenance() -> Provenance {
    let author = Author {
        agent: AgentName::new("me"),
        client: None,
        dialect: Dialect::Import,
        tool: "import".into(),
    };
    let origin = Origin::Imported;
    Provenance { author, origin, trust: origin.trust(), at: Moment(0) }
}

/// Returns the beginning of an error without its numbers, which tell nothing new.
fn kind_of(error: &impl ToString) -> String {
    error.to_string().chars().filter(|c| !c.is_ascii_digit()).take(40).collect()
}

#[test]
fn no_amem_file_makes_the_parser_fail() {
    target("amem").run(|bytes| {
        let read = amem::read(bytes);
        read.map(|graph| (graph.nodes.len(), graph.edges.len())).map_err(|error| kind_of(&error))
    });
}

#[test]
fn no_line_of_an_export_makes_the_parser_fail() {
    target("jsonl").run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let decoded = text.lines().take(50).map(|line| {
            jsonl::from_line(line).map(|item| item.is_some()).map_err(|error| kind_of(&error))
        });
        decoded.collect::<Vec<_>>()
    });
}

#[test]
fn no_document_makes_the_parser_of_epitome_exports_fail() {
    target("epitome").run(|bytes| {
        let read = EpitomeExport::read(bytes);
        read.map(|export| export.items(&provenance()).len()).map_err(|error| kind_of(&error))
    });
}

#[test]
fn no_markdown_file_makes_the_parser_of_vaults_fail() {
    target("vault").run(|bytes| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let file = |path: &str| VaultFile { path: path.to_owned(), text: text.clone() };
        let files = vec![file("memories/a.md"), file("memories/b.md"), file("handoffs/c.md")];
        let found = LibrarianVault::new(files).convert(&provenance());
        (found.len(), found.skipped.len(), crate::confidence_in_words(&text).is_some())
    });
}

#[test]
fn no_file_of_another_program_makes_a_reader_fail() {
    target("foreign").run(|bytes| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        ["a.json", "a.csv", "a.md", "a.txt"].map(|name| {
            let source = ForeignSource::File { name: name.to_owned(), text: text.clone() };
            let read = source.recognize().map(|content| content.convert(&provenance()).len());
            read.map_err(|error| kind_of(&error))
        })
    });
}
