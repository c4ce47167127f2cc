//! Classification of a topic by its words: its intent, synonyms, and hints on entities and
//! relations to look for. English only, as in Epitome.

use serde_json::{Value, json};

/// Intent of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Intent {
    /// timeline, preference, relationship, quantitative, factual or general.
    pub primary: &'static str,
    /// Synonyms of the words of the topic.
    pub terms: Vec<&'static str>,
    /// Entity types to look for.
    pub types: Vec<&'static str>,
    /// Relations to look for.
    pub relations: Vec<&'static str>,
}

impl Intent {
    /// Classifies a topic.
    pub fn classify(topic: &str) -> Self {
        let words = words(topic);
        let role =
            words.windows(2).find(|pair| pair[0] == "my" && ROLES.contains(&pair[1].as_str()));
        let primary = if role.is_some() { "relationship" } else { primary(topic, &words) };
        let mut intent = Self {
            primary,
            terms: expanded_terms(&words),
            types: Vec::new(),
            relations: Vec::new(),
        };
        intent.add_hints(&words, role.map(|pair| pair[1].as_str()));
        intent
    }

    fn add_hints(&mut self, words: &[String], role: Option<&str>) {
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        if role.is_some()
            || self.primary == "relationship"
            || has(&["person", "people", "someone", "anyone"])
        {
            self.types.push("person");
        }
        if has(&["company", "organization", "team", "group"]) {
            self.types.push("organization");
        }
        if has(&["place", "location", "city", "country", "restaurant"]) {
            self.types.push("place");
        }
        if let Some(role) = role {
            self.relations.push("family_member");
            self.relations
                .extend(["daughter", "son", "child"].contains(&role).then_some("parent_of"));
            self.relations.extend(
                ["wife", "husband", "spouse", "partner"].contains(&role).then_some("married_to"),
            );
        }
        for (list, relations) in RELATIONS {
            if has(list) {
                self.relations.extend(relations.iter());
            }
        }
    }

    /// Renders the intent.
    pub fn to_json(&self) -> Value {
        json!({
            "primary": self.primary, "expandedTerms": self.terms, "entityTypeHints": self.types,
            "relationHints": self.relations,
        })
    }
}

/// Splits a topic into lower-case words, plurals reduced to the singular.
fn words(topic: &str) -> Vec<String> {
    let plain = topic.to_lowercase();
    let bare =
        plain.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    bare.map(|word| singular(word.trim_end_matches("'s"))).collect()
}

fn singular(word: &str) -> String {
    match word.strip_suffix("ies") {
        Some(stem) if stem.len() > 1 => format!("{stem}y"),
        _ if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") => {
            word[..word.len() - 1].to_owned()
        }
        _ => word.to_owned(),
    }
}

fn primary(topic: &str, words: &[String]) -> &'static str {
    let lower = topic.to_lowercase();
    let says = |list: &[&str]| {
        list.iter().any(|phrase| {
            if phrase.contains(' ') {
                lower.contains(phrase)
            } else {
                words.iter().any(|word| word == phrase)
            }
        })
    };
    // "history" alone asks for a timeline, but a reading history is a list of books.
    let reading = says(&["reading history", "book history"]);
    let meaningful = words.iter().filter(|word| word.len() > 2).count();
    match () {
        () if says(TIMELINE) && !reading => "timeline",
        () if says(PREFERENCE) => "preference",
        () if says(RELATIONSHIP) => "relationship",
        () if says(QUANTITATIVE) => "quantitative",
        () if meaningful >= 2 => "factual",
        () => "general",
    }
}

/// Collects, for each word, the other words of the first synonym group that contains it.
fn expanded_terms(words: &[String]) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    for word in words {
        let group = SYNONYMS.iter().find(|group| group.contains(&word.as_str()));
        for term in group.into_iter().flat_map(|group| group.iter()) {
            if !found.contains(term) && !words.iter().any(|word| word == term) {
                found.push(term);
            }
        }
    }
    found
}

const TIMELINE: &[&str] = &[
    "when",
    "last time",
    "history",
    "recently",
    "how long ago",
    "date",
    "ago",
    "latest",
    "previous",
    "first time",
    "ever",
];
const PREFERENCE: &[&str] = &[
    "like",
    "prefer",
    "preference",
    "favorite",
    "favourite",
    "enjoy",
    "love",
    "hate",
    "dislike",
    "best",
    "worst",
    "opinion",
    "feel about",
];
const RELATIONSHIP: &[&str] = &[
    "who does",
    "who do",
    "who is",
    "who are",
    "who did",
    "know",
    "friend",
    "family",
    "colleague",
    "connected",
    "relationship",
    "related",
    "together",
    "introduced",
    "met",
];
const QUANTITATIVE: &[&str] = &[
    "how many",
    "how much",
    "count",
    "total",
    "average",
    "frequency",
    "number of",
    "sum",
    "statistic",
    "stat",
];
#[rustfmt::skip]
const ROLES: &[&str] = &[
    "daughter", "son", "wife", "husband", "spouse", "partner", "mother", "father", "parent",
    "child", "children", "sibling", "brother", "sister", "uncle", "aunt", "cousin",
    "grandparent", "grandmother", "grandfather",
];
const RELATIONS: &[(&[&str], &[&str])] = &[
    (&["work", "job", "career", "employer"], &["works_at", "work_with"]),
    (&["friend", "know", "met"], &["knows", "friend"]),
    (&["family"], &["family_member"]),
    (&["live", "home", "address"], &["lives_at", "located_at"]),
];
#[rustfmt::skip]
const SYNONYMS: &[&[&str]] = &[
    &["food", "meal", "diet", "restaurant", "cuisine", "eating", "recipe", "cook", "dish", "snack",
      "breakfast", "lunch", "dinner"],
    &["book", "reading", "novel", "author", "literature", "read"],
    &["music", "song", "artist", "album", "playlist", "band", "genre"],
    &["work", "job", "career", "company", "project", "meeting", "colleague", "office"],
    &["health", "fitness", "workout", "exercise", "medical", "doctor", "gym", "weight"],
    &["travel", "trip", "vacation", "destination", "flight", "hotel", "country", "city"],
    &["movie", "film", "cinema", "show", "series", "watch", "tv"],
    &["hobby", "interest", "pastime", "activity", "sport", "game"],
    &["family", "parent", "child", "sibling", "spouse", "relative", "kid", "mom", "dad",
      "daughter", "son", "wife", "husband"],
    &["friend", "buddy", "pal", "companion", "social"],
    &["pet", "dog", "cat", "animal"],
    &["finance", "money", "budget", "investment", "savings", "expense", "income", "salary"],
    &["education", "school", "university", "course", "degree", "study", "learn", "class"],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_intent_is_known_by_its_words() {
        for (topic, primary) in [
            ("when did I last see Ada", "timeline"),
            ("books read / reading history", "factual"),
            ("food preferences", "preference"),
            ("who is Bo", "relationship"),
            ("my daughter", "relationship"),
            ("how many meals", "quantitative"),
            ("project deadline", "factual"),
            ("dune", "general"),
            ("", "general"),
        ] {
            assert_eq!(Intent::classify(topic).primary, primary, "{topic}");
        }
    }

    #[test]
    fn a_topic_is_widened_and_hinted() {
        let intent = Intent::classify("my daughters' favorite foods");
        assert!(intent.terms.contains(&"meal"), "{:?}", intent.terms);
        let daughter = Intent::classify("my daughter's birthday");
        assert_eq!(
            (daughter.types, daughter.relations),
            (vec!["person"], vec!["family_member", "parent_of"])
        );
    }
}
