//! Statements of a message and their kinds.

use crate::english as en;
use crate::lead_in::{LeadIn, lead_in};
use crate::other_languages as other;
use crate::own_words::own_words;
use crate::pattern::{contains, opens_with};
use crate::self_contained::{ends_in_pronoun, points_outside};
use crate::sentence::{SentenceWord, sentences, words};
use crate::{chinese, doubt};

/// Longest message in bytes in which statements are found without being asked for: a longer one was
/// mostly pasted.
const TYPED_BYTES_MAX: usize = 2_500;
/// Number of words of a statement.
const WORDS: std::ops::RangeInclusive<usize> = 3..=45;
/// Largest number of statements of one message; one with more was pasted.
const STATEMENTS_MAX: usize = 8;

/// Kind of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserStatementKind {
    Decision,
    Preference,
    Correction,
    /// An order for all times: "always …", "from now on …".
    Rule,
    /// A fact about the user, the team or the work.
    Fact,
}

/// A statement of a user's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserStatement {
    pub kind: UserStatementKind,
    /// The user's words, without those that lead in to them.
    pub text: String,
    /// The user asked to remember it.
    pub is_request: bool,
    /// It is about the user alone, whatever the work is.
    pub is_personal: bool,
}

/// Returns the statements of a user's message that are worth keeping, in their order.
pub fn user_statements(message: &str) -> Vec<UserStatement> {
    let own = own_words(message);
    let only_requests = own.len() > TYPED_BYTES_MAX;
    let sentences = sentences(&own);
    if sentences.iter().any(|sentence| doubt::is_made_up(&words(without_bullet(sentence)))) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut after_correction = false;
    for sentence in sentences {
        let sentence = without_bullet(sentence);
        let words = words(sentence);
        let statement = classify(sentence, &words, after_correction);
        found.extend(statement.filter(|one| one.is_request || !only_requests));
        let (lead, length) = lead_in(&words);
        after_correction = lead.is_correction && length == words.len();
    }
    if found.len() > STATEMENTS_MAX { Vec::new() } else { found }
}

/// Returns the item of a list without its mark.
fn without_bullet(sentence: &str) -> &str {
    let digits = sentence.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = digits.len() < sentence.len();
    let numbered = digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") "));
    let bullet = ["- ", "* ", "+ "].iter().find_map(|mark| sentence.strip_prefix(mark));
    bullet.or(numbered.filter(|_| is_numbered)).unwrap_or(sentence).trim_start()
}

