//! Recall for a prompt: only what probably answers it, a few memories, each once in a session.

use super::briefing_text::memory_line;
use crate::config::PromptMode;
use client_hooks::HookSession;
use engine::recall::{MemoryHit, RecallRequest};
use engine::transcripts::COLLECTION;
use engine::{Caller, Engine, estimate_tokens};
use model::{Failure, MemoryId, Origin};

/// Maximum number of memories.
const MEMORIES_MAX: usize = 5;
/// Maximum number of tokens.
const TOKENS_MAX: usize = 600;
/// Number of results that are looked at: some were shown before, some are turns.
const RESULTS: usize = 20;
/// Longest part of a prompt that is asked about, in characters.
const QUESTION_CHARS_MAX: usize = 1_000;
/// Smallest number of words of a prompt that asks something.
const WORDS_MIN: usize = 3;
/// Confidence and similarity that a strict recall wants.
const STRICT_MIN: (f32, f32) = (0.8, 0.8);
/// Similarity of the weakest answer.
const NORMAL_SIMILARITY_MIN: f32 = 0.7;

/// Memories for a prompt.
pub(super) struct PromptMemories {
    pub content: String,
    pub ids: Vec<MemoryId>,
}

/// Returns the question of a prompt; `None` for a command, and for a few words such as "go on".
pub(super) fn question(prompt: &str) -> Option<String> {
    let prompt = prompt.trim();
    let is_command = prompt.starts_with(['/', '!', '#']);
    let asks = !is_command && prompt.split_whitespace().count() >= WORDS_MIN;
    asks.then(|| prompt.chars().take(QUESTION_CHARS_MAX).collect())
}

/// Returns the memories that probably answer a prompt; `None` if none does.
///
/// # Errors
/// Fails when the memory cannot be read.
pub(super) async fn recall(
    engine: &Engine,
    caller: &Caller,
    question: &str,
    mode: PromptMode,
    session: &HookSession,
) -> Result<Option<PromptMemories>, Failure> {
    let request = RecallRequest {
        limit: Some(RESULTS),
        budget_tokens: Some(TOKENS_MAX * 4),
        is_unasked: true,
        ..RecallRequest::query(question)
    };
    let found = engine.memories().recall(caller, &request).await?;
    let (confidence_min, similarity_min) = match mode {
        PromptMode::Strict => STRICT_MIN,
        _ => (0.0, NORMAL_SIMILARITY_MIN),
    };
    if found.weak || found.confidence.is_none_or(|confidence| confidence < confidence_min) {
        return Ok(None);
    }
    let is_answer = |hit: &&MemoryHit| {
        hit.memory.collection != COLLECTION
            // A text from elsewhere, or one that looks like an instruction, is never pushed.
            && hit.memory.provenance.origin != Origin::Outside
            && hit.memory.flags == 0
            && hit.under_review.is_none()
            && hit.similarity >= similarity_min
            && !session.shown.contains(&hit.memory.id.0)
    };
    Ok(render(found.hits.iter().filter(is_answer)))
}

fn render<'h>(hits: impl Iterator<Item = &'h MemoryHit>) -> Option<PromptMemories> {
    let mut content =
        "From Quipu, the user's memory; information that may bear on the prompt:".to_owned();
    let mut ids = Vec::new();
    for hit in hits.take(MEMORIES_MAX) {
        let line = format!("\n- {}", memory_line(&hit.memory));
        if estimate_tokens(&content) + estimate_tokens(&line) <= TOKENS_MAX {
            content.push_str(&line);
            ids.push(hit.memory.id);
        }
    }
    (!ids.is_empty()).then_some(PromptMemories { content, ids })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_single_words_ask_nothing() {
        for prompt in ["/clear the screen now", "go on", "! ls -la now", "# a note to add", ""] {
            assert_eq!(question(prompt), None, "{prompt}");
        }
        assert_eq!(question(" why did we pick Postgres? ").unwrap(), "why did we pick Postgres?");
        assert_eq!(question(&"word ".repeat(1_000)).unwrap().chars().count(), 1_000);
    }
}
