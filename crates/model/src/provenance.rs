//! Where a thing came from: who wrote it, through what, and from what kind of source.
//! The server stamps it; no argument can set it. Trust follows from it.

use crate::{AgentName, Moment};

/// The tool contract a call came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Quipu's own.
    Quipu,
    /// Epitome's.
    Epitome,
    /// AgenticMemory's.
    Agentic,
    /// The Librarian's.
    Librarian,
    /// code-memory's.
    CodeMemory,
    /// A person at the command line.
    CommandLine,
    /// A person at the dashboard or a script over REST.
    Rest,
    /// A file that was read in.
    Import,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 8] = [
        Self::Quipu,
        Self::Epitome,
        Self::Agentic,
        Self::Librarian,
        Self::CodeMemory,
        Self::CommandLine,
        Self::Rest,
        Self::Import,
    ];

    /// The name kept in provenance.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quipu => "quipu",
            Self::Epitome => "epitome",
            Self::Agentic => "agentic",
            Self::Librarian => "librarian",
            Self::CodeMemory => "codememory",
            Self::CommandLine => "cli",
            Self::Rest => "rest",
            Self::Import => "import",
        }
    }

    /// The dialect of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

/// What kind of source a thing came from, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The owner typed it at the command line or the dashboard.
    Typed,
    /// The owner said it, and an agent wrote it down as such.
    Stated,
    /// An agent wrote it.
    Agent,
    /// It was read in from a file of another product.
    Imported,
    /// An agent concluded it.
    Inferred,
    /// It was quoted from a page, a mail or another outside text.
    Outside,
}

impl Origin {
    /// Every origin, strongest first.
    pub const ALL: [Self; 6] =
        [Self::Typed, Self::Stated, Self::Agent, Self::Imported, Self::Inferred, Self::Outside];

    /// The name kept in provenance.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Typed => "typed",
            Self::Stated => "stated",
            Self::Agent => "agent",
            Self::Imported => "imported",
            Self::Inferred => "inferred",
            Self::Outside => "outside",
        }
    }

    /// The origin of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.name() == name)
    }

    /// How far to believe what comes from here.
    #[must_use]
    pub fn trust(self) -> Trust {
        Trust(match self {
            Self::Typed => 100,
            Self::Stated => 85,
            Self::Agent => 70,
            Self::Imported => 60,
            Self::Inferred => 45,
            Self::Outside => 20,
        })
    }
}

/// How far a thing is believed, 0 to 100. What is derived is believed no more than its weakest
/// source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trust(pub u8);

impl Trust {
    /// The trust of something that rests on both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }
}

/// Who made a call, as the surface knows it: an argument of every write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The agent, from its credential.
    pub agent: AgentName,
    /// The client program and its version, as it told.
    pub client: Option<String>,
    /// The contract the call came through.
    pub dialect: Dialect,
    /// The tool or command.
    pub tool: String,
}

/// Where one stored thing came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// Who wrote it.
    pub author: Author,
    /// From what kind of source.
    pub origin: Origin,
    /// How far it is believed.
    pub trust: Trust,
    /// When it was written.
    pub at: Moment,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stronger_origin_is_never_trusted_less() {
        for pair in Origin::ALL.windows(2) {
            assert!(pair[0].trust() > pair[1].trust(), "{pair:?}");
        }
    }

    #[test]
    fn names_read_back() {
        for origin in Origin::ALL {
            assert_eq!(Origin::parse(origin.name()), Some(origin));
        }
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::parse(dialect.name()), Some(dialect));
        }
    }

    #[test]
    fn what_is_derived_is_trusted_as_its_weakest_source() {
        assert_eq!(Origin::Typed.trust().and(Origin::Outside.trust()), Origin::Outside.trust());
    }
}
