//! Home: what is new, how it grew, what waits, and whether all is well.

use super::parts::{memory_line, nothing, number, size, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::{EmbeddingProgress, ListHandoffs, ListReviews, MemoryQuery, Overview, ReviewView, StoreStatus};
use maud::{Markup, html};
use model::{Failure, Handoff, Listing, Memory, Moment, Page as Part, Status};

/// How many days the growth shows.
const DAYS: usize = 30;
/// How many memories, review items and handoffs are shown.
const FEW: usize = 6;

/// What the page shows.
struct Home {
    status: StoreStatus,
    overview: Overview,
    embedding: EmbeddingProgress,
    newest: Listing<Memory>,
    waiting: Listing<ReviewView>,
    handoffs: Listing<Handoff>,
}

pub(super) async fn page(desk: Desk, _: Nothing, _: Nothing) -> Result<Page, Failure> {
    let home = read(&desk).await?;
    let body = if home.overview.memories == 0 { first_steps() } else { home.body() };
    Ok(Page { title: "Home".into(), place: "/", body })
}

async fn read(desk: &Desk) -> Result<Home, Failure> {
    let (engine, caller) = (&desk.engine, &desk.caller);
    let newest = MemoryQuery { statuses: vec![Status::Active], ..MemoryQuery::default() };
    let reviews = ListReviews { limit: Some(3), ..ListReviews::default() };
    let handoffs = ListHandoffs { limit: Some(FEW), ..ListHandoffs::default() };
    Ok(Home {
        status: engine.status(caller).await?,
        overview: engine.overview(caller, DAYS).await?,
        embedding: engine.embedding_progress(caller).await?,
        newest: engine.list(caller, &newest, Part::first(FEW)).await?,
        waiting: engine.list_reviews(caller, &reviews).await?,
        handoffs: engine.list_handoffs(caller, &handoffs).await?.handoffs,
    })
}

fn first_steps() -> Markup {
    nothing(
        "Nothing is remembered yet",
        html! {
            p { "Connect an agent, and what it learns appears here:" }
            pre { code { "claude mcp add -s user quipu -- quipu mcp" } }
            p { "Or write the first memory yourself." }
            p { a.button href="/memories/new" { "Write a memory" } }
        },
    )
}

impl Home {
    fn body(&self) -> Markup {
        html! {
            h1 { "Your memory" }
            (self.tiles())
            div.columns {
                div {
                    section aria-labelledby="grown" {
                        h2 #grown { "The last " (DAYS) " days" }
                        (growth(&self.overview.daily))
                    }
                    section aria-labelledby="newest" {
                        div.heading { h2 #newest { "Lately" } a href="/memories" { "All memories" } }
                        ul.cards #lately { @for memory in &self.newest.items {
                            li.card data-at=(memory.provenance.at) { (memory_line(memory)) }
                        } }
                    }
                }
                div {
                    (self.waits())
                    (self.passed_on())
                    (counts("By kind", "kind", &self.overview.kinds))
                    (counts("Who wrote it", "agent", &self.overview.agents))
                    (self.health())
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

    fn waits(&self) -> Markup {
        html! {
            @if self.waiting.total > 0 {
                section.call aria-labelledby="waits" {
                    div.heading { h2 #waits { "Waits for you" } a href="/review" { "Review " (self.waiting.total) } }
                    ul.plain { @for view in &self.waiting.items {
                        li { span.status data-status=(view.item.kind.name()) { (view.item.kind.name()) } " " span dir="auto" { (view.item.reason) } }
                    } }
                }
            }
        }
    }

    fn passed_on(&self) -> Markup {
        html! {
            @if self.handoffs.total > 0 {
                section aria-labelledby="handoffs" {
                    h2 #handoffs { "Work to take up" }
                    ul.plain { @for handoff in &self.handoffs.items {
                        li { b dir="auto" { (handoff.title) } " by " (handoff.created_by) ", " (when(handoff.created_at)) }
                    } }
                }
            }
        }
    }

    fn health(&self) -> Markup {
        html! {
            section aria-labelledby="health" {
                h2 #health { "Health" }
                dl.pairs {
                    dt { "On disk" } dd { (size(self.status.counts.bytes)) }
                    dt { "Meaning" } dd {
                        (self.embedding.model)
                        @if !self.embedding.is_complete() { ", " (self.embedding.done) " of " (self.embedding.total) }
                    }
                    dt { "Changes" } dd { (number(usize::try_from(self.status.seq.0).unwrap_or(0))) }
                    dt { "Version" } dd { (env!("CARGO_PKG_VERSION")) }
                }
            }
        }
    }
}

/// Names with how many memories carry each, as bars that lead to them.
fn counts(title: &str, filter: &str, named: &[(String, usize)]) -> Markup {
    let most = named.first().map_or(1, |(_, count)| *count);
    html! {
        @if !named.is_empty() {
            section {
                h2 { (title) }
                ul.bars { @for (name, count) in named.iter().take(8) {
                    li {
                        a dir="auto" href={ "/memories?" (filter) "=" (super::parts::encoded(name)) } { (name) }
                        meter min="0" max=(most) value=(count) aria-label={ (name) ": " (count) } {}
                        span { (number(*count)) }
                    }
                } }
            }
        }
    }
}

/// One bar for each day.
fn growth(daily: &[(Moment, usize)]) -> Markup {
    let most = daily.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let total: usize = daily.iter().map(|(_, count)| *count).sum();
    let height = |count: usize| if count == 0 { 1 } else { (count * 96).div_ceil(most).max(3) };
    html! {
        figure.growth {
            svg viewBox={ "0 0 " (daily.len() * 12) " 100" } role="img" preserveAspectRatio="none"
                aria-label={ (total) " memories in " (daily.len()) " days, at most " (most) " on one" } {
                @for (at, (day, count)) in daily.iter().enumerate() {
                    rect.empty[*count == 0] x=(at * 12 + 1) y=(100 - height(*count)) width="10" height=(height(*count)) rx="2" {
                        title { (day.date()) ": " (count) }
                    }
                }
            }
            figcaption {
                span { (daily.first().map(|(day, _)| day.date()).unwrap_or_default()) }
                span { b { (number(total)) } " new" }
                span { "today" }
            }
        }
    }
}
