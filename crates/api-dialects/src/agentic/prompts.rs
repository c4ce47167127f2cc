//! Prompts: messages that a person can send, which tell the model step by step which tools to use.

use super::render;
use crate::{PromptArgument, PromptSpec};
use engine::query::QueryMemoriesRequest;
use engine::sessions::SessionRef;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, SessionId};
use serde_json::Value;

/// Maximum number of nodes listed for a summary.
const SUMMARY_NODES_MAX: usize = 100;

const fn required_argument(name: &'static str, description: &'static str) -> PromptArgument {
    PromptArgument { name, description, required: true }
}

const fn optional_argument(name: &'static str, description: &'static str) -> PromptArgument {
    PromptArgument { name, description, required: false }
}

/// All prompts.
pub(super) const ALL: &[PromptSpec] = &[
    PromptSpec {
        name: "remember",
        description: "Remember something and link it to what is known.",
        arguments: &[
            required_argument("information", "What to remember."),
            optional_argument("context", "Its origin or purpose."),
        ],
    },
    PromptSpec {
        name: "reflect",
        description: "Reflect on a topic, its causes and what depends on it.",
        arguments: &[
            required_argument("topic", "What to reflect on."),
            optional_argument("node_id", "Id of the node to start from."),
        ],
    },
    PromptSpec {
        name: "correct",
        description: "Correct a belief.",
        arguments: &[
            required_argument("old_belief", "The wrong belief."),
            required_argument("new_information", "The right information."),
            optional_argument("reason", "Why it changed."),
        ],
    },
    PromptSpec {
        name: "summarize",
        description: "Summarize a session.",
        arguments: &[optional_argument(
            "session_id",
            "Id of the session; default: the current one.",
        )],
    },
];

/// Renders a prompt with its arguments.
pub(super) async fn render_prompt(
    engine: &Engine,
    caller: &Caller,
    name: &str,
    given: JsonMap,
) -> Result<String, Failure> {
    let prompt = ALL.iter().find(|prompt| prompt.name == name);
    let prompt = prompt.ok_or_else(|| Failure::not_found("prompt", name))?;
    let filled = PromptValues::new(prompt, given)?;
    match name {
        "remember" => Ok(remember(&filled)),
        "reflect" => Ok(reflect(&filled)),
        "correct" => Ok(correct(&filled)),
        _ => summarize(engine, caller, &filled).await,
    }
}

/// Arguments of a prompt. Clients send texts; numbers are accepted too.
struct PromptValues(JsonMap);

impl PromptValues {
    fn new(prompt: &PromptSpec, given: JsonMap) -> Result<Self, Failure> {
        let filled = Self(given);
        let missing =
            prompt.arguments.iter().find(|one| one.required && filled.get(one.name).is_none());
        match missing {
            Some(one) => {
                Err(Failure::invalid(format!("the prompt `{}` needs `{}`", prompt.name, one.name)))
            }
            None => Ok(filled),
        }
    }

    fn get(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Renders an optional argument as a labelled line; empty if it is missing.
    fn labelled_line(&self, words: &str, name: &str) -> String {
        self.get(name).map(|given| format!("\n{words}: {given}")).unwrap_or_default()
    }
}

fn remember(filled: &PromptValues) -> String {
    format!(
        "Remember this: {}{}\n\n\
         1. Check with memory_similar whether it is already known; if it contradicts a node, use \
         memory_correct instead.\n\
         2. Decide whether it is a fact, a decision, an inference or a skill, and how certain it \
         is.\n\
         3. Store it with memory_add, with edges to the nodes it is based on.\n\
         4. Say in one sentence what you stored, with its id.",
        filled.get("information").unwrap_or_default(),
        filled.labelled_line("Context", "context"),
    )
}

fn reflect(filled: &PromptValues) -> String {
    let start = match filled.get("node_id") {
        Some(id) => format!("Start at node {id}: memory_context shows what is around it."),
        None => "Find a starting point with memory_similar.".to_owned(),
    };
    format!(
        "Reflect on: {}\n\n\
         1. {start}\n\
         2. Follow what led to it with memory_traverse over caused_by, derived_from and \
         supports.\n\
         3. Check with memory_causal what depends on it, and with memory_resolve whether it is \
         still current.\n\
         4. Say what is well supported, what is doubtful, and what is missing. If you conclude \
         something new, store it with memory_add as an inference with derived_from edges.",
        filled.get("topic").unwrap_or_default(),
    )
}

fn correct(filled: &PromptValues) -> String {
    format!(
        "Current belief: {}\nCorrect information: {}{}\n\n\
         1. Find the node with memory_similar, and its latest version with memory_resolve.\n\
         2. Check with memory_causal what depends on it.\n\
         3. Replace it with memory_correct, with the reason.\n\
         4. Name every decision or inference that should be reconsidered because of it.",
        filled.get("old_belief").unwrap_or_default(),
        filled.get("new_information").unwrap_or_default(),
        filled.labelled_line("Reason", "reason"),
    )
}

async fn summarize(
    engine: &Engine,
    caller: &Caller,
    filled: &PromptValues,
) -> Result<String, Failure> {
    let session = match filled.get("session_id") {
        Some(number) => number
            .parse()
            .map(SessionId)
            .map_err(|_| Failure::invalid("session_id must be a number"))?,
        None => {
            let current = engine.sessions().current(caller).await?;
            current.ok_or_else(|| Failure::invalid("you are not in a session; give session_id"))?.id
        }
    };
    let sessions = vec![SessionRef::Id(session)];
    let chosen = engine
        .memories()
        .query_memories(
            caller,
            &QueryMemoriesRequest {
                sessions,
                limit: SUMMARY_NODES_MAX,
                ..QueryMemoriesRequest::default()
            },
        )
        .await?;
    let line = |memory: &Memory| {
        format!("- [#{} {}] {}", memory.id, memory.kind, render::preview(&memory.titled_text()))
    };
    // The newest come first; a summary is easier to write in chronological order.
    let lines: Vec<String> = chosen.memories.iter().rev().map(line).collect();
    Ok(format!(
        "Summarize session {session}. It has {} nodes:\n{}\n\n\
         Say in a few sentences what was done, what was decided and why, and what is left open. \
         Then call session_end with session_id {session} and these sentences as the summary.",
        chosen.total,
        lines.join("\n"),
    ))
}
