//! Verbs that express a relation, in all their forms, and the relation that each expresses.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::terms::light_stem;

/// A verb and the relations it expresses.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RelationVerb {
    pub base: &'static str,
    /// Prepositions of which one must follow the verb; empty when the object follows directly.
    pub prepositions: &'static [&'static str],
    /// Relation to the object; `None` when only companions and place count.
    pub relation: Option<&'static str>,
    /// Entity kind of the object, where the verb determines it.
    pub kind: Option<&'static str>,
    /// True if the object must be a proper name or a title.
    pub proper: bool,
    /// Relation to the place of the action.
    pub place_relation: Option<&'static str>,
}

/// A verb as a sentence uses it.
pub(super) struct VerbForm {
    pub verb: &'static RelationVerb,
    /// Number of words of the verb and its preposition.
    pub length: usize,
    /// False for the base form, which is also the imperative.
    pub declarative: bool,
}

/// Returns the verb at the first of these terms, if it expresses a relation.
pub(super) fn verb_at(terms: &[String]) -> Option<VerbForm> {
    let first = terms.first()?.as_str();
    let next = terms.get(1).map_or("", String::as_str);
    // `read` is also its own past tense.
    let is_declarative = |verb: &RelationVerb| first != verb.base || first == "read";
    let with_word = verbs_with_form(first).find(|verb| verb.prepositions.contains(&next));
    let alone = verbs_with_form(first).find(|verb| verb.prepositions.is_empty());
    match (with_word, alone) {
        (Some(verb), _) => Some(VerbForm { verb, length: 2, declarative: is_declarative(verb) }),
        (None, Some(verb)) => Some(VerbForm { verb, length: 1, declarative: is_declarative(verb) }),
        (None, None) => None,
    }
}

/// Returns true for verbs whose subject and companions are people, whatever a text is about.
pub(super) fn is_personal(verb: &RelationVerb) -> bool {
    PERSONAL.contains(&verb.base) || (verb.base == "work" && !verb.prepositions.is_empty())
}

/// Returns the base form of a known verb; of others, their stem.
pub(super) fn base_form(word: &str) -> &str {
    verbs_with_form(word).next().map_or_else(|| light_stem(word), |verb| verb.base)
}

/// Returns the known verbs that a word is a form of, with any preposition.
pub(super) fn verbs_with_form(word: &str) -> impl Iterator<Item = &'static RelationVerb> + use<'_> {
    /// Verbs by the stem of their base form: every word of every text is looked up here.
    static BY_ROOT: LazyLock<HashMap<&'static str, Vec<&'static RelationVerb>>> =
        LazyLock::new(|| {
            let mut by_root: HashMap<&str, Vec<&RelationVerb>> = HashMap::new();
            VERBS
                .iter()
                .for_each(|verb| by_root.entry(light_stem(verb.base)).or_default().push(verb));
            by_root
        });
    let base = irregular_base(word).unwrap_or(word);
    let near = BY_ROOT.get(light_stem(base)).into_iter().flatten().copied();
    near.filter(move |verb| is_form_of(word, verb.base))
}

/// Returns the base form of an irregular form.
fn irregular_base(term: &str) -> Option<&'static str> {
    static BY_FORM: LazyLock<HashMap<&'static str, &'static str>> =
        LazyLock::new(|| IRREGULAR_FORMS.iter().copied().collect());
    BY_FORM.get(term).copied()
}

