//! Sessions: started, resumed by id or key, and ended.

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use crate::read;
use model::{MemoryId, NewSession, Session, SessionId, limits, merge_patch};
use store::rules::encoding;
use store::{ChangeResult, Ref};

impl BatchTransaction<'_> {
    pub(super) fn start_session(&mut self, new: &NewSession) -> ApplyOutcome<ChangeResult> {
        new.check()?;
        let by_number = new.id.map_or(Ok(None), |id| read::session::by_id(self.conn, id))?;
        let by_key =
            new.key.as_deref().map_or(Ok(None), |key| read::session::by_key(self.conn, key))?;
        let session = match (by_number, by_key) {
            (Some(numbered), Some(keyed)) if numbered.id != keyed.id => {
                let message =
                    format!("session {} cannot have the key of session {}", numbered.id, keyed.id);
                return Err(ChangeError::invalid(message));
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
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str =
            "UPDATE sessions SET ended_at = $3, episode = coalesce($4, episode) WHERE owner = $1
                 AND id = $2";
        let session = self.resolve_session(session)?;
        let episode = episode.map(|memory| self.resolve_memory(memory)).transpose()?;
        episode.map_or(Ok(()), |memory| self.require_memory(memory))?;
        if self.execute(SQL, (session.0, self.at.0, episode.map(|memory| memory.0)))? == 0 {
            return Err(ChangeError::not_found("session", session));
        }
        Ok(ChangeResult::Done)
    }

    fn insert_session(&mut self, new: &NewSession) -> ApplyOutcome<SessionId> {
        const SQL: &str = "INSERT INTO sessions (owner, id, key, project, agent, metadata,
             started_at)
                           VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let id = self.counters.numbers().take(NumberedItem::Session, new.id.map(|id| id.0));
        let (agent, metadata) = (self.agent.as_str(), encoding::map_or_null(&new.metadata));
        self.send(SQL, (id, &new.key, &new.project, agent, metadata, self.at.0))?;
        Ok(SessionId(id))
    }

    /// Resumes a session: new fields are merged into the known ones.
    fn resume_session(&self, known: &Session, new: &NewSession) -> ApplyOutcome<SessionId> {
        const SQL: &str = "UPDATE sessions SET ended_at = NULL, key = coalesce(key, $3),
                           project = coalesce($4, project), metadata = $5
             WHERE owner = $1 AND id = $2";
        let metadata = merge_patch(&known.metadata, &new.metadata);
        limits::json("metadata", &metadata, limits::METADATA_BYTES)?;
        self.send(SQL, (known.id.0, &new.key, &new.project, encoding::map_or_null(&metadata)))?;
        Ok(known.id)
    }
}
