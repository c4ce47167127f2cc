//! Figures about the source code that say how easily a stranger reads it: sizes of files and
//! functions, openings of doc comments, comments that say why, names that are used twice.
//!
//! A scan of lines is enough, because rustfmt decides how they look. `cargo xtask style` prints the
//! figures, and the tidy tests hold the ones that must not get worse.

mod comments;
mod functions;
mod source;
mod types;

pub use comments::{DocComment, doc_comments, why_comments_per_100_lines};
pub use functions::{Function, functions};
pub use source::{SourceFile, read_sources};
pub use types::{TypeDefinition, type_definitions, undocumented_items};

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// First words of a doc comment that leave the reader to guess the noun.
pub const RIDDLE_OPENINGS: &[&str] =
    &["what", "which", "who", "whom", "whose", "how", "whether", "where", "when", "why"];

/// Type names that every crate may use.
pub const CONVENTIONAL_TYPES: &[&str] = &["Error", "Options", "Arguments"];

/// Crates in which every 100 lines of code have at least two comments that say why.
pub const COMMENTED_CRATES: &[&str] =
    &["search-index", "store-sqlite", "api-server", "engine-core", "engine-memory", "engine-admin"];

/// Measures a checkout and returns the figures as a table for people.
///
/// # Errors
/// Fails when a source file cannot be read.
pub fn report(root: &Path) -> std::io::Result<String> {
    let sources = read_sources(root)?;
    let functions: Vec<Function> = sources.iter().flat_map(functions).collect();
    let mut lengths: Vec<usize> = functions.iter().map(|function| function.lines).collect();
    let mut files: Vec<usize> = sources.iter().map(|file| file.lines().count()).collect();
    lengths.sort_unstable();
    files.sort_unstable();
    let over_six = functions.iter().filter(|function| function.parameters > 6).count();
    let docs: Vec<DocComment> = sources.iter().flat_map(doc_comments).collect();
    let riddles = docs.iter().filter(|doc| doc.is_riddle()).count();
    let longest = sources.iter().flat_map(SourceFile::lines).map(|line| line.chars().count()).max();
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<66}{value}");
    };
    row("files", sources.len().to_string());
    row("file lines: median / p90", format!("{} / {}", at(&files, 50), at(&files, 90)));
    row(
        "function lines: p50 / p90 / p99 / max",
        format!(
            "{} / {} / {} / {}",
            at(&lengths, 50),
            at(&lengths, 90),
            at(&lengths, 99),
            at(&lengths, 100)
        ),
    );
    row("functions with more than 6 parameters", over_six.to_string());
    row("share of test lines", format!("{:.0}%", 100.0 * test_share(&sources)));
    row(
        "doc comments that open with what/which/who/how/whether/where/when/why",
        format!("{:.1}% of {}", 100.0 * riddles as f64 / docs.len().max(1) as f64, docs.len()),
    );
    row("longest line", longest.unwrap_or(0).to_string());
    row("type names in more than one crate", shared_names(&sources).len().to_string());
    row(
        "plain // comments per 100 lines of code",
        format!("{:.1}", why_comments_per_100_lines(sources.iter())),
    );
    for name in COMMENTED_CRATES {
        let of_crate = sources.iter().filter(|file| file.crate_name() == *name);
        row(&format!("  in {name}"), format!("{:.1}", why_comments_per_100_lines(of_crate)));
    }
    Ok(text)
}

/// Returns the type names that more than one crate defines, with the files that do.
#[must_use]
pub fn shared_names(sources: &[SourceFile]) -> BTreeMap<String, Vec<String>> {
    let mut by_name: BTreeMap<String, Vec<TypeDefinition>> = BTreeMap::new();
    for definition in sources.iter().flat_map(type_definitions) {
        by_name.entry(definition.name.clone()).or_default().push(definition);
    }
    by_name.retain(|name, definitions| {
        let first = definitions.first().map(|one| one.crate_name.clone());
        !CONVENTIONAL_TYPES.contains(&name.as_str())
            && definitions.iter().any(|one| Some(&one.crate_name) != first.as_ref())
    });
    let files = |all: Vec<TypeDefinition>| all.into_iter().map(|one| one.file).collect();
    by_name.into_iter().map(|(name, definitions)| (name, files(definitions))).collect()
}

fn test_share(sources: &[SourceFile]) -> f64 {
    let tests: usize = sources.iter().map(|file| file.test_lines()).sum();
    let all: usize = sources.iter().map(|file| file.lines().count()).sum();
    tests as f64 / all.max(1) as f64
}

/// Returns the value at a percentile of sorted numbers.
fn at(sorted: &[usize], percentile: usize) -> usize {
    let index = (sorted.len() * percentile / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or(0)
}
