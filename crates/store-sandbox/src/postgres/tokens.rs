//! Tokens of a statement, as far as they are needed to find words outside of quotes and comments.

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SqlTokenKind {
    /// White space or a comment.
    Space,
    /// A keyword or a name, also in double quotes.
    Word,
    /// A text in single quotes.
    Literal,
    /// The operator `::`.
    Cast,
    /// A number or a single character.
    Other,
}

/// A part of a statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct SqlToken<'s> {
    pub text: &'s str,
    pub kind: SqlTokenKind,
}

impl SqlToken<'_> {
    /// Returns true if it is this word, in any case.
    pub fn is(&self, word: &str) -> bool {
        self.kind == SqlTokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    pub fn is_word(&self) -> bool {
        self.kind == SqlTokenKind::Word
    }
}

/// Splits a statement; the texts of the tokens together are the statement.
pub(super) fn tokenize(sql: &str) -> Vec<SqlToken<'_>> {
    let (mut tokens, mut rest) = (Vec::new(), sql);
    while let Some(first) = rest.chars().next() {
        let (kind, length) = token_at(rest, first);
        let (text, after) = rest.split_at(length);
        tokens.push(SqlToken { text, kind });
        rest = after;
    }
    tokens
}

/// Returns kind and length of the token at the beginning of a text that begins with `first`.
fn token_at(rest: &str, first: char) -> (SqlTokenKind, usize) {
    let until = |end: &str, from: usize| {
        rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len())
    };
    let run = |takes: fn(char) -> bool| rest.find(|c| !takes(c)).unwrap_or(rest.len());
    match first {
        _ if rest.starts_with("--") => (SqlTokenKind::Space, until("\n", 2)),
        _ if rest.starts_with("/*") => (SqlTokenKind::Space, until("*/", 2)),
        _ if rest.starts_with("::") => (SqlTokenKind::Cast, 2),
        '\'' => (SqlTokenKind::Literal, until("'", 1)),
        '"' => (SqlTokenKind::Word, until("\"", 1)),
        '`' => (SqlTokenKind::Word, until("`", 1)),
        '[' => (SqlTokenKind::Word, until("]", 1)),
        c if c.is_whitespace() => (SqlTokenKind::Space, run(char::is_whitespace)),
        c if c.is_alphabetic() || c == '_' => {
            (SqlTokenKind::Word, run(|c| c.is_alphanumeric() || c == '_' || c == '$'))
        }
        c if c.is_ascii_digit() => (SqlTokenKind::Other, run(|c| c.is_ascii_digit() || c == '.')),
        c => (SqlTokenKind::Other, c.len_utf8()),
    }
}
