//! Encodes the outcome of a call as a tool result: structure and text with the same content, or the
//! failure as a line of text.

use crate::call::ToolOutput;
use dialects::{DialectApi, LIST_FIELD};
use model::Failure;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// Encodes the result that a client gets.
///
/// Some clients show the model the structure, others the text, so both have the same content. The
/// text of a list is a list; the protocol wants an object as structure, so the list is put under
/// [`LIST_FIELD`] there. A failure is a line of text, because some hosts lose one that is JSON. Its
/// structure is sent only to clients of the protocol without a handshake: the first generation of
/// the TypeScript client checks the structure of a failed call against the tool's output schema
/// too, and would discard our message.
pub(crate) fn tool_result(
    answer: Result<ToolOutput, Failure>,
    dialect: &dyn DialectApi,
    takes_structured_failures: bool,
) -> CallToolResult {
    match answer {
        Ok(ToolOutput { value, text }) => {
            let structure = if value.is_array() { json!({ LIST_FIELD: value }) } else { value };
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(structure);
            result
        }
        Err(failure) => {
            let text = failure_text(&failure, dialect);
            let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
            result.structured_content =
                takes_structured_failures.then(|| dialect_failure_json(&failure, dialect));
            result
        }
    }
}

/// Encodes a failure as `code: sentence; hint`. On lines of their own follow the status, where the
/// contract knows failures by it, and each detail.
fn failure_text(failure: &Failure, dialect: &dyn DialectApi) -> String {
    let Failure { code, message, details } = failure;
    let (name, hint) = (dialect.error_code(*code), dialect.hint(*code));
    let mut text = format!("{name}: {}", message.trim_end_matches('.'));
    if !hint.is_empty() {
        text.push_str("; ");
        text.push_str(hint);
    }
    if dialect.shows_status() {
        text.push_str(&format!("\nstatus: {}", code.http_status()));
    }
    for (detail, value) in details {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.push_str(&format!("\n{detail}: {value}"));
    }
    text
}

/// Encodes a failure with the codes and hints of a dialect.
pub(crate) fn dialect_failure_json(failure: &Failure, dialect: &dyn DialectApi) -> Value {
    encode_failure(dialect.error_code(failure.code), dialect.hint(failure.code), failure)
}

/// Encodes a failure for every API that is not a dialect.
#[must_use]
pub fn failure_json(failure: &Failure) -> Value {
    encode_failure(failure.code.name(), failure.code.hint(), failure)
}

fn encode_failure(name: &str, hint: &str, failure: &Failure) -> Value {
    let Failure { code, message, details } = failure;
    let mut error = json!({
        "code": name,
        "status": code.http_status(),
        "message": message,
        "hint": hint,
        "retryable": code.retryable(),
    });
    if !details.is_empty() {
        error["details"] = json!(details);
    }
    json!({ "error": error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialects::{Librarian, Quipu};
    use model::ErrorCode;

    /// The answer of a tool, as a client gets it.
    fn result(answer: &Value, tool: &str, dialect: &dyn DialectApi) -> Value {
        let output = ToolOutput::render(dialect, tool, answer.clone());
        serde_json::to_value(tool_result(Ok(output), dialect, false)).unwrap()
    }

    #[test]
    fn text_and_structure_of_an_answer_say_the_same() {
        let answer = json!({ "memories": [{ "id": 1, "text": "a \"quoted\" ünïcode" }] });
        let result = result(&answer, "recall", &Quipu::default());
        assert_eq!(result["structuredContent"], answer);
        assert_eq!(result["isError"], false);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), answer);
        assert!(!text.contains('\n') && !text.contains(": "), "compact: {text}");
    }

    #[test]
    fn a_list_is_a_list_in_the_text_and_one_field_in_the_structure() {
        let result = result(&json!([{ "id": 1 }]), "list_recent", &Quipu::default());
        assert_eq!(result["structuredContent"], json!({ "result": [{ "id": 1 }] }));
        assert_eq!(result["content"][0]["text"], r#"[{"id":1}]"#);
    }

    #[test]
    fn a_dialect_that_answers_in_words_has_them_as_the_text() {
        let answer =
            json!({ "memories": [{ "id": "1", "title": "Deploys", "body": "On Tuesdays." }] });
        let result = result(&answer, "recall", &Librarian::default());
        assert_eq!(result["structuredContent"], answer);
        assert_eq!(
            result["content"][0]["text"],
            "Relevant Memories\n\n- [1] Deploys: On Tuesdays."
        );
    }

    #[test]
    fn a_failure_is_a_line_with_its_code_the_problem_and_the_way_to_recover() {
        let failure = Failure::new(ErrorCode::StoreBusy, "the store is held by process 7");
        let failure = failure.with_detail("process", 7);
        let result = tool_result(Err(failure), &Quipu::default(), false);
        let result = serde_json::to_value(result).unwrap();
        assert_eq!(result["isError"], true);
        assert!(result.get("structuredContent").is_none(), "{result}");
        let hint = ErrorCode::StoreBusy.hint();
        let text = format!("store_busy: the store is held by process 7; {hint}\nprocess: 7");
        assert_eq!(result["content"][0]["text"], text);
    }

    #[test]
    fn a_failure_has_a_structure_for_clients_that_read_it() {
        let failure = Failure::new(ErrorCode::StoreBusy, "the store is held by process 7");
        let failure = failure.with_detail("process", 7);
        let result = tool_result(Err(failure), &Quipu::default(), true);
        let body = serde_json::to_value(result).unwrap()["structuredContent"].clone();
        assert_eq!(body["error"]["code"], "store_busy");
        assert_eq!(body["error"]["message"], "the store is held by process 7");
        assert_eq!(body["error"]["hint"], ErrorCode::StoreBusy.hint());
        assert_eq!(body["error"]["retryable"], true);
        assert_eq!(body["error"]["status"], 503);
        assert_eq!(body["error"]["details"], json!({ "process": 7 }));
    }
}
