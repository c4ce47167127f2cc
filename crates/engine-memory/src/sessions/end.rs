//! Ending a session with an episode that sums it up. Ending it twice returns the existing episode;
//! memories added after the end allow another one. An episode quotes the memories of the session;
//! without any it quotes its turns, and belongs to the transcripts as they do.

use super::{episode_of, join, session_by_id};
use crate::Sessions;
use crate::add_memory::MemoryAddition;
use crate::sessions::SessionRef;
use crate::transcripts::{self, is_turn};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::derived::{Quote, extract, extract_trust};
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{
    Failure, Kind, LinkKind, Memory, MemoryId, Moment, NewMemory, Origin, Page, Permission,
    Provenance, Session, Source, limits,
};
use serde_json::Value;
use store::{Change, MemoryQuery, MemorySort, OnDuplicate, OnForgotten, Ref};

// Each memory of the session costs a link to the episode; the rest of a batch is the episode
// itself.
const PARTS_MAX: usize = limits::BATCH_CHANGES - 8;

/// Source of a session's summary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum EpisodeSource {
    /// Quotes from the session's own memories.
    #[default]
    Extracted,
    /// Text of the caller.
    Written(String),
    /// No episode.
    None,
}

/// Input of [`Sessions::end`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndSessionRequest {
    /// The client's session when missing.
    pub session: Option<SessionRef>,
    pub episode: EpisodeSource,
    /// Title of the episode.
    pub title: Option<String>,
}

/// Result of ending a session.
#[derive(Debug, Clone, PartialEq)]
pub struct EndSessionOutcome {
    pub session: Session,
    /// Memory that sums it up.
    pub episode: Option<Memory>,
    /// True when it had ended before, so that nothing was written.
    pub already_ended: bool,
    /// Number of memories linked to the episode.
    pub parts: usize,
    /// Number of memories that did not fit into the batch.
    pub left_out: usize,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

impl<'e> Sessions<'e> {
    /// Ends a session and sums it up.
    ///
    /// # Errors
    /// `not_found` when there is no such session, `invalid_argument` when none is given.
    pub fn end(
        self,
        caller: &'e Caller,
        input: &'e EndSessionRequest,
    ) -> UseCaseFuture<'e, EndSessionOutcome> {
        Box::pin(async move {
            let call = Call::begin(self.core, caller, episode_resource(), Permission::Write, input)
                .await?;
            let session = match join::require_resolved(&call, input.session.as_ref()).await {
                Ok(session) => session,
                Err(failure) => {
                    call.note_shown("ended no session", &[]).await;
                    return Err(failure);
                }
            };
            let parts = SessionParts::gather(&call, &session, new_since(&session, input)).await?;
            if has_nothing_new(&session, input, &parts) {
                let episode = episode_of(&call, &session).await?;
                call.note_shown(format!("session {} had ended", session.id), &[]).await;
                let (parts, left_out, notes) = (0, 0, Vec::new());
                return Ok(EndSessionOutcome {
                    session,
                    episode,
                    already_ended: true,
                    parts,
                    left_out,
                    notes,
                });
            }
            let mut plan = BatchPlan::default();
            let episode = plan_episode(&call, &mut plan, &session, input, &parts).await?;
            let linked = episode.map_or(0, |episode| plan_parts(&mut plan, episode, &parts));
            let (ending, episode) = (Ref::Id(session.id), episode.map(Ref::ResultOf));
            plan.push(Change::EndSession { session: ending, episode });
            call.write(format!("ended session {}", session.id), plan.changes).await?;
            let session = session_by_id(&call, session.id).await?;
            let episode = episode_of(&call, &session).await?;
            let left_out = if episode.is_some() { parts.total.saturating_sub(linked) } else { 0 };
            let (parts, notes) = (linked, call.notes());
            Ok(EndSessionOutcome { session, episode, already_ended: false, parts, left_out, notes })
        })
    }
}

/// Returns the resource that governs episodes.
fn episode_resource() -> Resource {
    Resource::Memories(Some(NewMemory::DEFAULT_COLLECTION.to_owned()))
}

/// Returns the time from which memories are new; those of an earlier episode are not summed up
/// again.
fn new_since(session: &Session, input: &EndSessionRequest) -> Option<Moment> {
    let summarized = session.episode.is_some() || input.episode == EpisodeSource::None;
    session.ended_at.filter(|_| summarized).map(|end| Moment(end.0.saturating_add(1)))
}

fn has_nothing_new(session: &Session, input: &EndSessionRequest, parts: &SessionParts) -> bool {
    let adds_episode =
        session.episode.is_none() && matches!(input.episode, EpisodeSource::Written(_));
    session.ended_at.is_some() && parts.total == 0 && !adds_episode
}

/// Memories of a session, with quotes from the current ones.
struct SessionParts {
    ids: Vec<MemoryId>,
    quotes: Vec<Quote>,
    turns: TurnParts,
    total: usize,
}

