//! Pairs by their relation: those of the issue reports, and those of earlier versions.

use super::*;
use StatementRelation as R;

fn check(expected: &[R], pairs: &[(&str, &str)]) {
    for (earlier, later) in pairs {
        let found = compare(earlier, later);
        assert!(expected.contains(&found.relation), "{earlier} / {later}: {found:?}");
    }
}

#[test]
fn only_another_wording_is_the_same() {
    check(
        &[R::Same],
        &[
            ("green is my favorite color", "My favourite colour is green."),
            ("I run 5 kilometres", "I run five km."),
            ("I don't eat meat", "I do not eat meat."),
            ("Please remember that the standup is at 9:30 am", "The standup is at 09:30."),
            ("In the evening I drink tea", "I drink tea in the evening."),
            ("The limit is 1,000", "The limit is 1000.0"),
            ("The timeout is 60 seconds", "The timeout is 1 minute"),
        ],
    );
}

#[test]
fn one_exchanged_word_is_never_the_same() {
    for (earlier, later) in [
        ("I drive a red Volvo", "I drive a blue Volvo"),
        ("I take vitamin C", "I take vitamin D"),
        ("I prefer coffee to tea", "I prefer tea to coffee"),
        ("Ana is older than Eva", "Eva is older than Ana"),
        ("we meet after lunch", "we meet before lunch"),
        ("my sister Ana", "My sister Ana lives in Porto"),
        ("Standup is at 10:30", "Standup is at 9:30"),
        ("I will call Ana", "I called Ana"),
        ("Ana is the owner", "Ana was the owner"),
        ("only Ana knows the code", "Ana knows the code"),
        ("Ana lent Bob 50 euros", "Bob lent Ana 50 euros"),
        ("I told Ana that Bob left", "I told Bob that Ana left"),
        ("Ana's boss is Tom", "Tom's boss is Ana"),
        ("I have a cat", "I have cats"),
        ("", "the"),
    ] {
        assert!(!compare(earlier, later).is_same(), "{earlier} / {later}");
        assert!(!compare(later, earlier).is_same(), "{later} / {earlier}");
    }
}

#[test]
fn an_identifier_behind_a_noun_names_another_thing() {
    check(
        &[R::Unrelated, R::OtherEvent],
        &[
            ("Crane a17 has a blue hook", "Crane b4 has a blue hook"),
            ("Server web01 has 8 cores", "Server web02 has 8 cores"),
            ("The cluster eu-west-1 has three nodes", "The cluster us-east-1 has three nodes"),
            ("Tenant acme_7 keeps logs for 30 days", "Tenant acme_9 keeps logs for 30 days"),
        ],
    );
    check(&[R::ChangedValue], &[("The staging host is web01", "The staging host is web02")]);
}

#[test]
fn a_slot_has_one_value() {
    check(
        &[R::ChangedValue],
        &[
            ("I live in Berlin", "I live in Munich."),
            ("The port is 22", "port is 2222"),
            ("port: 22", "The port is 2222."),
            ("My favourite colour is blue", "My favorite color is green"),
            ("Alice works at Google", "Alice works for Mozilla Foundation"),
            ("The default branch is main", "The default branch is develop"),
            ("The timeout is set to 30 seconds", "The timeout is set to 60 seconds"),
            ("My name is Ana", "My name is Anna"),
            ("The capital of Australia is Sydney", "The capital of Australia is Canberra"),
            ("version = 1.2.3", "version = 1.2.4"),
            ("My manager is Tom", "My manager is now Sofia"),
            ("Ramipril 5 mg every morning", "Ramipril 10 mg every morning"),
            ("My daughter is 7 years old", "My daughter is 8 years old"),
            ("My blood type is A+", "My blood type is O-"),
            ("Mia's teacher is Mr. Lund", "Mia's teacher is Mrs. Okonjo"),
            ("The review is on 3 May", "The review is on 10 May"),
            ("A pull request needs two approvals", "A pull request needs three approvals"),
        ],
    );
}

