//! The parse and the walk over its tree, both within bounds that come from what was measured: the
//! parser releases its stack by recursion, a frame a token, so the text must be short; and some
//! texts make each of its steps slower than the last, so a count of steps bounds nothing and the
//! caller's patience does.

use crate::declarations::declared;
use crate::{Language, Symbol};
use std::collections::HashSet;
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// How much code is read; what comes later is not. At most so many frames are on the stack at once.
pub const CODE_BYTES_MAX: usize = 8 * 1024;
/// How many symbols one piece of code gives.
pub const SYMBOLS_MAX: usize = 50;
/// How many nodes are looked at.
const NODES_MAX: usize = 100_000;
/// A name longer than this is none.
const NAME_BYTES_MAX: usize = 200;

/// What `code` declares, in order, each kind and name once. `go_on` is asked every hundred steps of
/// the parser; once it says no, nothing was declared.
#[must_use]
pub fn symbols(language: Language, code: &str, mut go_on: impl FnMut() -> bool) -> Vec<Symbol> {
    let code = beginning(code);
    if code.contains(is_no_text) {
        return Vec::new();
    }
    let Some(tree) = parsed(language, code, &mut go_on) else { return Vec::new() };
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    each_node(&tree, |node| {
        let symbol = declared(language, node).and_then(|(kind, name)| {
            let text = code.get(name.byte_range())?;
            let fits = !text.is_empty()
                && text.len() <= NAME_BYTES_MAX
                && !text.contains(char::is_whitespace);
            fits.then(|| Symbol { kind, name: text.to_owned(), start: name.start_byte() })
        });
        found.extend(symbol.filter(|symbol| seen.insert((symbol.kind, symbol.name.clone()))));
        found.len() < SYMBOLS_MAX
    });
    found
}

/// At most as much as is read, cut between characters.
fn beginning(code: &str) -> &str {
    let mut end = code.len().min(CODE_BYTES_MAX);
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    &code[..end]
}

/// Characters that no source holds, and that scanners were never tried on.
fn is_no_text(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}')
}

fn parsed(language: Language, code: &str, go_on: &mut impl FnMut() -> bool) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let mut asked =
        |_: &_| if go_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let options = ParseOptions::new().progress_callback(&mut asked);
    let bytes = code.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Visits the nodes from the first to the last while the visitor wants more. No recursion: depth
/// comes from outside.
fn each_node(tree: &Tree, mut visit: impl FnMut(Node<'_>) -> bool) {
    let mut cursor = tree.walk();
    for _ in 0..NODES_MAX {
        if !visit(cursor.node()) {
            return;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
