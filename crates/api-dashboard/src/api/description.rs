//! The description of the operations by OpenAPI 3.1, made of what each says of itself.

use super::{Input, Output};
use axum::http::Method;
use schemars::generate::SchemaGenerator;
use serde_json::{Map, Value, json};

/// One operation as it is described.
pub(super) struct Described {
    /// Its name, which the audit log keeps too.
    pub id: String,
    method: String,
    path: &'static str,
    operation: Value,
}

impl Described {
    pub fn new<P: Input, A: Output>(
        schemas: &mut SchemaGenerator,
        method: &Method,
        path: &'static str,
        says: &'static str,
    ) -> Self {
        let answer = json!({
            "description": "It was done.",
            "headers": { "ETag": { "description": "The version of what is shown, where it has one.", "schema": { "type": "string" } } },
            "content": { "application/json": { "schema": schemas.subschema_for::<A>() } },
        });
        Self::answering::<P>(schemas, method, path, says, &answer)
    }

    /// A stream of server-sent events.
    pub fn events<P: Input>(
        schemas: &mut SchemaGenerator,
        path: &'static str,
        says: &'static str,
    ) -> Self {
        let answer = json!({
            "description": "Events by name, each with its data, until there is nothing more to tell.",
            "content": { "text/event-stream": { "schema": { "type": "string" } } },
        });
        Self::answering::<P>(schemas, &Method::GET, path, says, &answer)
    }

    fn answering<P: Input>(
        schemas: &mut SchemaGenerator,
        method: &Method,
        path: &'static str,
        says: &'static str,
        answer: &Value,
    ) -> Self {
        let method = method.as_str().to_lowercase();
        let words = path.split(['/', '{', '}']).filter(|word| !word.is_empty() && *word != "v1");
        let id =
            std::iter::once(method.as_str()).chain(words.clone()).collect::<Vec<_>>().join("_");
        let operation = json!({
            "operationId": id,
            "summary": says,
            "tags": [words.clone().next().unwrap_or_default()],
            "parameters": parameters::<P>(schemas, "path"),
            "responses": { "200": answer, "default": { "$ref": "#/components/responses/Refused" } },
        });
        Self { id, method, path, operation }
    }

    pub fn with_query<Q: Input>(mut self, schemas: &mut SchemaGenerator) -> Self {
        let query = parameters::<Q>(schemas, "query");
        if let Some(known) = self.operation["parameters"].as_array_mut() {
            known.extend(query);
        }
        self
    }

    pub fn with_body<B: Input>(mut self, schemas: &mut SchemaGenerator) -> Self {
        let schema = schemas.subschema_for::<B>();
        let body =
            json!({ "required": true, "content": { "application/json": { "schema": schema } } });
        self.operation["requestBody"] = body;
        let tag = json!({ "name": "If-Match", "in": "header", "required": false, "schema": { "type": "string" },
            "description": "The version the edit was made from; refused with `conflict` when another stands." });
        if let Some(known) =
            self.operation["parameters"].as_array_mut().filter(|_| self.method == "patch")
        {
            known.push(tag);
        }
        self
    }
}

/// The fields of an input as parameters of the path or the query.
fn parameters<I: Input>(schemas: &mut SchemaGenerator, place: &str) -> Vec<Value> {
    let schema = I::json_schema(schemas).to_value();
    let required = |name: &str| {
        let names = schema["required"].as_array();
        place == "path" || names.is_some_and(|names| names.iter().any(|known| known == name))
    };
    let fields = schema["properties"].as_object().into_iter().flatten();
    let parameter = |(name, field): (&String, &Value)| {
        let mut field = field.clone();
        let says = field.as_object_mut().and_then(|field| field.remove("description"));
        json!({ "name": name, "in": place, "required": required(name), "schema": present(field), "description": says })
    };
    fields.map(parameter).collect()
}

/// A parameter that is not there is left out, so none is ever null.
fn present(mut field: Value) -> Value {
    if let Some(kinds) = field["type"].as_array_mut() {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            field["type"] = only.clone();
        }
    }
    field
}

/// The whole description.
pub(super) fn whole(described: &[Described], schemas: Map<String, Value>) -> Value {
    let mut paths = Map::new();
    for one in described {
        paths.entry(one.path).or_insert_with(|| json!({}))[&one.method] = one.operation.clone();
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Quipu",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The memory of its owner. Show the owner's token, or the session of the dashboard.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "responses": { "Refused": {
                "description": "It was not done; the body says why and what to do.",
                "content": { "application/json": { "schema": refusal() } },
            }},
            "schemas": schemas,
        },
    })
}

fn refusal() -> Value {
    let text = json!({ "type": "string" });
    let error = json!({
        "type": "object",
        "required": ["code", "message", "hint", "retryable"],
        "properties": { "code": text, "message": text, "hint": text, "retryable": { "type": "boolean" } },
    });
    json!({ "type": "object", "required": ["error"], "properties": { "error": error } })
}
