//! Fixture tools of the revision 2026-07-28 that need input before they can answer: they return
//! what they need, and are called again with it. Some give the client a state to send back, and
//! detect when it was changed.

use super::static_content::from_json;
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, InputRequiredResult, InputResponses};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use std::hash::{BuildHasher, RandomState};

/// Result of one round of such a call.
pub enum RoundResult {
    /// More input is needed.
    NeedsInput(InputRequiredResult),
    /// The call is complete, with this text.
    Complete(String),
}

/// Runs calls round by round. Its hash keys are created for each process, so that nobody else can
/// create a valid state.
pub struct InputRounds {
    keys: RandomState,
}

impl InputRounds {
    pub fn new() -> Self {
        Self { keys: RandomState::new() }
    }

    /// Runs one round of a tool; `None` when it is not a tool that needs input.
    pub fn play(
        &self,
        tool: &str,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<RoundResult>, ErrorData> {
        let Some(rounds) = required_input(tool) else { return Ok(None) };
        let at = self.decode_state(tool, request.request_state.as_deref())?;
        self.round(tool, &rounds, at, request.input_responses.as_ref(), context).map(Some)
    }

    /// Runs one round of a prompt.
    pub fn play_prompt(
        &self,
        prompt: &str,
        responses: Option<&InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Result<RoundResult, ErrorData> {
        let question = form("What context should the prompt use?", "context", "string");
        self.round(prompt, &[json!({ "user_context": question })], 0, responses, context)
    }

    fn round(
        &self,
        name: &str,
        rounds: &[Value],
        at: usize,
        responses: Option<&InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Result<RoundResult, ErrorData> {
        let needed = rounds
            .get(at)
            .ok_or_else(|| ErrorData::invalid_params("there is no such round", None))?;
        let answered = responses.is_some_and(|responses| is_answered(needed, responses));
        let next = if answered { at + 1 } else { at };
        if let Some(needed) = rounds.get(next) {
            return self.input_required(name, needed, next, context);
        }
        Ok(RoundResult::Complete(final_text(name, responses)))
    }

    fn input_required(
        &self,
        name: &str,
        needed: &Value,
        round: usize,
        context: &RequestContext<RoleServer>,
    ) -> Result<RoundResult, ErrorData> {
        let mut needed = needed.clone();
        if let (true, Some(needed)) = (name.ends_with("capabilities"), needed.as_object_mut()) {
            let samples = context.client_capabilities().is_some_and(|can| can.sampling.is_some());
            needed.retain(|_, request| samples == (request["method"] == "sampling/createMessage"));
        }
        let mut result = json!({ "resultType": "input_required", "inputRequests": needed });
        if has_state(name) {
            result["requestState"] = self.encode_state(name, round).into();
        }
        from_json(result).map(RoundResult::NeedsInput)
    }

    /// Encodes a state: the round, and a keyed hash of it.
    fn encode_state(&self, name: &str, round: usize) -> String {
        format!("{round}.{:x}", self.keys.hash_one((name, round)))
    }

    fn decode_state(&self, name: &str, state: Option<&str>) -> Result<usize, ErrorData> {
        let Some(state) = state else { return Ok(0) };
        let round = state.split('.').next().and_then(|round| round.parse().ok());
        let genuine = round.filter(|round| self.encode_state(name, *round) == state);
        genuine.ok_or_else(|| ErrorData::invalid_params("the request state was touched", None))
    }
}

/// Input that a tool needs, round by round.
fn required_input(tool: &str) -> Option<Vec<Value>> {
    let name = || form("What is your name?", "name", "string");
    let confirm = || json!([{ "confirm": form("Please confirm", "ok", "boolean") }]);
    let rounds = match tool.strip_prefix("test_input_required_result_").unwrap_or(tool) {
        "elicitation" | "test_streaming_elicitation" => json!([{ "user_name": name() }]),
        "sampling" => {
            json!([{ "capital_question": question("What is the capital of France?", 100) }])
        }
        "list_roots" => json!([{ "client_roots": roots() }]),
        "request_state" | "tampered_state" => confirm(),
        "multiple_inputs" => json!([{
            "user_name": name(),
            "greeting": question("Generate a greeting", 50),
            "client_roots": roots(),
        }]),
        "multi_round" => json!([
            { "step1": form("Step 1: What is your name?", "name", "string") },
            { "step2": form("Step 2: What is your favorite color?", "color", "string") },
        ]),
        "capabilities" => {
            json!([{ "user_name": name(), "greeting": question("Generate a greeting", 50) }])
        }
        _ => return None,
    };
    rounds.as_array().cloned()
}

fn has_state(name: &str) -> bool {
    ["request_state", "tampered_state", "multiple_inputs", "multi_round"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn form(message: &str, field: &str, kind: &str) -> Value {
    let schema =
        json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    let params = json!({ "message": message, "requestedSchema": schema });
    json!({ "method": "elicitation/create", "params": params })
}

fn question(text: &str, tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    let params = json!({ "messages": [message], "maxTokens": tokens });
    json!({ "method": "sampling/createMessage", "params": params })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// Returns true when everything needed was given in the right form. Additional input is ignored.
fn is_answered(needed: &Value, responses: &InputResponses) -> bool {
    let mut needed = needed.as_object().into_iter().flatten();
    needed.all(|(key, request)| responses.get(key).is_some_and(|answer| fits(request, answer)))
}

fn fits(request: &Value, answer: &Value) -> bool {
    match request["method"].as_str() {
        Some("elicitation/create") => {
            let fields = request["params"]["requestedSchema"]["required"].as_array();
            let is_present =
                |field: &Value| answer["content"].get(field.as_str().unwrap_or_default()).is_some();
            answer["action"] == "accept" && fields.into_iter().flatten().all(is_present)
        }
        Some("sampling/createMessage") => answer.get("content").is_some(),
        _ => answer["roots"].is_array(),
    }
}

fn final_text(name: &str, responses: Option<&InputResponses>) -> String {
    let responses = json!(responses);
    match responses["user_name"]["content"]["name"].as_str() {
        Some(user) if !has_state(name) => format!("Hello, {user}!"),
        _ => format!("state-ok {responses}"),
    }
}
