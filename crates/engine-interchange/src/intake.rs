//! Intake: memories that another program wrote, many at a time, with their sessions and links. A
//! text that is there already, in whatever state, is taken for the memory that says it, so that
//! reading a file twice adds nothing. What may not be kept is passed over and named; it does not
//! stop the rest.

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

/// A memory on its way in.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    /// Its number where it comes from; links and sessions name it by this.
    pub number: u64,
    /// What sort of thing it is.
    pub kind: String,
    /// What it says.
    pub text: String,
    /// 0 to 1.
    pub confidence: f32,
    /// When it was made there.
    pub at: Moment,
    /// The number of its session there.
    pub session: Option<u32>,
    /// Whatever else is told of it.
    pub metadata: JsonMap,
}

/// An intake under way: what is known of both sides.
#[derive(Debug, Default)]
pub struct Intake {
    known: HashMap<ContentHash, MemoryId>,
    placed: HashMap<u64, MemoryId>,
    sessions: HashMap<u32, SessionId>,
    begun: Vec<u32>,
    /// What came of it so far.
    pub taken: TakenIn,
}

/// What came of an intake.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TakenIn {
    /// How many memories were added.
    pub added: usize,
    /// How many were there already.
    pub known: usize,
    /// How many links were added.
    pub links: usize,
    /// How many sessions were begun.
    pub sessions: usize,
    /// What was passed over: its number there, and why.
    pub passed_over: Vec<(u64, String)>,
    /// What was changed on the way in: its number there, and what.
    pub changed: Vec<(u64, String)>,
}

impl Transfer<'_> {
    /// Begins an intake: looks what is there already.
    ///
    /// # Errors
    /// When the caller may not write, or the store cannot answer.
    pub async fn open_intake(self, caller: &Caller) -> Result<Intake, Failure> {
        let call = Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &())
            .await?;
        call.admit_whole(Resource::Memories(None), Permission::Write).await?;
        let query = MemoryQuery { sort: Sort::Oldest, ..MemoryQuery::default() };
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

    /// Takes memories in, as one batch. Their sessions are taken in before.
    ///
    /// # Errors
    /// When they are too many for a batch, or the store cannot write; nothing of them is written
    /// then.
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

/// A memory that is not there yet, under all the numbers that say the same.
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

    /// Leaves what has to be written: not what is there, was forgotten, or may not be kept.
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
            } else if let Some(place) = at.get(&hash).copied() {
                fresh[place].numbers.push(incoming.number);
                self.taken.known += 1;
            } else if was_forgotten(call, hash).await? {
                self.pass_over(incoming.number, "the owner had this text forgotten");
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

/// The memory as it is kept, and what was changed of it.
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
