//! Memories page: a search box that runs recall, filters, and the results. Without a question, all
//! memories by day.

use super::components::{
    empty_state, form_error, format_count, memory_line, pager, percent_encode,
};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use crate::v1::MemoryListQuery;
use engine::overview::Overview;
use engine::recall::{MemoryHit, RecallRequest, RecallResults};
use engine::sessions::SessionRef;
use engine::{MemoryQuery, MemorySort};
use maud::{Markup, html};
use model::{Failure, Kind, Listing, Memory, Page as Part, SessionId, Status};
use schemars::JsonSchema;
use serde::Deserialize;

/// Number of memories on a page.
const SIZE: usize = 50;
/// Maximum number of results of a question; the engine ranks no more.
const RESULTS_MAX: usize = 100;
/// Token budget of an answer. Larger than an agent's, because a person reads more than a model is
/// given.
const BUDGET: usize = 20_000;

/// Query of the page.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct MemoriesPageQuery {
    #[serde(default)]
    query: String,
    #[serde(default)]
    explain: Option<String>,
    kind: Option<String>,
    tag: Option<String>,
    project: Option<String>,
    collection: Option<String>,
    agent: Option<String>,
    session: Option<String>,
    status: Option<String>,
    since: Option<String>,
    until: Option<String>,
    cursor: Option<String>,
    sort: Option<String>,
    /// Number of results of a question.
    shown: Option<usize>,
}

/// Orders of a list: name, label, and the order of the engine.
const SORTS: [(&str, &str, MemorySort); 5] = [
    ("newest", "Newest first", MemorySort::Newest),
    ("oldest", "Oldest first", MemorySort::Oldest),
    ("used", "Most recalled first", MemorySort::MostUsed),
    ("important", "Most important first", MemorySort::MostImportant),
    ("confident", "Most confident first", MemorySort::MostConfident),
];

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: MemoriesPageQuery,
) -> Result<PageContent, Failure> {
    let overview = context.overview().await?;
    let found = if query.query.trim().is_empty() {
        let part = Part {
            limit: SIZE,
            offset: query.cursor.as_deref().and_then(|at| at.parse().ok()).unwrap_or(0),
        };
        let listing =
            context.engine.memories().list(&context.caller, &query.sorted_listing()?, part).await?;
        render_by_day(&query, &listing, part)
    } else {
        let recall = query.recall()?;
        let mut found = context.engine.memories().recall(&context.caller, &recall).await?;
        sort_hits(&query, &mut found.hits);
        render_results(&query, &found)
    };
    let body = html! {
        div.heading { h1 { "Memories" } a.button href="/memories/new" { "Write a memory" } }
        (search_form(&query, &overview))
        (found)
        (bulk_actions())
    };
    Ok(PageContent { title: "Memories".into(), nav_path: "/memories", body })
}

impl MemoriesPageQuery {
    fn session(&self) -> Result<Option<i64>, Failure> {
        let named = self.session.as_deref().map(str::trim).filter(|session| !session.is_empty());
        named
            .map(str::parse)
            .transpose()
            .map_err(|_| Failure::invalid("the session must be a number"))
    }

    fn listing(&self) -> Result<MemoryListQuery, Failure> {
        Ok(MemoryListQuery {
            kind: self.kind.clone(),
            tag: self.tag.clone(),
            project: self.project.clone(),
            collection: self.collection.clone(),
            agent: self.agent.clone(),
            session: self.session()?,
            status: self.status.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            limit: None,
            cursor: None,
        })
    }

    fn recall(&self) -> Result<RecallRequest, Failure> {
        let some = |text: &Option<String>| -> Vec<String> {
            text.iter().filter(|text| !text.trim().is_empty()).cloned().collect()
        };
        let listing = self.listing()?.query()?;
        Ok(RecallRequest {
            kinds: some(&self.kind),
            tags: some(&self.tag),
            projects: some(&self.project),
            collections: some(&self.collection),
            agents: some(&self.agent),
            sessions: self.session()?.map(|id| SessionRef::Id(SessionId(id))).into_iter().collect(),
            since: listing.created_from,
            until: listing.created_until,
            limit: Some(self.shown()),
            budget_tokens: Some(BUDGET * self.shown().div_ceil(SIZE)),
            explain: self.explain.is_some(),
            ..RecallRequest::query(self.query.clone())
        })
    }

    fn shown(&self) -> usize {
        self.shown.unwrap_or(SIZE).clamp(1, RESULTS_MAX)
    }

    fn sort(&self) -> MemorySort {
        let named = SORTS.iter().find(|(name, ..)| self.sort.as_deref() == Some(name));
        named.map_or(MemorySort::Newest, |(.., sort)| *sort)
    }

    fn sorted_listing(&self) -> Result<MemoryQuery, Failure> {
        Ok(MemoryQuery { sort: self.sort(), ..self.listing()?.query()? })
    }

