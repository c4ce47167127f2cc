//! Handoffs: writing them and taking their steps. The rules of each step are checked under the
//! write lock, so that exactly one of many racing claims wins.

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use crate::read;
use crate::sql_value::params;
use model::{Claim, ConnectionId, HandoffId, HandoffState, Moment, NewHandoff};
use store::rules::handoff_steps::{CallerHold, merged_notes};
use store::rules::{checks, encoding};
use store::{ChangeResult, Conflict, HandoffStep, WriteError};

impl BatchTransaction<'_> {
    pub(super) fn store_handoff(&mut self, new: &NewHandoff) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "INSERT INTO handoffs (owner, id, state, created_by, created_at,
                updated_at, title, project, cwd, harness, source_ref, tags, document)
             VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11, $12)";
        new.check()?;
        let id = self.counters.numbers().next(NumberedItem::Handoff);
        self.send(
            SQL,
            params![
                id,
                HandoffState::Open.name(),
                self.agent.as_str(),
                self.at.0,
                &new.title,
                &new.project,
                &new.cwd,
                &new.harness,
                &new.source_ref,
                encoding::list_or_null(&new.tags),
                &new.document
            ],
        )?;
        Ok(ChangeResult::Handoff(HandoffId(id)))
    }

    pub(super) fn move_handoff(
        &mut self,
        id: HandoffId,
        step: &HandoffStep,
        connection: Option<&ConnectionId>,
    ) -> ApplyOutcome<ChangeResult> {
        let handoff = read::handoff::by_id(self.conn, id)?
            .ok_or_else(|| ChangeError::not_found("handoff", id))?;
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
    ) -> ApplyOutcome<()> {
        const SQL: &str =
            "UPDATE handoffs SET state = $3, claim_by = $4, claim_since = $5, claim_until = $6,
                           claim_notes = $7, updated_at = $8 WHERE owner = $1 AND id = $2";
        checks::check_notes(notes)?;
        // A renewed claim keeps the time at which it began.
        let since = renewed.map_or(self.at, |claim| claim.since);
        let state = HandoffState::Claimed.name();
        let agent = self.agent.as_str();
        self.send(
            SQL,
            (id.0, state, agent, since.0, until.0, encoding::notes_text(notes), self.at.0),
        )?;
        Ok(())
    }

    /// Moves a handoff to a state in which nobody holds it.
    fn clear_claim(&self, id: HandoffId, state: HandoffState) -> ApplyOutcome<()> {
        const SQL: &str = "UPDATE handoffs SET state = $3, claim_by = NULL, claim_since = NULL, \
                           claim_until = NULL,
                           claim_notes = NULL, updated_at = $4 WHERE owner = $1 AND id = $2";
        self.send(SQL, (id.0, state.name(), self.at.0))?;
        Ok(())
    }
}
