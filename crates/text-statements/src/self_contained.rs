//! Statements that say by themselves what they are about: "use that one" does not.

use crate::pattern::opens_with;
use crate::sentence::SentenceWord;

/// Words that point to something outside of the statement.
#[rustfmt::skip]
const POINTING: &[&str] = &[
    "it|this|that|these|those|them|so|how|where|what|when|why|there|here|one|option|plan_a|plan_b",
    "the_first|the_second|the_third|the_last|the_former|the_latter|the_other|the_same|the_above",
    "the_following|following|your|yours|both|either|neither|all_of|none|something|anything|\
     nothing|everything",
    "das|dies|diese|dieses|es|so|dir|lo|esto|eso|ese|esa|así|ça|cela|ceci|celui|celle",
];
/// Last words of a statement that lacks its object.
#[rustfmt::skip]
const LAST_POINTING: &[&str] = &[
    "it", "this", "that", "them", "those", "these", "so", "there", "one", "same", "way", "das",
    "es", "so", "lo", "eso", "así", "ça", "cela",
];
/// Number of words from which a last pronoun has its noun in the statement itself.
const NOUN_WORDS_MIN: usize = 8;

/// Returns true if the words after the opening of a statement start with something outside of it.
pub(crate) fn points_outside(after: &[SentenceWord<'_>]) -> bool {
    opens_with(after, POINTING).is_some()
}

/// Returns true if a statement ends in a pronoun without its noun.
pub(crate) fn ends_in_pronoun(words: &[SentenceWord<'_>]) -> bool {
    let last = words.last().map_or("", |word| word.plain.as_str());
    words.len() < NOUN_WORDS_MIN && LAST_POINTING.contains(&last)
}