    /// Returns the address of this question with more results.
    fn more_link(&self) -> String {
        let explain = self.explain.as_ref().map_or("", |_| "&explain=1");
        let query = percent_encode(&self.query);
        format!("{}&query={query}{explain}&shown={}", self.link(), self.shown() + SIZE)
    }

    /// Returns the address of this query without its cursor.
    fn link(&self) -> String {
        let fields = [
            ("kind", &self.kind),
            ("tag", &self.tag),
            ("project", &self.project),
            ("collection", &self.collection),
            ("agent", &self.agent),
            ("session", &self.session),
            ("status", &self.status),
            ("since", &self.since),
            ("until", &self.until),
            ("sort", &self.sort),
        ];
        let present =
            fields.iter().filter_map(|(name, value)| value.as_deref().map(|value| (name, value)));
        let pairs: Vec<String> = present
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={}", percent_encode(value)))
            .collect();
        format!("/memories?{}", pairs.join("&"))
    }

    fn is_filtered(&self) -> bool {
        let unsorted = Self { sort: None, ..self.clone() };
        unsorted.link() != "/memories?"
    }
}

fn search_form(query: &MemoriesPageQuery, overview: &Overview) -> Markup {
    html! {
        form.search role="search" action="/memories" {
            div.box {
                label.hidden for="query" { "Question" }
                input #query type="search" name="query" value=(query.query)
                    placeholder="What do you want to know?" autocomplete="off" dir="auto";
                button.primary { "Recall" }
            }
            label.check {
                input type="checkbox" name="explain" value="1" checked[query.explain.is_some()];
                "Explain the ranking"
            }
            details.filters open[query.is_filtered()] {
                summary { "Filters" }
                div.fields {
                    (choice("kind", "Kind", query.kind.as_deref(), &kinds(overview)))
                    (choice(
                        "project",
                        "Project",
                        query.project.as_deref(),
                        &names_of(&overview.projects),
                    ))
                    (choice("tag", "Tag", query.tag.as_deref(), &names_of(&overview.tags)))
                    (choice("agent", "Agent", query.agent.as_deref(), &names_of(&overview.agents)))
                    (choice(
                        "collection",
                        "Collection",
                        query.collection.as_deref(),
                        &names_of(&overview.collections),
                    ))
                    (status_choice(query.status.as_deref()))
                    (field("session", "Session", "number", query.session.as_deref()))
                    (field("since", "From", "date", query.since.as_deref()))
                    (field("until", "Until", "date", query.until.as_deref()))
                    (sort_choice(query))
                    div.actions { button { "Show" } a href="/memories" { "Clear" } }
                }
            }
        }
    }
}

fn sort_choice(query: &MemoriesPageQuery) -> Markup {
    html! {
        label {
            span { "Order" }
            select name="sort" {
                @let is_question = !query.query.trim().is_empty();
                option value="" { @if is_question { "Best first" } @else { "—" } }
                @for (name, label, _) in SORTS {
                    option value=(name) selected[query.sort.as_deref() == Some(name)] { (label) }
                }
            }
        }
    }
}

/// Sorts the results of a question, where an order other than the best first is chosen.
fn sort_hits(query: &MemoriesPageQuery, hits: &mut [MemoryHit]) {
    if !SORTS.iter().any(|(name, ..)| query.sort.as_deref() == Some(name)) {
        return;
    }
    hits.sort_by(|one, next| {
        let (one, next) = (&one.memory, &next.memory);
        match query.sort() {
            MemorySort::Newest => next.provenance.at.cmp(&one.provenance.at),
            MemorySort::Oldest => one.provenance.at.cmp(&next.provenance.at),
            MemorySort::MostUsed => next.access.count.cmp(&one.access.count),
            MemorySort::MostImportant => one.priority.cmp(&next.priority),
            MemorySort::MostConfident => next.confidence.total_cmp(&one.confidence),
        }
    });
}

