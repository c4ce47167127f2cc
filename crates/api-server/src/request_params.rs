//! Explains why a request of a known method could not be read. rmcp takes such a request for one of
//! an unknown method; a client is better served with the name of the parameter at fault.

use rmcp::ErrorData;
use rmcp::model::{CustomRequest, ErrorCode};
use serde_json::Value;

/// Parameter of a method: name, JSON type, and whether a request needs it.
type ParameterRule = (&'static str, ParameterType, bool);

/// Parameters of the handshake, which exists only where a conversation begins with one.
const HANDSHAKE: &[ParameterRule] = &[
    ("protocolVersion", ParameterType::Text, true),
    ("capabilities", ParameterType::Object, true),
    ("clientInfo", ParameterType::Object, true),
];

/// Methods that take parameters. Not `initialize`: in the protocol without a handshake it is an
/// unknown method, and must be answered as one.
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

/// Returns the error for a first request that rmcp could not read where a handshake is due.
pub(crate) fn unreadable_first_request(request: CustomRequest) -> ErrorData {
    if request.method == "initialize" {
        return wrong_parameters("initialize", HANDSHAKE, request.params.as_ref());
    }
    unreadable_request(request)
}

/// Returns the error for a request that rmcp could not read.
pub(crate) fn unreadable_request(request: CustomRequest) -> ErrorData {
    let CustomRequest { method, params, .. } = request;
    match PARAMETERS.iter().find(|(known, _)| *known == method) {
        Some((name, rules)) => wrong_parameters(name, rules, params.as_ref()),
        None => {
            let method: String = method.chars().take(100).collect();
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)
        }
    }
}

/// Returns the error that names the first parameter against its rule.
fn wrong_parameters(method: &str, rules: &[ParameterRule], params: Option<&Value>) -> ErrorData {
    let fault = match params {
        Some(Value::Object(given)) => rules.iter().find_map(|(parameter, kind, required)| {
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
    ErrorData::invalid_params(format!("{method}: {fault}"), None)
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
}
