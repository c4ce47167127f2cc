//! Erasing all content of an owner, with every hash of it. The ids of memories remain as tombstones
//! without a hash, so that no id is assigned twice and search indexes see the removals.

use super::{ApplyOutcome, BatchTransaction};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use store::{ChangeResult, ForgetReceipt};

impl BatchTransaction<'_> {
    pub(super) fn erase_everything(&mut self) -> ApplyOutcome<ChangeResult> {
        const BURY: &str = "INSERT INTO tombstones (owner, memory, hash, seq, at)
             SELECT owner, id, $4::bytea, $2::bigint, $3::bigint FROM memories WHERE owner = $1";
        const UNHASH: &str = "UPDATE tombstones SET hash = $2 WHERE owner = $1";
        // Sessions and memories refer to each other; this breaks the cycle for the foreign keys.
        const UNTIE: &str =
            "UPDATE sessions SET episode = NULL WHERE owner = $1 AND episode IS NOT NULL";
        // A hash would still let somebody test a guess at a forgotten text.
        self.execute(UNHASH, [NO_HASH])?;
        self.send(BURY, (self.seq.0, self.at.0, NO_HASH))?;
        self.send(UNTIE, ())?;
        let mut places = Vec::new();
        for (place, sql) in TABLES_TO_ERASE {
            let gone = self.execute(sql, ())?;
            if gone > 0 {
                places.push(((*place).to_owned(), gone));
            }
        }
        self.touched.clear();
        self.links_out.clear();
        self.counters.numbers().forget_reusable();
        self.counters.references_changed();
        Ok(ChangeResult::Forgotten(ForgetReceipt { removed: places, ..ForgetReceipt::default() }))
    }
}

/// Removes an owner with all rows, keys and tokens. Returns false when there is no such owner.
pub(crate) fn erase_owner_rows(conn: &OwnerTransaction) -> SqlResult<bool> {
    // Writers of the owner wait for the clock and then find none.
    conn.rows("SELECT seq FROM clocks WHERE owner = $1 FOR UPDATE", ())?;
    erase_memory_rows(conn)?;
    let mut known = false;
    for sql in OWNER_TABLES {
        known = conn.execute(sql, ())? > 0;
    }
    Ok(known)
}

/// Removes everything that is part of a backup of the owner, and what is derived from it. The clock
/// and the credentials stay.
pub(crate) fn erase_memory_rows(conn: &OwnerTransaction) -> SqlResult<()> {
    conn.send("UPDATE sessions SET episode = NULL WHERE owner = $1", ())?;
    let content = TABLES_TO_ERASE.iter().map(|(_, sql)| *sql);
    content.chain(MEMORY_TABLES).try_for_each(|sql| conn.send(sql, ()))
}

/// The statements that remove what outlives the erasing of all content, and belongs to the memory.
const MEMORY_TABLES: [&str; 7] = [
    "DELETE FROM audit WHERE owner = $1",
    "DELETE FROM models WHERE owner = $1",
    "DELETE FROM authors WHERE owner = $1",
    "DELETE FROM tombstones WHERE owner = $1",
    "DELETE FROM grants WHERE owner = $1",
    "DELETE FROM settings WHERE owner = $1",
    "DELETE FROM checkpoints WHERE owner = $1",
];

/// The statements that remove what belongs to the owner, the name last.
const OWNER_TABLES: [&str; 6] = [
    "DELETE FROM tokens WHERE family IN (SELECT id FROM families WHERE owner = $1)",
    "DELETE FROM families WHERE owner = $1",
    "DELETE FROM keys WHERE owner = $1",
    "DELETE FROM expiring WHERE owner = $1",
    "DELETE FROM clocks WHERE owner = $1",
    "DELETE FROM owners WHERE name = $1",
];

/// The hash of a text that nobody shall be able to guess.
const NO_HASH: [u8; 32] = [0; 32];

/// The statements that empty every table, by the name in the receipt. Because of the foreign keys,
/// each table comes before those it refers to.
const TABLES_TO_ERASE: &[(&str, &str)] = &[
    ("shown", "DELETE FROM shown WHERE owner = $1"),
    ("uses", "DELETE FROM uses WHERE owner = $1"),
    ("vectors", "DELETE FROM vectors WHERE owner = $1"),
    ("links", "DELETE FROM links WHERE owner = $1"),
    ("mentions", "DELETE FROM mentions WHERE owner = $1"),
    ("observations", "DELETE FROM observations WHERE owner = $1"),
    ("merges", "DELETE FROM merges WHERE owner = $1"),
    ("relation_memories", "DELETE FROM relation_memories WHERE owner = $1"),
    ("relations", "DELETE FROM relations WHERE owner = $1"),
    ("reviews", "DELETE FROM reviews WHERE owner = $1"),
    ("flags", "DELETE FROM flags WHERE owner = $1"),
    ("record versions", "DELETE FROM record_versions WHERE owner = $1"),
    ("records", "DELETE FROM records WHERE owner = $1"),
    ("dropped_records", "DELETE FROM dropped_records WHERE owner = $1"),
    ("tables", "DELETE FROM tables WHERE owner = $1"),
    ("memories", "DELETE FROM memories WHERE owner = $1"),
    ("sessions", "DELETE FROM sessions WHERE owner = $1"),
    ("aliases", "DELETE FROM aliases WHERE owner = $1"),
    ("entities", "DELETE FROM entities WHERE owner = $1"),
    ("profile", "DELETE FROM profile WHERE owner = $1"),
    ("handoffs", "DELETE FROM handoffs WHERE owner = $1"),
    ("sections", "DELETE FROM sections WHERE owner = $1"),
    ("references", "DELETE FROM documents WHERE owner = $1"),
    ("contexts", "DELETE FROM contexts WHERE owner = $1"),
    ("workspaces", "DELETE FROM workspaces WHERE owner = $1"),
    ("idempotency", "DELETE FROM idempotency WHERE owner = $1"),
    ("questions", "DELETE FROM questions WHERE owner = $1"),
    ("recent questions", "DELETE FROM recent_questions WHERE owner = $1"),
    ("usage", "DELETE FROM usage WHERE owner = $1"),
    ("view segments", "DELETE FROM view_segments WHERE owner = $1"),
    ("job files", "DELETE FROM job_parts WHERE owner = $1"),
];

#[cfg(test)]
mod tests {
    use super::TABLES_TO_ERASE;

    /// Tables that remain: those above the owners, permissions, settings and the audit log. Labels
    /// go with their memories.
    const RETAINED_TABLES: [&str; 15] = [
        "control",
        "owners",
        "keys",
        "clients",
        "families",
        "tokens",
        "clocks",
        "checkpoints",
        "models",
        "tombstones",
        "authors",
        "grants",
        "audit",
        "settings",
        "memory_tags",
    ];

    #[test]
    fn every_table_of_the_schema_is_erased_or_retained_for_a_reason() {
        let schema = [
            include_str!("../../migrations/0001_store.sql"),
            include_str!("../../migrations/0004_merges.sql"),
            include_str!("../../migrations/0005_recent_questions.sql"),
            include_str!("../../migrations/0006_view_segments.sql"),
            include_str!("../../migrations/0007_job_parts.sql"),
        ]
        .concat();
        let tables =
            schema.lines().filter_map(|line| line.strip_prefix("CREATE TABLE ")?.split(' ').next());
        for table in tables {
            let statement = format!("DELETE FROM {table} WHERE owner = $1");
            let erased = TABLES_TO_ERASE.iter().any(|(_, sql)| *sql == statement);
            assert!(erased || RETAINED_TABLES.contains(&table), "{table}");
        }
    }
}
