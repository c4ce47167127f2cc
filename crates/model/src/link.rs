//! Links: typed, weighted edges between memories.

use crate::{MemoryId, Moment};

/// Kind of a link: the role of its source with regard to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
// The codes are stored in databases and snapshots: never renumber them.
#[repr(u8)]
pub enum LinkKind {
    /// The source came about because of the target.
    CausedBy = 0,
    /// The source was concluded from the target.
    DerivedFrom = 1,
    /// The source is evidence for the target.
    Supports = 2,
    /// The two cannot both be true.
    Contradicts = 3,
    /// The source replaces the target.
    Supersedes = 4,
    /// The two belong together.
    RelatedTo = 5,
    /// The source is a part of the target.
    PartOf = 6,
    /// The target came after the source.
    TemporalNext = 7,
}

impl LinkKind {
    /// All kinds in the order of their codes.
    pub const ALL: [Self; 8] = [
        Self::CausedBy,
        Self::DerivedFrom,
        Self::Supports,
        Self::Contradicts,
        Self::Supersedes,
        Self::RelatedTo,
        Self::PartOf,
        Self::TemporalNext,
    ];

    /// Returns the name used in every dialect, such as `caused_by`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CausedBy => "caused_by",
            Self::DerivedFrom => "derived_from",
            Self::Supports => "supports",
            Self::Contradicts => "contradicts",
            Self::Supersedes => "supersedes",
            Self::RelatedTo => "related_to",
            Self::PartOf => "part_of",
            Self::TemporalNext => "temporal_next",
        }
    }

    /// Returns the words between source and target, as a person says them: "is caused by".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::CausedBy => "is caused by",
            Self::DerivedFrom => "is derived from",
            Self::Supports => "supports",
            Self::Contradicts => "contradicts",
            Self::Supersedes => "replaces",
            Self::RelatedTo => "is related to",
            Self::PartOf => "is part of",
            Self::TemporalNext => "comes before",
        }
    }

    /// Parses a name in any case, with or without underscores.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let plain = |text: &str| text.replace(['_', '-', ' '], "").to_ascii_lowercase();
        let wanted = plain(name.trim());
        Self::ALL.into_iter().find(|kind| plain(kind.name()) == wanted)
    }

    /// Returns the kind stored under this code.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// A directed edge between two memories.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub source: MemoryId,
    pub target: MemoryId,
    pub kind: LinkKind,
    /// Strength between 0 and 1.
    pub weight: f32,
    pub created_at: Moment,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_round_trips_through_its_name_and_its_code() {
        for kind in LinkKind::ALL {
            assert_eq!(LinkKind::parse(kind.name()), Some(kind));
            assert_eq!(LinkKind::parse(&kind.name().replace('_', "").to_uppercase()), Some(kind));
            assert_eq!(LinkKind::from_code(kind as u8), Some(kind));
        }
        assert_eq!(LinkKind::parse("likes"), None);
    }
}
