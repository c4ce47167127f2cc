//! Runs a data set: stores the documents in a temporary memory, with one owner per group, and
//! recalls the questions, all through the use cases that agents call.

use super::coverage::{BUDGETS, BudgetedAnswer, ShownDocument};
use super::data::{DataSet, EvalDocument, EvalQuery};
use super::latency::{CallTime, measure};
use crate::clock::SettableClock;
use crate::config::Config;
use crate::exit::Problem;
use crate::progress::Progress;
use crate::setup::{OpenMemory, Setup, open_with_ranking};
use engine::recall::{MemoryHit, RecallRequest, RecallResults};
use engine::remember::RememberRequest;
use engine::sessions::SessionRef;
use engine::{Caller, Clock, Ranking, SystemClock};
use model::{AgentName, Dialect, ErrorCode, JsonMap, MemoryId, Moment, OwnerId, SessionId, limits};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::OnDuplicate;
use tempfile::TempDir;

/// Number of results per question: the depth of the deepest metric.
pub(super) const LIMIT: usize = 20;
/// Token budget that leaves nothing out: a text never has more tokens than bytes, and a single
/// memory may take at most a third of the budget.
const BUDGET_TOKENS: usize = (LIMIT + 3) * limits::TEXT_BYTES;

/// A temporary memory that contains a data set.
pub(super) struct EvalRun {
    memory: OpenMemory,
    clock: SettableClock,
    groups: HashMap<String, EvalGroup>,
    pub counts: DocumentCounts,
    /// Asks every question again within each of [`BUDGETS`].
    pub measures_coverage: bool,
    /// Time it took to store the documents.
    pub store_time: Duration,
    /// Removes the directory when dropped.
    directory: TempDir,
}

/// Number of documents by outcome.
#[derive(Debug, Default)]
pub(super) struct DocumentCounts {
    /// Stored, truncated or not.
    pub stored: usize,
    /// Truncated to the longest text that a memory can have.
    pub truncated: usize,
    /// Not stored, because they are blank or contain a secret.
    pub refused: usize,
}

/// The memory of one group.
struct EvalGroup {
    caller: Caller,
    sessions: HashMap<String, SessionId>,
    /// Index of the document that each memory was created from.
    documents: HashMap<MemoryId, usize>,
}

/// Result of a question.
#[derive(Debug, Default)]
pub(super) struct QuestionResult {
    /// Indices of the documents, best first.
    pub documents: Vec<usize>,
    /// Documents that were found, when nothing was returned because none seemed to answer.
    pub withheld: Vec<usize>,
    /// Probability that the documents answer the question.
    pub confidence: f32,
    /// True if the documents are marked as only similar.
    pub weak: bool,
    pub time: CallTime,
    /// Id of the embedder that was used.
    pub embedder: Option<String>,
    /// Answers within each of [`BUDGETS`]; empty if coverage is not measured.
    pub budgeted: Vec<BudgetedAnswer>,
}

impl EvalRun {
    /// Stores every document in a temporary memory with the given ranking.
    ///
    /// # Errors
    /// Fails when the temporary directory cannot be used or a document cannot be stored.
    pub async fn prepare(setup: &Setup, data: &DataSet, ranking: Ranking) -> Result<Self, Problem> {
        let directory = tempfile::Builder::new().prefix("quipu-eval-").tempdir();
        let directory = directory
            .map_err(|error| Problem::file("writing to", &std::env::temp_dir(), &error))?;
        let clock = SettableClock::new();
        let memory = open(setup, &directory, &clock, ranking).await?;
        let (groups, counts) = (HashMap::new(), DocumentCounts::default());
        let mut run = Self {
            memory,
            clock,
            groups,
            counts,
            measures_coverage: false,
            store_time: Duration::ZERO,
            directory,
        };
        let started = Instant::now();
        run.store_documents(data).await?;
        run.store_time = started.elapsed();
        Ok(run)
    }

    /// Runs every question.
    ///
    /// # Errors
    /// Fails when a recall fails.
    pub async fn run_questions(&self, data: &DataSet) -> Result<Vec<QuestionResult>, Problem> {
        self.run_questions_on(&self.memory, data).await
    }

