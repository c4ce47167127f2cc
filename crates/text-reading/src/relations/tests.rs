//! Statements and questions as people write them.

use super::*;

fn stated_relations(text: &str) -> Vec<(String, String, Option<&'static str>)> {
    relation_statements(text).into_iter().map(|one| (one.relation, one.object, one.kind)).collect()
}

#[track_caller]
fn check_statement(text: &str, expected: &[(&str, &str, Option<&str>)]) {
    let found = stated_relations(text);
    let found: Vec<_> = found
        .iter()
        .map(|(relation, object, kind)| (relation.as_str(), object.as_str(), *kind))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_word_of_a_title_is_no_name_of_its_own() {
    let text = "I read A Potter's Book by Bernard Leach.";
    let found = relation_statements(text);
    let title = found.iter().find(|one| one.kind == Some("media")).expect(text);
    assert!(title.has_in_title("Potter") && title.has_in_title("Book"), "{title:?}");
    assert!(!title.has_in_title("Bernard Leach") && !title.has_in_title("Pot"), "{title:?}");
    assert!(!title.has_in_title(&title.object.clone()), "the whole title is the object");
}

#[test]
fn likes_are_relations_with_an_entity_kind() {
    check_statement(
        "I love sushi and ramen.",
        &[("likes", "sushi", Some("food")), ("likes", "ramen", Some("food"))],
    );
    check_statement("I really like spicy Thai food", &[("likes", "spicy Thai food", Some("food"))]);
    check_statement("I don't like olives.", &[("dislikes", "olives", Some("food"))]);
    check_statement(
        "I love sushi but hate olives",
        &[("likes", "sushi", Some("food")), ("dislikes", "olives", Some("food"))],
    );
    check_statement(
        "My favourite foods are ramen and figs.",
        &[("likes", "ramen", Some("food")), ("likes", "figs", Some("food"))],
    );
    check_statement("I enjoy running.", &[("likes", "running", Some("activity"))]);
}

#[test]
fn work_home_companions_and_places_are_relations() {
    check_statement(
        "I work at Acme Corp as an engineer",
        &[("works_at", "Acme Corp", Some("organization"))],
    );
    check_statement(
        "I'm working for the University of Oxford.",
        &[("works_at", "University of Oxford", Some("organization"))],
    );
    check_statement("I live in New York.", &[("lives_at", "New York", Some("place"))]);
    check_statement(
        "I run with Ada and Bo every Sunday.",
        &[("run_with", "Ada", Some("person")), ("run_with", "Bo", Some("person"))],
    );
    check_statement("I run in the park", &[("works_out_at", "park", Some("place"))]);
    check_statement(
        "I ate pizza with Mia at Luigi",
        &[
            ("ate", "pizza", Some("food")),
            ("eat_with", "Mia", Some("person")),
            ("visited", "Luigi", Some("place")),
        ],
    );
}

#[test]
fn no_tool_is_a_person_in_a_relation() {
    check_statement("I work with Kafka.", &[("uses", "Kafka", Some("tool"))]);
    check_statement("We run the tests with Docker", &[("uses", "Docker", Some("tool"))]);
    check_statement("I know Redis well", &[("has_skill", "Redis", Some("tool"))]);
    check_statement("I run it in Docker", &[]);
    check_statement("I use Tailwind", &[("uses", "Tailwind", Some("tool"))]);
    check_statement("I love fish", &[("likes", "fish", Some("food"))]);
    for (text, subject) in [
        ("Tailwind prefers small classes.", RelationSubject::Thing("Tailwind".into())),
        ("Kafka uses ZooKeeper.", RelationSubject::Thing("Kafka".into())),
        ("Zephyr uses a cache in the backend.", RelationSubject::Thing("Zephyr".into())),
        ("Marta Kowalska uses a bike.", RelationSubject::Named("Marta Kowalska".into())),
        ("Marta Kowalska likes the backend.", RelationSubject::Named("Marta Kowalska".into())),
    ] {
        assert_eq!(relation_statements(text)[0].subject, subject, "{text}");
    }
    assert_eq!(RelationSubject::Thing("Kafka".into()).kind(), "tool");
    assert_eq!(RelationSubject::Thing("Zephyr".into()).kind(), "name");
}

#[test]
fn other_people_can_be_the_subject() {
    let found = relation_statements("Ada Lovelace works at Acme.");
    assert_eq!(found[0].subject, RelationSubject::Named("Ada Lovelace".into()));
    assert_eq!((found[0].relation.as_str(), found[0].object.as_str()), ("works_at", "Acme"));
}

#[test]
fn a_role_has_the_right_direction() {
    check_statement("My wife Anna is a doctor.", &[("married_to", "Anna", Some("person"))]);
    check_statement("My daughter is Mia.", &[("parent_of", "Mia", Some("person"))]);
    check_statement("Eva is my mother", &[("child_of", "Eva", Some("person"))]);
    check_statement("my daughter Mia's birthday is 3 May", &[("parent_of", "Mia", Some("person"))]);
}

#[test]
fn a_note_without_a_subject_is_about_the_owner() {
    check_statement("Finished reading Dune", &[("consumed", "Dune", Some("media"))]);
    check_statement("Watched \"Alien\" yesterday", &[("consumed", "Alien", Some("media"))]);
}

#[test]
fn orders_wishes_questions_and_the_past_state_no_relations() {
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
        assert_eq!(stated_relations(text), [], "{text}");
    }
}

