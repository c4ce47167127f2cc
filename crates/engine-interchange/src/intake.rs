//! Intake of memories that another program wrote, in bulk, with their sessions and links. A text
//! that exists already, in any status, is matched to that memory, so that reading a file twice adds
//! nothing. An entry that may not be stored is skipped and reported; it does not stop the rest.

mod links;
mod sessions;

use crate::Transfer;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::embedding::Embeddable;
use engine_core::plan::{Plan, made_at};
use engine_memory::knots::plan_ties;
use engine_memory::remember::Told;
use guard::Resource;
use model::{
    ContentHash, Failure, JsonMap, Kind, MemoryId, Moment, NewMemory, Page, Permission, SessionId,
    limits,
};
use std::collections::HashMap;
use store::{AddMemory, Change, MemoryQuery, OnDuplicate, OnForgotten, Ref, Sort};

pub use links::IncomingLink;
pub use sessions::IncomingSession;

/// A memory to take in.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    /// Id in the other program; links and sessions refer to it.
    pub number: u64,
    pub kind: String,
    pub text: String,
    /// Between 0 and 1.
    pub confidence: f32,
    /// Time of creation in the other program.
    pub at: Moment,
    /// Session id in the other program.
    pub session: Option<u32>,
    pub metadata: JsonMap,
}

/// State of an intake.
#[derive(Debug, Default)]
pub struct Intake {
    known: HashMap<ContentHash, MemoryId>,
    placed: HashMap<u64, MemoryId>,
    sessions: HashMap<u32, SessionId>,
    begun: Vec<u32>,
    /// Result so far.
    pub taken: TakenIn,
}

/// Result of an intake.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TakenIn {
    pub added: usize,
    /// Number of memories that existed already.
    pub known: usize,
    pub links: usize,
    /// Number of sessions that were started.
    pub sessions: usize,
    /// Skipped entries by their id in the other program, with the reason.
    pub passed_over: Vec<(u64, String)>,
    /// Entries changed by screening, by their id in the other program, with what was changed.
    pub changed: Vec<(u64, String)>,
}

impl Transfer<'_> {
    /// Begins an intake by reading what exists already.
    ///
    /// # Errors
    /// Fails when the caller may not write, or the store cannot be read.
    pub async fn open_intake(self, caller: &Caller) -> Result<Intake, Failure> {
        let call = Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &())
            .await?;
        call.admit_whole(Resource::Memories(None), Permission::Write).await?;
        let query = MemoryQuery { sort: Sort::Oldest, ..MemoryQuery::default() };
        // Hashes of all texts are held in memory: one pass here instead of a lookup per entry.
        let (mut intake, mut page) = (Intake::default(), Page::first(limits::PAGE));
        loop {
            let listed = call.store().list_memories(&query, page).await?;
            if listed.items.is_empty() {
                return Ok(intake);
            }
            page.offset += listed.items.len();
            let visible = call.visible(listed.items);
            intake
                .known
                .extend(visible.iter().map(|memory| (ContentHash::of(&memory.text), memory.id)));
        }
    }

    /// Adds memories as one batch. Their sessions must have been added before.
    ///
    /// # Errors
    /// Fails when there are too many for a batch, or the store cannot write; none of them is
    /// written then.
    pub async fn take_in(
        self,
        caller: &Caller,
        intake: &mut Intake,
        memories: &[Incoming],
    ) -> Result<(), Failure> {
        limits::count("memories", memories.len(), limits::IDS)?;
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &memories)
                .await?;
        call.admit_whole(Resource::Memories(None), Permission::Write).await?;
        let fresh = intake.sift(&call, memories).await?;
        let texts = fresh
            .iter()
            .map(|one| Embeddable::memory(&one.memory.metadata, None, &one.memory.text));
        let mut vectors =
            self.core.vectors_of(texts.collect()).await.unwrap_or_default().into_iter();
        let mut plan = Plan::default();
        let mut places = Vec::with_capacity(fresh.len());
        for Fresh { numbers, hash, memory, session } in fresh {
            let told = Told::read(&memory.text).await?;
            let place = plan.push(Change::AddMemory(Box::new(AddMemory {
                memory,
                session: session.map(Ref::Id),
                vector: vectors.next(),
                on_duplicate: OnDuplicate::Answer,
                on_forgotten: OnForgotten::Refuse,
            })));
            told.plan_mentions(&mut plan, place);
            plan_ties(&call, &mut plan, place, &told.ties).await?;
            places.push((numbers, hash, place));
            // Everything was known or skipped; an empty batch would only add an audit event.
        }
        if places.is_empty() {
            return Ok(());
        }
        let committed =
            call.write(format!("took in {} memories", places.len()), plan.changes).await?;
        for (numbers, hash, place) in places {
            let made = made_at(&committed.made, place).memory();
            made.into_iter().for_each(|id| intake.put(&numbers, hash, id));
            intake.taken.added += 1;
        }
        Ok(())
    }
}

