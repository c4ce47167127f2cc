//! An endpoint on loopback with the place and the settings of its owner.

use axum::response::Response;
use embed::EmbedError;
use embed_endpoint::{Budget, Endpoint, KeySource, PlainHttp, Settings};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;
use testkit::endpoint::{Asked, FakeEndpoint};

/// How many numbers the vectors have unless a test says otherwise.
pub const DIMENSIONS: usize = 8;

/// An endpoint and the machine of its owner.
pub struct Server {
    endpoint: FakeEndpoint,
    directory: TempDir,
}

impl Server {
    /// An endpoint that does this with the n-th request, counted from 0.
    pub fn that(does: impl Fn(&Asked, usize) -> Response + Send + Sync + 'static) -> Self {
        Self { endpoint: FakeEndpoint::that(does), directory: tempfile::tempdir().unwrap() }
    }

    /// An endpoint that answers as it should.
    pub fn good() -> Self {
        Self { endpoint: FakeEndpoint::good(DIMENSIONS), directory: tempfile::tempdir().unwrap() }
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.endpoint.asked()
    }

    /// The texts that it was asked for after the introduction.
    pub fn texts(&self) -> Vec<String> {
        self.asked().into_iter().flat_map(|asked| asked.input).skip(24).collect()
    }

    /// A place beside it that is gone when the test is over.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The settings of its owner.
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

    /// An embedder that asks it.
    pub fn embedder(&self, edit: impl FnOnce(&mut Settings)) -> Endpoint {
        let mut settings = self.settings();
        edit(&mut settings);
        Endpoint::new(settings).unwrap()
    }
}

/// Why there are no vectors.
pub fn reason(error: EmbedError) -> String {
    match error {
        EmbedError::Unavailable { reason, .. } => reason,
        other => other.to_string(),
    }
}
