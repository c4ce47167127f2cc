//! Memories: writing, editing, changing the status.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::{enum_codes, json, text_key};
use model::{ContentHash, MemoryId, Moment, NewMemory, SessionId, Source, Status};
use rusqlite::{OptionalExtension, named_params, params};
use store::rules::checks;
use store::{AddMemory, ChangeResult, MemoryEdit, OnDuplicate, OnForgotten, Ref, WriteError};

impl BatchContext<'_, '_> {
    pub(super) fn add_memory(&mut self, add: &AddMemory) -> ApplyResult<ChangeResult> {
        add.memory.check()?;
        if !matches!(add.memory.status, Status::Active | Status::Proposed) {
            return Err(ApplyError::invalid(
                "a new memory is active or proposed; change its status afterwards",
            ));
        }
        let session = add.session.map(|session| self.resolve_session(session)).transpose()?;
        session.map_or(Ok(()), |session| self.require_session(session))?;
        let hash = add.memory.hash();
        // Duplicates come before tombstones: a text that exists again is not refused as forgotten.
        match self.find_same_text(add, hash, session)? {
            SameText::Duplicate(id) => return Ok(ChangeResult::Duplicate(id)),
            SameText::Elsewhere => {}
            SameText::Nowhere => self.refuse_forgotten(add, hash)?,
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
    ) -> ApplyResult<SameText> {
        const SQL: &str = "SELECT id, session, text, metadata, title FROM memories
             WHERE text_key = ?1 AND status = ?2 AND collection = ?3 AND project IS ?4
             AND metadata ->> 'record_table' IS ?5 ORDER BY id DESC";
        let mut statement = self.conn.prepare_cached(SQL)?;
        let memory = &add.memory;
        // A memory of a table's row is never a duplicate of a plain one, because the two sources
        // may be open to different agents.
        let table = if let Source::Table(table) = memory.source() { Some(table) } else { None };
        let filters =
            (text_key(hash), enum_codes::ACTIVE, &memory.collection, &memory.project, table);
        let (mut rows, mut found) = (statement.query(filters)?, SameText::Nowhere);
        while let Some(row) = rows.next()? {
            let text = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
            // The index key is only a part of the hash, so the whole hash decides.
            if ContentHash::of_text(text) != hash {
                continue;
            }
            if is_duplicate(add, row, session)? {
                return Ok(SameText::Duplicate(MemoryId(row.get(0)?)));
            }
            found = SameText::Elsewhere;
        }
        Ok(found)
    }

    fn refuse_forgotten(&self, add: &AddMemory, hash: ContentHash) -> ApplyResult<()> {
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
    ) -> ApplyResult<MemoryId> {
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
    ) -> ApplyResult<()> {
        const SQL: &str = "INSERT INTO memories
             (id, seq, text_key, status, origin, trust, priority, confidence, open_flags, author, \
              created_at,
              updated_at, valid_from, valid_to, session, kind, collection, project, title, \
              summary, tags,
              applies_to, metadata, text)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, \
              ?17, ?18, ?19,
              ?20, ?21, ?22, ?23)";
        let from = &memory.provenance;
        // Times that equal `created_at` are stored as NULL, which saves bytes in most rows.
        let unless_created = |moment: Moment| (moment != from.at).then_some(moment.0);
        let author = self.counters.author(self.conn, &from.author)?;
        self.execute(
            SQL,
            params![
                id.0,
                self.seq.0,
                text_key(hash),
                enum_codes::status_code(memory.status),
                enum_codes::origin_code(from.origin),
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
                memory.collection,
                memory.project,
                memory.title,
                memory.summary,
                json::list_or_null(&memory.tags),
                json::list_or_null(&memory.applies_to),
                json::map_or_null(&memory.metadata),
                memory.text
            ],
        )?;
        self.touched.insert(id);
        Ok(())
    }

