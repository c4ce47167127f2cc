//! Import: writes items of an export unchanged, with their times and authors, and under their ids
//! where those are free. Memories and what belongs to them are in the submodule.

mod memory;

use super::{Applied, Applying};
use crate::fault::Fault;
use crate::read::record as catalogue;
use crate::{codes, fold, json, read, text_key};
use model::{
    ContentHash, Entity, EntityId, Handoff, HandoffId, Link, NewEntity, NewHandoff, NewSession,
    Observation, ProfileVersion, Record, RecordId, RelationId, ReviewId, ReviewItem, ReviewState,
    Session, SessionId, Table, limits,
};
use rusqlite::params;
use store::{Kept, KeptRelation, Made};

impl Applying<'_, '_> {
    pub(super) fn keep(&mut self, kept: &Kept) -> Applied<Made> {
        match kept {
            Kept::Session(session) => self.keep_session(session),
            Kept::Entity(entity) => self.keep_entity(entity),
            Kept::Memory(memory) => self.keep_memory(memory),
            Kept::Link(link) => self.keep_link(link),
            Kept::Observation(observation) => self.keep_observation(observation),
            Kept::Relation(relation) => self.keep_relation(relation),
            Kept::Table(table) => self.keep_table(table),
            Kept::Record(record) => self.keep_record(record),
            Kept::Profile(version) => self.keep_profile(version),
            Kept::Handoff(handoff) => self.keep_handoff(handoff),
            Kept::Review(item) => self.keep_review(item),
        }
    }

    /// Returns the id of an item if a statement says it is free; with `None`, the database assigns
    /// the next one.
    fn number_if_free(&self, taken: &'static str, number: i64) -> Applied<Option<i64>> {
        // An export is a file that anybody can edit: an id near the maximum would leave no ids for
        // later rows.
        let sound = (1..=limits::NUMBER).contains(&number);
        let taken: bool = self.conn.prepare_cached(taken)?.query_one([number], |row| row.get(0))?;
        Ok((sound && !taken).then_some(number))
    }

    fn keep_session(&mut self, session: &Session) -> Applied<Made> {
        const ADD: &str =
            "INSERT INTO sessions (id, key, project, agent, metadata, started_at, ended_at, episode)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        const LEARN: &str =
            "UPDATE sessions SET ended_at = coalesce(ended_at, ?2), episode = coalesce(episode, ?3)
             WHERE id = ?1";
        let (key, project, metadata) =
            (session.key.clone(), session.project.clone(), session.metadata.clone());
        NewSession { id: Some(session.id), key, project, metadata }.check()?;
        session.episode.map_or(Ok(()), |memory| self.memory_is_there(memory))?;
        let (ended, episode) =
            (session.ended_at.map(|at| at.0), session.episode.map(|memory| memory.0));
        if let Some(known) = self.same_session(session)? {
            self.run(LEARN, (known.0, ended, episode))?;
            return Ok(Made::Session(known));
        }
        let id = self
            .number_if_free("SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?1)", session.id.0)?;
        let metadata = json::of_map(&session.metadata);
        let (agent, started) = (session.agent.as_str(), session.started_at.0);
        self.run(
            ADD,
            params![id, session.key, session.project, agent, metadata, started, ended, episode],
        )?;
        Ok(Made::Session(SessionId(self.inserted())))
    }

    /// Finds the session of an export that was imported before.
    fn same_session(&self, session: &Session) -> Applied<Option<SessionId>> {
        let by_key =
            session.key.as_deref().map_or(Ok(None), |key| read::session::by_key(self.conn, key))?;
        let by_number = read::session::by_id(self.conn, session.id)?;
        let same = by_number
            .filter(|known| known.started_at == session.started_at && known.agent == session.agent);
        Ok(by_key.or(same).map(|known| known.id))
    }

    fn keep_entity(&mut self, entity: &Entity) -> Applied<Made> {
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
        let folded = fold(name);
        let id = match read::entity::of_kind(self.conn, &folded, kind)? {
            Some(known) => known.id,
            None => {
                let id = self.number_if_free(TAKEN, entity.id.0)?;
                let seen = (entity.first_seen.0, entity.last_seen.0);
                let properties = json::of_map(properties);
                self.run(ADD, (id, &folded, kind, name, properties, confidence, seen.0, seen.1))?;
                EntityId(self.inserted())
            }
        };
        for alias in &entity.aliases {
            limits::chars("alias", alias, limits::ENTITY_NAME_CHARS)?;
            self.add_alias(id, alias, kind)?;
        }
        self.drop_own_name(id)?;
        Ok(Made::Entity(id))
    }

