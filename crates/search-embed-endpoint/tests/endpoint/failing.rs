//! Endpoints that are down, slow or overloaded: retries where they help, the circuit breaker where
//! they do not, and always an error with advice.

use crate::fixture::{DIMENSIONS, EndpointFixture, reason};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use embed::Embedder;
use std::time::Duration;
use testkit::fake_endpoint::{embedding_response, error_response};

#[test]
fn transient_faults_are_retried() {
    for status in [429, 500, 502, 503] {
        let server = EndpointFixture::with_handler(move |asked, nth| {
            if nth % 2 == 0 {
                error_response(status)
            } else {
                embedding_response(asked, DIMENSIONS)
            }
        });
        server.embedder(|_| {}).embed(&["one"]).unwrap();
        assert_eq!(server.requests().len(), 4, "{status}: the probe and the text, each twice");
    }
}

#[test]
fn permanent_faults_are_not_retried_and_come_with_advice() {
    for (status, advice) in
        [(401, "key_env"), (403, "key_file"), (404, "model"), (307, "url"), (418, "url")]
    {
        let server = EndpointFixture::with_handler(move |_, _| error_response(status));
        let refused = reason(server.embedder(|_| {}).embed(&["one"]).unwrap_err());
        assert!(refused.contains(&status.to_string()) && refused.contains(advice), "{refused}");
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[test]
fn no_redirect_is_followed() {
    let elsewhere = EndpointFixture::working();
    let target = format!("{}/embeddings", elsewhere.settings().url);
    let server = EndpointFixture::with_handler(move |_, _| {
        (StatusCode::TEMPORARY_REDIRECT, [("location", target.clone())]).into_response()
    });
    let refused = reason(server.embedder(|_| {}).embed(&["one"]).unwrap_err());
    assert!(refused.contains("never followed"), "{refused}");
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn a_retry_after_beyond_the_timeout_opens_the_circuit_breaker() {
    let server = EndpointFixture::with_handler(|_, _| {
        (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "600")]).into_response()
    });
    let embedder = server.embedder(|_| {});
    let refused = reason(embedder.embed(&["one"]).unwrap_err());
    assert!(refused.contains("429"), "{refused}");
    let again = reason(embedder.embed_question("one").unwrap_err());
    assert!(again.contains("429") && again.contains("next attempt in"), "{again}");
    assert_eq!(server.requests().len(), 1, "no request is sent while the breaker is open");
}

#[test]
fn a_slow_endpoint_is_not_waited_for_longer_than_the_timeout() {
    let server = EndpointFixture::with_handler(|asked, _| {
        std::thread::sleep(Duration::from_secs(3));
        embedding_response(asked, DIMENSIONS)
    });
    let embedder = server.embedder(|settings| settings.timeout = Duration::from_secs(1));
    let refused = reason(embedder.embed(&["one"]).unwrap_err());
    assert!(refused.contains("within 1 s") && refused.contains("timeout_seconds"), "{refused}");
}

#[test]
fn an_unreachable_endpoint_is_reported() {
    let server = EndpointFixture::working();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let embedder = server.embedder(|settings| {
        settings.url = format!("http://127.0.0.1:{port}/v1");
        settings.timeout = Duration::from_secs(1);
    });
    let refused = reason(embedder.embed(&["one"]).unwrap_err());
    assert!(refused.contains("is it running?"), "{refused}");
}

#[test]
fn failed_requests_do_not_count_towards_the_budget() {
    let server = EndpointFixture::with_handler(|_, _| error_response(404));
    let embedder = server.embedder(|_| {});
    embedder.embed(&["one"]).unwrap_err();
    assert_eq!((embedder.spending().texts, embedder.spending().tokens), (0, 0));
}

#[test]
fn a_rejected_text_does_not_block_the_others() {
    let server = EndpointFixture::with_handler(|asked, _| {
        let bad = asked.input.iter().any(|text| text.contains("poison"));
        if bad { error_response(400) } else { embedding_response(asked, DIMENSIONS) }
    });
    let embeddings =
        server.embedder(|_| {}).embed(&["one", "two", "poison", "four", "five"]).unwrap();
    let lengths: Vec<f32> = embeddings
        .iter()
        .map(|one| one.windows[0].iter().map(|value| value * value).sum())
        .collect();
    assert_eq!(lengths[2], 0.0, "it has a zero vector");
    assert!(lengths.iter().enumerate().all(|(at, length)| at == 2 || (length - 1.0).abs() < 1e-4));
}

#[test]
fn an_endpoint_that_rejects_every_text_is_an_error_and_gives_no_zero_vectors() {
    let server = EndpointFixture::with_handler(|_, _| error_response(400));
    let refused = reason(server.embedder(|_| {}).embed(&["one"]).unwrap_err());
    assert!(refused.contains("check model"), "{refused}");
}
