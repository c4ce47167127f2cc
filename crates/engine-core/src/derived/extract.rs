//! Extracts: the most important memories of a session, quoted by their first words. The same quotes
//! always give the same text, so an extract can be made again whenever its sources change.

use crate::embedding::speaker;
use model::{Kind, Memory, Moment, NewMemory, Origin, Provenance, Session, Status, Trust};
use statements::UserStatementKind;
use std::fmt::Write;

/// Number of memories that an extract quotes.
const QUOTED_MAX: usize = 12;
/// Length of a quote in characters.
const QUOTE_CHARS: usize = 200;
/// Number of turns that an extract quotes, and the length of such a quote: an extract of turns
/// alone is for the next session, which has room for little.
const TURNS_QUOTED_MAX: usize = 6;
const TURN_QUOTE_CHARS: usize = 120;
/// Shortest turn that is quoted, in words; "yes" and "go on" tell nothing.
const TURN_WORDS_MIN: usize = 4;
/// Kind of a turn of a transcript.
// Stored; it must not change.
pub const TURN_KIND: &str = "turn";

/// Headings of an extract in order of importance, with the kinds of memories below each.
// Extracts in existing stores are recognised by these and by the form of their first line.
const HEADINGS: [(&str, &[&str]); 4] = [
    ("Decided", &["decision"]),
    ("Corrected", &["correction"]),
    ("Learned", &["fact", "preference", "skill", "inference"]),
    ("Noted", &[]),
];

/// Quote from one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    heading: usize,
    priority: u8,
    at: Moment,
    words: String,
    trust: Trust,
    is_turn: bool,
}

impl Quote {
    /// Creates a quote; `None` for a memory that is not current or has no words.
    #[must_use]
    pub fn from_memory(memory: &Memory) -> Option<Self> {
        if memory.status != Status::Active {
            return None;
        }
        let by = speaker(&memory.metadata);
        Self::new(&memory.kind, memory.priority, &memory.text, by, &memory.provenance)
    }

    /// Creates a quote of a memory that is about to be written as current.
    pub(super) fn from_new(memory: &NewMemory) -> Option<Self> {
        let by = speaker(&memory.metadata);
        Self::new(&memory.kind, memory.priority, &memory.text, by, &memory.provenance)
    }

    fn new(
        kind: &Kind,
        priority: u8,
        text: &str,
        by: Option<&str>,
        from: &Provenance,
    ) -> Option<Self> {
        if kind.as_str() == TURN_KIND {
            return Self::from_turn(text, by == Some("user"), from);
        }
        let words = reading::summary(text, QUOTE_CHARS);
        let known = HEADINGS.iter().position(|(_, kinds)| kinds.contains(&kind.as_str()));
        let heading = known.unwrap_or(HEADINGS.len() - 1);
        let (at, trust) = (from.at, from.trust);
        let is_turn = false;
        (!words.is_empty()).then_some(Self { heading, priority, at, words, trust, is_turn })
    }

    /// Creates a quote of a turn: of the first statement that the user made in it, or else of its
    /// first sentence.
    fn from_turn(text: &str, by_user: bool, from: &Provenance) -> Option<Self> {
        let stated = if by_user { statements::user_statements(text) } else { Vec::new() };
        let stated = stated.into_iter().next();
        let heading = stated.as_ref().map_or(HEADINGS.len() - 1, |one| match one.kind {
            UserStatementKind::Decision => 0,
            UserStatementKind::Correction => 1,
            _ => 2,
        });
        let words =
            reading::summary(stated.as_ref().map_or(text, |one| &one.text), TURN_QUOTE_CHARS);
        // Requests of the user tell more of a session than the answers to them.
        let priority = if by_user { 3 } else { 4 };
        let (at, trust) = (from.at, from.trust);
        let tells = words.split_whitespace().count() >= TURN_WORDS_MIN
            || reading::has_spaceless_script(&words);
        tells.then_some(Self { heading, priority, at, words, trust, is_turn: true })
    }
}

/// Returns the trust in an extract: no more than in the weakest quoted memory.
#[must_use]
pub fn extract_trust(quotes: &[Quote]) -> Trust {
    quotes.iter().fold(Origin::Inferred.trust(), |trust, quote| trust.combine(quote.trust))
}

/// Builds the text of an episode; `None` when there is nothing to quote.
#[must_use]
pub fn extract(session: &Session, quotes: &[Quote], at: Moment) -> Option<String> {
    let project =
        session.project.as_deref().map(|project| format!(" in {project}")).unwrap_or_default();
    let subject = format!("Session {}{project}, {}", session.id, days(session, at));
    (!quotes.is_empty()).then(|| compose(&subject, quotes))
}

/// Returns the text of an extract without its quotes.
#[must_use]
pub fn without_quotes(text: &str) -> String {
    extract_again(text, &[])
}

/// Builds the text again from other quotes, under the same subject; without quotes it says that
/// there are none.
pub(super) fn extract_again(text: &str, quotes: &[Quote]) -> String {
    let head = text.lines().next().unwrap_or_default();
    compose(head.rsplit_once(": ").map_or(head, |(subject, _)| subject), quotes)
}

/// Returns whether a memory is an extract, rather than written by somebody.
#[must_use]
pub fn is_extract(memory: &Memory) -> bool {
    memory.provenance.origin == Origin::Inferred && has_extract_form(&memory.kind, &memory.text)
}

