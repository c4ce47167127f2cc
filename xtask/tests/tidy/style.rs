//! The style of the source code, held at the figures that `cargo xtask style` prints.

use xtask::style::{
    COMMENTED_CRATES, SourceFile, doc_comments, read_sources, shared_names, type_definitions,
    undocumented_items, why_comments_per_100_lines,
};

use crate::{expect_none, root};

const MAX_COLUMNS: usize = 100;

/// Largest share of doc comments that may open with what, which, who, how, where, when or why.
const RIDDLES_MAX: f64 = 0.02;

/// Smallest number of comments that say why for each 100 lines of code, where it is held.
const REASONS_MIN: f64 = 2.0;

/// Participles and pronouns, which name nothing.
const EMPTY_TYPE_NAMES: &[&str] = &[
    "Alike", "Around", "Asked", "Begun", "Beside", "Chosen", "Counted", "Found", "Given", "Heard",
    "Held", "Kept", "Known", "Listed", "Made", "Named", "Nothing", "Passed", "Place", "Said",
    "Seen", "Shown", "Spoken", "Standing", "Told", "Wanted", "When", "Which", "Whole",
];

/// Metaphors that were retired, as whole words of a file, type or function name.
const RETIRED_WORDS: &[&str] =
    &["desk", "drawer", "house", "knot", "knots", "room", "rooms", "shelf", "turnstile", "told"];

fn sources() -> Vec<SourceFile> {
    read_sources(root()).expect("the sources can be read")
}

#[test]
fn no_line_is_wider_than_100_columns() {
    let mut wide = Vec::new();
    for file in sources() {
        for (line, number) in file.lines().zip(1..) {
            if line.chars().count() > MAX_COLUMNS {
                wide.push(format!("{}:{number}: {} columns", file.path(), line.chars().count()));
            }
        }
    }
    expect_none(wide);
}

#[test]
fn doc_comments_do_not_open_with_a_riddle() {
    let docs: Vec<_> = sources().iter().flat_map(doc_comments).collect();
    let riddles: Vec<_> = docs.iter().filter(|doc| doc.is_riddle()).collect();
    let share = riddles.len() as f64 / docs.len().max(1) as f64;
    let named: Vec<String> =
        riddles.iter().map(|doc| format!("{}: {}", doc.place, doc.text)).collect();
    assert!(share < RIDDLES_MAX, "{share:.3} of all:\n{}", named.join("\n"));
}

#[test]
fn no_doc_comment_is_a_single_word() {
    let docs: Vec<_> = sources().iter().flat_map(doc_comments).collect();
    let short = docs.into_iter().filter(|doc| doc.is_one_word());
    expect_none(short.map(|doc| format!("{}: {}", doc.place, doc.text)).collect());
}

#[test]
fn every_public_item_has_a_doc_comment() {
    // The suite names each of its rules by a sentence, which is the documentation.
    let product = |file: &&SourceFile| file.crate_name() != "store-conformance";
    expect_none(sources().iter().filter(product).flat_map(undocumented_items).collect());
}

#[test]
fn code_says_why_where_a_reader_would_stop() {
    let sources = sources();
    let reasons = |name: &str| {
        why_comments_per_100_lines(sources.iter().filter(|file| file.crate_name() == name))
    };
    let few = COMMENTED_CRATES.iter().filter(|name| reasons(name) < REASONS_MIN);
    expect_none(few.map(|name| format!("{name}: {:.1} of 100 lines", reasons(name))).collect());
}

#[test]
fn a_type_name_has_one_meaning_in_all_crates() {
    let shared = shared_names(&sources());
    expect_none(shared.into_iter().map(|(name, files)| format!("{name}: {files:?}")).collect());
}

#[test]
fn no_type_is_named_by_a_participle_or_pronoun() {
    let empty = sources()
        .iter()
        .flat_map(type_definitions)
        .filter(|one| EMPTY_TYPE_NAMES.contains(&one.name.as_str()))
        .map(|one| format!("{}: {}", one.file, one.name))
        .collect();
    expect_none(empty);
}

#[test]
fn no_file_or_type_uses_a_retired_metaphor() {
    let mut found = Vec::new();
    for file in sources() {
        let words = file.path().trim_end_matches(".rs").split(['/', '_', '-']);
        found.extend(
            words.filter(|word| is_retired(word)).map(|word| format!("{}: {word}", file.path())),
        );
        for one in type_definitions(&file) {
            found.extend(
                camel_words(&one.name)
                    .filter(|word| is_retired(word))
                    .map(|word| format!("{}: {} has {word}", one.file, one.name)),
            );
        }
    }
    expect_none(found);
}

fn is_retired(word: &str) -> bool {
    RETIRED_WORDS.contains(&word)
}

fn camel_words(name: &str) -> impl Iterator<Item = String> {
    let mut words: Vec<String> = Vec::new();
    for c in name.chars() {
        match words.last_mut() {
            Some(word) if !c.is_uppercase() => word.push(c),
            _ => words.push(c.to_lowercase().collect()),
        }
    }
    words.into_iter()
}
