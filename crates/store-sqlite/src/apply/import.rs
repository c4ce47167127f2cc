//! Import: writes items of an export unchanged, with their times and authors, and under their ids
//! where those are free. Memories and what belongs to them are in the submodule.

mod memory;

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::read::record as catalogue;
use crate::{enum_codes, fold_name, json, read, text_key};
use model::{
    ContentHash, Entity, EntityId, Handoff, HandoffId, Link, NewEntity, NewSession, Observation,
    ProfileVersion, Record, RecordId, RelationId, ReviewId, ReviewItem, ReviewState, Session,
    SessionId, Table, limits,
};
use rusqlite::params;
use store::rules::{checks, imports};
use store::{AttributedRelation, ChangeResult, ImportedItem};

impl BatchContext<'_, '_> {
    pub(super) fn import(&mut self, item: &ImportedItem) -> ApplyResult<ChangeResult> {
        match item {
            ImportedItem::Session(session) => self.import_session(session),
            ImportedItem::Entity(entity) => self.import_entity(entity),
            ImportedItem::Memory(memory) => self.import_memory(memory),
            ImportedItem::Link(link) => self.import_link(link),
            ImportedItem::Observation(observation) => self.import_observation(observation),
            ImportedItem::Relation(relation) => self.import_relation(relation),
            ImportedItem::Table(table) => self.import_table(table),
            ImportedItem::Record(record) => self.import_record(record),
            ImportedItem::Profile(version) => self.import_profile(version),
            ImportedItem::Handoff(handoff) => self.import_handoff(handoff),
            ImportedItem::Review(item) => self.import_review(item),
        }
    }

    /// Returns the id of an item if a statement says it is free; with `None`, the database assigns
    /// the next one.
    fn id_if_free(&self, taken: &'static str, number: i64) -> ApplyResult<Option<i64>> {
        // An export is a file that anybody can edit: an id near the maximum would leave no ids for
        // later rows.
        let in_range = (1..=limits::IMPORTED_ID_MAX).contains(&number);
        let taken: bool = self.conn.prepare_cached(taken)?.query_one([number], |row| row.get(0))?;
        Ok((in_range && !taken).then_some(number))
    }

    fn import_session(&mut self, session: &Session) -> ApplyResult<ChangeResult> {
        const ADD: &str =
            "INSERT INTO sessions (id, key, project, agent, metadata, started_at, ended_at, episode)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        const LEARN: &str =
            "UPDATE sessions SET ended_at = coalesce(ended_at, ?2), episode = coalesce(episode, ?3)
             WHERE id = ?1";
        let (key, project, metadata) =
            (session.key.clone(), session.project.clone(), session.metadata.clone());
        NewSession { id: Some(session.id), key, project, metadata }.check()?;
        session.episode.map_or(Ok(()), |memory| self.require_memory(memory))?;
        let (ended, episode) =
            (session.ended_at.map(|at| at.0), session.episode.map(|memory| memory.0));
        if let Some(known) = self.find_session(session)? {
            self.execute(LEARN, (known.0, ended, episode))?;
            return Ok(ChangeResult::Session(known));
        }
        let id =
            self.id_if_free("SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?1)", session.id.0)?;
        let metadata = json::map_or_null(&session.metadata);
        let (agent, started) = (session.agent.as_str(), session.started_at.0);
        self.execute(
            ADD,
            params![id, session.key, session.project, agent, metadata, started, ended, episode],
        )?;
        Ok(ChangeResult::Session(SessionId(self.last_inserted_id())))
    }

    /// Finds the session of an export that was imported before.
    fn find_session(&self, session: &Session) -> ApplyResult<Option<SessionId>> {
        let by_key =
            session.key.as_deref().map_or(Ok(None), |key| read::session::by_key(self.conn, key))?;
        let by_number = read::session::by_id(self.conn, session.id)?;
        let same = by_number
            .filter(|known| known.started_at == session.started_at && known.agent == session.agent);
        Ok(by_key.or(same).map(|known| known.id))
    }

    fn import_entity(&mut self, entity: &Entity) -> ApplyResult<ChangeResult> {
        // AUTOINCREMENT: an id up to the sequence's value was assigned once, even if its row is
        // gone.
        const TAKEN: &str =
            "SELECT ?1 <= coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'entities'), 0)";
        const ADD: &str =
            "INSERT INTO entities (id, folded, kind, name, properties, confidence, first_seen, \
             last_seen)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let Entity { kind, name, properties, confidence, .. } = entity;
        let new = NewEntity {
            kind: Some(kind.clone()),
            name: name.clone(),
            properties: properties.clone(),
            confidence: *confidence,
        };
        new.check()?;
        let folded = fold_name(name);
        let id = match read::entity::by_name_and_kind(self.conn, &folded, kind)? {
            Some(known) => known.id,
            None => {
                let id = self.id_if_free(TAKEN, entity.id.0)?;
                let seen = (entity.first_seen.0, entity.last_seen.0);
                let properties = json::map_or_null(properties);
                self.execute(
                    ADD,
                    (id, &folded, kind, name, properties, confidence, seen.0, seen.1),
                )?;
                EntityId(self.last_inserted_id())
            }
        };
        for alias in &entity.aliases {
            limits::chars("alias", alias, limits::ENTITY_NAME_CHARS)?;
            self.add_alias(id, alias, kind)?;
        }
        self.remove_own_name_alias(id)?;
        Ok(ChangeResult::Entity(id))
    }

