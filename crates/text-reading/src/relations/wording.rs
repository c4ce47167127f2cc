//! Relations in the words in which a person says them: `lives_at` is "lives in", `consumed` is
//! "read", `eat_with` is "eats with". Names that are not listed are read as they are written.

/// Form of a verb, by the subject before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerbPerson {
    /// "You live in".
    Second,
    /// "Ada lives in".
    Third,
}

/// A relation to be put in words.
#[derive(Debug, Clone, Copy)]
pub struct RelationPhrase<'r> {
    /// Name of the relation: `lives_at`.
    pub relation: &'r str,
    /// Object as written.
    pub object: &'r str,
    /// Use of media, where it is known: one of [`MEDIA_USES`](super::MEDIA_USES).
    pub media_use: Option<&'r str>,
}

/// Returns the words between the subject and the object of a relation.
#[must_use]
pub fn relation_in_words(phrase: RelationPhrase<'_>, person: VerbPerson) -> String {
    let known = WORDINGS.iter().find(|(name, ..)| *name == phrase.relation);
    match (phrase.relation, phrase.media_use) {
        ("consumed", Some(media_use)) => past_use(media_use).to_owned(),
        // "Lives in 12 Rua Augusta" is not what anybody says of an address.
        ("lives_at", _) if phrase.object.starts_with(|c: char| c.is_ascii_digit()) => {
            match person {
                VerbPerson::Second => "live at".to_owned(),
                VerbPerson::Third => "lives at".to_owned(),
            }
        }
        (relation, _) => match (known, person) {
            (Some((_, second, _)), VerbPerson::Second) => (*second).to_owned(),
            (Some((_, _, third)), VerbPerson::Third) => (*third).to_owned(),
            (None, _) => other_relation(relation, person),
        },
    }
}

fn past_use(media_use: &str) -> &'static str {
    match media_use {
        "read" => "read",
        "watch" => "watched",
        _ => "listened to",
    }
}

/// Returns a relation that is not listed: the verb of a companion is in the base form, others are
/// as somebody named them.
fn other_relation(relation: &str, person: VerbPerson) -> String {
    match relation.strip_suffix("_with") {
        Some(verb) if person == VerbPerson::Third && !verb.contains('_') => {
            format!("{} with", third_person(verb))
        }
        _ => relation.replace('_', " "),
    }
}

/// Returns the third person of a base form; a form that already has an ending stays.
fn third_person(verb: &str) -> String {
    let before_y = verb.strip_suffix('y').filter(|root| !root.ends_with(['a', 'e', 'o', 'u']));
    match before_y {
        Some(root) => format!("{root}ies"),
        None if verb.ends_with("ed") || (verb.ends_with('s') && !verb.ends_with("ss")) => {
            verb.to_owned()
        }
        None if verb.ends_with(['o', 'x', 's']) || verb.ends_with("ch") || verb.ends_with("sh") => {
            format!("{verb}es")
        }
        None => format!("{verb}s"),
    }
}

/// Relations with their words in the second and in the third person.
#[rustfmt::skip]
pub(super) const WORDINGS: &[(&str, &str, &str)] = &[
    ("likes", "like", "likes"),
    ("dislikes", "dislike", "dislikes"),
    ("ate", "ate", "ate"),
    ("consumed", "had", "had"),
    ("created", "made", "made"),
    ("allergic_to", "are allergic to", "is allergic to"),
    ("works_at", "work at", "works at"),
    ("works_in", "work in", "works in"),
    ("lives_at", "live in", "lives in"),
    ("visited", "visited", "visited"),
    ("attended", "attended", "attended"),
    ("has_skill", "know", "knows"),
    ("owns", "own", "owns"),
    ("uses", "use", "uses"),
    ("bought", "bought", "bought"),
    ("founded", "founded", "founded"),
    ("performed", "practise", "practises"),
    ("interested_in", "are interested in", "is interested in"),
    ("knows", "know", "knows"),
    ("married_to", "are married to", "is married to"),
    ("friend", "are friends with", "is friends with"),
    ("works_out_at", "work out at", "works out at"),
    ("parent_of", "are a parent of", "is a parent of"),
    ("child_of", "are a child of", "is a child of"),
    ("sibling_of", "are a sibling of", "is a sibling of"),
    ("family_member", "are related to", "is related to"),
    ("reports_to", "report to", "reports to"),
    ("takes", "take", "takes"),
    ("follows", "follow", "follows"),
    ("has_condition", "have", "has"),
    ("located_at", "are in", "is in"),
    ("depends_on", "depend on", "depends on"),
    ("part_of", "are part of", "is part of"),
    ("related_to", "are related to", "is related to"),
];

#[cfg(test)]
mod tests {
    use super::super::{roles, structured_data, verbs};
    use super::*;

    fn third(relation: &str, object: &str) -> String {
        relation_in_words(RelationPhrase { relation, object, media_use: None }, VerbPerson::Third)
    }

    #[test]
    fn a_relation_is_said_as_a_person_says_it() {
        for (relation, object, words) in [
            ("lives_at", "Porto", "lives in"),
            ("lives_at", "12 Rua Augusta", "lives at"),
            ("consumed", "tea", "had"),
            ("ate", "ramen", "ate"),
            ("works_at", "Kiln House", "works at"),
            ("allergic_to", "nuts", "is allergic to"),
            ("friend", "Bo", "is friends with"),
            ("eat_with", "Bo", "eats with"),
            ("fly_with", "Bo", "flies with"),
            ("go_with", "Bo", "goes with"),
            ("play_with", "Bo", "plays with"),
            ("runs_with", "Zephyr", "runs with"),
            ("is_deputy_of", "Marta", "is deputy of"),
        ] {
            assert_eq!(third(relation, object), words, "{relation} {object}");
        }
    }

    #[test]
    fn media_are_read_watched_or_listened_to() {
        for (media_use, words) in
            [("read", "read"), ("watch", "watched"), ("listen", "listened to")]
        {
            let phrase =
                RelationPhrase { relation: "consumed", object: "Dune", media_use: Some(media_use) };
            assert_eq!(relation_in_words(phrase, VerbPerson::Third), words);
        }
    }

    #[test]
    fn the_owner_is_addressed() {
        for (relation, words) in
            [("lives_at", "live in"), ("has_condition", "have"), ("eat_with", "eat with")]
        {
            let phrase = RelationPhrase { relation, object: "x", media_use: None };
            assert_eq!(relation_in_words(phrase, VerbPerson::Second), words, "{relation}");
        }
    }

    #[test]
    fn every_relation_that_is_read_from_a_text_a_row_or_a_profile_has_its_words() {
        let read = verbs::relation_names()
            .chain(roles::relation_names())
            .chain(structured_data::relation_names());
        for name in read.filter(|name| !name.ends_with("_with")) {
            assert!(WORDINGS.iter().any(|(known, ..)| *known == name), "{name} has no words");
        }
    }
}
