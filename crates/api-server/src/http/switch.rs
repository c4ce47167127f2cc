//! The switch before a dialect: whether it answers is the owner's to say, and every request asks.

use super::refusal::Refusal;
use crate::identity::Principal;
use axum::extract::Request;
use axum::http::Extensions;
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
        async move {
            match turned_off(&engine, dialect, request.extensions()).await {
                Some(refused) => refused,
                None => next.run(request).await,
            }
        }
    }))
}

/// What a request gets while the owner does not let the dialect answer.
pub(super) async fn turned_off(
    engine: &Engine,
    dialect: Dialect,
    came: &Extensions,
) -> Option<Response> {
    let speaks = engine.admin().speaks(&came.get::<Principal>()?.owner, dialect).await;
    (!speaks).then(|| Refusal::turned_off(dialect.name()).into_response())
}
