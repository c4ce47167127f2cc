//! Rules for every source file, whatever its crate.

use std::path::Path;

use crate::crate_layers::PURE_CRATES;
use crate::{expect_none, root, rust_sources, texts_below};

const MAX_LINES: usize = 500;

/// Names that do not describe their content.
const EMPTY_NAMES: &[&str] =
    &["util", "utils", "common", "helper", "helpers", "manager", "managers", "misc"];

/// Names through which a pure crate would reach a disk, a network or a clock.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::net",
    "std::env",
    "SystemTime::now",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
];

/// Marks of unfinished work, in two halves so that this file does not match itself.
const UNFINISHED: &[(&str, &str)] =
    &[("todo", "!("), ("unimplemented", "!("), ("dbg", "!("), ("#[ign", "ore")];

/// Top-level folders of build machines; an absolute path below one exists nowhere else.
const MACHINE_FOLDERS: &[&str] = &["work", "farm", "root", "builds", "runner"];

#[test]
fn every_source_file_starts_with_a_module_doc() {
    let undocumented = rust_sources().into_iter().filter(|(_, text)| !has_module_doc(text));
    expect_none(
        undocumented
            .map(|(name, _)| format!("{name}: start it with `//!` and a description"))
            .collect(),
    );
}

#[test]
fn no_source_file_exceeds_the_maximum_length() {
    let long = rust_sources().into_iter().filter(|(_, text)| text.lines().count() > MAX_LINES);
    expect_none(
        long.map(|(name, _)| format!("{name}: more than {MAX_LINES} lines; split it")).collect(),
    );
}

#[test]
fn no_unfinished_code_and_no_ignored_tests() {
    let marks: Vec<String> =
        UNFINISHED.iter().map(|(start, end)| format!("{start}{end}")).collect();
    let mut violations = Vec::new();
    for (name, line, code) in code_lines(root()) {
        for mark in marks.iter().filter(|mark| code.contains(mark.as_str())) {
            violations.push(format!("{name}:{line}: {mark}: finish it or remove it"));
        }
    }
    expect_none(violations);
}

#[test]
fn pure_crates_use_no_disk_network_or_clock() {
    let mut violations = Vec::new();
    for name in PURE_CRATES {
        for (file, line, code) in code_lines(&root().join("crates").join(name).join("src")) {
            for word in IMPURE.iter().filter(|word| code.contains(*word)) {
                violations.push(format!(
                    "{file}:{line}: {word}: {name} is pure; take the value as an argument"
                ));
            }
        }
    }
    expect_none(violations);
}

#[test]
fn no_crate_or_module_has_an_empty_name() {
    let empty = rust_sources()
        .into_iter()
        .filter(|(name, _)| name_words(name).any(|word| EMPTY_NAMES.contains(&word)));
    expect_none(empty.map(|(name, _)| format!("{name}: name it after its content")).collect());
}

#[test]
fn no_file_contains_a_path_of_one_machine() {
    let marks: Vec<String> = MACHINE_FOLDERS.iter().map(|folder| format!("/{folder}/")).collect();
    let mut violations = Vec::new();
    for (name, text) in texts_below(root()) {
        for (at, line) in text.lines().enumerate() {
            for mark in marks.iter().filter(|mark| contains_absolute_path(line, mark)) {
                violations.push(format!(
                    "{name}:{}: a path below {mark} exists on one machine only",
                    at + 1
                ));
            }
        }
    }
    expect_none(violations);
}

#[test]
fn a_path_is_absolute_only_where_it_begins() {
    assert!(contains_absolute_path("cd /srv/x", "/srv/"));
    assert!(contains_absolute_path("/srv/x", "/srv/"));
    assert!(!contains_absolute_path("docs/srv/x", "/srv/"));
    assert!(!contains_absolute_path("~/srv/x", "/srv/"));
}

#[test]
fn comments_and_strings_are_not_code() {
    assert_eq!(strip_strings_and_comment("let a = f(); // std::fs"), "let a = f(); ");
    assert_eq!(
        strip_strings_and_comment(r#"check("std::fs \" // x", std::net)"#),
        "check(, std::net)"
    );
    assert_eq!(strip_strings_and_comment(r#"if c == '"' { std::fs }"#), "if c ==  { std::fs }");
}

fn has_module_doc(text: &str) -> bool {
    text.lines()
        .next()
        .and_then(|line| line.strip_prefix("//! "))
        .is_some_and(|sentence| sentence.trim().len() > 10)
}

/// Returns the code of every Rust file below `folder`, line by line.
fn code_lines(folder: &Path) -> Vec<(String, usize, String)> {
    let sources = texts_below(folder).into_iter().filter(|(name, _)| name.ends_with(".rs"));
    let mut lines = Vec::new();
    for (name, text) in sources {
        for (at, line) in text.lines().enumerate() {
            lines.push((name.clone(), at + 1, strip_strings_and_comment(line)));
        }
    }
    lines
}

/// Returns a line without its strings and its comment. Strings over several lines are not handled.
fn strip_strings_and_comment(line: &str) -> String {
    // Escaped quotation marks, and those in single quotes, neither open nor close a string.
    let line = line.replace(r"\\", "").replace(r#"\""#, "").replace(r#"'"'"#, "");
    let outside_strings: String = line.split('"').step_by(2).collect();
    outside_strings.split("//").next().unwrap_or_default().to_owned()
}

fn name_words(path: &str) -> impl Iterator<Item = &str> {
    path.trim_end_matches(".rs").split(['/', '-', '_'])
}

fn contains_absolute_path(line: &str, mark: &str) -> bool {
    let inside_a_name = |c: char| c.is_ascii_alphanumeric() || "_.~-".contains(c);
    line.match_indices(mark).any(|(at, _)| !line[..at].ends_with(inside_a_name))
}
