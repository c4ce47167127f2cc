//! Context cues for the kind of a name: "my friend Ana" is a person, "works at Acme" makes Acme an
//! organisation, "lives in Lyon" makes Lyon a place. Without such a cue a name stays a name.

use super::MentionKind;
use super::lexicons::{is_also_a_given_name, is_spoken_language, names_tool};
use super::name_words::NameWord;

/// Returns the kind of the name at `words[start..end]`, by the words around it.
pub(super) fn kind_from_context(words: &[NameWord<'_>], start: usize, end: usize) -> MentionKind {
    let before = words_before(words, start);
    let after = words_after(words, end);
    let (Some(first), Some(last)) = (words.get(start), words.get(end.wrapping_sub(1))) else {
        return MentionKind::Name;
    };
    let several = end - start > 1;
    let name: Vec<&str> = words[start..end].iter().map(|word| word.text).collect();
    // A tool can like, want and prefer, but only a person is somebody's sister.
    let kin = is_also_a_given_name(first.text) && ROLE_NOUNS.contains(&before[1].as_str());
    if several && ORGANISATION_ENDINGS.contains(&last.text) {
        MentionKind::Organization
    } else if names_tool(&name) && !kin {
        MentionKind::Tool
    } else if !several && is_spoken_language(first.text) {
        MentionKind::Name
    } else if names_a_person(&before, &after, last.possessive) {
        MentionKind::Person
    } else if names_an_organisation(&before) {
        MentionKind::Organization
    } else if names_a_place(&before, first.is_acronym()) {
        MentionKind::Place
    } else {
        MentionKind::Name
    }
}

/// Returns the two words before a name, nearest last, unless punctuation separates them from it.
fn words_before(words: &[NameWord<'_>], start: usize) -> [String; 2] {
    let parted = |at: usize| words.get(at).is_none_or(|word| word.separated);
    let word = |at: Option<usize>| {
        at.and_then(|at| words.get(at)).map_or(String::new(), |word| word.text.to_lowercase())
    };
    let near = start.checked_sub(1).filter(|_| !parted(start));
    let far = near.and_then(|near| near.checked_sub(1).filter(|_| !parted(near)));
    [word(far), word(near)]
}

/// Returns the two words after a name, nearest first.
fn words_after(words: &[NameWord<'_>], end: usize) -> [String; 2] {
    let near = words.get(end).filter(|word| !word.separated);
    let far = near.and_then(|_| words.get(end + 1)).filter(|word| !word.separated);
    [near, far].map(|word| word.map_or(String::new(), |word| word.text.to_lowercase()))
}

fn names_a_person(before: &[String; 2], after: &[String; 2], possessive: bool) -> bool {
    let related = ROLE_NOUNS.contains(&before[1].as_str());
    let owns_relation = possessive
        && (ROLE_NOUNS.contains(&after[0].as_str())
            || matches!(after[0].as_str(), "birthday" | "parents" | "family"));
    let acts = matches!(
        (after[0].as_str(), after[1].as_str()),
        (
            "lives"
                | "lived"
                | "likes"
                | "loves"
                | "hates"
                | "thinks"
                | "told"
                | "married"
                | "said",
            _
        ) | ("prefers" | "wants" | "asked" | "suggested" | "mentioned" | "agreed", _)
            | ("works" | "worked", "at" | "as")
            | ("looks" | "looked", "after")
            | ("speaks" | "teaches", _)
            | ("was", "born")
            | ("and", "i")
    );
    related || owns_relation || acts
}

fn names_an_organisation(before: &[String; 2]) -> bool {
    match (before[0].as_str(), before[1].as_str()) {
        (verb, "at") => EMPLOYMENT_WORDS.contains(&verb),
        (verb, "for") => matches!(verb, "work" | "works" | "worked" | "working"),
        ("employed" | "hired", "by")
        | ("ceo" | "cto" | "founder" | "director" | "employee", "of") => true,
        (_, "joined" | "company" | "startup" | "employer") => true,
        _ => false,
    }
}

fn names_a_place(before: &[String; 2], is_acronym: bool) -> bool {
    match (before[0].as_str(), before[1].as_str()) {
        (verb, "to") => TRAVEL_WORDS.contains(&verb),
        (_, "visit" | "visited" | "visiting" | "near") => true,
        (verb, "in") if LIVING_VERBS.contains(&verb) => true,
        // Many things can follow "in" ("written in Rust", "the bug in API"), so some words before
        // it, and an acronym after it, rule out a place.
        (word, "in") => !is_acronym && !NON_PLACE_WORDS.contains(&word),
        _ => false,
    }
}

const LIVING_VERBS: &[&str] =
    &["live", "lives", "lived", "living", "born", "based", "located", "stay", "stayed", "office"];

#[rustfmt::skip]
const ROLE_NOUNS: &[&str] = &[
    "friend", "brother", "sister", "wife", "husband", "partner", "boss", "manager", "colleague",
    "coworker", "mother", "father", "mom", "mum", "dad", "son", "daughter", "aunt", "uncle",
    "cousin", "neighbour", "neighbor", "teacher", "doctor", "boyfriend", "girlfriend", "roommate",
    "mentor", "dentist", "fiancé", "fiancée", "grandmother", "grandfather", "nephew", "niece",
    "therapist", "teammate", "flatmate",
];

#[rustfmt::skip]
const ORGANISATION_ENDINGS: &[&str] = &[
    "Inc", "Ltd", "GmbH", "Corp", "LLC", "AG", "University", "Institute", "Foundation", "Bank",
    "Labs", "Company", "Corporation", "Association", "Society", "Hospital", "College",
];

#[rustfmt::skip]
const EMPLOYMENT_WORDS: &[&str] = &[
    "work", "works", "worked", "working", "job", "interview", "interviewed", "intern", "interning",
    "engineer", "developer", "employed", "study", "studies", "studied", "studying", "student",
    "teaches", "position", "researcher",
];

#[rustfmt::skip]
const TRAVEL_WORDS: &[&str] = &[
    "move", "moved", "moves", "moving", "travel", "travels", "travelled", "traveled", "travelling",
    "traveling", "flew", "fly", "flying", "flight", "trip", "drove", "drive", "relocated",
    "relocating", "train", "journey",
];

#[rustfmt::skip]
const NON_PLACE_WORDS: &[&str] = &[
    "written", "implemented", "coded", "programmed", "developed", "built", "available", "done",
    "bug", "error", "found", "defined", "declared", "used", "stored", "documented", "described",
    "version", "interested", "believe", "experience", "expert", "fluent", "fixed", "issue", "crash",
    "change", "changes", "feature", "function", "class", "support", "supported", "in", "configured",
    "set", "enabled", "introduced", "added", "removed", "fails", "broke", "broken",
];
