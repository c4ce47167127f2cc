//! Embedders other than the bundled one, through the real binary: what is kept while one is away,
//! what is told of it, and how a memory moves from one to another.

use crate::place::Place;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testkit::endpoint::{FakeEndpoint, failed, vectors};

const DIMENSIONS: usize = 16;

pub fn configure(place: &Place, text: &str) {
    std::fs::create_dir_all(place.home()).unwrap();
    std::fs::write(place.home().join("config.toml"), text).unwrap();
}

fn endpoint(place: &Place, endpoint: &FakeEndpoint, more: &str) {
    let url = endpoint.url();
    configure(
        place,
        &format!(
            "[embedder]\nkind = \"endpoint\"\nurl = \"{url}\"\nmodel = \"letters\"\ntimeout_seconds = 5\n{more}"
        ),
    );
}

/// An endpoint that can be taken away and brought back.
fn switchable() -> (FakeEndpoint, Arc<AtomicBool>) {
    let there = Arc::new(AtomicBool::new(true));
    let seen = Arc::clone(&there);
    let endpoint = FakeEndpoint::that(move |asked, _| {
        if seen.load(Ordering::SeqCst) { vectors(asked, DIMENSIONS) } else { failed(404) }
    });
    (endpoint, there)
}

pub fn explained(place: &Place) -> Value {
    place.json(&["recall", "--explain", "which lamp is green"])
}

