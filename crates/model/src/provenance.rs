//! Provenance: the author, the tool contract and the kind of source behind every stored item.
//! The server sets it; no argument of a call can. Trust follows from it.

use crate::{AgentName, Moment};

/// Tool contract that a call used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    Quipu,
    Epitome,
    Agentic,
    Librarian,
    CodeMemory,
    CommandLine,
    /// The dashboard, or a script that uses the REST API.
    Rest,
    /// An imported file.
    Import,
}

impl Dialect {
    /// All dialects.
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

    /// Returns the name stored in provenance.
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

    /// Returns the dialect with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

/// Kind of source, most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The owner typed it at the command line or the dashboard.
    Typed,
    /// The owner said it, and an agent wrote it down as such.
    Stated,
    Agent,
    /// It was imported from a file of another product.
    Imported,
    Inferred,
    /// It was quoted from a web page, an email or another outside text.
    Outside,
}

impl Origin {
    /// All origins, most trusted first.
    pub const ALL: [Self; 6] =
        [Self::Typed, Self::Stated, Self::Agent, Self::Imported, Self::Inferred, Self::Outside];

    /// Returns the name stored in provenance.
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

    /// Returns the origin with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.name() == name)
    }

    /// Returns the trust given to items of this origin.
    #[must_use]
    pub fn trust(self) -> Trust {
        // Ranking and verification weigh by the value, so the distances matter, not only the order.
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

/// Trust in an item, 0 to 100. A derived item is trusted no more than its weakest source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trust(pub u8);

impl Trust {
    /// Returns the trust of an item derived from two sources.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        self.min(other)
    }
}

/// The author of a write, as established by the surface that received the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// Agent name from the credential.
    pub agent: AgentName,
    /// Client program and version, as reported by the client.
    pub client: Option<String>,
    pub dialect: Dialect,
    /// Name of the tool or command.
    pub tool: String,
}

/// Origin of one stored item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    pub author: Author,
    pub origin: Origin,
    pub trust: Trust,
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
    fn names_round_trip() {
        for origin in Origin::ALL {
            assert_eq!(Origin::parse(origin.name()), Some(origin));
        }
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::parse(dialect.name()), Some(dialect));
        }
    }

    #[test]
    fn a_derived_item_is_trusted_as_its_weakest_source() {
        assert_eq!(Origin::Typed.trust().combine(Origin::Outside.trust()), Origin::Outside.trust());
    }
}
