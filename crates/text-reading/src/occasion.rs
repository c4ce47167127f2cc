//! When a standing wish holds, by its own words. English only.

use crate::words::{Word, words};

/// The most words of a text that is a wish and little else.
const WORDS_MAX: usize = 40;
/// By what a wish for every time is known.
const EVERY_TIME: [&str; 2] = ["always", "never"];
/// What opens an occasion.
const OPENS: [&str; 2] = ["when", "whenever"];
/// Who does what on an occasion, before it is said of what.
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

/// The occasion of a wish: of "Always give dates in full when I ask about deadlines" it is
/// "deadlines". What somebody asks one day is like that, and not like what they wished for.
pub fn occasion(text: &str) -> Option<&str> {
    let words: Vec<Word<'_>> = words(text).take(WORDS_MAX + 1).collect();
    let is_wish = words.len() <= WORDS_MAX && words.iter().any(|word| is_one_of(word, &EVERY_TIME));
    let opens = words.iter().position(|word| is_one_of(word, &OPENS)).filter(|_| is_wish)?;
    let goes_on = |pair: &&[Word<'_>]| !is_end(&text[pair[0].end()..pair[1].start]);
    let after = words[opens..].windows(2).take_while(goes_on).map(|pair| pair[1]);
    let mut of_what = after.skip_while(|word| is_one_of(word, &LEADS_IN));
    let first = of_what.next()?;
    let last = of_what.last().unwrap_or(first);
    Some(&text[first.start..last.end()])
}

/// Whether what stands between two words ends an occasion. A point inside of a name does not.
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
        for (wish, expected) in [
            ("Always give dates in full when I ask about deadlines.", "deadlines"),
            ("When I ask about C#, always show the version.", "C#"),
            ("Never use tabs whenever you’re writing Rust; spaces are fine", "writing Rust"),
            ("Always run the linter when committing", "committing"),
            ("Never add a build step when using Node.js. It is slow.", "using Node.js"),
            ("We talked. Always name the narrator when I ask you for audio books!", "audio books"),
        ] {
            assert_eq!(occasion(wish), Some(expected), "{wish}");
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
