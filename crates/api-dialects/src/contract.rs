//! What a dialect is to the surfaces that speak it: a list of tools, and a way to call them.

use async_trait::async_trait;
use engine::{Caller, Engine};
use model::{ErrorCode, Failure, JsonMap};
use serde_json::Value;

/// The name under which a list stands where only an object can: in a result's structure and its
/// schema.
pub const LIST: &str = "result";

/// How to recover from `forgotten` where no tool can be told to keep a text all the same.
pub(crate) const ASK_THE_OWNER: &str = "The owner had this text forgotten. Ask them; they can keep it again with `quipu remember --allow-forgotten`.";

/// A tool as clients see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, for the model that has only this.
    pub description: &'static str,
    /// The JSON Schema of its arguments; an object.
    pub input: JsonMap,
    /// The JSON Schema of its result; an object.
    pub output: JsonMap,
    /// What a client may expect of it.
    pub annotations: Annotations,
    /// Whether clients that hide tools until they are searched for should show this one from the
    /// start.
    pub always_load: bool,
}

/// What a client may expect of a tool. All four are always told: the protocol's defaults are
/// pessimistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: bool,
    /// It may remove or replace.
    pub destructive: bool,
    /// Calling it twice is calling it once.
    pub idempotent: bool,
    /// It reaches outside the memory.
    pub open_world: bool,
}

/// Something to read beside the tools: JSON under a name of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource {
    /// Its address; one with a `{part}` stands for many.
    pub uri: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// What it holds.
    pub description: &'static str,
}

impl Resource {
    /// Whether the address stands for many.
    #[must_use]
    pub fn is_template(&self) -> bool {
        self.uri.contains('{')
    }
}

/// Words that a person can have said to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prompt {
    /// Its name.
    pub name: &'static str,
    /// What it asks the model to do.
    pub description: &'static str,
    /// What it is filled in with.
    pub arguments: &'static [PromptArgument],
}

/// What a prompt is filled in with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Whether the prompt says nothing without it.
    pub required: bool,
}

/// A published tool contract.
#[async_trait]
pub trait Dialect: Send + Sync {
    /// What the server calls itself: `quipu`, `epitome`, …
    fn name(&self) -> &'static str;

    /// What the server tells every client at the start; the most important sentence first.
    fn instructions(&self) -> &'static str;

    /// The tools, in a fixed order.
    fn tools(&self) -> &[Tool];

    /// Tools that answer to their names although they are not listed: what older clients still
    /// call.
    fn accepted(&self) -> &[Tool] {
        &[]
    }

    /// What this contract calls a code of the table, where its document has a word of its own.
    fn code(&self, code: ErrorCode) -> &'static str {
        code.name()
    }

    /// How to recover from a failure, where the words of the table name what this contract has not.
    fn hint(&self, code: ErrorCode) -> &'static str {
        code.hint()
    }

    /// Calls a tool. The answer is an object that fits the tool's output schema, or a list that
    /// does under [`LIST`].
    ///
    /// # Errors
    /// With a code and a sentence that tells the model how to recover.
    async fn call(
        &self,
        engine: &Engine,
        caller: &Caller,
        tool: &str,
        arguments: JsonMap,
    ) -> Result<Value, Failure>;

    /// The text of an answer, where the contract answers in words; the JSON itself where this is
    /// `None`.
    fn in_words(&self, _tool: &str, _answer: &Value) -> Option<String> {
        None
    }

    /// What can be read beside the tools.
    fn resources(&self) -> &[Resource] {
        &[]
    }

    /// Reads what lies at an address.
    ///
    /// # Errors
    /// `not_found` when nothing does.
    async fn read(&self, _engine: &Engine, _caller: &Caller, uri: &str) -> Result<Value, Failure> {
        Err(Failure::not_found("resource", uri))
    }

    /// The prompts, in a fixed order.
    fn prompts(&self) -> &[Prompt] {
        &[]
    }

    /// The words of a prompt.
    ///
    /// # Errors
    /// `not_found` when there is no such prompt, `invalid_argument` when something required is
    /// missing.
    async fn prompt(
        &self,
        _engine: &Engine,
        _caller: &Caller,
        name: &str,
        _arguments: JsonMap,
    ) -> Result<String, Failure> {
        Err(Failure::not_found("prompt", name))
    }

    /// A client has come and says that it is ready.
    ///
    /// # Errors
    /// When the store cannot answer; the client is served all the same.
    async fn opened(&self, _engine: &Engine, _caller: &Caller) -> Result<(), Failure> {
        Ok(())
    }

    /// The client at the other end of a pipe has left.
    ///
    /// # Errors
    /// When the store cannot answer.
    async fn closed(&self, _engine: &Engine, _caller: &Caller) -> Result<(), Failure> {
        Ok(())
    }
}
