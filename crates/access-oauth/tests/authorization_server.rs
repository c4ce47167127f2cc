//! The authorization server over a real store, from registration to the last refresh, with valid
//! and invalid requests.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use model::{Moment, OwnerId, Permission};
use quipu_oauth::{
    AuthorizationServer, AuthorizeRefusal, AuthorizeRequest, ClientDocuments, CodeExchange,
    ConsentRequest, DocumentError, OAuthError, RegistrationRequest, Site, TokenRefresh,
    TokenResponse,
};
use std::sync::Arc;
use testkit::TempStore;

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const CALLBACK: &str = "http://127.0.0.1:4711/callback";
const HOST: &str = "127.0.0.1:7717";
const MCP: &str = "http://127.0.0.1:7717/mcp";

/// A moment of the scenario, in seconds.
fn at(seconds: i64) -> Moment {
    Moment(seconds * 1_000_000)
}

struct OauthFixture {
    server: AuthorizationServer,
    client: String,
    _store: TempStore,
}

impl OauthFixture {
    async fn start() -> Self {
        let store = TempStore::new().await;
        let server =
            AuthorizationServer::new(Arc::new(store.reopen()), Site::new("http://127.0.0.1:7717"));
        let request = RegistrationRequest {
            redirect_uris: vec![CALLBACK.to_owned()],
            client_name: Some("Editor".to_owned()),
        };
        let client = server.register(request, at(0)).await.unwrap().client_id;
        Self { server, client, _store: store }
    }

    fn request(&self) -> AuthorizeRequest {
        AuthorizeRequest {
            response_type: Some("code".to_owned()),
            client_id: Some(self.client.clone()),
            redirect_uri: Some(CALLBACK.to_owned()),
            code_challenge: Some(CHALLENGE.to_owned()),
            code_challenge_method: Some("S256".to_owned()),
            scope: Some("read write".to_owned()),
            state: None,
            resource: Some(MCP.to_owned()),
        }
    }

    async fn consent_request(&self) -> ConsentRequest {
        self.server.authorize(&self.request(), HOST, at(5)).await.unwrap()
    }

    /// A code that the owner approved.
    async fn code(&self, scope: Permission) -> String {
        let address = self
            .server
            .approve(&self.consent_request().await, OwnerId::me(), scope, at(10))
            .await
            .unwrap();
        let code = address.split("code=").nth(1).unwrap().split('&').next().unwrap();
        code.to_owned()
    }

    fn exchange(&self, code: &str) -> CodeExchange {
        CodeExchange {
            client_id: self.client.clone(),
            code: code.to_owned(),
            code_verifier: VERIFIER.to_owned(),
            redirect_uri: Some(CALLBACK.to_owned()),
            resource: Some(MCP.to_owned()),
        }
    }

    async fn tokens(&self) -> TokenResponse {
        let code = self.code(Permission::Write).await;
        self.server.exchange(&self.exchange(&code), at(20)).await.unwrap()
    }

    async fn refresh(&self, token: &str) -> Result<TokenResponse, OAuthError> {
        let input = TokenRefresh {
            client_id: self.client.clone(),
            refresh_token: token.to_owned(),
            resource: None,
        };
        self.server.refresh(&input, at(30)).await
    }

    async fn is_accepted(&self, token: &str) -> bool {
        self.server.identify(token, at(40)).await.unwrap().is_some()
    }
}

fn is_invalid_grant<T>(outcome: &Result<T, OAuthError>) -> bool {
    matches!(outcome, Err(OAuthError::InvalidGrant(_)))
}

#[tokio::test]
async fn a_client_gets_the_access_that_the_owner_approved() {
    let fixture = OauthFixture::start().await;
    let tokens = fixture.tokens().await;
    let known = fixture.server.identify(&tokens.access_token, at(40)).await.unwrap().unwrap();
    assert_eq!((known.consent.owner, known.consent.scope), (OwnerId::me(), Permission::Write));
    assert_eq!(
        (known.consent.resource.as_str(), known.consent.agent),
        (MCP, fixture.consent_request().await.agent())
    );
    assert_eq!((tokens.token_type, tokens.scope), ("Bearer", "read write"));
    let later = at(20 + tokens.expires_in);
    assert_eq!(
        fixture.server.identify(&tokens.access_token, later).await.unwrap(),
        None,
        "it expires when announced"
    );
}

#[tokio::test]
async fn an_owner_may_approve_less_than_requested_and_never_more() {
    let fixture = OauthFixture::start().await;
    let code = fixture.code(Permission::Read).await;
    let tokens = fixture.server.exchange(&fixture.exchange(&code), at(20)).await.unwrap();
    assert_eq!(tokens.scope, "read");
    let modest = AuthorizeRequest { scope: Some("read".to_owned()), ..fixture.request() };
    let asked = fixture.server.authorize(&modest, HOST, at(5)).await.unwrap();
    let address =
        fixture.server.approve(&asked, OwnerId::me(), Permission::Write, at(10)).await.unwrap();
    let code = address.split("code=").nth(1).unwrap().split('&').next().unwrap();
    assert_eq!(
        fixture.server.exchange(&fixture.exchange(code), at(20)).await.unwrap().scope,
        "read"
    );
}

