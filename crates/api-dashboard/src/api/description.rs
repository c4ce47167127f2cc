//! The OpenAPI 3.1 document, generated from the table of operations.

use super::{RequestPart, ResponseBody};
use axum::http::Method;
use schemars::generate::SchemaGenerator;
use serde_json::{Map, Value, json};

/// Description of one operation.
pub(super) struct OperationDescription {
    /// Name of the operation, which is also stored in the audit log.
    pub id: String,
    pub summary: &'static str,
    method: String,
    path: &'static str,
    operation: Value,
}

impl OperationDescription {
    pub fn new<P: RequestPart, A: ResponseBody>(
        schemas: &mut SchemaGenerator,
        method: &Method,
        path: &'static str,
        summary: &'static str,
    ) -> Self {
        let answer = json!({
            "description": "Success.",
            "headers": { "ETag": {
                "description": "Version of the resource, where it has one.",
                "schema": { "type": "string" },
            } },
            "content": { "application/json": { "schema": schemas.subschema_for::<A>() } },
        });
        Self::with_response::<P>(schemas, method, path, summary, &answer)
    }

    /// Describes a stream of server-sent events.
    pub fn events<P: RequestPart>(
        schemas: &mut SchemaGenerator,
        path: &'static str,
        summary: &'static str,
    ) -> Self {
        let answer = json!({
            "description": "Named events with data, until the stream ends.",
            "content": { "text/event-stream": { "schema": { "type": "string" } } },
        });
        Self::with_response::<P>(schemas, &Method::GET, path, summary, &answer)
    }

    fn with_response<P: RequestPart>(
        schemas: &mut SchemaGenerator,
        method: &Method,
        path: &'static str,
        summary: &'static str,
        answer: &Value,
    ) -> Self {
        let method = method.as_str().to_lowercase();
        let words = path.split(['/', '{', '}']).filter(|word| !word.is_empty() && *word != "v1");
        // Built from method and path, so it is unique.
        let id =
            std::iter::once(method.as_str()).chain(words.clone()).collect::<Vec<_>>().join("_");
        let operation = json!({
            "operationId": id,
            "summary": summary,
            "tags": [words.clone().next().unwrap_or_default()],
            "parameters": parameters::<P>(schemas, "path"),
            "responses": { "200": answer, "default": { "$ref": "#/components/responses/Refused" } },
        });
        Self { id, summary, method, path, operation }
    }

    pub fn with_query<Q: RequestPart>(mut self, schemas: &mut SchemaGenerator) -> Self {
        let query = parameters::<Q>(schemas, "query");
        if let Some(parameters) = self.operation["parameters"].as_array_mut() {
            parameters.extend(query);
        }
        self
    }

    pub fn with_body<B: RequestPart>(mut self, schemas: &mut SchemaGenerator) -> Self {
        let schema = schemas.subschema_for::<B>();
        let body =
            json!({ "required": true, "content": { "application/json": { "schema": schema } } });
        self.operation["requestBody"] = body;
        let tag = json!({
            "name": "If-Match", "in": "header", "required": false, "schema": { "type": "string" },
            "description": "Version the edit is based on; fails with `conflict` if it is outdated.",
        });
        // Only edits are based on a version.
        if let Some(parameters) =
            self.operation["parameters"].as_array_mut().filter(|_| self.method == "patch")
        {
            parameters.push(tag);
        }
        self
    }
}

/// Returns the fields of an input as parameters of the path or the query.
fn parameters<I: RequestPart>(schemas: &mut SchemaGenerator, location: &str) -> Vec<Value> {
    let schema = I::json_schema(schemas).to_value();
    let required = |name: &str| {
        let names = schema["required"].as_array();
        location == "path" || names.is_some_and(|names| names.iter().any(|other| other == name))
    };
    let fields = schema["properties"].as_object().into_iter().flatten();
    let parameter = |(name, field): (&String, &Value)| {
        let mut field = field.clone();
        let summary = field.as_object_mut().and_then(|field| field.remove("description"));
        json!({
            "name": name, "in": location, "required": required(name), "schema": without_null(field),
            "description": summary,
        })
    };
    fields.map(parameter).collect()
}

/// Removes `null` from the types of a parameter: an absent parameter is left out, never null.
fn without_null(mut field: Value) -> Value {
    if let Some(kinds) = field["type"].as_array_mut() {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            field["type"] = only.clone();
        }
    }
    field
}

/// Builds the OpenAPI document.
pub(super) fn openapi_document(
    described: &[OperationDescription],
    schemas: Map<String, Value>,
) -> Value {
    let mut paths = Map::new();
    for one in described {
        paths.entry(one.path).or_insert_with(|| json!({}))[&one.method] = one.operation.clone();
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Quipu",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The owner's memory. Authenticate with the owner's token, an agent's \
                key or the session of the dashboard.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "responses": { "Refused": {
                "description": "Failure; the body says why and what to do.",
                "content": { "application/json": { "schema": error_schema() } },
            }},
            "schemas": schemas,
        },
    })
}

fn error_schema() -> Value {
    let text = json!({ "type": "string" });
    let error = json!({
        "type": "object",
        "required": ["code", "message", "hint", "retryable"],
        "properties": {
            "code": text, "message": text, "hint": text, "retryable": { "type": "boolean" },
        },
    });
    json!({ "type": "object", "required": ["error"], "properties": { "error": error } })
}
