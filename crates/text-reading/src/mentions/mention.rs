//! A mention: what is named, as what, and by which finder it was seen.

/// Something that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// What it is, as far as the text says.
    pub kind: MentionKind,
    /// Its name as written.
    pub name: String,
    /// Which finder saw it.
    pub source: Source,
    /// The file it is or lives in, where the text says so.
    pub path: Option<String>,
}

/// What a mentioned thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MentionKind {
    /// A proper name of which the text does not say more.
    Name,
    /// A person.
    Person,
    /// A place.
    Place,
    /// A company, school or other organisation.
    Organization,
    /// A function, method or variable of code.
    Function,
    /// A class, struct, trait or other type.
    Type,
    /// A module or namespace.
    Module,
    /// A file, by its path.
    File,
    /// A shell command.
    Command,
    /// An environment variable or constant.
    EnvVar,
    /// An error's name or code.
    Error,
    /// A web address.
    Url,
    /// A ticket or pull request.
    Ticket,
    /// An e-mail address.
    Email,
    /// A user's handle.
    Handle,
}

impl MentionKind {
    /// The kind's name in stores and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Person => "person",
            Self::Place => "place",
            Self::Organization => "organization",
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

/// The finder that saw a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Capitalised words of a sentence.
    Prose,
    /// A word that is written like code.
    Code,
    /// A declaration or error inside a fenced block.
    Fence,
    /// A declaration inside a fenced block, read with its language's grammar.
    Grammar,
    /// A file path.
    Path,
    /// A command in backticks.
    Command,
    /// A web, mail or user address.
    Address,
    /// A ticket number.
    Ticket,
}

impl Source {
    /// The finder's name in stores and results.
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

impl Mention {
    pub(super) fn new(kind: MentionKind, source: Source, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), source, path: None }
    }
}
