//! Test fixture: a fake endpoint on loopback with a temporary directory and settings.

use axum::response::Response;
use embed::EmbedError;
use embed_endpoint::{DailyBudget, EndpointEmbedder, EndpointSettings, KeySource, PlainHttp};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;
use testkit::fake_endpoint::{FakeEndpoint, RecordedRequest};

/// Dimensions of the vectors unless a test sets others.
pub const DIMENSIONS: usize = 8;

/// A fake endpoint and a temporary directory.
pub struct EndpointFixture {
    endpoint: FakeEndpoint,
    directory: TempDir,
}

impl EndpointFixture {
    /// Starts an endpoint that calls `does` with each request and its number, counted from 0.
    pub fn with_handler(
        does: impl Fn(&RecordedRequest, usize) -> Response + Send + Sync + 'static,
    ) -> Self {
        Self { endpoint: FakeEndpoint::with_handler(does), directory: tempfile::tempdir().unwrap() }
    }

    /// Starts an endpoint that answers correctly.
    pub fn working() -> Self {
        Self {
            endpoint: FakeEndpoint::working(DIMENSIONS),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// Returns the requests received so far.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.endpoint.requests()
    }

    /// Returns the texts received after the probe.
    pub fn sent_texts(&self) -> Vec<String> {
        self.requests().into_iter().flat_map(|asked| asked.input).skip(24).collect()
    }

    /// Returns a path in the temporary directory.
    pub fn temp_path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns settings for this endpoint.
    pub fn settings(&self) -> EndpointSettings {
        EndpointSettings {
            url: self.endpoint.url(),
            model: "tiny".into(),
            key: KeySource::None,
            timeout: Duration::from_secs(5),
            batch: 32,
            window_chars: 200,
            budget: DailyBudget::default(),
            dimensions: None,
            revision: None,
            query_prefix: String::new(),
            document_prefix: String::new(),
            plain_http: PlainHttp::LoopbackOnly,
            usage_file: self.temp_path("embedder.json"),
        }
    }

    /// Creates an embedder for this endpoint.
    pub fn embedder(&self, edit: impl FnOnce(&mut EndpointSettings)) -> EndpointEmbedder {
        let mut settings = self.settings();
        edit(&mut settings);
        EndpointEmbedder::new(settings).unwrap()
    }
}

/// Returns the reason of an error.
pub fn reason(error: EmbedError) -> String {
    match error {
        EmbedError::Unavailable { reason, .. } => reason,
        other => other.to_string(),
    }
}
