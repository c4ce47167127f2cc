//! Test fixture: a fake endpoint on loopback with a temporary directory and settings.

use axum::response::Response;
use embed::EmbedError;
use embed_endpoint::{Budget, Endpoint, KeySource, PlainHttp, Settings};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;
use testkit::endpoint::{Asked, FakeEndpoint};

/// Dimensions of the vectors unless a test sets others.
pub const DIMENSIONS: usize = 8;

/// A fake endpoint and a temporary directory.
pub struct Server {
    endpoint: FakeEndpoint,
    directory: TempDir,
}

impl Server {
    /// Starts an endpoint that calls `does` with each request and its number, counted from 0.
    pub fn that(does: impl Fn(&Asked, usize) -> Response + Send + Sync + 'static) -> Self {
        Self { endpoint: FakeEndpoint::that(does), directory: tempfile::tempdir().unwrap() }
    }

    /// Starts an endpoint that answers correctly.
    pub fn good() -> Self {
        Self { endpoint: FakeEndpoint::good(DIMENSIONS), directory: tempfile::tempdir().unwrap() }
    }

    /// Returns the requests received so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.endpoint.asked()
    }

    /// Returns the texts received after the probe.
    pub fn texts(&self) -> Vec<String> {
        self.asked().into_iter().flat_map(|asked| asked.input).skip(24).collect()
    }

    /// Returns a path in the temporary directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns settings for this endpoint.
    pub fn settings(&self) -> Settings {
        Settings {
            url: self.endpoint.url(),
            model: "tiny".into(),
            key: KeySource::None,
            timeout: Duration::from_secs(5),
            batch: 32,
            window_chars: 200,
            budget: Budget::default(),
            dimensions: None,
            revision: None,
            query_prefix: String::new(),
            document_prefix: String::new(),
            plain_http: PlainHttp::LoopbackOnly,
            ledger: self.path("embedder.json"),
        }
    }

    /// Creates an embedder for this endpoint.
    pub fn embedder(&self, edit: impl FnOnce(&mut Settings)) -> Endpoint {
        let mut settings = self.settings();
        edit(&mut settings);
        Endpoint::new(settings).unwrap()
    }
}

/// Returns the reason of an error.
pub fn reason(error: EmbedError) -> String {
    match error {
        EmbedError::Unavailable { reason, .. } => reason,
        other => other.to_string(),
    }
}
