//! One captured turn: the words of the user, or the answer of an agent.

use crate::context_block::{short_hash, without_injected};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Length in bytes that a captured text is cut to. Longer ones are pasted files, not words.
const TEXT_BYTES_MAX: usize = 16 * 1024;

/// The one who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    User,
    Assistant,
}

impl Speaker {
    /// Returns the name in the memory.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// The session that a turn belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TurnSource {
    /// Name of the client.
    pub client: String,
    /// Id of the client's session.
    pub session: String,
    pub project: Option<String>,
    pub branch: Option<String>,
    /// Directory that the session works in.
    #[serde(default)]
    pub cwd: Option<String>,
}

/// A turn, screened and ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapturedTurn {
    /// Id that is the same whenever the same turn is captured again, by a hook or from a file.
    pub id: String,
    /// Hash of the speaker and the words.
    pub hash: String,
    #[serde(flatten)]
    pub source: TurnSource,
    pub speaker: Speaker,
    pub text: String,
    /// The text was longer.
    pub cut: bool,
    /// Microseconds since 1970.
    pub at: i64,
}

impl CapturedTurn {
    /// Screens a text and makes it a turn; `None` if nothing is left of it. `occurrence` returns
    /// how often the same words were captured in the session before.
    pub fn new(
        source: &TurnSource,
        speaker: Speaker,
        text: &str,
        at: i64,
        injected_lines: &HashSet<String>,
        occurrence: impl FnOnce(&str) -> usize,
    ) -> Option<Self> {
        let own = without_injected(text, injected_lines);
        // Before it is written anywhere, also to the spool.
        let (screened, _) = secrets::redact(&secrets::remove_invisible(&own).0);
        let kept = cut_text(screened.trim(), TEXT_BYTES_MAX);
        if kept.is_empty() {
            return None;
        }
        let hash = short_hash(&format!("{}\n{kept}", speaker.name()));
        let number = occurrence(&hash);
        Some(Self {
            id: format!("{}:{hash}:{number}", short_hash(&source.session)),
            hash,
            source: source.clone(),
            speaker,
            cut: kept.len() < screened.trim().len(),
            text: kept.to_owned(),
            at,
        })
    }
}

/// Cuts a text at a character, at most at this length in bytes.
fn cut_text(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(text: &str) -> Option<CapturedTurn> {
        let source = TurnSource { session: "s".into(), ..TurnSource::default() };
        CapturedTurn::new(&source, Speaker::User, text, 0, &HashSet::new(), |_| 0)
    }

    #[test]
    fn a_secret_is_removed_before_anything_is_written() {
        let kept = turn("My key is AKIAIOSFODNN7EXAMPLQ, use it.").unwrap();
        assert!(!kept.text.contains("AKIA") && kept.text.contains("use it"), "{}", kept.text);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let kept = turn(&"é".repeat(TEXT_BYTES_MAX)).unwrap();
        assert!(kept.cut && kept.text.len() <= TEXT_BYTES_MAX);
        assert!(!turn("short").unwrap().cut);
    }

    #[test]
    fn the_same_words_have_the_same_id_and_nothing_is_no_turn() {
        assert_eq!(turn(" Yes.\n").unwrap().id, turn("Yes.").unwrap().id);
        assert_ne!(turn("No.").unwrap().id, turn("Yes.").unwrap().id);
        assert_eq!(turn("  \n"), None);
    }
}