    fn import_link(&mut self, link: &Link) -> ApplyResult<ChangeResult> {
        const SQL: &str = "INSERT OR IGNORE INTO links (source, kind, target, weight, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5)";
        limits::range("weight", f64::from(link.weight), 0.0, 1.0)?;
        if link.source == link.target {
            return Err(ApplyError::invalid(format!(
                "memory {} cannot be linked to itself",
                link.source
            )));
        }
        self.touch(link.source)?;
        self.require_memory(link.target)?;
        self.refuse_cycle(link.source, link.target, link.kind)?;
        limits::count(
            "links out of a memory",
            self.links_out(link.source)? + 1,
            limits::LINKS_OUT,
        )?;
        let (source, kind, target) = (link.source.0, link.kind as u8, link.target.0);
        self.execute(SQL, (source, kind, target, link.weight, link.created_at.0))?;
        // The insert may have been ignored, so the next limit check counts again.
        self.links_out.remove(&link.source);
        Ok(ChangeResult::Done)
    }

    fn import_observation(&mut self, observation: &Observation) -> ApplyResult<ChangeResult> {
        const SQL: &str = "INSERT INTO observations (entity, text_key, text, memory, at)
             SELECT ?1, ?2, ?3, ?4, ?5
             WHERE NOT EXISTS (SELECT 1 FROM observations \
                WHERE entity = ?1 AND text_key = ?2 AND text = ?3)";
        limits::bytes("observation", &observation.text, limits::TEXT_BYTES)?;
        self.require_entity(observation.entity)?;
        observation.memory.map_or(Ok(()), |memory| self.require_memory(memory))?;
        let key = text_key(ContentHash::of_bytes(observation.text.as_bytes()));
        let memory = observation.memory.map(|memory| memory.0);
        self.execute(
            SQL,
            (observation.entity.0, key, &observation.text, memory, observation.at.0),
        )?;
        Ok(ChangeResult::Done)
    }

