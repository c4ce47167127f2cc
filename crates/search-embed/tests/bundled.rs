//! Promises of the bundled model: the published vectors on every kernel, the same result alone and
//! in a batch, and no text that it rejects.
#![expect(clippy::unwrap_used, reason = "a failing helper is a failing test")]

use std::sync::LazyLock;

use proptest::prelude::*;
use quipu_embed::{
    BundledEmbedder, EmbedError, Embedder, Kernel, MAX_TEXTS, MAX_WINDOWS, Vector, WINDOW_TOKENS,
};
use serde_json::Value;

static GOLDEN: LazyLock<Vec<(String, Vector)>> = LazyLock::new(|| {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../model/golden.json")).unwrap();
    let read = |case: &Value| (case["text"].as_str().unwrap().to_owned(), case["vector"].clone());
    cases
        .iter()
        .map(read)
        .map(|(text, vector)| (text, serde_json::from_value(vector).unwrap()))
        .collect()
});

fn golden_texts() -> Vec<&'static str> {
    GOLDEN.iter().map(|(text, _)| text.as_str()).collect()
}

fn first_window(embedder: &BundledEmbedder, text: &str) -> Vector {
    embedder.embed(&[text]).unwrap().remove(0).windows.remove(0)
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    product(a, b) / (product(a, a) * product(b, b)).sqrt()
}

#[test]
fn every_golden_text_gets_its_published_vector_on_every_kernel() {
    assert_eq!(GOLDEN.len(), 30);
    for kernel in Kernel::available() {
        let embedder = BundledEmbedder::with_kernel(kernel);
        for (text, vector) in GOLDEN.iter() {
            let cosine = cosine(&first_window(&embedder, text), vector);
            assert!(cosine >= 0.9995, "{kernel:?} reaches only {cosine} on {text:?}");
        }
    }
}

#[test]
fn every_kernel_gives_nearly_the_same_vectors() {
    let expected = BundledEmbedder::with_kernel(Kernel::portable()).embed(&golden_texts()).unwrap();
    for kernel in Kernel::available() {
        let got = BundledEmbedder::with_kernel(kernel).embed(&golden_texts()).unwrap();
        for (got, expected) in got.iter().zip(&expected) {
            assert!(cosine(&got.windows[0], &expected.windows[0]) > 0.9999, "{kernel:?}");
        }
    }
}

#[test]
fn a_batch_gives_each_text_the_vectors_it_gets_alone() {
    let embedder = BundledEmbedder::new();
    let together = embedder.embed(&golden_texts()).unwrap();
    for (text, together) in golden_texts().iter().zip(together) {
        assert_eq!(embedder.embed(&[text]).unwrap(), [together], "{text:?}");
    }
}

#[test]
fn vectors_have_length_one_and_the_dimensions_that_the_model_names() {
    let embedder = BundledEmbedder::new();
    for embedding in embedder.embed(&golden_texts()).unwrap() {
        for window in embedding.windows {
            assert_eq!(window.len(), embedder.dimensions());
            assert!((window.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn similar_texts_are_nearer_than_others() {
    let embedder = BundledEmbedder::new();
    let [question, answer, other] = [
        "which database does the billing service use?",
        "Invoices are kept in PostgreSQL since the spring release.",
        "Grandmother's recipe wants two ripe lemons.",
    ]
    .map(|text| first_window(&embedder, text));
    assert!(cosine(&question, &answer) > cosine(&question, &other) + 0.1);
}

#[test]
fn a_question_is_nearer_to_its_answer_in_another_language_than_to_others() {
    let embedder = BundledEmbedder::new();
    let answer = first_window(&embedder, "The invoices are kept in a PostgreSQL database.");
    let other = first_window(&embedder, "Grandmother's recipe wants two ripe lemons.");
    for question in [
        "In welcher Datenbank liegen die Rechnungen?",
        "¿En qué base de datos se guardan las facturas?",
        "В какой базе данных хранятся счета?",
        "请款单存放在哪个数据库里？",
        "請求書はどのデータベースに保存されていますか？",
        "송장은 어떤 데이터베이스에 보관됩니까?",
    ] {
        let question_vector = first_window(&embedder, question);
        let [near, far] = [&answer, &other].map(|vector| cosine(&question_vector, vector));
        assert!(near > far + 0.1, "{question} {near} {far}");
    }
}

#[test]
fn texts_without_words_get_the_vector_of_the_empty_text() {
    let embedder = BundledEmbedder::new();
    for text in [" ", "\n\t", "\u{200b}", "\0"] {
        assert_eq!(first_window(&embedder, text), first_window(&embedder, ""), "{text:?}");
    }
    assert!(embedder.embed(&[]).unwrap().is_empty());
}

#[test]
fn a_long_text_gets_a_vector_for_each_window_and_keeps_that_of_its_beginning() {
    let embedder = BundledEmbedder::new();
    let beginning = "word ".repeat(WINDOW_TOKENS);
    let text = format!("{beginning}{}", "another thing ".repeat(WINDOW_TOKENS));
    let windows = embedder.embed(&[&text]).unwrap().remove(0).windows;
    assert_eq!(windows.len(), 3);
    assert_eq!(windows[0], first_window(&embedder, &beginning));
    assert!(cosine(&windows[0], &windows[2]) < 0.9);
}

#[test]
fn a_huge_text_is_sampled_and_its_end_still_counts() {
    let embedder = BundledEmbedder::new();
    let filler = "alpha beta gamma delta ".repeat(10_000);
    let windows = |text: &str| embedder.embed(&[text]).unwrap().remove(0).windows;
    let (plain, ended) =
        (windows(&filler), windows(&format!("{filler} postgresql migration finished")));
    assert_eq!((plain.len(), ended.len()), (MAX_WINDOWS, MAX_WINDOWS));
    assert!(cosine(&plain[MAX_WINDOWS - 1], &ended[MAX_WINDOWS - 1]) < 0.999);
}

#[test]
fn too_many_texts_in_one_call_are_rejected() {
    let refused = BundledEmbedder::new().embed(&vec!["a"; MAX_TEXTS + 1]);
    assert_eq!(refused, Err(EmbedError::TooManyTexts { count: MAX_TEXTS + 1, limit: MAX_TEXTS }));
}

#[test]
fn the_tokens_of_all_windows_are_counted() {
    let embedder = BundledEmbedder::new();
    let few = embedder.count_tokens("Maria owns the migration of the invoices");
    assert_eq!(few, 8, "a word of two pieces among seven");
    assert_eq!(embedder.count_tokens(&"word ".repeat(WINDOW_TOKENS + 1)), 2 * WINDOW_TOKENS);
}

#[test]
fn the_model_id_only_changes_when_the_vectors_do() {
    // Stored vectors are computed again when this changes. Update this line only if the weights,
    // the vocabulary or the preprocessing were meant to change.
    assert_eq!(BundledEmbedder::new().model().id, "quipu-embed-2@66fcaf48a414673c");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_texts_get_finite_vectors(
        texts in prop::collection::vec("\\PC{0,60}|[\\x00-\\x{10FFFF}]{0,40}", 0..6),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embeddings = BundledEmbedder::new().embed(&texts).unwrap();
        prop_assert_eq!(embeddings.len(), texts.len());
        for window in embeddings.iter().flat_map(|embedding| &embedding.windows) {
            prop_assert!(window.iter().all(|value| value.is_finite()));
        }
    }
}
