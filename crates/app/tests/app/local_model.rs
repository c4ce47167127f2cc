//! A local model through the real binary: a tiny one with random weights, which only shows that it
//! is used.

use crate::embedder::{check, configure, explain_recall};
use crate::test_env::TestEnv;
use std::path::Path;

fn tiny_model_dir() -> String {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../search-embed-local/tests/local/tiny");
    tiny.canonicalize().unwrap().display().to_string()
}

fn configure_local(env: &TestEnv, directory: &str) {
    configure(env, &format!("[embedder]\nkind = \"local\"\ndirectory = \"{directory}\"\n"));
}

#[test]
fn a_local_model_reembeds_everything_and_explain_reports_it() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The lamp of the tower is green."]).success();
    configure_local(&env, &tiny_model_dir());
    let meanwhile = explain_recall(&env);
    assert!(meanwhile["memories"][0]["parts"]["meaning"].is_null(), "{meanwhile}");
    assert_eq!(env.json(&["status"])["embedder"]["done"], 0);
    assert_eq!(check(&env.json(&["doctor", "--fix"]), "vectors")["state"], "ok");
    let output = explain_recall(&env);
    assert!(output["embedder"].as_str().unwrap().starts_with("tiny@"), "{output}");
    assert_eq!(env.json(&["status"])["embedder"]["done"], 1);
}

#[test]
fn a_missing_local_model_does_not_block_remembering() {
    let env = TestEnv::new();
    configure_local(&env, "models/nowhere");
    env.quipu(&["remember", "The lamp of the tower is green."]).success();
    let output = explain_recall(&env);
    assert_eq!(output["memories"][0]["text"], "The lamp of the tower is green.");
    assert!(
        output["words_alone"].as_str().unwrap().contains("`directory` must name a folder"),
        "{output}"
    );
    let run = env.quipu(&["doctor", "--json"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(check(&serde_json::from_str(&run.stdout).unwrap(), "embedder")["state"], "fail");
}