#[test]
fn a_denial_is_the_opposite() {
    check(
        &[R::Opposite],
        &[
            ("The project uses PostgreSQL", "The project does not use PostgreSQL"),
            ("She works at Acme", "She no longer works at Acme"),
            ("We deploy with Docker", "We deploy without Docker"),
            ("I drink coffee", "I stopped drinking coffee"),
            ("Telemetry is enabled", "Telemetry is disabled"),
            ("I like olives", "I hate olives"),
        ],
    );
}

#[test]
fn swapped_roles_are_reversed() {
    check(
        &[R::Reversed],
        &[
            ("Ana lent Bob 50 euros", "Bob lent Ana 50 euros"),
            ("I prefer tabs over spaces", "I prefer spaces over tabs"),
            ("We migrate from MySQL to Postgres", "We migrate from Postgres to MySQL"),
        ],
    );
}

#[test]
fn numbered_things_are_not_values_of_each_other() {
    check(
        &[R::Unrelated],
        &[
            ("Room 12 seats 8 people.", "Room 14 seats 8 people."),
            ("Tower 3 has a green lamp", "Tower 4 has a green lamp"),
            ("Payment note 1: a graph is shown.", "Payment note 2: a graph is shown."),
            ("Leela: allergies: peanuts", "Leela: relation: daughter"),
        ],
    );
    check(
        &[R::ChangedValue],
        &[
            ("The review is in room 12.", "The review is in room 14."),
            ("Our team has 8 people.", "Our team has 9 people."),
        ],
    );
}

#[test]
fn a_value_in_another_wording_is_changed() {
    check(
        &[R::ChangedValue],
        &[
            ("Rent is 1200 a month.", "The landlord put the rent up to 1350."),
            ("Sprint length: two weeks", "Our sprints last three weeks"),
            ("Deploys are on Fridays", "Since last month deploys are on Mondays"),
            ("Secrets are stored in Vault", "We keep secrets in Infisical, not in Vault"),
            ("Die Miete beträgt 980 Euro", "Die Miete ist auf 1.050 Euro gestiegen"),
            ("Vivo en Sevilla", "Me mudé a Málaga"),
            ("缓存过期时间为10分钟", "缓存过期时间为20分钟"),
        ],
    );
}

#[test]
fn another_noun_verb_or_purpose_is_another_subject() {
    check(
        &[R::Unrelated],
        &[
            ("The release is on Thursday", "The release party is on Friday"),
            ("The flight leaves at 8:10", "The flight lands at 10:45"),
            ("Timeout for uploads is 60 s", "Timeout for downloads is 30 s"),
            ("max_connections is 200 on db-1", "max_connections is 400 on db-2"),
            ("Raum 201 hat 12 Plätze", "Raum 305 hat 20 Plätze"),
        ],
    );
}

#[test]
fn similarity_alone_is_no_relation() {
    check(
        &[R::Unrelated, R::Paraphrase, R::OtherEvent],
        &[
            ("I like Berlin", "I like Munich"),
            ("The server is fast", "The server is in Berlin"),
            ("The SSH port is 22", "The HTTP port is 80"),
            ("Ana lives in Berlin", "Ben lives in Munich"),
            ("Friend0 Smith eats meat", "Friend1 Smith eats meat"),
            ("I run with Alex", "I run with Alexa"),
            ("I work at Acme", "Bo works at Globex"),
            ("My favourite colour is blue", "Ana's favourite colour is green"),
            ("Tenant alpha keeps logs for 30 days", "Tenant beta keeps logs for 90 days"),
            ("The port is 22", "Is the port 2222?"),
            ("Lunch: chicken salad, 540 kcal", "Lunch: lentil soup, 410 kcal"),
            ("", "anything"),
        ],
    );
}

#[test]
fn occasions_do_not_change_a_value() {
    check(
        &[R::OtherEvent],
        &[
            ("Ran 5 km this morning", "Ran 8 km this morning"),
            ("I took 20 mg at 8 am", "I took 40 mg at 9 pm"),
            ("Deployed 1.4.2 on Monday", "Deployed 1.4.3 on Tuesday"),
        ],
    );
}

