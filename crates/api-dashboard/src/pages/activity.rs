//! Activity page: the audit log with filters, live updates, verification of its chain, and CSV
//! export.

use super::components::{
    csv_field, empty_state, form_error, format_count, pager, percent_encode, time,
};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use crate::v1::AuditQueryParams;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use engine::audit::AuditVerification;
use maud::{Markup, html};
use model::{AuditEvent, AuditOutcome, Failure, Page as Part, limits};

/// Number of events on a page.
const SIZE: usize = 100;
/// Maximum number of exported events.
const EXPORT_EVENTS: usize = 100_000;

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: AuditQueryParams,
) -> Result<PageContent, Failure> {
    let offset = query.cursor.as_deref().and_then(|at| at.parse().ok()).unwrap_or(0);
    let listed = context
        .engine
        .admin()
        .audit(&context.caller, &query.query()?, Part { limit: SIZE, offset })
        .await?;
    let verified = context.engine.admin().last_audit_verification(&context.caller).await?;
    let link = page_link("/activity", &query);
    let body = html! {
        div.heading {
            h1 { "Activity" }
            span { a href=(self::page_link("/activity/export", &query)) { "CSV" } }
        }
        p.lead {
            "Every call and every decision. The log contains fingerprints of texts, not the texts."
        }
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
        form.inline data-call="GET /v1/audit/verify" data-told="#chain" {
            button { "Verify the chain" } p #chain.note role="status" {} (form_error())
        }
        @if let Some(verified) = &verified { (verification(verified)) }
        @if listed.items.is_empty() {
            (empty_state("No events", html! { p { "No event matches these filters." } }))
        } @else { (events(&listed.items, offset == 0)) }
        (pager(&link, offset, listed.items.len(), listed.total, SIZE))
        p.found { (format_count(listed.total)) " events" }
    };
    Ok(PageContent { title: "Activity".into(), nav_path: "/activity", body })
}

/// Renders the result of the last verification, and the head of the log.
fn verification(verified: &AuditVerification) -> Markup {
    html! {
        p {
            @match &verified.problem {
                None => { span.status data-status="active" { "intact" } }
                Some(problem) => {
                    span.status data-status="rejected" { "not intact" } " " (problem) ". "
                    code { "quipu audit verify" } " lists every place, "
                    code { "quipu audit restart" } " begins the log anew if you know the reason."
                }
            }
            " Verified " (time(verified.at)) "."
        }
        @if let Some(head) = &verified.head {
            details {
                summary { "Head of the log" }
                p {
                    "Keep this line elsewhere; " code { "quipu audit verify --head LINE" }
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

fn events(events: &[AuditEvent], live: bool) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Events" {
            table {
                thead {
                    tr {
                        @for name in ["When", "Who", "Via", "Resource", "Outcome", "Result"] {
                            th scope="col" { (name) }
                        }
                    }
                }
                tbody #events data-events=[live.then_some("/v1/events/audit")]
                    data-last=(events.first().map_or(0, |event| event.id.0)) {
                    @for event in events { (line(event)) }
                }
            }
        }
    }
}

fn line(event: &AuditEvent) -> Markup {
    let author = &event.author;
    // Colours are named after statuses of memories, for which the stylesheet defines them.
    let colour = match event.outcome {
        AuditOutcome::Done => "active",
        AuditOutcome::Refused => "flag",
        AuditOutcome::Failed => "retired",
    };
    html! {
        tr {
            td { (time(event.at)) }
            td dir="auto" {
                b { (author.agent) }
                @if let Some(client) = &author.client { " " small { (client) } }
            }
            td { (author.dialect.name()) " " code { (author.tool) } }
            td dir="auto" { (event.resource) }
            td {
                span.status data-status=(colour) { (event.outcome.name()) }
            }
            td dir="auto" { (event.note) }
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
