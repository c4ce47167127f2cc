//! `memory_ground`: does memory back a claim?

use super::{Effect, shown};
use crate::{Tool, arguments};
use engine::similar::{Likeness, Similar};
use engine::verify::{Evidence, Verdict, Verification};
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The share of the claim that a match covers when nobody says.
const THRESHOLD: f32 = 0.3;
/// How many suggestions come with a claim that nothing backs.
const SUGGESTIONS: usize = 5;
/// How alike a suggestion is at least.
const SUGGESTED_FROM: f32 = 0.2;

/// Arguments of `memory_ground`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The claim, one sentence.
    claim: String,
    /// The share of the claim that a memory covers to count as a match, default 0.3; above 1 counts
    /// as 1.
    threshold: Option<f32>,
}

pub(super) fn tool() -> Tool {
    super::tool::<Arguments>(
        "memory_ground",
        "Ground a claim",
        "Check a claim against memory before you state it: verified when one memory covers it, partial when parts \
         are covered, ungrounded when nothing is or a memory says otherwise. \
         Example: {\"claim\": \"the staging database is Postgres 16\"}",
        "status: string, claim: string, confidence: number, evidence: objects, evidence_count: integer, \
         missing?: strings, contradicted_by?: objects, reason?: string, suggestions?: strings",
        Effect::Reads,
    )
}

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let threshold = arguments.threshold.unwrap_or(THRESHOLD);
    if threshold.is_nan() || threshold < 0.0 {
        return Err(Failure::invalid(format!(
            "threshold is a share of the claim, from 0 to 1; got {threshold}"
        )));
    }
    let verification =
        engine.memories().verify_from(caller, &arguments.claim, threshold.min(1.0)).await?;
    let mut answer = told(&arguments.claim, &verification);
    if answer["status"] == "ungrounded" {
        answer["reason"] = reason(&verification).into();
        answer["suggestions"] = json!(suggestions(engine, caller, &arguments.claim).await?);
    }
    Ok(answer)
}

fn told(claim: &str, verification: &Verification) -> Value {
    let (against, evidence): (Vec<&Evidence>, Vec<&Evidence>) =
        verification.evidence.iter().partition(|piece| piece.against.is_some());
    let contradicted = verification.verdict == Verdict::Contradicted;
    let evidence = if contradicted { Vec::new() } else { evidence };
    let mut answer = json!({
        "status": if contradicted { "ungrounded" } else { verification.verdict.name() },
        "claim": claim,
        "confidence": if evidence.is_empty() { json!(0.0) } else { shown::number(verification.confidence) },
        "evidence_count": evidence.len(),
        "evidence": evidence.iter().map(|piece| shown_piece(piece)).collect::<Vec<_>>(),
    });
    if !verification.missing.is_empty() {
        answer["missing"] = json!(verification.missing);
    }
    if !against.is_empty() {
        answer["contradicted_by"] = against.iter().map(|piece| shown_piece(piece)).collect();
    }
    answer
}

fn shown_piece(piece: &Evidence) -> Value {
    let mut shown = shown::found(&piece.memory);
    shown.insert("score".into(), shown::number(piece.coverage));
    shown.insert("matched_terms".into(), json!(piece.covers));
    if let Some(why) = &piece.against {
        shown.insert("against".into(), why.as_str().into());
    }
    Value::Object(shown)
}

fn reason(verification: &Verification) -> &'static str {
    match verification.verdict {
        Verdict::Contradicted => "a memory says otherwise; see contradicted_by",
        _ => "no memory covers enough of this claim",
    }
}

async fn suggestions(
    engine: &Engine,
    caller: &Caller,
    claim: &str,
) -> Result<Vec<String>, Failure> {
    let to = Likeness::Text(claim.to_owned());
    let input = Similar { to, kinds: Vec::new(), min: SUGGESTED_FROM, limit: SUGGESTIONS };
    let alike = engine.memories().similar(caller, &input).await?;
    Ok(alike.iter().map(|one| shown::preview(&one.memory.text)).collect())
}
