//! Words that are capitalised without being names: weekdays and months, words that open sentences, titles.

use crate::terms::is_stop_word;

/// Whether a word is no name wherever it stands.
pub(super) fn is_never_a_name(word: &str) -> bool {
    let lower = word.to_lowercase().replace('’', "'");
    is_stop_word(&lower) || ALWAYS_CAPITAL.contains(&lower.as_str())
}

/// Whether a word at the start of a sentence is hardly the start of a name.
pub(super) fn is_opener(word: &str) -> bool {
    let lower = word.to_lowercase();
    let participle = lower.len() > 4
        && (lower.ends_with("ing") || lower.ends_with("ed"))
        && !GIVEN_NAMES.contains(&lower.as_str());
    participle || OPENERS.contains(&lower.as_str())
}

/// Titles that stand before a person's name.
pub(super) fn is_honorific(word: &str) -> bool {
    matches!(word.trim_end_matches('.'), "Mr" | "Mrs" | "Ms" | "Dr" | "Prof" | "Professor" | "Sir" | "Madam")
}

const GIVEN_NAMES: &[&str] = &[
    "ahmed", "mohammed", "muhammed", "hamed", "alfred", "manfred", "wilfred", "jared", "winifred", "irving",
    "sterling",
];

#[rustfmt::skip]
const ALWAYS_CAPITAL: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february",
    "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "mon",
    "tue", "wed", "thu", "fri", "sat", "sun", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept",
    "oct", "nov", "dec", "ok", "okay", "todo", "fixme", "note", "ps", "re", "fyi", "btw", "etc", "vs",
    "let's", "that's", "there's", "here's", "what's", "it's", "who's", "yes", "api", "url", "json", "html",
    "http", "https", "sql", "css", "xml",
];

#[rustfmt::skip]
const OPENERS: &[&str] = &[
    "add", "added", "allow", "always", "although", "apparently", "ask", "avoid", "bad", "besides", "both",
    "bring", "build", "bug", "call", "change", "check", "choose", "clean", "close", "commit", "compare",
    "consider", "context", "copy", "create", "currently", "dear", "decide", "decision", "default", "delete",
    "deploy", "despite", "disable", "drop", "due", "either", "enable", "ensure", "error", "even",
    "eventually", "every", "everyone", "everything", "example", "except", "expect", "fact", "file", "final",
    "finally", "find", "first", "fix", "follow", "generally", "get", "give", "given", "go", "good", "great",
    "handoff", "hello", "help", "hey", "hi", "hopefully", "however", "important", "include", "indeed",
    "initially", "insert", "install", "instead", "invite", "item", "join", "keep", "last", "later", "learn",
    "leave", "less", "like", "likely", "list", "load", "look", "lots", "luckily", "make", "many", "maybe",
    "meanwhile", "meet", "meeting", "merge", "met", "more", "most", "move", "much", "name", "need", "new",
    "next", "none", "normally", "nothing", "now", "often", "old", "once", "one", "open", "originally",
    "other", "otherwise", "overall", "people", "perhaps", "plan", "please", "prefer", "prefers", "previously",
    "probably", "project", "put", "question", "quick", "quite", "rather", "read", "really", "reason",
    "recently", "regarding", "release", "remember", "remind", "remove", "rename", "replace", "report",
    "reset", "result", "reuse", "review", "rewrite", "run", "said", "save", "second", "see", "seems", "send",
    "server", "service", "set", "several", "share", "ship", "show", "similarly", "simply", "since", "someone",
    "something", "sometimes", "soon", "sorry", "start", "still", "stop", "store", "summary", "support",
    "sure", "switch", "take", "talk", "task", "team", "tell", "test", "tests", "thank", "thanks", "therefore",
    "third", "though", "three", "thus", "today", "together", "told", "tomorrow", "tonight", "tried", "try",
    "turn", "two", "typically", "unfortunately", "update", "upgrade", "use", "user", "uses", "usually",
    "wait", "want", "warning", "watch", "well", "went", "whenever", "wherever", "whether", "within", "work",
    "works", "write", "wrote", "yesterday", "yet", "visit", "email", "buy", "book", "bought", "found", "saw",
    "spoke", "gave", "made", "took", "came", "left", "lives", "lunch", "dinner", "trip", "flight", "wow",
    "yeah", "yep", "yup", "yo", "nah", "nope", "haha", "ah", "oh", "aw", "aww", "congrats", "cool", "nice",
    "awesome", "amazing", "bet", "fully", "sweet", "hooray", "woohoo", "gosh", "oops", "ugh", "hmm", "writes",
    "edits", "reads", "wants", "likes", "loves", "owns", "runs", "builds", "keeps", "avoids", "deep",
    "strong", "heavy", "plays", "drinks", "eats", "game", "mother", "father", "mom", "mum", "dad", "doctors",
    "kids", "parents", "results", "query", "collection",
];
