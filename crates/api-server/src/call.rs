//! Runs one call of a tool, isolated from the connection: it can be cancelled, and a panic ends
//! only this call.

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

/// Context of a request besides the call itself.
pub(crate) struct Asked<'r> {
    pub cancelled: &'r CancellationToken,
    /// Channel for what does not belong into the result, where the transport can carry it.
    pub way_back: Option<&'r WayBack>,
}

/// Result of a tool, as structure and as the text that a model reads. Rendered once, because the
/// answer carries the text and the usage log counts its tokens.
#[derive(Debug, PartialEq)]
pub(crate) struct Given {
    pub value: Value,
    /// The dialect's own wording where it has one, else the structure as compact JSON.
    pub text: String,
}

impl Given {
    /// Renders the result of a tool.
    pub fn by(dialect: &dyn Dialect, tool: &str, value: Value) -> Self {
        let text = dialect.in_words(tool, &value).unwrap_or_else(|| in_one_line(&value));
        Self { value, text }
    }
}

/// Runs the calls of one dialect.
pub(crate) struct Calls {
    engine: Arc<Engine>,
    dialect: Arc<dyn Dialect>,
    turnstile: Arc<Turnstile>,
    incidents: AtomicU64,
}

impl Calls {
    pub fn new(engine: Arc<Engine>, dialect: Arc<dyn Dialect>, admission: Arc<Turnstile>) -> Self {
        Self { engine, dialect, turnstile: admission, incidents: AtomicU64::new(1) }
    }

    /// Runs a call to its end or until it is cancelled. A failed call is recorded in the audit log
    /// too.
    pub async fn run(
        &self,
        caller: Caller,
        tool: &Tool,
        arguments: JsonMap,
        context: &Asked<'_>,
    ) -> Result<Given, Failure> {
        // The dialect consumes the arguments; the audit log needs them when the call fails.
        let noted_arguments = arguments.clone();
        let running = self.run_checked(&caller, tool, arguments, context.way_back);
        let answer = context
            .cancelled
            .run_until_cancelled(running)
            .await
            .unwrap_or_else(|| {
                Err(Failure::new(ErrorCode::Cancelled, "the client cancelled this call"))
            })
            .map(|value| Given::by(&*self.dialect, tool.name, value));
        match &answer {
            // Only what the agent actually receives counts as used tokens.
            Ok(output) => self.engine.admin().note_served(&caller, estimate_tokens(&output.text)),
            Err(failure) => self.engine.note_failed(&caller, &noted_arguments, failure).await,
        }
        answer.map_err(|failure| match context.way_back {
            Some(notes) => notes.pass(failure),
            None => failure,
        })
    }

    async fn run_checked(
        &self,
        caller: &Caller,
        tool: &Tool,
        arguments: JsonMap,
        notes: Option<&WayBack>,
    ) -> Result<Value, Failure> {
        only_repeats(caller, &arguments)?;
        // Rate limits come before the schema check, so that a flood of invalid calls is limited
        // too.
        let class = class_of(tool, &arguments);
        let _permit = self.turnstile.enter(caller, class, self.engine.now()).await.inspect_err(
            |rejected| {
                if let Some(notes) = notes {
                    notes.tell_seconds(rejected.seconds());
                }
            },
        )?;
        self.run_in_turn(caller, arguments::checked(&tool.input, arguments)?).await
    }

    /// Runs a call that was admitted. A panic ends this call and nothing else.
    async fn run_in_turn(&self, caller: &Caller, arguments: JsonMap) -> Result<Value, Failure> {
        let tool = &caller.author.tool;
        // Unwind safety: everything that calls share stays usable after a panic.
        let call = self.dialect.call(&self.engine, caller, tool, arguments);
        AssertUnwindSafe(call).catch_unwind().await.unwrap_or_else(|_| Err(self.broken_off(tool)))
    }

    /// Failure for a panic, with the number under which the log has more.
    fn broken_off(&self, tool: &str) -> Failure {
        let incident = self.incidents.fetch_add(1, Ordering::Relaxed);
        tracing::error!(tool, incident, "a tool call panicked");
        let message = format!("`{tool}` failed because of an internal error (incident {incident})");
        Failure::new(ErrorCode::Internal, message)
    }
}

/// Encodes a value as compact JSON.
// Writes straight to memory; `to_string` would go through a formatter piece by piece.
#[expect(clippy::expect_used, reason = "every JSON value can be written, and memory takes it")]
fn in_one_line(value: &Value) -> String {
    serde_json::to_string(value).expect("a JSON value")
}
