//! Programming languages with a grammar, by the names that people write after a fence.

use crate::packed_grammar;

/// A programming language that can be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Rust,
    Python,
    /// JavaScript, with JSX.
    JavaScript,
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    Go,
    Java,
    C,
    Cpp,
    /// Bash and its relatives.
    Shell,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 10] = [
        Self::Rust,
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Go,
        Self::Java,
        Self::C,
        Self::Cpp,
        Self::Shell,
    ];

    /// Returns the language of a name or file extension, ignoring case: `rust`, `rs`, `c++`, `hpp`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "rust" | "rs" => Some(Self::Rust),
            "python" | "python3" | "py" | "pyi" => Some(Self::Python),
            "javascript" | "js" | "jsx" | "mjs" | "cjs" | "node" => Some(Self::JavaScript),
            "typescript" | "ts" | "mts" | "cts" => Some(Self::TypeScript),
            "tsx" => Some(Self::Tsx),
            "go" | "golang" => Some(Self::Go),
            "java" => Some(Self::Java),
            "c" | "h" => Some(Self::C),
            "cpp" | "c++" | "cc" | "cxx" | "hpp" | "hh" | "hxx" | "h++" => Some(Self::Cpp),
            "bash" | "sh" | "shell" | "zsh" | "ksh" => Some(Self::Shell),
            _ => None,
        }
    }

    /// Returns the grammar, or `None` if it cannot be loaded.
    pub(crate) fn grammar(self) -> Option<tree_sitter::Language> {
        let grammar = match self {
            Self::Rust => &packed_grammar::RUST,
            Self::Python => &packed_grammar::PYTHON,
            Self::JavaScript => &packed_grammar::JAVASCRIPT,
            Self::TypeScript => &packed_grammar::TYPESCRIPT,
            Self::Tsx => &packed_grammar::TSX,
            Self::Go => &packed_grammar::GO,
            Self::Java => &packed_grammar::JAVA,
            Self::C => &packed_grammar::C,
            Self::Cpp => &packed_grammar::CPP,
            Self::Shell => &packed_grammar::BASH,
        };
        grammar.load()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grammar_loads_and_languages_are_known_by_their_usual_names() {
        for language in Language::ALL {
            let grammar = language.grammar().unwrap();
            tree_sitter::Parser::new().set_language(&grammar).unwrap();
        }
        for (name, language) in
            [("Rust", Language::Rust), ("C++", Language::Cpp), ("sh", Language::Shell)]
        {
            assert_eq!(Language::from_name(name), Some(language), "{name}");
        }
        for name in ["", "text", "json", "rusty"] {
            assert_eq!(Language::from_name(name), None, "{name}");
        }
    }
}
