//! The trigger of an instruction that applies every time ("Always … when …"): the situation it is
//! meant for, in its own words. English only.

use crate::word_spans::{Word, words};

/// Maximum number of words of a text that is an instruction and little else.
const WORDS_MAX: usize = 40;
/// Words that mark an instruction as applying every time.
const UNIVERSAL_ADVERBS: [&str; 2] = ["always", "never"];
/// Words that open the trigger.
const TRIGGER_OPENERS: [&str; 2] = ["when", "whenever"];
/// Words that only lead in to the topic of the trigger ("when I ask you about").
const LEAD_IN_WORDS: [&str; 21] = [
    "i",
    "i'm",
    "we",
    "we're",
    "you",
    "you're",
    "am",
    "are",
    "ask",
    "asks",
    "asked",
    "asking",
    "talk",
    "talking",
    "discuss",
    "discussing",
    "about",
    "for",
    "to",
    "me",
    "it",
];

/// Returns the trigger of an instruction: for "Always give dates in full when I ask about
/// deadlines" it is "deadlines". A later question resembles the trigger, not the instruction, so
/// the trigger is worth an embedding of its own.
pub fn instruction_trigger(text: &str) -> Option<&str> {
    let words: Vec<Word<'_>> = words(text).take(WORDS_MAX + 1).collect();
    let is_instruction =
        words.len() <= WORDS_MAX && words.iter().any(|word| is_one_of(word, &UNIVERSAL_ADVERBS));
    let opens = words
        .iter()
        .position(|word| is_one_of(word, &TRIGGER_OPENERS))
        .filter(|_| is_instruction)?;
    let continues = |pair: &&[Word<'_>]| !ends_trigger(&text[pair[0].end()..pair[1].start]);
    let after = words[opens..].windows(2).take_while(continues).map(|pair| pair[1]);
    let mut topic = after.skip_while(|word| is_one_of(word, &LEAD_IN_WORDS));
    let first = topic.next()?;
    let last = topic.last().unwrap_or(first);
    Some(&text[first.start..last.end()])
}

/// Returns true if the text between two words ends the trigger. A full stop inside a name does not.
fn ends_trigger(between: &str) -> bool {
    between.contains('\n')
        || between.contains(char::is_whitespace) && between.contains(['.', ',', ';', ':', '!', '?'])
}

fn is_one_of(word: &Word<'_>, known: &[&str]) -> bool {
    let plain = word.text.replace('\u{2019}', "'");
    known.iter().any(|known| plain.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trigger_is_the_topic_of_an_instruction() {
        for (instruction, expected) in [
            ("Always give dates in full when I ask about deadlines.", "deadlines"),
            ("When I ask about C#, always show the version.", "C#"),
            ("Never use tabs whenever you’re writing Rust; spaces are fine", "writing Rust"),
            ("Always run the linter when committing", "committing"),
            ("Never add a build step when using Node.js. It is slow.", "using Node.js"),
            ("We talked. Always name the narrator when I ask you for audio books!", "audio books"),
        ] {
            assert_eq!(instruction_trigger(instruction), Some(expected), "{instruction}");
        }
    }

    #[test]
    fn text_without_an_instruction_or_a_topic_has_no_trigger() {
        let long = format!("Always read it when I ask. {}", "word ".repeat(40));
        for text in [
            "",
            "when",
            "Always when I ask you",
            "Always answer in one line.",
            "I was ten when we moved to Ghent.",
            &long,
        ] {
            assert_eq!(instruction_trigger(text), None, "{text}");
        }
    }
}
