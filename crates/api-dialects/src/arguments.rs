//! Arguments: from JSON to a tool's own struct, and from that struct to the schema a client sees.
//! One definition serves both, so that no argument can be documented and not taken, or taken and
//! not documented.

use engine::sessions::SessionRef;
use model::{Failure, JsonMap, SessionId, limits};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// How much of what a caller sent is repeated to it.
const TOLD_CHARS: usize = 300;

/// A session as a model names it: by number or by key.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(transform = number_or_text)]
pub enum SessionName {
    /// By its number.
    Number(i64),
    /// By its key, or by its number in quotes.
    Key(String),
}

impl SessionName {
    /// The session it names.
    #[must_use]
    pub fn session(&self) -> SessionRef {
        match self {
            Self::Number(number) => SessionRef::Id(SessionId(*number)),
            Self::Key(key) => SessionRef::parse(key),
        }
    }
}

/// One line of schema instead of a choice of two.
fn number_or_text(schema: &mut schemars::Schema) {
    schema.remove("anyOf");
    schema.insert("type".to_owned(), json!(["integer", "string"]));
}

/// Reads a tool's arguments.
///
/// # Errors
/// `invalid_argument`, with what serde found wrong and the argument that it is wrong with.
pub fn read<T: DeserializeOwned>(arguments: JsonMap) -> Result<T, Failure> {
    // A client that fills every field it knows of sends null for what it leaves open.
    let given: JsonMap = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    from::<T>(given.clone()).map_err(|error| match at_fault::<T>(&given, &error) {
        Some(name) if !error.contains(&format!("`{name}`")) => {
            Failure::invalid(format!("{name}: {error}"))
        }
        _ => Failure::invalid(error),
    })
}

/// A text that says something, trimmed. An empty one counts as not given: several clients fill in
/// every field.
#[must_use]
pub fn said(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Refuses a text to be kept that is empty or too long, by the name that the contract has for it.
///
/// # Errors
/// `invalid_argument` or `limit_exceeded`, naming the field.
pub fn keepable(field: &str, text: &str) -> Result<(), Failure> {
    if text.trim().is_empty() {
        return Err(Failure::invalid(format!(
            "{field} is empty; say in a sentence what to remember"
        )));
    }
    limits::bytes(field, text, limits::TEXT_BYTES)
}

fn from<T: DeserializeOwned>(given: JsonMap) -> Result<T, String> {
    serde_json::from_value(Value::Object(given)).map_err(|error| short(&error.to_string()))
}

/// A sentence that may repeat what a caller sent, without the most of it when that is endless.
pub(crate) fn short(told: &str) -> String {
    match told.char_indices().nth(TOLD_CHARS) {
        Some((end, _)) => format!("{}…", &told[..end]),
        None => told.to_owned(),
    }
}

/// The argument without which something else is wrong, or nothing.
fn at_fault<T: DeserializeOwned>(given: &JsonMap, error: &str) -> Option<String> {
    let is_at_fault = |name: &&String| {
        let mut others = given.clone();
        others.remove(*name);
        from::<T>(others).err().as_deref() != Some(error)
    };
    given.keys().find(is_at_fault).cloned()
}

/// The schema of a tool's arguments, with nothing in it that costs tokens and tells nothing.
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
            // The tool's own description says what the arguments are for.
            fields.remove("description");
            // Several hosts refuse a tool without this, although a tool may take nothing.
            fields.entry("properties").or_insert_with(|| json!({}));
            fields
        }
        _ => JsonMap::new(),
    }
}

/// The schema of a tool that takes more than it lists: what callers of the original contract send
/// although it is then only reported as ignored. The tool's own struct still refuses whatever it
/// does not know.
#[must_use]
pub fn open_schema<T: JsonSchema>() -> JsonMap {
    let mut fields = schema::<T>();
    fields.insert("additionalProperties".to_owned(), true.into());
    fields
}

/// Drops titles, formats, widths and nullable types; a missing argument says the same as null.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.remove("title");
            fields.remove("format");
            fields.remove("default");
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
                    // The names in here are arguments, not words of the schema: one may well be
                    // called `title`.
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

/// `anyOf [X, null]` is X that may be missing.
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

    /// Arguments to test with.
    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        /// What to look for.
        query: String,
        /// How many.
        limit: Option<usize>,
        /// A headline.
        title: Option<String>,
        /// Which way.
        order: Option<Order>,
    }

    /// A choice to test with.
    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Newest,
        Oldest,
    }

    #[test]
    fn a_schema_holds_only_what_a_model_needs() {
        let schema = Value::Object(schema::<Sample>());
        assert_eq!(
            schema["properties"],
            json!({
                "query": {"description": "What to look for.", "type": "string"},
                "limit": {"description": "How many.", "type": "integer"},
                "title": {"description": "A headline.", "type": "string"},
                // Several hosts refuse a choice that is no text.
                "order": {"description": "Which way.", "type": "string", "enum": ["newest", "oldest"]}
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
        let told = read::<Sample>(given).unwrap_err().message;
        assert!(told.starts_with("order: ") && told.chars().count() < 400, "{told}");
    }

    #[test]
    fn an_unknown_argument_is_named() {
        let given = json!({"query": "a", "querry": 1}).as_object().cloned().unwrap_or_default();
        assert!(read::<Sample>(given).unwrap_err().message.contains("querry"));
    }
}
