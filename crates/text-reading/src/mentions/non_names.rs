//! Words that are capitalised without being names: weekdays and months, words that open sentences,
//! titles.

use crate::word_list::WordList;
use words::is_function_word;

/// Returns true if a word is never a name, in any position.
pub(super) fn is_never_a_name(word: &str) -> bool {
    let lower = word.to_lowercase().replace('’', "'");
    // "on Tuesdays" too.
    let day = lower.strip_suffix('s').filter(|word| word.ends_with("day"));
    is_function_word(&lower) || ALWAYS_CAPITAL.contains(day.unwrap_or(&lower))
}

/// Returns true if a word at the start of a sentence is unlikely to start a name.
pub(super) fn is_sentence_opener(word: &str) -> bool {
    let lower = word.to_lowercase();
    let participle = lower.len() > 4
        && (lower.ends_with("ing") || lower.ends_with("ed"))
        && !GIVEN_NAMES.contains(&lower.as_str());
    participle || OPENERS.contains(&lower)
}

/// Returns true for nouns that begin names with "of": Bank of America, University of Oxford.
pub(super) fn is_head_of_names(word: &str) -> bool {
    HEADS_OF_NAMES.contains(&word.to_lowercase())
}

/// Returns true for titles that precede a person's name.
pub(super) fn is_honorific(word: &str) -> bool {
    matches!(
        word.trim_end_matches('.'),
        "Mr" | "Mrs" | "Ms" | "Dr" | "Prof" | "Professor" | "Sir" | "Madam"
    )
}

/// Given names that end like a participle.
const GIVEN_NAMES: &[&str] = &[
    "ahmed", "mohammed", "muhammed", "hamed", "alfred", "manfred", "wilfred", "jared", "winifred",
    "irving", "sterling",
];

#[rustfmt::skip]
static HEADS_OF_NAMES: WordList = WordList::new(&[
    "academy", "archbishop", "army", "association", "bank", "battle", "bay", "bishop", "board",
    "book", "bureau", "cape", "castle", "church", "city", "college", "commonwealth", "council",
    "count", "court", "department", "district", "duchess", "duke", "earl", "faculty", "game",
    "gulf", "house", "institute", "isle", "joan", "journal", "king", "kingdom", "lady", "league",
    "library", "lord", "ministry", "museum", "office", "order", "palace", "port", "prince",
    "princess", "province", "queen", "republic", "school", "sea", "society", "state", "straits",
    "times", "tower", "treaty", "university", "valley",
]);

#[rustfmt::skip]
static ALWAYS_CAPITAL: WordList = WordList::new(&[
    "api", "apr", "april", "aug", "august", "btw", "css", "dec", "december", "etc", "feb",
    "february", "fixme", "fri", "friday", "fyi", "here's", "html", "http", "https", "it's", "jan",
    "january", "json", "jul", "july", "jun", "june", "let's", "mar", "march", "may", "mon",
    "monday", "note", "nov", "november", "oct", "october", "ok", "okay", "ps", "re", "sat",
    "saturday", "sep", "sept", "september", "sql", "sun", "sunday", "that's", "there's", "thu",
    "thursday", "todo", "tue", "tuesday", "url", "vs", "wed", "wednesday", "what's", "who's", "xml",
    "yes",
]);

#[rustfmt::skip]
static OPENERS: WordList = WordList::new(&[
    "add", "added", "ah", "allow", "although", "always", "amazing", "apparently", "ask", "avoid",
    "avoids", "aw", "awesome", "aww", "bad", "besides", "bet", "book", "both", "bought", "bring",
    "bug", "build", "builds", "buy", "call", "came", "change", "check", "choose", "clean", "close",
    "collection", "commit", "compare", "congrats", "consider", "context", "cool", "copy", "create",
    "currently", "dad", "dear", "decide", "decision", "deep", "default", "delete", "deploy",
    "despite", "dinner", "disable", "doctors", "drinks", "drop", "due", "eats", "edits", "either",
    "email", "enable", "ensure", "error", "even", "eventually", "every", "everyone", "everything",
    "example", "except", "expect", "fact", "father", "file", "final", "finally", "find", "first",
    "fix", "flight", "follow", "found", "fully", "game", "gave", "generally", "get", "give",
    "given", "go", "good", "gosh", "great", "haha", "handoff", "heavy", "hello", "help", "hey",
    "hi", "hmm", "hooray", "hopefully", "however", "important", "include", "indeed", "initially",
    "insert", "install", "instead", "invite", "item", "join", "keep", "keeps", "kids", "last",
    "later", "learn", "leave", "left", "less", "like", "likely", "likes", "list", "lives", "load",
    "look", "lots", "loves", "luckily", "lunch", "made", "make", "many", "maybe", "meanwhile",
    "meet", "meeting", "merge", "met", "mom", "more", "most", "mother", "move", "much", "mum",
    "nah", "name", "need", "new", "next", "nice", "none", "nope", "normally", "nothing", "now",
    "often", "oh", "old", "once", "one", "oops", "open", "originally", "other", "otherwise",
    "overall", "owns", "parents", "people", "perhaps", "plan", "plays", "please", "prefer",
    "prefers", "previously", "probably", "project", "put", "query", "question", "quick", "quite",
    "rather", "read", "reads", "really", "reason", "recently", "regarding", "release", "remember",
    "remind", "remove", "rename", "replace", "report", "reset", "result", "results", "reuse",
    "review", "rewrite", "run", "runs", "said", "save", "saw", "second", "see", "seems", "send",
    "server", "service", "set", "several", "share", "ship", "show", "similarly", "simply", "since",
    "someone", "something", "sometimes", "soon", "sorry", "spoke", "start", "still", "stop",
    "store", "strong", "summary", "support", "sure", "sweet", "switch", "take", "talk", "task",
    "team", "tell", "test", "tests", "thank", "thanks", "therefore", "third", "though", "three",
    "thus", "today", "together", "told", "tomorrow", "tonight", "took", "tried", "trip", "try",
    "turn", "two", "typically", "ugh", "unfortunately", "update", "upgrade", "use", "user", "uses",
    "usually", "visit", "wait", "want", "wants", "warning", "watch", "well", "went", "whenever",
    "wherever", "whether", "within", "woohoo", "work", "works", "wow", "write", "writes", "wrote",
    "yeah", "yep", "yesterday", "yet", "yo", "yup",
]);
