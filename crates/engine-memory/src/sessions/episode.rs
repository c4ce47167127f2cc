//! Extractive episodes: the most important memories of a session, quoted by their first words.

use model::{Memory, Moment, Session, Status, Trust};
use std::fmt::Write;

/// Number of memories that an extract quotes.
const QUOTED_MAX: usize = 12;
/// Length of a quote in characters.
const QUOTE_CHARS: usize = 200;

/// Headings of an extract in order of importance, with the kinds of memories below each.
const HEADINGS: [(&str, &[&str]); 4] = [
    ("Decided", &["decision"]),
    ("Corrected", &["correction"]),
    ("Learned", &["fact", "preference", "skill", "inference"]),
    ("Noted", &[]),
];

/// Quote from one memory of a session.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quote {
    heading: usize,
    priority: u8,
    at: Moment,
    words: String,
    pub trust: Trust,
}

impl Quote {
    /// Creates a quote; `None` for a memory that is not current.
    pub fn from_memory(memory: &Memory) -> Option<Self> {
        let words = reading::summary(&memory.text, QUOTE_CHARS);
        let is_quotable = memory.status == Status::Active && !words.is_empty();
        let known = HEADINGS.iter().position(|(_, kinds)| kinds.contains(&memory.kind.as_str()));
        is_quotable.then(|| Self {
            heading: known.unwrap_or(HEADINGS.len() - 1),
            priority: memory.priority,
            at: memory.provenance.at,
            words,
            trust: memory.provenance.trust,
        })
    }
}

/// Builds the text of an episode; `None` when there is nothing to quote.
pub(super) fn extract(session: &Session, quotes: &[Quote], at: Moment) -> Option<String> {
    if quotes.is_empty() {
        return None;
    }
    let quoted = select_quotes(quotes);
    let project =
        session.project.as_deref().map(|project| format!(" in {project}")).unwrap_or_default();
    let mut text = format!(
        "Session {}{project}, {}: {}.",
        session.id,
        days(session, at),
        count_label(quotes.len())
    );
    for (heading, (title, _)) in HEADINGS.iter().enumerate() {
        let mut under = quoted.iter().filter(|part| part.heading == heading).peekable();
        if under.peek().is_some() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n{title}:");
            under.for_each(|part| text.extend(["\n- ", part.words.as_str()]));
        }
    }
    Some(text)
}

/// Selects the quotes in order of importance and returns them in order of time, without
/// repetitions.
fn select_quotes(quotes: &[Quote]) -> Vec<&Quote> {
    let mut ranked: Vec<&Quote> = quotes.iter().collect();
    ranked.sort_by_key(|part| (part.heading, part.priority, std::cmp::Reverse(part.at)));
    let mut quoted: Vec<&Quote> = Vec::with_capacity(QUOTED_MAX);
    for part in ranked {
        // Agents repeat themselves; a quote is worth its place only once.
        if quoted.len() < QUOTED_MAX && quoted.iter().all(|other| other.words != part.words) {
            quoted.push(part);
        }
    }
    quoted.sort_by_key(|part| part.at);
    quoted
}

fn days(session: &Session, at: Moment) -> String {
    let (first, last) = (session.started_at.date(), at.date());
    if first == last { first } else { format!("{first} to {last}") }
}

fn count_label(memories: usize) -> String {
    if memories == 1 { "1 memory".to_owned() } else { format!("{memories} memories") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{AgentName, JsonMap, SessionId};

    fn quote(heading: usize, at: i64, words: &str) -> Quote {
        Quote { heading, priority: 3, at: Moment(at), words: words.into(), trust: Trust(70) }
    }

    fn session() -> Session {
        Session {
            id: SessionId(7),
            key: None,
            project: Some("quipu".into()),
            agent: AgentName::new("codex"),
            metadata: JsonMap::new(),
            started_at: Moment(0),
            ended_at: None,
            episode: None,
        }
    }

    #[test]
    fn decisions_come_first_and_quotes_under_a_heading_are_in_order_of_time() {
        let quotes =
            [quote(3, 1, "Looked at logs."), quote(0, 3, "Use WAL."), quote(0, 2, "Use SQLite.")];
        let text = extract(&session(), &quotes, Moment(0)).unwrap();
        assert_eq!(
            text,
            "Session 7 in quipu, 1970-01-01: 3 memories.\n\
             Decided:\n- Use SQLite.\n- Use WAL.\nNoted:\n- Looked at logs."
        );
    }

    #[test]
    fn a_long_session_is_quoted_in_part_and_repeated_words_once() {
        let mut many: Vec<Quote> = (0..50).map(|at| quote(3, at, &format!("Note {at}."))).collect();
        many.push(quote(0, 60, "Use WAL."));
        many.push(quote(0, 61, "Use WAL."));
        let text = extract(&session(), &many, Moment(0)).unwrap();
        assert_eq!(text.matches("\n- ").count(), QUOTED_MAX);
        assert_eq!(text.matches("Use WAL.").count(), 1);
        assert!(text.contains("52 memories"), "{text}");
    }

    #[test]
    fn an_empty_session_has_no_episode() {
        assert_eq!(extract(&session(), &[], Moment(0)), None);
    }
}
