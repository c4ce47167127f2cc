//! Intake of memories that another program wrote, in bulk, with their sessions and links. A text
//! that exists already, in any status, is matched to that memory, so that reading a file twice adds
//! nothing. An entry that may not be stored is skipped and reported; it does not stop the rest.

mod links;
mod sessions;

use crate::Transfer;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::derived::{has_extract_form, without_quotes};
use engine_core::embedding::Embeddable;
use engine_core::plan::{BatchPlan, result_at};
use engine_memory::relations::plan_relations;
use engine_memory::remember::TextAnalysis;
use guard::Resource;
use model::{
    ContentHash, Failure, JsonMap, Kind, MemoryId, Moment, NewMemory, Origin, Page, Permission,
    SessionId, limits,
};
use std::collections::{HashMap, HashSet};
use store::{AddMemory, Change, MemoryQuery, MemorySort, OnDuplicate, OnForgotten, Ref};

pub use links::IncomingLink;
pub use sessions::IncomingSession;

/// A memory to take in.
#[derive(Debug, Clone, PartialEq)]
pub struct IncomingMemory {
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
    ids_by_text: HashMap<ContentHash, MemoryId>,
    ids_by_number: HashMap<u64, MemoryId>,
    sessions: HashMap<u32, SessionId>,
    started_sessions: Vec<u32>,
    /// Extracts that were taken in without their quotes, to be made again from their parts.
    extracts: Vec<MemoryId>,
    /// Result so far.
    pub outcome: IntakeOutcome,
}

/// Result of an intake.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IntakeOutcome {
    pub added: usize,
    /// Number of memories that existed already.
    pub existing: usize,
    pub links: usize,
    /// Number of sessions that were started.
    pub sessions: usize,
    /// Skipped entries by their id in the other program, with the reason.
    pub skipped: Vec<(u64, String)>,
    /// Entries changed by screening, by their id in the other program, with what was changed.
    pub changed: Vec<(u64, String)>,
}

impl<'e> Transfer<'e> {
    /// Begins an intake by reading what exists already.
    ///
    /// # Errors
    /// Fails when the caller may not write, or the store cannot be read.
    pub fn open_intake(self, caller: &'e Caller) -> UseCaseFuture<'e, Intake> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &())
                    .await?;
            call.admit_whole(Resource::Memories(None), Permission::Write).await?;
            let query = MemoryQuery { sort: MemorySort::Oldest, ..MemoryQuery::default() };
            // Hashes of all texts are held in memory: one pass here instead of a lookup per entry.
            let (mut intake, mut page) = (Intake::default(), Page::first(limits::PAGE_ITEMS));
            loop {
                let listed = call.store().list_memories(&query, page).await?;
                if listed.items.is_empty() {
                    return Ok(intake);
                }
                page.offset += listed.items.len();
                let visible = call.visible(listed.items);
                intake.ids_by_text.extend(
                    visible.iter().map(|memory| (ContentHash::of_text(&memory.text), memory.id)),
                );
            }
        })
    }

    /// Adds memories as one batch. Their sessions must have been added before.
    ///
    /// # Errors
    /// Fails when there are too many for a batch, or the store cannot write; none of them is
    /// written then.
    pub fn intake_memories(
        self,
        caller: &'e Caller,
        intake: &'e mut Intake,
        memories: &'e [IncomingMemory],
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            limits::count("memories", memories.len(), limits::IDS_PER_CALL)?;
            let call = Call::begin(
                self.core,
                caller,
                Resource::Memories(None),
                Permission::Write,
                &memories,
            )
            .await?;
            call.admit_whole(Resource::Memories(None), Permission::Write).await?;
            let fresh = intake.select_new(&call, memories).await?;
            let texts = fresh
                .iter()
                .map(|one| Embeddable::memory(&one.memory.metadata, None, &one.memory.text));
            let mut vectors =
                self.core.vectors_of(texts.collect()).await.unwrap_or_default().into_iter();
            let mut plan = BatchPlan::default();
            let (mut added, mut extracts) = (Vec::with_capacity(fresh.len()), HashSet::new());
            for PendingMemory { numbers, hash, memory, session } in fresh {
                let analysis = TextAnalysis::analyze(&memory.text).await?;
                let is_extract = has_extract_form(&memory.kind, &memory.text);
                let index = plan.push(Change::AddMemory(Box::new(AddMemory {
                    memory,
                    session: session.map(Ref::Id),
                    vector: vectors.next(),
                    // Two extracts without their quotes may look the same.
                    on_duplicate: if is_extract {
                        OnDuplicate::Insert
                    } else {
                        OnDuplicate::ReturnExisting
                    },
                    on_forgotten: OnForgotten::Refuse,
                })));
                analysis.plan_mentions(&mut plan, index);
                plan_relations(&call, &mut plan, index, &analysis.relations).await?;
                added.push((numbers, hash, index));
                extracts.extend(is_extract.then_some(index));
            }
            // Everything was known or skipped; an empty batch would only add an audit event.
            if added.is_empty() {
                return Ok(());
            }
            let committed =
                call.write(format!("took in {} memories", added.len()), plan.changes).await?;
            for (numbers, hash, index) in added {
                let stored = result_at(&committed.results, index).memory();
                intake.extracts.extend(stored.filter(|_| extracts.contains(&index)));
                stored.into_iter().for_each(|id| intake.register(&numbers, hash, id));
                intake.outcome.added += 1;
            }
            Ok(())
        })
    }
}

