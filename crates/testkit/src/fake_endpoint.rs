//! A fake embedding endpoint on loopback, with a handler that the test provides. It records every
//! request.

#![expect(clippy::unwrap_used, reason = "a failing fixture fails the test")]

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::runtime::Runtime;

/// Maximum size of a request body.
const REQUEST_BYTES: usize = 1 << 24;

/// A received request.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    pub headers: HeaderMap,
    pub model: String,
    /// Texts to embed.
    pub input: Vec<String>,
    /// Requested length of the vectors.
    pub dimensions: Option<usize>,
}

type RequestHandler = dyn Fn(&RecordedRequest, usize) -> Response + Send + Sync;

/// An endpoint that listens until it is dropped.
pub struct FakeEndpoint {
    runtime: Option<Runtime>,
    port: u16,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
}

#[derive(Clone)]
struct EndpointState {
    handler: Arc<RequestHandler>,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
}

impl FakeEndpoint {
    /// Starts an endpoint that answers the n-th request, counted from 0, with this handler.
    pub fn with_handler(
        handler: impl Fn(&RecordedRequest, usize) -> Response + Send + Sync + 'static,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let state = EndpointState { handler: Arc::new(handler), requests: Arc::clone(&requests) };
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let router = Router::new().fallback(handle).with_state(state);
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { runtime: Some(runtime), port, requests }
    }

    /// Starts an endpoint that answers every request with vectors of this length.
    pub fn working(dimensions: usize) -> Self {
        Self::with_handler(move |request, _| embedding_response(request, dimensions))
    }

    /// Returns the base URL, to which a client appends `/embeddings`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Returns the requests received so far.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().clone()
    }
}

impl Drop for FakeEndpoint {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn handle(State(state): State<EndpointState>, request: Request) -> Response {
    let (headers, path) = (request.headers().clone(), request.uri().path().to_owned());
    let body = axum::body::to_bytes(request.into_body(), REQUEST_BYTES).await.unwrap();
    if path != "/v1/embeddings" {
        return StatusCode::NOT_FOUND.into_response();
    }
    let recorded = parse_request(headers, &serde_json::from_slice(&body).unwrap());
    let nth = {
        let mut all = state.requests.lock();
        all.push(recorded.clone());
        all.len() - 1
    };
    // A handler may sleep to simulate a slow endpoint, which must not block the event loop.
    tokio::task::spawn_blocking(move || (state.handler)(&recorded, nth)).await.unwrap()
}

fn parse_request(headers: HeaderMap, body: &Value) -> RecordedRequest {
    let input = body["input"].as_array().unwrap().iter();
    RecordedRequest {
        headers,
        model: body["model"].as_str().unwrap().to_owned(),
        input: input.map(|text| text.as_str().unwrap().to_owned()).collect(),
        dimensions: body["dimensions"].as_u64().map(|dimensions| dimensions as usize),
    }
}

/// Returns a valid response, with three tokens of usage per text.
pub fn embedding_response(request: &RecordedRequest, dimensions: usize) -> Response {
    let one = |(index, text): (usize, &String)| {
        let embedding = byte_counts(text, dimensions);
        json!({ "index": index, "embedding": embedding })
    };
    let data: Vec<Value> = request.input.iter().enumerate().map(one).collect();
    let tokens = 3 * request.input.len();
    let usage = json!({ "prompt_tokens": tokens, "total_tokens": tokens });
    json_response(&json!({ "data": data, "usage": usage }))
}

/// Returns a response with status 200 and this body.
pub fn json_response(value: &Value) -> Response {
    (StatusCode::OK, value.to_string()).into_response()
}

/// Returns an empty response with this status.
pub fn error_response(status: u16) -> Response {
    StatusCode::from_u16(status).unwrap().into_response()
}

/// Returns the vector of a text, not normalised: counts of its bytes modulo the dimensions.
pub fn byte_counts(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dimensions];
    text.bytes().for_each(|byte| vector[usize::from(byte) % dimensions] += 1.0);
    vector
}
