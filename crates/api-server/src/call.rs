//! Runs one call of a tool, isolated from the connection: it can be cancelled, and a panic ends
//! only this call.

use crate::admission::{Admission, CallPermit, tool_class};
use crate::arguments;
use crate::identity::check_agent_argument;
use crate::response_notes::ResponseNotes;
use dialects::{DialectApi, ToolSpec};
use engine::{Caller, Engine, ToolClass, estimate_tokens};
use futures_util::FutureExt;
use metrics::catalogue::{CALL_SECONDS, CALLS};
use metrics::{Stopwatch, TRACE_TARGET};
use model::{ErrorCode, Failure, JsonMap};
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::{Instrument, Span};

/// Context of a request besides the call itself.
pub(crate) struct CallContext<'r> {
    pub cancelled: &'r CancellationToken,
    /// Channel for what does not belong into the result, where the transport can carry it.
    pub response_notes: Option<&'r ResponseNotes>,
    pub trace: CallTrace<'r>,
}

/// Position of a call in traces.
pub(crate) struct CallTrace<'r> {
    /// Span of the request that carried the call.
    pub request: Span,
    /// Trace that the client is in, as the call itself names it.
    pub traceparent: Option<&'r str>,
}

/// Result of a tool, as structure and as the text that a model reads. Rendered once, because the
/// answer carries the text and the usage log counts its tokens.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolOutput {
    pub value: Value,
    /// The dialect's own wording where it has one, else the structure as compact JSON.
    pub text: String,
}

impl ToolOutput {
    /// Renders the result of a tool.
    pub fn render(dialect: &dyn DialectApi, tool: &str, value: Value) -> Self {
        let text = dialect.render_text(tool, &value).unwrap_or_else(|| to_compact_json(&value));
        Self { value, text }
    }
}

/// Runs the calls of one dialect.
pub(crate) struct CallRunner {
    engine: Arc<Engine>,
    dialect: Arc<dyn DialectApi>,
    admission: Arc<Admission>,
    incidents: AtomicU64,
}

impl CallRunner {
    pub fn new(
        engine: Arc<Engine>,
        dialect: Arc<dyn DialectApi>,
        admission: Arc<Admission>,
    ) -> Self {
        Self { engine, dialect, admission, incidents: AtomicU64::new(1) }
    }

    /// Runs a call to its end or until it is cancelled. A failed call is recorded in the audit log
    /// too.
    pub async fn run(
        &self,
        caller: Caller,
        tool: &ToolSpec,
        arguments: JsonMap,
        context: &CallContext<'_>,
    ) -> Result<ToolOutput, Failure> {
        let span = self.span(tool, &context.trace);
        let answer = self.run_noted(caller, tool, arguments, context).instrument(span.clone());
        answer.await.inspect_err(|failure| {
            span.record("error.type", failure.code.name());
        })
    }

    /// Starts the span of a call. It has the names of the dialect and the tool, and nothing of what
    /// the caller sent.
    fn span(&self, tool: &ToolSpec, trace: &CallTrace<'_>) -> Span {
        let (dialect, tool) = (self.dialect.name(), tool.name);
        // The call knows its trace better than a proxy that the request went through.
        let parent = if trace.traceparent.is_some() { None } else { trace.request.id() };
        tracing::info_span!(
            target: TRACE_TARGET, parent: parent, "call",
            otel.name = format!("tools/call {tool}"), otel.kind = "server",
            mcp.method.name = "tools/call", gen_ai.tool.name = tool, quipu.dialect = dialect,
            error.type = Empty, traceparent = trace.traceparent,
        )
    }

