//! `quipu list`: the newest memories, and with `--watch` each new one as it is written.

use super::agent_argument::{UnknownAgent, unknown_agent};
use super::kind_argument::unknown_kind;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::render::{EMPTY_MEMORY, MemoryOutput};
use crate::setup::{OpenMemory, Setup};
use crate::terminal::{OutputFormat, Terminal};
use crate::text_page::{Style, TextPage};
use crate::{signals, time_argument};
use clap::Args;
use engine::transcripts;
use model::{AgentName, Kind, Memory, Moment, Page, Seq, Status};
use serde_json::json;
use std::time::Duration;
use store::{MemoryQuery, MemorySort};

const EXAMPLES: &str = "\
Examples:
  quipu list
  quipu list --kind decision --since 2w
  quipu list --project billing --agent codex -n 50
  quipu list --watch";

/// Number of memories read at a time.
const PAGE_ITEMS: usize = 200;
/// Interval at which new memories are looked for.
const WATCH_INTERVAL: Duration = Duration::from_millis(500);
/// Number of changes read at a time.
const CHANGES_AT_ONCE: usize = 500;

/// List the newest memories
///
/// Newest first; current memories only, unless --all is given. With --watch the newest come last,
/// and every further one is printed as soon as it is written, whichever agent writes it.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ListArgs {
    #[command(flatten)]
    filters: ListFilters,
    /// Maximum number of memories
    #[arg(
        long, short = 'n', value_name = "1-1000", default_value_t = 20,
        value_parser = clap::value_parser!(u16).range(1..=1000)
    )]
    limit: u16,
    /// Keep running, and print each new memory; with --json one line for each
    #[arg(long)]
    watch: bool,
}

#[derive(Debug, Args)]
struct ListFilters {
    /// Only memories of this project
    #[arg(long, short, value_name = "NAME")]
    project: Option<String>,
    /// Only memories of this kind; can be repeated
    #[arg(long = "kind", short, value_name = "KIND")]
    kinds: Vec<String>,
    /// Only memories with this tag; can be repeated, and one of them is enough
    #[arg(long = "tag", short, value_name = "TAG")]
    tags: Vec<String>,
    /// Only memories that this agent wrote
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only memories written from then on: 2026-05-03, yesterday, 3d, 2w
    #[arg(long, value_name = "WHEN", value_parser = time_argument::since)]
    since: Option<String>,
    /// Only memories written until then
    #[arg(long, value_name = "WHEN", value_parser = time_argument::until)]
    until: Option<String>,
    /// Include memories that were replaced, rejected or retired
    #[arg(long)]
    all: bool,
    /// Include the turns of transcripts
    #[arg(long)]
    transcripts: bool,
}

impl ListArgs {
    /// Lists the memories.
    ///
    /// # Errors
    /// Fails when a filter is invalid or the memory cannot be read.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let query = self.filters.query()?;
        setup
            .with_memory(async |memory| {
                if self.watch {
                    return self.watch(setup, memory, &query).await;
                }
                let (listed, more) = self.newest(memory, &query).await?;
                let mut page = TextPage::new(setup.terminal);
                self.render(memory, &mut page, &listed, more).await?;
                let memories: Vec<MemoryOutput> = listed.iter().map(Into::into).collect();
                Ok(CommandOutput::new(json!({ "memories": memories, "more": more }), page))
            })
            .await
    }

    async fn render(
        &self,
        memory: &OpenMemory,
        page: &mut TextPage,
        listed: &[Memory],
        more: bool,
    ) -> Result<(), Problem> {
        listed.iter().for_each(|one| print_memory(page, one));
        if listed.is_empty() {
            page.add_text(&self.explain_nothing(memory).await?);
        }
        if more {
            page.paragraph(0, Style::Faint, "There are more; use -n or filters to see them.");
        }
        Ok(())
    }

    /// Returns why nothing is listed: a kind or an agent that no memory has, the filters together,
    /// or an empty memory.
    async fn explain_nothing(&self, memory: &OpenMemory) -> Result<String, Problem> {
        if let Some(unknown) = unknown_kind(memory, &self.filters.kinds).await? {
            return Ok(unknown);
        }
        if let Some(agent) = &self.filters.agent
            && let Some(UnknownAgent { meant: Some(meant) }) = unknown_agent(memory, agent).await?
        {
            return Ok(format!("No agent is named `{agent}`; did you mean `{meant}`?"));
        }
        let is_filtered = self.filters.is_any();
        Ok(if is_filtered { "No memory matches these filters." } else { EMPTY_MEMORY }.to_owned())
    }

    /// Returns the newest matching memories, newest first, and whether there are more.
    async fn newest(
        &self,
        memory: &OpenMemory,
        query: &MemoryQuery,
    ) -> Result<(Vec<Memory>, bool), Problem> {
        let caller = memory.caller_for("list");
        let (limit, mut found) = (usize::from(self.limit), Vec::new());
        let mut page = Page::first(PAGE_ITEMS);
        loop {
            let listed = memory.engine.memories().list(&caller, query, page).await?;
            let count = listed.items.len();
            found.extend(listed.items.into_iter().filter(|one| self.filters.is_shown(one)));
            page.offset += count;
            if count == 0 || found.len() > limit || page.offset >= listed.total {
                let more = found.len() > limit;
                found.truncate(limit);
                return Ok((found, more));
            }
        }
    }

    /// Prints the newest memories, then each further one until a termination signal.
    async fn watch(
        &self,
        setup: &Setup,
        memory: &OpenMemory,
        query: &MemoryQuery,
    ) -> Result<CommandOutput, Problem> {
        let stop = signals::shutdown_token()?;
        let owner = &memory.caller.owner;
        let mut seq = memory.store.seq(owner).await?;
        let (listed, _) = self.newest(memory, query).await?;
        print_all(setup, listed.iter().rev())?;
        let mut newest = listed.iter().map(|one| one.id).max();
        while !stop.is_cancelled() {
            let (fresh, upto) = changed_since(memory, seq).await?;
            seq = upto;
            let is_new = |one: &&Memory| Some(one.id) > newest && self.filters.matches(query, one);
            print_all(setup, fresh.iter().filter(is_new))?;
            newest = newest.max(fresh.iter().map(|one| one.id).max());
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(WATCH_INTERVAL) => {}
            }
        }
        Ok(CommandOutput::empty(setup.terminal))
    }
}