fn classify(
    sentence: &str,
    words: &[SentenceWord<'_>],
    after_correction: bool,
) -> Option<UserStatement> {
    if chinese::is_chinese(sentence) {
        let (kind, start) = chinese::classify(sentence)?;
        let is_request = sentence[..start].contains('记');
        let is_personal =
            sentence[start..].starts_with('我') && !sentence[start..].starts_with("我们");
        let is_secret = doubt::is_secret(sentence, words);
        let text = sentence[start..].trim().to_owned();
        return (!is_secret).then_some(UserStatement { kind, text, is_request, is_personal });
    }
    let (mut lead, start) = lead_in(words);
    lead.is_correction |= after_correction;
    let rest = words.get(start..)?;
    if !WORDS.contains(&rest.len()) || ends_in_pronoun(rest) {
        return None;
    }
    let kind = kind_of(sentence, rest, lead)?;
    let text = capitalized(sentence[rest[0].start..].trim());
    let is_personal = matches!(kind, UserStatementKind::Fact | UserStatementKind::Preference)
        && opens_with(
            rest,
            &["i|my|ich|mein|meine|mir|je|j'habite|mon|ma|prefiero|vivo|soy|mi|me|no_me"],
        )
        .is_some();
    Some(UserStatement { kind, text, is_request: lead.is_request, is_personal })
}

fn kind_of(sentence: &str, words: &[SentenceWord<'_>], lead: LeadIn) -> Option<UserStatementKind> {
    use UserStatementKind as Kind;
    let asks = doubt::asks(sentence, words);
    if lead.is_request {
        let is_plain = !doubt::is_secret(sentence, words) && !points_outside(words);
        let is_order =
            opens_with(words, &["to|when|what|how|why|where|respond|act|answer|you_are"]).is_some();
        let opened = opened_kind(words).filter(|_| !doubt::is_doubtful(sentence, words));
        let asked = asks && !opens_with_question_request(sentence);
        return (is_plain && !is_order && !asked && !is_passing(words))
            .then(|| opened.unwrap_or(Kind::Fact));
    }
    if asks || doubt::is_doubtful(sentence, words) {
        return None;
    }
    let opened = opened_kind(words);
    match opened {
        Some(Kind::Rule) => return opened,
        _ if doubt::is_conditional(words) => return None,
        Some(Kind::Fact | Kind::Decision) if lead.is_correction => return Some(Kind::Correction),
        Some(_) => return opened,
        None => {}
    }
    if lead.is_decision && !points_outside(words) {
        return Some(Kind::Decision);
    }
    let corrects = lead.is_correction || lead.may_correct && contrasts(sentence, words);
    (corrects && asserts(words)).then_some(Kind::Correction)
}

/// Returns true for "can you remember that …?", which asks for a favour only.
fn opens_with_question_request(sentence: &str) -> bool {
    let words = words(sentence);
    opens_with(&words, &["?hey|hi ?please can|could|will you ?please remember that"]).is_some()
}

/// Returns true for a remark on what is going on: "note that this is failing".
fn is_passing(words: &[SentenceWord<'_>]) -> bool {
    contains(words, &["is|are failing|broken|down", "i asked", "i told", "i said", "we talked"])
}

/// Returns the kind of a statement by the words that open it.
fn opened_kind(words: &[SentenceWord<'_>]) -> Option<UserStatementKind> {
    use UserStatementKind as Kind;
    let opens = |lists: [&[&str]; 2]| {
        let length = lists.iter().find_map(|list| opens_with(words, list))?;
        let after = words.get(length).map_or("", |word| word.plain.as_str());
        // "We never started over" tells of once.
        let is_told = first_two(words, "we", &["never", "always", "only"]) && is_past(after);
        (!points_outside(&words[length..]) && !is_told).then_some(length)
    };
    if is_rule(words) {
        return Some(Kind::Rule);
    }
    if opens([en::DECISIONS, other::DECISIONS]).is_some() {
        return Some(Kind::Decision);
    }
    if opens_with(words, en::PROPOSED).is_some() && contains(words, en::EXTENT) {
        return Some(Kind::Decision);
    }
    if opens([en::PREFERENCES, other::PREFERENCES]).is_some()
        || is_taste(words)
        || is_favourite(words)
    {
        return Some(Kind::Preference);
    }
    let states = opens([en::FACTS, other::FACTS]).is_some() && !contains(words, en::CONDITIONS);
    (states || is_role(words)).then_some(Kind::Fact)
}

fn is_rule(words: &[SentenceWord<'_>]) -> bool {
    let length = opens_with(words, en::RULES).or_else(|| opens_with(words, other::RULES));
    if length.is_some_and(|length| words.len() > length) {
        return true;
    }
    let first = words.first().map_or("", |word| word.plain.as_str());
    let next = words.get(1).map_or("", |word| word.plain.as_str());
    let is_bare = !words.first().is_some_and(|word| word.ends_in(&[',', '.', ':']));
    if matches!(first, "always" | "never") && is_bare {
        let finite = is_past(next);
        let plural = next.ends_with('s') && !next.ends_with("ss");
        return words.len() > 2 && !finite && !plural && !en::NO_ORDER.contains(&next);
    }
    let extended = opens_with(words, en::ORDERS).is_some() && contains(words, en::EXTENT);
    let ordered = opens_with(words, other::ORDERS).is_some() && contains(words, other::ALL_TIMES);
    extended || ordered
}

fn is_past(word: &str) -> bool {
    word.ends_with("ed") && word != "need" && word != "embed"
}

fn first_two(words: &[SentenceWord<'_>], first: &str, second: &[&str]) -> bool {
    words.first().is_some_and(|word| word.plain == first)
        && words.get(1).is_some_and(|word| second.contains(&&*word.plain))
}

fn is_taste(words: &[SentenceWord<'_>]) -> bool {
    opens_with(words, en::TASTES).is_some_and(|length| {
        let after = &words[length..];
        !after.is_empty() && !points_outside(after) && opens_with(after, en::AT_HAND).is_none()
    })
}

/// Returns true for "Mein Lieblingsrestaurant ist …".
fn is_favourite(words: &[SentenceWord<'_>]) -> bool {
    opens_with(words, &["mein|meine"]).is_some()
        && words.get(1).is_some_and(|word| word.plain.starts_with(other::FAVOURITE_START))
        && words.len() > 3
}

/// Returns true for "I'm a nurse" and "I'm Alex from the platform team".
fn is_role(words: &[SentenceWord<'_>]) -> bool {
    let after = |length: usize| words.get(length).map_or("", |word| word.plain.as_str());
    if let Some(length) = opens_with(words, en::BEING) {
        return !en::NO_ROLE.contains(&after(length)) && !after(length).is_empty();
    }
    let Some(length) = opens_with(words, &["i am"]) else { return false };
    let Some(name) = words.get(length).filter(|word| word.is_name_like()) else { return false };
    name.ends_in(&[',']) || matches!(after(length + 1), "from" | "the" | "and" | "with")
}

/// Returns true if a sentence sets a value against another: "… is March 15, not March 12".
fn contrasts(sentence: &str, words: &[SentenceWord<'_>]) -> bool {
    let lower = sentence.to_lowercase();
    [", not ", ", nicht ", ", no ", ", pas ", " instead of ", " rather than "]
        .iter()
        .any(|mark| lower.contains(mark))
        || contains(words, &["anymore|any_longer|no_longer", "nicht mehr", "ya no", "ne .. plus"])
}

/// Returns true if words assert something of a subject that they name.
fn asserts(words: &[SentenceWord<'_>]) -> bool {
    const VERBS: &[&str] = &[
        "is|are|was|were|has|have|runs|run|lives|live|starts|start|uses|use|leads|moved|belongs",
        "do_not|does_not|retries|needs|takes|costs|ends|goes|comes|works|owns|ist|sind|hat|steht",
        "läuft|heißt|es|son|está|están|est|sont|a|utilise",
    ];
    let subject = opens_with(
        words,
        &["the|our|my|we|all|each|every|der|die|das|den|unser|unsere|wir|el|la|los|las|\
             nuestro|nuestra|le|les|notre|nous"],
    );
    let is_named = subject.is_some() || words.first().is_some_and(SentenceWord::is_name_like);
    let near = &words[..words.len().min(8)];
    is_named && !points_outside(words) && contains(near, VERBS)
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
