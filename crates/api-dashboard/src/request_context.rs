//! Context of a request: its caller, the services it may use, and the parsing of its parts. Input
//! that cannot be parsed is refused with a code of the common table.

use crate::jobs::Jobs;
use crate::v1::ConsentQuery;
use crate::{Dashboard, DemoSource};
use axum::body::to_bytes;
use axum::extract::{FromRequestParts, Path, Query, Request};
use axum::http::header::{CONTENT_TYPE, HOST, IF_MATCH};
use axum::http::request::Parts;
use engine::credentials::Credentials;
use engine::overview::Overview;
use engine::{Caller, Engine, ExpectedVersion};
use model::{ErrorCode, Failure, GroupRole, OwnerId};
use oauth::{AuthorizeRefusal, AuthorizeRequest, ConsentRequest};
use serde::de::DeserializeOwned;
use server::{BrowserSession, BrowserSessions, ServedDialect};
use std::path::PathBuf;
use std::sync::Arc;

/// Maximum body size in bytes; the server has already enforced the same limit.
const BODY_BYTES: usize = 1 << 20;

/// Caller of a request and the services it may use.
pub(crate) struct RequestContext {
    pub engine: Arc<Engine>,
    pub credentials: Arc<Credentials>,
    /// The owner in person, or an agent by its credential.
    pub caller: Caller,
    /// Address that programs use, where it is not the one that the browser used.
    pub plain_origin: Option<String>,
    /// Value of `If-Match`: the version that an edit is based on.
    pub if_match: Option<String>,
    /// Host name that the browser used.
    host: String,
    pub backups: PathBuf,
    pub sessions: BrowserSessions,
    /// Browser session of this request.
    pub session: Option<BrowserSession>,
    /// Owner of the server.
    server_owner: OwnerId,
    oauth: Option<Arc<oauth::AuthorizationServer>>,
    /// Served dialects.
    pub dialects: Vec<ServedDialect>,
    pub jobs: Jobs,
    /// Sample memory.
    pub demo: Option<DemoSource>,
}

impl RequestContext {
    /// Creates the context of a request to the named operation.
    pub fn new(dashboard: &Dashboard, parts: &Parts, operation: &str) -> Result<Self, Failure> {
        let caller = server::request_caller(&parts.extensions)?.with_tool(operation);
        let session = parts.extensions.get::<BrowserSession>().cloned();
        let plain_origin = dashboard
            .sessions
            .dashboard_host()
            .and_then(|dashboard| dashboard.plain_origin_for(&parts.headers));
        let host = parts
            .headers
            .get(HOST)
            .and_then(|host| host.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        let if_match =
            parts.headers.get(IF_MATCH).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        Ok(Self {
            engine: Arc::clone(&dashboard.engine),
            credentials: Arc::clone(&dashboard.credentials),
            caller,
            plain_origin,
            if_match,
            host,
            backups: dashboard.backups.clone(),
            sessions: dashboard.sessions.clone(),
            session,
            server_owner: dashboard.owner.clone(),
            oauth: dashboard.oauth.clone(),
            dialects: dashboard.dialects.clone(),
            jobs: dashboard.jobs.clone(),
            demo: dashboard.demo.clone(),
        })
    }

    /// Returns the names by which memories can be chosen. A member of a group gets none: they count
    /// over everything, also what grants hide.
    pub async fn overview(&self) -> Result<Overview, Failure> {
        if self.caller.is_member {
            return Ok(Overview::default());
        }
        self.engine.memories().overview(&self.caller, 1).await
    }

    /// Returns true for the owner of the server, whose password and token open it.
    pub fn is_server_owner(&self) -> bool {
        let signed_in = self.session.as_ref().and_then(BrowserSession::identity);
        self.caller.owner == self.server_owner && signed_in.is_none() && self.caller.in_person
    }

    /// Checks that somebody who acts in a group is still in it, for a response that goes on.
    pub async fn check_membership(&self) -> Result<(), Failure> {
        let Some(person) = self.caller.author.agent.person() else { return Ok(()) };
        let role = self.credentials.people().role(&self.caller.owner, &person).await?;
        let is_unchanged = match role {
            Some(GroupRole::Admin) => self.caller.in_person,
            Some(GroupRole::Member) => self.caller.is_member,
            None => false,
        };
        if is_unchanged {
            return Ok(());
        }
        Err(Failure::new(ErrorCode::Forbidden, "you are not in this group any more"))
    }

    /// Returns the OAuth authorization server.
    pub fn authorization_server(&self) -> Result<&oauth::AuthorizationServer, Failure> {
        self.oauth.as_deref().ok_or_else(|| {
            let message =
                "OAuth is not available; serve on this machine, or behind https with --public-url";
            Failure::new(ErrorCode::NotFound, message)
        })
    }

    /// Parses an authorization request. The inner error says whether it is reported to the person
    /// or to the program.
    pub async fn parse_authorization(
        &self,
        query: ConsentQuery,
    ) -> Result<Result<ConsentRequest, AuthorizeRefusal>, Failure> {
        let host = query.via.clone().unwrap_or_else(|| self.host.clone());
        let request = AuthorizeRequest::from(query);
        Ok(self.authorization_server()?.authorize(&request, &host, self.engine.now()).await)
    }

    /// Returns the caller with the version that an edit is based on. The store compares it inside
    /// the write, so of several concurrent edits one succeeds.
    pub fn editor(
        &self,
        parse_tag: impl Fn(&str) -> Option<ExpectedVersion>,
    ) -> Result<Caller, Failure> {
        match self.if_match.as_deref() {
            // Without a version the last edit wins.
            None | Some("*") => Ok(self.caller.clone()),
            Some(tag) => match parse_tag(tag.trim_matches('"')) {
                Some(expected) => Ok(self.caller.clone().expecting_version(expected)),
                None => {
                    let message = format!("{tag} in If-Match was never a version of this resource");
                    Err(Failure::new(ErrorCode::Conflict, message))
                }
            },
        }
    }
}

/// Parses the path parameters.
pub(crate) async fn parse_path<P: DeserializeOwned + Send>(
    parts: &mut Parts,
) -> Result<P, Failure> {
    let parsed = Path::<P>::from_request_parts(parts, &()).await;
    parsed.map(|Path(path)| path).map_err(|rejection| Failure::invalid(rejection.body_text()))
}

/// Parses the query string.
pub(crate) fn parse_query<Q: DeserializeOwned>(parts: &Parts) -> Result<Q, Failure> {
    let parsed = Query::<Q>::try_from_uri(&parts.uri);
    parsed.map(|Query(query)| query).map_err(|rejection| Failure::invalid(rejection.body_text()))
}

/// Parses the JSON body; an empty body counts as an empty object.
pub(crate) async fn parse_body<B: DeserializeOwned>(request: Request) -> Result<B, Failure> {
    let kind =
        request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    // A page of another site cannot send `application/json` without a preflight.
    let is_json = kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json");
    let bytes = to_bytes(request.into_body(), BODY_BYTES).await;
    let bytes = bytes.map_err(|_| Failure::invalid("the body of the request is incomplete"))?;
    if !bytes.is_empty() && !is_json {
        return Err(Failure::invalid("send the body as application/json"));
    }
    let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
    serde_json::from_slice(text)
        .map_err(|error| Failure::invalid(format!("the body is not valid: {error}")))
}
