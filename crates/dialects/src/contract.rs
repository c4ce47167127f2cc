//! What a dialect is to the surfaces that speak it: a list of tools, and a way to call them.

use async_trait::async_trait;
use engine::{Caller, Engine};
use model::{ErrorCode, Failure, JsonMap};
use serde_json::Value;

/// The name under which a list stands where only an object can: in a result's structure and its schema.
pub const LIST: &str = "result";

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
    /// Whether clients that hide tools until they are searched for should show this one from the start.
    pub always_load: bool,
}

/// What a client may expect of a tool. All four are always told: the protocol's defaults are pessimistic.
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

/// A published tool contract.
#[async_trait]
pub trait Dialect: Send + Sync {
    /// What the server calls itself: `quipu`, `epitome`, …
    fn name(&self) -> &'static str;

    /// What the server tells every client at the start; the most important sentence first.
    fn instructions(&self) -> &'static str;

    /// The tools, in a fixed order.
    fn tools(&self) -> &[Tool];

    /// Tools that answer to their names although they are not listed: what older clients still call.
    fn accepted(&self) -> &[Tool] {
        &[]
    }

    /// What this contract calls a code of the table, where its document has a word of its own.
    fn code(&self, code: ErrorCode) -> &'static str {
        code.name()
    }

    /// Calls a tool. The answer is an object that fits the tool's output schema, or a list that does under [`LIST`].
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

    /// The text of an answer, where the contract answers in words; the JSON itself where this is `None`.
    fn in_words(&self, _tool: &str, _answer: &Value) -> Option<String> {
        None
    }
}
