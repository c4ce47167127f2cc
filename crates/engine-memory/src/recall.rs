//! Recall: what is known about a question, ranked, without repetitions, within a budget. What was
//! superseded, rejected, retired or has expired never appears unless the question asks for the
//! past.

use crate::Memories;
use crate::briefing::BUDGET_TOKENS;
use crate::sessions::SessionRef;
use crate::sessions::{find_session, named_session};
use ::recall::{Alike, Budget, Fit, Parts, Ranked, Weights};
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::search::{SearchModes, SearchRequest, SearchResults};
use guard::Resource;
use index::{Filter, Standing};
use model::{Failure, Memory, MemoryId, Moment, Permission, SessionId, Source, limits};
use std::collections::HashMap;

/// How many memories are shown when nobody says otherwise.
const LIMIT: usize = 10;
/// How many may be asked for.
const LIMIT_MAX: usize = 100;
/// How many more than asked are fetched, to make up for repetitions.
const SPARE: usize = 10;

/// What to recall. Every list that is empty lets all through.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recall {
    /// The question. Any text is one; an empty one lists the newest.
    pub query: String,
    /// Only of these projects.
    pub projects: Vec<String>,
    /// Only of these sessions.
    pub sessions: Vec<SessionRef>,
    /// Only of this session, and what belongs to none. A session that is not known yet holds
    /// nothing.
    pub within: Option<SessionRef>,
    /// Only of these kinds.
    pub kinds: Vec<String>,
    /// Only with any of these tags.
    pub tags: Vec<String>,
    /// Only from these drawers.
    pub collections: Vec<String>,
    /// Only by these agents.
    pub agents: Vec<String>,
    /// Only these memories.
    pub ids: Vec<MemoryId>,
    /// Only from this moment on.
    pub since: Option<Moment>,
    /// Only up to this moment.
    pub until: Option<Moment>,
    /// As it was known at that moment.
    pub as_of: Option<Moment>,
    /// How many at most; 10 when missing.
    pub limit: Option<usize>,
    /// How many tokens at most; [`BUDGET_TOKENS`] when missing.
    pub budget_tokens: Option<usize>,
    /// Whether each hit tells how its score came about.
    pub explain: bool,
    /// Also what answers so weakly that "nothing" would be the honest answer.
    pub however_weak: bool,
    /// By what to search.
    pub senses: SearchModes,
}

impl Recall {
    /// Just a question.
    #[must_use]
    pub fn query(query: impl Into<String>) -> Self {
        Self { query: query.into(), ..Self::default() }
    }
}

/// A memory that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// The beginning of its text, when the whole did not fit the budget.
    pub cut: Option<String>,
    /// How well it answers; only comparable within one recall.
    pub score: f32,
    /// How near it is to the question, 0 to 1; 0.7 is the weakest that still answers, whatever the
    /// question.
    pub similarity: f32,
    /// How well it answers with all that counts, on the same scale.
    pub strength: f32,
    /// How the score came about, when asked.
    pub parts: Vec<(&'static str, f32)>,
    /// Memories that say the same in almost the same words, and are not shown.
    pub alike: Vec<MemoryId>,
}

/// What is known about a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The answers, best first.
    pub hits: Vec<Hit>,
    /// How many more match and are not shown.
    pub left_out: usize,
    /// The embedder whose vectors helped; `None` when words alone answered.
    pub embedder: Option<String>,
    /// Why words alone answered though there is an embedder.
    pub words_alone: Option<String>,
}