fn select_all() -> Markup {
    html! {
        div.list-tools { label.check { input #pick-all type="checkbox"; "Select all" } }
    }
}

fn names_of(counted: &[(String, usize)]) -> Vec<String> {
    counted.iter().map(|(name, _)| name.clone()).collect()
}

/// Returns the usual kinds and all others in use.
fn kinds(overview: &Overview) -> Vec<String> {
    let mut kinds = names_of(&overview.kinds);
    kinds.extend(Kind::COMMON.iter().map(|kind| (*kind).to_owned()));
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn status_choice(chosen: Option<&str>) -> Markup {
    html! {
        label {
            span { "Status" }
            select name="status" {
                option value="" { "—" }
                @for status in Status::ALL {
                    option value=(status.name()) selected[chosen == Some(status.name())] {
                        (super::words::status(status))
                    }
                }
                option value="any" selected[chosen == Some("any")] { "any" }
            }
        }
    }
}

fn choice(name: &str, label: &str, chosen: Option<&str>, options: &[String]) -> Markup {
    let missing = chosen
        .filter(|chosen| !chosen.is_empty() && !options.iter().any(|option| option == chosen));
    html! {
        label {
            span { (label) }
            select name=(name) {
                option value="" { "—" }
                @if let Some(chosen) = missing { option value=(chosen) selected { (chosen) } }
                @for option in options {
                    option value=(option) selected[chosen == Some(option.as_str())] { (option) }
                }
            }
        }
    }
}

fn field(name: &str, label: &str, kind: &str, value: Option<&str>) -> Markup {
    html! { label { span { (label) } input type=(kind) name=(name) value=[value]; } }
}

fn render_results(query: &MemoriesPageQuery, recalled: &RecallResults) -> Markup {
    html! {
        @if recalled.hits.is_empty() {
            (empty_state("Nothing found", html! {
                p {
                    "No memory answers “" span dir="auto" { (query.query) }
                    "”. If it should, write it down."
                }
                p {
                    a.button href={ "/memories/new?text=" (percent_encode(&query.query)) } {
                        "Write this memory"
                    }
                }
            }))
        } @else {
            p.found {
                (format_count(recalled.hits.len())) " found"
                @if recalled.left_out > 0 { ", " (format_count(recalled.left_out)) " more match" }
                @if recalled.embedder.is_none() { ", keyword search only" }
            }
            (select_all())
            ol.cards { @for hit in &recalled.hits { (card(&hit.memory, score_breakdown(hit))) } }
            @if recalled.left_out > 0 && query.shown() < RESULTS_MAX {
                p.pager { a rel="next" href=(query.more_link()) { "Show more" } }
            }
        }
    }
}

fn score_breakdown(hit: &MemoryHit) -> Markup {
    html! {
        @if !hit.parts.is_empty() {
            @let most = hit.parts.iter().map(|(_, value)| value.abs()).fold(0.01, f32::max);
            dl.explain aria-label="Score breakdown" {
                dt { "score" } dd { b { (format!("{:.2}", hit.score)) } }
                @for (name, value) in &hit.parts {
                    dt { (name.replace('_', " ")) }
                    dd {
                        meter.less[*value < 0.0] min="0" max=(most) value=(value.abs())
                            aria-label={ (name) " " (format!("{value:+.2}")) } {}
                        " " (format!("{value:+.2}"))
                    }
                }
            }
        }
        @if let Some(mark) = &hit.under_review {
            p.note { a href="/review" { "Under review" } ": " (mark.description()) }
        }
        @if !hit.repetitions.is_empty() {
            p.note {
                "Also stated in "
                @for id in &hit.repetitions { a href={ "/memories/" (id) } { "#" (id) } " " }
            }
        }
    }
}

fn render_by_day(query: &MemoriesPageQuery, listing: &Listing<Memory>, part: Part) -> Markup {
    // By time, the memories of a day are adjacent; other orders have no days.
    let by_time = matches!(query.sort(), MemorySort::Newest | MemorySort::Oldest);
    let days = listing
        .items
        .chunk_by(|one, next| !by_time || one.provenance.at.date() == next.provenance.at.date());
    html! {
        @if listing.items.is_empty() {
            (empty_state("No memories", html! {
                @if query.is_filtered() {
                    p { "None matches these filters. " a href="/memories" { "Show all" } }
                } @else { p { "Write the first one, or connect an agent that does." } }
            }))
        } @else {
            (select_all())
            @for day in days {
                section.day {
                    @if let Some(first) = day.first().filter(|_| by_time) {
                        h2 { (first.provenance.at.date()) }
                    }
                    ul.cards { @for memory in day { (card(memory, html! {})) } }
                }
            }
            (pager(&query.link(), part.offset, listing.items.len(), listing.total, SIZE))
        }
    }
}

fn card(memory: &Memory, more: Markup) -> Markup {
    html! {
        li.card {
            input.pick type="checkbox" name="memories" value=(memory.id)
                data-tags=(serde_json::to_string(&memory.tags).unwrap_or_default())
                aria-label={ "Select memory " (memory.id) };
            div { (memory_line(memory)) (more) }
        }
    }
}

/// Actions for the selected memories. The script shows it once something is selected.
fn bulk_actions() -> Markup {
    html! {
        section #bulk.bulk hidden aria-label="Actions for the selected memories" {
            p { b #picked { "0" } " selected" }
            form data-call="POST /v1/memories/tag" data-picked="memories" data-undo-tags="1"
                data-say="Tagged {memories_count}." {
                label {
                    span.hidden { "Tag" }
                    input name="add" data-as="list" placeholder="tag" required maxlength="100";
                }
                button { "Tag" } (form_error())
            }
            form data-call="POST /v1/memories/retire" data-picked="memories"
                data-undo="POST /v1/memories/unretire"
                data-say="Retired {memories_count}; recall leaves them out." {
                button { "Retire" } (form_error())
            }
            form data-call="POST /v1/memories/forget" data-picked="memories"
                data-outcome="forgotten" data-sure="Forget permanently?" {
                button.danger { "Forget" } (form_error())
            }
        }
    }
}
