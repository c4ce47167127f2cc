//! Stylesheet and scripts of the pages, compiled into the binary. They need no credential, because
//! they contain nothing of anybody's memory.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use model::ContentHash;
use server::Endpoints;

const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// Files by name, with content type and content.
const FILES: &[(&str, &str, &str)] = &[
    (
        "app.css",
        STYLE,
        concat!(include_str!("../assets/app.css"), include_str!("../assets/parts.css")),
    ),
    ("app.js", SCRIPT, include_str!("../assets/app.js")),
    ("call.js", SCRIPT, include_str!("../assets/call.js")),
    ("copy.js", SCRIPT, include_str!("../assets/copy.js")),
    ("entry.js", SCRIPT, include_str!("../assets/entry.js")),
    ("forms.js", SCRIPT, include_str!("../assets/forms.js")),
    ("graph.css", STYLE, include_str!("../assets/graph.css")),
    ("graph.js", SCRIPT, include_str!("../assets/graph.js")),
    ("graph-export.js", SCRIPT, include_str!("../assets/graph-export.js")),
    ("graph-input.js", SCRIPT, include_str!("../assets/graph-input.js")),
    ("graph-model.js", SCRIPT, include_str!("../assets/graph-model.js")),
    ("graph-panel.js", SCRIPT, include_str!("../assets/graph-panel.js")),
    ("graph-raster.js", SCRIPT, include_str!("../assets/graph-raster.js")),
    ("graph-view.js", SCRIPT, include_str!("../assets/graph-view.js")),
    ("layout.js", SCRIPT, include_str!("../assets/layout.js")),
    ("grid.js", SCRIPT, include_str!("../assets/grid.js")),
    ("list.js", SCRIPT, include_str!("../assets/list.js")),
    ("live.js", SCRIPT, include_str!("../assets/live.js")),
    ("keys.js", SCRIPT, include_str!("../assets/keys.js")),
    ("outcome.js", SCRIPT, include_str!("../assets/outcome.js")),
    ("palette.js", SCRIPT, include_str!("../assets/palette.js")),
    ("profile.js", SCRIPT, include_str!("../assets/profile.js")),
    ("rules.js", SCRIPT, include_str!("../assets/rules.js")),
    ("sql.js", SCRIPT, include_str!("../assets/sql.js")),
    ("toast.js", SCRIPT, include_str!("../assets/toast.js")),
    ("work.js", SCRIPT, include_str!("../assets/work.js")),
    ("theme.js", SCRIPT, include_str!("../assets/theme.js")),
    ("mark.svg", PICTURE, include_str!("../assets/mark.svg")),
];

/// Adds the files to the endpoints.
pub(crate) fn add(endpoints: Endpoints) -> Endpoints {
    endpoints.open_route("/assets/{file}", get(file))
}

async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some((_, kind, text)) = FILES.iter().find(|(known, ..)| *known == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    // Revalidated at each load and sent only when changed, so that an update of the program takes
    // effect at once.
    let tag = format!("\"{}\"", ContentHash::of_bytes(text.as_bytes()));
    let known = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let response_headers =
        [(CONTENT_TYPE, *kind), (CACHE_CONTROL, "no-cache"), (ETAG, tag.as_str())];
    if known {
        (StatusCode::NOT_MODIFIED, response_headers).into_response()
    } else {
        (response_headers, *text).into_response()
    }
}
