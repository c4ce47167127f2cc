//! Settings of an endpoint, and the validation that prevents texts and keys from going to the wrong
//! place.

use crate::{DailyBudget, KeySource};
use model::{VectorModel, limits};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use ureq::http::Uri;

/// Configuration of an endpoint.
#[derive(Debug, Clone)]
pub struct EndpointSettings {
    /// Base address, to which `/embeddings` is appended, as in `http://127.0.0.1:11434/v1`.
    pub url: String,
    /// Name of the model at the endpoint.
    pub model: String,
    pub key: KeySource,
    /// Timeout of one request including all retries.
    pub timeout: Duration,
    /// Maximum number of texts per request.
    pub batch: usize,
    /// Maximum number of characters per vector; a longer text gets several.
    pub window_chars: usize,
    pub budget: DailyBudget,
    /// Dimensions to request, for models that support it; otherwise the first response decides.
    pub dimensions: Option<usize>,
    /// Arbitrary label of the model's version. A changed value has everything embedded again, for a
    /// new model under an old name.
    pub revision: Option<String>,
    /// Prefix that the model expects before a question.
    pub query_prefix: String,
    /// Prefix that the model expects before a stored text.
    pub document_prefix: String,
    /// Permission to send texts and key unencrypted.
    pub plain_http: PlainHttp,
    /// File for usage and probe results, shared by all processes.
    pub usage_file: PathBuf,
}

/// Permission for unencrypted requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainHttp {
    /// Only within this machine.
    LoopbackOnly,
    /// To any host: the owner trusts the network in between.
    Allowed,
}

/// Error for invalid settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The address is invalid or not allowed.
    #[error("url: {0}")]
    Url(&'static str),
    /// A number is out of range.
    #[error("{name} must be between {low} and {high}")]
    Range { name: &'static str, low: u64, high: u64 },
    #[error("model: name the model that the endpoint should use")]
    NoModel,
}

impl EndpointSettings {
    /// Validates the settings. Returns the request address and the model of the vectors, whose
    /// dimensions are 0 unless they are set.
    pub(crate) fn validate(&self) -> Result<(String, VectorModel), SettingsError> {
        let host = validated_host(&self.url, self.plain_http)?;
        if self.model.trim().is_empty() {
            return Err(SettingsError::NoModel);
        }
        check_range(
            "timeout_seconds",
            self.timeout.as_secs(),
            1,
            limits::ENDPOINT_TIMEOUT_SECONDS,
        )?;
        check_range("batch", self.batch as u64, 1, limits::ENDPOINT_BATCH as u64)?;
        check_range("window_chars", self.window_chars as u64, 100, limits::TEXT_BYTES as u64)?;
        let dimensions = self.dimensions.unwrap_or(0);
        if self.dimensions.is_some() {
            check_range("dimensions", dimensions as u64, 1, limits::VECTOR_DIMENSIONS as u64)?;
        }
        let url = format!("{}/embeddings", self.url.trim_end_matches('/'));
        Ok((url, VectorModel { id: self.model_id(&host), dimensions }))
    }

    /// Returns the model id: everything that influences the vectors. The query prefix is not part
    /// of it, since it does not change stored vectors.
    fn model_id(&self, host: &str) -> String {
        let mut id = format!("{}@{host}", self.model.trim());
        if let Some(dimensions) = self.dimensions {
            id.push_str(&format!("#{dimensions}"));
        }
        if let Some(revision) = &self.revision {
            id.push_str(&format!("~{revision}"));
        }
        if !self.document_prefix.is_empty() {
            let digest = Sha256::digest(self.document_prefix.as_bytes());
            id.extend(std::iter::once('+').chain(digest.iter().take(4).flat_map(hex)));
        }
        id
    }
}

fn hex(byte: &u8) -> Vec<char> {
    format!("{byte:02x}").chars().collect()
}

fn check_range(name: &'static str, value: u64, low: u64, high: u64) -> Result<(), SettingsError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(SettingsError::Range { name, low, high })
    }
}

