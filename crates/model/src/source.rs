//! The source of a memory, which is the one resource whose grants govern it, and a filter over
//! sources that an index or a store applies before it ranks or truncates results.
//! Grants themselves are evaluated in the guard.

use crate::{JsonMap, Memory, NewMemory};
use serde_json::Value;

/// The one resource that governs access to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source<'m> {
    /// The memory describes the profile.
    Profile,
    /// The memory describes a row of this table.
    Table(&'m str),
    /// The memory belongs to this collection and describes nothing else.
    Collection(&'m str),
}

impl<'m> Source<'m> {
    /// Collection of the memories that describe the profile.
    pub const PROFILE_COLLECTION: &'static str = "profile";
    /// Metadata field that names the table whose row the memory describes.
    pub const TABLE_FIELD: &'static str = "record_table";

    /// Returns the source of a memory of this collection that may describe a row of a table.
    #[must_use]
    pub fn new(collection: &'m str, table: Option<&'m str>) -> Self {
        match table {
            // The profile wins over a table: no metadata can move a memory out of its grant.
            _ if collection == Self::PROFILE_COLLECTION => Self::Profile,
            Some(table) => Self::Table(table),
            None => Self::Collection(collection),
        }
    }

    fn from_metadata(collection: &'m str, metadata: &'m JsonMap) -> Self {
        Self::new(collection, table_from_metadata(metadata))
    }
}

/// Returns the table whose row a memory with this metadata describes.
fn table_from_metadata(metadata: &JsonMap) -> Option<&str> {
    metadata.get(Source::TABLE_FIELD).and_then(Value::as_str)
}

impl Memory {
    /// Returns the table whose row the memory describes.
    #[must_use]
    pub fn table(&self) -> Option<&str> {
        table_from_metadata(&self.metadata)
    }

    /// Returns the resource that governs access to the memory.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        Source::from_metadata(&self.collection, &self.metadata)
    }
}

impl NewMemory {
    /// Returns the resource that governs access to the memory.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        Source::from_metadata(&self.collection, &self.metadata)
    }
}

/// An allow list over names, with one rule for every name that is not listed.
/// A listed name also covers the names below it, separated by `/`; the longest match decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameFilter {
    allow_others: bool,
    rules: Vec<(String, bool)>,
}

impl NameFilter {
    /// Filter that allows every name.
    pub const ALL: Self = Self { allow_others: true, rules: Vec::new() };
    /// Filter that allows no name.
    pub const NONE: Self = Self { allow_others: false, rules: Vec::new() };

    /// Creates a filter from a rule per name and one for all other names.
    pub fn new(others: bool, named: impl IntoIterator<Item = (String, bool)>) -> Self {
        let mut named: Vec<(String, bool)> = named.into_iter().collect();
        // Longest first, so that the first match in `allows` is the most specific one.
        named.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        Self { allow_others: others, rules: named }
    }

    /// Returns whether a name is allowed.
    #[must_use]
    pub fn allows(&self, name: &str) -> bool {
        let covers = |above: &str| {
            name.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.rules
            .iter()
            .find(|(above, _)| covers(above))
            .map_or(self.allow_others, |(_, open)| *open)
    }

    /// Returns whether at least one name may be allowed.
    #[must_use]
    pub fn any(&self) -> bool {
        self.allow_others || self.rules.iter().any(|(_, open)| *open)
    }

    /// Returns whether every name is allowed.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.allow_others && self.rules.iter().all(|(_, open)| *open)
    }

    /// Returns the rule for names that are not listed.
    #[must_use]
    pub fn allows_others(&self) -> bool {
        self.allow_others
    }

    /// Returns the listed names with their rules, longest name first.
    #[must_use]
    pub fn rules(&self) -> &[(String, bool)] {
        &self.rules
    }
}

/// A filter over the sources of memories: those that a caller may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFilter {
    pub profile: bool,
    pub tables: NameFilter,
    pub collections: NameFilter,
}

impl Default for SourceFilter {
    fn default() -> Self {
        Self::all()
    }
}

impl SourceFilter {
    /// Returns the filter that allows every source.
    #[must_use]
    pub fn all() -> Self {
        Self { profile: true, tables: NameFilter::ALL, collections: NameFilter::ALL }
    }

    /// Returns the filter that allows no source.
    #[must_use]
    pub fn none() -> Self {
        Self { profile: false, tables: NameFilter::NONE, collections: NameFilter::NONE }
    }

    /// Returns whether a source is allowed.
    #[must_use]
    pub fn allows(&self, source: Source<'_>) -> bool {
        match source {
            Source::Profile => self.profile,
            Source::Table(table) => self.tables.allows(table),
            Source::Collection(collection) => self.collections.allows(collection),
        }
    }

    /// Returns whether at least one source may be allowed.
    #[must_use]
    pub fn any(&self) -> bool {
        self.profile || self.tables.any() || self.collections.any()
    }

    /// Returns whether every source is allowed.
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
        format!("{:?}", Source::from_metadata(collection, metadata.as_object().unwrap()))
    }

    #[test]
    fn each_memory_has_exactly_one_source() {
        assert_eq!(source_of("work", json!({})), r#"Collection("work")"#);
        assert_eq!(source_of("work", json!({"record_table": "meals"})), r#"Table("meals")"#);
        assert_eq!(source_of("profile", json!({"record_table": "meals"})), "Profile");
        assert_eq!(source_of("work", json!({"record_table": 7})), r#"Collection("work")"#);
    }

    #[test]
    fn the_longest_name_decides_and_names_are_cut_at_the_slash() {
        let allowed = NameFilter::new(false, [("a".into(), true), ("a/b".into(), false)]);
        for (name, open) in
            [("a", true), ("a/c", true), ("a/b", false), ("a/b/c", false), ("ab", false)]
        {
            assert_eq!(allowed.allows(name), open, "{name}");
        }
        assert!(allowed.any() && !allowed.is_all());
        assert!(!NameFilter::new(true, [("x".into(), false)]).is_all());
    }
}
