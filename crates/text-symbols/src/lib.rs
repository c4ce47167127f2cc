//! Symbols that a piece of code declares: functions, types and modules. They are found with real
//! grammars (tree-sitter), so that strings, comments and calls are not mistaken for declarations.
//! No I/O and no clock: both the text and the steps of the parser are bounded, because a few
//! kilobytes of hostile text can keep an error-recovering parser busy for minutes. The bound counts
//! work, so the same text gives the same symbols on a busy machine. It does not know memories or
//! markdown.

mod budget;
mod declarations;
mod language;
mod packed_grammar;
mod parse;

pub use budget::ParseBudget;
pub use language::Language;
pub use parse::{CODE_BYTES_MAX, SYMBOLS_MAX, symbols};

/// A declared symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub kind: SymbolKind,
    /// Name as written.
    pub name: String,
    /// Byte offset of the name in the code.
    pub start: usize,
}

/// Kind of a declared symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// A function, method or macro.
    Function,
    /// A class, struct, trait, interface or other type.
    Type,
    /// A module, namespace or package.
    Module,
}
