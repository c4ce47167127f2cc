//! Import: writes items of an export unchanged, with their times and authors, and under their ids
//! where those are free. Memories and what belongs to them are in the submodule.

mod memory;

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use crate::read;
use crate::read::record as catalogue;
use crate::sql_value::params;
use model::{
    ContentHash, Entity, EntityId, Handoff, HandoffId, Link, NewEntity, NewSession, Observation,
    ProfileVersion, Record, RecordId, RelationId, ReviewId, ReviewItem, ReviewState, Session,
    SessionId, Table, limits,
};
use store::rules::{checks, codes, encoding, fold_name, imports, text_key};
use store::{AttributedRelation, ChangeResult, ImportedItem};

impl BatchTransaction<'_> {
    pub(super) fn import(&mut self, item: &ImportedItem) -> ApplyOutcome<ChangeResult> {
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

    /// Returns the id of an item if a statement says it is free; with `None`, it gets the next one.
    fn id_if_free(&self, taken: &'static str, number: i64) -> ApplyOutcome<Option<i64>> {
        let taken: bool = self.conn.one(taken, [number], |row| row.get(0))?;
        Ok(importable(number).filter(|_| !taken))
    }

    /// Returns the id of an item if no item of its type ever had it.
    fn id_if_unused(&mut self, of: NumberedItem, number: i64) -> Option<i64> {
        let last = self.counters.numbers().last(of);
        importable(number).filter(|number| *number > last)
    }

    fn import_session(&mut self, session: &Session) -> ApplyOutcome<ChangeResult> {
        const ADD: &str =
            "INSERT INTO sessions (owner, id, key, project, agent, metadata, started_at, ended_at,
                 episode)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        const LEARN: &str =
            "UPDATE sessions SET ended_at = coalesce(ended_at, $3), episode = coalesce(episode, $4)
             WHERE owner = $1 AND id = $2";
        let (key, project, metadata) =
            (session.key.clone(), session.project.clone(), session.metadata.clone());
        NewSession { id: Some(session.id), key, project, metadata }.check()?;
        session.episode.map_or(Ok(()), |memory| self.require_memory(memory))?;
        let (ended, episode) =
            (session.ended_at.map(|at| at.0), session.episode.map(|memory| memory.0));
        if let Some(known) = self.find_session(session)? {
            self.send(LEARN, (known.0, ended, episode))?;
            return Ok(ChangeResult::Session(known));
        }
        let id = self.id_if_free(
            "SELECT EXISTS (SELECT 1 FROM sessions WHERE owner = $1 AND id = $2)",
            session.id.0,
        )?;
        let id = self.counters.numbers().take(NumberedItem::Session, id);
        let metadata = encoding::map_or_null(&session.metadata);
        let (agent, started) = (session.agent.as_str(), session.started_at.0);
        self.send(
            ADD,
            params![id, &session.key, &session.project, agent, metadata, started, ended, episode],
        )?;
        Ok(ChangeResult::Session(SessionId(id)))
    }

    /// Finds the session of an export that was imported before.
    fn find_session(&self, session: &Session) -> ApplyOutcome<Option<SessionId>> {
        let by_key =
            session.key.as_deref().map_or(Ok(None), |key| read::session::by_key(self.conn, key))?;
        let by_number = read::session::by_id(self.conn, session.id)?;
        let same = by_number
            .filter(|known| known.started_at == session.started_at && known.agent == session.agent);
        Ok(by_key.or(same).map(|known| known.id))
    }

    fn import_entity(&mut self, entity: &Entity) -> ApplyOutcome<ChangeResult> {
        const ADD: &str =
            "INSERT INTO entities (owner, id, folded, kind, name, properties, confidence,
                 first_seen, \
             last_seen)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
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
                let id = self.id_if_unused(NumberedItem::Entity, entity.id.0);
                let id = self.counters.numbers().take(NumberedItem::Entity, id);
                let seen = (entity.first_seen.0, entity.last_seen.0);
                let properties = encoding::map_or_null(properties);
                self.send(ADD, (id, &folded, kind, name, properties, *confidence, seen.0, seen.1))?;
                EntityId(id)
            }
        };
        for alias in &entity.aliases {
            limits::chars("alias", alias, limits::ENTITY_NAME_CHARS)?;
            self.add_alias(id, alias, kind)?;
        }
        self.remove_own_name_alias(id)?;
        Ok(ChangeResult::Entity(id))
    }

    fn import_link(&mut self, link: &Link) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "INSERT INTO links (owner, source, kind, target, weight, created_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
        limits::range("weight", f64::from(link.weight), 0.0, 1.0)?;
        if link.source == link.target {
            return Err(ChangeError::invalid(format!(
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
        self.send(SQL, (source, kind, target, link.weight, link.created_at.0))?;
        // The insert may have been ignored, so the next limit check counts again.
        self.links_out.remove(&link.source);
        Ok(ChangeResult::Done)
    }

    fn import_observation(&mut self, observation: &Observation) -> ApplyOutcome<ChangeResult> {
        const FIND: &str = "SELECT 1::bigint FROM observations
             WHERE owner = $1 AND entity = $2 AND text_key = $3 AND text = $4";
        const ADD: &str = "INSERT INTO observations (owner, id, entity, text_key, text, memory, at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        limits::bytes("observation", &observation.text, limits::TEXT_BYTES)?;
        self.require_entity(observation.entity)?;
        observation.memory.map_or(Ok(()), |memory| self.require_memory(memory))?;
        let key = text_key(ContentHash::of_bytes(observation.text.as_bytes()));
        let memory = observation.memory.map(|memory| memory.0);
        let (entity, text) = (observation.entity.0, &observation.text);
        if self.conn.rows(FIND, (entity, key, text))?.is_empty() {
            let id = self.counters.numbers().next(NumberedItem::Observation);
            self.send(ADD, (id, entity, key, text, memory, observation.at.0))?;
        }
        Ok(ChangeResult::Done)
    }

    fn import_relation(&mut self, imported: &AttributedRelation) -> ApplyOutcome<ChangeResult> {
        const ADD: &str = "INSERT INTO relations (owner, id, source, target, kind, weight,
                confidence, memory, unattached, properties, first_seen, last_seen)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        const SAY: &str =
            "INSERT INTO relation_memories (owner, relation, memory) VALUES ($1, $2, $3) ON
                 CONFLICT DO NOTHING";
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
                let properties = encoding::map_or_null(&relation.properties);
                let id = self.counters.numbers().next(NumberedItem::Relation);
                let values = params![
                    id, source.0, target.0, kind, weight, confidence, memory, alone, properties,
                    first, last
                ];
                self.send(ADD, values)?;
                RelationId(id)
            }
        };
        imported
            .stated_in
            .iter()
            .try_for_each(|memory| self.execute(SAY, (id.0, memory.0)).map(|_| ()))?;
        Ok(ChangeResult::Relation(id))
    }

    fn import_table(&mut self, table: &Table) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "UPDATE tables SET description = coalesce(description, $3),
                created_at = least(created_at, $4), \
                updated_at = CASE WHEN rows = 0 THEN $5 ELSE greatest(updated_at, $5) END
             WHERE owner = $1 AND id = $2";
        limits::chars(
            "description",
            table.description.as_deref().unwrap_or(""),
            limits::REASON_CHARS,
        )?;
        let listed = self.table(&table.name)?;
        self.widen_to(&listed, &table.columns)?;
        self.send(SQL, (listed.id, &table.description, table.created_at.0, table.updated_at.0))?;
        Ok(ChangeResult::Done)
    }

    fn import_record(&mut self, record: &Record) -> ApplyOutcome<ChangeResult> {
        const ADD: &str =
            "INSERT INTO records (owner, table_id, id, memory, created_at, updated_at, data, seq)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        const COUNT: &str = "UPDATE tables SET last_record = greatest(last_record, $3),
                rows = rows + (SELECT CASE WHEN m.id IS NULL OR m.status = $5 THEN 1 ELSE 0 END
                    FROM records r LEFT JOIN memories m ON m.owner = $1 AND m.id = r.memory
                    WHERE r.owner = $1 AND r.table_id = $2 AND r.id = $3),
                updated_at = greatest(updated_at, $4) WHERE owner = $1 AND id = $2";
        Record::check_data(&record.data)?;
        record.memory.map_or(Ok(()), |memory| self.require_memory(memory))?;
        let not_found = || ChangeError::not_found("table", &record.table);
        let listed = catalogue::catalogue_entry(self.conn, &record.table)?.ok_or_else(not_found)?;
        self.widen(&listed, &record.data)?;
        // An id beyond the last one was never used; any other row gets the next id.
        let after = (listed.last_record + 1).max(record.id.0.min(limits::IMPORTED_ID_MAX));
        let (created, updated) = (record.created_at.0, record.updated_at.0);
        let memory = record.memory.map(|memory| memory.0);
        let data = encoding::map_text(&record.data);
        self.send(ADD, (listed.id, after, memory, created, updated, data, self.seq.0))?;
        self.send(COUNT, (listed.id, after, updated, codes::ACTIVE))?;
        Ok(ChangeResult::Record(RecordId(after)))
    }

    fn import_profile(&mut self, profile: &ProfileVersion) -> ApplyOutcome<ChangeResult> {
        const SQL: &str =
            "INSERT INTO profile (owner, version, author, origin, trust, at, reason, changed, data)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        const TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM profile WHERE owner = $1 AND version =
             $2)";
        limits::chars("reason", profile.reason.as_deref().unwrap_or(""), limits::REASON_CHARS)?;
        limits::json("profile", &profile.data, limits::PROFILE_BYTES)?;
        let number = self.id_if_free(TAKEN, profile.version.into())?;
        let number = number
            .ok_or_else(|| ChangeError::invalid(format!("version {} exists", profile.version)))?;
        let from = &profile.provenance;
        let author = self.counters.author(self.conn, &from.author)?;
        let (origin, changed) =
            (codes::origin_code(from.origin), encoding::list_text(&profile.changed));
        let data = encoding::map_text(&profile.data);
        self.send(
            SQL,
            (number, author, origin, from.trust.0, from.at.0, &profile.reason, changed, data),
        )?;
        Ok(ChangeResult::Profile(profile.version))
    }

    fn import_handoff(&mut self, handoff: &Handoff) -> ApplyOutcome<ChangeResult> {
        const TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM handoffs WHERE owner = $1 AND id = $2)";
        const ADD: &str = "INSERT INTO handoffs (owner, id, state, claim_by, claim_since,
             claim_until, \
                claim_notes,
                created_by, created_at, updated_at, title, project, cwd, harness, source_ref, \
                tags, document)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
        imports::as_new_handoff(handoff).check()?;
        let claim = handoff.claim.as_ref();
        claim.map_or(Ok(()), |claim| checks::check_notes(&claim.notes))?;
        let id = self.id_if_free(TAKEN, handoff.id.0)?;
        let id = self.counters.numbers().take(NumberedItem::Handoff, id);
        self.send(
            ADD,
            params![
                id,
                handoff.state.name(),
                claim.map(|claim| claim.by.as_str()),
                claim.map(|claim| claim.since.0),
                claim.map(|claim| claim.until.0),
                claim.and_then(|claim| encoding::notes_text(&claim.notes)),
                handoff.created_by.as_str(),
                handoff.created_at.0,
                handoff.updated_at.0,
                &handoff.title,
                &handoff.project,
                &handoff.cwd,
                &handoff.harness,
                &handoff.source_ref,
                encoding::list_or_null(&handoff.tags),
                &handoff.document
            ],
        )?;
        Ok(ChangeResult::Handoff(HandoffId(id)))
    }

    fn import_review(&mut self, item: &ReviewItem) -> ApplyOutcome<ChangeResult> {
        const ADD: &str =
            "INSERT INTO reviews (owner, id, kind, subject, against, raised_by, raised_at,
                 resolution,
                resolved_by, resolved_at, reason, details)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        limits::chars("reason", &item.reason, limits::REASON_CHARS)?;
        limits::json("details", &item.details, limits::REVIEW_DETAILS_BYTES)?;
        let mut sides = item.subject.iter().chain(&item.against);
        sides.try_for_each(|memory| self.require_memory(*memory))?;
        let id = self.id_if_unused(NumberedItem::Review, item.id.0);
        let id = self.counters.numbers().take(NumberedItem::Review, id);
        let (resolution, by, at) = match &item.state {
            ReviewState::Open => (None, None, None),
            ReviewState::Resolved { resolution, by, at } => {
                (Some(resolution.name()), Some(by.as_str()), Some(at.0))
            }
        };
        let (subject, against) =
            (item.subject.map(|memory| memory.0), item.against.map(|memory| memory.0));
        let (raised_by, raised_at) = (item.raised_by.as_str(), item.raised_at.0);
        let (kind, details) = (item.kind.name(), encoding::map_or_null(&item.details));
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
            &item.reason,
            details
        ];
        self.send(ADD, values)?;
        Ok(ChangeResult::Review(ReviewId(id)))
    }
}

/// Returns an id of an export that may be used here.
fn importable(number: i64) -> Option<i64> {
    // An export is a file that anybody can edit: an id near the maximum would leave no ids for
    // later rows.
    (1..=limits::IMPORTED_ID_MAX).contains(&number).then_some(number)
}
