//! The frame of every page with its navigation, the HTML head, and the security headers.

use crate::request_context::RequestContext;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use engine::review::ListReviewsRequest;
use maud::{DOCTYPE, Markup, html};
use model::Failure;

/// Content security policy: only our own files are loaded, no inline script or style runs, and the
/// page cannot be framed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Pages of the navigation: path, label, and the shortcut key after `g`.
const NAVIGATION: &[(&str, &str, &str)] = &[
    ("/", "Home", "h"),
    ("/memories", "Memories", "m"),
    ("/review", "Review", "r"),
    ("/profile", "Profile", "p"),
    ("/tables", "Tables", "t"),
    ("/graph", "Graph", "e"),
    ("/sessions", "Sessions", "s"),
    ("/handoffs", "Handoffs", "o"),
    ("/references", "References", "f"),
    ("/agents", "Agents", "a"),
    ("/sees", "Agent preview", "w"),
    ("/activity", "Activity", "l"),
    ("/settings", "Settings", "c"),
];

/// Content of a page.
pub(crate) struct PageContent {
    pub title: String,
    /// Path of its entry in the navigation.
    pub nav_path: &'static str,
    pub body: Markup,
}

/// Data of the frame.
pub(crate) struct Frame {
    owner: String,
    waiting: usize,
}

impl Frame {
    /// Loads the data of the frame. A failure shows no count; the page itself reports the error.
    pub async fn load(context: &RequestContext) -> Self {
        // Only the total is needed.
        let one = ListReviewsRequest { limit: Some(1), ..ListReviewsRequest::default() };
        let waiting = context
            .engine
            .reviews()
            .list(&context.caller, &one)
            .await
            .map_or(0, |listed| listed.total);
        Self { owner: context.caller.owner.to_string(), waiting }
    }

    /// Renders a page in its frame.
    pub fn wrap(&self, page: PageContent) -> Markup {
        let PageContent { title, nav_path, body } = page;
        document(
            &title,
            &[],
            html! {
                a.skip href="#main" { "Skip to content" }
                div.frame {
                    (self.navigation(nav_path))
                    main #main tabindex="-1" {
                        p #flash role="status" aria-live="polite" {}
                        (body)
                    }
                }
                (shortcuts_dialog())
            },
        )
    }

    fn navigation(&self, nav_path: &str) -> Markup {
        html! {
            header.rail {
                a.brand href="/" {
                    img src="/assets/mark.svg" alt="" width="28" height="28"; span { "Quipu" }
                }
                form.ask role="search" action="/memories" {
                    input #ask type="search" name="query" placeholder="Ask your memory"
                        aria-label="Ask your memory" autocomplete="off";
                    kbd aria-hidden="true" { "/" }
                }
                nav aria-label="Pages" {
                    ul {
                        @for (path, name, _) in NAVIGATION {
                            li {
                                a href=(path) aria-current=[(*path == nav_path).then_some("page")] {
                                    (name)
                                    @if *path == "/review" && self.waiting > 0 {
                                        span.count { (self.waiting) span.hidden { " waiting" } }
                                    }
                                }
                            }
                        }
                    }
                }
                div.foot {
                    span.owner title="Owner of this memory" { (self.owner) }
                    button.plain #theme type="button" { "Theme" }
                    form data-call="POST /v1/leave" data-go="/login" { button.plain { "Log out" } }
                }
            }
        }
    }
}

fn shortcuts_dialog() -> Markup {
    html! {
        dialog #keys aria-label="Keyboard shortcuts" {
            h2 { "Keyboard shortcuts" }
            dl.pairs {
                dt { kbd { "/" } } dd { "ask your memory" }
                @for (_, name, key) in NAVIGATION {
                    dt { kbd { "g" } " " kbd { (key) } } dd { (name) }
                }
                dt { kbd { "n" } } dd { "write a memory" }
                dt { kbd { "?" } } dd { "show these shortcuts" }
            }
            form method="dialog" { button { "Close" } }
        }
    }
}

/// Renders a page without the frame, for a visitor who is not logged in.
pub(crate) fn standalone(title: &str, body: Markup) -> Markup {
    standalone_with(title, &[], body)
}

/// Renders a page without the frame that hands values to its script.
pub(crate) fn standalone_with(title: &str, values: &[(&str, &str)], body: Markup) -> Markup {
    document(title, values, html! { main #main { (body) } })
}

/// Renders the page for a failure, with what to do.
pub(crate) fn failure_page(failure: &Failure) -> Markup {
    standalone(
        "Something went wrong",
        html! {
            div.arrive {
                img.mark src="/assets/mark.svg" alt="" width="56" height="56";
                h1 { "Something went wrong" }
                p.problem role="alert" { (failure.message) }
                p { (failure.code.hint()) }
                p { a href="/" { "Back to Home" } }
            }
        },
    )
}

fn document(title: &str, values: &[(&str, &str)], body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @for (name, value) in values { meta name=(name) content=(value); }
                title { (title) " · Quipu" }
                link rel="icon" href="/assets/mark.svg" type="image/svg+xml";
                link rel="stylesheet" href="/assets/app.css";
                script src="/assets/theme.js" {}
                script type="module" src="/assets/app.js" {}
            }
            body { (body) }
        }
    }
}

/// Builds the response for a page whose script may also reach another origin of this server.
pub(crate) fn html_response_reaching(origin: &str, page: Markup) -> Response {
    let mut response = html_response(StatusCode::OK, page);
    let policy = POLICY.replace("connect-src 'self'", &format!("connect-src 'self' {origin}"));
    // An origin has only characters that a header can carry.
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Builds the response for a page, with its security headers.
pub(crate) fn html_response(status: StatusCode, page: Markup) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        // Not `no-referrer`: our own forms would then be sent without an origin, and be refused as
        // foreign.
        (REFERRER_POLICY, "same-origin"),
        (X_FRAME_OPTIONS, "DENY"),
    ];
    (status, headers, page.into_string()).into_response()
}