    pub(super) fn edit_memory(
        &mut self,
        memory: MemoryId,
        edit: &MemoryEdit,
    ) -> ApplyResult<ChangeResult> {
        // A pair of parameters for each field that can be cleared: whether it is edited, and its
        // new value. One fixed statement for every combination of fields stays in the cache.
        const SQL: &str = "UPDATE memories SET updated_at = :at,
                kind = coalesce(:kind, kind),
                title = iif(:edit_title, :title, title),
                summary = iif(:edit_summary, :summary, summary),
                collection = coalesce(:collection, collection),
                project = iif(:edit_project, :project, project),
                tags = iif(:edit_tags, :tags, tags),
                applies_to = iif(:edit_applies_to, :applies_to, applies_to),
                priority = coalesce(:priority, priority),
                confidence = coalesce(:confidence, confidence),
                metadata = iif(:edit_metadata, :metadata, metadata),
                valid_to = iif(:edit_valid_to, :valid_to, valid_to)
             WHERE id = :id";
        checks::check_edit(edit)?;
        self.touch(memory)?;
        self.conn.prepare_cached(SQL)?.execute(named_params! {
            ":id": memory.0,
            ":at": self.at.0,
            ":kind": edit.kind.as_ref().map(|kind| kind.as_str()),
            ":edit_title": edit.title.is_some(),
            ":title": edit.title.as_ref().and_then(Option::as_ref),
            ":edit_summary": edit.summary.is_some(),
            ":summary": edit.summary.as_ref().and_then(Option::as_ref),
            ":collection": edit.collection,
            ":edit_project": edit.project.is_some(),
            ":project": edit.project.as_ref().and_then(Option::as_ref),
            ":edit_tags": edit.tags.is_some(),
            ":tags": edit.tags.as_deref().and_then(json::list_or_null),
            ":edit_applies_to": edit.applies_to.is_some(),
            ":applies_to": edit.applies_to.as_deref().and_then(json::list_or_null),
            ":priority": edit.priority,
            ":confidence": edit.confidence,
            ":edit_metadata": edit.metadata.is_some(),
            ":metadata": edit.metadata.as_ref().and_then(json::map_or_null),
            ":edit_valid_to": edit.valid_to.is_some(),
            ":valid_to": edit.valid_to.flatten().map(|moment| moment.0),
        })?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn set_status(
        &mut self,
        memory: Ref<MemoryId>,
        status: Status,
    ) -> ApplyResult<ChangeResult> {
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
    ) -> ApplyResult<ChangeResult> {
        const SQL: &str =
            "UPDATE memories SET status = ?2, updated_at = ?3, ended_at = ?4 WHERE id = ?1";
        self.touch(memory)?;
        let ended_at = ended_at.map(|moment| moment.0);
        let values = (memory.0, enum_codes::status_code(status), self.at.0, ended_at);
        self.with_followers(memory, |batch| Ok(batch.execute(SQL, values)?))?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn write_status(&self, memory: MemoryId, status: Status) -> ApplyResult<()> {
        // `ended_at` is the time at which a memory left `active`: leaving sets it, coming back
        // clears it, and any other change of status keeps it.
        const SQL: &str = "UPDATE memories SET status = ?2, updated_at = ?3,
                ended_at = CASE WHEN ?2 = ?4 THEN NULL WHEN status = ?4 THEN ?3 ELSE ended_at END
             WHERE id = ?1";
        let values = (memory.0, enum_codes::status_code(status), self.at.0, enum_codes::ACTIVE);
        self.with_followers(memory, |batch| Ok(batch.execute(SQL, values)?))
    }

    /// Changes the status of a memory, and with it the rows and relations that the memory states.
    fn with_followers(
        &self,
        memory: MemoryId,
        change: impl FnOnce(&Self) -> ApplyResult<usize>,
    ) -> ApplyResult<()> {
        let rows = self.rows_stated_by(memory)?;
        let before = self.visible_rows(&rows)?;
        change(self)?;
        rows.iter().try_for_each(|row| self.show_best_version(*row))?;
        self.count_rows(&rows, &before)?;
        self.attach_relations(memory)
    }

    pub(super) fn require_session(&self, session: SessionId) -> ApplyResult<()> {
        const SQL: &str = "SELECT 1 FROM sessions WHERE id = ?1";
        let found = self.conn.prepare_cached(SQL)?.query_row([session.0], |_| Ok(())).optional()?;
        found.ok_or_else(|| ApplyError::not_found("session", session))
    }
}

/// Active memories with the text of a new one.
enum SameText {
    /// One of them is a duplicate.
    Duplicate(MemoryId),
    /// There are some, and none is a duplicate.
    Elsewhere,
    Nowhere,
}

/// Returns whether the memory in a row, whose text is the same, is a duplicate of a new one.
fn is_duplicate(
    add: &AddMemory,
    row: &rusqlite::Row<'_>,
    session: Option<SessionId>,
) -> rusqlite::Result<bool> {
    if !add.memory.is_titled_like(row.get::<_, Option<String>>(4)?.as_deref()) {
        return Ok(false);
    }
    Ok(match add.on_duplicate {
        OnDuplicate::Insert => false,
        OnDuplicate::ReturnExisting => true,
        OnDuplicate::ReturnExistingInSession => {
            row.get::<_, Option<i64>>(1)?.map(SessionId) == session
        }
        OnDuplicate::ReturnExistingWithMetadata => {
            let known = json::read_map(row, 3)?;
            add.memory.metadata.iter().all(|(name, value)| known.get(name) == Some(value))
        }
    })
}
