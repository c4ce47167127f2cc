//! An OpenID provider on loopback, with real signatures: discovery, authorization with PKCE, tokens
//! and keys. It lets one person in without asking, and can be told to send a wrong token.

#![expect(clippy::unwrap_used, reason = "a failing fixture fails the test")]

mod signing_key;

use axum::extract::{Form, Query, State};
use axum::http::header::{AUTHORIZATION, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use signing_key::{SigningKey, encode};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::runtime::Runtime;

/// Id of the only client.
pub const CLIENT_ID: &str = "quipu";
/// Secret of the only client.
pub const CLIENT_SECRET: &str = "a secret/with signs:+";

/// Algorithm of the provider's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderAlgorithm {
    Rsa,
    Ecdsa,
    Ed25519,
}

/// A defect of the tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenFault {
    WrongIssuer,
    WrongAudience,
    OtherParty,
    SeveralAudiences,
    WrongNonce,
    NoNonce,
    Expired,
    NotYetValid,
    NoExpiry,
    NoSubject,
    NoSignature,
    /// Signed with the public key as a shared secret.
    SharedSecret,
    /// Signed by a key that the provider does not publish.
    UnknownKey,
    /// Signed by another key under the id of the published one.
    ForgedSignature,
    /// Claims changed after they were signed.
    ChangedClaims,
}

/// Parameters of an authorization or a token request.
type Parameters = HashMap<String, String>;

struct ProviderState {
    issuer: String,
    key: Mutex<(String, SigningKey)>,
    subject: Mutex<(String, String)>,
    fault: Mutex<Option<TokenFault>>,
    codes: Mutex<HashMap<String, Parameters>>,
    issued: Mutex<usize>,
}

/// A provider that listens until it is dropped.
pub struct FakeProvider {
    runtime: Option<Runtime>,
    state: Arc<ProviderState>,
}

impl FakeProvider {
    /// Starts a provider that signs with a key of this algorithm.
    pub fn start(algorithm: ProviderAlgorithm) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        // Bound without the runtime: the test may run in one of its own.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let issuer = format!("http://{}/realms/test", listener.local_addr().unwrap());
        let state = Arc::new(ProviderState {
            issuer,
            key: Mutex::new(("key-1".to_owned(), new_key(algorithm))),
            subject: Mutex::new(("subject-1".to_owned(), "Ada".to_owned())),
            fault: Mutex::default(),
            codes: Mutex::default(),
            issued: Mutex::default(),
        });
        let router = Router::new()
            .route("/realms/test/.well-known/openid-configuration", get(discovery))
            .route("/realms/test/authorize", get(authorize))
            .route("/realms/test/token", post(token))
            .route("/realms/test/keys", get(keys))
            .with_state(Arc::clone(&state));
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, router).await
        });
        Self { runtime: Some(runtime), state }
    }

    /// Returns the issuer.
    pub fn issuer(&self) -> &str {
        &self.state.issuer
    }

    /// Sets the person who is signed in from now on: the subject, and the name they chose.
    pub fn set_person(&self, subject: &str, username: &str) {
        *self.state.subject.lock() = (subject.to_owned(), username.to_owned());
    }

    /// Sets the defect of all tokens from now on.
    pub fn set_fault(&self, fault: Option<TokenFault>) {
        *self.state.fault.lock() = fault;
    }

    /// Replaces the key by a new one under another id.
    pub fn rotate_key(&self, algorithm: ProviderAlgorithm) {
        *self.state.key.lock() = ("key-2".to_owned(), new_key(algorithm));
    }

    /// Returns the number of tokens issued so far.
    pub fn tokens_issued(&self) -> usize {
        *self.state.issued.lock()
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn new_key(algorithm: ProviderAlgorithm) -> SigningKey {
    match algorithm {
        ProviderAlgorithm::Rsa => SigningKey::rsa(),
        ProviderAlgorithm::Ecdsa => SigningKey::ecdsa(),
        ProviderAlgorithm::Ed25519 => SigningKey::ed25519(),
    }
}

async fn discovery(State(state): State<Arc<ProviderState>>) -> Json<Value> {
    let issuer = &state.issuer;
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256", "EdDSA"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        "code_challenge_methods_supported": ["S256"],
    }))
}

