//! Runs a data set: stores the documents in a temporary memory, with one owner per group, and
//! recalls the questions, all through the use cases that agents call.

use super::data::{DataSet, Document, Query};
use super::latency::{Took, timed};
use crate::clock::StandingClock;
use crate::config::Config;
use crate::exit::Problem;
use crate::progress::Progress;
use crate::setup::{Opened, Setup, open_ranking_by};
use engine::recall::{Recall, Recalled};
use engine::remember::Remember;
use engine::sessions::SessionRef;
use engine::{Caller, Clock, Ranking, SystemClock};
use model::{AgentName, Dialect, ErrorCode, JsonMap, MemoryId, Moment, OwnerId, SessionId, limits};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Control, OnDuplicate};
use tempfile::TempDir;

/// Number of results per question: the depth of the deepest metric.
pub(super) const LIMIT: usize = 20;
/// Token budget that leaves nothing out: a text never has more tokens than bytes, and a single
/// memory may take at most a third of the budget.
const BUDGET_TOKENS: usize = (LIMIT + 3) * limits::TEXT_BYTES;

/// A temporary memory that contains a data set.
pub(super) struct Trial {
    memory: Opened,
    clock: StandingClock,
    groups: HashMap<String, Group>,
    pub counts: Counts,
    /// Time it took to store the documents.
    pub remembering: Duration,
    /// Removes the directory when dropped.
    place: TempDir,
}

/// Number of documents by outcome.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Stored, truncated or not.
    pub kept: usize,
    /// Truncated to the longest text that a memory can have.
    pub cut: usize,
    /// Not stored, because they are blank or contain a secret.
    pub refused: usize,
}

/// The memory of one group.
struct Group {
    caller: Caller,
    sessions: HashMap<String, SessionId>,
    /// Index of the document that each memory was created from.
    documents: HashMap<MemoryId, usize>,
}

/// Result of a question.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Indices of the documents, best first.
    pub documents: Vec<usize>,
    pub took: Took,
    /// Id of the embedder that was used.
    pub embedder: Option<String>,
}

impl Trial {
    /// Stores every document in a temporary memory with the given ranking.
    ///
    /// # Errors
    /// When the temporary directory cannot be used or a document cannot be stored.
    pub async fn prepare(setup: &Setup, data: &DataSet, ranking: Ranking) -> Result<Self, Problem> {
        let place = tempfile::Builder::new().prefix("quipu-eval-").tempdir();
        let place =
            place.map_err(|error| Problem::file("writing to", &std::env::temp_dir(), &error))?;
        let clock = StandingClock::new();
        let memory = open(setup, &place, &clock, ranking).await?;
        let (groups, counts) = (HashMap::new(), Counts::default());
        let mut trial = Self { memory, clock, groups, counts, remembering: Duration::ZERO, place };
        let begun = Instant::now();
        trial.remember_all(data).await?;
        trial.remembering = begun.elapsed();
        Ok(trial)
    }

    /// Runs every question.
    ///
    /// # Errors
    /// When a recall fails.
    pub async fn ask_all(&self, data: &DataSet) -> Result<Vec<Asked>, Problem> {
        self.ask_all_of(&self.memory, data).await
    }

    /// Runs every question on the same memory with another ranking.
    ///
    /// # Errors
    /// When a recall fails.
    pub async fn ask_all_by(
        &self,
        setup: &Setup,
        data: &DataSet,
        ranking: Ranking,
    ) -> Result<Vec<Asked>, Problem> {
        let memory = open(setup, &self.place, &self.clock, ranking).await?;
        let asked = self.ask_all_of(&memory, data).await;
        memory.engine.flush().await;
        asked
    }

    async fn ask_all_of(&self, memory: &Opened, data: &DataSet) -> Result<Vec<Asked>, Problem> {
        let mut progress = Progress::new("recalling", data.queries.len());
        let mut asked = Vec::with_capacity(data.queries.len());
        for query in &data.queries {
            asked.push(self.ask(memory, query).await?);
            progress.step();
        }
        Ok(asked)
    }

    /// Flushes pending writes before the directory is removed.
    pub async fn finish(&self) {
        self.memory.engine.flush().await;
    }

