//! A local model through the real binary: a tiny one with random weights, which only shows that it
//! is used.

use crate::embedder::{check, configure, explained};
use crate::place::Place;
use std::path::Path;

fn tiny() -> String {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed-local/tests/local/tiny");
    tiny.canonicalize().unwrap().display().to_string()
}

fn local(env: &Place, directory: &str) {
    configure(env, &format!("[embedder]\nkind = \"local\"\ndirectory = \"{directory}\"\n"));
}

#[test]
fn a_local_model_embeds_everything_anew_and_explain_says_that_it_answered() {
    let env = Place::new();
    env.quipu(&["remember", "The lamp of the tower is green."]).done();
    local(&env, &tiny());
    let meanwhile = explained(&env);
    assert!(meanwhile["memories"][0]["parts"]["meaning"].is_null(), "{meanwhile}");
    assert_eq!(env.json(&["status"])["embedder"]["done"], 0);
    assert_eq!(check(&env.json(&["doctor", "--fix"]), "vectors")["state"], "ok");
    let output = explained(&env);
    assert!(output["embedder"].as_str().unwrap().starts_with("tiny@"), "{output}");
    assert_eq!(env.json(&["status"])["embedder"]["done"], 1);
}

#[test]
fn a_local_model_that_is_not_there_keeps_nothing_from_being_remembered() {
    let env = Place::new();
    local(&env, "models/nowhere");
    env.quipu(&["remember", "The lamp of the tower is green."]).done();
    let output = explained(&env);
    assert_eq!(output["memories"][0]["text"], "The lamp of the tower is green.");
    assert!(
        output["words_alone"].as_str().unwrap().contains("`directory` must name a folder"),
        "{output}"
    );
    let run = env.quipu(&["doctor", "--json"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(check(&serde_json::from_str(&run.stdout).unwrap(), "embedder")["state"], "fail");
}
