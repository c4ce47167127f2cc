//! Home page: what is new, growth, questions, open review items and handoffs, and the health of the
//! store.

mod beside;
mod charts;

use super::parts::{encoded, memory_line, nothing, number, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::activity::Activity;
use engine::audit::AuditVerified;
use engine::backups::LastBackup;
use engine::handoffs::ListHandoffs;
use engine::maintenance::StoreStatus;
use engine::news::News;
use engine::overview::Overview;
use engine::review::{ListReviews, ReviewView};
use engine::{MemoryQuery, Unanswered};
use maud::{Markup, html};
use model::{Failure, Handoff, Listing, Memory, Moment, Page as Part, Status};

/// Number of days in the charts.
const DAYS: usize = 30;
/// Number of memories, questions and handoffs shown.
const FEW: usize = 6;

/// Data of the page.
struct Home {
    news: News,
    status: StoreStatus,
    overview: Overview,
    activity: Activity,
    unanswered: Listing<Unanswered>,
    backup: Option<LastBackup>,
    chain: Option<AuditVerified>,
    newest: Listing<Memory>,
    waiting: Listing<ReviewView>,
    handoffs: Listing<Handoff>,
}

pub(super) async fn page(context: Desk, _: Nothing, _: Nothing) -> Result<Page, Failure> {
    let home = read(&context).await?;
    let body = if home.overview.memories == 0 { home.first_steps() } else { home.body() };
    Ok(Page { title: "Home".into(), place: "/", body })
}

async fn read(context: &Desk) -> Result<Home, Failure> {
    let (engine, caller) = (&context.engine, &context.caller);
    let newest = MemoryQuery { statuses: vec![Status::Active], ..MemoryQuery::default() };
    let reviews = ListReviews { limit: Some(3), ..ListReviews::default() };
    let handoffs = ListHandoffs { limit: Some(FEW), ..ListHandoffs::default() };
    Ok(Home {
        // Also records this visit, so it runs once per page load.
        news: engine.memories().arrive(caller).await?,
        status: engine.admin().status(caller).await?,
        overview: engine.memories().overview(caller, DAYS).await?,
        activity: engine.admin().activity(caller, DAYS).await?,
        unanswered: engine.admin().unanswered(caller, Part::first(FEW)).await?,
        backup: engine.admin().last_backup(caller).await?,
        chain: engine.admin().audit_verified(caller).await?,
        newest: engine.memories().list(caller, &newest, Part::first(FEW)).await?,
        waiting: engine.reviews().list(caller, &reviews).await?,
        handoffs: engine.handoffs().list(caller, &handoffs).await?.handoffs,
    })
}

impl Home {
    fn first_steps(&self) -> Markup {
        html! {
            (nothing(
                "No memories yet",
                html! {
                    p { "Connect an agent, and what it learns appears here:" }
                    pre { code { "claude mcp add -s user quipu -- quipu mcp" } }
                    p { "Or write the first memory yourself." }
                    p { a.button href="/memories/new" { "Write a memory" } }
                },
            ))
            (self.not_found())
        }
    }

    fn body(&self) -> Markup {
        html! {
            h1 { "Your memory" }
            (self.since_last_time())
            (self.tiles())
            div.columns {
                div {
                    section aria-labelledby="grown" {
                        h2 #grown { "The last " (DAYS) " days" }
                        (charts::growth(&self.overview.daily))
                    }
                    section aria-labelledby="asked" {
                        h2 #asked { "Questions" }
                        (charts::asked(&self.activity))
                    }
                    (self.not_found())
                    (self.lately())
                }
                div {
                    (self.waits())
                    (self.passed_on())
                    (self.who_was_here())
                    (counts("By kind", "kind", &self.overview.kinds))
                    (counts("By agent", "agent", &self.overview.agents))
                    (self.health())
                }
            }
        }
    }

    fn since_last_time(&self) -> Markup {
        let News { since, memories, reviews, handoffs } = &self.news;
        let written: usize = memories.iter().map(|(_, count)| count).sum();
        html! {
            @if let Some(since) = since {
                div.banner #news {
                    p {
                        "Since your last visit " (when(*since)) ": "
                        @if written + reviews + handoffs == 0 { "nothing new." }
                        @if written > 0 {
                            b {
                                (number(written)) @if written == 1 { " memory" }
                                @else {
                                    " memories"
                                }
                            }
                            " ("
                            @for (at, (agent, count)) in memories.iter().take(5).enumerate() {
                                @if at > 0 { ", " }
                                a dir="auto" href={ "/memories?agent=" (encoded(agent)) } {
                                    (agent)
                                } " " (number(*count))
                            } ") "
                        }
                        @if *reviews > 0 {
                            a href="/review" { (number(*reviews)) " to review" } " "
                        }
                        @if *handoffs > 0 {
                            a href="/handoffs" { (number(*handoffs)) " handed off" }
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
                li { a href=(path) { strong { (number(count)) } span { (name) } } }
            } }
        }
    }

    fn lately(&self) -> Markup {
        let is_new = |at: Moment| self.news.since.is_some_and(|since| at > since);
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
                        a dir="auto" href={ "/memories?" (filter) "=" (encoded(name)) } { (name) }
                        meter min="0" max=(most) value=(count) aria-label={ (name) ": " (count) } {}
                        span { (number(*count)) }
                    }
                } }
            }
        }
    }
}
