//! Keeps answers within a number of tokens, whatever they hold: long texts are cut and marked, and
//! items at the end of a list are left out and counted. The answer says how to get them.

mod cut_texts;
mod fitted_list;

pub(crate) use cut_texts::beginning;
pub(crate) use fitted_list::{FittedList, fit_list};

use cut_texts::cut_texts;
use engine::estimate_tokens;
use model::JsonMap;
use serde_json::Value;

/// Maximum number of tokens of any answer to an agent. Several clients refuse more than 25,000.
pub(crate) const ANSWER_TOKENS: usize = 20_000;

/// Tokens reserved for the sentence that says what was left out.
const NOTE_TOKENS: usize = 160;

/// Tokens that a text outside of every list may have, tried one after the other.
const TEXT_TOKENS: [usize; 5] = [4_000, 1_000, 250, 60, 15];

/// Fields that hold a document which no other call returns, and which has a limit of its own.
const DOCUMENT_FIELDS: [&str; 2] = ["document", "document_md"];

/// Fields that hold the number of items of the list beside them.
const COUNT_FIELDS: [&str; 3] = ["count", "recordCount", "resultCount"];

/// Names under which a contract reports what was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeftOutFields {
    /// `left_out` and `hint`.
    Hint,
    /// `left_out` and `notes`.
    Notes,
    /// `leftOut`, `warnings` and `_meta.warnings`.
    Warnings,
}

/// Estimates the tokens of a value as compact JSON, with the comma behind it.
pub(crate) fn cost(value: &Value) -> usize {
    estimate_tokens(&value.to_string()) + 1
}

/// Cuts an answer to a number of tokens, and reports what is missing.
pub(crate) fn fit_answer(answer: Value, tokens: usize, fields: LeftOutFields) -> Value {
    if cost(&answer) <= tokens {
        return answer;
    }
    let target = tokens.saturating_sub(NOTE_TOKENS);
    match answer {
        Value::Array(items) => fit_array(items, target, tokens),
        Value::Object(object) => {
            let mut answer = Value::Object(object);
            let missing = fit_object(&mut answer, target);
            report(answer, &missing, tokens, fields)
        }
        other => other,
    }
}

/// Contents that were taken out of an answer.
#[derive(Debug, Default)]
struct MissingContent {
    /// Number of items left out of each list.
    left_out: Vec<(String, usize)>,
    is_cut: bool,
}

/// Cuts a contract's bare list, whose last item carries the report.
fn fit_array(items: Vec<Value>, target: usize, tokens: usize) -> Value {
    let FittedList { mut items, left_out, is_cut } = fit_list(items, target);
    let missing = MissingContent { left_out: vec![("items".to_owned(), left_out)], is_cut };
    if let Some(Value::Object(last)) = items.last_mut() {
        if left_out > 0 {
            last.insert("left_out".to_owned(), left_out.into());
        }
        last.insert("hint".to_owned(), sentence(&missing, tokens).into());
    }
    Value::Array(items)
}

/// Shortens the largest lists first, then texts outside of lists.
fn fit_object(answer: &mut Value, target: usize) -> MissingContent {
    let mut missing = MissingContent::default();
    let mut done: Vec<String> = Vec::new();
    while cost(answer) > target {
        let Some(path) = largest_list(answer, &done) else { break };
        let excess = cost(answer) - target;
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        if let Some(list) = answer.pointer_mut(&path).and_then(Value::as_array_mut) {
            let items = std::mem::take(list);
            let (count, of_list) = (items.len(), cost(&Value::Array(items.clone())));
            let fitted = fit_list(items, of_list.saturating_sub(excess));
            *list = fitted.items;
            let shown = list.len();
            missing.is_cut |= fitted.is_cut;
            if fitted.left_out > 0 {
                let name = path.rsplit('/').next().unwrap_or_default().to_owned();
                missing.left_out.push((name, fitted.left_out));
            }
            correct_counts(answer.pointer_mut(&parent), count, shown);
        }
        done.push(path);
    }
    for limit in TEXT_TOKENS {
        if cost(answer) <= target {
            break;
        }
        missing.is_cut |= cut_texts(answer, limit, &DOCUMENT_FIELDS);
    }
    missing
}

/// Returns the path of the largest list that was not shortened yet.
fn largest_list(answer: &Value, done: &[String]) -> Option<String> {
    let mut lists = Vec::new();
    collect_lists(answer, "", &mut lists);
    lists.retain(|(path, _)| !done.contains(path));
    lists.into_iter().max_by_key(|(_, cost)| *cost).map(|(path, _)| path)
}

/// Collects the lists outside of every other list, with their costs.
fn collect_lists(value: &Value, path: &str, lists: &mut Vec<(String, usize)>) {
    let Value::Object(fields) = value else { return };
    for (name, inner) in fields {
        let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
        match inner {
            Value::Array(items) if !items.is_empty() => lists.push((path, cost(inner))),
            inner => collect_lists(inner, &path, lists),
        }
    }
}

fn correct_counts(parent: Option<&mut Value>, before: usize, after: usize) {
    let Some(Value::Object(fields)) = parent else { return };
    for name in COUNT_FIELDS {
        if fields.get(name) == Some(&Value::from(before)) {
            fields.insert(name.to_owned(), after.into());
        }
    }
}

fn report(answer: Value, missing: &MissingContent, tokens: usize, fields: LeftOutFields) -> Value {
    let Value::Object(mut answer) = answer else { return answer };
    let sentence = sentence(missing, tokens);
    let left_out: usize = missing.left_out.iter().map(|(_, count)| count).sum();
    let field = if fields == LeftOutFields::Warnings { "leftOut" } else { "left_out" };
    if left_out > 0 {
        let before = answer.get(field).and_then(Value::as_u64).unwrap_or(0);
        answer.insert(field.to_owned(), (before + left_out as u64).into());
    }
    match fields {
        LeftOutFields::Hint => {
            let known = answer.get("hint").and_then(Value::as_str);
            let hint = known.map_or(sentence.clone(), |known| format!("{known}; {sentence}"));
            answer.insert("hint".to_owned(), hint.into());
            Value::Object(answer)
        }
        LeftOutFields::Notes => {
            append(&mut answer, "notes", sentence);
            Value::Object(answer)
        }
        LeftOutFields::Warnings => crate::epitome::with_warning(Value::Object(answer), sentence),
    }
}

fn append(answer: &mut JsonMap, field: &str, text: String) {
    let list = answer.entry(field).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        list.push(text.into());
    }
}

/// Says what is missing and how to get it.
fn sentence(missing: &MissingContent, tokens: usize) -> String {
    let lists: Vec<String> = missing
        .left_out
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let mut parts = Vec::new();
    if !lists.is_empty() {
        parts.push(format!(
            "{} left out to stay within {tokens} tokens: narrow the query, or ask with a smaller \
             limit and an offset or ids",
            lists.join(", ")
        ));
    }
    if missing.is_cut {
        parts.push("texts that end in [cut …] are shortened; ask for one alone".to_owned());
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests;
