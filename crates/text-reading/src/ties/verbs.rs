//! Verbs that express a relation, in all their forms, and the relation that each expresses.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::terms::root;

/// A verb and the relations it expresses.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verb {
    pub base: &'static str,
    /// Prepositions of which one must follow the verb; empty when the object follows directly.
    pub after: &'static [&'static str],
    /// Relation to the object; `None` when only companions and place count.
    pub relation: Option<&'static str>,
    /// Entity kind of the object, where the verb determines it.
    pub kind: Option<&'static str>,
    /// True if the object must be a proper name or a title.
    pub proper: bool,
    /// Relation to the place of the action.
    pub place: Option<&'static str>,
}

/// A verb as a sentence uses it.
pub(super) struct Form {
    pub verb: &'static Verb,
    /// Number of words of the verb and its preposition.
    pub length: usize,
    /// False for the base form, which is also the imperative.
    pub told: bool,
}

/// Returns the verb at the first of these terms, if it expresses a relation.
pub(super) fn at(terms: &[String]) -> Option<Form> {
    let first = terms.first()?.as_str();
    let next = terms.get(1).map_or("", String::as_str);
    // `read` is also its own past tense.
    let is_declarative = |verb: &Verb| first != verb.base || first == "read";
    let with_word = relations(first).find(|verb| verb.after.contains(&next));
    let alone = relations(first).find(|verb| verb.after.is_empty());
    match (with_word, alone) {
        (Some(verb), _) => Some(Form { verb, length: 2, told: is_declarative(verb) }),
        (None, Some(verb)) => Some(Form { verb, length: 1, told: is_declarative(verb) }),
        (None, None) => None,
    }
}

/// Returns the base form of a known verb; of others, their stem.
pub(super) fn base(word: &str) -> &str {
    relations(word).next().map_or_else(|| root(word), |verb| verb.base)
}

/// Returns the known verbs that a word is a form of, with any preposition.
pub(super) fn relations(word: &str) -> impl Iterator<Item = &'static Verb> + use<'_> {
    /// Verbs by the stem of their base form: every word of every text is looked up here.
    static BY_ROOT: LazyLock<HashMap<&'static str, Vec<&'static Verb>>> = LazyLock::new(|| {
        let mut by_root: HashMap<&str, Vec<&Verb>> = HashMap::new();
        VERBS.iter().for_each(|verb| by_root.entry(root(verb.base)).or_default().push(verb));
        by_root
    });
    let base = irregular(word).unwrap_or(word);
    let near = BY_ROOT.get(root(base)).into_iter().flatten().copied();
    near.filter(move |verb| is_form_of(word, verb.base))
}

/// Returns the base form of an irregular form.
fn irregular(term: &str) -> Option<&'static str> {
    static BY_FORM: LazyLock<HashMap<&'static str, &'static str>> =
        LazyLock::new(|| IRREGULAR.iter().copied().collect());
    BY_FORM.get(term).copied()
}

/// Returns the canonical name of a relation, from any wording: `Works at`, `working for`, `liked`,
/// `wife`.
#[must_use]
pub fn relation_named(name: &str) -> String {
    let folded = name.trim().to_lowercase().replace([' ', '-'], "_");
    let (first, next) = folded.split_once('_').unwrap_or((folded.as_str(), ""));
    if let Some(role) = super::roles::relation(&folded) {
        return role.to_owned();
    }
    let verb = relations(first).find(|verb| {
        verb.relation.is_some()
            && if next.is_empty() { verb.after.is_empty() } else { verb.after.contains(&next) }
    });
    let known = VERBS.iter().any(|verb| verb.relation == Some(folded.as_str()));
    match verb {
        Some(verb) if !known => verb.relation.unwrap_or_default().to_owned(),
        _ => folded,
    }
}

/// Returns true if a term is a form of a verb: `ran`, `runs` and `running` are forms of `run`.
pub(super) fn is_form_of(term: &str, base: &str) -> bool {
    if term == base {
        return true;
    }
    match irregular(term) {
        Some(of) => of == base,
        None => term.len() > 2 && root(term) == root(base) && !NOUNS.contains(&term),
    }
}

/// Nouns that only look like a form of a verb.
const NOUNS: &[&str] =
    &["user", "users", "player", "working", "meeting", "meetings", "knowing", "reading", "uses"];

const fn of(base: &'static str, relation: &'static str) -> Verb {
    Verb { base, after: &[], relation: Some(relation), kind: None, proper: false, place: None }
}

const fn then(verb: Verb, after: &'static [&'static str]) -> Verb {
    Verb { after, ..verb }
}

const fn kind(verb: Verb, kind: &'static str) -> Verb {
    Verb { kind: Some(kind), ..verb }
}

const fn proper(verb: Verb) -> Verb {
    Verb { proper: true, ..verb }
}

const fn placed(verb: Verb, place: &'static str) -> Verb {
    Verb { place: Some(place), ..verb }
}

/// An action that has companions and a place, but no object.
const fn done(base: &'static str, place: &'static str) -> Verb {
    Verb { base, after: &[], relation: None, kind: None, proper: false, place: Some(place) }
}

const OUT: &str = "works_out_at";

