//! The story of the demo: who told what, how many days ago, through which tool.

use crate::exit::Problem;
use engine::Caller;
use model::{AgentName, Dialect, ErrorCode, JsonMap, Moment};
use serde::Deserialize;
use serde_json::Value;

const STORY: &str = include_str!("story.jsonl");
const SECONDS_PER_DAY: i64 = 86_400;

/// One step of the story.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    days_ago: i64,
    by: String,
    /// The tool that is called.
    pub tool: String,
    arguments: JsonMap,
    /// The earlier step whose memory is meant.
    of: Option<String>,
    /// What later steps call the memory that is made.
    r#as: Option<String>,
}

/// The whole story, oldest first.
pub(super) fn story() -> Result<Vec<Step>, Problem> {
    let steps: Result<Vec<Step>, _> = STORY.lines().map(serde_json::from_str).collect();
    steps.map_err(|error| {
        Problem::new(ErrorCode::Internal, format!("the story: {error}"), "Report this as a bug.")
    })
}

impl Step {
    /// When it happened.
    pub fn day(&self, now: Moment) -> Moment {
        now.plus_seconds(-self.days_ago * SECONDS_PER_DAY)
    }

    /// Who told it: the owner, or an agent.
    pub fn caller(&self, owner: &Caller) -> Caller {
        if self.by == "me" {
            return owner.clone();
        }
        Caller::agent(owner.owner.clone(), AgentName::new(&self.by), Dialect::Quipu)
    }

    /// The arguments, with the memory that is meant.
    pub fn arguments(&self, known: &JsonMap) -> JsonMap {
        let meant = self.of.as_ref().and_then(|of| known.get(of)).cloned();
        let mut arguments = self.arguments.clone();
        arguments.extend(meant.map(|id| ("id".to_owned(), id)));
        arguments
    }

    /// The name and number of the memory that was made.
    pub fn learnt(&self, answer: &Value) -> Option<(String, Value)> {
        Some((self.r#as.clone()?, answer.get("id")?.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_story_is_told_in_order_and_refers_only_to_what_was_told() {
        let steps = story().unwrap();
        assert!(steps.windows(2).all(|pair| pair[0].days_ago >= pair[1].days_ago));
        let mut names = Vec::new();
        for step in &steps {
            assert!(step.of.as_ref().is_none_or(|of| names.contains(of)), "{:?}", step.of);
            names.extend(step.r#as.clone());
        }
    }
}
