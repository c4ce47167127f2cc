//! `memory_ground`: checks a claim against memory. The contract has no verdict for a contradicted
//! claim, so it counts as ungrounded, with the contradicting memories beside it.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::suggest::SuggestRequest;
use engine::verify::{ClaimVerdict, Evidence, Verification};
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default share of the claim that a memory must cover to count as a match.
const DEFAULT_THRESHOLD: f32 = 0.3;
/// Maximum number of suggestions for an ungrounded claim.
const SUGGESTIONS_MAX: usize = 5;

/// Arguments of `memory_ground`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Claim, one sentence.
    claim: String,
    /// Share of the claim that a memory must cover to count as a match, above 1 counts as 1.
    #[schemars(extend("default" = 0.3))]
    threshold: Option<f32>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_ground",
    title: "Ground a claim",
    description: "Check a claim against memory before you state it: verified if one memory covers \
                  it, partial if parts are covered, ungrounded if nothing is or a memory \
                  contradicts it. Example: {\"claim\": \"the staging database is Postgres 16\"}",
    input: arguments::schema::<Arguments>,
    output: "status: string, claim: string, confidence: number, evidence: objects, \
             evidence_count: integer, missing?: strings, contradicted_by?: objects, \
             reason?: string, suggestions?: strings",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let threshold = arguments.threshold.unwrap_or(DEFAULT_THRESHOLD);
    if threshold.is_nan() || threshold < 0.0 {
        return Err(Failure::invalid(format!(
            "threshold must be a share of the claim, from 0 to 1; got {threshold}"
        )));
    }
    if arguments.claim.trim().is_empty() {
        return Ok(nothing_claimed(&arguments.claim));
    }
    // In the original the threshold is a BM25 score, which may exceed 1.
    let verification = engine
        .memories()
        .verify_with_threshold(caller, &arguments.claim, threshold.min(1.0))
        .await?;
    let mut answer = render_result(&arguments.claim, &verification);
    if answer["status"] == "ungrounded" {
        answer["reason"] = reason(&verification).into();
        answer["suggestions"] = json!(suggestions(engine, caller, &arguments.claim).await?);
    }
    Ok(answer)
}

/// Returns the result for an empty claim, which no memory can cover.
fn nothing_claimed(claim: &str) -> Value {
    json!({
        "status": "ungrounded",
        "claim": claim,
        "confidence": 0.0,
        "evidence_count": 0,
        "evidence": [],
        "reason": "the claim is empty",
        "suggestions": [],
    })
}

fn render_result(claim: &str, verification: &Verification) -> Value {
    let (against, evidence): (Vec<&Evidence>, Vec<&Evidence>) =
        verification.evidence.iter().partition(|piece| piece.against.is_some());
    let contradicted = verification.verdict == ClaimVerdict::Contradicted;
    let evidence = if contradicted { Vec::new() } else { evidence };
    let confidence = match evidence.is_empty() {
        true => json!(0.0),
        false => render::rounded(verification.confidence),
    };
    let mut answer = json!({
        "status": if contradicted { "ungrounded" } else { verification.verdict.name() },
        "claim": claim,
        "confidence": confidence,
        "evidence_count": evidence.len(),
        "evidence": evidence.iter().map(|piece| render_evidence(piece)).collect::<Vec<_>>(),
    });
    if !verification.missing.is_empty() {
        answer["missing"] = json!(verification.missing);
    }
    if !against.is_empty() {
        answer["contradicted_by"] = against.iter().map(|piece| render_evidence(piece)).collect();
    }
    answer
}

fn render_evidence(piece: &Evidence) -> Value {
    let mut shown = render::search_hit(&piece.memory);
    shown.insert("score".into(), render::rounded(piece.coverage));
    shown.insert("matched_terms".into(), json!(piece.covers));
    if let Some(why) = &piece.against {
        shown.insert("against".into(), why.as_str().into());
    }
    Value::Object(shown)
}

fn reason(verification: &Verification) -> &'static str {
    match verification.verdict {
        ClaimVerdict::Contradicted => "a memory contradicts it; see contradicted_by",
        _ => "no memory covers enough of this claim",
    }
}

async fn suggestions(
    engine: &Engine,
    caller: &Caller,
    claim: &str,
) -> Result<Vec<String>, Failure> {
    let input =
        SuggestRequest { text: claim.to_owned(), limit: SUGGESTIONS_MAX, sources_only: true };
    let alike = engine.memories().suggest(caller, &input).await?;
    Ok(alike.iter().map(|one| render::preview(&one.memory.titled_text())).collect())
}
