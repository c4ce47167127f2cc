//! Tests of answers that are cut to a number of tokens.

use super::*;
use serde_json::json;

fn rows(count: usize, characters: usize) -> Vec<Value> {
    (0..count).map(|id| json!({"id": id, "body": "x y ".repeat(characters / 4)})).collect()
}

#[test]
fn an_answer_never_exceeds_its_budget_and_says_what_is_missing() {
    for (count, characters) in [(30, 30_000), (3_000, 40), (1, 200_000), (500, 900)] {
        for tokens in [800, 5_000, 20_000] {
            let answer = json!({"rows": rows(count, characters), "count": count, "total": count});
            let fitted = fit_answer(answer, tokens, LeftOutFields::Hint);
            assert!(cost(&fitted) <= tokens + 1, "{count} of {characters}: {}", cost(&fitted));
            let shown = fitted["rows"].as_array().unwrap().len();
            assert!(shown > 0 && fitted["count"] == shown && fitted["total"] == count);
            assert!(fitted["hint"].as_str().is_some(), "{fitted}");
            assert_eq!(fitted["left_out"].as_u64().unwrap_or(0) as usize, count - shown);
        }
    }
}

#[test]
fn an_answer_within_its_budget_stays_as_it_is() {
    let answer = json!({"rows": rows(3, 40)});
    assert_eq!(fit_answer(answer.clone(), 800, LeftOutFields::Notes), answer);
}

#[test]
fn texts_outside_of_lists_are_cut_too_but_no_document() {
    let long = "word ".repeat(9_000);
    let answer = json!({"nested": {"text": long}, "id": 7});
    let fitted = fit_answer(answer, 500, LeftOutFields::Notes);
    assert!(cost(&fitted) <= 500 && fitted["id"] == 7);
    assert!(fitted["notes"][0].as_str().unwrap().contains("[cut"));
    let document = json!({"handoff": {"document": long}});
    let fitted = fit_answer(document, 500, LeftOutFields::Hint);
    assert_eq!(fitted["handoff"]["document"], long);
}

#[test]
fn a_bare_list_carries_the_report_in_its_last_item() {
    let fitted = fit_answer(Value::Array(rows(900, 400)), 2_000, LeftOutFields::Hint);
    assert!(cost(&fitted) <= 2_000);
    let items = fitted.as_array().unwrap();
    let last = items.last().unwrap();
    assert_eq!(last["left_out"], 900 - items.len());
    assert!(last["hint"].as_str().unwrap().contains("left out"));
}

#[test]
fn each_contract_reports_in_its_own_fields() {
    let answer = json!({"facts": rows(900, 400), "leftOut": 3, "warnings": ["old"]});
    let fitted = fit_answer(answer, 2_000, LeftOutFields::Warnings);
    assert!(cost(&fitted) <= 2_000);
    let shown = fitted["facts"].as_array().unwrap().len();
    assert_eq!(fitted["leftOut"], 903 - shown);
    assert_eq!(fitted["warnings"][0], "old");
    assert!(fitted["_meta"]["warnings"][1].as_str().unwrap().contains("facts left out"));
}
