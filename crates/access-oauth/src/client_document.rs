//! Client ID Metadata Documents: a client whose id is the address of a document that describes it.
//! The description is not trusted, but it is published at that address, which the owner sees.

use crate::{OAuthError, RegistrationRequest};
use async_trait::async_trait;
use model::{Client, Moment};
use serde::Deserialize;

/// Maximum length of an address.
const LENGTH_MAX: usize = 500;

/// Fetcher of documents. The implementation decides which addresses are safe to connect to.
#[async_trait]
pub trait ClientDocuments: Send + Sync {
    /// Fetches the document at an address.
    async fn fetch(&self, address: &str) -> Result<Vec<u8>, DocumentError>;
}

/// Reason why a document is not available, for the person who is asked for consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the document that describes the program could not be fetched: {0}")]
pub struct DocumentError(pub &'static str);

/// Fields of the document that are used.
#[derive(Deserialize)]
struct ClientDocument {
    client_id: String,
    token_endpoint_auth_method: Option<String>,
    #[serde(flatten)]
    metadata: RegistrationRequest,
}

/// Returns true if a client id is the address of a document: https, a host and a path, without user
/// info, fragment or dot segments, which could disguise the address.
pub(crate) fn is_document_address(id: &str) -> bool {
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

/// Parses the client that a document describes.
pub(crate) fn parse_client(address: &str, bytes: &[u8], now: Moment) -> Result<Client, OAuthError> {
    let refused =
        |why: &str| OAuthError::InvalidMetadata(format!("the document at {address} {why}"));
    let document: ClientDocument = serde_json::from_slice(bytes)
        .map_err(|_| refused("is not a valid client metadata document"))?;
    if document.client_id != address {
        return Err(refused("describes another program"));
    }
    if document.token_endpoint_auth_method.is_some_and(|method| method != "none") {
        return Err(refused("requires client authentication; only public clients are supported"));
    }
    document.metadata.into_client(address.to_owned(), now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://app.example/client.json";

    fn read(document: &str) -> Result<Client, OAuthError> {
        parse_client(ADDRESS, document.as_bytes(), Moment(0))
    }

    #[test]
    fn a_document_describes_only_the_client_at_its_own_address() {
        let whole = concat!(
            r#"{"client_id": "https://app.example/client.json", "client_name": "App", "#,
            r#""redirect_uris": ["https://app.example/cb"]}"#
        );
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
        assert!(
            is_document_address(ADDRESS) && is_document_address("https://app.example:8443/a/b?c=d")
        );
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
            assert!(!is_document_address(other), "{other}");
        }
    }
}
