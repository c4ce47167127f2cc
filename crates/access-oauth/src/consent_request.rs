//! A client's request for access, before anybody has agreed. A problem with the client or its
//! redirect address is shown to the person, because it may be an attack; every other problem is
//! reported to the client.

use crate::pkce::PkceChallenge;
use crate::{OAuthError, Site, redirect, scope, secret};
use model::{AgentName, Client, Permission};
use serde::{Deserialize, Serialize};

/// Maximum length of the state parameter.
const STATE_BYTES_MAX: usize = 4_096;
/// Number of characters of the hash of the client id in the name of the agent. With it two programs
/// of the same name are two agents, even if a program can choose its id.
const AGENT_ID_CHARS: usize = 16;
/// Maximum number of characters of the client name in the name of the agent.
const AGENT_NAME_CHARS: usize = 60;

/// Parameters of the request, as received.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are the RFC's")]
pub struct AuthorizeRequest {
    pub response_type: Option<String>,
    pub client_id: Option<String>,
    pub redirect_uri: Option<String>,
    pub code_challenge: Option<String>,
    pub code_challenge_method: Option<String>,
    pub scope: Option<String>,
    pub state: Option<String>,
    pub resource: Option<String>,
}

/// A valid request for access, to be approved or denied by the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentRequest {
    pub client: Client,
    /// Address to which the browser is redirected with the response.
    pub redirect: String,
    /// Requested permission.
    pub scope: Permission,
    /// Requested endpoint.
    pub resource: String,
    pub(crate) challenge: PkceChallenge,
    state: Option<String>,
    issuer: String,
}

/// Refusal of a request, by the recipient of the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthorizeRefusal {
    /// Shown to the person; nothing is sent to the client.
    ToPerson(OAuthError),
    /// Reported to the client, by redirecting the browser to this address.
    ToClient(String),
}

impl ConsentRequest {
    /// Validates a request of a known client. The resource is named by the canonical address of the
    /// site, the issuer by the address that the browser used.
    pub(crate) fn validate(
        request: &AuthorizeRequest,
        client: Client,
        site: &Site,
        issuer: &str,
    ) -> Result<Self, AuthorizeRefusal> {
        let redirect = validated_redirect(request, &client).map_err(AuthorizeRefusal::ToPerson)?;
        let refuse = |error: OAuthError| {
            let state = request.state.as_deref().filter(|state| state.len() <= STATE_BYTES_MAX);
            AuthorizeRefusal::ToClient(redirect_address(
                &redirect,
                &error_parameters(&error),
                state,
                issuer,
            ))
        };
        let read = || {
            if request.response_type.as_deref() != Some("code") {
                return Err(OAuthError::UnsupportedResponseType);
            }
            let (challenge, method) =
                (request.code_challenge.as_deref(), request.code_challenge_method.as_deref());
            let challenge = PkceChallenge::parse(challenge, method)?;
            let state = request.state.clone();
            if state.as_ref().is_some_and(|state| state.len() > STATE_BYTES_MAX) {
                return Err(OAuthError::InvalidRequest(format!(
                    "state may have at most {STATE_BYTES_MAX} bytes"
                )));
            }
            let resource =
                site.resource(request.resource.as_deref()).ok_or(OAuthError::InvalidTarget)?;
            Ok((challenge, state, resource, scope::parse_scope(request.scope.as_deref())?))
        };
        let (challenge, state, resource, scope) = read().map_err(refuse)?;
        let issuer = issuer.to_owned();
        Ok(Self { client, redirect, scope, resource, challenge, state, issuer })
    }

    /// Returns the host of the redirect address, for the owner to judge.
    #[must_use]
    pub fn host(&self) -> String {
        redirect::host(&self.redirect)
    }

    /// Returns the name of the agent that the client will act as. The client id is part of it, so
    /// that no program can take over the grants of another program of the same name.
    #[must_use]
    pub fn agent(&self) -> AgentName {
        let name: String = self.client.name.chars().take(AGENT_NAME_CHARS).collect();
        let id: String =
            secret::hash(&self.client.id).to_string().chars().take(AGENT_ID_CHARS).collect();
        AgentName::new(&format!("{name} {id}"))
    }

    /// Returns true if the response goes to a program on the machine of the browser.
    #[must_use]
    pub fn is_local(&self) -> bool {
        redirect::is_local(&self.redirect)
    }

    /// Returns the redirect address with the code.
    pub(crate) fn code_redirect(&self, code: &str) -> String {
        redirect_address(&self.redirect, &[("code", code)], self.state.as_deref(), &self.issuer)
    }

    /// Returns the redirect address for a denial by the owner.
    #[must_use]
    pub fn denied_redirect(&self) -> String {
        let parameters = error_parameters(&OAuthError::AccessDenied);
        redirect_address(&self.redirect, &parameters, self.state.as_deref(), &self.issuer)
    }
}