#[tokio::test]
async fn a_code_is_valid_once_and_its_second_use_revokes_the_tokens() {
    let fixture = OauthFixture::start().await;
    let code = fixture.code(Permission::Write).await;
    let tokens = fixture.server.exchange(&fixture.exchange(&code), at(20)).await.unwrap();
    assert!(fixture.is_accepted(&tokens.access_token).await);
    assert!(is_invalid_grant(&fixture.server.exchange(&fixture.exchange(&code), at(21)).await));
    assert!(!fixture.is_accepted(&tokens.access_token).await);
    assert!(is_invalid_grant(&fixture.refresh(&tokens.refresh_token).await));
}

#[tokio::test]
async fn concurrent_exchanges_of_one_code_all_end_without_access() {
    let fixture = OauthFixture::start().await;
    let code = fixture.code(Permission::Write).await;
    let input = fixture.exchange(&code);
    let (one, two, three) = tokio::join!(
        fixture.server.exchange(&input, at(20)),
        fixture.server.exchange(&input, at(20)),
        fixture.server.exchange(&input, at(20))
    );
    for tokens in [one, two, three].into_iter().flatten() {
        assert!(!fixture.is_accepted(&tokens.access_token).await);
    }
}

#[tokio::test]
async fn a_code_needs_its_verifier_its_redirect_its_client_and_its_lifetime() {
    let fixture = OauthFixture::start().await;
    let other = RegistrationRequest { redirect_uris: vec![CALLBACK.to_owned()], client_name: None };
    let other = fixture.server.register(other, at(0)).await.unwrap().client_id;
    type ExchangeChange<'a> = Box<dyn Fn(&mut CodeExchange) + 'a>;
    let faults: [ExchangeChange<'_>; 3] = [
        Box::new(|input| input.code_verifier = VERIFIER.replace('d', "e")),
        Box::new(|input| input.redirect_uri = Some("http://127.0.0.1:4712/callback".to_owned())),
        Box::new(|input| input.client_id.clone_from(&other)),
    ];
    for change in faults {
        let code = fixture.code(Permission::Write).await;
        let mut input = fixture.exchange(&code);
        change(&mut input);
        assert!(is_invalid_grant(&fixture.server.exchange(&input, at(20)).await), "{input:?}");
        assert!(
            is_invalid_grant(&fixture.server.exchange(&fixture.exchange(&code), at(20)).await),
            "it is spent"
        );
    }
    let code = fixture.code(Permission::Write).await;
    assert!(is_invalid_grant(
        &fixture.server.exchange(&fixture.exchange(&code), at(10 + 60)).await
    ));
    let elsewhere = CodeExchange {
        resource: Some("http://127.0.0.1:7717/v1".to_owned()),
        ..fixture.exchange(&code)
    };
    let code = fixture.code(Permission::Write).await;
    let elsewhere = CodeExchange { code, ..elsewhere };
    assert_eq!(fixture.server.exchange(&elsewhere, at(20)).await, Err(OAuthError::InvalidTarget));
}

#[tokio::test]
async fn refresh_tokens_rotate_and_reuse_revokes_the_family() {
    let fixture = OauthFixture::start().await;
    let first = fixture.tokens().await;
    let second = fixture.refresh(&first.refresh_token).await.unwrap();
    assert_eq!(second.scope, "read write");
    assert!(fixture.is_accepted(&second.access_token).await);
    assert!(!fixture.is_accepted(&first.access_token).await);
    assert!(
        is_invalid_grant(&fixture.refresh(&first.refresh_token).await),
        "the thief comes second"
    );
    assert!(!fixture.is_accepted(&second.access_token).await);
    assert!(is_invalid_grant(&fixture.refresh(&second.refresh_token).await));
}

#[tokio::test]
async fn a_refresh_token_is_no_access_token() {
    let fixture = OauthFixture::start().await;
    let tokens = fixture.tokens().await;
    assert!(!fixture.is_accepted(&tokens.refresh_token).await);
    assert!(is_invalid_grant(&fixture.refresh(&tokens.access_token).await));
}

#[tokio::test]
async fn revoking_a_token_revokes_its_family() {
    let fixture = OauthFixture::start().await;
    let tokens = fixture.tokens().await;
    fixture.server.revoke(&fixture.client, "unknown", at(30)).await.unwrap();
    assert!(fixture.is_accepted(&tokens.access_token).await);
    fixture.server.revoke(&fixture.client, &tokens.refresh_token, at(30)).await.unwrap();
    assert!(!fixture.is_accepted(&tokens.access_token).await);
    assert!(is_invalid_grant(&fixture.refresh(&tokens.refresh_token).await));
}