    fn import_relation(&mut self, imported: &AttributedRelation) -> ApplyResult<ChangeResult> {
        const ADD: &str =
            "INSERT INTO relations (source, target, kind, weight, confidence, memory, unattached,
                properties, first_seen, last_seen) \
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        const SAY: &str =
            "INSERT OR IGNORE INTO relation_memories (relation, memory) VALUES (?1, ?2)";
        let relation = &imported.relation;
        checks::check_imported_relation(relation)?;
        self.require_entity(relation.source)?;
        self.require_entity(relation.target)?;
        relation
            .memory
            .iter()
            .chain(&imported.stated_in)
            .try_for_each(|memory| self.require_memory(*memory))?;
        let (source, target, kind) = (relation.source, relation.target, &relation.kind);
        let id = match read::fact::find_relation(self.conn, source, target, kind)? {
            // No additional weight: importing the same file twice must change nothing.
            Some(known) => known.id,
            None => {
                let (first, last) = (relation.first_seen.0, relation.last_seen.0);
                let (weight, confidence) = (relation.weight, relation.confidence);
                let (memory, alone) = (relation.memory.map(|memory| memory.0), imported.unattached);
                let properties = json::map_or_null(&relation.properties);
                let values = params![
                    source.0, target.0, kind, weight, confidence, memory, alone, properties, first,
                    last
                ];
                self.execute(ADD, values)?;
                RelationId(self.last_inserted_id())
            }
        };
        imported
            .stated_in
            .iter()
            .try_for_each(|memory| self.execute(SAY, (id.0, memory.0)).map(|_| ()))?;
        Ok(ChangeResult::Relation(id))
    }

    fn import_table(&mut self, table: &Table) -> ApplyResult<ChangeResult> {
        const SQL: &str = "UPDATE tables SET description = coalesce(description, ?2),
                created_at = min(created_at, ?3), \
                updated_at = iif(rows = 0, ?4, max(updated_at, ?4)) WHERE id = ?1";
        limits::chars(
            "description",
            table.description.as_deref().unwrap_or(""),
            limits::REASON_CHARS,
        )?;
        let listed = self.table(&table.name)?;
        self.widen_to(&listed, &table.columns)?;
        self.execute(SQL, (listed.id, &table.description, table.created_at.0, table.updated_at.0))?;
        Ok(ChangeResult::Done)
    }

    fn import_record(&mut self, record: &Record) -> ApplyResult<ChangeResult> {
        const ADD: &str =
            "INSERT INTO records (table_id, id, memory, created_at, updated_at, data, seq)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        const COUNT: &str = "UPDATE tables SET last_record = max(last_record, ?2),
                rows = rows + (SELECT m.id IS NULL OR m.status = ?4 FROM records r
                    LEFT JOIN memories m ON m.id = r.memory WHERE r.table_id = ?1 AND r.id = ?2),
                updated_at = max(updated_at, ?3) WHERE id = ?1";
        Record::check_data(&record.data)?;
        record.memory.map_or(Ok(()), |memory| self.require_memory(memory))?;
        let not_found = || ApplyError::not_found("table", &record.table);
        let listed = catalogue::catalogue_entry(self.conn, &record.table)?.ok_or_else(not_found)?;
        self.widen(&listed, &record.data)?;
        // An id beyond the last one was never used; any other row gets the next id.
        let after = (listed.last_record + 1).max(record.id.0.min(limits::IMPORTED_ID_MAX));
        let (created, updated) = (record.created_at.0, record.updated_at.0);
        let memory = record.memory.map(|memory| memory.0);
        let data = json::map_text(&record.data);
        self.execute(ADD, (listed.id, after, memory, created, updated, data, self.seq.0))?;
        self.execute(COUNT, (listed.id, after, updated, enum_codes::ACTIVE))?;
        Ok(ChangeResult::Record(RecordId(after)))
    }

    fn import_profile(&mut self, profile: &ProfileVersion) -> ApplyResult<ChangeResult> {
        const SQL: &str =
            "INSERT INTO profile (version, author, origin, trust, at, reason, changed, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        const TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM profile WHERE version = ?1)";
        limits::chars("reason", profile.reason.as_deref().unwrap_or(""), limits::REASON_CHARS)?;
        limits::json("profile", &profile.data, limits::PROFILE_BYTES)?;
        let number = self.id_if_free(TAKEN, profile.version.into())?;
        let number = number
            .ok_or_else(|| ApplyError::invalid(format!("version {} exists", profile.version)))?;
        let from = &profile.provenance;
        let author = self.counters.author(self.conn, &from.author)?;
        let (origin, changed) =
            (enum_codes::origin_code(from.origin), json::list_text(&profile.changed));
        let data = json::map_text(&profile.data);
        self.execute(
            SQL,
            (number, author, origin, from.trust.0, from.at.0, &profile.reason, changed, data),
        )?;
        Ok(ChangeResult::Profile(profile.version))
    }

    fn import_handoff(&mut self, handoff: &Handoff) -> ApplyResult<ChangeResult> {
        const TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM handoffs WHERE id = ?1)";
        const ADD: &str = "INSERT INTO handoffs (id, state, claim_by, claim_since, claim_until, \
                claim_notes,
                created_by, created_at, updated_at, title, project, cwd, harness, source_ref, \
                tags, document)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
        imports::as_new_handoff(handoff).check()?;
        let claim = handoff.claim.as_ref();
        claim.map_or(Ok(()), |claim| checks::check_notes(&claim.notes))?;
        let id = self.id_if_free(TAKEN, handoff.id.0)?;
        self.execute(
            ADD,
            params![
                id,
                handoff.state.name(),
                claim.map(|claim| claim.by.as_str()),
                claim.map(|claim| claim.since.0),
                claim.map(|claim| claim.until.0),
                claim.and_then(|claim| json::notes_text(&claim.notes)),
                handoff.created_by.as_str(),
                handoff.created_at.0,
                handoff.updated_at.0,
                handoff.title,
                handoff.project,
                handoff.cwd,
                handoff.harness,
                handoff.source_ref,
                json::list_or_null(&handoff.tags),
                handoff.document
            ],
        )?;
        Ok(ChangeResult::Handoff(HandoffId(self.last_inserted_id())))
    }

    fn import_review(&mut self, item: &ReviewItem) -> ApplyResult<ChangeResult> {
        const TAKEN: &str =
            "SELECT ?1 <= coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'reviews'), 0)";
        const ADD: &str =
            "INSERT INTO reviews (id, kind, subject, against, raised_by, raised_at, resolution,
                resolved_by, resolved_at, reason, details)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        limits::chars("reason", &item.reason, limits::REASON_CHARS)?;
        limits::json("details", &item.details, limits::REVIEW_DETAILS_BYTES)?;
        let mut sides = item.subject.iter().chain(&item.against);
        sides.try_for_each(|memory| self.require_memory(*memory))?;
        let id = self.id_if_free(TAKEN, item.id.0)?;
        let (resolution, by, at) = match &item.state {
            ReviewState::Open => (None, None, None),
            ReviewState::Resolved { resolution, by, at } => {
                (Some(resolution.name()), Some(by.as_str()), Some(at.0))
            }
        };
        let (subject, against) =
            (item.subject.map(|memory| memory.0), item.against.map(|memory| memory.0));
        let (raised_by, raised_at) = (item.raised_by.as_str(), item.raised_at.0);
        let (kind, details) = (item.kind.name(), json::map_or_null(&item.details));
        let values = params![
            id,
            kind,
            subject,
            against,
            raised_by,
            raised_at,
            resolution,
            by,
            at,
            item.reason,
            details
        ];
        self.execute(ADD, values)?;
        Ok(ChangeResult::Review(ReviewId(self.last_inserted_id())))
    }
}