    /// Runs every question on the same memory with another ranking.
    ///
    /// # Errors
    /// Fails when a recall fails.
    pub async fn run_questions_with(
        &self,
        setup: &Setup,
        data: &DataSet,
        ranking: Ranking,
    ) -> Result<Vec<QuestionResult>, Problem> {
        let memory = open(setup, &self.directory, &self.clock, ranking).await?;
        let results = self.run_questions_on(&memory, data).await;
        memory.engine.flush().await;
        results
    }

    async fn run_questions_on(
        &self,
        memory: &OpenMemory,
        data: &DataSet,
    ) -> Result<Vec<QuestionResult>, Problem> {
        let mut progress = Progress::new("recalling", data.queries.len());
        let mut results = Vec::with_capacity(data.queries.len());
        for query in &data.queries {
            results.push(self.run_question(memory, query).await?);
            progress.step();
        }
        Ok(results)
    }

    /// Flushes pending writes before the directory is removed.
    pub async fn finish(&self) {
        self.memory.engine.flush().await;
    }

    async fn store_documents(&mut self, data: &DataSet) -> Result<(), Problem> {
        let mut progress = Progress::new("remembering", data.documents.len());
        for (at, document) in data.documents.iter().enumerate() {
            if !self.groups.contains_key(&document.group) {
                let group = self.new_group().await?;
                self.groups.insert(document.group.clone(), group);
            }
            self.store_document(at, document).await?;
            progress.step();
        }
        Ok(())
    }

    /// Creates the owner of a group. Owners are numbered, because a group can have any name.
    async fn new_group(&self) -> Result<EvalGroup, Problem> {
        let name = format!("group-{}", self.groups.len() + 1);
        let owner = OwnerId::new(&name)
            .map_err(|error| Problem::usage(error.to_string(), "Report this as a bug."))?;
        self.memory.store.create_owner(&owner, Moment(0)).await?;
        let caller =
            Caller::agent(owner, AgentName::new("eval"), Dialect::Import).with_tool("eval");
        Ok(EvalGroup { caller, sessions: HashMap::new(), documents: HashMap::new() })
    }

    async fn store_document(&mut self, at: usize, document: &EvalDocument) -> Result<(), Problem> {
        let Some(group) = self.groups.get_mut(&document.group) else { return Ok(()) };
        if document.text.trim().is_empty() {
            self.counts.refused += 1;
            return Ok(());
        }
        self.clock.set(document.date.map_or_else(|| SystemClock.now(), |day| day.0));
        let remembered = match self
            .memory
            .engine
            .memories()
            .remember(&group.caller, &remember_request(document))
            .await
        {
            Err(failure) if failure.code == ErrorCode::SecretRefused => {
                self.counts.refused += 1;
                return Ok(());
            }
            result => result?,
        };
        group.documents.extend(remembered.id.map(|id| (id, at)));
        group.sessions.extend(remembered.session.map(|id| (document.session.clone(), id)));
        self.counts.stored += 1;
        self.counts.truncated += usize::from(document.text.len() > limits::TEXT_BYTES);
        Ok(())
    }

