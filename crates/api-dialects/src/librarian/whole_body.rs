//! Long bodies, read to the end. The contract of `recall` has no argument for one memory, so a
//! query that is an id in brackets asks for it: `[17]`, or from a character on `[17:24000]`.

use super::render::{self, IdVisibility};
use crate::answer_budget::beginning;
use crate::marks::mark_listing;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use serde_json::{Value, json};

/// Tokens of a body that one answer has; its other fields have the rest of the budget.
const PART_TOKENS: usize = 7_000;

/// A memory to read, and the character to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BodyPart {
    memory: MemoryId,
    from: usize,
}

impl BodyPart {
    /// Parses a query; `None` if it asks for anything else.
    pub fn parse(query: &str) -> Option<Self> {
        let inner = query.trim().strip_prefix('[')?.strip_suffix(']')?;
        let (id, from) = inner.split_once(':').unwrap_or((inner, "0"));
        let id = id.trim();
        let memory = id.strip_prefix("mem_").unwrap_or(id).parse().ok()?;
        Some(Self { memory: MemoryId(memory), from: from.trim().parse().ok()? })
    }

    /// Returns the query that asks for a memory.
    pub fn query(memory: MemoryId, from: usize) -> String {
        if from == 0 { format!("[{memory}]") } else { format!("[{memory}:{from}]") }
    }

    /// Reads the part.
    pub async fn read(self, engine: &Engine, caller: &Caller) -> Result<JsonMap, Failure> {
        let found = engine.memories().get(caller, &[self.memory]).await?;
        let [memory] = found.as_slice() else {
            return Err(Failure::not_found("memory", self.memory.to_string()));
        };
        let length = memory.text.chars().count();
        let start = memory.text.char_indices().nth(self.from).map(|(at, _)| at);
        let rest = start.map_or("", |start| &memory.text[start..]);
        let part = beginning(rest, PART_TOKENS);
        let end = (self.from + part.chars().count()).min(length);
        let mut shown = render::memory(memory, IdVisibility::Shown);
        shown.insert("body".into(), part.into());
        let mut items = vec![Value::Object(shown)];
        mark_listing(engine, caller, &found, &mut items, render::MARKS).await?;
        let mut answer = JsonMap::from_iter([("memories".to_owned(), Value::Array(items))]);
        if self.from > 0 || end < length {
            let next = (end < length).then(|| Self::query(self.memory, end));
            let next = next.map(|next| format!("; recall with query {} for the rest", json!(next)));
            let hint = format!(
                "characters {} to {end} of {length}{}",
                self.from.min(length),
                next.unwrap_or_default()
            );
            answer.insert("hint".into(), hint.into());
        }
        Ok(answer)
    }
}

/// Tells for each shortened memory of an answer how to read it whole. The memories are the first of
/// `ids`, in the same order.
pub(super) fn offer_whole(answer: &mut Value, ids: &[MemoryId]) {
    let memories = answer.get_mut("memories").and_then(Value::as_array_mut);
    for (memory, id) in memories.into_iter().flatten().zip(ids) {
        let Value::Object(memory) = memory else { continue };
        let body = memory.get("body").and_then(Value::as_str).unwrap_or_default();
        if memory.contains_key("cut") || (body.contains(" … [cut: ") && body.ends_with(']')) {
            memory.insert("cut".into(), true.into());
            memory.insert("whole".into(), BodyPart::query(*id, 0).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_id_in_brackets_asks_for_one_memory() {
        let part = |memory, from| Some(BodyPart { memory: MemoryId(memory), from });
        assert_eq!(BodyPart::parse(" [17] "), part(17, 0));
        assert_eq!(BodyPart::parse("[mem_17: 24000]"), part(17, 24_000));
        for other in ["17", "[Rollback]", "[17] and more", "[17:end]", "[]", ""] {
            assert_eq!(BodyPart::parse(other), None, "{other}");
        }
        assert_eq!(BodyPart::parse(&BodyPart::query(MemoryId(3), 9)), part(3, 9));
    }
}
