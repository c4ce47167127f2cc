//! What stands around every page: the frame with its navigation, the head, and the headers that
//! keep strangers out.

use crate::desk::Desk;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS};
use axum::response::{IntoResponse, Response};
use engine::review::ListReviews;
use maud::{DOCTYPE, Markup, html};
use model::Failure;

/// Nothing but our own files runs, loads or frames; no script and no style stands in a page itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The pages of the navigation: where, what it is called, and the key that follows `g`.
const PLACES: &[(&str, &str, &str)] = &[
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
    ("/sees", "What they see", "w"),
    ("/activity", "Activity", "l"),
    ("/settings", "Settings", "c"),
];

/// One page.
pub(crate) struct Page {
    /// What it is called.
    pub title: String,
    /// The path of its place in the navigation.
    pub place: &'static str,
    /// What it shows.
    pub body: Markup,
}

/// What the frame shows, whatever the page.
pub(crate) struct Frame {
    owner: String,
    form_token: String,
    waiting: usize,
}

impl Frame {
    /// What the frame of this visit shows. What cannot be counted is not shown; the page itself
    /// will say why.
    pub async fn of(desk: &Desk) -> Self {
        let one = ListReviews { limit: Some(1), ..ListReviews::default() };
        let waiting =
            desk.engine.reviews().list(&desk.caller, &one).await.map_or(0, |listed| listed.total);
        Self { owner: desk.caller.owner.to_string(), form_token: desk.form_token.clone(), waiting }
    }

    /// The page in its frame.
    pub fn around(&self, page: Page) -> Markup {
        let Page { title, place, body } = page;
        document(
            &title,
            &self.form_token,
            html! {
                a.skip href="#main" { "Skip to the page" }
                div.frame {
                    (self.rail(place))
                    main #main tabindex="-1" {
                        p #flash role="status" aria-live="polite" {}
                        (body)
                    }
                }
                (keys_help())
            },
        )
    }

    fn rail(&self, place: &str) -> Markup {
        html! {
            header.rail {
                a.brand href="/" { img src="/assets/mark.svg" alt="" width="28" height="28"; span { "Quipu" } }
                form.ask role="search" action="/memories" {
                    input #ask type="search" name="query" placeholder="Ask your memory" aria-label="Ask your memory" autocomplete="off";
                    kbd aria-hidden="true" { "/" }
                }
                nav aria-label="Pages" { ul {
                    @for (path, name, _) in PLACES {
                        li { a href=(path) aria-current=[(*path == place).then_some("page")] {
                            (name)
                            @if *path == "/review" && self.waiting > 0 {
                                span.count { (self.waiting) span.hidden { " waiting" } }
                            }
                        } }
                    }
                } }
                div.foot {
                    span.owner title="Whose memory this is" { (self.owner) }
                    button.plain #theme type="button" { "Theme" }
                    form data-call="POST /v1/leave" data-go="/login" { button.plain { "Leave" } }
                }
            }
        }
    }
}

fn keys_help() -> Markup {
    html! {
        dialog #keys aria-label="Keys" {
            h2 { "Keys" }
            dl.pairs {
                dt { kbd { "/" } } dd { "ask your memory" }
                @for (_, name, key) in PLACES { dt { kbd { "g" } " " kbd { (key) } } dd { (name) } }
                dt { kbd { "n" } } dd { "write a memory" }
                dt { kbd { "?" } } dd { "these keys" }
            }
            form method="dialog" { button { "Close" } }
        }
    }
}

/// A page without the frame, for whoever is not in yet.
pub(crate) fn bare(title: &str, body: Markup) -> Markup {
    alone(title, "", body)
}

/// A page without the frame that changes something all the same.
pub(crate) fn alone(title: &str, form_token: &str, body: Markup) -> Markup {
    document(title, form_token, html! { main #main { (body) } })
}

/// The page that says what went wrong and what to do.
pub(crate) fn refused(failure: &Failure) -> Markup {
    bare(
        "Something is not right",
        html! {
            div.arrive {
                img.mark src="/assets/mark.svg" alt="" width="56" height="56";
                h1 { "That did not work" }
                p.problem role="alert" { (failure.message) }
                p { (failure.code.hint()) }
                p { a href="/" { "Back to the start" } }
            }
        },
    )
}

fn document(title: &str, form_token: &str, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @if !form_token.is_empty() { meta name="form-token" content=(form_token); }
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

/// A page as an answer.
pub(crate) fn html(status: StatusCode, page: Markup) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        // Not `no-referrer`: a form of ours would then be sent without its origin, and look like a
        // stranger's.
        (REFERRER_POLICY, "same-origin"),
        (X_FRAME_OPTIONS, "DENY"),
    ];
    (status, headers, page.into_string()).into_response()
}
