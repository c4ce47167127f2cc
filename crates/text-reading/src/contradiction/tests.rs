//! Pairs that cannot both hold, and pairs that are merely similar.

use super::*;
use proptest::prelude::*;

/// Compares all statements with each other, without the filter by signature.
fn find_contradiction_without_filter(a: &str, b: &str) -> Option<Contradiction> {
    let read = |text| first_sentences(text).filter_map(ParsedStatement::read).collect::<Vec<_>>();
    let (earlier, new) = (read(a), read(b));
    earlier.iter().find_map(|one| new.iter().find_map(|other| compare(one, other)))
}

const STATEMENTS: &[&str] = &[
    "we use tabs over spaces for tests",
    "the server listens on port 22",
    "I live in Berlin",
    "Telemetry is enabled in tests",
    "she no longer works at Acme",
    "we avoid using Redis",
    "the default branch is main",
    "we deploy with Docker instead of Podman",
    "it lacks more coffee",
];
const WORDS: &[&str] = &[
    "not", "no", "longer", "more", "stopped", "avoid", "using", "over", "instead", "of", "rather",
    "than", "disabled", "22", "2222", "Munich", "lack", "don't", "for", "tests", "tabs", "spaces",
    "is", "yet", "without", "develop",
];

/// A statement, and the same with some words inserted, removed, replaced or swapped.
fn nearly_the_same() -> impl Strategy<Value = (String, String)> {
    let edit = (
        0..4_u8,
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        prop::sample::select(WORDS),
    );
    (prop::sample::select(STATEMENTS), prop::collection::vec(edit, 0..4)).prop_map(
        |(said, edits)| {
            let mut words: Vec<&str> = said.split(' ').collect();
            for (what, at, other, word) in edits {
                let (at, other) = (at.index(words.len()), other.index(words.len()));
                match what {
                    0 => words.insert(at, word),
                    1 if words.len() > 1 => drop(words.remove(at)),
                    2 => words[at] = word,
                    _ => words.swap(at, other),
                }
            }
            (said.to_owned(), words.join(" "))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_filter_by_signature_hides_no_contradiction((a, b) in nearly_the_same()) {
        prop_assert_eq!(find_contradiction(&a, &b), find_contradiction_without_filter(&a, &b));
        prop_assert_eq!(find_contradiction(&b, &a), find_contradiction_without_filter(&b, &a));
    }
}

fn check_contradictory(pairs: &[(&str, &str)]) {
    for (a, b) in pairs {
        assert!(find_contradiction(a, b).is_some(), "{a} / {b}");
        assert!(find_contradiction(b, a).is_some(), "{b} / {a}");
    }
}

fn check_compatible(pairs: &[(&str, &str)]) {
    for (a, b) in pairs {
        assert_eq!(find_contradiction(a, b), None, "{a} / {b}");
        assert_eq!(find_contradiction(b, a), None, "{b} / {a}");
    }
}

#[test]
fn a_slot_has_one_value() {
    check_contradictory(&[
        ("I live in Berlin", "I live in Munich."),
        ("User lives in Berlin with a dog", "I currently live in New York"),
        ("The port is 22", "port is 2222"),
        ("port: 22", "The port is 2222."),
        ("My favourite colour is blue", "My favorite color is green"),
        ("Alice works at Google", "Alice works for Mozilla Foundation"),
        ("The default branch is main", "The default branch is develop"),
        ("the server listens on port 8080", "The server listens on 9090"),
        ("The timeout is set to 30 seconds", "The timeout is set to 60 seconds"),
        ("My name is Ana", "My name is Anna"),
        ("The capital of Australia is Sydney", "The capital of Australia is Canberra"),
        ("version = 1.2.3", "version = 1.2.4"),
    ]);
}

#[test]
fn the_reason_names_slot_and_values() {
    let reason = find_contradiction("Hello. I live in Berlin.", "I live in Munich").unwrap();
    let expected = Contradiction::DifferentValue {
        slot: "I live in".into(),
        left: "Berlin".into(),
        right: "Munich".into(),
    };
    assert_eq!(reason, expected);
    assert_eq!(reason.to_string(), "I live in: Berlin or Munich");
}

#[test]
fn a_negation_contradicts_the_negated_statement() {
    check_contradictory(&[
        ("The project uses PostgreSQL", "The project does not use PostgreSQL"),
        ("She works at Acme", "She no longer works at Acme"),
        ("We deploy with Docker", "We deploy without Docker"),
        ("I drink coffee", "I stopped drinking coffee"),
        ("We don't use Redis", "We use Redis for the queue"),
        ("We never use Redis", "We use Redis for the billing queue in Dublin"),
    ]);
}

#[test]
fn antonyms_and_reversed_preferences_contradict() {
    check_contradictory(&[
        ("Telemetry is enabled", "Telemetry is disabled"),
        ("I like olives", "I hate olives"),
        ("I prefer tabs over spaces", "I prefer spaces over tabs"),
        ("Use SQLite instead of PostgreSQL", "Use PostgreSQL instead of SQLite"),
    ]);
}

#[test]
fn similarity_alone_is_no_contradiction() {
    check_compatible(&[
        ("I like Berlin", "I like Munich"),
        ("We use Rust for the backend", "We use Axum for the backend"),
        ("The server is fast", "The server is in Berlin"),
        ("The database is slow", "The database is PostgreSQL"),
        ("The SSH port is 22", "The HTTP port is 80"),
        ("Ana lives in Berlin", "Ben lives in Munich"),
        ("My favourite colour is blue", "Ana's favourite colour is green"),
        ("I like coffee", "Ana does not like coffee"),
        ("I do not eat meat", "I eat meat substitutes"),
        ("The timeout is 30 seconds", "The timeout is 1 minute"),
        ("I work at night", "I work at Google"),
        ("", "anything"),
    ]);
}

#[test]
fn details_regions_times_and_possibilities_do_not_contradict() {
    check_compatible(&[
        ("I live in Berlin", "I live in Germany"),
        ("I live in Berlin", "I live in Berlin, Germany"),
        ("My favourite colour is blue", "My favourite colour is dark blue"),
        ("I live in Berlin", "I used to live in Munich"),
        ("I live in Berlin", "In 2019 I lived in Munich"),
        ("I live in Berlin", "I want to live in Munich"),
        ("The port is 22", "Is the port 2222?"),
        ("The port is 22", "The port should be 2222"),
        ("The limit is 1,000", "The limit is 1000.0"),
        ("I work at Google", "I also work at Mozilla"),
    ]);
}

#[test]
fn a_statement_agrees_with_itself() {
    for text in ["I live in Berlin", "It does not retry", "port: 22", "I prefer tabs over spaces"] {
        assert_eq!(find_contradiction(text, text), None);
    }
}
