//! Erasing all content of an owner, with every hash of it. The ids of memories remain as tombstones
//! without a hash, so that no id is assigned twice and search indexes see the removals.

use super::{ApplyResult, BatchContext};
use store::{ChangeResult, ForgetReceipt};

impl BatchContext<'_, '_> {
    pub(super) fn erase_everything(&mut self) -> ApplyResult<ChangeResult> {
        const BURY: &str = "INSERT INTO tombstones (memory, hash, seq, at)
             SELECT id, zeroblob(32), ?1, ?2 FROM memories";
        // A hash would still let somebody test a guess at a forgotten text.
        self.execute("UPDATE tombstones SET hash = zeroblob(32)", [])?;
        self.execute(BURY, (self.seq.0, self.at.0))?;
        // Sessions and memories refer to each other; this breaks the cycle for the foreign keys.
        self.execute("UPDATE sessions SET episode = NULL WHERE episode IS NOT NULL", [])?;
        let mut places = Vec::new();
        for (place, sql) in TABLES_TO_ERASE {
            let gone = self.execute(sql, [])?;
            if gone > 0 {
                places.push(((*place).to_owned(), gone));
            }
        }
        self.touched.clear();
        self.links_out.clear();
        self.counters.references_changed();
        Ok(ChangeResult::Forgotten(ForgetReceipt { removed: places, ..ForgetReceipt::default() }))
    }
}

/// The statements that empty every table, by the name in the receipt. Because of the foreign keys,
/// each table comes before those it refers to.
const TABLES_TO_ERASE: &[(&str, &str)] = &[
    ("shown", "DELETE FROM shown"),
    ("uses", "DELETE FROM uses"),
    ("vectors", "DELETE FROM vectors"),
    ("links", "DELETE FROM links"),
    ("mentions", "DELETE FROM mentions"),
    ("observations", "DELETE FROM observations"),
    ("merges", "DELETE FROM merges"),
    ("relation_memories", "DELETE FROM relation_memories"),
    ("relations", "DELETE FROM relations"),
    ("reviews", "DELETE FROM reviews"),
    ("flags", "DELETE FROM flags"),
    ("record versions", "DELETE FROM record_versions"),
    ("records", "DELETE FROM records"),
    ("dropped_records", "DELETE FROM dropped_records"),
    ("tables", "DELETE FROM tables"),
    ("memories", "DELETE FROM memories"),
    ("sessions", "DELETE FROM sessions"),
    ("aliases", "DELETE FROM aliases"),
    ("entities", "DELETE FROM entities"),
    ("profile", "DELETE FROM profile"),
    ("handoffs", "DELETE FROM handoffs"),
    ("sections", "DELETE FROM sections"),
    ("references", "DELETE FROM documents"),
    ("contexts", "DELETE FROM contexts"),
    ("workspaces", "DELETE FROM workspaces"),
    ("idempotency", "DELETE FROM idempotency"),
    ("questions", "DELETE FROM questions"),
    ("recent questions", "DELETE FROM recent_questions"),
    ("usage", "DELETE FROM usage"),
];

#[cfg(test)]
mod tests {
    use super::TABLES_TO_ERASE;

    /// Tables that remain: the structure of the file, permissions, and the audit log.
    const RETAINED_TABLES: [&str; 8] =
        ["migrations", "meta", "models", "tombstones", "authors", "grants", "audit", "audit_chain"];

    #[test]
    fn every_table_of_the_format_is_erased_or_retained_for_a_reason() {
        let format = [
            include_str!("../../migrations/memory/0001_memory.sql"),
            include_str!("../../migrations/memory/0002_record_changes.sql"),
            include_str!("../../migrations/memory/0003_audit_chain.sql"),
            include_str!("../../migrations/memory/0004_use.sql"),
            include_str!("../../migrations/memory/0005_passages.sql"),
            include_str!("../../migrations/memory/0006_counting.sql"),
            include_str!("../../migrations/memory/0007_record_versions.sql"),
            include_str!("../../migrations/memory/0010_merges.sql"),
            include_str!("../../migrations/memory/0011_recent_questions.sql"),
        ]
        .concat();
        let tables =
            format.lines().filter_map(|line| line.strip_prefix("CREATE TABLE ")?.split(' ').next());
        for table in tables {
            let erased =
                TABLES_TO_ERASE.iter().any(|(_, sql)| *sql == format!("DELETE FROM {table}"));
            assert!(erased || RETAINED_TABLES.contains(&table) || table == "settings", "{table}");
        }
    }
}
