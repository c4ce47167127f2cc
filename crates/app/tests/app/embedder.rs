//! Embedding endpoints through the real binary: behaviour while one is unavailable, its reports,
//! and switching a memory from one embedder to another.

use crate::place::Place;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testkit::endpoint::{FakeEndpoint, failed, vectors};

const DIMENSIONS: usize = 16;

pub fn configure(env: &Place, text: &str) {
    std::fs::create_dir_all(env.home()).unwrap();
    std::fs::write(env.home().join("config.toml"), text).unwrap();
}

fn endpoint(env: &Place, endpoint: &FakeEndpoint, more: &str) {
    let url = endpoint.url();
    configure(
        env,
        &format!(
            "[embedder]\nkind = \"endpoint\"\nurl = \"{url}\"\nmodel = \"letters\"\n\
             timeout_seconds = 5\n{more}"
        ),
    );
}

/// Starts an endpoint that can be made unavailable and available again.
fn switchable() -> (FakeEndpoint, Arc<AtomicBool>) {
    let there = Arc::new(AtomicBool::new(true));
    let seen = Arc::clone(&there);
    let endpoint = FakeEndpoint::that(move |asked, _| {
        if seen.load(Ordering::SeqCst) { vectors(asked, DIMENSIONS) } else { failed(404) }
    });
    (endpoint, there)
}

pub fn explained(env: &Place) -> Value {
    env.json(&["recall", "--explain", "which lamp is green"])
}

pub fn check(output: &Value, name: &str) -> Value {
    let checks = output["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap().clone()
}

#[test]
fn an_endpoint_answers_for_the_bundled_model_and_explain_says_so() {
    let (env, server) = (Place::new(), FakeEndpoint::good(DIMENSIONS));
    endpoint(&env, &server, "tokens_per_day = 1000\n");
    env.quipu(&["remember", "The lamp of the tower is green."]).done();
    let output = explained(&env);
    assert!(output["embedder"].as_str().unwrap().starts_with("letters@127.0.0.1:"), "{output}");
    assert!(output["memories"][0]["parts"]["meaning"].as_f64().unwrap() > 0.0, "{output}");
    let status = env.json(&["status"]);
    assert_eq!((&status["embedder"]["done"], &status["embedder"]["total"]), (&1.into(), &1.into()));
    assert_eq!(
        status["embedder"]["today"]["texts"], 26,
        "24 for the calibration, a memory and a question"
    );
    assert_eq!(status["embedder"]["today"]["tokens_per_day"], 1000);
    assert!(env.quipu(&["status"]).done().contains("78 of 1000 tokens, 26 texts"));
}

#[test]
fn while_the_endpoint_is_away_memories_are_kept_and_words_find_them_and_the_vector_follows() {
    let env = Place::new();
    let (server, there) = switchable();
    endpoint(&env, &server, "");
    there.store(false, Ordering::SeqCst);
    env.quipu(&["remember", "The lamp of the tower is green."]).done();
    let output = explained(&env);
    assert_eq!(output["memories"][0]["text"], "The lamp of the tower is green.");
    assert_eq!(output["embedder"], "none");
    assert!(output["words_alone"].as_str().unwrap().contains("404"), "{output}");
    assert!(
        env.quipu(&["recall", "--explain", "green lamp"]).done().contains("Searched by words only")
    );
    assert_eq!(env.json(&["status"])["embedder"]["done"], 0);

    there.store(true, Ordering::SeqCst);
    assert_eq!(check(&env.json(&["doctor", "--fix"]), "vectors")["state"], "ok");
    assert_eq!(env.json(&["status"])["embedder"]["done"], 1);
    let output = explained(&env);
    assert!(
        output["memories"][0]["parts"]["meaning"].is_number() && output["words_alone"].is_null(),
        "{output}"
    );
}

#[test]
fn another_model_embeds_everything_anew_and_the_old_vectors_are_never_compared() {
    let (env, server) = (Place::new(), FakeEndpoint::good(DIMENSIONS));
    env.quipu(&["remember", "The lamp of the tower is green."]).done();
    env.quipu(&["remember", "The harbour opens at six."]).done();
    assert!(explained(&env)["memories"][0]["parts"]["meaning"].is_number());

    endpoint(&env, &server, "");
    let meanwhile = explained(&env);
    assert!(meanwhile["memories"][0]["parts"]["meaning"].is_null(), "{meanwhile}");
    let status = env.json(&["status"]);
    assert_eq!((&status["embedder"]["done"], &status["embedder"]["total"]), (&0.into(), &2.into()));
    assert!(env.quipu(&["status"]).done().contains("0 of 2 memories"));

    env.quipu(&["doctor", "--fix"]);
    assert_eq!(env.json(&["status"])["embedder"]["done"], 2);
    assert!(explained(&env)["memories"][0]["parts"]["meaning"].is_number());
}

#[test]
fn doctor_asks_the_endpoint_and_says_what_to_do_when_it_does_not_answer() {
    let env = Place::new();
    let (server, there) = switchable();
    endpoint(&env, &server, "");
    let found = check(&env.json(&["doctor"]), "embedder");
    assert!(found["found"].as_str().unwrap().contains("returns 16 dimensions"), "{found}");

    there.store(false, Ordering::SeqCst);
    let run = env.quipu(&["doctor", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let found = check(&serde_json::from_str(&run.stdout).unwrap(), "embedder");
    assert_eq!(found["state"], "fail");
    assert!(found["found"].as_str().unwrap().contains("check url and model"), "{found}");
}

#[test]
fn the_key_is_sent_and_never_said() {
    let env = Place::new();
    let server = FakeEndpoint::that(|asked, _| {
        let shown = asked.headers.get("authorization").map(|value| value.as_bytes());
        if shown == Some(b"Bearer sk-hidden-1") { vectors(asked, DIMENSIONS) } else { failed(401) }
    });
    endpoint(&env, &server, "key_env = \"STUDIO_KEY\"\n");
    let with_key = |key: &str| {
        let mut command = env.command(&["doctor", "--json"]);
        crate::place::finished(command.env("STUDIO_KEY", key).env("QUIPU_LOG", "trace"), "")
    };
    let (right, wrong) = (with_key("sk-hidden-1"), with_key("sk-hidden-2"));
    assert!(right.stdout.contains("returns 16 dimensions"), "{}", right.stdout);
    assert!(wrong.stdout.contains("rejected the key"), "{}", wrong.stdout);
    for said in [right.stdout, right.stderr, wrong.stdout, wrong.stderr] {
        assert!(!said.contains("hidden"), "{said}");
    }
    let without = env.quipu(&["doctor", "--json"]);
    assert!(without.stdout.contains("STUDIO_KEY"), "{}", without.stdout);
}

#[test]
fn settings_that_cannot_be_right_are_refused_with_what_to_do() {
    let env = Place::new();
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
        configure(&env, &config);
        let run = env.quipu(&["status"]);
        assert_eq!(run.code, Some(2), "{config}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{config}: {}", run.stderr);
    }
}
