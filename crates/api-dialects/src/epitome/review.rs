//! `review`: lists contradictions and resolves them. A decision updates both sides.

use super::render;
use super::review_sides::{describe_outcome, proposed_profile, sides};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::review::{ListReviewsRequest, ResolveReviewRequest, ReviewView};
use engine::{Caller, Engine};
use model::{ErrorCode, Failure, JsonMap, Resolution, ReviewId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum number of listed items, as the contract has it.
const LISTED_ENTRIES: usize = 5;

/// Arguments of `review` and `review_memories`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Arguments {
    /// list or resolve.
    action: EpitomeReviewAction,
    /// resolve: id from list.
    meta_id: Option<i64>,
    /// resolve: confirm (the newer is right; a flag is right), reject (the older is right; a flag
    /// is wrong) or keep_both.
    resolution: Option<ResolutionArgument>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EpitomeReviewAction {
    List,
    Resolve,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ResolutionArgument {
    Confirm,
    Reject,
    KeepBoth,
}

impl ResolutionArgument {
    fn resolution(self) -> Resolution {
        match self {
            Self::Confirm => Resolution::Confirm,
            Self::Reject => Resolution::Reject,
            Self::KeepBoth => Resolution::KeepBoth,
        }
    }
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "review",
    title: "Review",
    description: "Check for or resolve contradictions in memory. List them, then resolve each \
                  as the owner decides: confirm, reject or keep_both. Example: \
                  {\"action\": \"resolve\", \"metaId\": 123, \"resolution\": \"confirm\"}",
    input: arguments::schema::<Arguments>,
    output: "contradictionCount?: integer, contradictions?: objects, success?: boolean, \
             metaId?: integer, resolution?: string, message?: string",
    always_load: true,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    match arguments.action {
        EpitomeReviewAction::List => list(engine, caller).await,
        EpitomeReviewAction::Resolve => resolve(engine, caller, &arguments).await,
    }
}

async fn list(engine: &Engine, caller: &Caller) -> Result<Value, Failure> {
    let input = ListReviewsRequest { limit: Some(LISTED_ENTRIES), ..ListReviewsRequest::default() };
    let waiting = engine.reviews().list(caller, &input).await?;
    // Reading the profile needs a grant of its own, so it is read only if an entry is about it.
    let profile = match waiting.items.iter().any(|view| proposed_profile(view).is_some()) {
        true => engine.profile().get(caller).await?.map(|version| version.data).unwrap_or_default(),
        false => JsonMap::new(),
    };
    let entries = waiting.items.iter().map(|view| render_entry(view, &profile)).collect::<Vec<_>>();
    Ok(json!({ "contradictionCount": waiting.total, "contradictions": entries }))
}

/// Renders an entry in the form of Epitome's quality records.
fn render_entry(view: &ReviewView, profile: &JsonMap) -> Value {
    let (item, subject) = (&view.item, view.subject.as_ref());
    let source = subject.map_or("profile", |memory| {
        if memory.collection == "profile" { "profile" } else { "vector" }
    });
    // One entry for all rivals, with each pair of them.
    let pairs: Vec<Value> =
        std::iter::once(view).chain(&view.folded).map(|view| sides(view, profile)).collect();
    json!({
        "id": item.id.0,
        "sourceType": source,
        "sourceRef": pairs[0]["newSourceRef"],
        "origin": subject.map(|memory| render::origin(memory.provenance.origin)),
        "agentSource": item.raised_by.as_str(),
        "confidence": subject.map(|memory| render::rounded(memory.confidence)),
        "status": "review",
        "accessCount": subject.map_or(0, |memory| memory.access.count),
        "lastAccessed": subject.and_then(|memory| memory.access.last).map(render::time),
        "contradictions": pairs,
        "promoteHistory": [],
        "createdAt": render::time(item.raised_at),
        "kind": item.kind.name(),
        "reason": item.reason,
    })
}

async fn resolve(
    engine: &Engine,
    caller: &Caller,
    arguments: &Arguments,
) -> Result<Value, Failure> {
    let (Some(id), Some(decision)) = (arguments.meta_id, arguments.resolution) else {
        return Err(Failure::invalid(
            "resolve needs metaId and \
             resolution: {\"action\": \"resolve\", \"metaId\": 123, \"resolution\": \"confirm\"}",
        ));
    };
    let input = ResolveReviewRequest::new(ReviewId(id), decision.resolution());
    let view = engine.reviews().resolve(caller, &input).await.map_err(not_in_review)?;
    let name = input.resolution.name();
    Ok(json!({
        "success": true, "metaId": id, "resolution": name,
        "message": describe_outcome(&view, input.resolution),
    }))
}

/// Reports an entry that is already resolved as not found: it is no longer in review, and the
/// contract has no code for a conflict.
fn not_in_review(failure: Failure) -> Failure {
    let code = if failure.code == ErrorCode::Conflict { ErrorCode::NotFound } else { failure.code };
    Failure { code, ..failure }
}
