//! Handoffs: writing them and taking their steps. The rules of each step are checked under the
//! write lock, so that exactly one of many racing claims wins.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::{json, read};
use model::{
    AgentName, Claim, ConnectionId, Handoff, HandoffId, HandoffState, Moment, NewHandoff, limits,
};
use rusqlite::params;
use serde_json::Value;
use store::{ChangeResult, Conflict, HandoffStep, WriteError};

/// Maximum number of notes of a claim.
const NOTES_MAX: usize = 32;

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
        let may = |allowed: HoldRule| {
            handoff.claim.as_ref().is_some_and(|claim| allowed(claim, self.agent, connection))
        };
        let hold =
            CallerHold { holds: may(Claim::is_held_by), may_end: may(Claim::may_be_ended_by) };
        if !is_allowed(&handoff, step, hold, self.at) {
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
        check_notes(notes)?;
        // A renewed claim keeps the time at which it began.
        let since = renewed.map_or(self.at, |claim| claim.since);
        let state = HandoffState::Claimed.name();
        let agent = self.agent.as_str();
        self.execute(SQL, (id.0, state, agent, since.0, until.0, notes_text(notes), self.at.0))?;
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

/// Rule that decides what a caller may do with a claim.
type HoldRule = fn(&Claim, &AgentName, Option<&ConnectionId>) -> bool;

/// Relation of the caller to the claim on a handoff.
#[derive(Clone, Copy)]
struct CallerHold {
    holds: bool,
    may_end: bool,
}

/// Returns true when a step is allowed at this moment.
fn is_allowed(handoff: &Handoff, step: &HandoffStep, hold: CallerHold, at: Moment) -> bool {
    let claimed = handoff.state == HandoffState::Claimed;
    let unfinished = claimed || handoff.state == HandoffState::Open;
    match step {
        HandoffStep::Claim { .. } => handoff.is_free(at) || (claimed && hold.holds),
        HandoffStep::Release { anyone } => claimed && (hold.may_end || *anyone),
        HandoffStep::Complete { anyone } => unfinished && ((claimed && hold.may_end) || *anyone),
        HandoffStep::Cancel { anyone } => {
            unfinished && (hold.may_end || *anyone || handoff.is_free(at))
        }
        HandoffStep::Reopen => !unfinished,
    }
}

/// Returns the notes of a claim: those given, those of the claim that it renews, and the connection
/// of the claimant.
fn merged_notes(
    renewed: Option<&Claim>,
    given: &[(String, String)],
    connection: Option<&ConnectionId>,
) -> Vec<(String, String)> {
    let mut notes = given.to_vec();
    notes.retain(|(name, _)| name != Claim::CONNECTION_NOTE);
    for (name, text) in renewed.into_iter().flat_map(Claim::details) {
        if notes.iter().all(|(known, _)| known != name) {
            notes.push((name.to_owned(), text.to_owned()));
        }
    }
    let connection = connection.map(|connection| connection.as_str().to_owned());
    notes.extend(connection.map(|connection| (Claim::CONNECTION_NOTE.to_owned(), connection)));
    notes
}

pub(super) fn check_notes(notes: &[(String, String)]) -> Result<(), model::Failure> {
    limits::count("notes", notes.len(), NOTES_MAX)?;
    notes.iter().try_for_each(|(name, text)| {
        limits::chars("note", name, limits::NAME_CHARS)?;
        limits::chars("note", text, limits::REASON_CHARS)
    })
}

pub(super) fn notes_text(notes: &[(String, String)]) -> Option<String> {
    let pair = |(name, text): &(String, String)| Value::from(vec![name.as_str(), text.as_str()]);
    (!notes.is_empty()).then(|| Value::from(notes.iter().map(pair).collect::<Vec<_>>()).to_string())
}
