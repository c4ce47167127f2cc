//! Sessions: started, resumed by id or key, and ended.

use super::{Applied, Applying};
use crate::fault::Fault;
use crate::{json, read};
use model::{MemoryId, NewSession, Session, SessionId, limits, merge_patch};
use rusqlite::params;
use store::{Made, Ref};

impl Applying<'_, '_> {
    pub(super) fn start_session(&mut self, new: &NewSession) -> Applied<Made> {
        new.check()?;
        let by_number = new.id.map_or(Ok(None), |id| read::session::by_id(self.conn, id))?;
        let by_key =
            new.key.as_deref().map_or(Ok(None), |key| read::session::by_key(self.conn, key))?;
        let session = match (by_number, by_key) {
            (Some(numbered), Some(keyed)) if numbered.id != keyed.id => {
                let message =
                    format!("session {} cannot have the key of session {}", numbered.id, keyed.id);
                return Err(Fault::invalid(message));
            }
            (Some(known), _) | (None, Some(known)) => self.resume(&known, new)?,
            (None, None) => self.begin(new)?,
        };
        Ok(Made::Session(session))
    }

    pub(super) fn end_session(
        &mut self,
        session: Ref<SessionId>,
        episode: Option<Ref<MemoryId>>,
    ) -> Applied<Made> {
        const SQL: &str =
            "UPDATE sessions SET ended_at = ?2, episode = coalesce(?3, episode) WHERE id = ?1";
        let session = self.session(session)?;
        let episode = episode.map(|memory| self.memory(memory)).transpose()?;
        episode.map_or(Ok(()), |memory| self.memory_is_there(memory))?;
        if self.run(SQL, (session.0, self.at.0, episode.map(|memory| memory.0)))? == 0 {
            return Err(Fault::not_found("session", session));
        }
        Ok(Made::Nothing)
    }

    fn begin(&self, new: &NewSession) -> Applied<SessionId> {
        const SQL: &str = "INSERT INTO sessions (id, key, project, agent, metadata, started_at)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let (id, metadata) = (new.id.map(|id| id.0), json::of_map(&new.metadata));
        self.run(SQL, params![id, new.key, new.project, self.agent.as_str(), metadata, self.at.0])?;
        Ok(SessionId(self.inserted()))
    }

    /// Resumes a session: new fields are merged into the known ones.
    fn resume(&self, known: &Session, new: &NewSession) -> Applied<SessionId> {
        const SQL: &str = "UPDATE sessions SET ended_at = NULL, key = coalesce(key, ?2),
                           project = coalesce(?3, project), metadata = ?4 WHERE id = ?1";
        let metadata = merge_patch(&known.metadata, &new.metadata);
        limits::json("metadata", &metadata, limits::METADATA_BYTES)?;
        self.run(SQL, (known.id.0, &new.key, &new.project, json::of_map(&metadata)))?;
        Ok(known.id)
    }
}
