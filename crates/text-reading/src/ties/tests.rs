//! Statements and questions as people write them.

use super::*;

fn told(text: &str) -> Vec<(String, String, Option<&'static str>)> {
    ties(text).into_iter().map(|one| (one.relation, one.object, one.kind)).collect()
}

#[track_caller]
fn says(text: &str, expected: &[(&str, &str, Option<&str>)]) {
    let found = told(text);
    let found: Vec<_> = found
        .iter()
        .map(|(relation, object, kind)| (relation.as_str(), object.as_str(), *kind))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn what_is_liked_is_a_tie_with_its_sort() {
    says(
        "I love sushi and ramen.",
        &[("likes", "sushi", Some("food")), ("likes", "ramen", Some("food"))],
    );
    says("I really like spicy Thai food", &[("likes", "spicy Thai food", Some("food"))]);
    says("I don't like olives.", &[("dislikes", "olives", Some("food"))]);
    says(
        "I love sushi but hate olives",
        &[("likes", "sushi", Some("food")), ("dislikes", "olives", Some("food"))],
    );
    says(
        "My favourite foods are ramen and figs.",
        &[("likes", "ramen", Some("food")), ("likes", "figs", Some("food"))],
    );
    says("I enjoy running.", &[("likes", "running", Some("activity"))]);
}

#[test]
fn work_home_company_and_places_are_ties() {
    says("I work at Acme Corp as an engineer", &[("works_at", "Acme Corp", Some("organization"))]);
    says(
        "I'm working for the University of Oxford.",
        &[("works_at", "University of Oxford", Some("organization"))],
    );
    says("I live in New York.", &[("lives_at", "New York", Some("place"))]);
    says(
        "I run with Ada and Bo every Sunday.",
        &[("run_with", "Ada", Some("person")), ("run_with", "Bo", Some("person"))],
    );
    says("I run in the park", &[("works_out_at", "park", Some("place"))]);
    says(
        "I ate pizza with Mia at Luigi",
        &[
            ("ate", "pizza", Some("food")),
            ("eat_with", "Mia", Some("person")),
            ("visited", "Luigi", Some("place")),
        ],
    );
}

#[test]
fn others_have_ties_too() {
    let found = ties("Ada Lovelace works at Acme.");
    assert_eq!(found[0].subject, Party::Named("Ada Lovelace".into()));
    assert_eq!((found[0].relation.as_str(), found[0].object.as_str()), ("works_at", "Acme"));
}

#[test]
fn a_role_points_the_right_way() {
    says("My wife Anna is a doctor.", &[("married_to", "Anna", Some("person"))]);
    says("My daughter is Mia.", &[("parent_of", "Mia", Some("person"))]);
    says("Eva is my mother", &[("child_of", "Eva", Some("person"))]);
    says("my daughter Mia's birthday is 3 May", &[("parent_of", "Mia", Some("person"))]);
}

#[test]
fn a_note_without_a_speaker_is_the_owners() {
    says("Finished reading Dune", &[("consumed", "Dune", Some("media"))]);
    says("Watched \"Alien\" yesterday", &[("consumed", "Alien", Some("media"))]);
}

#[test]
fn orders_wishes_questions_and_the_past_are_no_ties() {
    for text in [
        "Use tabs for indentation.",
        "Run the tests before you push.",
        "I would like sushi",
        "I want to visit Rome",
        "I used to work at Acme",
        "Do I like sushi?",
        "I read the error message",
        "We run in production",
        "Read the docs first",
        "I know that it fails",
        "I like it",
        "",
        "I",
        "with with with",
        "my my wife wife",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
}

#[track_caller]
fn asks(question: &str, relation: &str, kind: Option<&str>) {
    let asked =
        asked(question).unwrap_or_else(|| panic!("{question} is a question about relations"));
    assert!(asked.relations.iter().any(|one| one == relation), "{question}: {asked:?}");
    assert_eq!(asked.kind, kind, "{question}");
}

#[test]
fn questions_are_read_in_any_number_and_tense() {
    for question in [
        "what food do I like?",
        "What foods did I love",
        "which dishes have I enjoyed?",
        "what are my favorite foods?",
    ] {
        asks(question, "likes", Some("food"));
    }
    for question in [
        "who do I run with?",
        "Who did I run with",
        "who am I running with?",
        "With whom do I run?",
        "who have I been running with",
    ] {
        asks(question, "run_with", Some("person"));
    }
    for question in
        ["where do I work?", "Where did I work", "where am I working?", "where am I employed"]
    {
        asks(question, "works_at", None);
    }
    asks("where do I live?", "lives_at", None);
    asks("where do I work out", "works_out_at", None);
    asks("who do I eat pizza with?", "eat_with", Some("person"));
    asks("what am I allergic to?", "allergic_to", None);
    asks("what don't I like?", "dislikes", None);
    asks("which books have I read?", "consumed", Some("media"));
    asks("who is my wife?", "married_to", Some("person"));
    asks("who are my children", "parent_of", Some("person"));
    assert_eq!(
        asked("where does Ada work?").map(|asked| asked.subject),
        Some(Party::Named("Ada".into()))
    );
}

#[test]
fn what_asks_for_something_else_is_not_guessed_at() {
    for question in
        ["", "what is the capital of France?", "tell me everything", "why?", "who", "where do I"]
    {
        assert_eq!(asked(question), None, "{question}");
    }
}

#[test]
fn rows_and_profiles_state_ties() {
    let row = ties_in_row(
        "meals",
        &[("food", "pizza"), ("restaurant", "Luigi"), ("calories", "800"), ("with", "Ada, Bo")],
    );
    let found: Vec<_> =
        row.iter().map(|one| (one.relation.as_str(), one.object.as_str())).collect();
    assert_eq!(
        found,
        [("ate", "pizza"), ("visited", "Luigi"), ("eat_with", "Ada"), ("eat_with", "Bo")]
    );
    let field = |path: &str, values: &[&str]| {
        ties_in_field(path, values)
            .into_iter()
            .map(|one| format!("{} {}", one.relation, one.object))
            .collect::<Vec<_>>()
    };
    assert_eq!(field("work.company", &["Acme"]), ["works_at Acme"]);
    assert_eq!(
        field("preferences.food.favorites", &["tofu", "figs"]),
        ["likes tofu", "likes figs"]
    );
    assert_eq!(field("family.daughter.name", &["Mia"]), ["parent_of Mia"]);
    assert_eq!(field("family.daughter.birthday", &["3 May"]), Vec::<String>::new());
    assert_eq!(field("timezone", &["Europe/Berlin"]), Vec::<String>::new());
}