    async fn run_noted(
        &self,
        caller: Caller,
        tool: &ToolSpec,
        arguments: JsonMap,
        context: &CallContext<'_>,
    ) -> Result<ToolOutput, Failure> {
        // The dialect consumes the arguments; the audit log needs them when the call fails.
        let (noted_arguments, watch) = (arguments.clone(), Stopwatch::start());
        let running = self.run_checked(&caller, tool, arguments, context.response_notes);
        let answer = context
            .cancelled
            .run_until_cancelled(running)
            .await
            .unwrap_or_else(|| {
                Err(Failure::new(ErrorCode::Cancelled, "the client cancelled this call"))
            })
            .map(|value| ToolOutput::render(&*self.dialect, tool.name, value));
        self.measure(tool, watch, &answer);
        match &answer {
            // Only what the agent actually receives counts as used tokens.
            Ok(output) => self.engine.admin().note_served(&caller, estimate_tokens(&output.text)),
            Err(failure) => self.engine.note_failed(&caller, &noted_arguments, failure).await,
        }
        answer.map_err(|failure| match context.response_notes {
            Some(notes) => notes.annotate(failure),
            None => failure,
        })
    }

    fn measure(&self, tool: &ToolSpec, watch: Stopwatch, answer: &Result<ToolOutput, Failure>) {
        let outcome = answer.as_ref().map_or_else(|failure| failure.code.name(), |_| "ok");
        let (dialect, tool) = (("dialect", self.dialect.name()), ("tool", tool.name));
        CALLS.count(&[dialect, tool, ("outcome", outcome)]);
        watch.observe(&CALL_SECONDS, &[dialect, tool]);
    }

    /// Admits a request other than a tool call, which only reads; dropping the permit admits the
    /// next one.
    pub async fn admit_reading(
        &self,
        caller: &Caller,
        notes: Option<&ResponseNotes>,
    ) -> Result<CallPermit, Failure> {
        self.admit(caller, ToolClass::Read, notes).await
    }

    async fn admit(
        &self,
        caller: &Caller,
        class: ToolClass,
        notes: Option<&ResponseNotes>,
    ) -> Result<CallPermit, Failure> {
        let admitted = self.admission.start_call(caller, class, self.engine.now()).await;
        if let (Err(rejected), Some(notes)) = (&admitted, notes) {
            notes.set_retry_after(rejected.retry_after_seconds);
        }
        Ok(admitted?)
    }

    async fn run_checked(
        &self,
        caller: &Caller,
        tool: &ToolSpec,
        arguments: JsonMap,
        notes: Option<&ResponseNotes>,
    ) -> Result<Value, Failure> {
        check_agent_argument(caller, &arguments)?;
        // Rate limits come before the schema check, so that a flood of invalid calls is limited
        // too.
        let class = tool_class(tool, &arguments);
        let _permit = self.admit(caller, class, notes).await?;
        self.run_admitted(caller, arguments::check_arguments(&tool.input, arguments)?).await
    }

    /// Runs a call that was admitted. A panic ends this call and nothing else.
    async fn run_admitted(&self, caller: &Caller, arguments: JsonMap) -> Result<Value, Failure> {
        let tool = &caller.author.tool;
        // Unwind safety: everything that calls share stays usable after a panic.
        let call = self.dialect.call(&self.engine, caller, tool, arguments);
        AssertUnwindSafe(call)
            .catch_unwind()
            .await
            .unwrap_or_else(|_| Err(self.panic_failure(tool)))
    }

    /// Failure for a panic, with the number under which the log has more.
    fn panic_failure(&self, tool: &str) -> Failure {
        let incident = self.incidents.fetch_add(1, Ordering::Relaxed);
        tracing::error!(tool, incident, "a tool call panicked");
        let message = format!("`{tool}` failed because of an internal error (incident {incident})");
        Failure::new(ErrorCode::Internal, message)
    }
}

/// Encodes a value as compact JSON.
// Writes straight to memory; `to_string` would go through a formatter piece by piece.
#[expect(clippy::expect_used, reason = "every JSON value can be written, and memory takes it")]
fn to_compact_json(value: &Value) -> String {
    serde_json::to_string(value).expect("a JSON value")
}
