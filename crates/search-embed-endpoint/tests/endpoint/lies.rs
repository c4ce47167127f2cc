//! Endpoints whose response does not match the request: nothing of it is used.

use crate::server::{DIMENSIONS, Server, reason};
use axum::response::Response;
use embed::Embedder;
use serde_json::{Value, json};
use testkit::endpoint::{answered, vectors};

/// Returns the error of a second request to an endpoint that answered the first one correctly.
fn second(answer: impl Fn(usize) -> Response + Send + Sync + 'static) -> String {
    let server =
        Server::that(
            move |asked, nth| {
                if nth == 0 { vectors(asked, DIMENSIONS) } else { answer(asked.input.len()) }
            },
        );
    reason(server.embedder(|_| {}).embed(&["one", "two"]).unwrap_err())
}

fn told(vectors: &[Value]) -> Response {
    let data: Vec<Value> = vectors.iter().map(|vector| json!({ "embedding": vector })).collect();
    answered(&json!({ "data": data }))
}

#[test]
fn vectors_of_another_length_than_before_are_refused_with_what_to_do() {
    let refused = second(|_| told(&[json!([1, 2, 3]), json!([1, 2, 3])]));
    assert!(
        refused.contains("3 dimensions and had 8 before") && refused.contains("revision"),
        "{refused}"
    );
}

#[test]
fn too_few_vectors_are_refused() {
    let refused = second(|_| told(&[json!([1, 2, 3, 4, 5, 6, 7, 8])]));
    assert!(refused.contains("1 vectors for 2 texts"), "{refused}");
}

#[test]
fn what_is_no_number_is_refused() {
    let refused =
        second(|_| told(&[json!([1, 2, 3, 4, 5, 6, 7, null]), json!([1, 2, 3, 4, 5, 6, 7, 8])]));
    assert!(refused.contains("not that of an embeddings endpoint"), "{refused}");
    let refused =
        second(|_| told(&[json!([1, 2, 3, 4, 5, 6, 7, 1e300]), json!([1, 2, 3, 4, 5, 6, 7, 8])]));
    assert!(refused.contains("not finite"), "{refused}");
}

#[test]
fn an_answer_of_another_kind_is_refused() {
    let refused = second(|_| answered(&json!("<html>hello</html>")));
    assert!(refused.contains("not that of an embeddings endpoint"), "{refused}");
}

#[test]
fn an_answer_without_end_is_cut_off() {
    let refused = second(|_| answered(&json!({ "data": "x".repeat(2 << 20) })));
    assert!(refused.contains("too long"), "{refused}");
}

#[test]
fn other_dimensions_than_asked_for_are_refused_before_anything_is_kept() {
    let server = Server::good();
    let embedder = server.embedder(|settings| settings.dimensions = Some(4));
    let refused = reason(embedder.embed(&["one"]).unwrap_err());
    assert!(refused.contains("8 dimensions where 4 were requested"), "{refused}");
}
