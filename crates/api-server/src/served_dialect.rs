//! A dialect that the server offers, and previews of what its clients get: the instructions and the
//! tools that they read first, and the text of an answer. A preview runs the same code as a call
//! over the wire, except that nothing is counted and only calls that read are made.

use crate::arguments::check_arguments;
use crate::call::ToolOutput;
use crate::handler::UnknownDialect;
use crate::listing::tool_listing;
use dialects::DialectApi;
use engine::{Caller, Engine};
use model::{Dialect, Failure, JsonMap};
use std::sync::Arc;

/// A dialect with the path under which the server offers it.
#[derive(Clone)]
pub struct ServedDialect {
    pub dialect: Dialect,
    pub path: String,
    api: Arc<dyn DialectApi>,
}

/// Text that an agent would get from a call.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerPreview {
    pub tool: &'static str,
    pub arguments: JsonMap,
    /// Text exactly as the agent reads it.
    pub text: String,
}

impl ServedDialect {
    /// Creates a served dialect.
    ///
    /// # Errors
    /// Fails when the vocabulary has no dialect of this name.
    pub fn new(path: String, api: Arc<dyn DialectApi>) -> Result<Self, UnknownDialect> {
        let dialect = Dialect::parse(api.name()).ok_or(UnknownDialect(api.name()))?;
        Ok(Self { dialect, path, api })
    }

    /// Returns the instructions that every client gets when it connects.
    #[must_use]
    pub fn instructions(&self) -> &'static str {
        self.api.instructions()
    }

    /// Returns the names of the listed tools.
    pub fn tool_names(&self) -> impl Iterator<Item = &'static str> {
        self.api.tools().iter().map(|tool| tool.name)
    }

    /// Returns the listing of the tools as the protocol carries it.
    #[must_use]
    pub fn tools_text(&self) -> String {
        let tools: Vec<_> = self.api.tools().iter().map(tool_listing).collect();
        serde_json::to_string(&tools).unwrap_or_default()
    }

    /// Returns the text that an agent would get for a question, or without one at its start;
    /// `None` when the contract names no call for that.
    ///
    /// # Errors
    /// Fails when the call would fail for the agent.
    pub async fn preview_answer(
        &self,
        engine: &Engine,
        caller: &Caller,
        question: Option<&str>,
    ) -> Result<Option<AnswerPreview>, Failure> {
        let Some((name, arguments)) = self.api.reading_call(question) else { return Ok(None) };
        let tools = self.api.tools().iter();
        // A preview must change nothing, whatever a contract names here.
        let tool = tools.filter(|tool| tool.annotations.read_only).find(|tool| tool.name == name);
        let Some(tool) = tool else { return Ok(None) };
        let caller = caller.clone().with_tool(name);
        let given = check_arguments(&tool.input, arguments.clone())?;
        let value = self.api.call(engine, &caller, name, given).await?;
        let text = ToolOutput::render(&*self.api, name, value).text;
        Ok(Some(AnswerPreview { tool: name, arguments, text }))
    }
}
