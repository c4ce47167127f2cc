//! `review`: lists what needs a decision, resolves it, and flags misleading memories.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::erasure::ErasureView;
use engine::review::{FlagMemoryRequest, ListReviewsRequest, ResolveReviewRequest, ReviewView};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId, Resolution, ReviewId, ReviewState};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `review`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[schemars(extend("enum" = ["list", "resolve", "flag"], "default" = "list"))]
    action: Option<String>,
    /// resolve: the review.
    id: Option<i64>,
    /// confirm: the newest is right; keep_both: all are.
    #[schemars(extend("enum" = ["confirm", "reject", "keep_both"]))]
    resolution: Option<String>,
    /// flag: the wrong id.
    memory: Option<i64>,
    /// flag: why.
    reason: Option<String>,
    #[schemars(extend("default" = 10))]
    limit: Option<usize>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "review",
    title: "Review",
    description: "Contradictions, flags and proposals that need a verdict. list shows both sides; \
                  resolve updates both; flag marks one as doubtful so that it ranks last. \
                  Example: {\"action\": \"resolve\", \"id\": 3, \"resolution\": \"confirm\"}",
    input: arguments::short_schema::<Arguments>,
    output: "reviews?: objects, left_out?: integer, review?: object, flag?: integer, \
             notes?: strings, hint?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    match arguments.action.as_deref().unwrap_or("list") {
        "list" => list(engine, caller, &arguments).await,
        "resolve" => resolve(engine, caller, &arguments).await,
        "flag" => flag(engine, caller, arguments).await,
        other => Err(super::unknown_action("review", other, &["list", "resolve", "flag"])),
    }
}

async fn list(engine: &Engine, caller: &Caller, arguments: &Arguments) -> Result<Value, Failure> {
    let input = ListReviewsRequest {
        limit: Some(arguments.limit.unwrap_or(10)),
        ..ListReviewsRequest::default()
    };
    let listing = engine.reviews().list(caller, &input).await?;
    let left_out = listing.total.saturating_sub(listing.items.len());
    let mut answer = JsonMap::from_iter([(
        "reviews".to_owned(),
        listing.items.iter().map(render_item).collect(),
    )]);
    render::insert_some(&mut answer, "left_out", (left_out > 0).then(|| left_out.into()));
    let hint = listing.items.is_empty().then(|| "nothing needs a decision".into());
    render::insert_some(&mut answer, "hint", hint);
    Ok(Value::Object(answer))
}

async fn resolve(
    engine: &Engine,
    caller: &Caller,
    arguments: &Arguments,
) -> Result<Value, Failure> {
    let id = arguments
        .id
        .ok_or_else(|| Failure::invalid("resolve needs the id of a review; list shows them"))?;
    let resolution =
        arguments.resolution.as_deref().and_then(Resolution::parse).ok_or_else(|| {
            Failure::invalid("resolve needs a resolution: confirm, reject or keep_both")
        })?;
    let decided = engine
        .reviews()
        .resolve(caller, &ResolveReviewRequest::new(ReviewId(id), resolution))
        .await?;
    Ok(json!({ "review": render_item(&decided) }))
}

async fn flag(engine: &Engine, caller: &Caller, arguments: Arguments) -> Result<Value, Failure> {
    let memory = arguments
        .memory
        .ok_or_else(|| Failure::invalid("flag needs the id of a memory in `memory`"))?;
    let input = FlagMemoryRequest {
        memory: MemoryId(memory),
        reason: arguments.reason.unwrap_or_default(),
    };
    let flagged = engine.reviews().flag(caller, &input).await?;
    let mut answer = JsonMap::from_iter([("flag".to_owned(), Value::from(flagged.flag.0))]);
    answer.insert("review".into(), json!({"id": flagged.review.0}));
    render::insert_notes(&mut answer, &flagged.notes);
    answer.insert(
        "hint".into(),
        "the memory ranks below unflagged ones until the review is resolved".into(),
    );
    Ok(Value::Object(answer))
}

fn render_item(review: &ReviewView) -> Value {
    let item = &review.item;
    let mut shown = JsonMap::new();
    shown.insert("id".into(), item.id.0.into());
    shown.insert("kind".into(), item.kind.name().into());
    shown.insert("why".into(), item.reason.as_str().into());
    shown.insert("date".into(), item.raised_at.date().into());
    shown.insert("by".into(), item.raised_by.as_str().into());
    let side = |memory: &Option<model::Memory>| {
        memory.as_ref().map(|one| Value::Object(render::memory(one)))
    };
    render::insert_some(&mut shown, "memory", side(&review.subject));
    render::insert_some(&mut shown, "against", side(&review.against));
    if !review.folded.is_empty() {
        shown.insert("rivals".into(), render::memories(review.rivals()).into());
        let folded: Vec<i64> = review.folded.iter().map(|other| other.item.id.0).collect();
        shown.insert("with_reviews".into(), folded.into());
    }
    match &review.erasure {
        Some(erasure) => _ = shown.insert("erase".into(), render_erasure(erasure)),
        None => render::insert_some(
            &mut shown,
            "proposed",
            (!item.details.is_empty()).then(|| json!(item.details)),
        ),
    }
    if let ReviewState::Resolved { resolution, by, at } = &item.state {
        shown.insert(
            "resolved".into(),
            json!({"as": resolution.name(), "by": by.as_str(), "date": at.date()}),
        );
    }
    Value::Object(shown)
}

/// Renders a proposed erasure with the texts that would go, or what went once it was accepted.
fn render_erasure(view: &ErasureView) -> Value {
    let mut shown = JsonMap::new();
    shown.insert("mode".into(), view.erasure.mode.name().into());
    render::insert_non_empty(&mut shown, "memories", render::memories(&view.memories));
    let left_out = view.left_out();
    render::insert_some(&mut shown, "left_out", (left_out > 0).then(|| left_out.into()));
    let texts = |texts: &[String]| texts.iter().map(|text| text.as_str().into()).collect();
    render::insert_non_empty(&mut shown, "others", texts(&view.others));
    let receipt = view.receipt.as_ref().map(|receipt| {
        let places = receipt.removed.iter();
        places.map(|(place, count)| (place.clone(), Value::from(*count))).collect::<JsonMap>()
    });
    render::insert_some(&mut shown, "receipt", receipt.map(Value::Object));
    render::insert_non_empty(&mut shown, "skipped", texts(&view.skipped));
    Value::Object(shown)
}
