//! One call of a tool, kept apart from the connection: it can be cancelled, and if it panics, it
//! alone ends.

use crate::arguments;
use crate::identity::only_repeats;
use crate::turnstile::{Turnstile, class_of};
use crate::way_back::WayBack;
use dialects::{Dialect, Tool};
use engine::{Caller, Engine, estimate_tokens};
use futures_util::FutureExt;
use model::{ErrorCode, Failure, JsonMap};
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_util::sync::CancellationToken;

/// What belongs to a request beside its call.
pub(crate) struct Asked<'r> {
    /// Whether the client gave it up.
    pub cancelled: &'r CancellationToken,
    /// Where to say what does not belong into the answer, if the way back can carry it.
    pub way_back: Option<&'r WayBack>,
}

/// What a call gave, as structure and as the text that a model reads. Rendered once: it is what the
/// answer carries and what the agent is counted for.
#[derive(Debug, PartialEq)]
pub(crate) struct Given {
    /// The structure.
    pub value: Value,
    /// The dialect's words where it has any, else the structure in one line.
    pub text: String,
}

impl Given {
    /// The answer of a tool.
    pub fn by(dialect: &dyn Dialect, tool: &str, value: Value) -> Self {
        let text = dialect.in_words(tool, &value).unwrap_or_else(|| in_one_line(&value));
        Self { value, text }
    }
}

/// Runs calls against one dialect.
pub(crate) struct Calls {
    engine: Arc<Engine>,
    dialect: Arc<dyn Dialect>,
    turnstile: Arc<Turnstile>,
    incidents: AtomicU64,
}

impl Calls {
    pub fn new(engine: Arc<Engine>, dialect: Arc<dyn Dialect>, turnstile: Arc<Turnstile>) -> Self {
        Self { engine, dialect, turnstile, incidents: AtomicU64::new(1) }
    }

    /// Runs a call to its end, or until it is cancelled. One that fails is told in the audit log
    /// like any other.
    pub async fn run(
        &self,
        caller: Caller,
        tool: &Tool,
        arguments: JsonMap,
        asked: &Asked<'_>,
    ) -> Result<Given, Failure> {
        let told = arguments.clone();
        let running = self.run_checked(&caller, tool, arguments, asked.way_back);
        let answer = asked
            .cancelled
            .run_until_cancelled(running)
            .await
            .unwrap_or_else(|| {
                Err(Failure::new(ErrorCode::Cancelled, "the client gave this call up"))
            })
            .map(|value| Given::by(&*self.dialect, tool.name, value));
        match &answer {
            Ok(given) => self.engine.admin().note_served(&caller, estimate_tokens(&given.text)),
            Err(failure) => self.engine.note_failed(&caller, &told, failure).await,
        }
        answer.map_err(|failure| match asked.way_back {
            Some(way_back) => way_back.pass(failure),
            None => failure,
        })
    }

    async fn run_checked(
        &self,
        caller: &Caller,
        tool: &Tool,
        arguments: JsonMap,
        way_back: Option<&WayBack>,
    ) -> Result<Value, Failure> {
        only_repeats(caller, &arguments)?;
        let class = class_of(tool, &arguments);
        let _turn =
            self.turnstile.enter(caller, class, self.engine.now()).await.inspect_err(|held| {
                if let Some(way_back) = way_back {
                    way_back.tell_seconds(held.seconds());
                }
            })?;
        self.run_in_turn(caller, arguments::checked(&tool.input, arguments)?).await
    }

    /// A panic ends this call and nothing else: everything that calls share can be used after one.
    async fn run_in_turn(&self, caller: &Caller, arguments: JsonMap) -> Result<Value, Failure> {
        let tool = &caller.author.tool;
        let call = self.dialect.call(&self.engine, caller, tool, arguments);
        AssertUnwindSafe(call).catch_unwind().await.unwrap_or_else(|_| Err(self.broken_off(tool)))
    }

    /// What the caller learns of a panic: that it happened, and under which number the log tells
    /// more.
    fn broken_off(&self, tool: &str) -> Failure {
        let incident = self.incidents.fetch_add(1, Ordering::Relaxed);
        tracing::error!(tool, incident, "a call broke off");
        let message = format!("`{tool}` broke off by a fault of ours (incident {incident})");
        Failure::new(ErrorCode::Internal, message)
    }
}

/// Straight to memory; `to_string` would go through a formatter piece by piece.
#[expect(clippy::expect_used, reason = "every JSON value can be written, and memory takes it")]
fn in_one_line(value: &Value) -> String {
    serde_json::to_string(value).expect("a JSON value")
}
