//! `quipu eval` on a small data set whose scores are computed by hand, and on an owner's own list.

use crate::test_env::TestEnv;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Documents; each question shares a rare word with those that answer it, and with no other.
const DOCUMENTS: &[(&str, &str, &str, &str)] = &[
    ("d1", "ada", "s1", "The kiln reached cone six before noon."),
    ("d2", "ada", "s1", "Lunch was soup again."),
    ("d3", "ada", "s2", "A new zither hangs beside the stove."),
    ("d4", "ada", "s2", "Rain all day, nobody came."),
    ("d5", "ada", "s3", "The zither needs two strings replaced."),
    ("d6", "ada", "s3", "Paid the electricity bill."),
    ("d7", "ada", "s4", "The bicycle has a flat tyre."),
    ("d8", "ada", "s4", "Called the landlord about the heating."),
    ("d9", "bo", "s1", "Bo planted saffron in the north bed."),
    ("d10", "bo", "s1", "The gate squeaks."),
    ("d11", "bo", "s5", "Bought a ladder."),
    ("d12", "bo", "s5", "The cat slept on the roof."),
];

fn write_lines(env: &TestEnv, name: &str, lines: &[Value]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(env.work().join(name), text).unwrap();
}

/// Writes the data set, with questions about the kiln, the zither and the saffron.
fn write_data_set(env: &TestEnv) {
    let documents: Vec<Value> = DOCUMENTS
        .iter()
        .map(|(id, group, session, text)| {
            json!({
                "doc_id": id,
                "group": group,
                "session": session,
                "text": text,
                "speaker": "user",
                "date": "2024-05-03T10:00:00",
            })
        })
        .collect();
    write_lines(env, "corpus.jsonl", &documents);
    let queries = [
        json!({"query_id": "q1", "group": "ada", "text": "kiln", "date": "2024-06-01",
               "category": "one", "gold": ["d1"], "gold_sessions": ["s1"], "answer": "cone six"}),
        // Only one of its two documents is in a session that it may search.
        json!({"query_id": "q2", "group": "ada", "text": "zither", "date": null, "category": "two",
               "gold": ["d3", "d5"], "gold_sessions": ["s2", "s3"],
               "haystack": [["s2", "2024-05-03"], ["s9", null]]}),
        // Nothing answers it, so it is not scored.
        json!({"query_id": "q3", "group": "ada", "text": "saffron", "category": "none",
               "gold": [], "gold_sessions": []}),
    ];
    write_lines(env, "queries.jsonl", &queries);
}

fn run_line(path: &Path, query: &str) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.find(|line| line["query_id"] == query).unwrap()
}

fn run_file(env: &TestEnv) -> PathBuf {
    env.work().join("run.jsonl")
}

#[test]
fn the_scores_of_a_small_data_set_match_manual_computation() {
    let env = TestEnv::new();
    write_data_set(&env);
    let output = env.json(&["eval", ".", "--run-file", "run.jsonl"]);
    assert_eq!(output["documents"], json!({"kept": 12, "cut": 0, "refused": 0}));
    assert_eq!(output["asked"], 3);
    let turn = &output["turn"];
    assert_eq!(turn["all"]["n"], 2);
    let kiln = &turn["categories"]["one"];
    assert_eq!(
        (&kiln["any@1"], &kiln["all@1"], &kiln["MRR"]),
        (&json!(1.0), &json!(1.0), &json!(1.0))
    );
    let zither = &turn["categories"]["two"];
    assert_eq!(
        (&zither["any@1"], &zither["all@20"], &zither["frac@20"]),
        (&json!(1.0), &json!(0.0), &json!(0.5))
    );
    // 1 / (1 + 1/log2(3)): the first of two is at rank 1, the second is missing.
    assert!((zither["NDCG@10"].as_f64().unwrap() - 0.613_147).abs() < 1e-6, "{zither}");
    assert_eq!((&turn["all"]["frac@10"], &turn["all"]["all@10"]), (&json!(0.75), &json!(0.5)));
    let session = &output["session"];
    assert_eq!((&session["all"]["n"], &session["all"]["frac@10"]), (&json!(2), &json!(0.75)));
    assert!(turn["categories"].get("none").is_none());
}

#[test]
fn each_part_can_be_disabled_in_turn() {
    let env = TestEnv::new();
    write_data_set(&env);
    let output = env.json(&["eval", ".", "--each-part", "--without", "recency"]);
    let without = output["without"].as_object().unwrap();
    assert!(without.contains_key("words") && without.contains_key("variety"), "{without:?}");
    assert!(!without.contains_key("recency"), "it is disabled already");
    assert_eq!(without["words"]["turn"]["all"]["n"], output["turn"]["all"]["n"]);
    assert!(
        without["words"]["recall_ms"]["cpu"]["p50"].as_f64().unwrap() > 0.0,
        "the cost of a part is reported, too"
    );
    let page = env.quipu(&["eval", ".", "--each-part"]).success();
    assert!(page.contains("without own-words"), "{page}");
}

