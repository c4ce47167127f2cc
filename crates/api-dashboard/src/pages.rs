//! The pages. Each reads through the engine and is rendered in the server; changes go through
//! `/v1`. One table maps paths to pages.

mod activity;
mod agent;
mod agent_preview;
mod agents;
mod comparison_marks;
mod components;
mod connections;
mod consent;
mod console;
mod deep_links;
mod entity;
mod graph;
mod handoffs;
mod home;
mod markdown;
mod memories;
mod memory;
mod profile;
mod references;
mod review;
mod rules;
mod sessions;
mod settings;
pub(crate) mod shell;
mod table;
mod tables;
pub(crate) mod words;

pub(crate) use components::{counted, format_size};

use crate::Dashboard;
use crate::api::{self, RequestPart};
use crate::authorize::CONSENT;
use crate::request_context::RequestContext;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use model::Failure;
use shell::PageContent;

/// Path of the page that runs SQL.
pub(crate) const SQL_CONSOLE: &str = "/tables-console";

/// Returns the routes of all pages.
pub(crate) fn routes(dashboard: &Dashboard) -> Vec<(String, MethodRouter)> {
    let mut routes = PageRoutes { dashboard: dashboard.clone(), routes: Vec::new() };
    routes.page("/", home::page);
    routes.page("/memories", memories::page);
    routes.page("/memories/new", memory::new);
    routes.page("/memories/{id}", memory::page);
    routes.page("/review", review::page);
    routes.page("/profile", profile::page);
    routes.page("/tables", tables::page);
    routes.page("/tables/{table}", table::page);
    routes.raw("/tables/{table}/export", table::export);
    routes.page(SQL_CONSOLE, console::page);
    routes.page("/sessions", sessions::page);
    routes.page("/handoffs", handoffs::page);
    routes.page("/handoffs/{id}", handoffs::one);
    routes.page("/references", references::page);
    routes.page("/references/read", references::read);
    routes.page("/graph", graph::page);
    routes.page("/entities/{id}", entity::page);
    routes.page("/agents", agents::page);
    routes.page("/agents/one", agent::page);
    routes.page("/activity", activity::page);
    routes.raw("/activity/export", activity::export);
    routes.page("/sees", agent_preview::page);
    routes.page("/settings", settings::page);
    routes.raw(CONSENT, consent::page);
    routes.raw("/exported/{id}", settings::exported);
    routes.routes
}

/// Returns the page for an address under which there is none.
pub(crate) fn missing_page() -> Response {
    shell::html_response(StatusCode::NOT_FOUND, shell::missing_page())
}

struct PageRoutes {
    dashboard: Dashboard,
    routes: Vec<(String, MethodRouter)>,
}

impl PageRoutes {
    /// Adds a page with the common frame.
    fn page<P: RequestPart, Q: RequestPart, F>(
        &mut self,
        path: &'static str,
        render: fn(RequestContext, P, Q) -> F,
    ) where
        F: Future<Output = Result<PageContent, Failure>> + Send + 'static,
    {
        let dashboard = self.dashboard.clone();
        let answer = move |request: Request| {
            let dashboard = dashboard.clone();
            async move { render_page(&dashboard, request, path, render).await }
        };
        self.routes.push((path.to_owned(), get(answer)));
    }

    /// Adds a route that builds its own response: a download, or a page without the frame.
    fn raw<P: RequestPart, Q: RequestPart, F>(
        &mut self,
        path: &'static str,
        respond: fn(RequestContext, P, Q) -> F,
    ) where
        F: Future<Output = Result<Response, Failure>> + Send + 'static,
    {
        let dashboard = self.dashboard.clone();
        let answer = move |request: Request| {
            let dashboard = dashboard.clone();
            async move {
                let (mut parts, _) = request.into_parts();
                let response = match api::read_request(&dashboard, &mut parts, path).await {
                    Ok((context, path, query)) => respond(context, path, query).await,
                    Err(failure) => Err(failure),
                };
                response.unwrap_or_else(|failure| {
                    shell::html_response(status(&failure), shell::failure_page(&failure))
                })
            }
        };
        self.routes.push((path.to_owned(), get(answer)));
    }
}

async fn render_page<P: RequestPart, Q: RequestPart, F>(
    dashboard: &Dashboard,
    request: Request,
    name: &str,
    render: fn(RequestContext, P, Q) -> F,
) -> Response
where
    F: Future<Output = Result<PageContent, Failure>> + Send + 'static,
{
    let (mut parts, _) = request.into_parts();
    let (context, path, query) = match api::read_request(dashboard, &mut parts, name).await {
        Ok(read) => read,
        Err(failure) => {
            return shell::html_response(status(&failure), shell::failure_page(&failure));
        }
    };
    // Loaded first, because rendering the page consumes the context.
    let frame = shell::Frame::load(&context).await;
    match render(context, path, query).await {
        Ok(page) => shell::html_response(StatusCode::OK, frame.wrap(page)),
        Err(failure) => {
            let page = shell::failure_content(&failure, shell::nav_path_of(name));
            shell::html_response(status(&failure), frame.wrap(page))
        }
    }
}

fn status(failure: &Failure) -> StatusCode {
    StatusCode::from_u16(failure.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
