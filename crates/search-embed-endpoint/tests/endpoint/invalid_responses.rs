//! Endpoints whose response does not match the request: nothing of it is used.

use crate::fixture::{DIMENSIONS, EndpointFixture, reason};
use axum::response::Response;
use embed::Embedder;
use serde_json::{Value, json};
use testkit::fake_endpoint::{embedding_response, json_response};

/// Returns the error of a second request to an endpoint that answered the first one correctly.
fn reason_of_second(answer: impl Fn(usize) -> Response + Send + Sync + 'static) -> String {
    let server = EndpointFixture::with_handler(move |asked, nth| {
        if nth == 0 { embedding_response(asked, DIMENSIONS) } else { answer(asked.input.len()) }
    });
    reason(server.embedder(|_| {}).embed(&["one", "two"]).unwrap_err())
}

fn response_of(vectors: &[Value]) -> Response {
    let data: Vec<Value> = vectors.iter().map(|vector| json!({ "embedding": vector })).collect();
    json_response(&json!({ "data": data }))
}

#[test]
fn vectors_of_another_length_than_before_are_rejected_with_advice() {
    let refused = reason_of_second(|_| response_of(&[json!([1, 2, 3]), json!([1, 2, 3])]));
    assert!(
        refused.contains("3 dimensions and had 8 before") && refused.contains("revision"),
        "{refused}"
    );
}

#[test]
fn too_few_vectors_are_rejected() {
    let refused = reason_of_second(|_| response_of(&[json!([1, 2, 3, 4, 5, 6, 7, 8])]));
    assert!(refused.contains("1 vectors for 2 texts"), "{refused}");
}

#[test]
fn values_that_are_not_finite_are_rejected() {
    let refused = reason_of_second(|_| {
        response_of(&[json!([1, 2, 3, 4, 5, 6, 7, null]), json!([1, 2, 3, 4, 5, 6, 7, 8])])
    });
    assert!(refused.contains("not that of an embeddings endpoint"), "{refused}");
    let refused = reason_of_second(|_| {
        response_of(&[json!([1, 2, 3, 4, 5, 6, 7, 1e300]), json!([1, 2, 3, 4, 5, 6, 7, 8])])
    });
    assert!(refused.contains("not finite"), "{refused}");
}

#[test]
fn a_response_of_another_kind_is_rejected() {
    let refused = reason_of_second(|_| json_response(&json!("<html>hello</html>")));
    assert!(refused.contains("not that of an embeddings endpoint"), "{refused}");
}

#[test]
fn an_overlong_response_is_rejected() {
    let refused = reason_of_second(|_| json_response(&json!({ "data": "x".repeat(2 << 20) })));
    assert!(refused.contains("too long"), "{refused}");
}

#[test]
fn other_dimensions_than_requested_are_rejected_before_anything_is_saved() {
    let server = EndpointFixture::working();
    let embedder = server.embedder(|settings| settings.dimensions = Some(4));
    let refused = reason(embedder.embed(&["one"]).unwrap_err());
    assert!(refused.contains("8 dimensions where 4 were requested"), "{refused}");
}