/// Turns of a session.
#[derive(Default)]
struct TurnParts {
    quotes: Vec<Quote>,
    /// End of validity of the last of them.
    expires: Option<Moment>,
    /// Branch of the last one that tells it.
    branch: Option<Value>,
}

impl SessionParts {
    async fn gather(
        call: &Call<'_>,
        session: &Session,
        since: Option<Moment>,
    ) -> Result<Self, Failure> {
        let query = MemoryQuery {
            sessions: vec![session.id],
            created_from: since,
            sort: MemorySort::Oldest,
            ..call.query()
        };
        let (ids, quotes, turns) = (Vec::new(), Vec::new(), TurnParts::default());
        let mut parts = Self { ids, quotes, turns, total: 0 };
        let mut page = Page::first(limits::PAGE_ITEMS);
        loop {
            let listed = call.store().list_memories(&query, page).await;
            let listed = listed?;
            let read = listed.items.len();
            page.offset += read;
            let more = listed.left_out(Page { offset: page.offset - read, ..page });
            parts.add(call.visible(listed.items));
            if read == 0 || more == 0 || parts.ids.len() >= PARTS_MAX {
                parts.total += more;
                return Ok(parts);
            }
        }
    }

    fn add(&mut self, memories: Vec<Memory>) {
        for memory in memories.iter().filter(|memory| memory.kind != Kind::episode()) {
            self.total += 1;
            // Only what is linked is quoted: the links say what the extract was made from.
            if self.ids.len() == PARTS_MAX {
                continue;
            }
            self.ids.push(memory.id);
            // An extract is in the default collection, so it may quote only what is in it too.
            if memory.source() == Source::Collection(NewMemory::DEFAULT_COLLECTION) {
                self.quotes.extend(Quote::from_memory(memory));
            } else if is_turn(memory) {
                self.turns.add(memory);
            }
        }
    }
}

impl TurnParts {
    fn add(&mut self, turn: &Memory) {
        self.quotes.extend(Quote::from_memory(turn));
        self.expires = self.expires.max(turn.valid_to);
        self.branch = turn.metadata.get("branch").cloned().or(self.branch.take());
    }
}

/// Adds the episode to the batch, if there is anything to sum up. Returns its index.
async fn plan_episode(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    session: &Session,
    input: &EndSessionRequest,
    parts: &SessionParts,
) -> Result<Option<usize>, Failure> {
    let mut memory = match &input.episode {
        EpisodeSource::None => return Ok(None),
        EpisodeSource::Written(text) => {
            NewMemory::note(text.clone(), call.provenance(call.caller.origin()))
        }
        EpisodeSource::Extracted => match extracted(call, session, parts) {
            Some(memory) => memory,
            None => return Ok(None),
        },
    };
    memory.kind = Kind::episode();
    memory.title = Some(input.title.clone().unwrap_or_else(|| format!("Session {}", session.id)));
    memory.project.clone_from(&session.project);
    // Two sessions may end with the same words, so an episode is never a duplicate.
    let adding = MemoryAddition {
        memory,
        session: Some(Ref::Id(session.id)),
        on_duplicate: OnDuplicate::Insert,
        on_forgotten: OnForgotten::Refuse,
    };
    Ok(Some(adding.plan(call, plan).await?))
}

/// Returns an extract of the session's memories, or of its turns if there are none.
fn extracted(call: &Call<'_>, session: &Session, parts: &SessionParts) -> Option<NewMemory> {
    if let Some(text) = extract(session, &parts.quotes, call.at) {
        return Some(NewMemory::note(text, extract_provenance(call, &parts.quotes)));
    }
    let turns = &parts.turns;
    if !call.policy.allows(transcripts::resource(), Permission::Write) {
        return None;
    }
    let text = extract(session, &turns.quotes, call.at)?;
    let mut memory = NewMemory::note(text, extract_provenance(call, &turns.quotes));
    transcripts::COLLECTION.clone_into(&mut memory.collection);
    memory.priority = transcripts::PRIORITY;
    memory.valid_to = turns.expires.filter(|end| *end > memory.valid_from);
    memory.metadata.extend(turns.branch.clone().map(|branch| ("branch".to_owned(), branch)));
    Some(memory)
}

/// Returns the provenance of an extract.
fn extract_provenance(call: &Call<'_>, quotes: &[Quote]) -> Provenance {
    Provenance { trust: extract_trust(quotes), ..call.provenance(Origin::Inferred) }
}

fn plan_parts(plan: &mut BatchPlan, episode: usize, parts: &SessionParts) -> usize {
    for id in &parts.ids {
        let (source, target) = (Ref::Id(*id), Ref::ResultOf(episode));
        plan.push(Change::Link { source, target, kind: LinkKind::PartOf, weight: 1.0 });
    }
    parts.ids.len()
}
