//! `list_handoffs`: lists open handoffs. Given filters apply exactly. If nothing matches, the
//! result says which filter to drop and how many handoffs that would show.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::handoffs::{HandoffList, ListHandoffsRequest};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum value of `limit`.
const LIMIT_MAX: f64 = 100.0;

/// Arguments of `list_handoffs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Only this project; combine it with cwd.
    project_key: Option<String>,
    /// Only this working directory.
    cwd: Option<String>,
    /// Only this program.
    harness: Option<String>,
    /// Maximum handoffs, 1-100.
    #[schemars(extend("default" = 20))]
    limit: Option<i64>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "list_handoffs",
    title: "List handoffs",
    description: "Take over work, first step: list unclaimed handoffs, newest first; then \
                  claim_handoff. Give your project_key and cwd, and drop one or both if \
                  nothing matches. Without either, the search starts where you run and widens \
                  by itself. Example: {\"project_key\": \"shop\", \"cwd\": \"/src/shop\"}",
    input: arguments::open_schema::<Arguments>,
    output: "handoffs: objects, scope: object, left_out?: integer, hint?: string, \
             ignored?: objects",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    mut given: JsonMap,
) -> Result<Value, Failure> {
    let ignored = render::take_ignored_arguments(&mut given, &["project_key"], caller);
    let arguments: Arguments = arguments::read(given)?;
    limits::range("limit", arguments.limit.unwrap_or(1) as f64, 1.0, LIMIT_MAX)?;
    let input = arguments.into_request();
    let found = engine.handoffs().list(caller, &input).await?;
    let hint = match found.handoffs.total {
        0 => Some(suggest_wider(engine, caller, &input).await?),
        _ => found
            .broadened
            .then(|| "nothing is open where you work, so the search was widened".to_owned()),
    };
    let mut answer = render_result(&found, &input, hint);
    render::insert_non_empty(&mut answer, "ignored", ignored);
    Ok(Value::Object(answer))
}

impl Arguments {
    fn into_request(self) -> ListHandoffsRequest {
        ListHandoffsRequest {
            project: arguments::non_empty(self.project_key),
            cwd: arguments::non_empty(self.cwd),
            harness: arguments::non_empty(self.harness),
            limit: self.limit.and_then(|limit| usize::try_from(limit).ok()),
            ..ListHandoffsRequest::default()
        }
    }
}

fn render_result(
    found: &HandoffList,
    input: &ListHandoffsRequest,
    hint: Option<String>,
) -> JsonMap {
    let handoffs =
        found.handoffs.items.iter().map(|one| Value::Object(render::handoff(one))).collect();
    let mut answer = JsonMap::from_iter([("handoffs".to_owned(), Value::Array(handoffs))]);
    let mut scope = JsonMap::from_iter([("broadened".to_owned(), found.broadened.into())]);
    let narrowed =
        [("project_key", &found.project), ("cwd", &found.cwd), ("harness", &input.harness)];
    for (name, value) in narrowed {
        render::insert_some(&mut scope, name, value.as_deref().map(Value::from));
    }
    answer.insert("scope".into(), json!(scope));
    let left_out = found.handoffs.total.saturating_sub(found.handoffs.items.len());
    render::insert_some(&mut answer, "left_out", (left_out > 0).then(|| left_out.into()));
    render::insert_some(&mut answer, "hint", hint.map(Value::from));
    answer
}

/// Suggests a filter to drop and says how many handoffs that would show.
async fn suggest_wider(
    engine: &Engine,
    caller: &Caller,
    input: &ListHandoffsRequest,
) -> Result<String, Failure> {
    // From the filter that narrows most to the one that narrows least.
    let wider = [
        ("cwd", input.cwd.is_some(), ListHandoffsRequest { cwd: None, ..input.clone() }),
        (
            "harness",
            input.harness.is_some(),
            ListHandoffsRequest { harness: None, ..input.clone() },
        ),
        (
            "project_key",
            input.project.is_some(),
            ListHandoffsRequest { project: None, ..input.clone() },
        ),
        (
            "every filter",
            true,
            ListHandoffsRequest { limit: Some(1), ..ListHandoffsRequest::default() },
        ),
    ];
    for (filter, given, query) in wider {
        let waiting = if given { count_anywhere(engine, caller, &query).await? } else { 0 };
        if waiting > 0 {
            return Ok(format!("none here; drop {filter} to see {waiting} open elsewhere"));
        }
    }
    Ok("no open handoffs".to_owned())
}

/// Counts open handoffs, regardless of the project and directory that the caller runs in.
async fn count_anywhere(
    engine: &Engine,
    caller: &Caller,
    query: &ListHandoffsRequest,
) -> Result<usize, Failure> {
    let mut anywhere = caller.clone();
    anywhere.environment = engine::ClientEnvironment::default();
    // Only the total is needed.
    let query = ListHandoffsRequest { limit: Some(1), ..query.clone() };
    Ok(engine.handoffs().list(&anywhere, &query).await?.handoffs.total)
}