/// A memory to write, with all ids under which the other program has its text.
struct Fresh {
    numbers: Vec<u64>,
    hash: ContentHash,
    memory: NewMemory,
    session: Option<SessionId>,
}

impl Intake {
    fn put(&mut self, numbers: &[u64], hash: ContentHash, id: MemoryId) {
        self.known.insert(hash, id);
        self.placed.extend(numbers.iter().map(|number| (*number, id)));
    }

    fn pass_over(&mut self, number: u64, why: impl Into<String>) {
        self.taken.passed_over.push((number, why.into()));
    }

    /// Returns what must be written: not what exists, was forgotten, or may not be stored.
    async fn sift(
        &mut self,
        call: &Call<'_>,
        memories: &[Incoming],
    ) -> Result<Vec<Fresh>, Failure> {
        let mut fresh: Vec<Fresh> = Vec::with_capacity(memories.len());
        let mut at: HashMap<ContentHash, usize> = HashMap::new();
        for incoming in memories {
            let (memory, notes) = match composed(call, incoming) {
                Ok(composed) => composed,
                Err(refusal) => {
                    self.pass_over(incoming.number, refusal.message);
                    continue;
                }
            };
            let hash = memory.hash();
            if let Some(id) = self.known.get(&hash).copied() {
                self.placed.insert(incoming.number, id);
                self.taken.known += 1;
            // The same text twice in one file becomes one memory under both ids.
            } else if let Some(place) = at.get(&hash).copied() {
                fresh[place].numbers.push(incoming.number);
                self.taken.known += 1;
            } else if was_forgotten(call, hash).await? {
                self.pass_over(incoming.number, "this text was forgotten at the owner's request");
            } else {
                at.insert(hash, fresh.len());
                self.taken.changed.extend(notes.into_iter().map(|note| (incoming.number, note)));
                let session =
                    incoming.session.and_then(|number| self.sessions.get(&number).copied());
                fresh.push(Fresh { numbers: vec![incoming.number], hash, memory, session });
            }
        }
        Ok(fresh)
    }
}

/// Builds the memory to store, with notes on what screening changed.
fn composed(call: &Call<'_>, incoming: &Incoming) -> Result<(NewMemory, Vec<String>), Failure> {
    let mut memory = NewMemory::note(incoming.text.clone(), call.provenance(call.caller.origin()));
    memory.kind = Kind::new(&incoming.kind)?;
    memory.confidence = incoming.confidence;
    memory.valid_from = incoming.at;
    memory.metadata.clone_from(&incoming.metadata);
    let mut screen = call.screen();
    screen.memory(&mut memory)?;
    memory.check()?;
    Ok((memory, screen.notes().to_vec()))
}

async fn was_forgotten(call: &Call<'_>, hash: ContentHash) -> Result<bool, Failure> {
    let forgotten = call.store().forgotten(hash).await;
    Ok(forgotten?.is_some())
}