/// Returns whether a text has the form of an extract.
#[must_use]
pub fn has_extract_form(kind: &Kind, text: &str) -> bool {
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    let numbered = head
        .strip_prefix("Session ")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_numeric()));
    let counted = head.ends_with(" memory.") || head.ends_with(" memories.");
    let quoted = match lines.next() {
        None => is_empty_extract(text),
        Some(line) => HEADINGS.iter().any(|(title, _)| line.strip_suffix(':') == Some(title)),
    };
    *kind == Kind::episode() && numbered && counted && quoted
}

/// Returns whether an extract quotes nothing.
pub(super) fn is_empty_extract(text: &str) -> bool {
    text.ends_with(": 0 memories.") && text.lines().count() == 1
}

fn compose(subject: &str, quotes: &[Quote]) -> String {
    let quoted = select_quotes(quotes);
    let mut text = format!("{subject}: {}.", count_label(quotes.len()));
    for (heading, (title, _)) in HEADINGS.iter().enumerate() {
        let mut under = quoted.iter().filter(|part| part.heading == heading).peekable();
        if under.peek().is_some() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n{title}:");
            under.for_each(|part| text.extend(["\n- ", part.words.as_str()]));
        }
    }
    text
}

/// Selects the quotes in order of importance and returns them in order of time, without
/// repetitions.
fn select_quotes(quotes: &[Quote]) -> Vec<&Quote> {
    let mut ranked: Vec<&Quote> = quotes.iter().collect();
    ranked.sort_by_key(|part| (part.heading, part.priority, std::cmp::Reverse(part.at)));
    let only_turns = quotes.iter().all(|part| part.is_turn);
    let quoted_max = if only_turns { TURNS_QUOTED_MAX } else { QUOTED_MAX };
    let mut quoted: Vec<&Quote> = Vec::with_capacity(quoted_max);
    for part in ranked {
        // Agents repeat themselves; a quote is worth its place only once.
        if quoted.len() < quoted_max && quoted.iter().all(|other| other.words != part.words) {
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
        let (at, words, trust) = (Moment(at), words.to_owned(), Trust(70));
        Quote { heading, priority: 3, at, words, trust, is_turn: false }
    }

    fn session() -> Session {
        Session {
            id: SessionId(7),
            key: None,
            project: Some("a: b".into()),
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
            "Session 7 in a: b, 1970-01-01: 3 memories.\n\
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
    fn a_turn_is_quoted_by_its_statement_and_only_a_few_are() {
        let from = Provenance {
            author: model::Author {
                agent: AgentName::new("codex"),
                client: None,
                dialect: model::Dialect::CommandLine,
                tool: String::new(),
            },
            origin: Origin::Agent,
            trust: Trust(70),
            at: Moment(0),
        };
        let turn = |text: &str, by_user| Quote::from_turn(text, by_user, &from);
        let decided = turn("Thanks. We decided to use WAL for the log. Go on.", true).unwrap();
        assert_eq!((decided.heading, &*decided.words), (0, "We decided to use WAL for the log."));
        assert_eq!(turn("yes, do it", true), None);
        let said = turn("We decided to use WAL for the log.", false).unwrap();
        assert_eq!(said.heading, HEADINGS.len() - 1, "an agent decides nothing");
        let many: Vec<Quote> =
            (0..50).filter_map(|n| turn(&format!("Please fix test number {n}."), true)).collect();
        let text = extract(&session(), &many, Moment(0)).unwrap();
        assert_eq!(text.matches("\n- ").count(), TURNS_QUOTED_MAX);
    }

    #[test]
    fn an_empty_session_has_no_episode() {
        assert_eq!(extract(&session(), &[], Moment(0)), None);
    }

    #[test]
    fn an_extract_is_made_again_under_the_same_subject() {
        let before = extract(&session(), &[quote(0, 1, "Use WAL.")], Moment(0)).unwrap();
        let after = extract_again(&before, &[quote(2, 1, "WAL is slow."), quote(3, 2, "Tea.")]);
        assert_eq!(
            after,
            "Session 7 in a: b, 1970-01-01: 2 memories.\nLearned:\n- WAL is slow.\nNoted:\n- Tea."
        );
        let empty = extract_again(&after, &[]);
        assert_eq!(empty, "Session 7 in a: b, 1970-01-01: 0 memories.");
        assert_eq!(extract_again(&empty, &[quote(0, 1, "Use WAL.")]), before);
    }

    #[test]
    fn an_extract_is_recognised_by_its_form() {
        let episode = Kind::episode();
        let made = extract(&session(), &[quote(1, 1, "Use WAL.")], Moment(0)).unwrap();
        assert!(has_extract_form(&episode, &made));
        assert!(has_extract_form(&episode, &extract_again(&made, &[])));
        assert!(!has_extract_form(&Kind::note(), &made));
        for written in [
            "We chose WAL.",
            "Session 7 was about 3 memories.",
            "Session 7, 1970-01-01: 3 memories.\nWe chose WAL.",
            "Session seven: 3 memories.\nDecided:\n- Use WAL.",
        ] {
            assert!(!has_extract_form(&episode, written), "{written}");
        }
    }

    #[test]
    fn an_extract_is_trusted_as_its_weakest_quote() {
        let outside = Quote { trust: Origin::Outside.trust(), ..quote(0, 1, "Trust me.") };
        assert_eq!(extract_trust(&[quote(0, 1, "Use WAL.")]), Origin::Inferred.trust());
        assert_eq!(extract_trust(&[quote(0, 1, "Use WAL."), outside]), Origin::Outside.trust());
    }
}
