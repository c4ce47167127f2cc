//! Memories: writing, editing, changing the status.

use super::{ApplyOutcome, BatchTransaction};
use crate::error::{ChangeError, SqlResult};
use crate::owner_transaction::OwnerTransaction;
use crate::sql_value::{SqlValue, params};
use crate::stored_row::StoredRow;
use model::{ContentHash, JsonMap, MemoryId, Moment, NewMemory, SessionId, Source, Status};
use store::rules::{checks, codes, encoding, text_key};
use store::{AddMemory, ChangeResult, MemoryEdit, OnDuplicate, OnForgotten, Ref, WriteError};

const SAME_TEXT: &str = "SELECT id, session, text, metadata, title FROM memories
     WHERE owner = $1 AND text_key = $2 AND status = $3 AND collection = $4
     AND project IS NOT DISTINCT FROM $5 AND record_table IS NOT DISTINCT FROM $6
     ORDER BY id DESC";

/// Sends the query for memories with the same text ahead.
pub(super) fn ask_same_text(
    conn: &OwnerTransaction,
    add: &AddMemory,
    hash: ContentHash,
) -> SqlResult<()> {
    conn.query_ahead(SAME_TEXT, same_text_filters(&add.memory, hash))
}

/// Assumes in a plan that no memory has the same text.
pub(super) fn assume_no_same_text(conn: &OwnerTransaction, add: &AddMemory, hash: ContentHash) {
    conn.assume_empty(SAME_TEXT, same_text_filters(&add.memory, hash));
}

fn same_text_filters(memory: &NewMemory, hash: ContentHash) -> Vec<SqlValue<'_>> {
    // A memory of a table's row is never a duplicate of a plain one, because the two sources may be
    // open to different agents.
    let table = if let Source::Table(table) = memory.source() { Some(table) } else { None };
    params![text_key(hash), codes::ACTIVE, &memory.collection, &memory.project, table]
}

