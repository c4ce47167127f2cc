//! A model from a directory, through the real binary: a tiny one with random weights, so only that
//! it is used counts.

use crate::embedder::{check, configure, explained};
use crate::place::Place;
use std::path::Path;

fn tiny() -> String {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed-local/tests/local/tiny");
    tiny.canonicalize().unwrap().display().to_string()
}

fn local(place: &Place, directory: &str) {
    configure(place, &format!("[embedder]\nkind = \"local\"\ndirectory = \"{directory}\"\n"));
}

#[test]
fn a_local_model_embeds_everything_anew_and_explain_says_that_it_answered() {
    let place = Place::new();
    place.quipu(&["remember", "The lamp of the tower is green."]).done();
    local(&place, &tiny());
    let meanwhile = explained(&place);
    assert!(meanwhile["memories"][0]["parts"]["meaning"].is_null(), "{meanwhile}");
    assert_eq!(place.json(&["status"])["embedder"]["done"], 0);
    assert_eq!(check(&place.json(&["doctor", "--fix"]), "vectors")["state"], "ok");
    let told = explained(&place);
    assert!(told["embedder"].as_str().unwrap().starts_with("tiny@"), "{told}");
    assert_eq!(place.json(&["status"])["embedder"]["done"], 1);
}

#[test]
fn a_local_model_that_is_not_there_keeps_nothing_from_being_remembered() {
    let place = Place::new();
    local(&place, "models/nowhere");
    place.quipu(&["remember", "The lamp of the tower is green."]).done();
    let told = explained(&place);
    assert_eq!(told["memories"][0]["text"], "The lamp of the tower is green.");
    assert!(
        told["words_alone"].as_str().unwrap().contains("`directory` must name a folder"),
        "{told}"
    );
    let run = place.quipu(&["doctor", "--json"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(check(&serde_json::from_str(&run.stdout).unwrap(), "embedder")["state"], "fail");
}