/// Returns the redirect address: the requested one, if it is registered.
fn validated_redirect(request: &AuthorizeRequest, client: &Client) -> Result<String, OAuthError> {
    let refused = |why: &str| Err(OAuthError::InvalidRequest(format!("redirect_uri {why}")));
    match (&request.redirect_uri, client.redirect_uris.as_slice()) {
        (None, [only]) => Ok(only.clone()),
        (None, _) => refused("is missing, and the client has registered more than one"),
        (Some(requested), known) if known.iter().any(|one| redirect::matches(one, requested)) => {
            // Again: it may have been registered when more was accepted.
            redirect::validate(requested).map(|()| requested.clone())
        }
        (Some(_), _) => refused("is not registered for this client"),
    }
}

fn error_parameters(error: &OAuthError) -> [(&'static str, &'static str); 1] {
    [("error", error.name())]
}

/// Adds parameters to a redirect address. Every response includes the issuer, so that a client of
/// several servers cannot mix them up (RFC 9207).
fn redirect_address(
    redirect: &str,
    parameters: &[(&str, &str)],
    state: Option<&str>,
    issuer: &str,
) -> String {
    let mut all = parameters.to_vec();
    all.extend(state.map(|state| ("state", state)));
    all.push(("iss", issuer));
    redirect::with_parameters(redirect, &all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Moment;

    fn client() -> Client {
        let redirects = vec!["http://127.0.0.1:1/cb".to_owned()];
        Client {
            id: "qpc_0123456789".into(),
            name: "Editor".into(),
            redirect_uris: redirects,
            registered_at: Moment(0),
        }
    }

    fn request() -> AuthorizeRequest {
        AuthorizeRequest {
            response_type: Some("code".into()),
            client_id: Some("qpc_0123456789".into()),
            redirect_uri: Some("http://127.0.0.1:9/cb".into()),
            code_challenge: Some("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM".into()),
            code_challenge_method: Some("S256".into()),
            scope: Some("read".into()),
            state: Some("s t".into()),
            resource: Some("http://127.0.0.1:7717/mcp".into()),
        }
    }

    fn read(
        change: impl FnOnce(&mut AuthorizeRequest),
    ) -> Result<ConsentRequest, AuthorizeRefusal> {
        let mut asked = request();
        change(&mut asked);
        let site = Site::new("http://127.0.0.1:7717");
        ConsentRequest::validate(&asked, client(), &site, site.issuer())
    }

    #[test]
    fn the_redirect_includes_state_and_issuer() {
        let asked = read(|_| ()).unwrap();
        assert_eq!((asked.scope, asked.host().as_str()), (Permission::Read, "127.0.0.1"));
        let back = "http://127.0.0.1:9/cb?code=c0&state=s+t&iss=http%3A%2F%2F127.0.0.1%3A7717";
        assert_eq!(asked.code_redirect("c0"), back);
        assert_eq!(asked.denied_redirect(), back.replace("code=c0", "error=access_denied"));
    }

    #[test]
    fn an_unregistered_address_gets_no_redirect() {
        for strange in ["https://evil.example/", "http://127.0.0.1:1/other"] {
            let turned = read(|request| request.redirect_uri = Some(strange.into()));
            assert!(
                matches!(turned, Err(AuthorizeRefusal::ToPerson(OAuthError::InvalidRequest(_)))),
                "{strange}"
            );
        }
    }

    #[test]
    fn other_errors_are_reported_to_the_client() {
        type RequestChange = fn(&mut AuthorizeRequest);
        let faults: [(RequestChange, &str); 5] = [
            (|request| request.response_type = Some("token".into()), "unsupported_response_type"),
            (|request| request.code_challenge = None, "invalid_request"),
            (|request| request.code_challenge_method = Some("plain".into()), "invalid_request"),
            (|request| request.scope = Some("everything".into()), "invalid_scope"),
            (
                |request| request.resource = Some("https://other.example/mcp".into()),
                "invalid_target",
            ),
        ];
        for (change, name) in faults {
            let Err(AuthorizeRefusal::ToClient(address)) = read(change) else {
                panic!("{name} was accepted")
            };
            assert!(
                address.starts_with(&format!("http://127.0.0.1:9/cb?error={name}&state=s+t&iss=")),
                "{address}"
            );
        }
    }

    #[test]
    fn two_programs_of_one_name_are_two_agents() {
        let one = read(|_| ()).unwrap();
        let other = ConsentRequest {
            client: Client { id: "qpc_9876543210".into(), ..client() },
            ..one.clone()
        };
        assert_ne!(one.agent(), other.agent());
        assert!(one.agent().as_str().starts_with("Editor "));
    }
}
