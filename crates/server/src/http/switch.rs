//! The switch before a dialect: whether it answers is the owner's to say, and is asked anew for every request.

use super::refusal::Refusal;
use crate::identity::Principal;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use engine::Engine;
use model::Dialect;
use std::sync::Arc;

/// The route, answering only while the owner lets the dialect.
pub(super) fn before(route: MethodRouter, engine: Arc<Engine>, dialect: Dialect) -> MethodRouter {
    route.layer(from_fn(move |request: Request, next: Next| {
        let engine = Arc::clone(&engine);
        async move { passed(&engine, dialect, request, next).await }
    }))
}

async fn passed(engine: &Engine, dialect: Dialect, request: Request, next: Next) -> Response {
    let owner = request.extensions().get::<Principal>().map(|principal| principal.owner.clone());
    match owner {
        Some(owner) if !engine.speaks(&owner, dialect).await => {
            Refusal::turned_off(dialect.name()).into_response()
        }
        _ => next.run(request).await,
    }
}
