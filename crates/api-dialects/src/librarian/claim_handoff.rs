//! `claim_handoff`: takes work over. Exactly one claim wins. The holder is the authenticated
//! caller, whatever the arguments say, and one running session of it.

use super::{ids, render};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::handoffs::{ClaimHandoffRequest, HandoffOutcome};
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `claim_handoff`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the handoff, from list_handoffs.
    handoff_id: String,
    /// Name to note with the claim; the holder is always the caller.
    claiming_agent_id: Option<String>,
    /// Program in which the work continues.
    claiming_harness: Option<String>,
    /// New location of the work: a conversation or run id, or an absolute path.
    claiming_source_ref: Option<String>,
    /// Working directory in which the work continues.
    claiming_cwd: Option<String>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "claim_handoff",
    title: "Claim a handoff",
    description: "Take over work, second step: claim a handoff and get its document. Exactly \
                  one claim wins, of one running session. 404 if there is no such id; 409 if \
                  another session holds it, with who and since when. \
                  Example: {\"handoff_id\": \"4\"}",
    input: arguments::open_schema::<Arguments>,
    output: "handoff_id: string, title: string, document_md: string, project_key?: string, \
             cwd?: string, harness?: string, source_ref?: string, tags?: strings, \
             created_by: string, created_at: string, claim: object, notes?: strings, \
             ignored?: objects",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    mut given: JsonMap,
) -> Result<Value, Failure> {
    let ignored = render::take_ignored_arguments(&mut given, &[], caller);
    let arguments: Arguments = arguments::read(given)?;
    let mut input = ClaimHandoffRequest::new(ids::parse_handoff_id(&arguments.handoff_id)?);
    // The contract has no verb to complete a handoff; one that came back by itself after a lease
    // would be done twice.
    input.without_end = true;
    input.notes = arguments.notes();
    let mut answer = render_result(&engine.handoffs().claim(caller, &input).await?);
    render::insert_non_empty(&mut answer, "ignored", ignored);
    Ok(Value::Object(answer))
}

impl Arguments {
    fn notes(self) -> Vec<(String, String)> {
        let notes = [
            ("agent_id", self.claiming_agent_id),
            ("harness", self.claiming_harness),
            ("source_ref", self.claiming_source_ref),
            ("cwd", self.claiming_cwd),
        ];
        notes
            .into_iter()
            .filter_map(|(name, text)| Some((name.to_owned(), arguments::non_empty(text)?)))
            .collect()
    }
}

fn render_result(HandoffOutcome { handoff, notes }: &HandoffOutcome) -> JsonMap {
    let mut answer = render::handoff(handoff);
    answer.insert("document_md".into(), handoff.document.as_str().into());
    render::insert_some(&mut answer, "claim", handoff.claim.as_ref().map(render::claim));
    render::insert_notes(&mut answer, notes);
    answer
}
