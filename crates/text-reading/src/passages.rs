//! Passages of a text that get an embedding of their own, and the share of a text that only asks
//! questions. Both work by sentences.

use crate::sentences::sentences;
use std::ops::Range;
use words::TextLanguage;

/// Minimum number of words in a passage; a shorter sentence is joined to the next one.
const WORDS_MIN: usize = 4;
/// No passage begins after this many words: a text says early what it is about.
const WORDS_READ: usize = 100;
/// Characters that end a question.
const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];
/// Maximum number of passages of a text.
const PASSAGES_MAX: usize = 6;

/// Returns the passages at the beginning of a text, each of one sentence or a few short ones. Empty
/// when there would be only one, since that one is covered by the embedding of the whole text.
pub fn passages(text: &str) -> Vec<&str> {
    passage_ranges(text).into_iter().map(|range| &text[range]).collect()
}

/// Returns the ranges of the passages of a text, in the order of [`passages`].
pub fn passage_ranges(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut read) = (Vec::<Range<usize>>::new(), 0);
    for sentence in sentences(text) {
        read += count_words(&text[sentence.clone()]);
        match found.pop() {
            Some(short) if count_words(&text[short.clone()]) < WORDS_MIN => {
                found.push(short.start..sentence.end)
            }
            last => found.extend(last.into_iter().chain([sentence])),
        }
        let ended = count_words(&text[found[found.len() - 1].clone()]) >= WORDS_MIN;
        if ended && (found.len() == PASSAGES_MAX || read > WORDS_READ) {
            break;
        }
    }
    join_short_end(text, &mut found);
    if found.len() > 1 { found } else { Vec::new() }
}

/// Joins a last passage of too few words to the one before it.
fn join_short_end(text: &str, found: &mut Vec<Range<usize>>) {
    let Some(short) = found.pop_if(|last| count_words(&text[last.clone()]) < WORDS_MIN) else {
        return;
    };
    match found.last_mut() {
        Some(before) => before.end = short.end,
        None => found.push(short),
    }
}

/// Returns the share of a text's words, from 0 to 1, in questions that reveal nothing about whoever
/// asks them. "I moved to Ghent, do you know it?" reveals something; "Do you know Ghent?" does not.
pub fn question_share(text: &str) -> f32 {
    // Most texts ask nothing, and looking for the mark is quicker than splitting into sentences.
    if !text.contains('?') && (text.is_ascii() || !text.contains(QUESTION_MARKS)) {
        return 0.0;
    }
    let (mut asking, mut all) = (0, 0);
    for sentence in sentences(text).map(|range| &text[range]) {
        let words = count_words(sentence);
        all += words;
        asking += if only_asks(sentence) { words } else { 0 };
    }
    if all == 0 { 0.0 } else { asking as f32 / all as f32 }
}

/// Returns true for a sentence that asks and reveals nothing about whoever asks it.
pub fn only_asks(sentence: &str) -> bool {
    let asks = sentence.trim_end_matches(['"', '\'', ')', ']', '\u{201d}', '\u{2019}', '*', '_']);
    asks.ends_with(QUESTION_MARKS) && !opens_in_first_person(sentence)
}

/// Words that open a sentence in the first person, in Latin, Greek and Cyrillic script.
const FIRST_PERSON: &str = "i my we our ich mein meine wir unser unsere yo mi mis nosotros \
                            nuestra nuestro j mon ma mes nous notre nos eu meu minha nós nosso \
                            nossa io mio mia noi nostro nostra ik mijn wij ons onze я мой моя мы \
                            наш наша";
/// The same in scripts without spaces, where they open the sentence and are no words by themselves.
const FIRST_PERSON_UNSPACED: [&str; 9] =
    ["我", "私", "僕", "俺", "나는", "내가", "저는", "제가", "우리"];

/// Returns true if a sentence opens in the first person. In languages that are not listed every
/// question counts as a mere question.
fn opens_in_first_person(sentence: &str) -> bool {
    let mut words =
        sentence.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '\u{2019}'));
    let first = words.find(|word| !word.is_empty()).unwrap_or_default();
    let subject = first.split(['\'', '\u{2019}']).next().unwrap_or_default().to_lowercase();
    FIRST_PERSON.split_whitespace().any(|pronoun| pronoun == subject)
        // In Dutch it means "you".
        || subject == "je" && TextLanguage::detect([sentence]) == Some(TextLanguage::French)
        || FIRST_PERSON_UNSPACED.iter().any(|opening| first.starts_with(opening))
}

/// Counts words; two characters of a script without spaces count as one word.
fn count_words(text: &str) -> usize {
    let wide = text.chars().filter(|c| ('\u{2e80}'..'\u{e000}').contains(c)).count();
    text.split_whitespace().count() + wide / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sentence_is_a_passage_and_short_ones_are_joined() {
        let text = "Wow! I moved to Ghent in May. The flat is small but bright. Nice, eh?";
        assert_eq!(
            passages(text),
            ["Wow! I moved to Ghent in May.", "The flat is small but bright. Nice, eh?"]
        );
    }

    #[test]
    fn one_sentence_has_no_passages() {
        for text in [
            "",
            "We deploy on Fridays at noon.",
            "Yes. No.",
            "Thanks! We deploy on Fridays at noon.",
        ] {
            assert!(passages(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn only_the_beginning_of_a_long_text_is_cut_up() {
        let many = "We deploy on Fridays at noon. ".repeat(40);
        assert_eq!(passages(&many).len(), PASSAGES_MAX);
        let long = format!(
            "{}. {}",
            "word ".repeat(120).trim_end(),
            "What follows is not looked at apart. ".repeat(3)
        );
        assert!(passages(&long).is_empty());
    }

    #[test]
    fn scripts_without_spaces_have_passages_too() {
        assert_eq!(passages("猫の名前はキナコです。台所でよく寝ています。").len(), 2);
        assert_eq!(passages("हम मई में दिल्ली चले गए। घर छोटा है पर अच्छा।").len(), 2);
    }

    #[test]
    fn a_question_counts_unless_it_opens_in_the_first_person() {
        for (text, share) in [
            ("What did you do there?", 1.0),
            ("你好吗？", 1.0),
            ("I moved to Ghent, do you know it?", 0.0),
            ("I’m new here, any tips?", 0.0),
            ("Ich bin neu hier, hast du Tipps?", 0.0),
            ("Je suis nouveau ici, des conseils ?", 0.0),
            ("Je bent daar geweest, vond je het leuk?", 1.0),
            ("Я переехал в Гент, ты его знаешь?", 0.0),
            ("我搬到了根特，你知道那里吗？", 0.0),
            ("We deploy on Fridays.", 0.0),
            ("We deploy on Fridays. Why do you ask?", 0.5),
            ("Is it far? (\"Is it?\")", 1.0),
            ("", 0.0),
        ] {
            assert!(
                (question_share(text) - share).abs() < 1e-6,
                "{text}: {}",
                question_share(text)
            );
        }
        assert!(question_share("Idaho or Maine?") > 0.9, "`I` must be a word by itself");
    }
}
