//! Fixed answers of the fixture: lists and contents from `statics.json`.

use model::JsonMap;
use rmcp::ErrorData;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/// Two samples of silence.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==";

/// Content of the file.
#[derive(Default, Deserialize)]
pub struct StaticContent {
    pub tools: Vec<Value>,
    pub answers: JsonMap,
    pub prompts: Vec<Value>,
    messages: JsonMap,
    pub resources: Vec<Value>,
    pub templates: Vec<Value>,
    contents: JsonMap,
    pub forms: JsonMap,
}

impl StaticContent {
    #[expect(
        clippy::expect_used,
        reason = "the file is compiled in; a fault in it is a failed test"
    )]
    pub fn read() -> Self {
        let file = include_str!("statics.json").replace("{png}", PNG).replace("{wav}", WAV);
        let mut statics: Self = serde_json::from_str(&file).expect("statics.json fits");
        for tool in &mut statics.tools {
            if tool.get("inputSchema").is_none() {
                tool["inputSchema"] = json!({ "type": "object" });
            }
        }
        statics
    }

    /// Returns the messages of a prompt with its arguments filled in.
    pub fn message(&self, prompt: &str, arguments: &JsonMap) -> Option<Value> {
        let mut text = self.messages.get(prompt)?.to_string();
        for (name, value) in arguments {
            text = text.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default());
        }
        serde_json::from_str(&text).ok()
    }

    /// Returns the content of a resource.
    pub fn content(&self, uri: &str) -> Option<Value> {
        if let Some(content) = self.contents.get(uri) {
            return Some(content.clone());
        }
        let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
        let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
        Some(json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() }))
    }
}

/// Converts JSON into a type of the protocol.
pub fn from_json<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