impl Memories<'_> {
    /// Recalls.
    ///
    /// # Errors
    /// When the query is too long, a session is unknown, or the store cannot answer.
    pub async fn recall(self, caller: &Caller, input: &Recall) -> Result<Recalled, Failure> {
        let call = Call::begin_any(
            self.core,
            caller,
            &self.asked_for(caller, input).await?,
            Permission::Read,
            input,
        )
        .await?;
        let request = SearchRequest::new(&call, &input.query, input.senses)?;
        let request = if input.however_weak { request.include_weak() } else { request };
        let filter = filter_of(&call, input).await?;
        let SearchResults { ranked, embedding } = request.run(&call, &filter).await?;
        let hits = self.gather(&call, input, &filter, &ranked).await?;
        let shown: Vec<MemoryId> = hits.iter().map(|hit| hit.memory.id).collect();
        let repeated: usize = hits.iter().map(|hit| hit.alike.len()).sum();
        self.note_recalled(&call, input, &shown).await?;
        Ok(Recalled {
            left_out: ranked.len().saturating_sub(hits.len() + repeated),
            embedder: embedding.is_known().then(|| self.core.embedder().model().id.clone()),
            words_alone: embedding.missing(),
            hits,
        })
    }

    /// Notes what was shown; a question without words or within named memories is no question to
    /// the whole memory.
    async fn note_recalled(
        self,
        call: &Call<'_>,
        input: &Recall,
        shown: &[MemoryId],
    ) -> Result<(), Failure> {
        let note = format!("recalled {}", shown.len());
        if input.query.trim().is_empty() || !input.ids.is_empty() || input.as_of.is_some() {
            call.note_shown(note, shown).await;
            return Ok(());
        }
        let asked = self.core.asked(call, &input.query, shown.len()).await?;
        call.note_asked(note, shown, asked).await;
        Ok(())
    }

    /// The places that a question names: each drawer, and the table whose rows are told of in it.
    /// Whoever may read none of them hears so, instead of that they are empty.
    async fn asked_for(self, caller: &Caller, input: &Recall) -> Result<Vec<Resource>, Failure> {
        if input.collections.is_empty() {
            return Ok(vec![Resource::Memories(None)]);
        }
        let tables = self.core.store_of(&caller.owner).tables().await?;
        let of_rows =
            input.collections.iter().filter(|name| tables.iter().any(|table| table.name == **name));
        let drawers = input.collections.iter().map(|name| Resource::of(Source::new(name, None)));
        Ok(drawers.chain(of_rows.map(|name| Resource::Tables(Some(name.clone())))).collect())
    }

    /// Fetches the best, leaves repetitions out and keeps to the budget.
    async fn gather(
        self,
        call: &Call<'_>,
        input: &Recall,
        filter: &Filter,
        ranked: &[Ranked],
    ) -> Result<Vec<Hit>, Failure> {
        let limit = input.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let ids: Vec<MemoryId> = ranked.iter().take(limit + SPARE).map(|one| one.id).collect();
        let memories = self.core.standing(call, &ids, &filter.standing).await?;
        let by_id: HashMap<MemoryId, &Ranked> =
            ranked.iter().take(limit + SPARE).map(|one| (one.id, one)).collect();
        let mut answer = Answer::new(limit, input.budget_tokens.unwrap_or(BUDGET_TOKENS));
        for memory in memories {
            let parts = by_id.get(&memory.id).map(|one| one.parts).unwrap_or_default();
            answer.offer(memory, &parts, input.explain);
        }
        Ok(answer.hits)
    }
}

/// An answer in the making.
struct Answer {
    limit: usize,
    budget: Budget,
    alike: Alike,
    hits: Vec<Hit>,
    /// For each text that was let through, the hit that shows it.
    shown_as: Vec<Option<usize>>,
}

impl Answer {
    fn new(limit: usize, tokens: usize) -> Self {
        Self {
            limit,
            budget: Budget::new(tokens),
            alike: Alike::default(),
            hits: Vec::new(),
            shown_as: Vec::new(),
        }
    }

    fn offer(&mut self, memory: Memory, parts: &Parts, explain: bool) {
        match self.alike.admit(&memory.text) {
            Err(earlier) => {
                if let Some(hit) = self.shown_as.get(earlier).copied().flatten() {
                    self.hits[hit].alike.push(memory.id);
                }
            }
            Ok(_) => {
                let fits = self.hits.len() < self.limit;
                let fit = if fits { self.budget.take(&memory.text) } else { Fit::Out };
                let cut = match fit {
                    Fit::Out => return self.shown_as.push(None),
                    Fit::Whole => None,
                    Fit::Cut(text) => Some(text),
                };
                self.shown_as.push(Some(self.hits.len()));
                self.hits.push(hit(memory, cut, parts, explain));
            }
        }
    }
}

fn hit(memory: Memory, cut: Option<String>, parts: &Parts, explain: bool) -> Hit {
    let weights = Weights::default();
    Hit {
        memory,
        cut,
        score: parts.sum(),
        similarity: parts.similarity(&weights),
        strength: parts.strength(&weights),
        parts: if explain { parts.named() } else { Vec::new() },
        alike: Vec::new(),
    }
}

async fn filter_of(call: &Call<'_>, input: &Recall) -> Result<Filter, Failure> {
    limits::count("ids", input.ids.len(), limits::IDS)?;
    Ok(Filter {
        standing: input.as_of.map_or(Standing::Current, Standing::AsOf),
        ids: (!input.ids.is_empty()).then(|| input.ids.clone()),
        kinds: input.kinds.iter().map(|kind| kind.trim().to_lowercase()).collect(),
        collections: input.collections.clone(),
        projects: input.projects.clone(),
        sessions: session_ids(call, input).await?,
        or_no_session: input.within.is_some(),
        agents: input.agents.clone(),
        tags_any: input
            .tags
            .iter()
            .map(|tag| tag.trim().to_owned())
            .filter(|tag| !tag.is_empty())
            .collect(),
        since: input.since,
        until: input.until,
        ..call.filter()
    })
}

async fn session_ids(call: &Call<'_>, input: &Recall) -> Result<Vec<SessionId>, Failure> {
    let mut ids = Vec::new();
    for session in &input.sessions {
        ids.push(match session {
            SessionRef::Id(id) => *id,
            SessionRef::Key(_) => named_session(call, session).await?.id,
        });
    }
    if let Some(session) = &input.within {
        ids.extend(find_session(call, session).await?.map(|session| session.id));
    }
    Ok(ids)
}