    async fn remember_all(&mut self, data: &DataSet) -> Result<(), Problem> {
        let mut progress = Progress::new("remembering", data.documents.len());
        for (at, document) in data.documents.iter().enumerate() {
            if !self.groups.contains_key(&document.group) {
                let group = self.new_group().await?;
                self.groups.insert(document.group.clone(), group);
            }
            self.remember(at, document).await?;
            progress.step();
        }
        Ok(())
    }

    /// Creates the owner of a group. Owners are numbered, because a group can have any name.
    async fn new_group(&self) -> Result<Group, Problem> {
        let name = format!("group-{}", self.groups.len() + 1);
        let owner = OwnerId::new(&name)
            .map_err(|error| Problem::usage(error.to_string(), "Report this as a bug."))?;
        self.memory.store.create_owner(&owner, Moment(0)).await?;
        let caller = Caller::agent(owner, AgentName::new("eval"), Dialect::Import).using("eval");
        Ok(Group { caller, sessions: HashMap::new(), documents: HashMap::new() })
    }

    async fn remember(&mut self, at: usize, document: &Document) -> Result<(), Problem> {
        let Some(group) = self.groups.get_mut(&document.group) else { return Ok(()) };
        if document.text.trim().is_empty() {
            self.counts.refused += 1;
            return Ok(());
        }
        self.clock.put(document.date.map_or_else(|| SystemClock.now(), |day| day.0));
        let remembered =
            match self.memory.engine.memories().remember(&group.caller, &as_memory(document)).await
            {
                Err(failure) if failure.code == ErrorCode::SecretRefused => {
                    self.counts.refused += 1;
                    return Ok(());
                }
                answered => answered?,
            };
        group.documents.extend(remembered.id.map(|id| (id, at)));
        group.sessions.extend(remembered.session.map(|id| (document.session.clone(), id)));
        self.counts.kept += 1;
        self.counts.cut += usize::from(document.text.len() > limits::TEXT_BYTES);
        Ok(())
    }

    async fn ask(&self, memory: &Opened, query: &Query) -> Result<Asked, Problem> {
        let Some(group) = self.groups.get(&query.group) else { return Ok(Asked::default()) };
        let sessions = group.sessions_for(query);
        if query.haystack.is_some() && sessions.is_empty() {
            // An empty filter would search every session.
            return Ok(Asked::default());
        }
        self.clock.put(query.date.map_or_else(|| SystemClock.now(), |day| day.0));
        let recall = Recall {
            sessions,
            limit: Some(LIMIT),
            budget_tokens: Some(BUDGET_TOKENS),
            ..Recall::query(&query.text)
        };
        let (recalled, took) = timed(memory.engine.memories().recall(&group.caller, &recall)).await;
        let recalled = recalled?;
        Ok(Asked { documents: group.documents_of(&recalled), took, embedder: recalled.embedder })
    }
}

async fn open(
    setup: &Setup,
    place: &TempDir,
    clock: &StandingClock,
    ranking: Ranking,
) -> Result<Opened, Problem> {
    let clock = Arc::new(clock.clone());
    open_ranking_by(place.path(), &Config::default(), setup.embedder()?, clock, ranking).await
}

impl Group {
    /// Returns the sessions that a question may search, without those that have no documents.
    fn sessions_for(&self, query: &Query) -> Vec<SessionRef> {
        let named = query.haystack.iter().flatten();
        named
            .filter_map(|(session, _)| self.sessions.get(session))
            .map(|id| SessionRef::Id(*id))
            .collect()
    }

    /// Returns the documents of the hits, each followed by those that were deduplicated into it.
    fn documents_of(&self, recalled: &Recalled) -> Vec<usize> {
        let ids =
            recalled.hits.iter().flat_map(|hit| std::iter::once(&hit.memory.id).chain(&hit.alike));
        ids.filter_map(|id| self.documents.get(id).copied()).collect()
    }
}

fn as_memory(document: &Document) -> Remember {
    let speaker = document.speaker.iter().map(|name| ("speaker".to_owned(), name.clone().into()));
    Remember {
        session: Some(SessionRef::Key(document.session.clone())),
        valid_from: document.date.map(|day| day.0),
        metadata: speaker.collect::<JsonMap>(),
        on_duplicate: Some(OnDuplicate::Keep),
        ..Remember::text(beginning(&document.text))
    }
}

/// Truncates a text to the maximum size of a memory.
fn beginning(text: &str) -> &str {
    let end = (0..=limits::TEXT_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}