#[test]
fn a_question_searches_only_its_group_and_its_haystack() {
    let env = TestEnv::new();
    write_data_set(&env);
    env.quipu(&["eval", ".", "--run-file", "run.jsonl"]).success();
    let ranked =
        |query: &str| run_line(&run_file(&env), query)["ranked"].as_array().unwrap().clone();
    let sees = |query: &str, allowed: &[&str]| {
        let outside = ranked(query).into_iter().find(|id| !allowed.contains(&id.as_str().unwrap()));
        assert_eq!(outside, None, "{query}");
    };
    sees("q1", &["d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"]);
    sees("q2", &["d3", "d4"]);
    sees("q3", &["d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"]);
    assert_eq!(ranked("q2")[0], "d3");
}

#[test]
fn the_report_shows_data_settings_and_scores_and_no_memory_remains() {
    let env = TestEnv::new();
    write_data_set(&env);
    let page = env.quipu(&["eval", ".", "--by-category", "--limit-queries", "1"]).success();
    for part in [
        "sha256:",
        "commit",
        "12 stored",
        "1 question\n",
        "quipu-embed-2",
        "p95",
        "NDCG@10",
        "CPU ms",
        "one",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert!(!page.contains("two"), "{page}");
    let left: Vec<_> = std::fs::read_dir(env.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "work" && name != "home")
        .collect();
    assert_eq!(left, Vec::<String>::new());
    assert!(!env.home().join("owners").exists());
}

#[test]
fn invalid_data_is_reported_with_its_line() {
    let env = TestEnv::new();
    let check = |code: i32, part: &str| {
        let run = env.quipu(&["eval", "."]);
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert!(run.stderr.contains(part), "{part} is not in {}", run.stderr);
    };
    check(3, "corpus.jsonl");
    write_data_set(&env);
    let corpus = std::fs::read_to_string(env.work().join("corpus.jsonl")).unwrap();
    let spoilt = |text: &str| {
        std::fs::write(env.work().join("corpus.jsonl"), format!("{corpus}{text}\n")).unwrap()
    };
    spoilt("{\"doc_id\": ");
    check(2, "corpus.jsonl, line 13:");
    spoilt(r#"{"doc_id": "d13", "group": "g", "session": "s"}"#);
    check(2, "line 13: missing field `text`");
    spoilt(r#"{"doc_id": "d13", "group": "g", "session": "s", "text": "t", "date": "soon"}"#);
    check(2, "line 13: `soon` is not a date");
    spoilt(r#"{"doc_id": "d1", "group": "g", "session": "s", "text": "t"}"#);
    check(2, "line 13: the id `d1` occurs twice");
    std::fs::write(env.work().join("queries.jsonl.gz"), "not packed").unwrap();
    std::fs::remove_file(env.work().join("queries.jsonl")).unwrap();
    spoilt("");
    check(2, "queries.jsonl.gz, line 1:");
}

#[test]
fn a_golden_list_with_missing_memories_exits_with_1() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The kiln reached cone six before noon."]).success();
    env.quipu(&["remember", "A new zither hangs beside the stove."]).success();
    let met = json!({"query": "kiln", "expect": [1, "CONE SIX"]});
    write_lines(&env, "golden.jsonl", std::slice::from_ref(&met));
    let output = env.json(&["eval", "--golden", "golden.jsonl"]);
    assert_eq!((&output["expected"], &output["missing"]), (&json!(2), &json!(0)));
    assert_eq!(output["queries"][0]["expect"][0], json!({"expected": 1, "rank": 1}));

    write_lines(&env, "golden.jsonl", &[met, json!({"query": "zither", "expect": ["a harp", 2]})]);
    let run = env.quipu(&["eval", "--golden", "golden.jsonl"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("–  “a harp”"), "{}", run.stdout);
    assert!(run.stdout.contains("3 of 4 expected"), "{}", run.stdout);
}

#[test]
fn a_corrected_memory_no_longer_meets_an_expectation() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The booking API listens on port 8080."]).success();
    write_lines(&env, "golden.jsonl", &[json!({"query": "booking port", "expect": [1]})]);
    env.quipu(&["eval", "--golden", "golden.jsonl"]).success();
    env.quipu(&["correct", "1", "The booking API listens on port 9090."]).success();
    assert_eq!(env.quipu(&["eval", "--golden", "golden.jsonl"]).code, Some(1));
}

#[test]
fn an_invalid_golden_list_is_reported_with_its_line() {
    let env = TestEnv::new();
    for (line, part) in [
        (json!({"query": "kiln", "expects": [1]}), "line 1: unknown field `expects`"),
        (json!({"query": "kiln", "expect": []}), "line 1: `expect` is empty"),
    ] {
        write_lines(&env, "golden.jsonl", &[line]);
        let run = env.quipu(&["eval", "--golden", "golden.jsonl"]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(part), "{part} is not in {}", run.stderr);
    }
    assert_eq!(env.quipu(&["eval"]).code, Some(2));
    assert_eq!(env.quipu(&["eval", ".", "--golden", "golden.jsonl"]).code, Some(2));
}
