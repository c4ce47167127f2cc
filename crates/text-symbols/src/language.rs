//! Programming languages with a grammar, by the names that people write after a fence.

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

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            Self::C => tree_sitter_c::LANGUAGE.into(),
            Self::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Self::Shell => tree_sitter_bash::LANGUAGE.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grammar_loads_and_languages_are_known_by_their_usual_names() {
        for language in Language::ALL {
            tree_sitter::Parser::new().set_language(&language.grammar()).unwrap();
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