    fn keep_link(&mut self, link: &Link) -> Applied<Made> {
        const SQL: &str = "INSERT OR IGNORE INTO links (source, kind, target, weight, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5)";
        limits::range("weight", f64::from(link.weight), 0.0, 1.0)?;
        if link.source == link.target {
            return Err(Fault::invalid(format!(
                "memory {} cannot be linked to itself",
                link.source
            )));
        }
        self.touch(link.source)?;
        self.memory_is_there(link.target)?;
        limits::count(
            "links out of a memory",
            self.links_out(link.source)? + 1,
            limits::LINKS_OUT,
        )?;
        let (source, kind, target) = (link.source.0, link.kind as u8, link.target.0);
        self.run(SQL, (source, kind, target, link.weight, link.created_at.0))?;
        // The insert may have been ignored, so the next limit check counts again.
        self.links_out.remove(&link.source);
        Ok(Made::Nothing)
    }

    fn keep_observation(&mut self, said: &Observation) -> Applied<Made> {
        const SQL: &str = "INSERT INTO observations (entity, text_key, text, memory, at)
             SELECT ?1, ?2, ?3, ?4, ?5
             WHERE NOT EXISTS (SELECT 1 FROM observations \
                WHERE entity = ?1 AND text_key = ?2 AND text = ?3)";
        limits::bytes("observation", &said.text, limits::TEXT_BYTES)?;
        self.entity_there(said.entity)?;
        said.memory.map_or(Ok(()), |memory| self.memory_is_there(memory))?;
        let key = text_key(ContentHash::of_bytes(said.text.as_bytes()));
        let memory = said.memory.map(|memory| memory.0);
        self.run(SQL, (said.entity.0, key, &said.text, memory, said.at.0))?;
        Ok(Made::Nothing)
    }

