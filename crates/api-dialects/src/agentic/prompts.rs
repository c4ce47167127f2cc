//! The prompts: words for a person to send, that tell the model which tools to use one after
//! another.

use super::shown;
use crate::{Prompt, PromptArgument};
use engine::choose::Choose;
use engine::sessions::SessionRef;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, SessionId};
use serde_json::Value;

/// How many nodes a summary lists.
const LISTED: usize = 100;

const fn wanted(name: &'static str, description: &'static str) -> PromptArgument {
    PromptArgument { name, description, required: true }
}

const fn allowed(name: &'static str, description: &'static str) -> PromptArgument {
    PromptArgument { name, description, required: false }
}

/// Every prompt.
pub(super) const ALL: &[Prompt] = &[
    Prompt {
        name: "remember",
        description: "Have something remembered, tied to what is known.",
        arguments: &[
            wanted("information", "What to remember."),
            allowed("context", "Where it comes from or what it is for."),
        ],
    },
    Prompt {
        name: "reflect",
        description: "Have a topic thought over, with what led to it and what hangs on it.",
        arguments: &[
            wanted("topic", "What to think about."),
            allowed("node_id", "The node to begin at."),
        ],
    },
    Prompt {
        name: "correct",
        description: "Have a belief corrected.",
        arguments: &[
            wanted("old_belief", "What is believed and wrong."),
            wanted("new_information", "What is right."),
            allowed("reason", "Why it changed."),
        ],
    },
    Prompt {
        name: "summarize",
        description: "Have a session summed up.",
        arguments: &[allowed("session_id", "The session; the one you are in when missing.")],
    },
];

/// The words of a prompt, filled in.
pub(super) async fn words(
    engine: &Engine,
    caller: &Caller,
    name: &str,
    given: JsonMap,
) -> Result<String, Failure> {
    let prompt = ALL.iter().find(|prompt| prompt.name == name);
    let prompt = prompt.ok_or_else(|| Failure::not_found("prompt", name))?;
    let filled = Filled::of(prompt, given)?;
    match name {
        "remember" => Ok(remember(&filled)),
        "reflect" => Ok(reflect(&filled)),
        "correct" => Ok(correct(&filled)),
        _ => summarize(engine, caller, &filled).await,
    }
}

/// The arguments of a prompt, each a text.
struct Filled(JsonMap);

impl Filled {
    fn of(prompt: &Prompt, given: JsonMap) -> Result<Self, Failure> {
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

    /// What was given under a name, behind some words; nothing when nothing was.
    fn beside(&self, words: &str, name: &str) -> String {
        self.get(name).map(|given| format!("\n{words}: {given}")).unwrap_or_default()
    }
}

fn remember(filled: &Filled) -> String {
    format!(
        "Remember this: {}{}\n\n\
         1. Look with memory_similar whether it is known already; if it contradicts a node, use memory_correct instead.\n\
         2. Decide whether it is a fact, a decision, an inference or a skill, and how sure it is.\n\
         3. Store it with memory_add, with edges to the nodes it rests on.\n\
         4. Say in one sentence what you stored, and its id.",
        filled.get("information").unwrap_or_default(),
        filled.beside("Context", "context"),
    )
}

fn reflect(filled: &Filled) -> String {
    let start = match filled.get("node_id") {
        Some(id) => format!("Begin at node {id}: memory_context shows what is around it."),
        None => "Find where to begin with memory_similar.".to_owned(),
    };
    format!(
        "Think about: {}\n\n\
         1. {start}\n\
         2. Follow what led to it with memory_traverse over caused_by, derived_from and supports.\n\
         3. See with memory_causal what depends on it, and with memory_resolve whether it still holds.\n\
         4. Say what is well founded, what is doubtful, and what is missing. If you conclude something new, store it \
         with memory_add as an inference with derived_from edges.",
        filled.get("topic").unwrap_or_default(),
    )
}

fn correct(filled: &Filled) -> String {
    format!(
        "This is believed: {}\nThis is right: {}{}\n\n\
         1. Find the node with memory_similar, and its newest version with memory_resolve.\n\
         2. See with memory_causal what rests on it.\n\
         3. Replace it with memory_correct, with the reason.\n\
         4. Name every decision or inference that should be thought over because of it.",
        filled.get("old_belief").unwrap_or_default(),
        filled.get("new_information").unwrap_or_default(),
        filled.beside("Reason", "reason"),
    )
}

async fn summarize(engine: &Engine, caller: &Caller, filled: &Filled) -> Result<String, Failure> {
    let session = match filled.get("session_id") {
        Some(number) => number
            .parse()
            .map(SessionId)
            .map_err(|_| Failure::invalid("session_id is no number"))?,
        None => {
            let current = engine.sessions().current(caller).await?;
            current.ok_or_else(|| Failure::invalid("you are in no session; give session_id"))?.id
        }
    };
    let sessions = vec![SessionRef::Id(session)];
    let chosen = engine
        .memories()
        .choose(caller, &Choose { sessions, limit: LISTED, ..Choose::default() })
        .await?;
    let line = |memory: &Memory| {
        format!("- [#{} {}] {}", memory.id, memory.kind, shown::preview(&memory.text))
    };
    let lines: Vec<String> = chosen.memories.iter().rev().map(line).collect();
    Ok(format!(
        "Sum up session {session}. It holds {} nodes:\n{}\n\n\
         Say in a few sentences what was done, what was decided and why, and what is left open. \
         Then call session_end with session_id {session} and these sentences as summary.",
        chosen.total,
        lines.join("\n"),
    ))
}