/// Returns the memories that were written or touched after a change, by id, and the newest change.
async fn changed_since(memory: &OpenMemory, seq: Seq) -> Result<(Vec<Memory>, Seq), Problem> {
    let owner = &memory.caller.owner;
    let (mut found, mut after) = (Vec::new(), seq);
    if memory.store.seq(owner).await? == seq {
        return Ok((found, seq));
    }
    loop {
        let changes = memory.store.changes(owner, after, CHANGES_AT_ONCE).await?;
        found.extend(changes.entries.into_iter().map(|entry| entry.memory));
        after = changes.upto;
        if !changes.more {
            found.sort_by_key(|one: &Memory| one.id);
            return Ok((found, after));
        }
    }
}

impl ListFilters {
    fn query(&self) -> Result<MemoryQuery, Problem> {
        let kinds = self.kinds.iter().map(|kind| Kind::new(&kind.to_lowercase()));
        let moment = |text: &str| {
            Moment::parse(text).map_err(|error| {
                Problem::usage(error.to_string(), "Use a date such as 2026-05-03.")
            })
        };
        Ok(MemoryQuery {
            kinds: kinds.collect::<Result<_, _>>()?,
            statuses: if self.all { Vec::new() } else { vec![Status::Active] },
            project: self.project.clone(),
            agent: self.agent.as_deref().map(AgentName::new),
            tags: self.tags.clone(),
            created_from: self.since.as_deref().map(moment).transpose()?,
            created_until: self
                .until
                .as_deref()
                .map(end_of)
                .map(|text| moment(&text))
                .transpose()?,
            sort: MemorySort::Newest,
            ..MemoryQuery::default()
        })
    }

    fn is_any(&self) -> bool {
        self.project.is_some()
            || !self.kinds.is_empty()
            || !self.tags.is_empty()
            || self.agent.is_some()
            || self.since.is_some()
            || self.until.is_some()
    }

    fn is_shown(&self, memory: &Memory) -> bool {
        self.transcripts || memory.collection != transcripts::COLLECTION
    }

    /// Returns true if a new memory is one of those that are listed.
    fn matches(&self, query: &MemoryQuery, memory: &Memory) -> bool {
        let at = memory.provenance.at;
        self.is_shown(memory)
            && (query.statuses.is_empty() || query.statuses.contains(&memory.status))
            && (query.kinds.is_empty() || query.kinds.contains(&memory.kind))
            && (query.project.is_none() || query.project == memory.project)
            && query.agent.as_ref().is_none_or(|agent| *agent == memory.provenance.author.agent)
            && (query.tags.is_empty() || query.tags.iter().any(|tag| memory.tags.contains(tag)))
            && query.created_from.is_none_or(|from| from <= at)
            && query.created_until.is_none_or(|until| at <= until)
    }
}

/// Returns the end of a day for a date alone, since a listing until a day includes it.
fn end_of(text: &str) -> String {
    let is_date = text.len() == "2026-05-03".len();
    if is_date { format!("{text}T23:59:59.999999Z") } else { text.to_owned() }
}

fn print_memory(page: &mut TextPage, memory: &Memory) {
    page.blank();
    MemoryOutput::from(memory).render(page);
}

/// Prints memories at once, since whoever watches waits for them.
fn print_all<'m>(setup: &Setup, memories: impl Iterator<Item = &'m Memory>) -> Result<(), Problem> {
    let mut text = String::new();
    for memory in memories {
        match setup.terminal.format {
            OutputFormat::Json => {
                text.push_str(&format!("{}\n", json!(MemoryOutput::from(memory))))
            }
            OutputFormat::Text => {
                let mut page = TextPage::new(setup.terminal);
                print_memory(&mut page, memory);
                text.push_str(&page.into_text());
                text.push('\n');
            }
        }
    }
    if text.is_empty() { Ok(()) } else { Terminal::print(&text) }
}
