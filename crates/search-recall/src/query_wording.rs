//! Intent of a question by its wording: looking back at an assistant's reply, or asking for
//! something new. English by rules, ten other languages by common phrases. A question in any other
//! language counts as one about the owner's own memories, which is right far more often.

use crate::wording_phrases::{PREFERENCE_WORDS, REPLY_PHRASES, REQUEST_PHRASES};
use index::QueryTerms;
use std::sync::LazyLock;
use words::{TextLanguage, TokenForm, is_unsegmented};

/// Index terms of words that typically state a permanent preference.
pub(crate) static PREFERENCE_TERMS: LazyLock<QueryTerms> = LazyLock::new(|| {
    let mut terms = QueryTerms::parse(PREFERENCE_WORDS);
    // A single character of a script without spaces occurs in any text.
    terms
        .terms
        .retain(|term| term.form == TokenForm::Whole || !term.text.chars().all(is_unsegmented));
    terms
});

/// Lower-case words of a question.
pub(crate) struct QueryWording {
    words: Vec<String>,
    /// The words with single spaces between them, and around them all.
    spaced: String,
}

impl QueryWording {
    /// Splits a question into words.
    pub fn parse(question: &str) -> Self {
        let words = question.split(|c: char| !c.is_alphanumeric() && !is_apostrophe(c));
        let plain = |word: &str| word.to_lowercase().replace(is_apostrophe, "'");
        let words: Vec<String> = words.filter(|word| !word.is_empty()).map(plain).collect();
        Self { spaced: format!(" {} ", words.join(" ")), words }
    }

    /// Returns true if the question looks back at what an assistant said: "which one did you
    /// recommend", "you mentioned a hotel", "your suggestion", "in our last chat". "Could you show
    /// me" does not: that asks for something new.
    pub fn asks_for_replies(&self) -> bool {
        self.any_trigram(|before, this, next| match this {
            "assistant" | "you've" => true,
            "you" => {
                before == "did" || next.ends_with("ed") || IRREGULAR_PAST_VERBS.contains(&next)
            }
            "your" => REPLY_NOUNS.contains(&next),
            "previous" | "last" | "earlier" => CONVERSATION_NOUNS.contains(&next),
            _ => false,
        }) || self.has_phrase(REPLY_PHRASES)
    }

    /// Returns true if the question asks for something new: help, advice, instructions. Then the
    /// owner's permanent preferences matter, however few words they share with it. A question that
    /// looks back asks for nothing new.
    pub fn asks_for_something_new(&self) -> bool {
        let asks = self.any_trigram(|_, this, next| match this {
            "can" | "could" | "would" | "do" => ["you", "i"].contains(&next),
            "will" => next == "you",
            "should" => next == "i",
            _ => ADVICE_WORDS.contains(&this),
        }) || self.has_phrase(REQUEST_PHRASES);
        let looks_back = |word: &String| {
            RETROSPECTIVE_WORDS.contains(&word.as_str())
                || CONVERSATION_NOUNS.contains(&word.as_str())
        };
        asks && !self.words.iter().any(looks_back) && !self.asks_for_replies()
    }

    /// Returns true if the question has one of these phrases: as whole words, or anywhere in
    /// scripts without spaces.
    fn has_phrase(&self, phrases: &[&str]) -> bool {
        let ends_words = |at: usize, phrase: &str| {
            self.spaced[..at].ends_with(' ') && self.spaced[at + phrase.len()..].starts_with(' ')
        };
        phrases.iter().any(|phrase| {
            let mut found = self.spaced.match_indices(phrase);
            found.any(|(at, _)| phrase.starts_with(is_unsegmented) || ends_words(at, phrase))
        })
    }

    /// Returns true if any word passes the test together with the words before and after it.
    fn any_trigram(&self, test: impl Fn(&str, &str, &str) -> bool) -> bool {
        let word =
            |at: Option<usize>| at.and_then(|at| self.words.get(at)).map_or("", String::as_str);
        (0..self.words.len())
            .any(|at| test(word(at.checked_sub(1)), word(Some(at)), word(Some(at + 1))))
    }
}

