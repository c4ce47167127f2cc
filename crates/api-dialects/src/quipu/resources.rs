//! Resources under `quipu://`: the briefing, one memory, and what is known about a project. They
//! let a person attach a part of the memory to a conversation without a call by the model.

use super::{handoff, recall};
use crate::ResourceSpec;
use engine::handoffs::ListHandoffsRequest;
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use serde_json::{Value, json};

const SCHEME: &str = "quipu://";
/// Number of memories that the resource of a project shows.
const PROJECT_MEMORIES: usize = 20;

/// All resources.
pub(super) const ALL: &[ResourceSpec] = &[
    ResourceSpec {
        uri: "quipu://briefing",
        name: "Briefing",
        description: "Profile, open handoffs, decisions and notable memories for a new session.",
    },
    ResourceSpec { uri: "quipu://memory/{id}", name: "Memory", description: "One memory in full." },
    ResourceSpec {
        uri: "quipu://project/{name}",
        name: "Project",
        description: "The newest memories and the open handoffs of a project.",
    },
];

/// Reads a resource.
pub(super) async fn read(engine: &Engine, caller: &Caller, uri: &str) -> Result<Value, Failure> {
    // The address is the caller's text, so the error repeats only a part of it.
    let unknown = || Failure::not_found("resource", uri.chars().take(200).collect::<String>());
    let path = uri.strip_prefix(SCHEME).ok_or_else(unknown)?;
    let found = match path.split_once('/') {
        None if path == "briefing" => {
            Some(recall::call(engine, caller, JsonMap::new()).await?["briefing"].take())
        }
        Some(("memory", id)) => memory(engine, caller, id.parse().map_err(|_| unknown())?).await?,
        Some(("project", name)) => {
            project(engine, caller, &decode(name).ok_or_else(unknown)?).await?
        }
        _ => None,
    };
    found.ok_or_else(unknown)
}

/// Returns a memory in full; `None` if there is none that the caller may read.
async fn memory(engine: &Engine, caller: &Caller, id: i64) -> Result<Option<Value>, Failure> {
    let ids = JsonMap::from_iter([("ids".to_owned(), json!([id]))]);
    let mut answer = recall::call(engine, caller, ids).await?;
    Ok(answer["memories"].get_mut(0).map(Value::take))
}

/// Returns what is known about a project; `None` if nothing is.
async fn project(engine: &Engine, caller: &Caller, name: &str) -> Result<Option<Value>, Failure> {
    let memories = recall::newest_of_project(engine, caller, name, PROJECT_MEMORIES).await?;
    let request =
        ListHandoffsRequest { project: Some(name.to_owned()), ..ListHandoffsRequest::default() };
    let handoffs = engine.handoffs().list(caller, &request).await?.handoffs;
    let handoffs: Vec<Value> = handoffs.items.iter().map(handoff::render_listed).collect();
    let is_known = !handoffs.is_empty() || memories.as_array().is_some_and(|it| !it.is_empty());
    let shown = json!({ "project": name, "memories": memories, "open_handoffs": handoffs });
    Ok(is_known.then_some(shown))
}

/// Decodes the percent signs of an address; `None` if it is not valid.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().filter(|name| !name.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_addresses_are_decoded() {
        assert_eq!(decode("my%20shop%2Fapi").as_deref(), Some("my shop/api"));
        assert_eq!(decode("caf%C3%A9").as_deref(), Some("café"));
        for wrong in ["", "%", "%4", "%zz", "%ff", "%20"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
