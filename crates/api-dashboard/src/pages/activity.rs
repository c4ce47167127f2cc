//! Activity page: the audit log with filters, live updates, verification of its chain, and CSV
//! export.

use super::components::{counted, csv_field, empty_state, form_error, percent_encode, time};
use super::shell::PageContent;
use super::words;
use crate::api::NoFields;
use crate::question_words::QuestionWords;
use crate::request_context::RequestContext;
use crate::v1::AuditQueryParams;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use engine::audit::AuditVerification;
use maud::{Markup, html};
use model::{AuditEvent, AuditOutcome, Failure, Page as Part, limits};
use schemars::JsonSchema;
use serde::Deserialize;

/// Number of events on a page.
const SIZE: usize = 100;
/// Maximum number of exported events.
const EXPORT_EVENTS: usize = 100_000;

/// Maximum number of events read for one page, of which the owner's own looking is folded away.
const READ_MAX: usize = 2000;

/// Query of the page: the filters of the log, and whether the owner's own looking is shown.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ActivityPageQuery {
    agent: Option<String>,
    tool: Option<String>,
    resource: Option<String>,
    outcome: Option<String>,
    own: Option<String>,
    cursor: Option<usize>,
}

impl ActivityPageQuery {
    fn filters(&self) -> AuditQueryParams {
        AuditQueryParams {
            agent: self.agent.clone(),
            tool: self.tool.clone(),
            resource: self.resource.clone(),
            outcome: self.outcome.clone(),
            ..AuditQueryParams::default()
        }
    }

    /// Returns the address of the page with other filters of its own.
    fn link(&self, own: bool, cursor: Option<usize>) -> String {
        let mut link = page_link("/activity", &self.filters());
        if own {
            link.push_str("&own=1");
        }
        if let Some(cursor) = cursor {
            link.push_str(&format!("&cursor={cursor}"));
        }
        link.replace("?&", "?").trim_end_matches('?').to_owned()
    }
}

/// Events of one page, without the owner's own looking.
#[derive(Default)]
struct ShownEvents {
    events: Vec<AuditEvent>,
    /// Number of events that were folded away.
    folded: usize,
    /// Position after the last event that was read.
    next: usize,
    total: usize,
}

/// Reads events until a page is full.
async fn read_events(
    context: &RequestContext,
    query: &ActivityPageQuery,
) -> Result<ShownEvents, Failure> {
    let filters = query.filters().query()?;
    let start = query.cursor.unwrap_or(0);
    let mut shown = ShownEvents { next: start, ..ShownEvents::default() };
    while shown.events.len() < SIZE && shown.next < start + READ_MAX {
        let part = Part { limit: SIZE, offset: shown.next };
        let listed = context.engine.admin().audit(&context.caller, &filters, part).await?;
        shown.total = listed.total;
        if listed.items.is_empty() {
            break;
        }
        for event in listed.items {
            if shown.events.len() == SIZE {
                break;
            }
            shown.next += 1;
            let is_folded =
                query.own.is_none() && words::is_looking(&event, &context.caller.author.agent);
            if is_folded {
                shown.folded += 1;
            } else {
                shown.events.push(event);
            }
        }
    }
    Ok(shown)
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: ActivityPageQuery,
) -> Result<PageContent, Failure> {
    let shown = read_events(&context, &query).await?;
    let verified = context.engine.admin().last_audit_verification(&context.caller).await?;
    let asked = QuestionWords::load(&context).await?;
    let live = query.cursor.unwrap_or(0) == 0;
    let body = html! {
        div.heading {
            h1 { "Activity" }
            span { a href=(page_link("/activity/export", &query.filters())) { "Export as CSV" } }
        }
        p.lead {
            "Every call and every decision. The log contains fingerprints of texts, not the texts; "
            "the words of the newest questions are "
            a href="/settings#questions" { "stored beside it" } "."
        }
        (filter_form(&query))
        form.inline data-call="GET /v1/audit/verify" data-told="#chain" {
            button { "Verify the chain" } p #chain.note role="status" {} (form_error())
        }
        @if let Some(verified) = &verified { (verification(verified)) }
        @if shown.events.is_empty() {
            (empty_state("No events", html! { p { "No event matches these filters." } }))
        } @else { (events(&shown.events, &asked, live)) }
        (older_events(&query, &shown))
    };
    Ok(PageContent { title: "Activity".into(), nav_path: "/activity", body })
}

fn filter_form(query: &ActivityPageQuery) -> Markup {
    html! {
        form.inline action="/activity" {
            (field("agent", "Agent", query.agent.as_deref()))
            (field("tool", "Tool", query.tool.as_deref()))
            (field("resource", "Resource", query.resource.as_deref()))
            label {
                span { "Outcome" }
                select name="outcome" {
                    option value="" { "—" }
                    @for outcome in AuditOutcome::ALL {
                        option selected[query.outcome.as_deref() == Some(outcome.name())] {
                            (outcome.name())
                        }
                    }
                }
            }
            button { "Show" } a href="/activity" { "Clear" }
        }
    }
}

