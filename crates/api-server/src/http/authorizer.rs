//! Authorizes requests. In this order: the site that a request is meant for and comes from, the
//! credential, admission. Only the paths of health and readiness and the open paths need no
//! credential; all others need the owner's token, the credential of an agent, or a browser session,
//! which must repeat its form token to change anything. An authorized request carries its principal
//! and no credential any more.

use super::browser_sessions::BrowserSession;
use super::client_address::ClientAddress;
use super::credential::{self, PresentedCredential};
use super::endpoints::{BrowserAccess, BuiltEndpoints, path_matches};
use super::oauth::{OAuthEndpoints, RequestTarget};
use super::origin_check::ServerNames;
use super::proxy_network::ProxyNetwork;
use super::public_url::PublicUrl;
use super::refusal::HttpRefusal;
use super::token::OwnerToken;
use super::{HttpConfig, body, health, legacy};
use crate::admission::{Admission, CallPermit};
use crate::identity::{Principal, check_agent_header, request_caller};
use axum::body::Body;
use axum::http::header::{ACCEPT, COOKIE};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, Method, request::Parts};
use axum::response::{IntoResponse, Redirect, Response};
use engine::credentials::{Credential, Credentials};
use engine::{CallerAccess, ToolClass};
use model::{ErrorCode, Failure, OwnerId, Permission};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::SemaphorePermit;

/// Header with the form token that a browser session must send when it changes something.
const FORM_TOKEN: &str = "x-form-token";

/// Header with the memory that a page shows. Another page of the same browser may have chosen
/// another one meanwhile, and nothing may be written there by mistake.
const SHOWN_MEMORY: &str = "x-memory";

/// Class of a request, by its path and its sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestClass {
    /// The paths of health and readiness, which anybody may ask.
    Health,
    /// A path that needs no credential.
    Stranger,
    /// A request of an owner, or an agent of one.
    Authenticated,
}

/// Authorizes requests for one server.
pub(super) struct Authorizer {
    owner: Principal,
    token: OwnerToken,
    credentials: Arc<Credentials>,
    names: ServerNames,
    open_paths: BTreeSet<String>,
    path_classes: BTreeMap<String, ToolClass>,
    dialect_paths: BTreeSet<String>,
    oauth: Option<OAuthEndpoints>,
    browser: Option<BrowserAccess>,
    proxies: Vec<ProxyNetwork>,
    admission: Arc<Admission>,
}

impl Authorizer {
    /// Creates the authorizer of these endpoints.
    pub fn new(endpoints: &BuiltEndpoints, config: HttpConfig, names: ServerNames) -> Self {
        let HttpConfig { owner, token, credentials, .. } = config;
        let owner = Principal {
            owner,
            agent: None,
            reach: CallerAccess::OwnerToken,
            credential: None,
            in_group: None,
        };
        Self {
            owner,
            token,
            credentials,
            names,
            open_paths: endpoints.open_paths.clone(),
            path_classes: endpoints.path_classes.clone(),
            dialect_paths: endpoints.dialects.keys().cloned().collect(),
            oauth: endpoints.oauth.clone(),
            browser: endpoints.browser.clone(),
            proxies: endpoints.proxies.clone(),
            admission: Arc::clone(&endpoints.admission),
        }
    }

    /// Authorizes a request and returns the class of its sender.
    pub async fn authorize(&self, request: &mut Parts) -> Result<RequestClass, HttpRefusal> {
        // Before the credential: a foreign page must not even learn whether a session exists.
        self.names.check(request)?;
        if health::is_state_path(request.uri.path()) {
            return Ok(RequestClass::Health);
        }
        if self.is_open(request) {
            return Ok(RequestClass::Stranger);
        }
        self.identify(request).await?;
        Ok(RequestClass::Authenticated)
    }

    /// Returns the address of the client. Only the proxy that the owner named by a public address
    /// may speak for others.
    pub fn client_address(&self, peer: ClientAddress, request: &Parts) -> ClientAddress {
        if !self.names.is_proxied() {
            return peer;
        }
        peer.behind_proxy(&request.headers, &self.proxies)
    }

    /// Returns true when clients use https.
    pub fn is_https(&self) -> bool {
        self.names.public_url.as_ref().is_some_and(PublicUrl::is_https)
    }

