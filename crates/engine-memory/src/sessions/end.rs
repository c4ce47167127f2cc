//! Ending a session with an episode that sums it up. Ending it twice returns the existing episode;
//! memories added after the end allow another one.

use super::episode::{Told, extract};
use super::{episode_of, join, session_by_id};
use crate::Sessions;
use crate::adding::Adding;
use crate::sessions::SessionRef;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::Plan;
use guard::Resource;
use model::{
    Failure, Kind, LinkKind, Memory, MemoryId, Moment, NewMemory, Origin, Page, Permission,
    Provenance, Session, Source, limits,
};
use store::{Change, MemoryQuery, OnDuplicate, Ref, Sort};

// Each memory of the session costs a link to the episode; the rest of a batch is the episode
// itself.
const PARTS_MAX: usize = limits::BATCH_CHANGES - 8;

/// Source of a session's summary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Episode {
    /// Quotes from the session's own memories.
    #[default]
    Extracted,
    /// Text of the caller.
    Told(String),
    /// No episode.
    None,
}

/// Input of [`Engine::end_session`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndSession {
    /// The client's session when missing.
    pub session: Option<SessionRef>,
    pub episode: Episode,
    /// Title of the episode.
    pub title: Option<String>,
}

/// Result of ending a session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionEnded {
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

impl Sessions<'_> {
    /// Ends a session and sums it up.
    ///
    /// # Errors
    /// `not_found` when there is no such session, `invalid_argument` when none is given.
    pub async fn end(self, caller: &Caller, input: &EndSession) -> Result<SessionEnded, Failure> {
        let call = Call::begin(self.core, caller, drawer(), Permission::Write, input).await?;
        let session = join::existing(&call, input.session.as_ref()).await?;
        let parts = Parts::gather(&call, &session, since(&session, input)).await?;
        if ended_before(&session, input, &parts) {
            let episode = episode_of(&call, &session).await?;
            call.note_shown(format!("session {} had ended", session.id), &[]).await;
            let (parts, left_out, notes) = (0, 0, Vec::new());
            return Ok(SessionEnded {
                session,
                episode,
                already_ended: true,
                parts,
                left_out,
                notes,
            });
        }
        let mut plan = Plan::default();
        let episode = plan_episode(&call, &mut plan, &session, input, &parts).await?;
        let tied = episode.map_or(0, |episode| plan_parts(&mut plan, episode, &parts));
        let (ending, episode) = (Ref::Id(session.id), episode.map(Ref::Made));
        plan.push(Change::EndSession { session: ending, episode });
        call.write(format!("ended session {}", session.id), plan.changes).await?;
        let session = session_by_id(&call, session.id).await?;
        let episode = episode_of(&call, &session).await?;
        let left_out = if episode.is_some() { parts.total.saturating_sub(tied) } else { 0 };
        let (parts, notes) = (tied, call.notes());
        Ok(SessionEnded { session, episode, already_ended: false, parts, left_out, notes })
    }
}

/// Returns the collection of episodes.
fn drawer() -> Resource {
    Resource::Memories(Some(NewMemory::COLLECTION.to_owned()))
}

/// Returns the time from which memories are new; those of an earlier episode are not summed up
/// again.
fn since(session: &Session, input: &EndSession) -> Option<Moment> {
    let told = session.episode.is_some() || input.episode == Episode::None;
    session.ended_at.filter(|_| told).map(|end| Moment(end.0.saturating_add(1)))
}

fn ended_before(session: &Session, input: &EndSession, parts: &Parts) -> bool {
    let still_to_tell = session.episode.is_none() && matches!(input.episode, Episode::Told(_));
    session.ended_at.is_some() && parts.total == 0 && !still_to_tell
}

/// Memories of a session, with quotes from the current ones.
struct Parts {
    ids: Vec<MemoryId>,
    told: Vec<Told>,
    total: usize,
}

impl Parts {
    async fn gather(
        call: &Call<'_>,
        session: &Session,
        since: Option<Moment>,
    ) -> Result<Self, Failure> {
        let query = MemoryQuery {
            sessions: vec![session.id],
            created_from: since,
            sort: Sort::Oldest,
            ..call.query()
        };
        let mut parts = Self { ids: Vec::new(), told: Vec::new(), total: 0 };
        let mut page = Page::first(limits::PAGE);
        loop {
            let listed = call.store().list_memories(&query, page).await;
            let listed = listed?;
            let read = listed.items.len();
            page.offset += read;
            let more = listed.left_out(Page { offset: page.offset - read, ..page });
            parts.take(call.visible(listed.items));
            if read == 0 || more == 0 || parts.ids.len() >= PARTS_MAX {
                parts.ids.truncate(PARTS_MAX);
                parts.total += more;
                return Ok(parts);
            }
        }
    }

    fn take(&mut self, memories: Vec<Memory>) {
        for memory in memories.iter().filter(|memory| memory.kind != Kind::episode()) {
            self.total += 1;
            self.ids.push(memory.id);
            // An extract is in the default collection, so it may quote only what is in it too.
            if memory.source() == Source::Collection(NewMemory::COLLECTION) {
                self.told.extend(Told::by(memory));
            }
        }
    }
}

/// Adds the episode to the batch, if there is anything to sum up. Returns its index.
async fn plan_episode(
    call: &Call<'_>,
    plan: &mut Plan,
    session: &Session,
    input: &EndSession,
    parts: &Parts,
) -> Result<Option<usize>, Failure> {
    let (text, provenance) = match &input.episode {
        Episode::None => return Ok(None),
        Episode::Told(text) => (text.clone(), call.provenance(call.caller.origin())),
        Episode::Extracted => match extract(session, &parts.told, call.at) {
            Some(text) => (text, extracted(call, &parts.told)),
            None => return Ok(None),
        },
    };
    let mut memory = NewMemory::note(text, provenance);
    memory.kind = Kind::episode();
    memory.title = Some(input.title.clone().unwrap_or_else(|| format!("Session {}", session.id)));
    memory.project.clone_from(&session.project);
    // Two sessions may end with the same words, so an episode is never a duplicate.
    let adding =
        Adding { memory, session: Some(Ref::Id(session.id)), on_duplicate: OnDuplicate::Keep };
    Ok(Some(adding.plan(call, plan).await?))
}

/// Returns the provenance of an extract, which is trusted no more than the weakest quoted memory.
fn extracted(call: &Call<'_>, told: &[Told]) -> Provenance {
    let mut provenance = call.provenance(Origin::Inferred);
    provenance.trust = told.iter().fold(provenance.trust, |trust, part| trust.and(part.trust));
    provenance
}

fn plan_parts(plan: &mut Plan, episode: usize, parts: &Parts) -> usize {
    for id in &parts.ids {
        let (source, target) = (Ref::Id(*id), Ref::Made(episode));
        plan.push(Change::Link { source, target, kind: LinkKind::PartOf, weight: 1.0 });
    }
    parts.ids.len()
}
