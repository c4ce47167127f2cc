//! `handoff`: passes unfinished work on to the next session or agent.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::handoffs::{
    ClaimHandoffRequest, HandoffOutcome, ListHandoffsRequest, StoreHandoffRequest,
};
use engine::{Caller, Engine};
use model::{Failure, Handoff, HandoffId, HandoffState, JsonMap, NewHandoff};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Values of `action`; the first is the default.
const ACTIONS: [&str; 6] = ["list", "store", "claim", "release", "complete", "cancel"];

/// Arguments of `handoff`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[schemars(extend("enum" = ACTIONS, "default" = ACTIONS[0]))]
    action: Option<String>,
    /// The handoff.
    id: Option<i64>,
    title: Option<String>,
    /// store: markdown with exactly five headings: Start & intent, Journey, Current state, What's
    /// left, Open questions.
    document: Option<String>,
    /// Default: where you run; "*" lists all.
    project: Option<String>,
    /// store: branch or directory.
    source_ref: Option<String>,
    tags: Option<Vec<String>>,
    /// claim: at most 168.
    #[schemars(extend("default" = 4))]
    hours: Option<f64>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "handoff",
    title: "Handoff",
    description: "Hand over unfinished work, or take it over to continue it. store when you \
                  stop mid-task; list, then claim to take over (one session wins, as a \
                  lease); complete when done. Example: {\"action\": \"claim\", \"id\": 4}",
    input: arguments::short_schema::<Arguments>,
    output: "handoffs?: objects, left_out?: integer, handoff?: object, notes?: strings, \
             hint?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    match arguments.action.as_deref().unwrap_or("list") {
        "list" => list(engine, caller, arguments).await,
        "store" => store(engine, caller, arguments).await,
        "claim" => claim(engine, caller, &arguments).await,
        "release" => Ok(render_changed(&engine.handoffs().release(caller, arguments.id()?).await?)),
        "complete" => {
            Ok(render_changed(&engine.handoffs().complete(caller, arguments.id()?).await?))
        }
        "cancel" => Ok(render_changed(&engine.handoffs().cancel(caller, arguments.id()?).await?)),
        other => Err(super::unknown_action("handoff", other, &ACTIONS)),
    }
}

impl Arguments {
    fn id(&self) -> Result<HandoffId, Failure> {
        self.id
            .map(HandoffId)
            .ok_or_else(|| Failure::invalid("give the handoff's id; action list shows them"))
    }
}

async fn list(engine: &Engine, caller: &Caller, arguments: Arguments) -> Result<Value, Failure> {
    let mut caller = caller.clone();
    let everywhere = arguments.project.as_deref() == Some("*");
    if everywhere {
        // Without this, the engine would narrow the list to the project that the client runs in.
        caller.environment.project = None;
    }
    let project = arguments.project.filter(|_| !everywhere);
    let found = engine
        .handoffs()
        .list(&caller, &ListHandoffsRequest { project, ..ListHandoffsRequest::default() })
        .await?;
    let left_out = found.handoffs.total.saturating_sub(found.handoffs.items.len());
    let shown = found.handoffs.items.iter().map(render_listed).collect();
    let mut answer = JsonMap::from_iter([("handoffs".to_owned(), Value::Array(shown))]);
    render::insert_some(&mut answer, "left_out", (left_out > 0).then(|| left_out.into()));
    let hint = found.handoffs.items.is_empty().then(|| "no open handoffs".into());
    render::insert_some(&mut answer, "hint", hint);
    Ok(Value::Object(answer))
}

async fn store(engine: &Engine, caller: &Caller, arguments: Arguments) -> Result<Value, Failure> {
    let handoff = NewHandoff {
        title: arguments.title.unwrap_or_default(),
        document: arguments.document.unwrap_or_default(),
        project: arguments.project,
        source_ref: arguments.source_ref,
        tags: arguments.tags.unwrap_or_default(),
        ..NewHandoff::default()
    };
    let stored = engine
        .handoffs()
        .store(caller, &StoreHandoffRequest { handoff, idempotency_key: None })
        .await?;
    let mut answer = JsonMap::from_iter([("handoff".to_owned(), render_listed(&stored.handoff))]);
    render::insert_notes(&mut answer, &stored.notes);
    Ok(Value::Object(answer))
}

async fn claim(engine: &Engine, caller: &Caller, arguments: &Arguments) -> Result<Value, Failure> {
    let mut input = ClaimHandoffRequest::new(arguments.id()?);
    // The cast saturates; the engine checks the range.
    input.seconds = arguments.hours.map(|hours| (hours * 3_600.0) as u32);
    let HandoffOutcome { handoff, notes } = engine.handoffs().claim(caller, &input).await?;
    let mut claimed = handoff_fields(&handoff);
    claimed.insert("document".into(), handoff.document.as_str().into());
    let mut answer = JsonMap::from_iter([("handoff".to_owned(), Value::Object(claimed))]);
    render::insert_notes(&mut answer, &notes);
    let hint = "it is yours until the lease expires; call complete when done, or release";
    answer.insert("hint".into(), hint.into());
    Ok(Value::Object(answer))
}

fn render_changed(handoff: &Handoff) -> Value {
    json!({ "handoff": render_listed(handoff) })
}

/// Renders a handoff without its document, which may be long.
pub(super) fn render_listed(handoff: &Handoff) -> Value {
    Value::Object(handoff_fields(handoff))
}

fn handoff_fields(handoff: &Handoff) -> JsonMap {
    let mut shown = JsonMap::new();
    shown.insert("id".into(), handoff.id.0.into());
    shown.insert("title".into(), handoff.title.as_str().into());
    shown.insert("date".into(), handoff.created_at.date().into());
    shown.insert("by".into(), handoff.created_by.as_str().into());
    for (name, value) in [
        ("project", &handoff.project),
        ("cwd", &handoff.cwd),
        ("harness", &handoff.harness),
        ("source_ref", &handoff.source_ref),
    ] {
        render::insert_some(&mut shown, name, value.as_deref().map(Value::from));
    }
    render::insert_non_empty(
        &mut shown,
        "tags",
        handoff.tags.iter().map(|tag| tag.as_str().into()).collect(),
    );
    let state = (handoff.state != HandoffState::Open).then(|| handoff.state.name().into());
    render::insert_some(&mut shown, "state", state);
    let claim = handoff.claim.as_ref().map(|claim| {
        let mut shown = JsonMap::new();
        shown.insert("by".into(), claim.by.as_str().into());
        shown.insert("since".into(), render::time(claim.since));
        render::insert_some(&mut shown, "until", claim.end().map(render::time));
        let details: JsonMap =
            claim.details().map(|(name, text)| (name.to_owned(), text.into())).collect();
        render::insert_some(&mut shown, "details", (!details.is_empty()).then(|| json!(details)));
        Value::Object(shown)
    });
    render::insert_some(&mut shown, "claim", claim);
    shown
}