#[test]
fn only_a_certain_change_may_replace() {
    let sure = compare("The port is 22", "The port is 2222");
    assert_eq!((sure.certainty, sure.covers_earlier), (Certainty::Sure, true));
    let partly = compare("My manager is Tom, who lives in Porto", "My manager is Sofia");
    assert!(!partly.covers_earlier || partly.certainty == Certainty::Likely, "{partly:?}");
    let guess = compare("Fergus is 40", "I guess Fergus is 45");
    assert_ne!(guess.certainty, Certainty::Sure, "{guess:?}");
}

#[test]
fn differences_are_ranges_of_both_texts() {
    let (earlier, later) = ("The dose is 5 mg daily", "The dose is 10 mg daily");
    let found = compare(earlier, later);
    let one = &found.differences[0];
    assert_eq!((&earlier[one.earlier.clone()], &later[one.later.clone()]), ("5 mg", "10 mg"));
    assert_eq!(found.describe(earlier, later), "\"5 mg\" in one, \"10 mg\" in the other");
}

#[test]
fn a_request_to_forget_is_no_part_of_the_statement() {
    assert_eq!(without_forget_request("please forget that I have a cat"), "I have a cat");
    assert_eq!(without_request("FYI: the port is 22"), "the port is 22");
    assert_eq!(without_request("Remember"), "Remember");
    assert_eq!(without_request("Por favor, recuerda que cierra en agosto"), "cierra en agosto");
    assert_eq!(without_request("请用中文回答"), "用中文回答");
    assert!(compare("Variablen sind englisch, bitte.", "Variablen sind englisch.").is_same());
}

#[test]
fn a_denial_of_one_thing_says_nothing_of_others_about_the_same_person_and_place() {
    let denial = "Ana does not live in Porto.";
    for other in [
        "Ana works in Porto.",
        "Ana studied in Porto.",
        "Ana's sister lives in Porto.",
        "Ana wants to visit Porto.",
        "Ana owns a flat in Porto.",
    ] {
        for relation in [compare(other, denial).relation, compare(denial, other).relation] {
            assert!(
                !matches!(relation, StatementRelation::Opposite | StatementRelation::ChangedValue),
                "{other}: {relation:?}"
            );
        }
    }
    assert_eq!(compare("Ana lives in Porto.", denial).relation, StatementRelation::Opposite);
}

#[test]
fn a_state_of_the_speaker_is_not_changed_by_one_of_somebody_else() {
    for (one, other) in [
        ("I live in Bristol.", "My brother lives in Ghent."),
        ("I live in Bristol.", "My parents moved to Coimbra."),
        ("My birthday is June 6.", "My sister's birthday is March 3."),
        ("I weigh 82 kg.", "She weighs 68 kg."),
        ("Grandma smokes.", "Grandma got a new number: 555-0199."),
        ("J'habite à Lyon.", "Ma sœur habite à Rennes."),
    ] {
        assert_ne!(compare(one, other).relation, StatementRelation::ChangedValue, "{other}");
        assert_ne!(compare(other, one).relation, StatementRelation::ChangedValue, "{one}");
    }
}

#[test]
fn a_correction_or_a_habit_may_update_what_was_said_before() {
    for (earlier, later) in [
        ("I'm AB positive.", "I'm O negative, the AB positive I told you was wrong."),
        ("阿葵从来不跑步。", "每天晚上阿葵都会跑步。"),
        ("Joggen geht Wiebke nie.", "Wiebke joggt jeden Abend um den See."),
    ] {
        let (old, new) = (ParsedText::new(earlier), ParsedText::new(later));
        assert!(new.may_update(&old), "{earlier} {later}");
    }
    let (old, new) = (ParsedText::new("Tom now has a dog."), ParsedText::new("Tom is 34 now."));
    assert!(!new.may_update(&old));
}

