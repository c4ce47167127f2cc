//! Fixture: a provider, two servers that share their storage, and a browser between them.

use model::{Moment, OwnerId};
use quipu_oidc::{ProviderResponse, ProviderSettings, SignIn, SignInError, SignInOutcome};
use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};
use store::OwnerValues;
use testkit::fake_provider::{CLIENT_ID, CLIENT_SECRET, FakeProvider, ProviderAlgorithm};
use testkit::raw_http::RawRequest;

/// Address to which the provider sends browsers back.
const REDIRECT: &str = "http://127.0.0.1:7717/login/provider/done";

/// A provider and two servers.
pub struct SignInFixture {
    pub provider: FakeProvider,
    pub first: SignIn,
    pub second: SignIn,
}

impl SignInFixture {
    pub fn start(algorithm: ProviderAlgorithm) -> Self {
        Self::start_with(algorithm, CLIENT_SECRET)
    }

    /// Starts servers that know this secret of the client.
    pub fn start_with(algorithm: ProviderAlgorithm, secret: &str) -> Self {
        let provider = FakeProvider::start(algorithm);
        let settings = ProviderSettings::new(provider.issuer(), CLIENT_ID).unwrap();
        let settings = ProviderSettings { client_secret: Some(secret.to_owned()), ..settings };
        let values = OwnerValues::local(OwnerId::me());
        let server = || SignIn::new(settings.clone(), REDIRECT, values.clone());
        let (first, second) = (server(), server());
        Self { provider, first, second }
    }

    /// Signs in, coming back to the other server.
    pub async fn sign_in(&self, next: &str) -> Result<SignInOutcome, SignInError> {
        let started = self.first.start(next, now()).await?;
        let response = follow(&started.location);
        self.second.finish(&response, Some(&started.browser_secret), now()).await
    }
}

/// Follows a redirect to the provider, and returns the parameters of the way back.
#[track_caller]
pub fn follow(location: &str) -> ProviderResponse {
    let (authority, path) = location.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let address: SocketAddr = authority.parse().unwrap();
    let answer = RawRequest::new("GET", &format!("/{path}")).send(address);
    assert_eq!(answer.status, 302, "{answer:?}");
    let back = answer.header("location").unwrap();
    let query = back.strip_prefix(REDIRECT).unwrap().strip_prefix('?').unwrap();
    let mut response = ProviderResponse::default();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "code" => response.code = Some(value.into_owned()),
            "state" => response.state = Some(value.into_owned()),
            "iss" => response.iss = Some(value.into_owned()),
            other => panic!("{other}"),
        }
    }
    response
}

/// Returns the time, which the provider uses too.
pub fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Moment::from_seconds(since.as_secs() as i64)
}
