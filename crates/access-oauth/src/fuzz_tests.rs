//! The documents and requests of OAuth clients, on samples that are changed at random.

use crate::client_document::{is_document_address, parse_client};
use crate::{RegistrationRequest, redirect};
use fuzz::FuzzTarget;
use model::Moment;

#[test]
fn no_document_of_a_client_makes_the_parser_fail() {
    const ADDRESS: &str = "https://app.example/client.json";
    FuzzTarget::new("client_documents", env!("CARGO_MANIFEST_DIR"), 1_000).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let addressed = is_document_address(&text);
        let registered: Option<RegistrationRequest> = serde_json::from_slice(bytes).ok();
        for address in registered.into_iter().flat_map(|request| request.redirect_uris) {
            let valid = redirect::validate(&address).is_ok();
            let _ = (redirect::host(&address), redirect::is_local(&address));
            assert!(!valid || redirect::matches(&address, &address), "{address}");
        }
        let client = parse_client(ADDRESS, bytes, Moment(0));
        let refusal = client.as_ref().err().map(ToString::to_string);
        (addressed, client.map(|client| client.redirect_uris.len()).ok(), refusal)
    });
}
