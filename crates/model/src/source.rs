//! Where a memory comes from, as far as consent is concerned: each memory is governed by exactly
//! one place. And which of these places are open to somebody, as a filter that an index or a store
//! can apply before it cuts.

use crate::{JsonMap, Memory, NewMemory};
use serde_json::Value;

/// The one place that governs a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source<'m> {
    /// It tells of the profile.
    Profile,
    /// It tells of a row of this table.
    Table(&'m str),
    /// It was said by itself and lies in this drawer.
    Collection(&'m str),
}

impl<'m> Source<'m> {
    /// The drawer of the memories that tell of the profile.
    pub const PROFILE_COLLECTION: &'static str = "profile";
    /// Where the metadata of a memory names the table whose row it tells of.
    pub const TABLE_FIELD: &'static str = "record_table";

    /// The place that governs a memory in this drawer, which may tell of a row of a table.
    #[must_use]
    pub fn new(collection: &'m str, table: Option<&'m str>) -> Self {
        match table {
            _ if collection == Self::PROFILE_COLLECTION => Self::Profile,
            Some(table) => Self::Table(table),
            None => Self::Collection(collection),
        }
    }

    fn of(collection: &'m str, metadata: &'m JsonMap) -> Self {
        Self::new(collection, table_in(metadata))
    }
}

/// The table whose row a memory with this metadata tells of.
fn table_in(metadata: &JsonMap) -> Option<&str> {
    metadata.get(Source::TABLE_FIELD).and_then(Value::as_str)
}

impl Memory {
    /// The table whose row it tells of.
    #[must_use]
    pub fn table(&self) -> Option<&str> {
        table_in(&self.metadata)
    }

    /// The place that governs it.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        Source::of(&self.collection, &self.metadata)
    }
}

impl NewMemory {
    /// The place that governs it.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        Source::of(&self.collection, &self.metadata)
    }
}

/// Which names are open: those that a rule names, each with its verdict, and one verdict for all
/// others. A name also stands for what lies below it, cut at `/`; the longest one decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    others: bool,
    named: Vec<(String, bool)>,
}

impl Allowed {
    /// Every name.
    pub const ALL: Self = Self { others: true, named: Vec::new() };
    /// No name.
    pub const NONE: Self = Self { others: false, named: Vec::new() };

    /// These names with their verdicts, and all others.
    pub fn new(others: bool, named: impl IntoIterator<Item = (String, bool)>) -> Self {
        let mut named: Vec<(String, bool)> = named.into_iter().collect();
        named.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        Self { others, named }
    }

    /// Whether a name is open.
    #[must_use]
    pub fn allows(&self, name: &str) -> bool {
        let covers = |above: &str| {
            name.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.named.iter().find(|(above, _)| covers(above)).map_or(self.others, |(_, open)| *open)
    }

    /// Whether any name is open.
    #[must_use]
    pub fn any(&self) -> bool {
        self.others || self.named.iter().any(|(_, open)| *open)
    }

    /// Whether every name is open.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.others && self.named.iter().all(|(_, open)| *open)
    }

    /// The verdict for all names that no rule names.
    #[must_use]
    pub fn others(&self) -> bool {
        self.others
    }

    /// The names with their verdicts, the longest first.
    #[must_use]
    pub fn named(&self) -> &[(String, bool)] {
        &self.named
    }
}

/// Which sources of memories are open to somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// Whether the profile is.
    pub profile: bool,
    /// Which tables are.
    pub tables: Allowed,
    /// Which collections are.
    pub collections: Allowed,
}

impl Default for Sources {
    fn default() -> Self {
        Self::all()
    }
}

impl Sources {
    /// All of them.
    #[must_use]
    pub fn all() -> Self {
        Self { profile: true, tables: Allowed::ALL, collections: Allowed::ALL }
    }

    /// None of them.
    #[must_use]
    pub fn none() -> Self {
        Self { profile: false, tables: Allowed::NONE, collections: Allowed::NONE }
    }

    /// Whether a source is open.
    #[must_use]
    pub fn allows(&self, source: Source<'_>) -> bool {
        match source {
            Source::Profile => self.profile,
            Source::Table(table) => self.tables.allows(table),
            Source::Collection(collection) => self.collections.allows(collection),
        }
    }

    /// Whether any source is open.
    #[must_use]
    pub fn any(&self) -> bool {
        self.profile || self.tables.any() || self.collections.any()
    }

    /// Whether every source is open.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.profile && self.tables.is_all() && self.collections.is_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn source_of(collection: &str, metadata: Value) -> String {
        format!("{:?}", Source::of(collection, metadata.as_object().unwrap()))
    }

    #[test]
    fn each_memory_is_governed_by_one_place() {
        assert_eq!(source_of("work", json!({})), r#"Collection("work")"#);
        assert_eq!(source_of("work", json!({"record_table": "meals"})), r#"Table("meals")"#);
        assert_eq!(source_of("profile", json!({"record_table": "meals"})), "Profile");
        assert_eq!(source_of("work", json!({"record_table": 7})), r#"Collection("work")"#);
    }

    #[test]
    fn the_longest_name_decides_and_names_are_cut_at_the_slash() {
        let allowed = Allowed::new(false, [("a".into(), true), ("a/b".into(), false)]);
        for (name, open) in
            [("a", true), ("a/c", true), ("a/b", false), ("a/b/c", false), ("ab", false)]
        {
            assert_eq!(allowed.allows(name), open, "{name}");
        }
        assert!(allowed.any() && !allowed.is_all());
        assert!(!Allowed::new(true, [("x".into(), false)]).is_all());
    }
}
