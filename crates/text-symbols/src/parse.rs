//! Parsing, and the walk over the syntax tree, both bounded. The parser frees its stack
//! recursively, one frame per token, so the text must be short.

use crate::declarations::declared_symbol;
use crate::{Language, ParseBudget, Symbol};
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

/// Returns the symbols that `code` declares, in order, each kind and name once, or `None` if
/// parsing it would exceed the budget.
#[must_use]
pub fn symbols(language: Language, code: &str, budget: &mut ParseBudget) -> Option<Vec<Symbol>> {
    let code = truncate_code(code);
    if code.contains(is_unparsable_control) {
        return Some(Vec::new());
    }
    let tree = parse_tree(language, code, budget)?;
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
    Some(found)
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

fn parse_tree(language: Language, code: &str, budget: &mut ParseBudget) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()?).ok()?;
    let bytes = code.as_bytes();
    let limit = budget.limit_for(bytes.len());
    let mut reports = 0;
    let mut count_report = |_: &_| {
        reports += 1;
        if reports < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut count_report);
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    budget.spend(reports);
    tree
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
