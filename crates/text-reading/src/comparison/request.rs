//! Words around a statement that belong to the request and not to what is stated: "please remember
//! that …", "FYI: …", "forget that …".

/// Removes the words around a note: "please remember that", "FYI".
#[must_use]
pub fn without_request(text: &str) -> &str {
    strip_all(text, &[NOTE_WORDS])
}

/// Removes the words of a request to forget something, and those around a note.
#[must_use]
pub fn without_forget_request(text: &str) -> &str {
    strip_all(text, &[FORGET_WORDS, NOTE_WORDS])
}

fn strip_all<'t>(text: &'t str, lists: &[&[&str]]) -> &'t str {
    let mut rest = text.trim_start_matches(is_lead);
    while let Some(shorter) = lists.iter().find_map(|list| strip_one(rest, list)) {
        rest = shorter;
    }
    if rest.trim().is_empty() { text } else { rest }
}

fn is_lead(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | '*' | '•' | '>' | '"' | '“')
}

fn strip_one<'t>(text: &'t str, list: &[&str]) -> Option<&'t str> {
    let fits = |wrapper: &&str| {
        let head = text.get(..wrapper.len())?;
        let rest = &text[wrapper.len()..];
        let ends = rest.starts_with(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-'))
            || wrapper.ends_with(|c: char| !c.is_ascii());
        let separates = |c: char| c.is_whitespace() || ",:—-：，".contains(c);
        (head.to_lowercase() == **wrapper && ends).then(|| rest.trim_start_matches(separates))
    };
    list.iter().find_map(fits).filter(|rest| !rest.is_empty())
}

// Longer ones first: the first that fits is removed, and then the rest is looked at again.
#[rustfmt::skip]
const NOTE_WORDS: &[&str] = &[
    "could you keep in mind", "remember this for later", "as i mentioned", "as mentioned",
    "make sure you remember this", "make sure you remember", "make sure to remember",
    "i would like you to remember", "i want you to remember", "i'd like you to remember",
    "just so you know", "for your information", "for the record", "it is important to remember",
    "make a note", "take note", "keep in mind", "bear in mind", "please keep in mind",
    "please note", "please remember", "please don't forget", "don't forget", "do not forget",
    "note to self", "quick note", "note", "reminder", "remember this", "remember", "fyi",
    "heads up", "heads-up", "напоминаю", "hinweis", "anmerkung", "rappel", "recordatorio", "btw",
    "by the way", "important", "update", "todo", "please", "that", "bitte merk dir", "merk dir",
    "bitte merke dir", "notiz", "zur info", "dass", "recuerda", "por favor recuerda", "nota", "que",
    "rappelle-toi", "souviens-toi", "pour info", "请记住", "记住", "备注", "注意", "bitte", "por favor",
    "s'il te plaît", "s'il vous plaît", "per favore", "请",
];

// Tried before the others, since "forget that" begins with a request.
#[rustfmt::skip]
const FORGET_WORDS: &[&str] = &[
    "can you please forget", "could you please forget", "i want you to forget",
    "you no longer need to know", "can you forget", "could you forget", "please forget",
    "forget about", "forget the fact", "forget", "please delete", "delete the memory",
    "delete the note", "delete", "please erase", "erase", "remove the note", "remove the memory",
    "please remove", "remove", "about the fact", "the fact", "bitte vergiss", "vergiss", "olvida",
    "oublie", "请忘记", "忘记",
];
