//! Sessions: started, resumed by id or key, and ended.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::{json, read};
use model::{MemoryId, NewSession, Session, SessionId, limits, merge_patch};
use rusqlite::params;
use store::{ChangeResult, Ref};

impl BatchContext<'_, '_> {
    pub(super) fn start_session(&mut self, new: &NewSession) -> ApplyResult<ChangeResult> {
        new.check()?;
        let by_number = new.id.map_or(Ok(None), |id| read::session::by_id(self.conn, id))?;
        let by_key =
            new.key.as_deref().map_or(Ok(None), |key| read::session::by_key(self.conn, key))?;
        let session = match (by_number, by_key) {
            (Some(numbered), Some(keyed)) if numbered.id != keyed.id => {
                let message =
                    format!("session {} cannot have the key of session {}", numbered.id, keyed.id);
                return Err(ApplyError::invalid(message));
            }
            (Some(known), _) | (None, Some(known)) => self.resume_session(&known, new)?,
            (None, None) => self.insert_session(new)?,
        };
        Ok(ChangeResult::Session(session))
    }

    pub(super) fn end_session(
        &mut self,
        session: Ref<SessionId>,
        episode: Option<Ref<MemoryId>>,
    ) -> ApplyResult<ChangeResult> {
        const SQL: &str =
            "UPDATE sessions SET ended_at = ?2, episode = coalesce(?3, episode) WHERE id = ?1";
        let session = self.resolve_session(session)?;
        let episode = episode.map(|memory| self.resolve_memory(memory)).transpose()?;
        episode.map_or(Ok(()), |memory| self.require_memory(memory))?;
        if self.execute(SQL, (session.0, self.at.0, episode.map(|memory| memory.0)))? == 0 {
            return Err(ApplyError::not_found("session", session));
        }
        Ok(ChangeResult::Done)
    }

    fn insert_session(&self, new: &NewSession) -> ApplyResult<SessionId> {
        const SQL: &str = "INSERT INTO sessions (id, key, project, agent, metadata, started_at)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let (id, metadata) = (new.id.map(|id| id.0), json::map_or_null(&new.metadata));
        self.execute(
            SQL,
            params![id, new.key, new.project, self.agent.as_str(), metadata, self.at.0],
        )?;
        Ok(SessionId(self.last_inserted_id()))
    }

    /// Resumes a session: new fields are merged into the known ones.
    fn resume_session(&self, known: &Session, new: &NewSession) -> ApplyResult<SessionId> {
        const SQL: &str = "UPDATE sessions SET ended_at = NULL, key = coalesce(key, ?2),
                           project = coalesce(?3, project), metadata = ?4 WHERE id = ?1";
        let metadata = merge_patch(&known.metadata, &new.metadata);
        limits::json("metadata", &metadata, limits::METADATA_BYTES)?;
        self.execute(SQL, (known.id.0, &new.key, &new.project, json::map_or_null(&metadata)))?;
        Ok(known.id)
    }
}
