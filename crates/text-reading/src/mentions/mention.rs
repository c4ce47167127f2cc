//! A mention: the name, its kind, and the finder that recognised it.

/// Something that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMention {
    pub kind: MentionKind,
    /// Name as written.
    pub name: String,
    pub source: MentionSource,
    /// File that the mention is or is declared in, where the text names it.
    pub path: Option<String>,
}

/// Kind of the entity that is mentioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MentionKind {
    /// A proper name whose kind the text does not reveal.
    Name,
    Person,
    Place,
    /// A company, school or other organisation.
    Organization,
    /// A programming language, database, library, service or other tool.
    Tool,
    /// A function, method or variable of code.
    Function,
    /// A class, struct, trait or other type.
    Type,
    Module,
    File,
    Command,
    /// An environment variable or constant.
    EnvVar,
    /// Name or code of an error.
    Error,
    Url,
    /// A ticket or pull request.
    Ticket,
    Email,
    Handle,
}

impl MentionKind {
    /// Returns the name of the kind in stores and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Person => "person",
            Self::Place => "place",
            Self::Organization => "organization",
            Self::Tool => "tool",
            Self::Function => "function",
            Self::Type => "type",
            Self::Module => "module",
            Self::File => "file",
            Self::Command => "command",
            Self::EnvVar => "env_var",
            Self::Error => "error",
            Self::Url => "url",
            Self::Ticket => "ticket",
            Self::Email => "email",
            Self::Handle => "handle",
        }
    }
}

/// Finder that recognised a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MentionSource {
    /// Capitalised words of a sentence.
    Prose,
    /// A word written like code.
    Code,
    /// A declaration or error inside a fenced block.
    Fence,
    /// A declaration inside a fenced block, found by a parser.
    Grammar,
    Path,
    /// A command in backticks.
    Command,
    /// A web, mail or user address.
    Address,
    Ticket,
}

impl MentionSource {
    /// Returns the name of the finder in stores and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Code => "code",
            Self::Fence => "fence",
            Self::Grammar => "tree-sitter",
            Self::Path => "path",
            Self::Command => "command",
            Self::Address => "address",
            Self::Ticket => "ticket",
        }
    }
}

impl TextMention {
    pub(super) fn new(kind: MentionKind, source: MentionSource, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), source, path: None }
    }
}
