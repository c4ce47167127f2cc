//! Handoffs of the reference model: their states, and who may move them to another.

use super::plan::PlannedHandoffStep;
use super::reference_model::{ExpectedRefusal, ExpectedResult, ModelResult, StepContext};
use model::{HandoffState, Moment};

/// A handoff of the model.
#[derive(Debug, Clone)]
pub(super) struct ModelHandoff {
    pub state: HandoffState,
    pub holder: Option<(usize, Moment)>,
}

impl ModelHandoff {
    /// Moves to another state, if the agent may.
    pub fn take_step(&mut self, way: PlannedHandoffStep, doing: StepContext) -> ModelResult {
        let mine = self.state == HandoffState::Claimed
            && self.holder.is_some_and(|(by, _)| by == doing.agent);
        let free = self.is_free(doing.now);
        let (allowed, state, holder) = match way {
            PlannedHandoffStep::Claim(seconds) => {
                let until = doing.now.plus_seconds(seconds);
                (free || mine, HandoffState::Claimed, Some((doing.agent, until)))
            }
            PlannedHandoffStep::Release { anyone } => (mine || anyone, HandoffState::Open, None),
            PlannedHandoffStep::Complete { anyone } => {
                (mine || anyone, HandoffState::Completed, self.holder)
            }
            PlannedHandoffStep::Cancel { anyone } => {
                (mine || free || anyone, HandoffState::Cancelled, self.holder)
            }
            PlannedHandoffStep::Reopen => (self.is_settled(), HandoffState::Open, None),
        };
        if !allowed {
            return Err(vec![ExpectedRefusal::Conflict]);
        }
        (self.state, self.holder) = (state, holder);
        Ok(ExpectedResult::Done)
    }

    /// Returns true when any agent may claim the handoff.
    pub(super) fn is_free(&self, now: Moment) -> bool {
        match self.state {
            HandoffState::Open => true,
            HandoffState::Claimed => self.holder.is_none_or(|(_, until)| until <= now),
            HandoffState::Completed | HandoffState::Cancelled => false,
        }
    }

    /// Returns true when the handoff is completed or cancelled.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.state, HandoffState::Completed | HandoffState::Cancelled)
    }
}