    fn keep_relation(&mut self, kept: &KeptRelation) -> Applied<Made> {
        const ADD: &str =
            "INSERT INTO relations (source, target, kind, weight, confidence, memory, unattached,
                properties, first_seen, last_seen) \
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        const SAY: &str =
            "INSERT OR IGNORE INTO relation_memories (relation, memory) VALUES (?1, ?2)";
        let relation = &kept.relation;
        super::fact::check_kept(relation)?;
        self.entity_there(relation.source)?;
        self.entity_there(relation.target)?;
        relation
            .memory
            .iter()
            .chain(&kept.said_in)
            .try_for_each(|memory| self.memory_is_there(*memory))?;
        let (source, target, kind) = (relation.source, relation.target, &relation.kind);
        let id = match read::fact::relation(self.conn, source, target, kind)? {
            // No additional weight: importing the same file twice must change nothing.
            Some(known) => known.id,
            None => {
                let (first, last) = (relation.first_seen.0, relation.last_seen.0);
                let (weight, confidence) = (relation.weight, relation.confidence);
                let (memory, alone) = (relation.memory.map(|memory| memory.0), kept.by_itself);
                let properties = json::of_map(&relation.properties);
                let values = params![
                    source.0, target.0, kind, weight, confidence, memory, alone, properties, first,
                    last
                ];
                self.run(ADD, values)?;
                RelationId(self.inserted())
            }
        };
        kept.said_in.iter().try_for_each(|memory| self.run(SAY, (id.0, memory.0)).map(|_| ()))?;
        Ok(Made::Relation(id))
    }

    fn keep_table(&mut self, table: &Table) -> Applied<Made> {
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
        self.run(SQL, (listed.id, &table.description, table.created_at.0, table.updated_at.0))?;
        Ok(Made::Nothing)
    }

    fn keep_record(&mut self, record: &Record) -> Applied<Made> {
        const ADD: &str =
            "INSERT INTO records (table_id, id, memory, created_at, updated_at, data, seq)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        const COUNT: &str = "UPDATE tables SET rows = rows + 1, last_record = max(last_record, ?2),
                updated_at = max(updated_at, ?3) WHERE id = ?1";
        Record::check_data(&record.data)?;
        record.memory.map_or(Ok(()), |memory| self.memory_is_there(memory))?;
        let not_found = || Fault::not_found("table", &record.table);
        let listed = catalogue::listed(self.conn, &record.table)?.ok_or_else(not_found)?;
        self.widen(&listed, &record.data)?;
        // An id beyond the last one was never used; any other row gets the next id.
        let after = (listed.last_record + 1).max(record.id.0.min(limits::NUMBER));
        let (created, updated) = (record.created_at.0, record.updated_at.0);
        let memory = record.memory.map(|memory| memory.0);
        let data = json::text_of_map(&record.data);
        self.run(ADD, (listed.id, after, memory, created, updated, data, self.seq.0))?;
        self.run(COUNT, (listed.id, after, updated))?;
        Ok(Made::Record(RecordId(after)))
    }

    fn keep_profile(&mut self, kept: &ProfileVersion) -> Applied<Made> {
        const SQL: &str =
            "INSERT INTO profile (version, author, origin, trust, at, reason, changed, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        const TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM profile WHERE version = ?1)";
        limits::chars("reason", kept.reason.as_deref().unwrap_or(""), limits::REASON_CHARS)?;
        limits::json("profile", &kept.data, limits::PROFILE_BYTES)?;
        let number = self.number_if_free(TAKEN, kept.version.into())?;
        let number =
            number.ok_or_else(|| Fault::invalid(format!("version {} exists", kept.version)))?;
        let from = &kept.provenance;
        let author = self.ledger.author(self.conn, &from.author)?;
        let (origin, changed) = (codes::of_origin(from.origin), json::text_of_list(&kept.changed));
        let data = json::text_of_map(&kept.data);
        self.run(
            SQL,
            (number, author, origin, from.trust.0, from.at.0, &kept.reason, changed, data),
        )?;
        Ok(Made::Profile(kept.version))
    }

    fn keep_handoff(&mut self, kept: &Handoff) -> Applied<Made> {
        const TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM handoffs WHERE id = ?1)";
        const ADD: &str = "INSERT INTO handoffs (id, state, claim_by, claim_since, claim_until, \
                claim_notes,
                created_by, created_at, updated_at, title, project, cwd, harness, source_ref, \
                tags, document)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
        as_new(kept).check()?;
        let claim = kept.claim.as_ref();
        claim.map_or(Ok(()), |claim| super::handoff::check_notes(&claim.notes))?;
        let id = self.number_if_free(TAKEN, kept.id.0)?;
        self.run(
            ADD,
            params![
                id,
                kept.state.name(),
                claim.map(|claim| claim.by.as_str()),
                claim.map(|claim| claim.since.0),
                claim.map(|claim| claim.until.0),
                claim.and_then(|claim| super::handoff::notes_text(&claim.notes)),
                kept.created_by.as_str(),
                kept.created_at.0,
                kept.updated_at.0,
                kept.title,
                kept.project,
                kept.cwd,
                kept.harness,
                kept.source_ref,
                json::of_list(&kept.tags),
                kept.document
            ],
        )?;
        Ok(Made::Handoff(HandoffId(self.inserted())))
    }

    fn keep_review(&mut self, item: &ReviewItem) -> Applied<Made> {
        const TAKEN: &str =
            "SELECT ?1 <= coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'reviews'), 0)";
        const ADD: &str =
            "INSERT INTO reviews (id, kind, subject, against, raised_by, raised_at, resolution,
                resolved_by, resolved_at, reason, details)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        limits::chars("reason", &item.reason, limits::REASON_CHARS)?;
        limits::json("details", &item.details, limits::METADATA_BYTES)?;
        let mut sides = item.subject.iter().chain(&item.against);
        sides.try_for_each(|memory| self.memory_is_there(*memory))?;
        let id = self.number_if_free(TAKEN, item.id.0)?;
        let (resolution, by, at) = match &item.state {
            ReviewState::Open => (None, None, None),
            ReviewState::Resolved { resolution, by, at } => {
                (Some(resolution.name()), Some(by.as_str()), Some(at.0))
            }
        };
        let (subject, against) =
            (item.subject.map(|memory| memory.0), item.against.map(|memory| memory.0));
        let (raised_by, raised_at) = (item.raised_by.as_str(), item.raised_at.0);
        let (kind, details) = (item.kind.name(), json::of_map(&item.details));
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
        self.run(ADD, values)?;
        Ok(Made::Review(ReviewId(self.inserted())))
    }
}

fn as_new(kept: &Handoff) -> NewHandoff {
    NewHandoff {
        title: kept.title.clone(),
        document: kept.document.clone(),
        project: kept.project.clone(),
        cwd: kept.cwd.clone(),
        harness: kept.harness.clone(),
        source_ref: kept.source_ref.clone(),
        tags: kept.tags.clone(),
    }
}
