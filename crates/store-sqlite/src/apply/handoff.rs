//! Handoffs: writing them and taking their steps. The rules of each step are checked under the
//! write lock, so that exactly one of many racing claims wins.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::{json, read};
use model::{Claim, ConnectionId, HandoffId, HandoffState, Moment, NewHandoff};
use rusqlite::params;
use store::rules::checks;
use store::rules::handoff_steps::{CallerHold, merged_notes};
use store::{ChangeResult, Conflict, HandoffStep, WriteError};

impl BatchContext<'_, '_> {
    pub(super) fn store_handoff(&mut self, new: &NewHandoff) -> ApplyResult<ChangeResult> {
        const SQL: &str =
            "INSERT INTO handoffs (state, created_by, created_at, updated_at, title, project, cwd,
                harness, source_ref, tags, document) \
                VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        new.check()?;
        self.execute(
            SQL,
            params![
                HandoffState::Open.name(),
                self.agent.as_str(),
                self.at.0,
                new.title,
                new.project,
                new.cwd,
                new.harness,
                new.source_ref,
                json::list_or_null(&new.tags),
                new.document
            ],
        )?;
        Ok(ChangeResult::Handoff(HandoffId(self.last_inserted_id())))
    }

    pub(super) fn move_handoff(
        &mut self,
        id: HandoffId,
        step: &HandoffStep,
        connection: Option<&ConnectionId>,
    ) -> ApplyResult<ChangeResult> {
        let handoff = read::handoff::by_id(self.conn, id)?
            .ok_or_else(|| ApplyError::not_found("handoff", id))?;
        let hold = CallerHold::new(&handoff, self.agent, connection);
        if !hold.allows(step, &handoff, self.at) {
            // Carries the current state, so that the loser of a race learns who holds the handoff.
            return Err(WriteError::Conflict(Conflict::Handoff(Box::new(handoff))).into());
        }
        match step {
            HandoffStep::Claim { until, notes } => {
                let earlier = handoff.claim.as_ref().filter(|_| hold.holds);
                self.claim(id, earlier, *until, &merged_notes(earlier, notes, connection))?;
            }
            HandoffStep::Release { .. } | HandoffStep::Reopen => {
                self.clear_claim(id, HandoffState::Open)?
            }
            HandoffStep::Complete { .. } => self.clear_claim(id, HandoffState::Completed)?,
            HandoffStep::Cancel { .. } => self.clear_claim(id, HandoffState::Cancelled)?,
        }
        Ok(ChangeResult::Done)
    }

    fn claim(
        &self,
        id: HandoffId,
        renewed: Option<&Claim>,
        until: Moment,
        notes: &[(String, String)],
    ) -> ApplyResult<()> {
        const SQL: &str =
            "UPDATE handoffs SET state = ?2, claim_by = ?3, claim_since = ?4, claim_until = ?5,
                           claim_notes = ?6, updated_at = ?7 WHERE id = ?1";
        checks::check_notes(notes)?;
        // A renewed claim keeps the time at which it began.
        let since = renewed.map_or(self.at, |claim| claim.since);
        let state = HandoffState::Claimed.name();
        let agent = self.agent.as_str();
        self.execute(
            SQL,
            (id.0, state, agent, since.0, until.0, json::notes_text(notes), self.at.0),
        )?;
        Ok(())
    }

    /// Moves a handoff to a state in which nobody holds it.
    fn clear_claim(&self, id: HandoffId, state: HandoffState) -> ApplyResult<()> {
        const SQL: &str = "UPDATE handoffs SET state = ?2, claim_by = NULL, claim_since = NULL, \
                           claim_until = NULL,
                           claim_notes = NULL, updated_at = ?3 WHERE id = ?1";
        self.execute(SQL, (id.0, state.name(), self.at.0))?;
        Ok(())
    }
}
