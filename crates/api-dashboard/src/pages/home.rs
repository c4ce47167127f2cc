//! Home page: what is new, growth, questions, open review items and handoffs, and the health of the
//! store.

mod charts;
mod first_steps;
mod questions;
mod sections;

use super::components::{counted, format_count, memory_line, percent_encode, time};
use super::shell::PageContent;
use super::words;
use crate::DEMO_TAG;
use crate::api::NoFields;
use crate::question_words::QuestionWords;
use crate::request_context::RequestContext;
use engine::activity::Activity;
use engine::audit::AuditVerification;
use engine::backups::LastBackup;
use engine::handoffs::ListHandoffsRequest;
use engine::maintenance::StoreStatus;
use engine::overview::Overview;
use engine::review::{ListReviewsRequest, ReviewView};
use engine::since_last_visit::SinceLastVisit;
use engine::{AuditQuery, MemoryQuery, estimate_tokens};
use maud::{Markup, html};
use model::{
    AgentName, AuditEvent, Failure, Handoff, Listing, Memory, Moment, Page as Part, Status,
};
use questions::WeakAnswers;

/// Number of days in the charts.
const DAYS: usize = 30;
/// Number of memories and handoffs shown.
const LIST_SIZE: usize = 6;
/// Number of events shown, and read to find as many.
const FEED_SIZE: usize = 6;
const FEED_READ: usize = 500;
/// Number of memories from which the size of all is estimated.
const SAMPLE: usize = 100;

/// Data of the page.
struct HomeData {
    since_last_visit: SinceLastVisit,
    status: StoreStatus,
    overview: Overview,
    activity: Activity,
    weak_answers: WeakAnswers,
    backup: Option<LastBackup>,
    chain: Option<AuditVerification>,
    newest: Listing<Memory>,
    waiting: Listing<ReviewView>,
    handoffs: Listing<Handoff>,
    /// Latest events, without the owner's own looking.
    feed: Vec<AuditEvent>,
    /// Name under which the owner acts.
    owner: AgentName,
    /// Estimated tokens of all memories.
    whole_tokens: usize,
    /// True when the server has a demo story.
    offers_demo: bool,
    /// The words of the questions in the feed.
    question_words: QuestionWords,
    /// True when the memory holds the demo story.
    is_demo: bool,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<PageContent, Failure> {
    if context.caller.is_member {
        return Ok(member_page(&context));
    }
    let home = load(&context).await?;
    let body = if home.overview.memories == 0 { home.first_steps() } else { home.body() };
    Ok(PageContent { title: "Home".into(), nav_path: "/", body })
}

/// Start page of a group's member, who is shown what grants allow.
fn member_page(context: &RequestContext) -> PageContent {
    let body = html! {
        h1 { "The memory of " (context.caller.owner) }
        p.lead { "You are a member of this group. Its admins decide what you may read and write." }
        ul.inline {
            li { a.tag-link href="/memories" { "Memories" } }
            li { a.tag-link href="/memories/new" { "Write a memory" } }
            li { a.tag-link href="/tables" { "Tables" } }
            li { a.tag-link href="/review" { "Review" } }
        }
    };
    PageContent { title: "Home".into(), nav_path: "/", body }
}

async fn load(context: &RequestContext) -> Result<HomeData, Failure> {
    let (engine, caller) = (&context.engine, &context.caller);
    let newest = MemoryQuery { statuses: vec![Status::Active], ..MemoryQuery::default() };
    let demo = MemoryQuery { tags: vec![DEMO_TAG.to_owned()], ..MemoryQuery::default() };
    let reviews = ListReviewsRequest { limit: Some(3), ..ListReviewsRequest::default() };
    let handoffs = ListHandoffsRequest { limit: Some(LIST_SIZE), ..ListHandoffsRequest::default() };
    let feed = engine.admin().audit(caller, &AuditQuery::default(), Part::first(FEED_READ)).await?;
    let is_news = |event: &AuditEvent| !words::is_looking(event, &caller.author.agent);
    let sample = engine.memories().list(caller, &newest, Part::first(SAMPLE)).await?;
    Ok(HomeData {
        feed: feed.items.into_iter().filter(is_news).take(FEED_SIZE).collect(),
        question_words: QuestionWords::load(context).await?,
        owner: caller.author.agent.clone(),
        whole_tokens: estimated_whole(&sample),
        offers_demo: context.demo.is_some(),
        is_demo: engine.memories().list(caller, &demo, Part::first(1)).await?.total > 0,
        // Also records this visit, so it runs once per page load.
        since_last_visit: engine.memories().note_visit(caller).await?,
        status: engine.admin().status(caller).await?,
        overview: engine.memories().overview(caller, DAYS).await?,
        activity: engine.admin().activity(caller, DAYS).await?,
        weak_answers: WeakAnswers::load(context).await?,
        backup: engine.admin().last_backup(caller).await?,
        chain: engine.admin().last_audit_verification(caller).await?,
        newest: engine.memories().list(caller, &newest, Part::first(LIST_SIZE)).await?,
        waiting: engine.reviews().list(caller, &reviews).await?,
        handoffs: engine.handoffs().list(caller, &handoffs).await?.handoffs,
    })
}

/// Estimates the tokens of all memories from the newest ones.
fn estimated_whole(sample: &Listing<Memory>) -> usize {
    let tokens: usize = sample.items.iter().map(|memory| estimate_tokens(&memory.text)).sum();
    (tokens * sample.total).checked_div(sample.items.len()).unwrap_or(0)
}

impl HomeData {
    fn first_steps(&self) -> Markup {
        html! {
            (first_steps::first_steps(self.offers_demo))
            (self.weak_answers.section())
        }
    }

    fn body(&self) -> Markup {
        html! {
            h1 { "Your memory" }
            @if self.is_demo { (first_steps::demo_note()) }
            (self.news_banner())
            (self.tiles())
            div.columns {
                div {
                    (self.live_feed())
                    section aria-labelledby="grown" {
                        h2 #grown { "The last " (DAYS) " days" }
                        (charts::growth(&self.overview.daily))
                    }
                    section aria-labelledby="asked" {
                        h2 #asked { "Questions" }
                        (charts::questions(&self.activity))
                        (self.tokens_served())
                    }
                    (self.weak_answers.section())
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
                                (counted(written, "memory", "memories"))
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