impl BatchTransaction<'_> {
    pub(super) fn add_memory(&mut self, add: &AddMemory) -> ApplyOutcome<ChangeResult> {
        add.memory.check()?;
        if !matches!(add.memory.status, Status::Active | Status::Proposed) {
            return Err(ChangeError::invalid(
                "a new memory is active or proposed; change its status afterwards",
            ));
        }
        let session = add.session.map(|session| self.resolve_session(session)).transpose()?;
        session.map_or(Ok(()), |session| self.require_session(session))?;
        let hash = add.memory.hash();
        // Duplicates come before tombstones: a text that exists again is not refused as forgotten.
        match self.find_same_text(add, hash, session)? {
            EqualText::Duplicate(id) => return Ok(ChangeResult::Duplicate(id)),
            EqualText::Elsewhere => {}
            EqualText::Nowhere => self.refuse_forgotten(add, hash)?,
        }
        let id = self.insert_memory(&add.memory, hash, session)?;
        if let Some(vector) = &add.vector {
            self.put_vector(id, vector)?;
        }
        Ok(ChangeResult::Memory(id))
    }

    /// Looks for active memories with the same text in the same collection, project and table.
    fn find_same_text(
        &self,
        add: &AddMemory,
        hash: ContentHash,
        session: Option<SessionId>,
    ) -> ApplyOutcome<EqualText> {
        let mut found = EqualText::Nowhere;
        for row in self.conn.rows(SAME_TEXT, same_text_filters(&add.memory, hash))? {
            // The index key is only a part of the hash, so the whole hash decides.
            if ContentHash::of_text(row.str(2)?) != hash {
                continue;
            }
            if is_duplicate(add, &row, session)? {
                return Ok(EqualText::Duplicate(MemoryId(row.get(0)?)));
            }
            found = EqualText::Elsewhere;
        }
        Ok(found)
    }

    fn refuse_forgotten(&self, add: &AddMemory, hash: ContentHash) -> ApplyOutcome<()> {
        if add.on_forgotten == OnForgotten::Allow {
            return Ok(());
        }
        match crate::read::memory::forgotten_at(self.conn, hash)? {
            Some(at) => Err(WriteError::Forgotten { at }.into()),
            None => Ok(()),
        }
    }

    /// Writes a memory under the next id.
    fn insert_memory(
        &mut self,
        memory: &NewMemory,
        hash: ContentHash,
        session: Option<SessionId>,
    ) -> ApplyOutcome<MemoryId> {
        let id = self.counters.next_memory();
        self.insert_with_id(id, memory, hash, session)?;
        Ok(id)
    }

    /// Writes a memory under an unused id.
    pub(super) fn insert_with_id(
        &mut self,
        id: MemoryId,
        memory: &NewMemory,
        hash: ContentHash,
        session: Option<SessionId>,
    ) -> ApplyOutcome<()> {
        const SQL: &str = "INSERT INTO memories (owner, id, seq, text_key, status, origin, trust,
                priority, confidence, open_flags, author, created_at, updated_at, valid_from,
                valid_to, session, kind, collection, project, title, summary, tags, applies_to,
                metadata, text, record_table)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, $12, $13, $14, $15, $16, $17,
                $18, $19, $20, $21, $22, $23, $24, $25)";
        let from = &memory.provenance;
        // Times that equal `created_at` are stored as NULL, as on SQLite.
        let unless_created = |moment: Moment| (moment != from.at).then_some(moment.0);
        let author = self.counters.author(self.conn, &from.author)?;
        self.send(
            SQL,
            params![
                id.0,
                self.seq.0,
                text_key(hash),
                codes::status_code(memory.status),
                codes::origin_code(from.origin),
                from.trust.0,
                memory.priority,
                memory.confidence,
                author,
                from.at.0,
                unless_created(self.at),
                unless_created(memory.valid_from),
                memory.valid_to.map(|moment| moment.0),
                session.map(|session| session.0),
                memory.kind.as_str(),
                &memory.collection,
                &memory.project,
                &memory.title,
                &memory.summary,
                encoding::list_or_null(&memory.tags),
                encoding::list_or_null(&memory.applies_to),
                encoding::map_or_null(&memory.metadata),
                &memory.text,
                named_table(&memory.metadata)
            ],
        )?;
        self.add_tags(id, &memory.tags)?;
        self.touched.insert(id);
        Ok(())
    }

    /// Writes the labels of a memory where filters look for them.
    fn add_tags(&self, memory: MemoryId, tags: &[String]) -> ApplyOutcome<()> {
        // The owner comes from a row, so that Citus runs the statement where that is; what it would
        // insert otherwise, it copies, which row-level security does not allow.
        const SQL: &str = "INSERT INTO memory_tags (owner, tag, memory)
             SELECT DISTINCT m.owner, tag, m.id FROM memories m, unnest($2::text[]) tag
             WHERE m.owner = $1 AND m.id = $3";
        // A label with U+0000 cannot be searched for, because no filter can be sent that has one.
        let tags: Vec<String> = tags.iter().filter(|tag| !tag.contains('\0')).cloned().collect();
        if !tags.is_empty() {
            self.send(SQL, (tags, memory.0))?;
        }
        Ok(())
    }

    pub(super) fn edit_memory(
        &mut self,
        memory: MemoryId,
        edit: &MemoryEdit,
    ) -> ApplyOutcome<ChangeResult> {
        // A pair of parameters for each field that can be cleared: whether it is edited, and its
        // new value. One fixed statement for every combination of fields stays prepared.
        const SQL: &str = "UPDATE memories SET updated_at = $3,
                kind = coalesce($4, kind),
                title = CASE WHEN $5::bigint = 1 THEN $6 ELSE title END,
                summary = CASE WHEN $7::bigint = 1 THEN $8 ELSE summary END,
                collection = coalesce($9, collection),
                project = CASE WHEN $10::bigint = 1 THEN $11 ELSE project END,
                tags = CASE WHEN $12::bigint = 1 THEN $13 ELSE tags END,
                applies_to = CASE WHEN $14::bigint = 1 THEN $15 ELSE applies_to END,
                priority = coalesce($16, priority),
                confidence = coalesce($17, confidence),
                metadata = CASE WHEN $18::bigint = 1 THEN $19 ELSE metadata END,
                record_table = CASE WHEN $18::bigint = 1 THEN $20 ELSE record_table END,
                valid_to = CASE WHEN $21::bigint = 1 THEN $22 ELSE valid_to END
             WHERE owner = $1 AND id = $2";
        checks::check_edit(edit)?;
        self.touch(memory)?;
        self.send(
            SQL,
            params![
                memory.0,
                self.at.0,
                edit.kind.as_ref().map(|kind| kind.as_str()),
                edit.title.is_some(),
                edit.title.as_ref().and_then(Option::as_ref),
                edit.summary.is_some(),
                edit.summary.as_ref().and_then(Option::as_ref),
                &edit.collection,
                edit.project.is_some(),
                edit.project.as_ref().and_then(Option::as_ref),
                edit.tags.is_some(),
                edit.tags.as_deref().and_then(encoding::list_or_null),
                edit.applies_to.is_some(),
                edit.applies_to.as_deref().and_then(encoding::list_or_null),
                edit.priority,
                edit.confidence,
                edit.metadata.is_some(),
                edit.metadata.as_ref().and_then(encoding::map_or_null),
                edit.metadata.as_ref().and_then(named_table),
                edit.valid_to.is_some(),
                edit.valid_to.flatten().map(|moment| moment.0)
            ],
        )?;
        if let Some(tags) = &edit.tags {
            self.send("DELETE FROM memory_tags WHERE owner = $1 AND memory = $2", [memory.0])?;
            self.add_tags(memory, tags)?;
        }
        Ok(ChangeResult::Done)
    }

    pub(super) fn set_status(
        &mut self,
        memory: Ref<MemoryId>,
        status: Status,
    ) -> ApplyOutcome<ChangeResult> {
        let memory = self.resolve_memory(memory)?;
        self.touch(memory)?;
        self.write_status(memory, status)?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn restore_status(
        &mut self,
        memory: MemoryId,
        status: Status,
        ended_at: Option<Moment>,
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str =
            "UPDATE memories SET status = $3, updated_at = $4, ended_at = $5 WHERE owner = $1 AND
                 id = $2";
        self.touch(memory)?;
        let ended_at = ended_at.map(|moment| moment.0);
        let values = (memory.0, codes::status_code(status), self.at.0, ended_at);
        self.with_followers(memory, |batch| Ok(batch.execute(SQL, values)?))?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn write_status(&self, memory: MemoryId, status: Status) -> ApplyOutcome<()> {
        // `ended_at` is the time at which a memory left `active`: leaving sets it, coming back
        // clears it, and any other change of status keeps it.
        const SQL: &str = "UPDATE memories SET status = $3, updated_at = $4,
                ended_at = CASE WHEN $3::bigint = $5::bigint THEN NULL
                    WHEN status = $5 THEN $4 ELSE ended_at END
             WHERE owner = $1 AND id = $2";
        let values = (memory.0, codes::status_code(status), self.at.0, codes::ACTIVE);
        self.with_followers(memory, |batch| Ok(batch.execute(SQL, values)?))
    }

    /// Changes the status of a memory, and with it the rows and relations that the memory states.
    fn with_followers(
        &self,
        memory: MemoryId,
        change: impl FnOnce(&Self) -> ApplyOutcome<usize>,
    ) -> ApplyOutcome<()> {
        let rows = self.rows_stated_by(memory)?;
        let before = self.visible_rows(&rows)?;
        change(self)?;
        rows.iter().try_for_each(|row| self.show_best_version(*row))?;
        self.count_rows(&rows, &before)?;
        self.attach_relations(memory)
    }

    pub(super) fn require_session(&self, session: SessionId) -> ApplyOutcome<()> {
        const SQL: &str = "SELECT 1 FROM sessions WHERE owner = $1 AND id = $2";
        let found = self.conn.first(SQL, [session.0], |_| Ok(()))?;
        found.ok_or_else(|| ChangeError::not_found("session", session))
    }
}

/// Active memories with the text of a new one.
enum EqualText {
    /// One of them is a duplicate.
    Duplicate(MemoryId),
    /// There are some, and none is a duplicate.
    Elsewhere,
    Nowhere,
}

/// Returns whether the memory in a row, whose text is the same, is a duplicate of a new one.
fn is_duplicate(add: &AddMemory, row: &StoredRow, session: Option<SessionId>) -> SqlResult<bool> {
    if !add.memory.is_titled_like(row.get::<Option<String>>(4)?.as_deref()) {
        return Ok(false);
    }
    Ok(match add.on_duplicate {
        OnDuplicate::Insert => false,
        OnDuplicate::ReturnExisting => true,
        OnDuplicate::ReturnExistingInSession => {
            row.get::<Option<i64>>(1)?.map(SessionId) == session
        }
        OnDuplicate::ReturnExistingWithMetadata => {
            let known = row.map(3)?;
            add.memory.metadata.iter().all(|(name, value)| known.get(name) == Some(value))
        }
    })
}

/// Returns the table that the metadata of a memory name, if it is the memory of a row.
fn named_table(metadata: &JsonMap) -> Option<&str> {
    metadata.get("record_table")?.as_str()
}