/// Nouns for what an assistant gives.
const REPLY_NOUNS: [&str; 14] = [
    "advice",
    "answer",
    "answers",
    "explanation",
    "list",
    "output",
    "recommendation",
    "recommendations",
    "replies",
    "reply",
    "response",
    "responses",
    "suggestion",
    "suggestions",
];
/// Nouns for the conversations in which an assistant replied.
const CONVERSATION_NOUNS: [&str; 8] = [
    "chat",
    "chats",
    "conversation",
    "conversations",
    "discussion",
    "discussions",
    "session",
    "talk",
];
/// Irregular past forms of verbs for what an assistant did; regular forms are recognised by their
/// ending.
const IRREGULAR_PAST_VERBS: [&str; 14] = [
    "brought", "chose", "drew", "found", "gave", "had", "made", "put", "said", "sent", "taught",
    "told", "were", "wrote",
];
/// Words that ask for advice.
const ADVICE_WORDS: [&str; 6] = ["advice", "ideas", "recommend", "suggest", "suggestions", "tips"];
/// Words that ask about the past.
const RETROSPECTIVE_WORDS: [&str; 5] = ["did", "remind", "summarise", "summarize", "summary"];

/// Returns true if a question is German, where every noun is capitalised.
pub(crate) fn is_german(question: &str) -> bool {
    TextLanguage::detect([question]) == Some(TextLanguage::German)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_back_at_what_was_said_asks_for_replies() {
        for question in [
            "Which hotel did you recommend?",
            "remind me of the vegan place you mentioned",
            "what was Your suggestion for the roof",
            "In our last chat, what was the ratio?",
            "You’ve shown me a chord progression",
            "what did the assistant say about tea",
        ] {
            assert!(QueryWording::parse(question).asks_for_replies(), "{question}");
            assert!(!QueryWording::parse(question).asks_for_something_new(), "{question}");
        }
    }

    #[test]
    fn asking_for_help_asks_for_something_new() {
        for question in [
            "Can you suggest a hotel?",
            "Could you show me how to log in?",
            "what would you recommend I wear",
            "How should I format this table?",
            "any tips for the garden",
        ] {
            assert!(QueryWording::parse(question).asks_for_something_new(), "{question}");
            assert!(!QueryWording::parse(question).asks_for_replies(), "{question}");
        }
    }

    #[test]
    fn questions_in_other_languages_show_their_intent_by_phrases() {
        for question in [
            "Welches Hotel hast du mir empfohlen?",
            "¿Qué hotel me recomendaste para la boda?",
            "Quel hôtel as-tu recommandé ?",
            "Qual hotel você recomendou?",
            "Quale albergo mi hai consigliato?",
            "Welk hotel heb je aangeraden?",
            "Какой отель ты посоветовал?",
            "你推荐了哪家酒店？",
            "前回の会話で何を決めましたか？",
            "어떤 호텔을 추천했지?",
        ] {
            assert!(QueryWording::parse(question).asks_for_replies(), "{question}");
        }
        for question in [
            "Kannst du mir ein Hotel vorschlagen?",
            "¿Puedes sugerirme un hotel?",
            "Peux-tu me proposer un hôtel ?",
            "Você pode sugerir um hotel?",
            "Puoi suggerirmi un albergo?",
            "Kun je een hotel voor me zoeken?",
            "Посоветуй мне отель, как мне добраться?",
            "你能推荐一家酒店吗？",
            "ホテルを予約してください",
            "호텔을 찾아줘, 예약해 줘",
        ] {
            let wording = QueryWording::parse(question);
            assert!(wording.asks_for_something_new(), "{question}");
            assert!(!wording.asks_for_replies(), "{question}");
        }
        for question in ["Wo liegt der Schlüssel?", "¿Dónde está la llave?", "鍵はどこですか？"]
        {
            let wording = QueryWording::parse(question);
            assert!(!wording.asks_for_something_new() && !wording.asks_for_replies(), "{question}");
        }
    }

    #[test]
    fn preferences_are_looked_up_by_words_and_not_by_single_characters() {
        let has = |text: &str| PREFERENCE_TERMS.terms.iter().any(|term| term.text == text);
        assert!(has("alway") && has("immer") && has("总是"));
        assert!(!has("是") && !has("总"));
    }

    #[test]
    fn german_is_recognised_by_its_question_words_or_by_several_function_words() {
        for question in ["Zu welchem Arzt gehen wir?", "Ist der Hund im Büro?"] {
            assert!(is_german(question), "{question}");
        }
        for question in ["When did we die in the game?", "¿Cuándo es el examen?", ""] {
            assert!(!is_german(question), "{question}");
        }
    }

    #[test]
    fn asking_about_the_past_asks_for_neither() {
        for question in [
            "Which hotel did I book for the youth trip?",
            "Can you summarise how the garden came along?",
            "how long is your average commute",
            "port of the staging database",
            "",
        ] {
            assert!(!QueryWording::parse(question).asks_for_something_new(), "{question}");
            assert!(!QueryWording::parse(question).asks_for_replies(), "{question}");
        }
    }
}
