//! The frame of every page with its navigation, the HTML head, and the security headers.

use super::words;
use crate::request_context::RequestContext;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use engine::review::ListReviewsRequest;
use maud::{DOCTYPE, Markup, html};
use model::{ErrorCode, Failure};
use server::BrowserSession;

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

/// Returns the entry of the navigation that a path belongs to.
pub(super) fn nav_path_of(path: &str) -> &'static str {
    let entry = NAVIGATION.iter().skip(1).find(|(entry, ..)| path.starts_with(entry));
    entry.map_or("/", |(entry, ..)| entry)
}

/// Returns the title of a page by its path.
pub(super) fn page_title(path: &str) -> &'static str {
    let entry = nav_path_of(path);
    NAVIGATION.iter().find(|(path, ..)| *path == entry).map_or("Home", |(_, name, _)| name)
}

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
    /// Memories that the person can choose, if there are several.
    memories: Vec<String>,
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
        let (owner, memories) = (context.caller.owner.to_string(), choices(context).await);
        Self { owner, waiting, memories }
    }

    /// Renders a page in its frame.
    pub fn wrap(&self, page: PageContent) -> Markup {
        let PageContent { title, nav_path, body } = page;
        document(
            &title,
            &[("memory", &self.owner)],
            html! {
                a.skip href="#main" { "Skip to content" }
                div.frame {
                    (self.navigation(nav_path))
                    main #main tabindex="-1" { (body) }
                }
                (self.bottom_bar(nav_path))
                div #toasts role="status" aria-live="polite" {}
                p #announce.hidden role="status" aria-live="polite" {}
                (palette_dialog())
                (shortcuts_dialog())
            },
        )
    }

    fn navigation(&self, nav_path: &str) -> Markup {
        html! {
            header.rail {
                a.brand href="/" aria-label="Quipu" {
                    img src="/assets/mark.svg" alt="" width="28" height="28"; span { "Quipu" }
                }
                button.ask type="button" data-palette aria-keyshortcuts="Control+K /" {
                    span { "Ask or find" } kbd aria-hidden="true" { "Ctrl K" }
                }
                nav aria-label="Pages" {
                    ul {
                        @for (path, name, _) in NAVIGATION {
                            li {
                                a href=(path) data-name=(name)
                                    aria-current=[(*path == nav_path).then_some("page")] {
                                    (name)
                                    @if *path == "/review" { (self.waiting_count()) }
                                }
                            }
                        }
                    }
                }
                (self.memory_switch())
                div.foot {
                    span.owner title="Owner of this memory" { (self.owner) }
                    button.plain #theme type="button" { "Theme" }
                    form data-call="POST /v1/leave" data-go="/login" { button.plain { "Log out" } }
                }
            }
        }
    }
}

/// Returns the memories that the person behind a session can choose; none if there is only one.
async fn choices(context: &RequestContext) -> Vec<String> {
    let person = context.session.as_ref().and_then(BrowserSession::person);
    let Some(person) = person else { return Vec::new() };
    let groups = context.credentials.people().groups_of(person).await.unwrap_or_default();
    if groups.is_empty() {
        return Vec::new();
    }
    std::iter::once(person).chain(&groups).map(ToString::to_string).collect()
}

impl Frame {
    /// Renders the switch between one's own memory and those of groups.
    fn memory_switch(&self) -> Markup {
        html! {
            @if !self.memories.is_empty() {
                details.memories {
                    summary { "Memory of " (self.owner) }
                    @for memory in &self.memories {
                        form data-call="PUT /v1/memory" data-go="/" {
                            input type="hidden" name="memory" value=(memory);
                            button.plain disabled[*memory == self.owner] { (memory) }
                        }
                    }
                }
            }
        }
    }
}

/// Entries of the bar at the bottom of a small screen.
const BOTTOM_BAR: &[(&str, &str)] =
    &[("/", "Home"), ("/memories", "Memories"), ("/review", "Review")];

impl Frame {
    fn waiting_count(&self) -> Markup {
        html! {
            @if self.waiting > 0 {
                span.count { (self.waiting) span.hidden { " waiting" } }
            }
        }
    }

    /// Renders the bar at the bottom of a small screen: the first pages, the palette, and the rest.
    fn bottom_bar(&self, nav_path: &str) -> Markup {
        html! {
            nav.tabs aria-label="Main pages" {
                @for (path, name) in BOTTOM_BAR {
                    a href=(path) aria-current=[(*path == nav_path).then_some("page")] {
                        (name) @if *path == "/review" { (self.waiting_count()) }
                    }
                }
                button.plain type="button" data-palette { "Find" }
                button.plain #more type="button" aria-expanded="false" { "More" }
            }
        }
    }
}

/// Renders the command palette; its script fills it.
fn palette_dialog() -> Markup {
    html! {
        dialog #palette aria-label="Ask or find" {
            input #ask-all type="search" role="combobox" aria-expanded="true"
                aria-controls="found-all" aria-autocomplete="list" autocomplete="off" dir="auto"
                aria-label="Ask your memory, or find a page, table or action"
                placeholder="Ask your memory, or find a page, table or action";
            ul #found-all role="listbox" aria-label="Results" {}
        }
    }
}

fn shortcuts_dialog() -> Markup {
    html! {
        dialog #keys aria-label="Keyboard shortcuts" {
            h2 { "Keyboard shortcuts" }
            dl.pairs {
                dt { kbd { "/" } " " kbd { "Ctrl K" } } dd { "ask, or find anything" }
                @for (_, name, key) in NAVIGATION {
                    dt { kbd { "g" } " " kbd { (key) } } dd { (name) }
                }
                dt { kbd { "n" } } dd { "write a memory" }
                dt { kbd { "j" } " " kbd { "k" } } dd { "next and previous item of a list" }
                dt { kbd { "x" } " " kbd { "a" } } dd { "select it, select all" }
                dt { kbd { "e" } " " kbd { "Enter" } } dd { "edit it, open it" }
                dt { kbd { "1" } " " kbd { "2" } " " kbd { "3" } } dd { "decide a review item" }
                dt { kbd { "u" } } dd { "undo the last action" }
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
        failure_title(failure),
        html! {
            div.arrive {
                img.mark src="/assets/mark.svg" alt="" width="56" height="56";
                (failure_body(failure))
            }
        },
    )
}

/// Returns the content of a page that failed, for its frame.
pub(crate) fn failure_content(failure: &Failure, nav_path: &'static str) -> PageContent {
    PageContent {
        title: failure_title(failure).to_owned(),
        nav_path,
        body: html! { div.nothing { (failure_body(failure)) } },
    }
}

fn failure_title(failure: &Failure) -> &'static str {
    match failure.code {
        ErrorCode::NotFound => "Not found",
        _ => "Something went wrong",
    }
}

fn failure_body(failure: &Failure) -> Markup {
    html! {
        h1 { (failure_title(failure)) }
        p.problem role="alert" { (words::sentence(&failure.message)) }
        @if let Some(advice) = words::advice(failure.code) { p { (advice) } }
        p { a href="/" { "Back to Home" } }
    }
}

/// Renders the page for an address under which there is none, with links to all that exist.
pub(crate) fn missing_page() -> Markup {
    standalone(
        "No such page",
        html! {
            div.arrive {
                img.mark src="/assets/mark.svg" alt="" width="56" height="56";
                h1 { "There is no such page" }
                p { "It may have been a typing error. These pages exist:" }
                ul.inline {
                    @for (path, name, _) in NAVIGATION { li { a.tag-link href=(path) { (name) } } }
                }
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
