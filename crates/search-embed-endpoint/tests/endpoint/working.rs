//! A working endpoint: order of the vectors, prefixes, windows, batches, key, budget and probe.

use crate::fixture::{DIMENSIONS, EndpointFixture, reason};
use embed::{Calibration, Embedder, normalise};
use embed_endpoint::{DailyBudget, KeySource};
use testkit::fake_endpoint::{byte_counts, embedding_response};

fn unit(text: &str) -> Vec<f32> {
    let mut vector = byte_counts(text, DIMENSIONS);
    normalise(&mut vector);
    vector
}

#[test]
fn every_text_gets_its_own_vector_at_length_one_and_in_order() {
    let server = EndpointFixture::working();
    let embedder = server.embedder(|_| {});
    let embeddings = embedder.embed(&["one", "two", "three"]).unwrap();
    let embeddings: Vec<_> = embeddings.into_iter().map(|embedding| embedding.windows).collect();
    assert_eq!(embeddings, [vec![unit("one")], vec![unit("two")], vec![unit("three")]]);
    assert!(
        server.requests().iter().all(|asked| asked.model == "tiny" && asked.dimensions.is_none())
    );
}

#[test]
fn the_probe_finds_the_dimensions_and_is_saved_for_the_next_process() {
    let server = EndpointFixture::working();
    let embedder = server.embedder(|_| {});
    assert_eq!(embedder.model().dimensions, 0);
    embedder.embed(&["one"]).unwrap();
    assert_eq!(embedder.model().dimensions, DIMENSIONS);
    assert_ne!(embedder.calibration(), Calibration::BUNDLED);
    let requests = server.requests().len();
    let next = server.embedder(|_| {});
    assert_eq!((next.model(), next.calibration()), (embedder.model(), embedder.calibration()));
    next.embed(&["two"]).unwrap();
    assert_eq!(server.requests().len(), requests + 1, "the probe is not repeated");
}

#[test]
fn questions_and_texts_have_their_own_prefixes() {
    let server = EndpointFixture::working();
    let embedder = server.embedder(|settings| {
        settings.query_prefix = "query: ".into();
        settings.document_prefix = "passage: ".into();
    });
    embedder.embed(&["a text"]).unwrap();
    embedder.embed_question("a question").unwrap();
    assert_eq!(server.sent_texts(), ["passage: a text", "query: a question"]);
}

#[test]
fn many_texts_are_sent_in_batches_and_long_ones_in_windows() {
    let server = EndpointFixture::working();
    let embedder = server.embedder(|settings| settings.batch = 4);
    let long = "word ".repeat(100);
    let texts = vec![long.as_str(); 3];
    let embeddings = embedder.embed(&texts).unwrap();
    assert!(embeddings.iter().all(|embedding| embedding.windows.len() == 3));
    assert!(server.requests().iter().all(|asked| asked.input.len() <= 4));
    assert!(server.sent_texts().iter().all(|text| text.len() <= 200));
    assert_eq!(server.sent_texts().len(), 9);
}

#[test]
fn the_key_is_shown_to_the_endpoint_and_to_nobody_else() {
    let server = EndpointFixture::with_handler(|asked, _| {
        let shown = asked.headers.get("authorization").and_then(|value| value.to_str().ok());
        if shown == Some("Bearer sk-very-secret") {
            embedding_response(asked, DIMENSIONS)
        } else {
            unauthorised()
        }
    });
    let file = server.temp_path("key");
    std::fs::write(&file, "sk-very-secret\n").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let embedder = server.embedder(|settings| settings.key = KeySource::File(file.clone()));
    embedder.embed(&["one"]).unwrap();
    assert!(!format!("{embedder:?}").contains("secret"));

    std::fs::write(&file, "sk-another-secret\n").unwrap();
    let refused = reason(embedder.embed(&["one"]).unwrap_err());
    assert!(refused.contains("401 (invalid_api_key)") && refused.contains("key_file"), "{refused}");
    assert!(!refused.contains("secret"), "{refused}");
}

fn unauthorised() -> axum::response::Response {
    use axum::response::IntoResponse;
    let body =
        r#"{"error": {"message": "wrong key sk-another-secret", "code": "invalid_api_key"}}"#;
    (axum::http::StatusCode::UNAUTHORIZED, body).into_response()
}

#[test]
fn the_budget_counts_reported_tokens_and_stops_further_requests() {
    let server = EndpointFixture::working();
    let limited = |settings: &mut embed_endpoint::EndpointSettings| {
        settings.budget = DailyBudget { tokens_per_day: None, texts_per_day: Some(26) };
    };
    let embedder = server.embedder(limited);
    embedder.embed(&["one"]).unwrap();
    let spent = embedder.spending();
    assert_eq!((spent.texts, spent.tokens), (25, 75));
    let next = server.embedder(limited);
    next.embed(&["two"]).unwrap();
    let requests = server.requests().len();
    let refused = reason(next.embed(&["three"]).unwrap_err());
    assert!(refused.contains("26 texts per day is exhausted"), "{refused}");
    assert_eq!(server.requests().len(), requests, "nothing leaves the machine past the budget");
    assert_eq!(next.spending().texts, 26);
}

#[test]
fn configured_dimensions_are_requested() {
    let server = EndpointFixture::with_handler(|asked, _| {
        embedding_response(asked, asked.dimensions.unwrap_or(DIMENSIONS))
    });
    let embedder = server.embedder(|settings| settings.dimensions = Some(4));
    assert_eq!(embedder.embed(&["one"]).unwrap()[0].windows[0].len(), 4);
    assert!(embedder.model().id.ends_with("#4"), "{}", embedder.model().id);
}
