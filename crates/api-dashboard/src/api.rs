//! The table of REST operations: each says once what it takes, gives and does, and from that come
//! both its route and its place in the description at `/v1/openapi.json`. Neither can be forgotten
//! or say something else.

mod answer;
mod description;

pub(crate) use answer::{Answer, refused};

use crate::Window;
use crate::desk::{self, Desk};
use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{MethodFilter, MethodRouter, get, on};
use description::Described;
use engine::{Caller, Engine};
use futures_util::stream::{Stream, StreamExt};
use model::Failure;
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

/// Where the description keeps the schemas that several operations share.
const SCHEMAS: &str = "/components/schemas";

/// A path without parts in braces, a query or a body without fields.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// What reads one part of a request.
pub(crate) trait Input: DeserializeOwned + JsonSchema + Send + 'static {}
impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for T {}

/// What an operation answers with.
pub(crate) trait Output: Serialize + JsonSchema + Send + 'static {}
impl<T: Serialize + JsonSchema + Send + 'static> Output for T {}

/// The operations.
pub(crate) struct Api {
    schemas: SchemaGenerator,
    described: Vec<Described>,
    routes: Vec<(&'static str, Mounted)>,
}

/// Makes the route of an operation once the window is known.
type Mounted = Box<dyn FnOnce(&Window) -> MethodRouter>;

impl Api {
    /// No operations yet.
    pub fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = SCHEMAS.into();
            settings.meta_schema = None;
        });
        Self { schemas: settings.into_generator(), described: Vec::new(), routes: Vec::new() }
    }

    /// An operation that only reads. What it takes stands behind the question mark.
    pub fn get<P: Input, Q: Input, A: Output, F>(
        mut self,
        path: &'static str,
        says: &'static str,
        serve: fn(Desk, P, Q) -> F,
    ) -> Self
    where
        F: Future<Output = Result<Answer<A>, Failure>> + Send + 'static,
    {
        let operation = Described::new::<P, A>(&mut self.schemas, &Method::GET, path, says);
        let operation = operation.with_query::<Q>(&mut self.schemas);
        let name = operation.id.clone();
        self.described.push(operation);
        self.mount(path, Method::GET, move |window, request| {
            let name = name.clone();
            async move {
                let (mut parts, _) = request.into_parts();
                let desk = Desk::new(&window, &parts, &name)?;
                let (path, query) = (desk::path(&mut parts).await?, desk::query(&parts)?);
                let given = Given::to(&desk);
                Ok(given.noted(serve(desk, path, query).await?.into_response()))
            }
        })
    }

    /// An operation that changes something. What it takes is the JSON of the body.
    pub fn change<P: Input, B: Input, A: Output, F>(
        mut self,
        method: Method,
        path: &'static str,
        says: &'static str,
        serve: fn(Desk, P, B) -> F,
    ) -> Self
    where
        F: Future<Output = Result<Answer<A>, Failure>> + Send + 'static,
    {
        let operation = Described::new::<P, A>(&mut self.schemas, &method, path, says);
        let operation = operation.with_body::<B>(&mut self.schemas);
        let name = operation.id.clone();
        self.described.push(operation);
        self.mount(path, method, move |window, request| {
            let name = name.clone();
            async move {
                let (mut parts, body) = request.into_parts();
                let desk = Desk::new(&window, &parts, &name)?;
                let path = desk::path(&mut parts).await?;
                let body = desk::body(Request::from_parts(parts, body)).await?;
                let given = Given::to(&desk);
                Ok(given.noted(serve(desk, path, body).await?.into_response()))
            }
        })
    }

    /// A stream of events: what the server tells by itself until there is nothing more to tell. Who
    /// may not hear it is refused before it begins.
    pub fn events<P: Input, S, F>(
        mut self,
        path: &'static str,
        says: &'static str,
        serve: fn(Desk, P) -> F,
    ) -> Self
    where
        S: Stream<Item = Event> + Send + 'static,
        F: Future<Output = Result<S, Failure>> + Send + 'static,
    {
        let operation = Described::events::<P>(&mut self.schemas, path, says);
        let name = operation.id.clone();
        self.described.push(operation);
        self.mount(path, Method::GET, move |window, request| {
            let name = name.clone();
            async move {
                let (mut parts, _) = request.into_parts();
                let desk = Desk::new(&window, &parts, &name)?;
                let events = serve(desk, desk::path(&mut parts).await?).await?;
                Ok(Sse::new(events.map(Ok::<_, Infallible>))
                    .keep_alive(KeepAlive::default())
                    .into_response())
            }
        })
    }

    fn mount<F>(
        mut self,
        path: &'static str,
        method: Method,
        serve: impl Fn(Window, Request) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Response, Failure>> + Send + 'static,
    {
        let mounted = move |window: &Window| {
            let window = window.clone();
            let answer = move |request: Request| {
                let served = serve(window.clone(), request);
                async move { served.await.unwrap_or_else(|failure| refused(&failure)) }
            };
            on(filter(&method), answer)
        };
        self.routes.push((path, Box::new(mounted)));
        self
    }

    /// The routes by path, and the route of the description.
    pub fn into_routes(
        mut self,
        window: &Window,
    ) -> (BTreeMap<String, MethodRouter>, MethodRouter) {
        let description: Arc<Value> =
            Arc::new(description::whole(&self.described, self.schemas.take_definitions(true)));
        let mut routes: BTreeMap<String, MethodRouter> = BTreeMap::new();
        for (path, mounted) in self.routes {
            let route = routes.remove(path).unwrap_or_default();
            routes.insert(path.to_owned(), route.merge(mounted(window)));
        }
        (routes, get(move || async move { Json(Value::clone(&description)) }))
    }
}

/// About how many bytes a token has.
const TOKEN_BYTES: usize = 4;

/// Who is given an answer. What an agent gets is counted; what the owner looks at is not.
struct Given(Option<(Arc<Engine>, Caller)>);

impl Given {
    fn to(desk: &Desk) -> Self {
        Self((!desk.caller.in_person).then(|| (Arc::clone(&desk.engine), desk.caller.clone())))
    }

    fn noted(self, response: Response) -> Response {
        if let Self(Some((engine, agent))) = self {
            let bytes = response.body().size_hint().exact().unwrap_or(0);
            engine
                .admin()
                .note_served(&agent, usize::try_from(bytes).unwrap_or(0).div_ceil(TOKEN_BYTES));
        }
        response
    }
}

/// Everything but reading is a change.
fn filter(method: &Method) -> MethodFilter {
    MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::POST)
}

/// Who asks for a page, and what the path and the query say.
pub(crate) async fn read<P: Input, Q: Input>(
    window: &Window,
    parts: &mut Parts,
    name: &str,
) -> Result<(Desk, P, Q), Failure> {
    let desk = Desk::new(window, parts, name)?;
    let path = desk::path(parts).await?;
    let query = desk::query(parts)?;
    Ok((desk, path, query))
}