/// Validates the address and returns host and port.
fn validated_host(url: &str, plain_http: PlainHttp) -> Result<String, SettingsError> {
    let refused = |why| Err(SettingsError::Url(why));
    let Ok(uri) = url.parse::<Uri>() else {
        return refused("it is not a valid address; write it as https://host/v1");
    };
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return refused("it must start with https:// or http:// and contain a host");
    };
    if authority.as_str().contains('@') {
        return refused(
            "it must not contain a user name or password; use key_env or key_file for the key",
        );
    }
    if uri.query().is_some() {
        return refused("it must not contain `?`; `/embeddings` is appended to it");
    }
    match scheme {
        "https" => {}
        "http" if plain_http == PlainHttp::Allowed || is_loopback(authority.host()) => {}
        "http" => {
            return refused(
                "plain http would expose every text and the key on the network; use https, or set \
                 allow_plain_http = true if you trust the network",
            );
        }
        _ => return refused("only https and http are supported"),
    }
    Ok(authority.as_str().to_owned())
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str) -> EndpointSettings {
        EndpointSettings {
            url: url.into(),
            model: "m".into(),
            key: KeySource::None,
            timeout: Duration::from_secs(1),
            batch: 32,
            window_chars: 2_000,
            budget: DailyBudget::default(),
            dimensions: None,
            revision: None,
            query_prefix: String::new(),
            document_prefix: String::new(),
            plain_http: PlainHttp::LoopbackOnly,
            usage_file: PathBuf::new(),
        }
    }

    #[test]
    fn plain_http_is_limited_to_loopback_unless_allowed() {
        for url in [
            "http://127.0.0.1:11434/v1",
            "http://localhost/v1",
            "http://[::1]:80/v1",
            "https://a.example",
        ] {
            assert!(settings(url).validate().is_ok(), "{url}");
        }
        for url in ["http://a.example/v1", "http://10.0.0.7/v1", "http://localhost.a.example/v1"] {
            assert!(
                settings(url).validate().unwrap_err().to_string().contains("allow_plain_http"),
                "{url}"
            );
        }
        let trusted =
            EndpointSettings { plain_http: PlainHttp::Allowed, ..settings("http://10.0.0.7/v1") };
        assert!(trusted.validate().is_ok());
    }

    #[test]
    fn an_address_with_a_secret_or_of_the_wrong_form_is_rejected() {
        for url in [
            "https://me:secret@a.example/v1",
            "https://a.example/v1?key=1",
            "ftp://a.example",
            "a.example",
            "",
        ] {
            assert!(matches!(settings(url).validate(), Err(SettingsError::Url(_))), "{url}");
        }
    }

    #[test]
    fn the_model_id_changes_exactly_when_the_vectors_do() {
        let id = |edit: fn(&mut EndpointSettings)| {
            let mut settings = settings("https://a.example/v1/");
            edit(&mut settings);
            settings.validate().unwrap().1.id
        };
        assert_eq!(id(|_| {}), "m@a.example");
        assert_eq!(id(|one| one.dimensions = Some(256)), "m@a.example#256");
        assert_eq!(id(|one| one.revision = Some("2".into())), "m@a.example~2");
        assert!(id(|one| one.document_prefix = "passage: ".into()).starts_with("m@a.example+"));
        assert_eq!(id(|one| one.query_prefix = "query: ".into()), "m@a.example");
        assert_eq!(
            settings("https://a.example/v1/").validate().unwrap().0,
            "https://a.example/v1/embeddings"
        );
    }

    #[test]
    fn values_out_of_range_are_rejected_by_name() {
        let refused =
            EndpointSettings { batch: 0, ..settings("https://a.example") }.validate().unwrap_err();
        assert!(refused.to_string().starts_with("batch must be between 1 and"), "{refused}");
        let refused =
            EndpointSettings { model: " ".into(), ..settings("https://a.example") }.validate();
        assert_eq!(refused, Err(SettingsError::NoModel));
    }
}