#[rustfmt::skip]
const VERBS: &[Verb] = &[
    of("like", "likes"), of("love", "likes"), of("enjoy", "likes"), of("prefer", "likes"),
    of("adore", "likes"), of("dislike", "dislikes"), of("hate", "dislikes"),
    of("detest", "dislikes"), placed(kind(of("eat", "ate"), "food"), "visited"),
    placed(kind(of("drink", "consumed"), "food"), "visited"),
    placed(kind(of("cook", "created"), "food"), "visited"),
    then(of("allergic", "allergic_to"), &["to"]),
    kind(then(of("work", "works_at"), &["at", "for"]), "organization"),
    kind(then(of("employ", "works_at"), &["at", "by"]), "organization"), done("work", "works_in"),
    kind(then(of("live", "lives_at"), &["in", "at"]), "place"),
    kind(then(of("reside", "lives_at"), &["in", "at"]), "place"),
    kind(of("visit", "visited"), "place"), kind(then(of("travel", "visited"), &["to"]), "place"),
    kind(then(of("fly", "visited"), &["to"]), "place"),
    proper(kind(then(of("go", "visited"), &["to"]), "place")),
    kind(of("attend", "attended"), "organization"),
    kind(then(of("study", "attended"), &["at"]), "organization"),
    kind(then(of("graduate", "attended"), &["from"]), "organization"), of("study", "has_skill"),
    of("speak", "has_skill"), of("learn", "has_skill"), of("own", "owns"), of("drive", "owns"),
    of("use", "uses"), of("buy", "bought"), of("purchase", "bought"),
    proper(kind(of("read", "consumed"), "media")), proper(kind(of("watch", "consumed"), "media")),
    proper(kind(then(of("listen", "consumed"), &["to"]), "media")),
    proper(of("founded", "founded")), of("play", "performed"),
    then(of("interest", "interested_in"), &["in"]), proper(kind(of("know", "knows"), "person")),
    proper(kind(of("meet", "knows"), "person")),
    proper(kind(then(of("marry", "married_to"), &["to"]), "person")),
    proper(kind(of("marry", "married_to"), "person")),
    kind(then(of("friend", "friend"), &["with"]), "person"), done("run", OUT), done("walk", OUT),
    done("hike", OUT), done("swim", OUT), done("cycle", OUT), done("bike", OUT), done("climb", OUT),
    done("ski", OUT), done("surf", OUT), done("train", OUT), done("exercise", OUT),
    done("jog", OUT), done("row", OUT), done("skate", OUT), done("box", OUT), done("dance", OUT),
    done("shop", "visited"), done("dine", "visited"), done("lunch", "visited"),
    done("camp", "visited"), done("sail", "visited"), done("sing", "visited"),
    done("talk", "visited"), done("chat", "visited"), done("code", "visited"),
    done("paint", "visited"), done("garden", "visited"), done("practice", "visited"),
];

#[rustfmt::skip]
const IRREGULAR: &[(&str, &str)] = &[
    ("ate", "eat"), ("eaten", "eat"), ("drank", "drink"), ("drunk", "drink"), ("ran", "run"),
    ("went", "go"), ("gone", "go"), ("goes", "go"), ("flew", "fly"), ("flown", "fly"),
    ("bought", "buy"), ("drove", "drive"), ("driven", "drive"), ("knew", "know"), ("known", "know"),
    ("met", "meet"), ("swam", "swim"), ("swum", "swim"), ("rode", "ride"), ("spoke", "speak"),
    ("spoken", "speak"), ("sang", "sing"), ("sung", "sing"), ("married", "marry"),
    ("studied", "study"), ("studies", "study"), ("friends", "friend"), ("reading", "read"),
    ("working", "work"), ("interested", "interest"), ("lives", "live"), ("lived", "live"),
    ("living", "live"), ("uses", "use"), ("using", "use"), ("used", "use"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_leads_to_its_base() {
        for (form, base_form) in [
            ("loves", "love"),
            ("loved", "love"),
            ("ran", "run"),
            ("running", "run"),
            ("ate", "eat"),
            ("eats", "eat"),
            ("works", "work"),
            ("working", "work"),
            ("living", "live"),
            ("visited", "visit"),
            ("swimming", "swim"),
        ] {
            assert_eq!(base(form), base_form, "{form}");
        }
        assert_eq!(base("juggling"), base("juggles"), "an unknown verb has one root");
    }

    #[test]
    fn every_verb_is_found_by_its_base_and_its_irregular_forms() {
        for verb in VERBS {
            assert!(relations(verb.base).any(|found| found == verb), "{}", verb.base);
        }
        for (form, base) in
            IRREGULAR.iter().filter(|(_, base)| VERBS.iter().any(|verb| verb.base == *base))
        {
            assert!(relations(form).any(|found| found.base == *base), "{form}");
            assert!(
                VERBS.iter().all(|verb| verb.base != *form),
                "{form} would be looked up as another verb"
            );
        }
    }

    #[test]
    fn a_relation_has_one_spelling() {
        for (given, known) in [
            ("likes", "likes"),
            ("loved", "likes"),
            ("Works at", "works_at"),
            ("working-for", "works_at"),
            ("wife", "married_to"),
            ("daughter", "parent_of"),
            ("runs_with", "runs_with"),
            ("depends_on", "depends_on"),
            ("ate", "ate"),
            ("visited", "visited"),
            ("read", "consumed"),
        ] {
            assert_eq!(relation_named(given), known, "{given}");
        }
    }
}
