//! One call of a tool, kept apart from the connection: it can be cancelled, and if it panics, it alone ends.

use crate::arguments;
use crate::identity::only_repeats;
use crate::turnstile::{Turnstile, class_of};
use crate::way_back::WayBack;
use dialects::{Dialect, Tool};
use engine::{Caller, Engine, estimate_tokens};
use model::{ErrorCode, Failure, JsonMap};
use serde_json::Value;
use std::sync::Arc;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// What belongs to a request beside its call.
pub(crate) struct Asked<'r> {
    /// Whether the client gave it up.
    pub cancelled: &'r CancellationToken,
    /// Where to say what does not belong into the answer, if the way back can carry it.
    pub way_back: Option<&'r WayBack>,
}

/// Runs calls against one dialect.
pub(crate) struct Calls {
    engine: Arc<Engine>,
    dialect: Arc<dyn Dialect>,
    turnstile: Arc<Turnstile>,
}

impl Calls {
    pub fn new(engine: Arc<Engine>, dialect: Arc<dyn Dialect>, turnstile: Arc<Turnstile>) -> Self {
        Self { engine, dialect, turnstile }
    }

    /// Runs a call to its end, or until it is cancelled. One that fails is told in the audit log like any other.
    pub async fn run(
        &self,
        caller: Caller,
        tool: &Tool,
        arguments: JsonMap,
        asked: &Asked<'_>,
    ) -> Result<Value, Failure> {
        let told = arguments.clone();
        let running = self.run_checked(caller.clone(), tool, arguments, asked.way_back);
        let answer = asked
            .cancelled
            .run_until_cancelled(running)
            .await
            .unwrap_or_else(|| Err(Failure::new(ErrorCode::Cancelled, "the client gave this call up")));
        match &answer {
            Ok(given) => self.engine.note_served(&caller, estimate_tokens(&given.to_string())),
            Err(failure) => self.engine.note_failed(&caller, &told, failure).await,
        }
        answer.map_err(|failure| match asked.way_back {
            Some(way_back) => way_back.pass(failure),
            None => failure,
        })
    }

    async fn run_checked(
        &self,
        caller: Caller,
        tool: &Tool,
        arguments: JsonMap,
        way_back: Option<&WayBack>,
    ) -> Result<Value, Failure> {
        only_repeats(&caller, &arguments)?;
        let class = class_of(tool, &arguments);
        let _turn = self.turnstile.enter(&caller, class, self.engine.now()).await.inspect_err(|held| {
            if let Some(way_back) = way_back {
                way_back.tell_seconds(held.seconds());
            }
        })?;
        self.run_in_turn(caller, arguments::checked(&tool.input, arguments)?).await
    }

    async fn run_in_turn(&self, caller: Caller, arguments: JsonMap) -> Result<Value, Failure> {
        let (engine, dialect) = (Arc::clone(&self.engine), Arc::clone(&self.dialect));
        let tool = caller.author.tool.clone();
        // A task of its own, because a panic ends the task it happens in. It ends with us when we are dropped.
        let call = tokio::spawn({
            let tool = tool.clone();
            async move { dialect.call(&engine, &caller, &tool, arguments).await }
        });
        AbortOnDropHandle::new(call).await.unwrap_or_else(|fault| Err(broken_off(&tool, &fault)))
    }
}

/// What the caller learns of a panic: that it happened, and under which number the log tells more.
fn broken_off(tool: &str, fault: &JoinError) -> Failure {
    let incident = fault.id();
    tracing::error!(tool, %incident, panicked = fault.is_panic(), "a call broke off");
    Failure::new(ErrorCode::Internal, format!("`{tool}` broke off by a fault of ours (incident {incident})"))
}