async fn authorize(
    State(state): State<Arc<ProviderState>>,
    Query(asked): Query<Parameters>,
) -> Response {
    let value = |name: &str| asked.get(name).cloned().unwrap_or_default();
    let is_valid = value("response_type") == "code"
        && value("client_id") == CLIENT_ID
        && value("scope").split(' ').any(|scope| scope == "openid")
        && value("code_challenge_method") == "S256"
        && value("code_challenge").len() == 43
        && !value("state").is_empty()
        && !value("nonce").is_empty();
    if !is_valid {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let mut codes = state.codes.lock();
    let code = format!("code-{}", codes.len());
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("code", &code)
        .append_pair("state", &value("state"))
        .append_pair("iss", &state.issuer)
        .finish();
    let location = format!("{}?{query}", value("redirect_uri"));
    codes.insert(code, asked);
    (StatusCode::FOUND, [(LOCATION, location)]).into_response()
}

async fn token(
    State(state): State<Arc<ProviderState>>,
    headers: HeaderMap,
    Form(sent): Form<Parameters>,
) -> Response {
    let value = |name: &str| sent.get(name).cloned().unwrap_or_default();
    if headers.get(AUTHORIZATION).and_then(|header| header.to_str().ok()) != Some(&*basic()) {
        return refuse("invalid_client");
    }
    // Taken out: a code works once.
    let asked = state.codes.lock().insert(value("code"), Parameters::new()).unwrap_or_default();
    let known = |name: &str| asked.get(name).cloned().unwrap_or_default();
    let challenge = encode(&Sha256::digest(value("code_verifier").as_bytes()));
    let is_valid = value("grant_type") == "authorization_code"
        && known("code_challenge") == challenge
        && known("redirect_uri") == value("redirect_uri")
        && !asked.is_empty();
    if !is_valid {
        return refuse("invalid_grant");
    }
    *state.issued.lock() += 1;
    let id_token = state.id_token(&known("nonce"));
    Json(json!({ "access_token": "unused", "token_type": "Bearer", "id_token": id_token }))
        .into_response()
}

fn refuse(error: &str) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response()
}

/// Returns the header of the client: both parts are encoded as in a form.
fn basic() -> String {
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = format!("{}:{}", encode(CLIENT_ID), encode(CLIENT_SECRET));
    format!("Basic {}", STANDARD.encode(pair))
}

async fn keys(State(state): State<Arc<ProviderState>>) -> Json<Value> {
    let key = state.key.lock();
    let mut jwk = key.1.public_jwk();
    jwk["kid"] = key.0.clone().into();
    jwk["use"] = "sig".into();
    jwk["alg"] = key.1.algorithm().into();
    // A provider may publish keys that a client does not understand.
    let other = json!({ "kty": "OKP", "crv": "X448", "x": "AA", "kid": "other", "use": "enc" });
    Json(json!({ "keys": [other, jwk] }))
}

impl ProviderState {
    fn id_token(&self, nonce: &str) -> String {
        let (fault, key) = (*self.fault.lock(), self.key.lock());
        let claims = self.claims(nonce, fault);
        let algorithm = match fault {
            Some(TokenFault::NoSignature) => "none",
            Some(TokenFault::SharedSecret) => "HS256",
            _ => key.1.algorithm(),
        };
        let kid = if fault == Some(TokenFault::UnknownKey) { "key-9" } else { &*key.0 };
        let header = json!({ "alg": algorithm, "typ": "JWT", "kid": kid });
        let message = format!("{}.{}", encode_json(&header), encode_json(&claims));
        let signature = match fault {
            Some(TokenFault::NoSignature) => Vec::new(),
            Some(TokenFault::SharedSecret) => sign_with_public_key(&key.1, message.as_bytes()),
            Some(TokenFault::UnknownKey | TokenFault::ForgedSignature) => {
                let other = if matches!(key.1, SigningKey::Ecdsa(_)) {
                    SigningKey::ecdsa()
                } else {
                    SigningKey::ed25519()
                };
                other.sign(message.as_bytes())
            }
            _ => key.1.sign(message.as_bytes()),
        };
        let message = match fault {
            Some(TokenFault::ChangedClaims) => {
                let mut changed = claims;
                changed["sub"] = "somebody-else".into();
                format!("{}.{}", encode_json(&header), encode_json(&changed))
            }
            _ => message,
        };
        format!("{message}.{}", encode(&signature))
    }

    fn claims(&self, nonce: &str, fault: Option<TokenFault>) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let (subject, username) = self.subject.lock().clone();
        let mut claims = json!({
            "iss": self.issuer, "sub": subject, "aud": CLIENT_ID, "nonce": nonce,
            "iat": now, "exp": now + 300, "preferred_username": username,
        });
        match fault {
            Some(TokenFault::WrongIssuer) => claims["iss"] = "http://127.0.0.1/other".into(),
            Some(TokenFault::WrongAudience) => claims["aud"] = "another".into(),
            Some(TokenFault::OtherParty) => claims["azp"] = "another".into(),
            Some(TokenFault::SeveralAudiences) => claims["aud"] = json!([CLIENT_ID, "another"]),
            Some(TokenFault::WrongNonce) => claims["nonce"] = "guessed".into(),
            Some(TokenFault::NoNonce) => _ = claims.as_object_mut().unwrap().remove("nonce"),
            Some(TokenFault::Expired) => claims["exp"] = (now - 3600).into(),
            Some(TokenFault::NotYetValid) => claims["iat"] = (now + 3600).into(),
            Some(TokenFault::NoExpiry) => _ = claims.as_object_mut().unwrap().remove("exp"),
            Some(TokenFault::NoSubject) => claims["sub"] = "".into(),
            _ => {}
        }
        claims
    }
}

fn encode_json(value: &Value) -> String {
    encode(value.to_string().as_bytes())
}

fn sign_with_public_key(key: &SigningKey, message: &[u8]) -> Vec<u8> {
    let jwk = key.public_jwk().to_string();
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, jwk.as_bytes());
    ring::hmac::sign(&key, message).as_ref().to_vec()
}