#[test]
fn a_noun_that_names_the_type_of_a_value_tells_no_subject_apart() {
    check(
        &[R::ChangedValue],
        &[
            ("The Atlas project is due 1 June.", "Atlas deadline pushed back to 15 June."),
            ("Passwords must have at least 8 characters.", "The minimum password length is 12."),
            (
                "The allotment costs 85 pounds a year.",
                "We pay 110 pounds a year for the allotment.",
            ),
            ("We have 12 people on the team.", "With two new joiners we're up to 14 on the team."),
        ],
    );
    check(
        &[R::Unrelated],
        &[
            ("Max attendees: 30", "Min attendees: 8"),
            ("The minimum TLS version is 1.2.", "The minimum order is 50 pieces."),
        ],
    );
}

#[test]
fn an_explicit_replacement_names_the_old_value() {
    check(
        &[R::ChangedValue],
        &[
            ("My laptop is a Dell XPS.", "I replaced the Dell with a Framework 13."),
            (
                "Bea is on the panel for designers.",
                "Oskar replaced Bea on the panel for designers.",
            ),
            ("The service mesh is Istio.", "We moved from Istio to Linkerd."),
            ("Our streaming service is Netflix.", "We dropped Netflix and have Arte instead."),
        ],
    );
    let handed = "Ownership of the pricing service was handed from Kenji to Adaeze";
    for other in
        ["We own our flat", "The fee is €1200.", "The auth service calls the user service."]
    {
        let found = compare(other, handed);
        assert_ne!(
            (found.relation, found.certainty),
            (R::ChangedValue, Certainty::Sure),
            "{other}"
        );
    }
}

#[test]
fn a_thing_is_in_one_place_and_of_one_kind_at_a_time() {
    check(
        &[R::ChangedValue],
        &[
            ("The spare key is under the flower pot.", "The spare key is in the shed."),
            ("My bike is locked in the cellar.", "I keep my bike in the garage."),
            ("My brother is an electrician.", "My brother is a paramedic."),
            ("Feature flags are read from Flipt.", "Feature flags are read from Unleash."),
        ],
    );
    check(
        &[R::Unrelated],
        &[
            ("Ella is in kindergarten.", "Ella is in hospital."),
            ("My sister is a nurse.", "My sister is a vegetarian."),
        ],
    );
}

#[test]
fn a_verb_in_the_present_makes_no_occasion() {
    check(
        &[R::ChangedValue],
        &[
            ("Session cookie lives 8 hours, sliding.", "Session cookie lives 12 hours, sliding."),
            ("Bonus is 8% of salary, paid in April", "Bonus is 6% of salary, paid in April"),
            ("Prod runs Postgres 14", "After last night's upgrade prod runs Postgres 16."),
            ("We cache responses in Memcached.", "Responses are cached in Valkey now."),
        ],
    );
    check(
        &[R::OtherEvent],
        &[
            ("Called the supplier on Monday.", "Called the supplier on Wednesday."),
            ("The dentist appointment cost 80 euros", "The dentist appointment cost 110 euros"),
            (
                "The server went down at 3:12 on Tuesday.",
                "The server went down at 23:40 on Friday.",
            ),
        ],
    );
}

#[test]
fn an_hour_without_its_half_of_the_day_may_be_either() {
    check(&[R::ChangedValue], &[("standup is at 9", "We moved standup to 9:30.")]);
    check(&[R::MoreDetailed, R::Paraphrase], &[("The call is at 3", "The call is at 3 pm")]);
}

#[test]
fn whoever_wants_or_does_something_is_who_it_is_about() {
    check(
        &[R::Unrelated],
        &[
            ("Amber Foods wants delivery on Tuesdays", "Cobalt Foods wants delivery on Fridays"),
            ("Frau Reuter betreut Kunde Voss.", "Frau Reuter betreut Kunde Albers."),
            ("The dentist raised her prices.", "The dentist moved to Baker Street."),
        ],
    );
}
