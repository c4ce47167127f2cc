//! The pages. Each reads through the engine and is rendered in the server; changes go through
//! `/v1`. One table maps paths to pages.

mod activity;
mod agent;
mod agents;
mod connections;
mod consent;
mod console;
mod entity;
mod graph;
mod handoffs;
mod home;
mod markdown;
mod memories;
mod memory;
mod parts;
mod profile;
mod references;
mod review;
mod rules;
mod sees;
mod sessions;
mod settings;
pub(crate) mod shell;
mod table;
mod tables;

use crate::Window;
use crate::api::{self, Input};
use crate::authorize::CONSENT;
use crate::desk::Desk;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use model::Failure;
use shell::Page;

/// Returns the routes of all pages.
pub(crate) fn routes(dashboard: &Window) -> Vec<(String, MethodRouter)> {
    let mut routes = Routes { window: dashboard.clone(), routes: Vec::new() };
    routes.page("/", home::page);
    routes.page("/memories", memories::page);
    routes.page("/memories/new", memory::new);
    routes.page("/memories/{id}", memory::page);
    routes.page("/review", review::page);
    routes.page("/profile", profile::page);
    routes.page("/tables", tables::page);
    routes.page("/tables/{table}", table::page);
    routes.file("/tables/{table}/export", table::export);
    routes.page("/tables-console", console::page);
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
    routes.file("/activity/export", activity::export);
    routes.page("/sees", sees::page);
    routes.page("/settings", settings::page);
    routes.file(CONSENT, consent::page);
    routes.file("/exported/{id}", settings::exported);
    routes.routes
}

struct Routes {
    window: Window,
    routes: Vec<(String, MethodRouter)>,
}

impl Routes {
    /// Adds a page with the common frame.
    fn page<P: Input, Q: Input, F>(&mut self, path: &'static str, render: fn(Desk, P, Q) -> F)
    where
        F: Future<Output = Result<Page, Failure>> + Send + 'static,
    {
        let dashboard = self.window.clone();
        let answer = move |request: Request| {
            let dashboard = dashboard.clone();
            async move { shown(&dashboard, request, path, render).await }
        };
        self.routes.push((path.to_owned(), get(answer)));
    }

    /// Adds a route that builds its own response: a download, or a page without the frame.
    fn file<P: Input, Q: Input, F>(&mut self, path: &'static str, give: fn(Desk, P, Q) -> F)
    where
        F: Future<Output = Result<Response, Failure>> + Send + 'static,
    {
        let dashboard = self.window.clone();
        let answer = move |request: Request| {
            let dashboard = dashboard.clone();
            async move {
                let (mut parts, _) = request.into_parts();
                let response = match api::read(&dashboard, &mut parts, path).await {
                    Ok((context, path, query)) => give(context, path, query).await,
                    Err(failure) => Err(failure),
                };
                response.unwrap_or_else(|failure| {
                    shell::html(status(&failure), shell::refused(&failure))
                })
            }
        };
        self.routes.push((path.to_owned(), get(answer)));
    }
}

async fn shown<P: Input, Q: Input, F>(
    dashboard: &Window,
    request: Request,
    name: &str,
    render: fn(Desk, P, Q) -> F,
) -> Response
where
    F: Future<Output = Result<Page, Failure>> + Send + 'static,
{
    let (mut parts, _) = request.into_parts();
    let rendered = match api::read(dashboard, &mut parts, name).await {
        Ok((context, path, query)) => {
            // Loaded first, because rendering the page consumes the context.
            let frame = shell::Frame::of(&context).await;
            render(context, path, query).await.map(|page| frame.around(page))
        }
        Err(failure) => Err(failure),
    };
    match rendered {
        Ok(markup) => shell::html(StatusCode::OK, markup),
        Err(failure) => shell::html(status(&failure), shell::refused(&failure)),
    }
}

fn status(failure: &Failure) -> StatusCode {
    StatusCode::from_u16(failure.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
