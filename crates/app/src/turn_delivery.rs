//! Delivery of captured turns from the spool into the memory, with the statements that the user
//! made in them. A turn is removed from the spool only after the memory has both, or refuses them
//! for good; its id makes a second delivery harmless.

use crate::config::StatementMode;
use client_hooks::{CapturedTurn, Speaker, SpoolEntry, TurnSpool};
use engine::remember::{NewMemoryLink, RememberRequest, RememberStatus};
use engine::sessions::SessionRef;
use engine::transcripts::RecordTurnRequest;
use engine::{Caller, Engine, OnDuplicate};
use model::{
    AgentName, Dialect, ErrorCode, Failure, JsonMap, LinkKind, MemoryId, Moment, OwnerId, limits,
};
use statements::{UserStatement, UserStatementKind, user_statements};
use std::collections::HashSet;

/// Delivers turns of one owner.
#[derive(Debug, Clone)]
pub struct TurnDelivery {
    pub owner: OwnerId,
    /// Days for which turns are kept.
    pub transcript_days: u32,
    /// Treatment of the statements in them.
    pub statements: StatementMode,
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
        self.record(engine, turn).await.map(drop)
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

    /// Stores a turn and the statements that the user makes in it. Returns the number of statements
    /// that are new.
    ///
    /// # Errors
    /// Fails when it is refused, or the store cannot write.
    pub async fn record(&self, engine: &Engine, turn: &CapturedTurn) -> Result<usize, Failure> {
        let mut metadata = branch_metadata(turn);
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
        let source = engine.sessions().record_turn(&self.caller(turn), &request).await?;
        let mut kept = 0;
        for (number, statement) in self.statements_of(turn).iter().enumerate() {
            let done = self.keep(engine, turn, source, (number, statement)).await;
            match done {
                Ok(is_new) => kept += usize::from(is_new),
                Err(failure) if is_final(&failure) => {
                    tracing::info!(code = failure.code.name(), "did not keep a statement");
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(kept)
    }

    /// Returns the statements of a turn that are to be kept.
    pub fn statements_of(&self, turn: &CapturedTurn) -> Vec<UserStatement> {
        match (self.statements, turn.speaker) {
            (StatementMode::Off, _) | (_, Speaker::Assistant) => Vec::new(),
            _ => user_statements(&turn.text),
        }
    }

    /// Keeps a statement with its turn as the source. Returns true if it is new.
    async fn keep(
        &self,
        engine: &Engine,
        turn: &CapturedTurn,
        source: MemoryId,
        (number, statement): (usize, &UserStatement),
    ) -> Result<bool, Failure> {
        let mut caller = self.caller(turn);
        let mut metadata = branch_metadata(turn);
        if statement.is_personal {
            // It holds in every project.
            caller.environment.project = None;
            metadata.clear();
        }
        let request = RememberRequest {
            kind: Some(kind_name(statement.kind).to_owned()),
            session: Some(SessionRef::Key(turn.source.session.clone())),
            metadata,
            links: vec![NewMemoryLink { target: source, kind: LinkKind::DerivedFrom, weight: 1.0 }],
            valid_from: Some(Moment(turn.at)).filter(|at| *at <= engine.now()),
            idempotency_key: Some(format!("statement {} {number}", turn.id)),
            on_duplicate: Some(OnDuplicate::ReturnExisting),
            proposed: self.statements == StatementMode::Propose,
            only_new: true,
            ..RememberRequest::text(statement.text.clone())
        };
        let done = engine.memories().remember(&caller, &request).await?;
        Ok(done.status != RememberStatus::Duplicate)
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

fn branch_metadata(turn: &CapturedTurn) -> JsonMap {
    let branch = turn.source.branch.as_deref();
    branch.map(|branch| ("branch".to_owned(), branch.into())).into_iter().collect()
}

/// Returns the kind of the memory that a statement becomes.
fn kind_name(kind: UserStatementKind) -> &'static str {
    match kind {
        UserStatementKind::Decision => "decision",
        UserStatementKind::Correction => "correction",
        UserStatementKind::Fact => "fact",
        UserStatementKind::Preference | UserStatementKind::Rule => "preference",
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
