//! The story of the demo: a list of tool calls, each by the owner or an agent some days ago.

use crate::exit::Problem;
use engine::Caller;
use model::{AgentName, Dialect, ErrorCode, JsonMap, Moment};
use serde::Deserialize;
use serde_json::Value;

const STORY: &str = include_str!("story.jsonl");

/// One step of the story.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoryStep {
    days_ago: i64,
    by: String,
    pub tool: String,
    arguments: JsonMap,
    /// Name of an earlier step, whose memory id becomes the argument `id`.
    of: Option<String>,
    /// Name under which later steps refer to the memory of this one.
    r#as: Option<String>,
}

/// Returns the steps of the story, oldest first.
pub(super) fn story() -> Result<Vec<StoryStep>, Problem> {
    let steps: Result<Vec<StoryStep>, _> = STORY.lines().map(serde_json::from_str).collect();
    steps.map_err(|error| {
        Problem::new(ErrorCode::Internal, format!("the story: {error}"), "Report this as a bug.")
    })
}

impl StoryStep {
    /// Returns the date of the step.
    pub fn day(&self, now: Moment) -> Moment {
        now.plus_days(-self.days_ago)
    }

    /// Returns the caller: the owner, or an agent.
    pub fn caller(&self, owner: &Caller) -> Caller {
        if self.by == "me" {
            return owner.clone();
        }
        Caller::agent(owner.owner.clone(), AgentName::new(&self.by), Dialect::Quipu)
    }

    /// Returns the arguments, with the id of the memory that the step refers to, and with a tag
    /// more on a text that it remembers.
    pub fn arguments(&self, known: &JsonMap, tag: Option<&str>) -> JsonMap {
        let id = self.of.as_ref().and_then(|of| known.get(of)).cloned();
        let mut arguments = self.arguments.clone();
        arguments.extend(id.map(|id| ("id".to_owned(), id)));
        if let Some(tag) = tag.filter(|_| self.tool == "remember" && arguments.contains_key("text"))
        {
            let tags = arguments.entry("tags").or_insert_with(|| Value::Array(Vec::new()));
            tags.as_array_mut().into_iter().for_each(|tags| tags.push(tag.into()));
        }
        arguments
    }

    /// Returns the name and id of the memory that the step created.
    pub fn created_memory(&self, answer: &Value) -> Option<(String, Value)> {
        Some((self.r#as.clone()?, answer.get("id")?.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_in_order_and_refer_only_to_earlier_ones() {
        let steps = story().unwrap();
        assert!(steps.windows(2).all(|pair| pair[0].days_ago >= pair[1].days_ago));
        let mut names = Vec::new();
        for step in &steps {
            assert!(step.of.as_ref().is_none_or(|of| names.contains(of)), "{:?}", step.of);
            names.extend(step.r#as.clone());
        }
    }
}
