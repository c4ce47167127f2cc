//! Parsing, and the walk over the syntax tree, both bounded. The parser frees its stack
//! recursively, one frame per token, so the text must be short. Some texts make each parser step
//! slower than the last, so a limit on steps would not bound the time; the caller decides when to
//! stop.

use crate::declarations::declared_symbol;
use crate::{Language, Symbol};
use std::collections::HashSet;
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Maximum number of bytes parsed; the rest is ignored. It also bounds the recursion when the
/// parser frees its stack: 68 KB of open brackets overflowed it.
pub const CODE_BYTES_MAX: usize = 8 * 1024;
/// Maximum number of symbols returned.
pub const SYMBOLS_MAX: usize = 50;
/// Maximum number of nodes visited.
const NODES_MAX: usize = 100_000;
/// Maximum length of a name.
const NAME_BYTES_MAX: usize = 200;

/// Returns the symbols that `code` declares, in order, each kind and name once. `go_on` is called
/// every hundred parser steps; once it returns false, the parse is abandoned and the result is
/// empty.
#[must_use]
pub fn symbols(language: Language, code: &str, mut go_on: impl FnMut() -> bool) -> Vec<Symbol> {
    let code = truncate_code(code);
    if code.contains(is_unparsable_control) {
        return Vec::new();
    }
    let Some(tree) = parse_tree(language, code, &mut go_on) else { return Vec::new() };
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    visit_nodes(&tree, |node| {
        let symbol = declared_symbol(language, node).and_then(|(kind, name)| {
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

/// Returns the part that is parsed, cut at a character boundary.
fn truncate_code(code: &str) -> &str {
    let mut end = code.len().min(CODE_BYTES_MAX);
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    &code[..end]
}

/// Returns true for control characters that source code never contains. The hand-written scanners
/// of grammars are not tested with them: 70 KB of NUL kept the one for shell busy for two minutes.
fn is_unparsable_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}')
}

fn parse_tree(language: Language, code: &str, go_on: &mut impl FnMut() -> bool) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let mut progress =
        |_: &_| if go_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = code.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Visits the nodes in document order until the visitor returns false. Iterative, since the depth
/// of the tree is controlled by the input.
fn visit_nodes(tree: &Tree, mut visit: impl FnMut(Node<'_>) -> bool) {
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