/// A memory to write, with all ids under which the other program has its text.
struct PendingMemory {
    numbers: Vec<u64>,
    hash: ContentHash,
    memory: NewMemory,
    session: Option<SessionId>,
}

impl Intake {
    fn register(&mut self, numbers: &[u64], hash: ContentHash, id: MemoryId) {
        self.ids_by_text.insert(hash, id);
        self.ids_by_number.extend(numbers.iter().map(|number| (*number, id)));
    }

    fn skip(&mut self, number: u64, why: impl Into<String>) {
        self.outcome.skipped.push((number, why.into()));
    }

    /// Returns what must be written: not what exists, was forgotten, or may not be stored.
    async fn select_new(
        &mut self,
        call: &Call<'_>,
        memories: &[IncomingMemory],
    ) -> Result<Vec<PendingMemory>, Failure> {
        let mut fresh: Vec<PendingMemory> = Vec::with_capacity(memories.len());
        let mut at: HashMap<ContentHash, usize> = HashMap::new();
        for incoming in memories {
            let (memory, notes) = match compose(call, incoming) {
                Ok(composed) => composed,
                Err(refusal) => {
                    self.skip(incoming.number, refusal.message);
                    continue;
                }
            };
            // That of the stored text, by which a second intake recognizes the memory; an extract
            // will have its quotes back by then.
            let hash = match has_extract_form(&memory.kind, &memory.text) {
                true => ContentHash::of_text(&incoming.text),
                false => memory.hash(),
            };
            if let Some(id) = self.ids_by_text.get(&hash).copied() {
                self.ids_by_number.insert(incoming.number, id);
                self.outcome.existing += 1;
            // The same text twice in one file becomes one memory under both ids.
            } else if let Some(index) = at.get(&hash).copied() {
                fresh[index].numbers.push(incoming.number);
                self.outcome.existing += 1;
            } else if was_forgotten(call, hash).await? {
                self.skip(incoming.number, "this text was forgotten at the owner's request");
            } else {
                at.insert(hash, fresh.len());
                self.outcome.changed.extend(notes.into_iter().map(|note| (incoming.number, note)));
                let session =
                    incoming.session.and_then(|number| self.sessions.get(&number).copied());
                fresh.push(PendingMemory { numbers: vec![incoming.number], hash, memory, session });
            }
        }
        Ok(fresh)
    }
}

/// Builds the memory to store, with notes on what screening changed.
fn compose(
    call: &Call<'_>,
    incoming: &IncomingMemory,
) -> Result<(NewMemory, Vec<String>), Failure> {
    let kind = Kind::new(&incoming.kind)?;
    let mut memory = match has_extract_form(&kind, &incoming.text) {
        // Its quotes may be of memories that were forgotten here; they come back with the links.
        true => NewMemory::note(without_quotes(&incoming.text), call.provenance(Origin::Inferred)),
        false => NewMemory::note(incoming.text.clone(), call.provenance(call.caller.origin())),
    };
    memory.kind = kind;
    memory.confidence = incoming.confidence;
    memory.valid_from = incoming.at;
    memory.metadata.clone_from(&incoming.metadata);
    let mut screen = call.screen();
    screen.memory(&mut memory)?;
    memory.check()?;
    Ok((memory, screen.notes().to_vec()))
}

/// Returns true if the owner had a memory with this text forgotten.
pub(crate) async fn was_forgotten(call: &Call<'_>, hash: ContentHash) -> Result<bool, Failure> {
    Ok(call.store().forgotten_at(hash).await?.is_some())
}