pub fn check(told: &Value, name: &str) -> Value {
    let checks = told["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap().clone()
}

#[test]
fn an_endpoint_answers_for_the_bundled_model_and_explain_says_so() {
    let (place, server) = (Place::new(), FakeEndpoint::good(DIMENSIONS));
    endpoint(&place, &server, "tokens_per_day = 1000\n");
    place.quipu(&["remember", "The lamp of the tower is green."]).done();
    let told = explained(&place);
    assert!(told["embedder"].as_str().unwrap().starts_with("letters@127.0.0.1:"), "{told}");
    assert!(told["memories"][0]["parts"]["meaning"].as_f64().unwrap() > 0.0, "{told}");
    let status = place.json(&["status"]);
    assert_eq!((&status["embedder"]["done"], &status["embedder"]["total"]), (&1.into(), &1.into()));
    assert_eq!(
        status["embedder"]["today"]["texts"], 26,
        "24 to introduce itself, a memory and a question"
    );
    assert_eq!(status["embedder"]["today"]["tokens_per_day"], 1000);
    assert!(place.quipu(&["status"]).done().contains("78 of 1000 tokens, 26 texts"));
}

#[test]
fn while_the_endpoint_is_away_memories_are_kept_and_words_find_them_and_the_vector_follows() {
    let place = Place::new();
    let (server, there) = switchable();
    endpoint(&place, &server, "");
    there.store(false, Ordering::SeqCst);
    place.quipu(&["remember", "The lamp of the tower is green."]).done();
    let told = explained(&place);
    assert_eq!(told["memories"][0]["text"], "The lamp of the tower is green.");
    assert_eq!(told["embedder"], "none");
    assert!(told["words_alone"].as_str().unwrap().contains("404"), "{told}");
    assert!(
        place.quipu(&["recall", "--explain", "green lamp"]).done().contains("Words alone answered")
    );
    assert_eq!(place.json(&["status"])["embedder"]["done"], 0);

    there.store(true, Ordering::SeqCst);
    assert_eq!(check(&place.json(&["doctor", "--fix"]), "vectors")["state"], "ok");
    assert_eq!(place.json(&["status"])["embedder"]["done"], 1);
    let told = explained(&place);
    assert!(
        told["memories"][0]["parts"]["meaning"].is_number() && told["words_alone"].is_null(),
        "{told}"
    );
}

#[test]
fn another_model_embeds_everything_anew_and_the_old_vectors_are_never_compared() {
    let (place, server) = (Place::new(), FakeEndpoint::good(DIMENSIONS));
    place.quipu(&["remember", "The lamp of the tower is green."]).done();
    place.quipu(&["remember", "The harbour opens at six."]).done();
    assert!(explained(&place)["memories"][0]["parts"]["meaning"].is_number());

    endpoint(&place, &server, "");
    let meanwhile = explained(&place);
    assert!(meanwhile["memories"][0]["parts"]["meaning"].is_null(), "{meanwhile}");
    let status = place.json(&["status"]);
    assert_eq!((&status["embedder"]["done"], &status["embedder"]["total"]), (&0.into(), &2.into()));
    assert!(place.quipu(&["status"]).done().contains("0 of 2 memories"));

    place.quipu(&["doctor", "--fix"]);
    assert_eq!(place.json(&["status"])["embedder"]["done"], 2);
    assert!(explained(&place)["memories"][0]["parts"]["meaning"].is_number());
}

#[test]
fn doctor_asks_the_endpoint_and_says_what_to_do_when_it_does_not_answer() {
    let place = Place::new();
    let (server, there) = switchable();
    endpoint(&place, &server, "");
    let found = check(&place.json(&["doctor"]), "embedder");
    assert!(found["found"].as_str().unwrap().contains("answers with 16 numbers"), "{found}");

    there.store(false, Ordering::SeqCst);
    let run = place.quipu(&["doctor", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let found = check(&serde_json::from_str(&run.stdout).unwrap(), "embedder");
    assert_eq!(found["state"], "fail");
    assert!(found["found"].as_str().unwrap().contains("check url and model"), "{found}");
}

#[test]
fn the_key_is_sent_and_never_said() {
    let place = Place::new();
    let server = FakeEndpoint::that(|asked, _| {
        let shown = asked.headers.get("authorization").map(|value| value.as_bytes());
        if shown == Some(b"Bearer sk-hidden-1") { vectors(asked, DIMENSIONS) } else { failed(401) }
    });
    endpoint(&place, &server, "key_env = \"STUDIO_KEY\"\n");
    let with_key = |key: &str| {
        let mut command = place.command(&["doctor", "--json"]);
        crate::place::finished(command.env("STUDIO_KEY", key).env("QUIPU_LOG", "trace"), "")
    };
    let (right, wrong) = (with_key("sk-hidden-1"), with_key("sk-hidden-2"));
    assert!(right.stdout.contains("answers with 16 numbers"), "{}", right.stdout);
    assert!(wrong.stdout.contains("does not take the key"), "{}", wrong.stdout);
    for said in [right.stdout, right.stderr, wrong.stdout, wrong.stderr] {
        assert!(!said.contains("hidden"), "{said}");
    }
    let without = place.quipu(&["doctor", "--json"]);
    assert!(without.stdout.contains("STUDIO_KEY"), "{}", without.stdout);
}

#[test]
fn settings_that_cannot_be_right_are_refused_with_what_to_do() {
    let place = Place::new();
    let endpoint = "[embedder]\nkind = \"endpoint\"\nmodel = \"m\"\n";
    for (config, part) in [
        (format!("{endpoint}url = \"http://10.0.0.7/v1\""), "allow_plain_http"),
        (
            format!("{endpoint}url = \"https://a.example\"\nkey_env = \"A\"\nkey_file = \"b\""),
            "not both",
        ),
        (format!("{endpoint}url = \"https://a.example\"\nmodle = \"x\""), "modle"),
        (endpoint.to_owned(), "url"),
        ("[embedder]\nkind = \"cloud\"".to_owned(), "cloud"),
        #[cfg(not(feature = "local-models"))]
        ("[embedder]\nkind = \"local\"\ndirectory = \"x\"".to_owned(), "--features local-models"),
    ] {
        configure(&place, &config);
        let run = place.quipu(&["status"]);
        assert_eq!(run.code, Some(2), "{config}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{config}: {}", run.stderr);
    }
}
