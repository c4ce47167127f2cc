//! Home page: what is new, growth, questions, open review items and handoffs, and the health of the
//! store.

mod charts;
mod sections;

use super::components::{empty_state, format_count, memory_line, percent_encode, time};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::activity::Activity;
use engine::audit::AuditVerification;
use engine::backups::LastBackup;
use engine::handoffs::ListHandoffsRequest;
use engine::maintenance::StoreStatus;
use engine::overview::Overview;
use engine::review::{ListReviewsRequest, ReviewView};
use engine::since_last_visit::SinceLastVisit;
use engine::{MemoryQuery, UnansweredQuestion};
use maud::{Markup, html};
use model::{Failure, Handoff, Listing, Memory, Moment, Page as Part, Status};

/// Number of days in the charts.
const DAYS: usize = 30;
/// Number of memories, questions and handoffs shown.
const LIST_SIZE: usize = 6;

/// Data of the page.
struct HomeData {
    since_last_visit: SinceLastVisit,
    status: StoreStatus,
    overview: Overview,
    activity: Activity,
    unanswered: Listing<UnansweredQuestion>,
    backup: Option<LastBackup>,
    chain: Option<AuditVerification>,
    newest: Listing<Memory>,
    waiting: Listing<ReviewView>,
    handoffs: Listing<Handoff>,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<PageContent, Failure> {
    let home = load(&context).await?;
    let body = if home.overview.memories == 0 { home.first_steps() } else { home.body() };
    Ok(PageContent { title: "Home".into(), nav_path: "/", body })
}

async fn load(context: &RequestContext) -> Result<HomeData, Failure> {
    let (engine, caller) = (&context.engine, &context.caller);
    let newest = MemoryQuery { statuses: vec![Status::Active], ..MemoryQuery::default() };
    let reviews = ListReviewsRequest { limit: Some(3), ..ListReviewsRequest::default() };
    let handoffs = ListHandoffsRequest { limit: Some(LIST_SIZE), ..ListHandoffsRequest::default() };
    Ok(HomeData {
        // Also records this visit, so it runs once per page load.
        since_last_visit: engine.memories().note_visit(caller).await?,
        status: engine.admin().status(caller).await?,
        overview: engine.memories().overview(caller, DAYS).await?,
        activity: engine.admin().activity(caller, DAYS).await?,
        unanswered: engine.admin().unanswered_questions(caller, Part::first(LIST_SIZE)).await?,
        backup: engine.admin().last_backup(caller).await?,
        chain: engine.admin().last_audit_verification(caller).await?,
        newest: engine.memories().list(caller, &newest, Part::first(LIST_SIZE)).await?,
        waiting: engine.reviews().list(caller, &reviews).await?,
        handoffs: engine.handoffs().list(caller, &handoffs).await?.handoffs,
    })
}

impl HomeData {
    fn first_steps(&self) -> Markup {
        html! {
            (empty_state(
                "No memories yet",
                html! {
                    p { "Connect an agent, and what it learns appears here:" }
                    pre { code { "claude mcp add -s user quipu -- quipu mcp" } }
                    p { "Or write the first memory yourself." }
                    p { a.button href="/memories/new" { "Write a memory" } }
                },
            ))
            (self.unanswered_questions())
        }
    }

    fn body(&self) -> Markup {
        html! {
            h1 { "Your memory" }
            (self.news_banner())
            (self.tiles())
            div.columns {
                div {
                    section aria-labelledby="grown" {
                        h2 #grown { "The last " (DAYS) " days" }
                        (charts::growth(&self.overview.daily))
                    }
                    section aria-labelledby="asked" {
                        h2 #asked { "Questions" }
                        (charts::questions(&self.activity))
                    }
                    (self.unanswered_questions())
                    (self.recent_memories())
                }
                div {
                    (self.review_items())
                    (self.open_handoffs())
                    (self.recent_agents())
                    (counts("By kind", "kind", &self.overview.kinds))
                    (counts("By agent", "agent", &self.overview.agents))
                    (self.health())
                }
            }
        }
    }

    fn news_banner(&self) -> Markup {
        let SinceLastVisit { since, memories, reviews, handoffs } = &self.since_last_visit;
        let written: usize = memories.iter().map(|(_, count)| count).sum();
        html! {
            @if let Some(since) = since {
                div.banner #news {
                    p {
                        "Since your last visit " (time(*since)) ": "
                        @if written + reviews + handoffs == 0 { "nothing new." }
                        @if written > 0 {
                            b {
                                (format_count(written)) @if written == 1 { " memory" }
                                @else {
                                    " memories"
                                }
                            }
                            " ("
                            @for (at, (agent, count)) in memories.iter().take(5).enumerate() {
                                @if at > 0 { ", " }
                                a dir="auto" href={ "/memories?agent=" (percent_encode(agent)) } {
                                    (agent)
                                } " " (format_count(*count))
                            } ") "
                        }
                        @if *reviews > 0 {
                            a href="/review" { (format_count(*reviews)) " to review" } " "
                        }
                        @if *handoffs > 0 {
                            a href="/handoffs" { (format_count(*handoffs)) " handed off" }
                        }
                    }
                }
            }
        }
    }

    fn tiles(&self) -> Markup {
        let counts = &self.status.counts;
        let tiles = [
            ("/memories", self.overview.memories, "memories"),
            ("/review", counts.reviews_open, "waiting for you"),
            ("/tables", counts.records, "rows in tables"),
            ("/memories?status=superseded", counts.in_status(Status::Superseded), "corrected"),
        ];
        html! {
            ul.tiles { @for (path, count, name) in tiles {
                li { a href=(path) { strong { (format_count(count)) } span { (name) } } }
            } }
        }
    }

    fn recent_memories(&self) -> Markup {
        let is_new = |at: Moment| self.since_last_visit.since.is_some_and(|since| at > since);
        html! {
            section aria-labelledby="newest" {
                div.heading { h2 #newest { "Recent" } a href="/memories" { "All memories" } }
                ul.cards #lately { @for memory in &self.newest.items {
                    li.card.new[is_new(memory.provenance.at)] { (memory_line(memory)) }
                } }
            }
        }
    }
}

/// Bars with the number of memories for each name, linked to those memories.
fn counts(title: &str, filter: &str, named: &[(String, usize)]) -> Markup {
    let most = named.first().map_or(1, |(_, count)| *count);
    html! {
        @if !named.is_empty() {
            section {
                h2 { (title) }
                ul.bars { @for (name, count) in named.iter().take(8) {
                    li {
                        a dir="auto" href={ "/memories?" (filter) "=" (percent_encode(name)) } {
                            (name)
                        }
                        meter min="0" max=(most) value=(count) aria-label={ (name) ": " (count) } {}
                        span { (format_count(*count)) }
                    }
                } }
            }
        }
    }
}
