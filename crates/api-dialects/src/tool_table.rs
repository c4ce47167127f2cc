//! The table of a dialect's tools. Each row holds the definition of a tool, the function behind it
//! and its annotations. The list of tools and the dispatch both come from the rows, so a listed
//! tool can be called and a callable one has a definition.

use crate::answer_budget::{ANSWER_TOKENS, LeftOutFields, fit_answer};
use crate::{ToolAnnotations, ToolSpec, schema};
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use serde_json::Value;
use std::pin::Pin;

/// Annotations of a tool that changes nothing.
pub(crate) const READ_ONLY: ToolAnnotations =
    ToolAnnotations { read_only: true, destructive: false, idempotent: true, open_world: false };

/// Annotations of a tool that adds something with every call.
pub(crate) const WRITE: ToolAnnotations =
    ToolAnnotations { read_only: false, idempotent: false, ..READ_ONLY };

/// Annotations of a tool that adds nothing more when a call is repeated.
pub(crate) const IDEMPOTENT_WRITE: ToolAnnotations = ToolAnnotations { idempotent: true, ..WRITE };

/// Annotations of a tool with an action that removes or replaces data.
pub(crate) const DESTRUCTIVE: ToolAnnotations = ToolAnnotations { destructive: true, ..WRITE };

/// Annotations of a tool that removes nothing more when a call is repeated.
pub(crate) const IDEMPOTENT_DESTRUCTIVE: ToolAnnotations =
    ToolAnnotations { idempotent: true, ..DESTRUCTIVE };

/// Definition of a tool, written as a constant beside the tool's function.
pub(crate) struct ToolDefinition {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// Generator of the JSON Schema of the arguments.
    pub input: fn() -> JsonMap,
    /// Fields of the result, in the notation of [`schema::result`].
    pub output: &'static str,
    pub always_load: bool,
}

impl ToolDefinition {
    fn to_spec(&self, annotations: ToolAnnotations) -> ToolSpec {
        let Self { name, title, description, always_load, .. } = *self;
        let (input, output) = ((self.input)(), schema::result(self.output));
        ToolSpec { name, title, description, input, output, annotations, always_load }
    }
}

/// Context of a call.
pub(crate) struct ToolContext<'a, State> {
    pub engine: &'a Engine,
    pub caller: &'a Caller,
    /// State of the dialect: its settings or sources.
    pub state: &'a State,
}

/// Boxed future of a call.
pub(crate) type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, Failure>> + Send + 'a>>;

/// Function behind a tool; [`tool_function`] makes one of an `async fn`.
pub(crate) type ToolFunction<State> =
    for<'a> fn(&'a ToolContext<'a, State>, JsonMap) -> ToolFuture<'a>;

/// Row of the table: the definition of a tool, its function and its annotations.
pub(crate) type ToolRow<State = ()> = (ToolDefinition, ToolFunction<State>, ToolAnnotations);

/// Tools of a dialect, in the order of the list.
pub(crate) struct ToolTable<State: 'static = ()> {
    pub state: State,
    pub specs: Vec<ToolSpec>,
    left_out: LeftOutFields,
    rows: &'static [ToolRow<State>],
}

impl<State> ToolTable<State> {
    /// Creates the table of a contract that reports in these fields what an answer leaves out.
    pub fn new(state: State, rows: &'static [ToolRow<State>], left_out: LeftOutFields) -> Self {
        let specs = rows.iter().map(|(tool, _, annotations)| tool.to_spec(*annotations)).collect();
        Self { state, specs, left_out, rows }
    }

    /// Calls a tool by its name. The answer to an agent has at most [`ANSWER_TOKENS`]; the owner in
    /// person gets all of it.
    pub async fn call(
        &self,
        engine: &Engine,
        caller: &Caller,
        tool: &str,
        arguments: JsonMap,
    ) -> Result<Value, Failure> {
        let Some((_, function, _)) = self.rows.iter().find(|(row, ..)| row.name == tool) else {
            return Err(Failure::not_found("tool", tool));
        };
        let answer =
            function(&ToolContext { engine, caller, state: &self.state }, arguments).await?;
        Ok(self.fit(caller, answer, ANSWER_TOKENS))
    }

    /// Cuts an answer to an agent to a number of tokens.
    pub fn fit(&self, caller: &Caller, answer: Value, tokens: usize) -> Value {
        if caller.in_person { answer } else { fit_answer(answer, tokens, self.left_out) }
    }
}

/// Makes a [`ToolFunction`] of an `async fn` that takes the engine, the caller and the arguments,
/// or, after `context:`, the whole context and the arguments. The future is boxed for each tool:
/// a dispatcher that awaited all of them in place would be as large as the largest.
macro_rules! tool_function {
    ($function:path) => {
        |context, arguments| Box::pin($function(context.engine, context.caller, arguments))
    };
    (context: $function:path) => {
        |context, arguments| Box::pin($function(context, arguments))
    };
}
pub(crate) use tool_function;
