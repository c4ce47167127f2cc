//! The trigger of an instruction that applies every time ("Always … when …"): the situation it is
//! meant for, in its own words. English only.

use crate::words::{Word, words};

/// Maximum number of words of a text that is an instruction and little else.
const WORDS_MAX: usize = 40;
/// Words that mark an instruction as applying every time.
const EVERY_TIME: [&str; 2] = ["always", "never"];
/// Words that open the trigger.
const OPENS: [&str; 2] = ["when", "whenever"];
/// Words that only lead in to the topic of the trigger ("when I ask you about").
const LEADS_IN: [&str; 21] = [
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
pub fn occasion(text: &str) -> Option<&str> {
    let words: Vec<Word<'_>> = words(text).take(WORDS_MAX + 1).collect();
    let is_instruction =
        words.len() <= WORDS_MAX && words.iter().any(|word| is_one_of(word, &EVERY_TIME));
    let opens = words.iter().position(|word| is_one_of(word, &OPENS)).filter(|_| is_instruction)?;
    let continues = |pair: &&[Word<'_>]| !is_end(&text[pair[0].end()..pair[1].start]);
    let after = words[opens..].windows(2).take_while(continues).map(|pair| pair[1]);
    let mut topic = after.skip_while(|word| is_one_of(word, &LEADS_IN));
    let first = topic.next()?;
    let last = topic.last().unwrap_or(first);
    Some(&text[first.start..last.end()])
}

/// Returns true if the text between two words ends the trigger. A full stop inside a name does not.
fn is_end(between: &str) -> bool {
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
    fn the_occasion_is_what_a_wish_is_for() {
        for (instruction, expected) in [
            ("Always give dates in full when I ask about deadlines.", "deadlines"),
            ("When I ask about C#, always show the version.", "C#"),
            ("Never use tabs whenever you’re writing Rust; spaces are fine", "writing Rust"),
            ("Always run the linter when committing", "committing"),
            ("Never add a build step when using Node.js. It is slow.", "using Node.js"),
            ("We talked. Always name the narrator when I ask you for audio books!", "audio books"),
        ] {
            assert_eq!(occasion(instruction), Some(expected), "{instruction}");
        }
    }

    #[test]
    fn what_wishes_nothing_or_tells_no_occasion_has_none() {
        let long = format!("Always read it when I ask. {}", "word ".repeat(40));
        for text in [
            "",
            "when",
            "Always when I ask you",
            "Always answer in one line.",
            "I was ten when we moved to Ghent.",
            &long,
        ] {
            assert_eq!(occasion(text), None, "{text}");
        }
    }
}
