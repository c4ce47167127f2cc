//! Regression floors for the quality of recall, a little below the current scores: on a sample of a
//! public data set, and on memories in six languages that must be found by words only. Both use
//! `quipu eval`, which calls the same use cases as an agent.

use crate::test_env::TestEnv;
use serde_json::Value;

fn run_eval(set: &str, more: &[&str]) -> Value {
    let dir = format!("{}/tests/data/{set}", env!("CARGO_MANIFEST_DIR"));
    TestEnv::new().json(&[&["eval", &dir], more].concat())
}

#[track_caller]
fn at_least(scores: &Value, measure: &str, floor: f64) {
    let reached = scores[measure].as_f64().unwrap();
    assert!(reached >= floor, "{measure} is {reached:.3}, the floor is {floor}");
}

#[test]
fn recall_scores_do_not_fall_below_the_floors() {
    let turns = &run_eval("longmemeval", &[])["turn"]["all"];
    assert_eq!(turns["n"], 235);
    at_least(turns, "any@10", 0.92);
    at_least(turns, "all@10", 0.79);
    at_least(turns, "NDCG@10", 0.725);
}

#[test]
fn memories_in_every_language_are_found_by_words_only() {
    let output = run_eval("languages", &["--without", "meaning"]);
    for language in ["ar", "de", "es", "ja", "ru", "zh"] {
        let scores = &output["turn"]["categories"][language];
        assert_eq!(scores["n"], 8, "{language}");
        // One Spanish question shares only one word of three, which is below the cutoff for weak
        // results.
        at_least(scores, "any@1", if language == "es" { 7.0 / 8.0 } else { 1.0 });
    }
}

#[test]
fn questions_without_an_answer_are_marked_and_answers_are_kept() {
    let output = run_eval("abstention/held_out", &[]);
    let (kept, unknown) =
        (&output["abstention"]["answerable"], &output["abstention"]["unanswerable"]);
    let share = |counts: &Value, name: &str| counts[name].as_f64().unwrap();
    assert!(unknown["n"].as_u64().unwrap() >= 150, "{unknown}");
    assert!(share(unknown, "nothing") + share(unknown, "weak") >= 0.8, "{unknown}");
    assert!(share(kept, "nothing") <= 0.03, "{kept}");
    assert!(share(kept, "weak") <= 0.65, "{kept}");
}

#[test]
fn the_answer_of_a_small_memory_is_kept_and_mostly_not_marked() {
    let output = run_eval("abstention/held_out", &["--small", "3"]);
    let marked = |category: &str| {
        let counts = &output["abstention"]["categories"][category];
        assert!(counts["n"].as_u64().unwrap() >= 300, "{category}: {counts}");
        (counts["nothing"].as_f64().unwrap(), counts["weak"].as_f64().unwrap())
    };
    let (nothing, weak) = marked("answered");
    assert!(nothing <= 0.03 && nothing + weak <= 0.65, "{nothing} {weak}");
    for category in ["not answered", "answered elsewhere"] {
        let (nothing, weak) = marked(category);
        assert!(nothing + weak >= 0.8, "{category}: {nothing} {weak}");
    }
}

#[test]
fn an_unknown_ranking_part_is_refused_and_the_known_ones_are_listed() {
    let refused = TestEnv::new().quipu(&["eval", ".", "--without", "luck"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("own-words"), "{}", refused.stderr);
}
