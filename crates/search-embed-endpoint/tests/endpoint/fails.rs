//! Endpoints that are down, slow or overloaded: retries where they help, the circuit breaker where
//! they do not, and always an error with advice.

use crate::server::{DIMENSIONS, Server, reason};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use embed::Embedder;
use std::time::Duration;
use testkit::endpoint::{failed, vectors};

#[test]
fn what_passes_is_tried_again() {
    for status in [429, 500, 502, 503] {
        let server =
            Server::that(
                move |asked, nth| {
                    if nth % 2 == 0 { failed(status) } else { vectors(asked, DIMENSIONS) }
                },
            );
        server.embedder(|_| {}).embed(&["one"]).unwrap();
        assert_eq!(server.asked().len(), 4, "{status}: the probe and the text, each twice");
    }
}

#[test]
fn what_lasts_is_not_tried_again_and_says_what_to_do() {
    for (status, advice) in
        [(401, "key_env"), (403, "key_file"), (404, "model"), (307, "url"), (418, "url")]
    {
        let server = Server::that(move |_, _| failed(status));
        let refused = reason(server.embedder(|_| {}).embed(&["one"]).unwrap_err());
        assert!(refused.contains(&status.to_string()) && refused.contains(advice), "{refused}");
        assert_eq!(server.asked().len(), 1, "{status}");
    }
}

#[test]
fn no_redirect_is_followed() {
    let elsewhere = Server::good();
    let target = format!("{}/embeddings", elsewhere.settings().url);
    let server = Server::that(move |_, _| {
        (StatusCode::TEMPORARY_REDIRECT, [("location", target.clone())]).into_response()
    });
    let refused = reason(server.embedder(|_| {}).embed(&["one"]).unwrap_err());
    assert!(refused.contains("never followed"), "{refused}");
    assert!(elsewhere.asked().is_empty());
}

#[test]
fn an_endpoint_that_asks_for_more_time_than_there_is_is_left_alone() {
    let server = Server::that(|_, _| {
        (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "600")]).into_response()
    });
    let embedder = server.embedder(|_| {});
    let refused = reason(embedder.embed(&["one"]).unwrap_err());
    assert!(refused.contains("429"), "{refused}");
    let again = reason(embedder.embed_question("one").unwrap_err());
    assert!(again.contains("429") && again.contains("next attempt in"), "{again}");
    assert_eq!(server.asked().len(), 1, "no request is sent while the breaker is open");
}

#[test]
fn a_slow_endpoint_is_not_waited_for_longer_than_the_timeout() {
    let server = Server::that(|asked, _| {
        std::thread::sleep(Duration::from_secs(3));
        vectors(asked, DIMENSIONS)
    });
    let embedder = server.embedder(|settings| settings.timeout = Duration::from_secs(1));
    let refused = reason(embedder.embed(&["one"]).unwrap_err());
    assert!(refused.contains("within 1 s") && refused.contains("timeout_seconds"), "{refused}");
}

#[test]
fn nobody_there_says_so() {
    let server = Server::good();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let embedder = server.embedder(|settings| {
        settings.url = format!("http://127.0.0.1:{port}/v1");
        settings.timeout = Duration::from_secs(1);
    });
    let refused = reason(embedder.embed(&["one"]).unwrap_err());
    assert!(refused.contains("is it running?"), "{refused}");
}

#[test]
fn what_failed_costs_nothing() {
    let server = Server::that(|_, _| failed(404));
    let embedder = server.embedder(|_| {});
    embedder.embed(&["one"]).unwrap_err();
    assert_eq!((embedder.spending().texts, embedder.spending().tokens), (0, 0));
}

#[test]
fn a_text_that_the_endpoint_does_not_take_does_not_keep_the_others_from_theirs() {
    let server = Server::that(|asked, _| {
        let bad = asked.input.iter().any(|text| text.contains("poison"));
        if bad { failed(400) } else { vectors(asked, DIMENSIONS) }
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
fn an_endpoint_that_takes_no_text_at_all_is_an_error_and_no_zeros() {
    let server = Server::that(|_, _| failed(400));
    let refused = reason(server.embedder(|_| {}).embed(&["one"]).unwrap_err());
    assert!(refused.contains("check model"), "{refused}");
}
