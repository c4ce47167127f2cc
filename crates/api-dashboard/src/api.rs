//! The table of REST operations. Each row states the path, input, output and summary of an
//! operation once; its route and its entry in `/v1/openapi.json` are both generated from it, so
//! neither can be missing or disagree.

mod description;
mod response;

pub(crate) use response::{ApiResponse, failure_response};

use crate::Dashboard;
use crate::request_context::{self, RequestContext};
use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{MethodFilter, MethodRouter, get, on};
use description::OperationDescription;
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

/// Location of the shared schemas in the OpenAPI document.
const SCHEMAS_PATH: &str = "/components/schemas";

/// A path, query or body without fields.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoFields {}

/// Type that one part of a request is parsed into.
pub(crate) trait RequestPart: DeserializeOwned + JsonSchema + Send + 'static {}
impl<T: DeserializeOwned + JsonSchema + Send + 'static> RequestPart for T {}

/// Type of a response body.
pub(crate) trait ResponseBody: Serialize + JsonSchema + Send + 'static {}
impl<T: Serialize + JsonSchema + Send + 'static> ResponseBody for T {}

/// Builder of the REST operations.
pub(crate) struct Api {
    schemas: SchemaGenerator,
    operations: Vec<OperationDescription>,
    routes: Vec<(&'static str, RouteBuilder)>,
}

/// Builds the route of an operation once the dashboard is known.
type RouteBuilder = Box<dyn FnOnce(&Dashboard) -> MethodRouter>;

impl Api {
    /// Creates an API without operations.
    pub fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = SCHEMAS_PATH.into();
            // An OpenAPI document names the dialect of its schemas once.
            settings.meta_schema = None;
        });
        Self { schemas: settings.into_generator(), operations: Vec::new(), routes: Vec::new() }
    }

    /// Adds an operation that only reads. Its input is the query string.
    pub fn get<P: RequestPart, Q: RequestPart, A: ResponseBody, F>(
        mut self,
        path: &'static str,
        summary: &'static str,
        serve: fn(RequestContext, P, Q) -> F,
    ) -> Self
    where
        F: Future<Output = Result<ApiResponse<A>, Failure>> + Send + 'static,
    {
        let operation =
            OperationDescription::new::<P, A>(&mut self.schemas, &Method::GET, path, summary);
        let operation = operation.with_query::<Q>(&mut self.schemas);
        let name = operation.id.clone();
        self.operations.push(operation);
        self.mount(path, Method::GET, move |dashboard, request| {
            let name = name.clone();
            async move {
                // The caller is identified before any input is parsed.
                let (mut parts, _) = request.into_parts();
                let context = RequestContext::new(&dashboard, &parts, &name)?;
                let (path, query) = (
                    request_context::parse_path(&mut parts).await?,
                    request_context::parse_query(&parts)?,
                );
                let usage = UsageRecorder::for_caller(&context);
                Ok(usage.record(serve(context, path, query).await?.into_response()))
            }
        })
    }

    /// Adds an operation that changes something. Its input is the JSON body.
    pub fn change<P: RequestPart, B: RequestPart, A: ResponseBody, F>(
        mut self,
        method: Method,
        path: &'static str,
        summary: &'static str,
        serve: fn(RequestContext, P, B) -> F,
    ) -> Self
    where
        F: Future<Output = Result<ApiResponse<A>, Failure>> + Send + 'static,
    {
        let operation =
            OperationDescription::new::<P, A>(&mut self.schemas, &method, path, summary);
        let operation = operation.with_body::<B>(&mut self.schemas);
        let name = operation.id.clone();
        self.operations.push(operation);
        self.mount(path, method, move |dashboard, request| {
            let name = name.clone();
            async move {
                let (mut parts, body) = request.into_parts();
                let context = RequestContext::new(&dashboard, &parts, &name)?;
                let path = request_context::parse_path(&mut parts).await?;
                let body = request_context::parse_body(Request::from_parts(parts, body)).await?;
                let usage = UsageRecorder::for_caller(&context);
                Ok(usage.record(serve(context, path, body).await?.into_response()))
            }
        })
    }

    /// Adds a stream of server-sent events. A caller without permission is refused before the
    /// stream starts.
    pub fn events<P: RequestPart, S, F>(
        mut self,
        path: &'static str,
        summary: &'static str,
        serve: fn(RequestContext, P) -> F,
    ) -> Self
    where
        S: Stream<Item = Event> + Send + 'static,
        F: Future<Output = Result<S, Failure>> + Send + 'static,
    {
        let operation = OperationDescription::events::<P>(&mut self.schemas, path, summary);
        let name = operation.id.clone();
        self.operations.push(operation);
        self.mount(path, Method::GET, move |dashboard, request| {
            let name = name.clone();
            async move {
                let (mut parts, _) = request.into_parts();
                let context = RequestContext::new(&dashboard, &parts, &name)?;
                let events = serve(context, request_context::parse_path(&mut parts).await?).await?;
                Ok(Sse::new(events.map(Ok::<_, Infallible>))
                    // Proxies drop a connection that is silent for long.
                    .keep_alive(KeepAlive::default())
                    .into_response())
            }
        })
    }

    fn mount<F>(
        mut self,
        path: &'static str,
        method: Method,
        serve: impl Fn(Dashboard, Request) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Response, Failure>> + Send + 'static,
    {
        let builder = move |dashboard: &Dashboard| {
            let dashboard = dashboard.clone();
            let answer = move |request: Request| {
                let response = serve(dashboard.clone(), request);
                async move { response.await.unwrap_or_else(|failure| failure_response(&failure)) }
            };
            on(method_filter(&method), answer)
        };
        self.routes.push((path, Box::new(builder)));
        self
    }

    /// Returns the summary of each operation by its name.
    pub fn summaries(&self) -> BTreeMap<String, &'static str> {
        self.operations.iter().map(|one| (one.id.clone(), one.summary)).collect()
    }

    /// Returns the routes by path, and the route of the OpenAPI document.
    pub fn into_routes(
        mut self,
        dashboard: &Dashboard,
    ) -> (BTreeMap<String, MethodRouter>, MethodRouter) {
        let description: Arc<Value> = Arc::new(description::openapi_document(
            &self.operations,
            self.schemas.take_definitions(true),
        ));
        let mut routes: BTreeMap<String, MethodRouter> = BTreeMap::new();
        for (path, builder) in self.routes {
            // Several operations share a path under different methods.
            let route = routes.remove(path).unwrap_or_default();
            routes.insert(path.to_owned(), route.merge(builder(dashboard)));
        }
        (routes, get(move || async move { Json(Value::clone(&description)) }))
    }
}

