//! The desk that a request is served at: who asks, of which memory, and how the parts of the
//! request are read. Whatever cannot be read is refused with one of the codes of the table.

use crate::Window;
use crate::work::Works;
use axum::body::to_bytes;
use axum::extract::{FromRequestParts, Path, Query, Request};
use axum::http::header::{CONTENT_TYPE, HOST, IF_MATCH};
use axum::http::request::Parts;
use engine::credentials::Credentials;
use engine::{Caller, Engine, Standing};
use model::{Dialect, ErrorCode, Failure};
use oauth::{Asked, AuthorizeRequest, Turned};
use serde::de::DeserializeOwned;
use server::{Visit, Visits};
use std::path::PathBuf;
use std::sync::Arc;

/// The longest body, in bytes; the gate has read no more.
const BODY_BYTES: usize = 1 << 20;

/// Who asks, and what they may use.
pub(crate) struct Desk {
    /// The memory.
    pub engine: Arc<Engine>,
    /// The keys that let agents in.
    pub credentials: Arc<Credentials>,
    /// Who asks: the owner in person, or an agent by its credential.
    pub caller: Caller,
    /// What a page must repeat to change something; empty for a script, which shows a token
    /// instead.
    pub form_token: String,
    /// The version that an edit was made from, as the client knows it.
    pub if_match: Option<String>,
    /// The name that the browser reached us by.
    host: String,
    /// The directory for backups.
    pub backups: PathBuf,
    /// The visits under way.
    pub visits: Visits,
    /// The one that this request belongs to.
    pub visit: Option<Visit>,
    remote: Option<Arc<oauth::Desk>>,
    /// The dialects that are served, each with its path.
    pub dialects: Vec<(Dialect, String)>,
    /// The long work under way.
    pub works: Works,
}

impl Desk {
    /// The desk for a request to an operation of this name.
    pub fn new(window: &Window, parts: &Parts, operation: &str) -> Result<Self, Failure> {
        let caller = server::visitor(&parts.extensions)?.using(operation);
        let visit = parts.extensions.get::<Visit>().cloned();
        let form_token = visit.as_ref().map(|visit| visit.form_token.clone());
        let host = parts
            .headers
            .get(HOST)
            .and_then(|host| host.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        let if_match =
            parts.headers.get(IF_MATCH).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        Ok(Self {
            engine: Arc::clone(&window.engine),
            credentials: Arc::clone(&window.credentials),
            caller,
            form_token: form_token.unwrap_or_default(),
            if_match,
            host,
            backups: window.backups.clone(),
            visits: window.visits.clone(),
            visit,
            remote: window.remote.clone(),
            dialects: window.dialects.clone(),
            works: window.works.clone(),
        })
    }

    /// The desk that programs come to over OAuth.
    pub fn remote(&self) -> Result<&oauth::Desk, Failure> {
        self.remote.as_deref().ok_or_else(|| {
            let message =
                "programs cannot ask here; serve on this machine, or behind https with --public-url";
            Failure::new(ErrorCode::NotFound, message)
        })
    }

    /// Reads what a program asks for; whoever it must be told is told.
    pub async fn asked(&self, request: AuthorizeRequest) -> Result<Result<Asked, Turned>, Failure> {
        Ok(self.remote()?.ask(&request, &self.host, self.engine.now()).await)
    }

    /// Who edits something, and from which version: the store refuses it when another stands by
    /// then.
    pub fn editor(&self, seen: impl Fn(&str) -> Option<Standing>) -> Result<Caller, Failure> {
        match self.if_match.as_deref() {
            None | Some("*") => Ok(self.caller.clone()),
            Some(tag) => match seen(tag.trim_matches('"')) {
                Some(standing) => Ok(self.caller.clone().expecting(standing)),
                None => {
                    let message = format!("If-Match says {tag}, which was never a version of this");
                    Err(Failure::new(ErrorCode::Conflict, message))
                }
            },
        }
    }
}

/// The parts of the path that stand in braces.
pub(crate) async fn path<P: DeserializeOwned + Send>(parts: &mut Parts) -> Result<P, Failure> {
    let read = Path::<P>::from_request_parts(parts, &()).await;
    read.map(|Path(path)| path).map_err(|rejection| Failure::invalid(rejection.body_text()))
}

/// What stands behind the question mark.
pub(crate) fn query<Q: DeserializeOwned>(parts: &Parts) -> Result<Q, Failure> {
    let read = Query::<Q>::try_from_uri(&parts.uri);
    read.map(|Query(query)| query).map_err(|rejection| Failure::invalid(rejection.body_text()))
}

/// The JSON of the body; no body is an empty object.
pub(crate) async fn body<B: DeserializeOwned>(request: Request) -> Result<B, Failure> {
    let kind =
        request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_json = kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json");
    let bytes = to_bytes(request.into_body(), BODY_BYTES).await;
    let bytes = bytes.map_err(|_| Failure::invalid("the body of the request broke off"))?;
    if !bytes.is_empty() && !is_json {
        return Err(Failure::invalid("send the body as application/json"));
    }
    let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
    serde_json::from_slice(text)
        .map_err(|error| Failure::invalid(format!("the body cannot be read: {error}")))
}
