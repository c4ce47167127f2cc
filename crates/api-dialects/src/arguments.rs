//! Arguments of tools: from JSON to a tool's own struct, and from that struct to the schema that a
//! client sees. One definition serves both, so that every documented argument is accepted and every
//! accepted argument is documented.

use engine::sessions::SessionRef;
use model::{Failure, JsonMap, SessionId, limits};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// Maximum number of characters of an error message that may repeat what the caller sent.
const ECHO_CHARS_MAX: usize = 300;

/// Session named by its number or by its key.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(transform = number_or_text)]
pub enum SessionName {
    Number(i64),
    /// A key, or a number in quotes: models quote numbers now and then.
    Key(String),
}

impl SessionName {
    /// Returns the reference that the engine resolves.
    #[must_use]
    pub fn session(&self) -> SessionRef {
        match self {
            Self::Number(number) => SessionRef::Id(SessionId(*number)),
            Self::Key(key) => SessionRef::parse(key),
        }
    }
}

/// Replaces the `anyOf` of the two variants with one type: several hosts refuse a list of types. A
/// number is taken all the same.
fn number_or_text(schema: &mut schemars::Schema) {
    schema.remove("anyOf");
    schema.insert("type".to_owned(), json!("string"));
}

/// Returns the arguments of a call that asks a question; none without one.
pub(crate) fn question_argument(name: &str, question: Option<&str>) -> JsonMap {
    question.map(|question| (name.to_owned(), question.into())).into_iter().collect()
}

/// Deserializes a tool's arguments.
///
/// # Errors
/// `invalid_argument` with serde's message and the name of the argument at fault.
pub fn read<T: DeserializeOwned>(arguments: JsonMap) -> Result<T, Failure> {
    // Some clients fill in every field of the schema and send null for those they leave open.
    let given: JsonMap = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    deserialize::<T>(given.clone()).map_err(|error| match faulty_argument::<T>(&given, &error) {
        Some(name) if !error.contains(&format!("`{name}`")) => {
            Failure::invalid(format!("{name}: {error}"))
        }
        _ => Failure::invalid(error),
    })
}

/// Returns a project that was named. `*` stands for every project, as if none was named.
#[must_use]
pub fn one_project(project: Option<String>) -> Option<String> {
    non_empty(project).filter(|project| project != "*")
}