#[track_caller]
fn check_question(question: &str, relation: &str, kind: Option<&str>) {
    let asked = parse_relation_question(question)
        .unwrap_or_else(|| panic!("{question} is a question about relations"));
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
        check_question(question, "likes", Some("food"));
    }
    for question in [
        "who do I run with?",
        "Who did I run with",
        "who am I running with?",
        "With whom do I run?",
        "who have I been running with",
    ] {
        check_question(question, "run_with", Some("person"));
    }
    for question in
        ["where do I work?", "Where did I work", "where am I working?", "where am I employed"]
    {
        check_question(question, "works_at", None);
    }
    check_question("where do I live?", "lives_at", None);
    check_question("where do I work out", "works_out_at", None);
    check_question("who do I eat pizza with?", "eat_with", Some("person"));
    check_question("what am I allergic to?", "allergic_to", None);
    check_question("what don't I like?", "dislikes", None);
    check_question("which books have I read?", "consumed", Some("media"));
    check_question("who is my wife?", "married_to", Some("person"));
    check_question("who are my children", "parent_of", Some("person"));
    assert_eq!(
        parse_relation_question("where does Ada work?").map(|asked| asked.subject),
        Some(RelationSubject::Named("Ada".into()))
    );
}

#[test]
fn a_name_within_another_phrase_is_no_subject() {
    for text in [
        "Backups of Porto go to Zurich every night.",
        "The shop in Lyon uses Stripe.",
        "A girl from Lisbon likes figs.",
    ] {
        assert_eq!(relation_statements(text), [], "{text}");
    }
    for text in ["Ada Lovelace likes figs.", "Lunch was late, as Ada works at Acme."] {
        assert_eq!(relation_statements(text).len(), 1, "{text}");
    }
}

#[test]
fn other_questions_are_not_guessed_at() {
    for question in
        ["", "what is the capital of France?", "tell me everything", "why?", "who", "where do I"]
    {
        assert_eq!(parse_relation_question(question), None, "{question}");
    }
}

#[test]
fn rows_and_profiles_state_relations() {
    let row = relations_in_row(
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
        relations_in_profile_field(path, values)
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

#[test]
fn a_companion_belongs_to_the_verb_of_its_own_clause() {
    let companions = |text: &str| -> Vec<(String, String)> {
        let found = stated_relations(text).into_iter();
        let found = found.filter(|(relation, ..)| relation.ends_with("_with"));
        found.map(|(relation, object, _)| (relation, object)).collect()
    };
    let pair = |relation: &str| vec![(relation.to_owned(), "Marta".to_owned())];
    assert_eq!(companions("I live in Lisbon and I ate sushi with Marta."), pair("eat_with"));
    assert_eq!(companions("I live in Lisbon and work with Marta."), pair("work_with"));
    assert_eq!(companions("I live in Lisbon with Marta."), pair("live_with"));
    let both = [pair("cook_with"), pair("eat_with")].concat();
    assert_eq!(companions("I cook and eat with Marta."), both);
}
