//! The symbols that a piece of code declares: functions, types and modules, read with real grammars
//! (tree-sitter), so that strings, comments and calls are not mistaken for them. No I/O and no
//! clock: the text is bounded, and the caller is asked again and again whether to go on, for a few
//! hundred bytes from hostile hands can keep a parser that recovers from errors busy for minutes.
//! It does not know memories or markdown.

mod declarations;
mod language;
mod walk;

pub use language::Language;
pub use walk::{CODE_BYTES_MAX, SYMBOLS_MAX, symbols};

/// A thing that code declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// What it is.
    pub kind: SymbolKind,
    /// Its name as written.
    pub name: String,
    /// Where its name begins in the code, in bytes.
    pub start: usize,
}

/// What a declared thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// A function, method or macro.
    Function,
    /// A class, struct, trait, interface or other type.
    Type,
    /// A module, namespace or package.
    Module,
}
