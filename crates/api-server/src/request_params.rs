//! Explains why a request of a known method could not be read. rmcp takes such a request for one of
//! an unknown method; a client is better served with the name of the parameter at fault.

use rmcp::ErrorData;
use rmcp::model::{CustomRequest, ErrorCode};
use serde_json::Value;

/// Parameter of a method: name, JSON type, and whether a request needs it.
type ParameterRule = (&'static str, ParameterType, bool);

/// Key in `_meta` of the protocol version of a single request.
const VERSION_OF_REQUEST: &str = "io.modelcontextprotocol/protocolVersion";

/// Methods that take parameters.
const PARAMETERS: &[(&str, &[ParameterRule])] = &[
    (
        "tools/call",
        &[
            ("name", ParameterType::Text, true),
            ("arguments", ParameterType::Object, false),
            ("_meta", ParameterType::Object, false),
        ],
    ),
    (
        "prompts/get",
        &[("name", ParameterType::Text, true), ("arguments", ParameterType::Object, false)],
    ),
    ("resources/read", &[("uri", ParameterType::Text, true)]),
    ("tools/list", &[("cursor", ParameterType::Text, false)]),
    ("prompts/list", &[("cursor", ParameterType::Text, false)]),
    ("resources/list", &[("cursor", ParameterType::Text, false)]),
    ("resources/templates/list", &[("cursor", ParameterType::Text, false)]),
    (
        "initialize",
        &[
            ("protocolVersion", ParameterType::Text, true),
            ("capabilities", ParameterType::Object, true),
            ("clientInfo", ParameterType::Object, true),
        ],
    ),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParameterType {
    Text,
    Object,
}

impl ParameterType {
    fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Object => value.is_object(),
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Object => "an object",
        }
    }
}

/// Returns the error for a request that rmcp could not read.
pub(crate) fn unreadable_request(request: CustomRequest) -> ErrorData {
    let CustomRequest { method, params, .. } = request;
    let known = PARAMETERS.iter().find(|(known, _)| *known == method);
    let Some((name, parameters)) = known.filter(|_| !is_removed(&method, params.as_ref())) else {
        let method: String = method.chars().take(100).collect();
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None);
    };
    let fault = match &params {
        Some(Value::Object(given)) => parameters.iter().find_map(|(parameter, kind, required)| {
            let parameter_fault = match given.get(*parameter) {
                None | Some(Value::Null) => required.then(|| "is missing".to_owned()),
                Some(value) if kind.accepts(value) => None,
                Some(value) => Some(format!("is {}", describe_value(value))),
            };
            parameter_fault
                .map(|fault| format!("`{parameter}` must be {}, but {fault}", kind.description()))
        }),
        None => Some("`params` is missing".to_owned()),
        Some(_) => Some("`params` must be an object".to_owned()),
    };
    let fault = fault.unwrap_or_else(|| "the parameters could not be read".to_owned());
    ErrorData::invalid_params(format!("{name}: {fault}"), None)
}

/// Returns whether a request names a protocol version in which its method no longer exists.
fn is_removed(method: &str, params: Option<&Value>) -> bool {
    // Only requests without a handshake carry their version themselves.
    let version = params.and_then(|params| params.get("_meta")?.get(VERSION_OF_REQUEST));
    method == "initialize" && version.is_some()
}

fn describe_value(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(method: &str, params: Value) -> String {
        let error = unreadable_request(CustomRequest::new(method, Some(params)));
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        error.message.into_owned()
    }

    #[test]
    fn the_parameter_at_fault_is_named() {
        assert_eq!(
            message("tools/call", json!({"name": "recall", "arguments": []})),
            "tools/call: `arguments` must be an object, but is a list"
        );
        assert_eq!(
            message("tools/call", json!({"name": "recall", "arguments": "{}"})),
            "tools/call: `arguments` must be an object, but is a string"
        );
        assert_eq!(
            message("tools/call", json!({"arguments": {}})),
            "tools/call: `name` must be a string, but is missing"
        );
        assert_eq!(
            message("prompts/get", json!({"name": 7})),
            "prompts/get: `name` must be a string, but is a number"
        );
        assert_eq!(
            message("resources/read", json!([])),
            "resources/read: `params` must be an object"
        );
    }

    #[test]
    fn an_unknown_method_stays_one() {
        let error = unreadable_request(CustomRequest::new("tools/destroy", None));
        assert_eq!(error.code, ErrorCode::METHOD_NOT_FOUND);
        assert_eq!(error.message, "tools/destroy");
    }

    #[test]
    fn a_request_that_carries_its_version_needs_no_handshake() {
        let params = json!({"_meta": {VERSION_OF_REQUEST: "2026-07-28"}});
        let error = unreadable_request(CustomRequest::new("initialize", Some(params)));
        assert_eq!(error.code, ErrorCode::METHOD_NOT_FOUND);
    }
}