/// Approximate number of bytes per token. Good enough for statistics, and cheaper than counting the
/// text again.
const TOKEN_BYTES: usize = 4;

/// Records the tokens served to an agent. What the owner looks at is not counted.
struct UsageRecorder(Option<(Arc<Engine>, Caller)>);

impl UsageRecorder {
    fn for_caller(context: &RequestContext) -> Self {
        Self(
            (!context.caller.is_human())
                .then(|| (Arc::clone(&context.engine), context.caller.clone())),
        )
    }

    fn record(self, response: Response) -> Response {
        if let Self(Some((engine, agent))) = self {
            let bytes = response.body().size_hint().exact().unwrap_or(0);
            engine
                .admin()
                .note_served(&agent, usize::try_from(bytes).unwrap_or(0).div_ceil(TOKEN_BYTES));
        }
        response
    }
}

/// Converts a method; every method used here has a filter.
fn method_filter(method: &Method) -> MethodFilter {
    MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::POST)
}

/// Parses a page request: its context, path and query.
pub(crate) async fn read_request<P: RequestPart, Q: RequestPart>(
    dashboard: &Dashboard,
    parts: &mut Parts,
    name: &str,
) -> Result<(RequestContext, P, Q), Failure> {
    let context = RequestContext::new(dashboard, parts, name)?;
    let path = request_context::parse_path(parts).await?;
    let query = request_context::parse_query(parts)?;
    Ok((context, path, query))
}
