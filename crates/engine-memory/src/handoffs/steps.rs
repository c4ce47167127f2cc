//! State changes of a stored handoff. The store decides who was first; a refusal states the current
//! state, so that the caller knows whom to ask or what to wait for.

use super::{HandoffOutcome, handoff_by_id};
use crate::Handoffs;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Claim, ErrorCode, Failure, Handoff, HandoffId, HandoffState, Permission, limits};
use store::{Change, HandoffStep};

/// Default length of a claim: 4 hours.
pub const CLAIM_SECONDS: u32 = 4 * 3600;
/// Longest claim: 7 days.
pub const CLAIM_SECONDS_MAX: u32 = 7 * 24 * 3600;
/// Largest number of notes on a claim.
const NOTES_MAX: usize = 16;

/// Input of [`Handoffs::claim`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimHandoffRequest {
    pub handoff: HandoffId,
    /// [`CLAIM_SECONDS`] when missing, at most [`CLAIM_SECONDS_MAX`].
    pub seconds: Option<u32>,
    /// Makes the claim one that does not end by itself; `seconds` has no effect then.
    pub without_end: bool,
    /// Notes of the claimant: harness, directory, run.
    pub notes: Vec<(String, String)>,
}

impl ClaimHandoffRequest {
    /// Creates a claim of the default length.
    #[must_use]
    pub fn new(handoff: HandoffId) -> Self {
        Self { handoff, seconds: None, without_end: false, notes: Vec::new() }
    }
}

