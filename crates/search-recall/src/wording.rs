//! What a question is after, by the way it is worded. English only: a question in another language
//! is taken as one that asks for what the owner told, which is right far more often.

/// Words by which a text says what its writer wants every time.
pub(crate) const WISHES: &str = "always never prefer rather avoid";

/// The words of a question, in lower case.
pub(crate) struct Wording {
    words: Vec<String>,
}

impl Wording {
    /// Reads a question.
    pub fn of(question: &str) -> Self {
        let words = question.split(|c: char| !c.is_alphanumeric() && !is_apostrophe(c));
        let plain = |word: &str| word.to_lowercase().replace(is_apostrophe, "'");
        Self { words: words.filter(|word| !word.is_empty()).map(plain).collect() }
    }

    /// Whether it looks back at what an assistant said: "which one did you recommend", "you
    /// mentioned a hotel", "your suggestion", "in our last chat". "Could you show me" does not:
    /// that asks for something new.
    pub fn asks_for_replies(&self) -> bool {
        self.any_place(|before, this, next| match this {
            "assistant" | "you've" => true,
            "you" => before == "did" || next.ends_with("ed") || DID.contains(&next),
            "your" => SAID.contains(&next),
            "previous" | "last" | "earlier" => TALKS.contains(&next),
            _ => false,
        })
    }

    /// Whether it asks for something new: help, advice, how to do a thing. Then the owner's
    /// standing wishes matter, however few words they share with it. What looks back asks for
    /// nothing new.
    pub fn asks_for_something_new(&self) -> bool {
        let asks = self.any_place(|_, this, next| match this {
            "can" | "could" | "would" | "do" => ["you", "i"].contains(&next),
            "will" => next == "you",
            "should" => next == "i",
            _ => ADVICE.contains(&this),
        });
        let looks_back =
            |word: &String| LOOKS_BACK.contains(&word.as_str()) || TALKS.contains(&word.as_str());
        asks && !self.words.iter().any(looks_back) && !self.asks_for_replies()
    }

    /// Whether the test holds anywhere for a word and those before and after it.
    fn any_place(&self, holds: impl Fn(&str, &str, &str) -> bool) -> bool {
        let word =
            |at: Option<usize>| at.and_then(|at| self.words.get(at)).map_or("", String::as_str);
        (0..self.words.len())
            .any(|at| holds(word(at.checked_sub(1)), word(Some(at)), word(Some(at + 1))))
    }
}

/// What an assistant gives.
const SAID: [&str; 14] = [
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
/// Where it gave it.
const TALKS: [&str; 8] = [
    "chat",
    "chats",
    "conversation",
    "conversations",
    "discussion",
    "discussions",
    "session",
    "talk",
];
/// What it did there, where the ending does not tell.
const DID: [&str; 14] = [
    "brought", "chose", "drew", "found", "gave", "had", "made", "put", "said", "sent", "taught",
    "told", "were", "wrote",
];
/// What one asks for who does not know what to do.
const ADVICE: [&str; 6] = ["advice", "ideas", "recommend", "suggest", "suggestions", "tips"];
/// What one asks for who wants to know what was.
const LOOKS_BACK: [&str; 5] = ["did", "remind", "summarise", "summarize", "summary"];

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
            assert!(Wording::of(question).asks_for_replies(), "{question}");
            assert!(!Wording::of(question).asks_for_something_new(), "{question}");
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
            assert!(Wording::of(question).asks_for_something_new(), "{question}");
            assert!(!Wording::of(question).asks_for_replies(), "{question}");
        }
    }

    #[test]
    fn asking_for_what_was_asks_for_neither() {
        for question in [
            "Which hotel did I book for the youth trip?",
            "Can you summarise how the garden came along?",
            "how long is your average commute",
            "port of the staging database",
            "",
        ] {
            assert!(!Wording::of(question).asks_for_something_new(), "{question}");
            assert!(!Wording::of(question).asks_for_replies(), "{question}");
        }
    }
}