    async fn run_question(
        &self,
        memory: &OpenMemory,
        query: &EvalQuery,
    ) -> Result<QuestionResult, Problem> {
        let Some(group) = self.groups.get(&query.group) else {
            return Ok(QuestionResult::default());
        };
        let sessions = group.sessions_for(query);
        if query.haystack.is_some() && sessions.is_empty() {
            // An empty filter would search every session.
            return Ok(QuestionResult::default());
        }
        self.clock.set(query.date.map_or_else(|| SystemClock.now(), |day| day.0));
        let recall = RecallRequest {
            sessions,
            limit: Some(LIMIT),
            budget_tokens: Some(BUDGET_TOKENS),
            ..RecallRequest::query(&query.text)
        };
        let (recalled, time) =
            measure(memory.engine.memories().recall(&group.caller, &recall)).await;
        let recalled = recalled?;
        let mut budgeted = Vec::new();
        if self.measures_coverage {
            for tokens in BUDGETS {
                let within =
                    RecallRequest { limit: None, budget_tokens: Some(tokens), ..recall.clone() };
                let answer = memory.engine.memories().recall(&group.caller, &within).await?;
                budgeted.push(group.budgeted_answer(&answer, within));
            }
        }
        let mut withheld = Vec::new();
        if recalled.hits.is_empty() {
            let all = RecallRequest { include_weak: true, ..recall };
            let found = memory.engine.memories().recall(&group.caller, &all).await?;
            withheld = group.documents_of(&found);
        }
        Ok(QuestionResult {
            documents: group.documents_of(&recalled),
            withheld,
            confidence: recalled.confidence.unwrap_or(0.0),
            weak: recalled.weak,
            time,
            embedder: recalled.embedder,
            budgeted,
        })
    }
}

async fn open(
    setup: &Setup,
    directory: &TempDir,
    clock: &SettableClock,
    ranking: Ranking,
) -> Result<OpenMemory, Problem> {
    let clock = Arc::new(clock.clone());
    open_with_ranking(directory.path(), &Config::default(), setup.embedder()?, clock, ranking).await
}

impl EvalGroup {
    /// Returns the sessions that a question may search, without those that have no documents.
    fn sessions_for(&self, query: &EvalQuery) -> Vec<SessionRef> {
        let named = query.haystack.iter().flatten();
        named
            .filter_map(|(session, _)| self.sessions.get(session))
            .map(|id| SessionRef::Id(*id))
            .collect()
    }

    /// Returns the part of the results that an agent gets to see, with its tokens.
    fn budgeted_answer(&self, recalled: &RecallResults, asked: RecallRequest) -> BudgetedAnswer {
        // An agent sees no sessions unless it asks for one; here they stand for the haystack.
        let asked = RecallRequest { sessions: Vec::new(), ..asked };
        let answer = dialects::recall_answer(&self.caller, recalled, &asked);
        let shown = answer["memories"].as_array().into_iter().flatten();
        let shown = shown.flat_map(|entry| self.shown_documents(recalled, entry)).collect();
        BudgetedAnswer { shown, tokens: engine::estimate_tokens(&answer.to_string()) }
    }

    /// Returns the documents that an entry of an answer shows.
    fn shown_documents(&self, recalled: &RecallResults, entry: &Value) -> Vec<ShownDocument> {
        let is_entry = |hit: &&MemoryHit| entry["id"] == hit.memory.id.0;
        let Some(hit) = recalled.hits.iter().find(is_entry) else { return Vec::new() };
        let text = entry["text"].as_str().unwrap_or_default();
        let excerpt = (text != hit.memory.text).then(|| text.to_owned());
        let ids = std::iter::once(&hit.memory.id).chain(&hit.repetitions);
        ids.filter_map(|id| self.documents.get(id).copied())
            .map(|document| ShownDocument { document, excerpt: excerpt.clone() })
            .collect()
    }

    /// Returns the documents of the hits, each followed by those that were deduplicated into it.
    fn documents_of(&self, recalled: &RecallResults) -> Vec<usize> {
        let ids = recalled
            .hits
            .iter()
            .flat_map(|hit| std::iter::once(&hit.memory.id).chain(&hit.repetitions));
        ids.filter_map(|id| self.documents.get(id).copied()).collect()
    }
}

fn remember_request(document: &EvalDocument) -> RememberRequest {
    let speaker = document.speaker.iter().map(|name| ("speaker".to_owned(), name.clone().into()));
    RememberRequest {
        session: Some(SessionRef::Key(document.session.clone())),
        valid_from: document.date.map(|day| day.0),
        metadata: speaker.collect::<JsonMap>(),
        on_duplicate: Some(OnDuplicate::Insert),
        ..RememberRequest::text(truncate_text(&document.text))
    }
}

/// Truncates a text to the maximum size of a memory.
fn truncate_text(text: &str) -> &str {
    let end = (0..=limits::TEXT_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}
