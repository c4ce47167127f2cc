//! The interface between a dialect and the transports that serve it: tools, resources and prompts
//! with their descriptions, and the calls behind them. It follows the terms of the Model Context
//! Protocol, but knows none of its messages.

use async_trait::async_trait;
use engine::{Caller, Engine};
use model::{ErrorCode, Failure, JsonMap};
use serde_json::Value;

/// Name of the field that holds a result that is a list. The protocol allows only objects as
/// structured results and as result schemas.
pub const LIST_FIELD: &str = "result";

/// Hint for `forgotten` in contracts whose tools have no argument to store such a text anyway.
pub(crate) const FORGOTTEN_HINT: &str = "The owner had this text forgotten. Ask them; they can \
    store it again with `quipu remember --allow-forgotten`.";

/// Tool as clients see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// Description for the model, which knows nothing else about the tool.
    pub description: &'static str,
    /// JSON Schema of the arguments, an object.
    pub input: JsonMap,
    /// JSON Schema of the result, an object.
    pub output: JsonMap,
    pub annotations: ToolAnnotations,
    /// Asks clients that load tools on demand to load this one from the start.
    pub always_load: bool,
}

/// Behavior of a tool that a client may rely on. All four hints are always sent, because the
/// protocol's defaults are pessimistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolAnnotations {
    pub read_only: bool,
    /// May remove or replace data.
    pub destructive: bool,
    /// A repeated call with the same arguments has no further effect.
    pub idempotent: bool,
    /// Reaches systems outside the memory.
    pub open_world: bool,
}

/// JSON document that a client can read without calling a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceSpec {
    /// Address; one with a `{placeholder}` is a template.
    pub uri: &'static str,
    /// Display name.
    pub name: &'static str,
    pub description: &'static str,
}

impl ResourceSpec {
    /// Returns true if the address is a template.
    #[must_use]
    pub fn is_template(&self) -> bool {
        self.uri.contains('{')
    }
}

/// Message template that a person can send to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptSpec {
    pub name: &'static str,
    pub description: &'static str,
    pub arguments: &'static [PromptArgument],
}

/// Argument of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptArgument {
    pub name: &'static str,
    pub description: &'static str,
    pub required: bool,
}

/// Tool contract that a server offers to its clients.
#[async_trait]
pub trait DialectApi: Send + Sync {
    /// Name of the dialect, which is also the name of the server: `quipu`, `epitome`, …
    fn name(&self) -> &'static str;

    /// Instructions that the server sends to every client at the start. Clients may cut them off,
    /// so the most important sentence comes first.
    fn instructions(&self) -> &'static str;

    /// Listed tools, in a fixed order.
    fn tools(&self) -> &[ToolSpec];

    /// Tools that can be called but are not listed: older clients still call them by name.
    fn unlisted_tools(&self) -> &[ToolSpec] {
        &[]
    }

    /// Name of an error code in this contract.
    fn error_code(&self, code: ErrorCode) -> &'static str {
        code.name()
    }

    /// Returns true for a contract whose failures are known by their HTTP status.
    fn shows_status(&self) -> bool {
        false
    }

    /// Advice on recovering from an error. A dialect overrides it where the general advice names
    /// arguments that its contract does not have.
    fn hint(&self, code: ErrorCode) -> &'static str {
        code.hint()
    }

    /// Calls a tool, which must also be the tool of the caller ([`Caller::with_tool`]). The result
    /// is an object that fits the tool's output schema, or a list that fits it as the field
    /// [`LIST_FIELD`].
    ///
    /// # Errors
    /// Returns a code and a sentence that lets the model recover.
    async fn call(
        &self,
        engine: &Engine,
        caller: &Caller,
        tool: &str,
        arguments: JsonMap,
    ) -> Result<Value, Failure>;

    /// Returns the call with which an agent asks a question, or without one the call that shows it
    /// what is there; for a preview of what agents get. It only reads.
    fn reading_call(&self, _question: Option<&str>) -> Option<(&'static str, JsonMap)> {
        None
    }

    /// Renders a result as text, for contracts whose clients expect prose; `None` sends the JSON.
    fn render_text(&self, _tool: &str, _answer: &Value) -> Option<String> {
        None
    }

    /// Resources and resource templates.
    fn resources(&self) -> &[ResourceSpec] {
        &[]
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// `not_found` if there is none at the address.
    async fn read_resource(
        &self,
        _engine: &Engine,
        _caller: &Caller,
        uri: &str,
    ) -> Result<Value, Failure> {
        Err(Failure::not_found("resource", uri))
    }

    /// Prompts, in a fixed order.
    fn prompts(&self) -> &[PromptSpec] {
        &[]
    }

    /// Renders a prompt with its arguments filled in.
    ///
    /// # Errors
    /// `not_found` if there is no such prompt, `invalid_argument` if a required argument is
    /// missing.
    async fn render_prompt(
        &self,
        _engine: &Engine,
        _caller: &Caller,
        name: &str,
        _arguments: JsonMap,
    ) -> Result<String, Failure> {
        Err(Failure::not_found("prompt", name))
    }

    /// Runs after a client has connected and finished the handshake.
    ///
    /// # Errors
    /// Fails when the store fails. The client is served nevertheless.
    async fn client_connected(&self, _engine: &Engine, _caller: &Caller) -> Result<(), Failure> {
        Ok(())
    }

    /// Runs after the client of a stdio connection has disconnected.
    ///
    /// # Errors
    /// Fails when the store fails.
    async fn client_disconnected(&self, _engine: &Engine, _caller: &Caller) -> Result<(), Failure> {
        Ok(())
    }
}