impl<'e> Handoffs<'e> {
    /// Claims a handoff, or extends the caller's own claim, and returns the document.
    ///
    /// # Errors
    /// `conflict` when another agent, or another session of the same agent, holds it, with who,
    /// since when and until when; `not_found` when there is none.
    pub fn claim(
        self,
        caller: &'e Caller,
        input: &'e ClaimHandoffRequest,
    ) -> UseCaseFuture<'e, HandoffOutcome> {
        Box::pin(async move {
            let call = Call::begin(self.core, caller, Resource::Handoffs, Permission::Write, input)
                .await?;
            let seconds = input.seconds.unwrap_or(CLAIM_SECONDS);
            limits::range("claim seconds", f64::from(seconds), 1.0, f64::from(CLAIM_SECONDS_MAX))?;
            check_notes(&input.notes)?;
            let until = if input.without_end {
                Claim::NO_END
            } else {
                call.at.plus_seconds(i64::from(seconds))
            };
            let claim = HandoffStep::Claim { until, notes: input.notes.clone() };
            let handoff = step(&call, input.handoff, claim).await?;
            Ok(HandoffOutcome { handoff, notes: call.notes() })
        })
    }

    /// Releases a handoff.
    ///
    /// # Errors
    /// `conflict` when the caller does not hold it and is not the owner in person.
    pub fn release(self, caller: &'e Caller, id: HandoffId) -> UseCaseFuture<'e, Handoff> {
        // An agent may have died with its claim, so the owner may release any.
        self.take_step(caller, id, "release", HandoffStep::Release { anyone: caller.in_person })
    }

    /// Marks a handoff as completed.
    ///
    /// # Errors
    /// `conflict` when the caller does not hold it and is not the owner in person.
    pub fn complete(self, caller: &'e Caller, id: HandoffId) -> UseCaseFuture<'e, Handoff> {
        self.take_step(caller, id, "complete", HandoffStep::Complete { anyone: caller.in_person })
    }

    /// Cancels a handoff.
    ///
    /// # Errors
    /// `conflict` while another agent holds it and the caller is not the owner in person.
    pub fn cancel(self, caller: &'e Caller, id: HandoffId) -> UseCaseFuture<'e, Handoff> {
        self.take_step(caller, id, "cancel", HandoffStep::Cancel { anyone: caller.in_person })
    }

    /// Reopens a completed or cancelled handoff.
    ///
    /// # Errors
    /// `conflict` when it is open or claimed.
    pub fn reopen(self, caller: &'e Caller, id: HandoffId) -> UseCaseFuture<'e, Handoff> {
        self.take_step(caller, id, "reopen", HandoffStep::Reopen)
    }

    fn take_step(
        self,
        caller: &'e Caller,
        id: HandoffId,
        name: &'static str,
        next: HandoffStep,
    ) -> UseCaseFuture<'e, Handoff> {
        Box::pin(async move {
            let input = (name, id);
            let call =
                Call::begin(self.core, caller, Resource::Handoffs, Permission::Write, &input)
                    .await?;
            step(&call, id, next).await
        })
    }
}

fn check_notes(notes: &[(String, String)]) -> Result<(), Failure> {
    limits::count("notes", notes.len(), NOTES_MAX)?;
    for (name, text) in notes {
        limits::chars("a note's name", name, limits::NAME_CHARS)?;
        limits::chars(name, text, limits::REASON_CHARS)?;
    }
    Ok(())
}

async fn step(call: &Call<'_>, id: HandoffId, step: HandoffStep) -> Result<Handoff, Failure> {
    let wanted = name(&step);
    let connection = call.caller.connection.clone();
    let change = Change::MoveHandoff { handoff: id, step, connection };
    match call.write(format!("{wanted} handoff {id}"), vec![change]).await {
        Ok(_) => handoff_by_id(call, id).await,
        // Read again for the message: the state that refused the step may be another agent's doing.
        Err(refused) if refused.code == ErrorCode::Conflict => {
            Err(refusal_for_state(call, id, wanted).await?)
        }
        // Fails again, with a message that says how to find the right id.
        Err(refused) if refused.code == ErrorCode::NotFound => handoff_by_id(call, id).await,
        Err(failure) => Err(failure),
    }
}

fn name(step: &HandoffStep) -> &'static str {
    match step {
        HandoffStep::Claim { .. } => "claim",
        HandoffStep::Release { .. } => "release",
        HandoffStep::Complete { .. } => "complete",
        HandoffStep::Cancel { .. } => "cancel",
        HandoffStep::Reopen => "reopen",
    }
}

/// Explains a refused step by the current state of the handoff.
async fn refusal_for_state(
    call: &Call<'_>,
    id: HandoffId,
    wanted: &str,
) -> Result<Failure, Failure> {
    let handoff = handoff_by_id(call, id).await?;
    let holder = handoff.claim.as_ref().filter(|claim| !claim.has_ended(call.at));
    let state = match (handoff.state, &handoff.claim) {
        (HandoffState::Claimed, Some(claim)) if !claim.has_ended(call.at) => {
            describe_holder(call, claim, id)
        }
        (HandoffState::Open | HandoffState::Claimed, _) => {
            "nobody holds it; claim it first".to_owned()
        }
        (done, _) => {
            format!("it has been {} since {}; reopen it first", done.name(), handoff.updated_at)
        }
    };
    let failure =
        Failure::new(ErrorCode::Conflict, format!("cannot {wanted} handoff {id}: {state}"));
    Ok(match holder {
        Some(claim) => with_claim_details(failure, claim),
        None => failure,
    })
}

/// Describes who holds a handoff, since when, and how it becomes free.
fn describe_holder(call: &Call<'_>, claim: &Claim, id: HandoffId) -> String {
    let (by, since) = (&claim.by, claim.since);
    // The caller bears the same name and would take it for its own claim.
    let by = if *by == call.caller.author.agent {
        format!("another session of {by}")
    } else {
        by.to_string()
    };
    let details: Vec<String> =
        claim.details().map(|(name, text)| format!("{name} {text}")).collect();
    let details =
        if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
    match claim.end() {
        Some(end) => format!(
            "held by {by}{details} since {since} until {end}; ask for its release, or wait until \
             then"
        ),
        None => format!(
            "held by {by}{details} since {since}; the owner releases it with \
             `quipu handoff release {id}`"
        ),
    }
}

fn with_claim_details(failure: Failure, claim: &Claim) -> Failure {
    let failure = failure
        .with_detail("claimed_by", claim.by.as_str())
        .with_detail("claimed_at", claim.since.to_string());
    let failure = match claim.end() {
        Some(end) => failure.with_detail("claimed_until", end.to_string()),
        None => failure,
    };
    claim.details().fold(failure, |failure, (name, text)| {
        failure.with_detail(&format!("claiming_{name}"), text)
    })
}
