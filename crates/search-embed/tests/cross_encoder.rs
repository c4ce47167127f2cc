//! The cross-encoder against the probabilities of the float weights in plain numpy.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use quipu_embed::{CrossEncoder, Kernel, PAIR_TOKENS_MAX, TextPair};
use serde_json::Value;

/// Largest distance to the float weights that int8 products may cause.
const TOLERANCE: f32 = 0.03;

fn golden() -> Vec<(TextPair, f32)> {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../model/compare_golden.json")).unwrap();
    let text = |case: &Value, field: &str| case[field].as_str().unwrap().to_owned();
    let read = |case: &Value| {
        let pair = TextPair { earlier: text(case, "earlier"), later: text(case, "later") };
        (pair, case["changed"].as_f64().unwrap() as f32)
    };
    cases.iter().map(read).collect()
}

fn pair(earlier: &str, later: &str) -> TextPair {
    TextPair { earlier: earlier.to_owned(), later: later.to_owned() }
}

#[test]
fn every_kernel_gives_the_published_probabilities() {
    let (pairs, expected): (Vec<TextPair>, Vec<f32>) = golden().into_iter().unzip();
    for kernel in Kernel::available() {
        let got = CrossEncoder::with_kernel(kernel).change_probabilities(&pairs);
        for ((pair, got), expected) in pairs.iter().zip(got).zip(&expected) {
            let got = got.unwrap();
            assert!((got - expected).abs() <= TOLERANCE, "{kernel:?} {pair:?}: {got} {expected}");
        }
    }
}

#[test]
fn a_pair_has_the_same_probability_alone_and_among_others() {
    let (pairs, _): (Vec<TextPair>, Vec<f32>) = golden().into_iter().unzip();
    let encoder = CrossEncoder::new();
    let together = encoder.change_probabilities(&pairs);
    for (pair, together) in pairs.iter().zip(together) {
        assert_eq!(encoder.change_probabilities(std::slice::from_ref(pair)), [together]);
    }
}

#[test]
fn an_empty_or_long_text_has_no_probability_and_shifts_no_other() {
    let long = "word ".repeat(PAIR_TOKENS_MAX + 1);
    let changed = pair("The rent is 900 euros.", "The landlord wants 980 euros from January.");
    let pairs = [pair("", "x"), changed.clone(), pair(&long, "x"), pair("x", &long), changed];
    let got = CrossEncoder::new().change_probabilities(&pairs);
    assert_eq!([got[0], got[2], got[3]], [None; 3]);
    assert!(got[1] > Some(0.5) && got[1] == got[4], "{got:?}");
    assert!(CrossEncoder::new().change_probabilities(&[]).is_empty());
}
