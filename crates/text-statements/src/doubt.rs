//! Reasons not to keep a sentence although it looks like a statement: it asks, supposes, quotes,
//! jokes, or concerns this moment alone.

use crate::pattern::{contains, opens_with};
use crate::sentence::SentenceWord;

/// First words of questions.
#[rustfmt::skip]
const QUESTION_STARTS: &[&str] = &[
    "who|what|why|how|when_did|when_do|when_does|when_is|where|which|whose|is|are|was|were|do_you",
    "do_we|do_i|do_they|does|did|can|could|should|would|have_we|have_you|has|will_it|will_you|\
     shall",
    "wer|was|warum|wieso|wie|wann|wo|welche|haben_wir|ist|sind|kann|kannst|soll|sollen",
    "qué|quién|cómo|cuándo|dónde|por_qué|cuál|puedes", "qui|quoi|pourquoi|comment|quand|où|quel",
    "est-ce|peux-tu|tu_peux",
];
/// Openings of a whole message that is about something made up.
#[rustfmt::skip]
const MADE_UP: &[&str] = &[
    "imagine|pretend|suppose|supposing|assume|assuming|hypothetically|roleplay", "act as|like",
    "you are a|an|the|now", "let us say|play|pretend|assume|imagine", "what if", "if i|we were",
    "write|generate|compose|create|draft a|an|the|me|ten|some", "say i|we|that",
    "stell dir vor", "angenommen", "tu so als", "imagina", "supongamos", "imagine|imaginons",
    "supposons",
];
/// Words of supposition, doubt and example.
#[rustfmt::skip]
const SUPPOSED: &[&str] = &[
    "could", "might", "maybe", "perhaps", "suppose", "imagine", "probably", "possibly",
    "what if", "i think|guess|wonder|believe|suspect", "not sure", "thinking about|of",
    "considering", "for example|instance", "e.g", "should we|i", "in a perfect world",
    "in theory", "unless", "used to", "story", "apparently", "seems|seem",
    "würde|würden|wäre|wären|könnte|könnten|vielleicht|eventuell|angenommen|glaube|hätte|hätten",
    "quizás|quizá|tal_vez|podría|podríamos|sería|usáramos|creo_que|a_lo_mejor",
    "peut-être|pourrait|pourrions|serait|je_crois|je_pense",
];
/// Words of reported speech.
#[rustfmt::skip]
const REPORTED: &[&str] = &[
    "said", "says", "wrote", "writes", "told", "tells", "claims", "claimed", "according to",
    "message from", "the docs say", "survey", "he|she|they think|thinks|want|wants|decided",
    "sagt", "sagte", "schrieb", "meinte", "laut", "dice", "dijo", "escribió", "según", "selon",
    "a_dit",
];
/// Words of jokes and complaints.
#[rustfmt::skip]
const JOKED: &[&str] = &[
    "lol", "haha", "hahaha", "lmao", "rofl", "yeah right", "just love", "love it when", "love how",
    "what could go wrong", "thanks for nothing", "wow", "of course", "i kill", "would kill",
    "drives me", "apparently", "obviously", "my life is", "born ready", "such fun", "great job",
    "super toll", "na klar", "genial vraiment",
];
/// Words of this moment.
#[rustfmt::skip]
const MOMENTARY: &[&str] = &[
    "right now", "for now", "at the moment", "this time", "this once", "just once", "today",
    "tonight", "this morning|afternoon|evening|session|task|answer|file|function|line|test|commit",
    "this pr|change|branch|step|case", "one sec|second|moment", "temporarily", "currently", "still",
    "here", "next answer|step|reply", "in .. minutes|hours", "quick break", "back in", "a break",
    "again", "meanwhile", "asap", "last commit", "first try", "these days",
    "gerade|heute|erstmal|vorerst|momentan|immer_noch|noch_nicht|diesmal|gleich|hier",
    "ahora_mismo|hoy|todavía|esta_vez|luego|sigue|aquí",
    "en_ce_moment|aujourd'hui|cette_fois|pour_le_moment|encore|ici",
];
/// Words of secrets, whose values are not for the memory.
#[rustfmt::skip]
const SECRET_WORDS: &[&str] = &[
    "password|passphrase|passcode|pin|api_key|apikey|secret|credentials|credential|access_key",
    "aws_key|token|passwort|kennwort|contraseña|clave|mot_de_passe",
];
/// Mark of a secret that was removed.
const REDACTED: &str = "[secret:";
/// Number of words in quotation marks from which somebody else is quoted.
const QUOTED_WORDS_MIN: usize = 4;

/// Returns true if a message is about something made up, so that nothing in it is meant.
pub(crate) fn is_made_up(words: &[SentenceWord<'_>]) -> bool {
    opens_with(words, MADE_UP).is_some()
}

/// Returns true if a sentence asks.
pub(crate) fn asks(sentence: &str, words: &[SentenceWord<'_>]) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？'));
    end.ends_with(['?', '？'])
        || sentence.contains('¿')
        || opens_with(words, QUESTION_STARTS).is_some()
}

/// Returns true if a sentence is not a plain statement of the user's own.
pub(crate) fn is_doubtful(sentence: &str, words: &[SentenceWord<'_>]) -> bool {
    let is_wish = opens_with(words, &["i would rather|like"]).is_some();
    (contains(words, &["would"]) && !is_wish)
        || [SUPPOSED, REPORTED, JOKED, MOMENTARY].iter().any(|list| contains(words, list))
        || quotes(sentence)
        || is_fragment(sentence)
        || sentence.contains("🙄")
        || is_secret(sentence, words)
}

/// Returns true if a bracket was opened or closed in another sentence.
fn is_fragment(sentence: &str) -> bool {
    sentence.matches('(').count() != sentence.matches(')').count()
}

/// Returns true if a sentence tells of a condition, outside of a rule.
pub(crate) fn is_conditional(words: &[SentenceWord<'_>]) -> bool {
    contains(words, &["if", "wenn", "falls", "si", "unless", "when_i_say"])
}

/// Returns true if a sentence holds or held a secret.
pub(crate) fn is_secret(sentence: &str, words: &[SentenceWord<'_>]) -> bool {
    sentence.contains(REDACTED)
        || contains(words, SECRET_WORDS)
        || !secrets::secrets(sentence).is_empty()
}

/// Returns true if somebody else's sentence is quoted.
fn quotes(sentence: &str) -> bool {
    let mut parts = sentence.split(['"', '\u{201c}', '\u{201d}', '\u{201e}', '«', '»']);
    parts.next();
    parts.step_by(2).any(|quoted| quoted.split_whitespace().count() >= QUOTED_WORDS_MIN)
}
