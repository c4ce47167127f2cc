//! Activity page: the audit log with filters, live updates, verification of its chain, and CSV
//! export.

use super::parts::{csv_field, encoded, nothing, number, pager, problem, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use crate::v1::Events;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use model::{AuditEvent, Failure, Outcome, Page as Part, limits};

/// Number of events on a page.
const SIZE: usize = 100;
/// Maximum number of exported events.
const EXPORT_EVENTS: usize = 100_000;

pub(super) async fn page(context: Desk, _: Nothing, query: Events) -> Result<Page, Failure> {
    let offset = query.cursor.as_deref().and_then(|at| at.parse().ok()).unwrap_or(0);
    let listed = context
        .engine
        .admin()
        .audit(&context.caller, &query.query()?, Part { limit: SIZE, offset })
        .await?;
    let link = link("/activity", &query);
    let body = html! {
        div.heading {
            h1 { "Activity" } span { a href=(self::link("/activity/export", &query)) { "CSV" } }
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
                    @for outcome in Outcome::ALL {
                        option selected[query.outcome.as_deref() == Some(outcome.name())] {
                            (outcome.name())
                        }
                    }
                }
            }
            button { "Show" } a href="/activity" { "Clear" }
        }
        form.inline data-call="GET /v1/audit/verify" data-told="#chain" {
            button { "Verify the chain" } p #chain.note role="status" {} (problem())
        }
        @if listed.items.is_empty() {
            (nothing("No events", html! { p { "No event matches these filters." } }))
        } @else { (events(&listed.items, offset == 0)) }
        (pager(&link, offset, listed.items.len(), listed.total, SIZE))
        p.found { (number(listed.total)) " events" }
    };
    Ok(Page { title: "Activity".into(), place: "/activity", body })
}

fn field(name: &str, label: &str, value: Option<&str>) -> Markup {
    html! { label { span { (label) } input name=(name) value=[value] dir="auto"; } }
}

fn link(path: &str, query: &Events) -> String {
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
        .map(|(name, value)| format!("{name}={}", encoded(value)))
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
        Outcome::Done => "active",
        Outcome::Refused => "flag",
        Outcome::Failed => "retired",
    };
    html! {
        tr {
            td { (when(event.at)) }
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
pub(super) async fn export(context: Desk, _: Nothing, query: Events) -> Result<Response, Failure> {
    let mut text =
        String::from("id,at,agent,client,dialect,tool,resource,outcome,duration_us,note\r\n");
    // The engine returns at most this many events at once.
    let mut part = Part::first(limits::PAGE);
    loop {
        let listed = context.engine.admin().audit(&context.caller, &query.query()?, part).await?;
        listed.items.iter().for_each(|event| text.push_str(&csv_line(event)));
        part.offset += listed.items.len();
        if listed.items.is_empty() || part.offset >= listed.total.min(EXPORT_EVENTS) {
            break;
        }
    }
    let about = [
        (CONTENT_TYPE, "text/csv; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"activity.csv\""),
    ];
    Ok((about, text).into_response())
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