#[tokio::test]
async fn an_unknown_client_must_register_again() {
    let fixture = OauthFixture::start().await;
    let unknown = AuthorizeRequest { client_id: Some("qpc_gone".to_owned()), ..fixture.request() };
    assert_eq!(
        fixture.server.authorize(&unknown, HOST, at(5)).await,
        Err(AuthorizeRefusal::ToPerson(OAuthError::InvalidClient))
    );
    let code = fixture.code(Permission::Write).await;
    let input = CodeExchange { client_id: "qpc_gone".to_owned(), ..fixture.exchange(&code) };
    let refused = fixture.server.exchange(&input, at(20)).await.unwrap_err();
    assert_eq!((refused.name(), refused.status()), ("invalid_client", 401));
}

#[tokio::test]
async fn unapproved_clients_are_removed_after_a_day() {
    let fixture = OauthFixture::start().await;
    let again = RegistrationRequest { redirect_uris: vec![CALLBACK.to_owned()], client_name: None };
    fixture.server.register(again.clone(), at(3_600)).await.unwrap();
    assert!(fixture.server.authorize(&fixture.request(), HOST, at(5)).await.is_ok());
    fixture.server.register(again, at(2 * 24 * 3_600)).await.unwrap();
    assert!(fixture.server.authorize(&fixture.request(), HOST, at(5)).await.is_err());
}

const DOCUMENT: &str = "https://app.example/client.json";

/// Returns the same document for every address.
struct FixedDocument(String);

#[async_trait::async_trait]
impl ClientDocuments for FixedDocument {
    async fn fetch(&self, _address: &str) -> Result<Vec<u8>, DocumentError> {
        if self.0.is_empty() {
            Err(DocumentError("it is not there"))
        } else {
            Ok(self.0.clone().into_bytes())
        }
    }
}

async fn fixture_with_document(document: &str) -> OauthFixture {
    let OauthFixture { server, _store, .. } = OauthFixture::start().await;
    drop(server);
    let server =
        AuthorizationServer::new(Arc::new(_store.reopen()), Site::new("http://127.0.0.1:7717"));
    let server = server.with_documents(Arc::new(FixedDocument(document.to_owned())));
    OauthFixture { server, client: DOCUMENT.to_owned(), _store }
}

#[tokio::test]
async fn a_client_with_a_metadata_document_is_authorized_like_any_other() {
    let document = format!(
        r#"{{"client_id": "{DOCUMENT}", "client_name": "App", "redirect_uris": ["{}"]}}"#,
        "http://127.0.0.1/callback"
    );
    let fixture = fixture_with_document(&document).await;
    assert_eq!(fixture.server.server_document(HOST)["client_id_metadata_document_supported"], true);
    let asked = fixture.consent_request().await;
    assert_eq!((asked.client.name.as_str(), asked.client.id.as_str()), ("App", DOCUMENT));
    assert!(
        fixture
            .server
            .identify(&fixture.tokens().await.access_token, at(30))
            .await
            .unwrap()
            .is_some()
    );
}

#[tokio::test]
async fn a_wrong_or_missing_document_is_reported_to_the_person() {
    for document in [
        "",
        "{}",
        r#"{"client_id": "https://evil.example/", "redirect_uris": ["https://evil.example/"]}"#,
    ] {
        let fixture = fixture_with_document(document).await;
        let turned = fixture.server.authorize(&fixture.request(), HOST, at(5)).await;
        assert!(
            matches!(turned, Err(AuthorizeRefusal::ToPerson(OAuthError::InvalidMetadata(_)))),
            "{turned:?}"
        );
    }
}

#[tokio::test]
async fn without_the_setting_documents_are_neither_fetched_nor_announced() {
    let fixture = OauthFixture::start().await;
    assert_eq!(
        fixture.server.server_document(HOST)["client_id_metadata_document_supported"],
        false
    );
    let request = AuthorizeRequest { client_id: Some(DOCUMENT.to_owned()), ..fixture.request() };
    assert_eq!(
        fixture.server.authorize(&request, HOST, at(5)).await,
        Err(AuthorizeRefusal::ToPerson(OAuthError::InvalidClient))
    );
}

#[tokio::test]
async fn a_request_to_another_loopback_name_gets_that_name_as_issuer() {
    let fixture = OauthFixture::start().await;
    let resource = Some("http://localhost:7717/mcp".to_owned());
    let request = AuthorizeRequest { resource: resource.clone(), ..fixture.request() };
    let asked = fixture.server.authorize(&request, "localhost:7717", at(5)).await.unwrap();
    let back =
        fixture.server.approve(&asked, OwnerId::me(), Permission::Read, at(10)).await.unwrap();
    assert!(back.ends_with("&iss=http%3A%2F%2Flocalhost%3A7717"), "{back}");
    let code = back.split("code=").nth(1).unwrap().split('&').next().unwrap();
    let tokens = fixture
        .server
        .exchange(&CodeExchange { resource, ..fixture.exchange(code) }, at(20))
        .await
        .unwrap();
    let known = fixture.server.identify(&tokens.access_token, at(30)).await.unwrap().unwrap();
    assert!(fixture.server.site().covers(&known.consent.resource, "/mcp"));
}
