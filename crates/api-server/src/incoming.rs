//! Reads one message of the protocol from the bytes that a client sent, over either transport.
//! Half of a surrogate pair is replaced; anything else that cannot be read becomes an error with
//! the id of the request, as far as the id can be read, so that no client waits in vain.

mod id_scanner;
mod surrogates;

pub(crate) use id_scanner::IdScanner;
pub(crate) use surrogates::replace_lone_surrogates;

use crate::request_params::unreadable_request;
use rmcp::ErrorData;
use rmcp::model::{CustomRequest, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde_json::Value;
use serde_json::error::Category;
use std::borrow::Cow;

/// UTF-8 byte order mark, which some programs put before the first message.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Content of one line or body.
#[derive(Debug)]
pub(crate) enum IncomingMessage {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing that wants an answer: an empty line, or a notification of another protocol.
    Nothing,
    Unreadable(MessageFault),
}

/// Answer to a message that could not be read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MessageFault {
    pub id: Option<RequestId>,
    pub error: ErrorData,
}

impl MessageFault {
    /// Describes input that is not JSON.
    pub fn not_json(id: Option<RequestId>, reason: &str) -> Self {
        Self { id, error: ErrorData::parse_error(format!("Parse error: {reason}"), None) }
    }
}

/// Reads a message.
pub(crate) fn read_message(bytes: &[u8]) -> IncomingMessage {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii();
    if bytes.is_empty() {
        return IncomingMessage::Nothing;
    }
    let fault = match parse(bytes) {
        Ok(message) => return message,
        Err(fault) => fault,
    };
    // Looked for only now, because hardly any message has one.
    match replace_lone_surrogates(bytes) {
        Cow::Owned(repaired) => parse(&repaired).unwrap_or_else(IncomingMessage::Unreadable),
        Cow::Borrowed(_) => IncomingMessage::Unreadable(fault),
    }
}

fn parse(bytes: &[u8]) -> Result<IncomingMessage, MessageFault> {
    let error = match serde_json::from_slice(bytes) {
        Ok(message) => return Ok(IncomingMessage::Message(Box::new(message))),
        Err(error) => error,
    };
    match (error.classify(), serde_json::from_slice::<Value>(bytes)) {
        (Category::Data, Ok(value)) if is_notification(&value) => Ok(IncomingMessage::Nothing),
        (Category::Data, Ok(value)) => Err(not_a_message(bytes, &value)),
        _ => Err(MessageFault::not_json(IdScanner::id_in(bytes), &error.to_string())),
    }
}

/// Returns true for what looks like a notification; the sender of one expects no answer.
fn is_notification(value: &Value) -> bool {
    value.get("method").is_some_and(Value::is_string) && value.get("id").is_none()
}

fn not_a_message(bytes: &[u8], value: &Value) -> MessageFault {
    let id = IdScanner::id_in(bytes);
    // A request with parameters in another form than rmcp can keep.
    if let (Some(id), Some(method), Some(params)) =
        (&id, value.get("method").and_then(Value::as_str), value.get("params"))
        && !params.is_object()
    {
        let error = unreadable_request(CustomRequest::new(method, Some(params.clone())));
        return MessageFault { id: Some(id.clone()), error };
    }
    let reason = match value {
        Value::Array(_) => "batches are not supported; send one message per line",
        Value::Object(fields) if !fields.contains_key("method") => "`method` is missing",
        Value::Object(fields) if fields.get("jsonrpc") != Some(&"2.0".into()) => {
            "`jsonrpc` must be \"2.0\""
        }
        Value::Object(_) => "`id` must be a string or an integer, and `method` a string",
        _ => "a message is an object",
    };
    let error = ErrorData::invalid_request(format!("Invalid request: {reason}"), None);
    MessageFault { id, error }
}

#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ErrorCode, JsonRpcMessage};

    fn fault(bytes: &[u8]) -> MessageFault {
        match read_message(bytes) {
            IncomingMessage::Unreadable(fault) => fault,
            other => panic!("expected a fault, got {other:?}"),
        }
    }

    #[test]
    fn what_is_not_json_is_a_parse_error_with_the_id_of_the_request() {
        let deep = format!("{{\"id\":9,\"params\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
        for line in [
            &b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"x\":NaN}}"[..],
            b"{\"id\":9,\"method\":\"ping\",\"params\":{\"x\":\"\xff\xfe\"}}",
            b"{\"params\":{\"id\":1,\"list\":[{}]},\"id\":9,\"method\":",
            deep.as_bytes(),
        ] {
            let fault = fault(line);
            assert_eq!(fault.error.code, ErrorCode::PARSE_ERROR, "{fault:?}");
            assert_eq!(fault.id, Some(RequestId::Number(9)), "{fault:?}");
        }
        assert_eq!(fault(b"not json").id, None);
    }

    #[test]
    fn json_that_is_no_message_is_an_invalid_request() {
        for line in ["[]", "7", "{}", r#"{"jsonrpc":"2.0","id":4}"#, r#"{"id":{},"method":"x"}"#] {
            assert_eq!(fault(line.as_bytes()).error.code, ErrorCode::INVALID_REQUEST, "{line}");
        }
        assert_eq!(fault(br#"{"jsonrpc":"2.0","id":4}"#).id, Some(RequestId::Number(4)));
    }

    #[test]
    fn half_a_surrogate_pair_does_not_stop_a_message() {
        let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\ud83d"}}"#;
        let IncomingMessage::Message(message) = read_message(line) else { panic!("no message") };
        let JsonRpcMessage::Request(request) = *message else { panic!("no request") };
        assert!(serde_json::to_string(&request.request).unwrap().contains("a\u{fffd}"));
    }

    #[test]
    fn an_empty_line_and_a_foreign_notification_want_no_answer() {
        for line in ["", "  \r", r#"{"method":"$/progress","params":7}"#] {
            let read = read_message(line.as_bytes());
            assert!(!matches!(read, IncomingMessage::Unreadable(_)), "{line}: {read:?}");
        }
    }
}
