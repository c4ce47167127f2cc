//! Rendering in Epitome's terms: origins, statuses, numbers, dates and warnings.

use crate::marks::{self, MarkFields};
pub(super) use crate::optional_fields::{insert_non_empty, insert_some};

use model::{JsonMap, Memory, Moment, Origin, Status};
use serde_json::{Value, json};

/// Marks of memories; a flagged one has the status `review` already.
pub(super) const MARKS: MarkFields = MarkFields { under_review: "underReview", ..marks::PLAIN };

/// Returns Epitome's name of an origin.
pub(super) fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Typed => "user_typed",
        Origin::Stated => "user_stated",
        Origin::Agent => "ai_stated",
        Origin::Inferred => "ai_inferred",
        Origin::Imported | Origin::Outside => "imported",
    }
}

/// Returns Epitome's name of the status of a memory.
pub(super) fn status(memory: &Memory) -> &'static str {
    match memory.status {
        Status::Active if memory.flags > 0 => "review",
        Status::Active => match memory.provenance.trust.0 {
            80.. => "trusted",
            50.. => "active",
            _ => "unvetted",
        },
        Status::Proposed => "review",
        Status::Rejected => "rejected",
        Status::Superseded | Status::Retired => "decayed",
    }
}

/// Rounds to two decimal places.
pub(super) fn rounded(number: f32) -> Value {
    json!((f64::from(number) * 100.0).round() / 100.0)
}

/// Renders a point in time.
pub(super) fn time(moment: Moment) -> Value {
    moment.to_string().into()
}

/// Converts texts to JSON strings.
pub(super) fn texts(texts: &[String]) -> Vec<Value> {
    texts.iter().map(|text| text.as_str().into()).collect()
}

/// Appends warnings to those of a result.
pub(super) fn append_warnings(answer: Value, more: &[String]) -> Value {
    let Value::Object(mut answer) = answer else { return answer };
    if more.is_empty() {
        return Value::Object(answer);
    }
    let known = answer.get("warnings").or_else(|| answer.get("_meta")?.get("warnings"));
    let known = known.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let all: Vec<String> = known.map(str::to_owned).chain(more.iter().cloned()).collect();
    answer.insert("warnings".to_owned(), json!(all));
    set_meta_warnings(answer, &all)
}

/// Sets `_meta.warnings` if there are any.
pub(super) fn set_meta_warnings(mut answer: JsonMap, warnings: &[String]) -> Value {
    if !warnings.is_empty() {
        let meta = answer.entry("_meta").or_insert_with(|| json!({}));
        meta["warnings"] = json!(warnings);
    }
    Value::Object(answer)
}
