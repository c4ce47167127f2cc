//! Topic detection: software or not. `SessionManager` and `AB-12` are a type and a ticket among
//! developers, and a brand and a product number elsewhere.

use crate::terms::term;
use crate::word_list::WordList;
use crate::word_spans::words;

/// Returns true if anything in `text` shows that it is about software.
pub(crate) fn is_about_code(text: &str) -> bool {
    let marks = ["`", "()", "::", "=>"];
    marks.iter().any(|mark| text.contains(mark))
        || words(text).any(|word| is_software_word(word.text))
}

fn is_software_word(word: &str) -> bool {
    let identifier = word.is_ascii() && word.trim_matches('_').contains('_');
    identifier || SOFTWARE_WORDS.contains(&term(word))
}

/// Words that are rare outside of software development.
#[rustfmt::skip]
static SOFTWARE_WORDS: WordList = WordList::new(&[
    "api", "apis", "async", "backend", "bug", "bugs", "cache", "ci", "cli", "codebase", "commit",
    "commits", "compile", "compiler", "crash", "crashes", "crate", "daemon", "database", "debug",
    "deploy", "deployed", "deployment", "docker", "endpoint", "enum", "frontend", "git", "github",
    "golang", "handler", "http", "java", "javascript", "json", "kubernetes", "leaks", "middleware",
    "migration", "mutex", "parser", "postgres", "postgresql", "pr", "python", "refactor",
    "refactored", "refactoring", "regression", "repo", "repository", "rust", "schema", "sdk",
    "segfault", "server", "servers", "sql", "sqlite", "stacktrace", "struct", "subclass", "thread",
    "trait", "typescript",
]);
