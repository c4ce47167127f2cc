//! Client ID Metadata Documents: a program that is known by the address of a document which says
//! what it is. What the document says is believed by nobody; but it says it at that address, and
//! the owner sees which.

use crate::{OAuthError, RegistrationRequest};
use async_trait::async_trait;
use model::{Client, Moment};
use serde::Deserialize;

/// The longest address.
const LENGTH_MAX: usize = 500;

/// Fetches documents. How, and from where never, is its own to know.
#[async_trait]
pub trait Documents: Send + Sync {
    /// The document at an address.
    async fn fetch(&self, address: &str) -> Result<Vec<u8>, NoDocument>;
}

/// Why there is no document, for the person who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the document that says what the program is could not be had: {0}")]
pub struct NoDocument(pub &'static str);

/// What is read of it.
#[derive(Deserialize)]
struct Document {
    client_id: String,
    token_endpoint_auth_method: Option<String>,
    #[serde(flatten)]
    said: RegistrationRequest,
}

/// Whether an id is the address of a document: https, a host, a path, and nothing that hides where
/// it leads.
pub(crate) fn is_address(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_graphic() && !"\"<>\\^`{|}#@".contains(c);
    let Some((host, path)) = id.strip_prefix("https://").and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    let dots = |part: &str| matches!(part, "." | "..");
    id.len() <= LENGTH_MAX
        && !host.is_empty()
        && !path.is_empty()
        && id.chars().all(plain)
        && !path.split(['/', '?']).any(dots)
}

/// The client that a document tells of.
pub(crate) fn client(address: &str, bytes: &[u8], now: Moment) -> Result<Client, OAuthError> {
    let refused =
        |why: &str| OAuthError::InvalidMetadata(format!("the document at {address} {why}"));
    let document: Document =
        serde_json::from_slice(bytes).map_err(|_| refused("cannot be read"))?;
    if document.client_id != address {
        return Err(refused("is another program's"));
    }
    if document.token_endpoint_auth_method.is_some_and(|method| method != "none") {
        return Err(refused("wants a proof that is not taken here; only public clients are"));
    }
    document.said.client(address.to_owned(), now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://app.example/client.json";

    fn read(document: &str) -> Result<Client, OAuthError> {
        client(ADDRESS, document.as_bytes(), Moment(0))
    }

    #[test]
    fn a_document_tells_of_the_program_at_its_own_address_only() {
        let whole = r#"{"client_id": "https://app.example/client.json", "client_name": "App", "redirect_uris": ["https://app.example/cb"]}"#;
        let client = read(whole).unwrap();
        assert_eq!((client.id.as_str(), client.name.as_str()), (ADDRESS, "App"));
        for wrong in [
            &whole.replace("app.example/client.json", "app.example/other.json"),
            &whole.replace("https://app.example/cb", "http://evil.example/cb"),
            &whole.replace(
                "\"client_name\"",
                "\"token_endpoint_auth_method\": \"client_secret_basic\", \"x\"",
            ),
            "{}",
            "[]",
            "<html>",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_a_plain_https_address_with_a_path_can_be_an_id() {
        assert!(is_address(ADDRESS) && is_address("https://app.example:8443/a/b?c=d"));
        for other in [
            "http://app.example/client.json",
            "https://app.example",
            "https://app.example/",
            "https:///client.json",
            "https://me@app.example/client.json",
            "https://app.example/client.json#here",
            "https://app.example/a/../b",
            "https://app.example/./b",
            "https://app.example/a b",
            "qpc_0123",
            "",
        ] {
            assert!(!is_address(other), "{other}");
        }
    }
}
