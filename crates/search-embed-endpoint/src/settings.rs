//! What an owner says about an endpoint, and the checks that keep texts and keys from going where
//! they should not.

use crate::{Budget, KeySource};
use model::{VectorModel, limits};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use ureq::http::Uri;

/// An endpoint as its owner describes it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it is: what `/embeddings` is put behind, as in `http://127.0.0.1:11434/v1`.
    pub url: String,
    /// The model's name, as the endpoint knows it.
    pub model: String,
    /// Where the key is.
    pub key: KeySource,
    /// How long one request may take, with everything that is tried again.
    pub timeout: Duration,
    /// How many texts go into one request.
    pub batch: usize,
    /// How many characters of a text share one vector; a longer text has several.
    pub window_chars: usize,
    /// How much may be asked in a day.
    pub budget: Budget,
    /// How many numbers a vector shall have, for models that can be asked; otherwise the first
    /// answer tells.
    pub dimensions: Option<usize>,
    /// Anything else than before has everything embedded anew: for another model under the same
    /// name.
    pub revision: Option<String>,
    /// What the model wants to see before a question.
    pub query_prefix: String,
    /// What the model wants to see before a text that is kept.
    pub document_prefix: String,
    /// Whether texts and key may travel unencrypted.
    pub plain_http: PlainHttp,
    /// The file that keeps what was spent and learned, across processes.
    pub ledger: PathBuf,
}

/// How far unencrypted requests may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainHttp {
    /// Not off this machine.
    LoopbackOnly,
    /// Anywhere: the owner trusts the network in between.
    Allowed,
}

/// Settings that no endpoint can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The address cannot be used.
    #[error("url: {0}")]
    Url(&'static str),
    /// A number is too small or too large.
    #[error("{name} must lie between {low} and {high}")]
    Range {
        /// Which.
        name: &'static str,
        /// The smallest it may be.
        low: u64,
        /// The largest it may be.
        high: u64,
    },
    /// The model has no name.
    #[error("model: say which model the endpoint shall use")]
    NoModel,
}

impl Settings {
    /// The address that is asked, and the model as vectors name it; its dimensions are 0 unless
    /// they are set.
    pub(crate) fn checked(&self) -> Result<(String, VectorModel), SettingsError> {
        let host = host_of(&self.url, self.plain_http)?;
        if self.model.trim().is_empty() {
            return Err(SettingsError::NoModel);
        }
        within("timeout_seconds", self.timeout.as_secs(), 1, limits::ENDPOINT_TIMEOUT_SECONDS)?;
        within("batch", self.batch as u64, 1, limits::ENDPOINT_BATCH as u64)?;
        within("window_chars", self.window_chars as u64, 100, limits::TEXT_BYTES as u64)?;
        let dimensions = self.dimensions.unwrap_or(0);
        if self.dimensions.is_some() {
            within("dimensions", dimensions as u64, 1, limits::VECTOR_DIMENSIONS as u64)?;
        }
        let url = format!("{}/embeddings", self.url.trim_end_matches('/'));
        Ok((url, VectorModel { id: self.id(&host), dimensions }))
    }

    /// What its vectors are known by: everything that another vector would follow from.
    fn id(&self, host: &str) -> String {
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

fn within(name: &'static str, value: u64, low: u64, high: u64) -> Result<(), SettingsError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(SettingsError::Range { name, low, high })
    }
}

/// The host that is asked, with its port where one is named.
fn host_of(url: &str, plain_http: PlainHttp) -> Result<String, SettingsError> {
    let refused = |why| Err(SettingsError::Url(why));
    let Ok(uri) = url.parse::<Uri>() else {
        return refused("it is no address; write it as https://host/v1");
    };
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return refused("it must begin with https:// or http:// and name a host");
    };
    if authority.as_str().contains('@') {
        return refused(
            "it must not hold a name or a password; the key goes into key_env or key_file",
        );
    }
    if uri.query().is_some() {
        return refused("it must end before any `?`; `/embeddings` is put behind it");
    }
    match scheme {
        "https" => {}
        "http" if plain_http == PlainHttp::Allowed || is_loopback(authority.host()) => {}
        "http" => {
            return refused(
                "plain http would show every text and the key on the way to another machine; use https, or set \
                 allow_plain_http = true if you trust the network in between",
            );
        }
        _ => return refused("only https and http are spoken"),
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

    fn settings(url: &str) -> Settings {
        Settings {
            url: url.into(),
            model: "m".into(),
            key: KeySource::None,
            timeout: Duration::from_secs(1),
            batch: 32,
            window_chars: 2_000,
            budget: Budget::default(),
            dimensions: None,
            revision: None,
            query_prefix: String::new(),
            document_prefix: String::new(),
            plain_http: PlainHttp::LoopbackOnly,
            ledger: PathBuf::new(),
        }
    }

    #[test]
    fn plain_http_stays_on_this_machine_unless_the_owner_says_otherwise() {
        for url in [
            "http://127.0.0.1:11434/v1",
            "http://localhost/v1",
            "http://[::1]:80/v1",
            "https://a.example",
        ] {
            assert!(settings(url).checked().is_ok(), "{url}");
        }
        for url in ["http://a.example/v1", "http://10.0.0.7/v1", "http://localhost.a.example/v1"] {
            assert!(
                settings(url).checked().unwrap_err().to_string().contains("allow_plain_http"),
                "{url}"
            );
        }
        let trusted = Settings { plain_http: PlainHttp::Allowed, ..settings("http://10.0.0.7/v1") };
        assert!(trusted.checked().is_ok());
    }

    #[test]
    fn an_address_that_holds_a_secret_or_is_none_is_refused() {
        for url in [
            "https://me:secret@a.example/v1",
            "https://a.example/v1?key=1",
            "ftp://a.example",
            "a.example",
            "",
        ] {
            assert!(matches!(settings(url).checked(), Err(SettingsError::Url(_))), "{url}");
        }
    }

    #[test]
    fn whatever_changes_the_vectors_changes_the_name_and_nothing_else_does() {
        let id = |edit: fn(&mut Settings)| {
            let mut settings = settings("https://a.example/v1/");
            edit(&mut settings);
            settings.checked().unwrap().1.id
        };
        assert_eq!(id(|_| {}), "m@a.example");
        assert_eq!(id(|one| one.dimensions = Some(256)), "m@a.example#256");
        assert_eq!(id(|one| one.revision = Some("2".into())), "m@a.example~2");
        assert!(id(|one| one.document_prefix = "passage: ".into()).starts_with("m@a.example+"));
        assert_eq!(id(|one| one.query_prefix = "query: ".into()), "m@a.example");
        assert_eq!(
            settings("https://a.example/v1/").checked().unwrap().0,
            "https://a.example/v1/embeddings"
        );
    }

    #[test]
    fn numbers_out_of_range_are_refused_by_name() {
        let refused = Settings { batch: 0, ..settings("https://a.example") }.checked().unwrap_err();
        assert!(refused.to_string().starts_with("batch must lie between 1 and"), "{refused}");
        let refused = Settings { model: " ".into(), ..settings("https://a.example") }.checked();
        assert_eq!(refused, Err(SettingsError::NoModel));
    }
}
