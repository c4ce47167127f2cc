//! Embedding endpoints through the real binary: behaviour while one is unavailable, its reports,
//! and switching a memory from one embedder to another.

use crate::test_env::TestEnv;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testkit::fake_endpoint::{FakeEndpoint, embedding_response, error_response};

const DIMENSIONS: usize = 16;

pub fn configure(env: &TestEnv, text: &str) {
    std::fs::create_dir_all(env.home()).unwrap();
    std::fs::write(env.home().join("config.toml"), text).unwrap();
}

fn endpoint(env: &TestEnv, endpoint: &FakeEndpoint, more: &str) {
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
fn switchable_endpoint() -> (FakeEndpoint, Arc<AtomicBool>) {
    let there = Arc::new(AtomicBool::new(true));
    let seen = Arc::clone(&there);
    let endpoint = FakeEndpoint::with_handler(move |asked, _| {
        if seen.load(Ordering::SeqCst) {
            embedding_response(asked, DIMENSIONS)
        } else {
            error_response(404)
        }
    });
    (endpoint, there)
}

pub fn explain_recall(env: &TestEnv) -> Value {
    env.json(&["recall", "--explain", "which lamp is green"])
}

pub fn check(output: &Value, name: &str) -> Value {
    let checks = output["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap().clone()
}

#[test]
fn an_endpoint_replaces_the_bundled_model_and_explain_reports_it() {
    let (env, server) = (TestEnv::new(), FakeEndpoint::working(DIMENSIONS));
    endpoint(&env, &server, "tokens_per_day = 1000\n");
    env.quipu(&["remember", "The lamp of the tower is green."]).success();
    let output = explain_recall(&env);
    assert!(output["embedder"].as_str().unwrap().starts_with("letters@127.0.0.1:"), "{output}");
    assert!(output["memories"][0]["parts"]["meaning"].as_f64().unwrap() > 0.0, "{output}");
    let status = env.json(&["status"]);
    assert_eq!((&status["embedder"]["done"], &status["embedder"]["total"]), (&1.into(), &1.into()));
    assert_eq!(
        status["embedder"]["today"]["texts"], 26,
        "24 for the calibration, a memory and a question"
    );
    assert_eq!(status["embedder"]["today"]["tokens_per_day"], 1000);
    assert!(env.quipu(&["status"]).success().contains("78 of 1000 tokens, 26 texts"));
}

#[test]
fn without_the_endpoint_memories_are_found_by_words_and_embedded_later() {
    let env = TestEnv::new();
    let (server, there) = switchable_endpoint();
    endpoint(&env, &server, "");
    there.store(false, Ordering::SeqCst);
    env.quipu(&["remember", "The lamp of the tower is green."]).success();
    let output = explain_recall(&env);
    assert_eq!(output["memories"][0]["text"], "The lamp of the tower is green.");
    assert_eq!(output["embedder"], "none");
    assert!(output["words_alone"].as_str().unwrap().contains("404"), "{output}");
    assert!(
        env.quipu(&["recall", "--explain", "green lamp"])
            .success()
            .contains("Searched by words only")
    );
    assert_eq!(env.json(&["status"])["embedder"]["done"], 0);

    there.store(true, Ordering::SeqCst);
    assert_eq!(check(&env.json(&["doctor", "--fix"]), "vectors")["state"], "ok");
    assert_eq!(env.json(&["status"])["embedder"]["done"], 1);
    let output = explain_recall(&env);
    assert!(
        output["memories"][0]["parts"]["meaning"].is_number() && output["words_alone"].is_null(),
        "{output}"
    );
}

#[test]
fn another_model_reembeds_everything_and_ignores_the_old_vectors() {
    let (env, server) = (TestEnv::new(), FakeEndpoint::working(DIMENSIONS));
    env.quipu(&["remember", "The lamp of the tower is green."]).success();
    env.quipu(&["remember", "The harbour opens at six."]).success();
    assert!(explain_recall(&env)["memories"][0]["parts"]["meaning"].is_number());

    endpoint(&env, &server, "");
    let meanwhile = explain_recall(&env);
    assert!(meanwhile["memories"][0]["parts"]["meaning"].is_null(), "{meanwhile}");
    let status = env.json(&["status"]);
    assert_eq!((&status["embedder"]["done"], &status["embedder"]["total"]), (&0.into(), &2.into()));
    assert!(env.quipu(&["status"]).success().contains("0 of 2 memories"));

    env.quipu(&["doctor", "--fix"]);
    assert_eq!(env.json(&["status"])["embedder"]["done"], 2);
    assert!(explain_recall(&env)["memories"][0]["parts"]["meaning"].is_number());
}

#[test]
fn doctor_checks_the_endpoint_and_gives_advice_when_it_fails() {
    let env = TestEnv::new();
    let (server, there) = switchable_endpoint();
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
fn the_key_is_sent_and_never_printed() {
    let env = TestEnv::new();
    let server = FakeEndpoint::with_handler(|asked, _| {
        let shown = asked.headers.get("authorization").map(|value| value.as_bytes());
        if shown == Some(b"Bearer sk-hidden-1") {
            embedding_response(asked, DIMENSIONS)
        } else {
            error_response(401)
        }
    });
    endpoint(&env, &server, "key_env = \"STUDIO_KEY\"\n");
    let with_key = |key: &str| {
        let mut command = env.command(&["doctor", "--json"]);
        crate::test_env::run_to_end(command.env("STUDIO_KEY", key).env("QUIPU_LOG", "trace"), "")
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
fn invalid_settings_are_refused_with_advice() {
    let env = TestEnv::new();
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