    /// Takes a place for a request; dropping the permit admits the next one.
    pub fn enter(&self, class: RequestClass) -> Result<SemaphorePermit<'_>, HttpRefusal> {
        Ok(match class {
            RequestClass::Authenticated => self.admission.enter()?,
            RequestClass::Stranger | RequestClass::Health => self.admission.enter_stranger()?,
        })
    }

    /// Admits a request that is itself a call, under the same limits as a tool; dropping the permit
    /// admits the next one. Returns `None` for a message that contains a call, which is admitted
    /// when the call is known, and for strangers, whose paths have limits of their own.
    pub async fn start_call(&self, request: &Parts) -> Result<Option<CallPermit>, HttpRefusal> {
        let path = request.uri.path();
        if self.dialect_paths.contains(path) || legacy::is_call_path(path) {
            return Ok(None);
        }
        let Some(caller) = request_caller(&request.extensions).ok() else { return Ok(None) };
        let class = self.call_class(request);
        let admitted = self.admission.start_call(&caller, class, self.credentials.now()).await;
        admitted.map(Some).map_err(HttpRefusal::from)
    }

    fn call_class(&self, request: &Parts) -> ToolClass {
        let is_path = |path: &str| path_matches(path, request.uri.path());
        let named = self.path_classes.iter().find(|(path, _)| is_path(path));
        match named {
            Some((_, class)) => *class,
            None if request.method.is_safe() => ToolClass::Read,
            None => ToolClass::Write,
        }
    }

    /// Returns the response to a request that was refused, once the rest of it has arrived: the
    /// login page for a browser without a credential, the refusal for everybody else.
    pub async fn reject(
        &self,
        refusal: HttpRefusal,
        request: &Parts,
        body: Body,
    ) -> Result<Response, HttpRefusal> {
        let refusal = if body::drain(body).await { refusal } else { refusal.closing_connection() };
        let login = self.login_redirect(request).filter(|_| refusal.is_missing_credential());
        login.ok_or(refusal)
    }

    /// Identifies the principal of a request, and removes the credential from it.
    async fn identify(&self, request: &mut Parts) -> Result<(), HttpRefusal> {
        let presented = credential::take(request, |path| self.dialect_paths.contains(path));
        let principal = match presented {
            PresentedCredential::Missing => Some(self.authorize_session(request).await?),
            PresentedCredential::Unusable => None,
            PresentedCredential::Header(secret) if self.token.matches(&secret) => {
                Some(self.owner.clone())
            }
            PresentedCredential::Header(secret) => {
                self.principal_for_secret(&secret, request.uri.path()).await?
            }
            // Access tokens are not accepted in a path: addresses end up in logs.
            PresentedCredential::Path(secret) => {
                self.credentials.identify(&secret).await?.map(Principal::from)
            }
        };
        let principal = principal.ok_or_else(|| self.no_token(request, Some("invalid_token")))?;
        if let Some(agent) = &principal.agent {
            check_agent_header(&request.headers, agent)?;
        }
        // The session secret has served its purpose; nothing behind this point may see it.
        request.headers.remove(COOKIE);
        request.extensions.insert(principal);
        Ok(())
    }

    async fn principal_for_secret(
        &self,
        secret: &str,
        path: &str,
    ) -> Result<Option<Principal>, HttpRefusal> {
        match (self.credentials.identify(secret).await?, &self.oauth) {
            (Some(identity), _) => Ok(Some(identity.into())),
            (None, Some(remote)) => remote.principal_for_token(secret, path).await,
            (None, None) => Ok(None),
        }
    }

    /// Returns true when the path needs no credential. Checked against the dialects first, because
    /// most requests go there.
    fn is_open(&self, request: &Parts) -> bool {
        let path = request.uri.path();
        !self.dialect_paths.contains(path)
            && self.open_paths.iter().any(|open| path_matches(open, path))
    }

    /// Returns the owner when the request belongs to a browser session. A request that changes
    /// something must come from one of our pages, which alone know the form token.
    async fn authorize_session(&self, request: &mut Parts) -> Result<Principal, HttpRefusal> {
        let session = self.find_session(request).await?;
        let session = session.ok_or_else(|| self.no_token(request, None))?;
        let presented = request.headers.get(FORM_TOKEN).map(HeaderValue::as_bytes);
        if !request.method.is_safe()
            && !presented.is_some_and(|presented| session.accepts_form_token(presented))
        {
            return Err(HttpRefusal::no_form_token());
        }
        let person = match session.identity() {
            None => Some(self.owner.owner.clone()),
            Some(login) => {
                self.credentials.people().person_with_login(&self.owner.owner, login).await?
            }
        };
        // The login was unlinked since.
        let person = person.ok_or_else(|| self.no_token(request, None))?;
        let principal = self.principal_of_person(&session, &person).await?;
        if !request.method.is_safe() {
            check_shown_memory(request, &principal)?;
        }
        request.extensions.insert(session.of_person(person));
        Ok(principal)
    }

    /// Returns the person in the memory that they chose. Who is not in a group any more is back in
    /// their own memory.
    async fn principal_of_person(
        &self,
        session: &BrowserSession,
        person: &OwnerId,
    ) -> Result<Principal, HttpRefusal> {
        let own = Principal { owner: person.clone(), ..self.owner.clone() };
        let Some(group) = session.memory().filter(|group| *group != person) else { return Ok(own) };
        let role = self.credentials.people().role(group, person).await?;
        Ok(match role {
            Some(role) => Principal {
                owner: group.clone(),
                reach: CallerAccess::Credential(Permission::Write),
                in_group: Some((person.clone(), role)),
                ..own
            },
            None => own,
        })
    }

    async fn find_session(&self, request: &Parts) -> Result<Option<BrowserSession>, HttpRefusal> {
        let Some(browser) = &self.browser else { return Ok(None) };
        let now = self.credentials.now();
        let found = browser.sessions.session_of_request(&request.headers, now).await;
        found.map_err(|error| Failure::new(ErrorCode::StoreBusy, error.to_string()).into())
    }

    /// Refusal for a missing or invalid credential. Where OAuth is available, the challenge says
    /// how to use it.
    fn no_token(&self, request: &Parts, error: Option<&str>) -> HttpRefusal {
        let target = RequestTarget::from_parts(request);
        let remote = self.oauth.as_ref().filter(|_| self.dialect_paths.contains(&target.path));
        let challenge = match (remote, error) {
            (Some(remote), error) => remote.challenge(&target, error, Permission::Write),
            (None, Some(error)) => format!("Bearer error=\"{error}\""),
            (None, None) => "Bearer".to_owned(),
        };
        HttpRefusal::no_token(challenge)
    }

    /// Returns the target of a request that was made with an access token. When its call lacks a
    /// scope, the challenge is built from it, and the client asks the owner for more.
    pub fn token_request_target(
        &self,
        request: &Parts,
    ) -> Option<(&OAuthEndpoints, RequestTarget)> {
        let credential = request.extensions.get::<Principal>()?.credential?;
        let remote = self.oauth.as_ref().filter(|_| matches!(credential, Credential::Token(_)))?;
        Some((remote, RequestTarget::from_parts(request)))
    }

    /// Returns the page where the owner grants more to the agent of this request.
    pub fn grant_page(&self, request: &Parts) -> Option<String> {
        let agent = request.extensions.get::<Principal>()?.agent.as_ref()?;
        let browser = self.browser.as_ref()?;
        let name: String = form_urlencoded::byte_serialize(agent.as_str().as_bytes()).collect();
        Some(format!("{}{}{name}", self.names.origin_of(request), browser.grant_page))
    }

    /// Redirects a browser that asks for a page without a credential to the login page.
    fn login_redirect(&self, request: &Parts) -> Option<Response> {
        // Only a page load is redirected; scripts and MCP clients need the 401 and its challenge.
        let accepts = request.headers.get(ACCEPT).and_then(|kinds| kinds.to_str().ok());
        let browser = self.browser.as_ref().filter(|_| request.method == Method::GET)?;
        let wanted = request.uri.path_and_query().map_or("/", PathAndQuery::as_str);
        let next: String = form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
        // An address with a secret in it is not repeated: it would end up in logs and histories.
        let login = if wanted == "/" || credential::may_hold_secret(wanted) {
            browser.login_page.clone()
        } else {
            format!("{}?next={next}", browser.login_page)
        };
        accepts?.contains("text/html").then(|| Redirect::to(&login).into_response())
    }
}

/// Checks that a page shows the memory that its request would change.
fn check_shown_memory(request: &Parts, principal: &Principal) -> Result<(), HttpRefusal> {
    let shown = request.headers.get(SHOWN_MEMORY);
    if shown.is_none_or(|shown| shown.as_bytes() == principal.owner.as_str().as_bytes()) {
        return Ok(());
    }
    let message =
        format!("this page shows another memory than the chosen one, {}", principal.owner);
    Err(Failure::new(ErrorCode::Conflict, message).into())
}
