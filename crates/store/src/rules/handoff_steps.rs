//! Steps of a handoff: the rules that decide who may take one, and the notes of a claim.

use crate::HandoffStep;
use model::{AgentName, Claim, ConnectionId, Handoff, HandoffState, Moment};

/// Rule that decides what a caller may do with a claim.
type HoldRule = fn(&Claim, &AgentName, Option<&ConnectionId>) -> bool;

/// Relation of the caller to the claim on a handoff.
#[derive(Debug, Clone, Copy)]
pub struct CallerHold {
    /// True when the caller holds the claim.
    pub holds: bool,
    may_end: bool,
}

impl CallerHold {
    /// Compares the caller with the claim on a handoff.
    #[must_use]
    pub fn new(handoff: &Handoff, agent: &AgentName, connection: Option<&ConnectionId>) -> Self {
        let may = |allowed: HoldRule| {
            handoff.claim.as_ref().is_some_and(|claim| allowed(claim, agent, connection))
        };
        Self { holds: may(Claim::is_held_by), may_end: may(Claim::may_be_ended_by) }
    }

    /// Returns true when a step is allowed at this moment.
    #[must_use]
    pub fn allows(self, step: &HandoffStep, handoff: &Handoff, at: Moment) -> bool {
        let claimed = handoff.state == HandoffState::Claimed;
        let unfinished = claimed || handoff.state == HandoffState::Open;
        match step {
            HandoffStep::Claim { .. } => handoff.is_free(at) || (claimed && self.holds),
            HandoffStep::Release { anyone } => claimed && (self.may_end || *anyone),
            HandoffStep::Complete { anyone } => {
                unfinished && ((claimed && self.may_end) || *anyone)
            }
            HandoffStep::Cancel { anyone } => {
                unfinished && (self.may_end || *anyone || handoff.is_free(at))
            }
            HandoffStep::Reopen => !unfinished,
        }
    }
}

/// Returns the notes of a claim: those given, those of the claim that it renews, and the connection
/// of the claimant.
#[must_use]
pub fn merged_notes(
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