/// Returns the canonical name of a relation, from any wording: `Works at`, `working for`, `liked`,
/// `wife`.
#[must_use]
pub fn canonical_relation(name: &str) -> String {
    let folded = name.trim().to_lowercase().replace([' ', '-'], "_");
    let (first, next) = folded.split_once('_').unwrap_or((folded.as_str(), ""));
    if let Some(role) = super::roles::relation_of_role(&folded) {
        return role.to_owned();
    }
    let verb = verbs_with_form(first).find(|verb| {
        verb.relation.is_some()
            && if next.is_empty() {
                verb.prepositions.is_empty()
            } else {
                verb.prepositions.contains(&next)
            }
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
    match irregular_base(term) {
        Some(of) => of == base,
        None => {
            term.len() > 2
                && light_stem(term) == light_stem(base)
                && !VERB_LIKE_NOUNS.contains(&term)
        }
    }
}

/// Nouns that only look like a form of a verb.
const VERB_LIKE_NOUNS: &[&str] =
    &["user", "users", "player", "working", "meeting", "meetings", "knowing", "reading", "uses"];

const fn transitive(base: &'static str, relation: &'static str) -> RelationVerb {
    RelationVerb {
        base,
        prepositions: &[],
        relation: Some(relation),
        kind: None,
        proper: false,
        place_relation: None,
    }
}

const fn with_preposition(verb: RelationVerb, after: &'static [&'static str]) -> RelationVerb {
    RelationVerb { prepositions: after, ..verb }
}

const fn with_kind(verb: RelationVerb, kind: &'static str) -> RelationVerb {
    RelationVerb { kind: Some(kind), ..verb }
}

const fn proper_only(verb: RelationVerb) -> RelationVerb {
    RelationVerb { proper: true, ..verb }
}

const fn with_place(verb: RelationVerb, place: &'static str) -> RelationVerb {
    RelationVerb { place_relation: Some(place), ..verb }
}

/// An action that has companions and a place, but no object.
const fn intransitive(base: &'static str, place: &'static str) -> RelationVerb {
    RelationVerb {
        base,
        prepositions: &[],
        relation: None,
        kind: None,
        proper: false,
        place_relation: Some(place),
    }
}

#[rustfmt::skip]
const PERSONAL: &[&str] = &[
    "like", "love", "enjoy", "prefer", "adore", "dislike", "hate", "detest", "eat", "drink", "cook",
    "allergic", "employ", "live", "reside", "visit", "travel", "fly", "go", "attend", "study",
    "graduate", "learn", "know", "meet", "marry", "friend", "walk", "hike", "swim", "ski", "jog",
    "dance", "dine", "lunch", "camp", "sing", "chat", "garden", "founded", "interest",
];

const WORKS_OUT_AT: &str = "works_out_at";

#[rustfmt::skip]
const VERBS: &[RelationVerb] = &[
    transitive("like", "likes"), transitive("love", "likes"), transitive("enjoy", "likes"),
    transitive("prefer", "likes"), transitive("adore", "likes"), transitive("dislike", "dislikes"),
    transitive("hate", "dislikes"), transitive("detest", "dislikes"),
    with_place(with_kind(transitive("eat", "ate"), "food"), "visited"),
    with_place(with_kind(transitive("drink", "consumed"), "food"), "visited"),
    with_place(with_kind(transitive("cook", "created"), "food"), "visited"),
    with_preposition(transitive("allergic", "allergic_to"), &["to"]),
    with_kind(with_preposition(transitive("work", "works_at"), &["at", "for"]), "organization"),
    with_kind(with_preposition(transitive("employ", "works_at"), &["at", "by"]), "organization"),
    intransitive("work", "works_in"),
    with_kind(with_preposition(transitive("live", "lives_at"), &["in", "at"]), "place"),
    with_kind(with_preposition(transitive("reside", "lives_at"), &["in", "at"]), "place"),
    with_kind(transitive("visit", "visited"), "place"),
    with_kind(with_preposition(transitive("travel", "visited"), &["to"]), "place"),
    with_kind(with_preposition(transitive("fly", "visited"), &["to"]), "place"),
    proper_only(with_kind(with_preposition(transitive("go", "visited"), &["to"]), "place")),
    with_kind(transitive("attend", "attended"), "organization"),
    with_kind(with_preposition(transitive("study", "attended"), &["at"]), "organization"),
    with_kind(with_preposition(transitive("graduate", "attended"), &["from"]), "organization"),
    transitive("study", "has_skill"), transitive("speak", "has_skill"),
    transitive("learn", "has_skill"), transitive("own", "owns"), transitive("drive", "owns"),
    transitive("use", "uses"), transitive("buy", "bought"), transitive("purchase", "bought"),
    proper_only(with_kind(transitive("read", "consumed"), "media")),
    proper_only(with_kind(transitive("watch", "consumed"), "media")),
    proper_only(with_kind(with_preposition(transitive("listen", "consumed"), &["to"]), "media")),
    proper_only(transitive("founded", "founded")),
    transitive("play", "performed"),
    with_preposition(transitive("interest", "interested_in"), &["in"]),
    proper_only(with_kind(transitive("know", "knows"), "person")),
    proper_only(with_kind(transitive("meet", "knows"), "person")),
    proper_only(with_kind(with_preposition(transitive("marry", "married_to"), &["to"]), "person")),
    proper_only(with_kind(transitive("marry", "married_to"), "person")),
    with_kind(with_preposition(transitive("friend", "friend"), &["with"]), "person"),
    intransitive("run", WORKS_OUT_AT), intransitive("walk", WORKS_OUT_AT),
    intransitive("hike", WORKS_OUT_AT), intransitive("swim", WORKS_OUT_AT),
    intransitive("cycle", WORKS_OUT_AT), intransitive("bike", WORKS_OUT_AT),
    intransitive("climb", WORKS_OUT_AT), intransitive("ski", WORKS_OUT_AT),
    intransitive("surf", WORKS_OUT_AT), intransitive("train", WORKS_OUT_AT),
    intransitive("exercise", WORKS_OUT_AT), intransitive("jog", WORKS_OUT_AT),
    intransitive("row", WORKS_OUT_AT), intransitive("skate", WORKS_OUT_AT),
    intransitive("box", WORKS_OUT_AT), intransitive("dance", WORKS_OUT_AT),
    intransitive("shop", "visited"), intransitive("dine", "visited"),
    intransitive("lunch", "visited"), intransitive("camp", "visited"),
    intransitive("sail", "visited"), intransitive("sing", "visited"),
    intransitive("talk", "visited"), intransitive("chat", "visited"),
    intransitive("code", "visited"), intransitive("paint", "visited"),
    intransitive("garden", "visited"), intransitive("practice", "visited"),
];

#[rustfmt::skip]
const IRREGULAR_FORMS: &[(&str, &str)] = &[
    ("ate", "eat"), ("eaten", "eat"), ("drank", "drink"), ("drunk", "drink"), ("ran", "run"),
    ("went", "go"), ("gone", "go"), ("goes", "go"), ("flew", "fly"), ("flown", "fly"),
    ("bought", "buy"), ("drove", "drive"), ("driven", "drive"), ("knew", "know"), ("known", "know"),
    ("met", "meet"), ("swam", "swim"), ("swum", "swim"), ("rode", "ride"), ("spoke", "speak"),
    ("spoken", "speak"), ("sang", "sing"), ("sung", "sing"), ("married", "marry"),
    ("studied", "study"), ("studies", "study"), ("friends", "friend"), ("reading", "read"),
    ("working", "work"), ("interested", "interest"), ("lives", "live"), ("lived", "live"),
    ("living", "live"), ("uses", "use"), ("using", "use"), ("used", "use"),
];

/// Returns the names of all relations that a verb expresses.
#[cfg(test)]
pub(super) fn relation_names() -> impl Iterator<Item = &'static str> {
    VERBS.iter().flat_map(|verb| verb.relation.into_iter().chain(verb.place_relation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_its_base_form() {
        for (form, base) in [
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
            assert_eq!(base_form(form), base, "{form}");
        }
        assert_eq!(base_form("juggling"), base_form("juggles"), "an unknown verb has one root");
    }

    #[test]
    fn every_verb_is_found_by_its_base_and_its_irregular_forms() {
        for verb in VERBS {
            assert!(verbs_with_form(verb.base).any(|found| found == verb), "{}", verb.base);
        }
        for (form, base) in
            IRREGULAR_FORMS.iter().filter(|(_, base)| VERBS.iter().any(|verb| verb.base == *base))
        {
            assert!(verbs_with_form(form).any(|found| found.base == *base), "{form}");
            assert!(
                VERBS.iter().all(|verb| verb.base != *form),
                "{form} would be looked up as another verb"
            );
        }
    }

    #[test]
    fn a_relation_has_one_canonical_name() {
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
            assert_eq!(canonical_relation(given), known, "{given}");
        }
    }
}
