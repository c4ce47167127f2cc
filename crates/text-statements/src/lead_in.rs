//! Words before a statement: politeness, a request to remember it, or the remark that something was
//! wrong.

use crate::pattern::opens_with;
use crate::sentence::SentenceWord;

/// Words that lead in to anything.
#[rustfmt::skip]
const POLITE: &[&str] = &[
    "ok|okay|thanks|great|good|perfect|nice|cool|btw|also|and|so|well|hey|hi|hello|please|oh|ah",
    "alright|yes|yep|but|hmm|though|finally|by_the_way|thank_you|one_more_thing|another_thing",
    "one_thing|after_the_meeting|after_our_meeting|in_short|just_to_be_clear|to_be_clear",
    "bitte|übrigens|danke|und|also|ach|noch_etwas", "por_favor|gracias|por_cierto|y|además",
    "s'il_te_plaît|merci|au_fait|et|d'ailleurs",
];
/// Requests to remember what follows.
#[rustfmt::skip]
const REMEMBER: &[&str] = &[
    "can|could|will you ?please remember that",
    "i want|need you to remember ?that", "i would like you to remember ?that",
    "remember ?this that", "remember :", "remember this :", "remember , ",
    "keep|bear in mind ?that", "do not forget that", "just so you know ?that",
    "for future|your reference", "for the record ?that", "for your information ?that",
    "make|take a note ?that", "make|take note that", "note ?for|to ?later|self :", "note that",
    "please note that", "fyi ?that", "save|store|note|memorize|memorise this :", "note down ?that",
    "note ?for ?later|me :",
    "merk|merke dir ?bitte ?dass", "notiere dir ?bitte ?dass", "denk|denke daran dass",
    "vergiss nicht dass", "zur info|information ?dass", "behalte im kopf dass",
    "recuerda|recuérdalo|recuerde que", "ten|tenga en cuenta que", "apunta|anota que",
    "no olvides|olvide que", "recuerda :", "para que lo sepas",
    "souviens-toi|rappelle-toi|retiens|note que", "n'oublie pas que", "garde en tête que",
    "souviens-toi|retiens|note|rappelle-toi :", "pour info|information",
];
/// Remarks that something was wrong, which are enough by themselves.
#[rustfmt::skip]
const SURELY_WRONG: &[&str] = &[
    "correction", "that is wrong|incorrect|not_right|not_correct|not_true",
    "you are wrong|mistaken",
    "you got that|it|this wrong", "not quite", "wrong", "i was wrong", "to correct you|that",
    "korrektur", "falsch", "das ist falsch", "das stimmt nicht", "corrección", "eso no es correcto",
    "incorrecto", "c'est faux", "faux",
];
/// Remarks that something may be wrong.
#[rustfmt::skip]
const PERHAPS_WRONG: &[&str] = &[
    "no no ?no", "no ?actually", "nope", "actually ?no", "nein ?eigentlich", "eigentlich", "doch",
    "en realidad", "non ?en_fait", "en fait",
];
/// Words that make what follows a decision.
#[rustfmt::skip]
const DECIDED: &[&str] = &[
    "final decision :", "decision :", "decided :", "agreed :", "entscheidung :", "beschluss :",
    "decisión :", "décision :",
];

/// The words before a statement, by what they say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LeadIn {
    /// The user asks to remember it.
    pub is_request: bool,
    /// Something before was wrong, for sure.
    pub is_correction: bool,
    /// Something before was wrong, perhaps.
    pub may_correct: bool,
    pub is_decision: bool,
}

/// Reads the words before a statement and returns the number of them.
pub(crate) fn lead_in(words: &[SentenceWord<'_>]) -> (LeadIn, usize) {
    let mut found = LeadIn::default();
    let mut at = 0;
    loop {
        let rest = &words[at..];
        let length = if let Some(length) = opens_with_mark(rest, REMEMBER) {
            found.is_request = true;
            length
        } else if let Some(length) = opens_with_mark(rest, DECIDED) {
            found.is_decision = true;
            length
        } else if let Some(length) = separated(rest, SURELY_WRONG) {
            found.is_correction = true;
            length
        } else if let Some(length) = opens_with(rest, PERHAPS_WRONG) {
            found.may_correct = true;
            length
        } else if let Some(length) = opens_with(rest, POLITE) {
            length
        } else {
            return (found, at);
        };
        at += length;
    }
}

/// Matches a pattern; a `:` or `,` at its end wants that mark after the last word.
fn opens_with_mark(words: &[SentenceWord<'_>], patterns: &[&str]) -> Option<usize> {
    patterns.iter().find_map(|pattern| {
        let pattern = pattern.trim();
        match pattern.strip_suffix(" :").or_else(|| pattern.strip_suffix(" ,")) {
            Some(plain) => separated(words, &[plain]),
            None => opens_with(words, &[pattern]),
        }
    })
}

/// Matches a pattern that a mark separates from the rest, or that is all there is.
fn separated(words: &[SentenceWord<'_>], patterns: &[&str]) -> Option<usize> {
    let length = opens_with(words, patterns)?;
    let last = words.get(length.checked_sub(1)?)?;
    let is_separate = length == words.len() || last.ends_in(&[',', ':', ';', '.', '!', '-', '—']);
    let next_is_dash = words.get(length).is_some_and(|next| next.written.starts_with(['—', '-']));
    (is_separate || next_is_dash).then_some(length)
}
