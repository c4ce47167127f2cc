//! An answer as a tool result: the same JSON as structure and as text, or the failure as text.

use dialects::Dialect;
use model::Failure;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// The result a client gets.
///
/// Some clients show a model the structure, others the text, so both say the same. A failure travels as text
/// alone: the first generation of the TypeScript client holds the structure of a failed call against the
/// tool's output schema too, and would throw our message away.
pub(crate) fn reply(answer: Result<Value, Failure>, dialect: &dyn Dialect) -> CallToolResult {
    match answer {
        Ok(value) => CallToolResult::structured(value),
        Err(failure) => CallToolResult::error(vec![ContentBlock::text(told(&failure, dialect).to_string())]),
    }
}

/// A failure in the words of a dialect.
pub(crate) fn told(failure: &Failure, dialect: &dyn Dialect) -> Value {
    told_as(dialect.code(failure.code), failure)
}

/// A failure as every surface tells it that speaks no dialect.
pub(crate) fn told_plainly(failure: &Failure) -> Value {
    told_as(failure.code.name(), failure)
}

fn told_as(name: &str, failure: &Failure) -> Value {
    let Failure { code, message } = failure;
    json!({ "error": {
        "code": name,
        "message": message,
        "hint": code.hint(),
        "retryable": code.retryable(),
    }})
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialects::Quipu;
    use model::ErrorCode;

    #[test]
    fn text_and_structure_of_an_answer_say_the_same() {
        let answer = json!({ "memories": [{ "id": 1, "text": "a \"quoted\" ünïcode" }] });
        let result = serde_json::to_value(reply(Ok(answer.clone()), &Quipu::default())).unwrap();
        assert_eq!(result["structuredContent"], answer);
        assert_eq!(result["isError"], false);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), answer);
        assert!(!text.contains('\n') && !text.contains(": "), "compact: {text}");
    }

    #[test]
    fn a_failure_says_its_code_how_to_recover_and_whether_to_retry() {
        let failure = Failure::new(ErrorCode::StoreBusy, "the store is held by process 7");
        let result = serde_json::to_value(reply(Err(failure), &Quipu::default())).unwrap();
        assert_eq!(result["isError"], true);
        assert!(result.get("structuredContent").is_none(), "{result}");
        let told: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(told["error"]["code"], "store_busy");
        assert_eq!(told["error"]["message"], "the store is held by process 7");
        assert_eq!(told["error"]["hint"], ErrorCode::StoreBusy.hint());
        assert_eq!(told["error"]["retryable"], true);
    }
}
