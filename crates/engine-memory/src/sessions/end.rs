//! Ending a session, with the episode that sums it up. Ending twice answers with the episode that
//! is there; what was added after an end makes the session worth another one.

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

/// How many memories are tied to their episode at most: what a batch has room for beside the
/// episode itself.
const PARTS_MAX: usize = limits::BATCH_CHANGES - 8;

/// How a session is summed up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Episode {
    /// From its own memories, in their own words.
    #[default]
    Extracted,
    /// In the words of whoever ends it.
    Told(String),
    /// Not at all.
    None,
}

/// A session to end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndSession {
    /// Which; the client's when missing.
    pub session: Option<SessionRef>,
    /// How it is summed up.
    pub episode: Episode,
    /// The episode's headline.
    pub title: Option<String>,
}

/// A session that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionEnded {
    /// The session.
    pub session: Session,
    /// The memory that sums it up.
    pub episode: Option<Memory>,
    /// Whether it had ended before, so that nothing was written.
    pub already_ended: bool,
    /// How many memories became parts of the episode.
    pub parts: usize,
    /// How many did not, because a batch has no room for more.
    pub left_out: usize,
    /// What was changed on the way in, in sentences.
    pub notes: Vec<String>,
}

impl Sessions<'_> {
    /// Ends a session and sums it up.
    ///
    /// # Errors
    /// `not_found` when there is no such session, `invalid_argument` when none is named.
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

/// Where episodes lie.
fn drawer() -> Resource {
    Resource::Memories(Some(NewMemory::COLLECTION.to_owned()))
}

/// From when on memories are new to the episode; what an earlier one told is not told again.
fn since(session: &Session, input: &EndSession) -> Option<Moment> {
    let told = session.episode.is_some() || input.episode == Episode::None;
    session.ended_at.filter(|_| told).map(|end| Moment(end.0.saturating_add(1)))
}

fn ended_before(session: &Session, input: &EndSession, parts: &Parts) -> bool {
    let still_to_tell = session.episode.is_none() && matches!(input.episode, Episode::Told(_));
    session.ended_at.is_some() && parts.total == 0 && !still_to_tell
}

/// What a session held: every id, and of those that hold what each says.
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
            // An extract lies in the common drawer, so it quotes only what lies there too.
            if memory.source() == Source::Collection(NewMemory::COLLECTION) {
                self.told.extend(Told::by(memory));
            }
        }
    }
}

/// Adds the episode to the batch, if there is anything to sum up, and answers with its place.
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
    // Two sessions may end in the same words, so an episode is never taken for another one.
    let adding =
        Adding { memory, session: Some(Ref::Id(session.id)), on_duplicate: OnDuplicate::Keep };
    Ok(Some(adding.plan(call, plan).await?))
}

/// An extract is believed no more than the weakest memory it quotes.
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