/// Trims a text and drops it if nothing is left. Several clients send an empty string for every
/// argument they leave out, so an empty text counts as missing.
#[must_use]
pub fn non_empty(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Checks that a text to be stored is neither empty nor too long. `field` is the name that the
/// contract has for it.
///
/// # Errors
/// `invalid_argument` or `limit_exceeded`, naming the field.
pub fn check_text(field: &str, text: &str) -> Result<(), Failure> {
    if text.trim().is_empty() {
        return Err(Failure::invalid(format!("{field} is empty; give a sentence to remember")));
    }
    limits::bytes(field, text, limits::TEXT_BYTES)
}

fn deserialize<T: DeserializeOwned>(given: JsonMap) -> Result<T, String> {
    serde_json::from_value(Value::Object(given)).map_err(|error| truncate(&error.to_string()))
}

/// Cuts a message that may repeat the caller's input to [`ECHO_CHARS_MAX`] characters.
pub(crate) fn truncate(message: &str) -> String {
    match message.char_indices().nth(ECHO_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

/// Finds the argument that causes the error. Serde names the expected type but not always the
/// field, so this leaves out one argument after another until the error changes.
fn faulty_argument<T: DeserializeOwned>(given: &JsonMap, error: &str) -> Option<String> {
    let is_at_fault = |name: &&String| {
        let mut others = given.clone();
        others.remove(*name);
        deserialize::<T>(others).err().as_deref() != Some(error)
    };
    given.keys().find(is_at_fault).cloned()
}

/// Returns the JSON Schema of a tool's arguments without the parts that cost tokens and carry no
/// information for a model.
#[must_use]
pub fn schema<T: JsonSchema>() -> JsonMap {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    match schema {
        Value::Object(mut fields) => {
            // The description of the tool already says what the arguments are for.
            fields.remove("description");
            // Several hosts refuse a tool without `properties`, even one that takes no arguments.
            fields.entry("properties").or_insert_with(|| json!({}));
            fields
        }
        _ => JsonMap::new(),
    }
}

/// Returns the schema of a tool whose list of arguments every model reads at the start of every
/// conversation. An unknown name is left to the tool, which refuses it with the nearest known one.
#[must_use]
pub fn short_schema<T: JsonSchema>() -> JsonMap {
    let mut fields = schema::<T>();
    fields.remove("additionalProperties");
    fields
}

/// Returns the schema of a tool that accepts more than it lists. Clients of the original contract
/// send arguments that are only reported as ignored; clients that validate against the schema must
/// not refuse them first. The tool's own struct still refuses unknown names.
#[must_use]
pub fn open_schema<T: JsonSchema>() -> JsonMap {
    let mut fields = schema::<T>();
    fields.insert("additionalProperties".to_owned(), true.into());
    fields
}

/// Removes titles, formats, integer bounds and nullable types. A missing argument means the same as
/// null, so the schema need not offer both.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.remove("title");
            fields.remove("format");
            // `Option` makes a missing argument null, and an empty list says nothing.
            let is_empty = |value: &Value| value.is_null() || *value == json!([]);
            fields
                .remove("default")
                .filter(|usual| !is_empty(usual))
                .map(|usual| fields.insert("default".to_owned(), usual));
            // Unsigned integers get a minimum of 0, which is noise; any other bound stays.
            fields
                .remove("minimum")
                .filter(|bound| bound != &Value::from(0))
                .map(|bound| fields.insert("minimum".to_owned(), bound));
            if let Some(Value::Array(types)) = fields.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    fields.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = fields.get_mut("enum") {
                choices.retain(|choice| !choice.is_null());
            }
            unwrap_nullable(fields);
            for (name, inner) in fields.iter_mut() {
                match (name.as_str(), inner) {
                    // The keys here are names of arguments, not schema keywords: an argument may
                    // be called `title`.
                    ("properties", Value::Object(arguments)) => {
                        arguments.values_mut().for_each(tidy)
                    }
                    (_, inner) => tidy(inner),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// Replaces `anyOf [X, null]` with X.
fn unwrap_nullable(fields: &mut JsonMap) {
    let Some(Value::Array(choices)) = fields.get("anyOf") else { return };
    let real: Vec<&Value> = choices.iter().filter(|choice| choice["type"] != "null").collect();
    if let [Value::Object(only)] = real.as_slice() {
        let only = only.clone();
        fields.remove("anyOf");
        for (name, value) in only {
            fields.entry(name).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        /// Search text.
        query: String,
        /// Maximum number.
        #[schemars(extend("default" = 10))]
        limit: Option<usize>,
        /// Title of the text.
        title: Option<String>,
        /// Sort order.
        order: Option<SampleOrder>,
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum SampleOrder {
        Newest,
        Oldest,
    }

    #[test]
    fn a_schema_holds_only_what_a_model_needs() {
        let schema = Value::Object(schema::<Sample>());
        assert_eq!(
            schema["properties"],
            json!({
                "query": {"description": "Search text.", "type": "string"},
                "limit": {"description": "Maximum number.", "type": "integer", "default": 10},
                "title": {"description": "Title of the text.", "type": "string"},
                // Several hosts refuse an enum without `"type": "string"`.
                "order": {
                    "description": "Sort order.",
                    "type": "string",
                    "enum": ["newest", "oldest"],
                }
            })
        );
        assert_eq!(schema["required"], json!(["query"]));
        assert_eq!(schema.get("$schema"), None);
    }

    #[test]
    fn null_says_the_same_as_missing() {
        let given = json!({"query": "a", "limit": null}).as_object().cloned().unwrap_or_default();
        assert_eq!(
            read::<Sample>(given),
            Ok(Sample { query: "a".into(), limit: None, title: None, order: None })
        );
    }

    #[test]
    fn an_endless_value_is_not_repeated_whole() {
        let given = json!({"query": "a", "order": "é".repeat(9_000)})
            .as_object()
            .cloned()
            .unwrap_or_default();
        let message = read::<Sample>(given).unwrap_err().message;
        assert!(message.starts_with("order: ") && message.chars().count() < 400, "{message}");
    }

    #[test]
    fn an_unknown_argument_is_named() {
        let given = json!({"query": "a", "querry": 1}).as_object().cloned().unwrap_or_default();
        assert!(read::<Sample>(given).unwrap_err().message.contains("querry"));
    }
}
