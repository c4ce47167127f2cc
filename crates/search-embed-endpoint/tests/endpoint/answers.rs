//! A working endpoint: order of the vectors, prefixes, windows, batches, key, budget and probe.

use crate::server::{DIMENSIONS, Server, reason};
use embed::{Calibration, Embedder, normalise};
use embed_endpoint::{Budget, KeySource};
use testkit::endpoint::{vector, vectors};

fn unit(text: &str) -> Vec<f32> {
    let mut vector = vector(text, DIMENSIONS);
    normalise(&mut vector);
    vector
}

#[test]
fn every_text_gets_its_own_vector_at_length_one_and_in_order() {
    let server = Server::good();
    let embedder = server.embedder(|_| {});
    let embeddings = embedder.embed(&["one", "two", "three"]).unwrap();
    let embeddings: Vec<_> = embeddings.into_iter().map(|embedding| embedding.windows).collect();
    assert_eq!(embeddings, [vec![unit("one")], vec![unit("two")], vec![unit("three")]]);
    assert!(server.asked().iter().all(|asked| asked.model == "tiny" && asked.dimensions.is_none()));
}

#[test]
fn the_dimension_is_learned_from_the_first_answer_and_known_to_the_next_process() {
    let server = Server::good();
    let embedder = server.embedder(|_| {});
    assert_eq!(embedder.model().dimensions, 0);
    embedder.embed(&["one"]).unwrap();
    assert_eq!(embedder.model().dimensions, DIMENSIONS);
    assert_ne!(embedder.calibration(), Calibration::BUNDLED);
    let requests = server.asked().len();
    let next = server.embedder(|_| {});
    assert_eq!((next.model(), next.calibration()), (embedder.model(), embedder.calibration()));
    next.embed(&["two"]).unwrap();
    assert_eq!(server.asked().len(), requests + 1, "the probe is not repeated");
}

#[test]
fn questions_and_texts_have_their_own_prefixes() {
    let server = Server::good();
    let embedder = server.embedder(|settings| {
        settings.query_prefix = "query: ".into();
        settings.document_prefix = "passage: ".into();
    });
    embedder.embed(&["a text"]).unwrap();
    embedder.embed_question("a question").unwrap();
    assert_eq!(server.texts(), ["passage: a text", "query: a question"]);
}

#[test]
fn many_texts_go_out_in_batches_and_long_ones_in_windows() {
    let server = Server::good();
    let embedder = server.embedder(|settings| settings.batch = 4);
    let long = "word ".repeat(100);
    let texts = vec![long.as_str(); 3];
    let embeddings = embedder.embed(&texts).unwrap();
    assert!(embeddings.iter().all(|embedding| embedding.windows.len() == 3));
    assert!(server.asked().iter().all(|asked| asked.input.len() <= 4));
    assert!(server.texts().iter().all(|text| text.len() <= 200));
    assert_eq!(server.texts().len(), 9);
}

#[test]
fn the_key_is_shown_to_the_endpoint_and_to_nobody_else() {
    let server = Server::that(|asked, _| {
        let shown = asked.headers.get("authorization").and_then(|value| value.to_str().ok());
        if shown == Some("Bearer sk-very-secret") {
            vectors(asked, DIMENSIONS)
        } else {
            unauthorised()
        }
    });
    let file = server.path("key");
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
fn the_budget_counts_what_the_endpoint_says_and_ends_the_asking() {
    let server = Server::good();
    let limited = |settings: &mut embed_endpoint::Settings| {
        settings.budget = Budget { tokens_per_day: None, texts_per_day: Some(26) };
    };
    let embedder = server.embedder(limited);
    embedder.embed(&["one"]).unwrap();
    let spent = embedder.spending();
    assert_eq!((spent.texts, spent.tokens), (25, 75));
    let next = server.embedder(limited);
    next.embed(&["two"]).unwrap();
    let requests = server.asked().len();
    let refused = reason(next.embed(&["three"]).unwrap_err());
    assert!(refused.contains("26 texts per day is exhausted"), "{refused}");
    assert_eq!(server.asked().len(), requests, "nothing leaves the machine past the budget");
    assert_eq!(next.spending().texts, 26);
}

#[test]
fn dimensions_that_are_set_are_asked_for() {
    let server = Server::that(|asked, _| vectors(asked, asked.dimensions.unwrap_or(DIMENSIONS)));
    let embedder = server.embedder(|settings| settings.dimensions = Some(4));
    assert_eq!(embedder.embed(&["one"]).unwrap()[0].windows[0].len(), 4);
    assert!(embedder.model().id.ends_with("#4"), "{}", embedder.model().id);
}
