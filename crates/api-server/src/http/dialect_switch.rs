//! Switch of a dialect. The owner can turn a dialect off; the setting is read for every request, so
//! that it takes effect at once.

use super::refusal::HttpRefusal;
use crate::identity::Principal;
use axum::extract::Request;
use axum::http::Extensions;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use engine::Engine;
use model::Dialect;
use std::sync::Arc;

/// Wraps a route so that it answers only while the dialect is turned on.
pub(super) fn wrap_route(
    route: MethodRouter,
    engine: Arc<Engine>,
    dialect: Dialect,
) -> MethodRouter {
    route.layer(from_fn(move |request: Request, next: Next| {
        let engine = Arc::clone(&engine);
        async move {
            match refusal_if_off(&engine, dialect, request.extensions()).await {
                Some(refused) => refused,
                None => next.run(request).await,
            }
        }
    }))
}

/// Returns the refusal when the owner turned the dialect off.
pub(super) async fn refusal_if_off(
    engine: &Engine,
    dialect: Dialect,
    extensions: &Extensions,
) -> Option<Response> {
    // Without a principal the path is open, and no owner could have turned anything off.
    let is_enabled =
        engine.admin().is_dialect_enabled(&extensions.get::<Principal>()?.owner, dialect).await;
    (!is_enabled).then(|| HttpRefusal::turned_off(dialect.name()).into_response())
}