/// Renders the link to older events, and what was folded away.
fn older_events(query: &ActivityPageQuery, shown: &ShownEvents) -> Markup {
    html! {
        nav.pager aria-label="Pages of the list" {
            span { (counted(shown.total, "event", "events")) " in all" }
            @if shown.folded > 0 {
                span #own-looking {
                    (counted(shown.folded, "event of yours", "events of yours"))
                    " folded away "
                    a href=(query.link(true, None)) { "Show what I looked at" }
                }
            }
            @if query.own.is_some() { a href=(query.link(false, None)) { "Hide what I looked at" } }
            @if shown.next < shown.total {
                a rel="next" href=(query.link(query.own.is_some(), Some(shown.next))) {
                    "Older →"
                }
            }
        }
    }
}

/// Renders the result of the last verification, and the head of the log.
fn verification(verified: &AuditVerification) -> Markup {
    html! {
        p {
            @match &verified.problem {
                None => { span.status data-status="active" { "intact" } }
                Some(problem) => {
                    span.status data-status="rejected" { "not intact" } " " (problem) ". "
                    code data-copy { "quipu audit verify" } " lists every place, "
                    code data-copy { "quipu audit restart" }
                    " begins the log anew if you know the reason."
                }
            }
            " Verified " (time(verified.at)) "."
        }
        @if let Some(head) = &verified.head {
            details {
                summary { "Head of the log" }
                p {
                    "Keep this line elsewhere; " code data-copy { "quipu audit verify --head LINE" }
                    " then shows whether the log still contains it."
                }
                pre { code { (head) } }
            }
        }
    }
}

fn field(name: &str, label: &str, value: Option<&str>) -> Markup {
    html! { label { span { (label) } input name=(name) value=[value] dir="auto"; } }
}

fn page_link(path: &str, query: &AuditQueryParams) -> String {
    let fields = [
        ("agent", &query.agent),
        ("tool", &query.tool),
        ("resource", &query.resource),
        ("outcome", &query.outcome),
    ];
    let pairs: Vec<String> = fields
        .iter()
        .filter_map(|(name, value)| {
            value.as_deref().filter(|value| !value.is_empty()).map(|value| (name, value))
        })
        .map(|(name, value)| format!("{name}={}", percent_encode(value)))
        .collect();
    format!("{path}?{}", pairs.join("&"))
}

fn events(events: &[AuditEvent], asked: &QuestionWords, live: bool) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Events" {
            table.stacks {
                thead {
                    tr {
                        @for name in ["When", "Who", "Action", "Concerns", "Outcome", "Result"] {
                            th scope="col" { (name) }
                        }
                    }
                }
                tbody #events data-events=[live.then_some("/v1/events/audit")]
                    data-last=(events.first().map_or(0, |event| event.id.0)) {
                    @for event in events { (line(event, asked.get(event))) }
                }
            }
        }
    }
}

fn line(event: &AuditEvent, question: Option<&str>) -> Markup {
    let author = &event.author;
    // Colours are named after statuses of memories, for which the stylesheet defines them.
    let colour = match event.outcome {
        AuditOutcome::Done => "active",
        AuditOutcome::Refused => "flag",
        AuditOutcome::Failed => "retired",
    };
    html! {
        tr data-event=(event.id) {
            td data-label="When" { (time(event.at)) }
            td dir="auto" data-label="Who" {
                b { (author.agent) }
                @if let Some(client) = &author.client { " " small { (client) } }
            }
            td data-label="Action" title={ (author.dialect.name()) " " (author.tool) } {
                (words::operation(author.dialect, &author.tool)) " "
                small { (words::way(author.dialect)) }
            }
            td dir="auto" data-label="Concerns" { (words::resource(&event.resource)) }
            td data-label="Outcome" {
                span.status data-status=(colour) { (event.outcome.name()) }
            }
            td dir="auto" data-label="Result" { (words::result(event, question)) }
        }
    }
}

/// Exports the events as CSV.
pub(super) async fn export(
    context: RequestContext,
    _: NoFields,
    query: AuditQueryParams,
) -> Result<Response, Failure> {
    let mut text =
        String::from("id,at,agent,client,dialect,tool,resource,outcome,duration_us,note\r\n");
    // The engine returns at most this many events at once.
    let mut part = Part::first(limits::PAGE_ITEMS);
    loop {
        let listed = context.engine.admin().audit(&context.caller, &query.query()?, part).await?;
        listed.items.iter().for_each(|event| text.push_str(&csv_line(event)));
        part.offset += listed.items.len();
        if listed.items.is_empty() || part.offset >= listed.total.min(EXPORT_EVENTS) {
            break;
        }
    }
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"activity.csv\""),
    ];
    Ok((headers, text).into_response())
}

fn csv_line(event: &AuditEvent) -> String {
    let author = &event.author;
    let fields = [
        event.id.to_string(),
        event.at.to_string(),
        author.agent.to_string(),
        author.client.clone().unwrap_or_default(),
        author.dialect.name().to_owned(),
        author.tool.clone(),
        event.resource.clone(),
        event.outcome.name().to_owned(),
        event.duration_us.to_string(),
        event.note.clone(),
    ];
    let line: Vec<String> = fields.iter().map(|field| csv_field(field)).collect();
    line.join(",") + "\r\n"
}
