//! Login through an identity provider: the way there, and the way back. Whoever the provider names
//! is let in as the person that the login is linked to.

use super::{LoginPages, LoginQuery, NextPage, lead_to_dashboard, session_response};
use crate::pages::shell::html_response;
use axum::extract::Query;
use axum::http::header::{HOST, LOCATION, SET_COOKIE};
use axum::http::{Extensions, HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use engine::Caller;
use engine::people::LoginIdentity;
use model::{Dialect, ErrorCode, Failure};
use oidc::{ProviderIdentity, ProviderResponse, SignIn, SignInError, SignInOutcome};
use server::{ClientAddress, Endpoints};

/// Path that leads to the provider.
const START: &str = "/login/provider";
/// Path to which the provider sends the browser back.
pub const SIGN_IN_RETURN: &str = "/login/provider/done";

/// Login through an identity provider.
#[derive(Clone)]
pub struct ProviderLogin {
    pub sign_in: SignIn,
    /// Creates an owner for whoever signs in for the first time; otherwise nobody is let in whose
    /// login is not linked.
    pub creates_owners: bool,
}

impl ProviderLogin {
    /// Returns the name of the provider.
    pub(super) fn name(&self) -> &str {
        self.sign_in.provider_name()
    }
}

/// Returns the path that leads to the provider, and from there to a page.
pub(super) fn start_path(next: &NextPage) -> String {
    let next: String = form_urlencoded::byte_serialize(next.0.as_bytes()).collect();
    format!("{START}?next={next}")
}

/// Adds both paths to the endpoints, if there is a provider.
pub(super) fn add(endpoints: Endpoints, login: &LoginPages) -> Endpoints {
    let Some(provider) = login.provider.clone() else { return endpoints };
    let (pages, access) = (login.clone(), provider.clone());
    let start = move |headers: HeaderMap, sent: Extensions, query: Query<LoginQuery>| async move {
        let next = NextPage::parse(query.next.as_deref());
        let is_here = query.here.is_some();
        pages.start_sign_in(&access.sign_in, &headers, &sent, &next, is_here).await
    };
    let pages = login.clone();
    let back =
        get(move |headers: HeaderMap, Query(response): Query<ProviderResponse>| async move {
            pages.finish_sign_in(&provider, &headers, &response).await
        });
    endpoints.open_route(START, get(start)).open_route(SIGN_IN_RETURN, back)
}

impl LoginPages {
    async fn start_sign_in(
        &self,
        sign_in: &SignIn,
        headers: &HeaderMap,
        request: &Extensions,
        next: &NextPage,
        is_here: bool,
    ) -> Response {
        // The cookie must be of the host that the provider sends the browser back to.
        if let Some(other) = other_origin(sign_in, headers).filter(|_| !is_here) {
            return redirect(&format!("{other}{}&here=1", start_path(next)));
        }
        let now = self.engine.now();
        let from = ClientAddress::of_request(request);
        if let Err(error) = self.sessions.count_sign_in(from, now).await {
            return self.fail(next, error).await;
        }
        match sign_in.start(&next.0, now).await {
            Ok(way) => {
                let cookie = self.sessions.sign_in_cookie(&way.browser_secret, way.seconds);
                with_cookie(redirect(&way.location), &cookie)
            }
            Err(error) => self.refuse_sign_in(next, &error).await,
        }
    }

    async fn finish_sign_in(
        &self,
        provider: &ProviderLogin,
        headers: &HeaderMap,
        response: &ProviderResponse,
    ) -> Response {
        let (secret, now) = (self.sessions.sign_in_secret(headers), self.engine.now());
        let finished = provider.sign_in.finish(response, secret, now).await;
        let answer = match finished {
            Ok(outcome) => self.let_in(provider, headers, &outcome).await,
            Err(error) => self.refuse_sign_in(&NextPage::parse(None), &error).await,
        };
        with_cookie(answer, &self.sessions.sign_in_cookie("", 0))
    }

    /// Opens a session for the person of a login.
    async fn let_in(
        &self,
        provider: &ProviderLogin,
        headers: &HeaderMap,
        outcome: &SignInOutcome,
    ) -> Response {
        let next = NextPage::parse(Some(&outcome.next));
        let ProviderIdentity { issuer, subject, username } = outcome.identity.clone();
        let identity = LoginIdentity { issuer, subject };
        if let Err(failure) = self.admit(provider, &identity, username.as_deref()).await {
            let status = StatusCode::from_u16(failure.code.http_status());
            let status = status.unwrap_or(StatusCode::FORBIDDEN);
            let page = self.page(&next, Some(&format!("{}.", failure.message)), None).await;
            return html_response(status, page);
        }
        let (login, now) = (identity.hash(), self.engine.now());
        let Some(dashboard) = self.elsewhere(headers) else {
            return match self.sessions.open_for_login(login, now).await {
                Ok(session) => session_response(&session, &next),
                Err(error) => self.fail(&next, error).await,
            };
        };
        match self.sessions.create_link_for(Some(login), now).await {
            Ok(link) => lead_to_dashboard(dashboard, headers, &link, &next),
            Err(error) => self.fail(&next, error).await,
        }
    }

    /// Finds the person of a login, or creates them where that is allowed, and notes the login in
    /// the person's audit log.
    async fn admit(
        &self,
        provider: &ProviderLogin,
        identity: &LoginIdentity,
        username: Option<&str>,
    ) -> Result<(), Failure> {
        let people = self.credentials.people();
        let linked = people.person_with_login(&self.owner, identity.hash()).await?;
        let person = match linked {
            Some(person) => person,
            None if provider.creates_owners => {
                let mut server = Caller::person(self.owner.clone()).with_tool("sign in");
                server.author.dialect = Dialect::Rest;
                people.create_person(&server, identity, username).await?
            }
            None => return Err(unlinked(identity)),
        };
        let mut caller = Caller::person(person).with_tool("sign in");
        caller.author.dialect = Dialect::Rest;
        let note = format!("signed in with {}", provider.name());
        self.credentials.note_owner_action(&caller, &"sign in", note).await
    }

    async fn refuse_sign_in(&self, next: &NextPage, error: &SignInError) -> Response {
        tracing::warn!(%error, "nobody was signed in");
        let status = match error {
            SignInError::Provider(_) => StatusCode::BAD_GATEWAY,
            SignInError::NoRandomness | SignInError::NotStored => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::UNAUTHORIZED,
        };
        html_response(status, self.page(next, Some(&format!("{error}.")), None).await)
    }
}

/// Returns the failure for a login of nobody here, with the words for whoever can link it.
fn unlinked(identity: &LoginIdentity) -> Failure {
    let subject = &identity.subject;
    let message = format!(
        "your login is not linked to anybody here; whoever runs this server can do it with \
         `quipu owners link NAME --subject '{subject}'`"
    );
    Failure::new(ErrorCode::Forbidden, message)
}

/// Returns the origin to which the provider sends browsers back, if the request was sent to another
/// one.
fn other_origin<'s>(sign_in: &'s SignIn, headers: &HeaderMap) -> Option<&'s str> {
    let origin = sign_in.redirect_uri().strip_suffix(SIGN_IN_RETURN)?;
    let authority = origin.split_once("://")?.1;
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    (!host.eq_ignore_ascii_case(authority)).then_some(origin)
}

fn redirect(to: &str) -> Response {
    match HeaderValue::from_str(to) {
        Ok(location) => (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response(),
        // An address that no header can carry is not the provider's.
        Err(_) => StatusCode::BAD_GATEWAY.into_response(),
    }
}

/// Adds a cookie, besides those that a response sets already.
fn with_cookie(mut response: Response, cookie: &str) -> Response {
    // A cookie is made of base64 and fixed words.
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
