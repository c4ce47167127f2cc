//! Delivery of captured turns from the spool into the memory. A turn is removed from the spool only
//! after the memory has it, or refuses it for good; its id makes a second delivery harmless.

use client_hooks::{CapturedTurn, SpoolEntry, TurnSpool};
use engine::transcripts::RecordTurnRequest;
use engine::{Caller, Engine};
use model::{AgentName, Dialect, ErrorCode, Failure, JsonMap, Moment, OwnerId, limits};
use std::collections::HashSet;

/// Delivers turns of one owner.
#[derive(Debug, Clone)]
pub struct TurnDelivery {
    pub owner: OwnerId,
    /// Days for which turns are kept.
    pub transcript_days: u32,
}

impl TurnDelivery {
    /// Delivers what waits in a spool, at most so many turns. Returns the number of turns that left
    /// the spool; stops at the first one that has to wait.
    pub async fn deliver(&self, engine: &Engine, spool: &TurnSpool, turns_max: usize) -> usize {
        let mut delivered = 0;
        for entry in spool.entries().into_iter().take(turns_max) {
            match self.deliver_entry(engine, &entry).await {
                Ok(()) => {}
                Err(failure) if is_final(&failure) => {
                    tracing::warn!(code = failure.code.name(), "dropped a captured turn");
                }
                Err(failure) => {
                    tracing::warn!(%failure, "captured turns wait for their delivery");
                    break;
                }
            }
            if let Err(error) = entry.remove() {
                tracing::warn!(%error, "cannot remove a delivered turn");
                break;
            }
            delivered += 1;
        }
        delivered
    }

    async fn deliver_entry(&self, engine: &Engine, entry: &SpoolEntry) -> Result<(), Failure> {
        let turn = &entry.turn;
        // Keys of repeated writes are kept for a month only.
        let age = engine.now().days_since(Moment(turn.at));
        if age > (limits::IDEMPOTENCY_DAYS / 2) as f64
            && self.recorded(engine, turn).await?.contains(&turn.id)
        {
            return Ok(());
        }
        self.record(engine, turn).await
    }

    /// Returns the ids of the turns that are stored of a turn's session.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub async fn recorded(
        &self,
        engine: &Engine,
        turn: &CapturedTurn,
    ) -> Result<HashSet<String>, Failure> {
        engine.sessions().recorded_turns(&self.caller(turn), &turn.source.session).await
    }

    /// Stores a turn.
    ///
    /// # Errors
    /// Fails when it is refused, or the store cannot write.
    pub async fn record(&self, engine: &Engine, turn: &CapturedTurn) -> Result<(), Failure> {
        let mut metadata = JsonMap::new();
        if let Some(branch) = &turn.source.branch {
            metadata.insert("branch".into(), branch.as_str().into());
        }
        if turn.cut {
            metadata.insert("cut".into(), true.into());
        }
        let request = RecordTurnRequest {
            turn: turn.id.clone(),
            session: turn.source.session.clone(),
            speaker: turn.speaker.name().to_owned(),
            text: turn.text.clone(),
            at: Some(Moment(turn.at)),
            expires: Some(Moment(turn.at).plus_days(i64::from(self.transcript_days))),
            metadata,
        };
        engine.sessions().record_turn(&self.caller(turn), &request).await.map(drop)
    }

    /// Returns the client as the caller: it was there, and its grants count.
    fn caller(&self, turn: &CapturedTurn) -> Caller {
        let agent = AgentName::new(&turn.source.client);
        let mut caller =
            Caller::agent(self.owner.clone(), agent, Dialect::CommandLine).with_tool("hook");
        caller.environment.project.clone_from(&turn.source.project);
        caller
    }
}

/// Returns true if a turn will be refused every time.
fn is_final(failure: &Failure) -> bool {
    use ErrorCode as Code;
    matches!(
        failure.code,
        Code::Forgotten
            | Code::InvalidArgument
            | Code::LimitExceeded
            | Code::NotFound
            | Code::Forbidden
            | Code::ConsentRequired
            | Code::SecretRefused
            | Code::IdempotencyMismatch
    )
}
