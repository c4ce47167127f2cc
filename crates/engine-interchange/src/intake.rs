//! Intake of memories that another program wrote, in bulk, with their sessions and links. A text
//! that exists already, in any status, is matched to that memory, so that reading a file twice adds
//! nothing. An entry that may not be stored is skipped and reported; it does not stop the rest.

mod links;
mod sessions;

use crate::amem::content_lines;
use crate::amem_export::REASON;
use crate::{ForgottenTexts, Transfer};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::derived::{has_extract_form, without_quotes};
use engine_core::embedding::Embeddable;
use engine_core::plan::{BatchPlan, result_at};
use engine_memory::entities::plan_first_names;
use engine_memory::relations::plan_relations;
use engine_memory::remember::TextAnalysis;
use guard::Resource;
use model::{
    ContentHash, Failure, JsonMap, Kind, Memory, MemoryId, Moment, NewMemory, Origin, Page,
    Permission, SessionId, limits,
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
    pub title: Option<String>,
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
    ids_by_text: HashMap<ContentHash, Vec<KnownText>>,
    ids_by_number: HashMap<u64, MemoryId>,
    sessions: HashMap<u32, SessionId>,
    started_sessions: HashSet<u32>,
    forgotten: ForgottenTexts,
    /// Extracts that were taken in without their quotes, to be made again from their parts.
    extracts: Vec<MemoryId>,
    /// Result so far.
    pub outcome: IntakeOutcome,
}

/// A memory with a known text.
#[derive(Debug)]
struct KnownText {
    memory: MemoryId,
    kind: Kind,
    /// Kind of the entry that was matched to it, if one was.
    matched: Option<Kind>,
}

/// Result of an intake.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IntakeOutcome {
    pub added: usize,
    /// Number of memories that existed already.
    pub existing: usize,
    /// Number of texts that were forgotten before and not taken in.
    pub forgotten: usize,
    pub links: usize,
    /// Number of sessions that were started.
    pub sessions: usize,
    /// Skipped entries by their id in the other program, with the reason.
    pub skipped: Vec<(u64, String)>,
    /// Entries changed by screening, by their id in the other program, with what was changed.
    pub changed: Vec<(u64, String)>,
}

impl IntakeOutcome {
    /// Adds the result of taking in the same file again with the forgotten texts.
    #[must_use]
    pub fn with_forgotten(self, again: Self) -> Self {
        Self {
            added: self.added + again.added,
            existing: self.existing,
            links: self.links + again.links,
            sessions: self.sessions + again.sessions,
            ..again
        }
    }
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
                for memory in &visible {
                    let hash = ContentHash::of_text(&memory.text);
                    intake.add_known(hash, (memory.kind.clone(), None), memory.id);
                    // A program without titles returns one as a part of the text.
                    if let Some(whole) = text_with_title(memory) {
                        let hash = ContentHash::of_text(&whole);
                        intake.add_known(hash, (memory.kind.clone(), None), memory.id);
                    }
                }
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
            let mut queue = self.core.embedding_queue(fresh.len());
            queue.add(fresh.iter().map(|one| {
                let NewMemory { metadata, title, text, .. } = &one.memory;
                Embeddable::memory(metadata, title.as_deref(), text)
            }));
            let mut plan = BatchPlan::default();
            let (mut added, mut extracts) = (Vec::with_capacity(fresh.len()), HashSet::new());
            // This thread reads the texts while others embed them.
            let analyses = analyze_all(&fresh).await?;
            let vectors = queue.finish().await.unwrap_or_default();
            let mut vectors = vectors.into_iter();
            for (analysis, new) in analyses.into_iter().zip(fresh) {
                let PendingMemory { numbers, hash, memory, session, is_second } = new;
                let kind = memory.kind.clone();
                let is_extract = has_extract_form(&memory.kind, &memory.text);
                let index = plan.push(Change::AddMemory(Box::new(AddMemory {
                    memory,
                    session: session.map(Ref::Id),
                    vector: vectors.next(),
                    // Two extracts without their quotes may look the same, and a text of another
                    // kind is another memory.
                    on_duplicate: if is_extract || is_second {
                        OnDuplicate::Insert
                    } else {
                        OnDuplicate::ReturnExisting
                    },
                    on_forgotten: intake.on_forgotten(&call),
                })));
                analysis.plan_mentions(&mut plan, index);
                plan_relations(&call, &mut plan, index, &analysis.relations).await?;
                added.push((numbers, (hash, kind), index));
                extracts.extend(is_extract.then_some(index));
            }
            // Everything was known or skipped; an empty batch would only add an audit event.
            if added.is_empty() {
                return Ok(());
            }
            plan_first_names(&call, &mut plan).await?;
            let committed =
                call.write(format!("took in {} memories", added.len()), plan.changes).await?;
            for (numbers, (hash, kind), index) in added {
                let stored = result_at(&committed.results, index).memory();
                intake.extracts.extend(stored.filter(|_| extracts.contains(&index)));
                stored.into_iter().for_each(|id| intake.register(&numbers, (hash, &kind), id));
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
    /// True if there is a memory of another kind with the same text.
    is_second: bool,
}

async fn analyze_all(memories: &[PendingMemory]) -> Result<Vec<TextAnalysis>, Failure> {
    let mut analyses = Vec::with_capacity(memories.len());
    for one in memories {
        analyses.push(TextAnalysis::analyze(&one.memory.text).await?);
    }
    Ok(analyses)
}

impl Intake {
    /// Sets the handling of forgotten texts. Only the owner in person can include them.
    #[must_use]
    pub fn with_forgotten(self, forgotten: ForgottenTexts) -> Self {
        Self { forgotten, ..self }
    }

    fn on_forgotten(&self, call: &Call<'_>) -> OnForgotten {
        match self.forgotten {
            ForgottenTexts::Include if call.caller.in_person => OnForgotten::Allow,
            _ => OnForgotten::Refuse,
        }
    }

    fn register(&mut self, numbers: &[u64], (hash, kind): (ContentHash, &Kind), id: MemoryId) {
        self.add_known(hash, (kind.clone(), Some(kind.clone())), id);
        self.ids_by_number.extend(numbers.iter().map(|number| (*number, id)));
    }

    fn add_known(
        &mut self,
        hash: ContentHash,
        (kind, matched): (Kind, Option<Kind>),
        memory: MemoryId,
    ) {
        let known = KnownText { memory, kind, matched };
        self.ids_by_text.entry(hash).or_default().push(known);
    }

    /// Returns the memory that an entry is matched to: the newest of its text and kind, or else one
    /// of another kind that no entry of another kind was matched to, so that identical texts of
    /// different kinds stay apart.
    fn matching(&mut self, hash: ContentHash, kind: &Kind) -> Option<MemoryId> {
        let known = self.ids_by_text.get_mut(&hash)?;
        if let Some(same) = known.iter_mut().rev().find(|one| one.kind == *kind) {
            same.matched = Some(kind.clone());
            return Some(same.memory);
        }
        let is_free = |one: &&mut KnownText| one.matched.as_ref().is_none_or(|other| other == kind);
        let other = known.iter_mut().find(is_free)?;
        other.matched = Some(kind.clone());
        Some(other.memory)
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
        let mut at: HashMap<(ContentHash, Kind), usize> = HashMap::new();
        let mut texts: HashSet<ContentHash> = HashSet::new();
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
            let kind = memory.kind.clone();
            if let Some(id) = self.matching(hash, &kind) {
                self.ids_by_number.insert(incoming.number, id);
                self.outcome.existing += 1;
            // The same text twice in one file becomes one memory under both ids.
            } else if let Some(index) = at.get(&(hash, kind.clone())).copied() {
                fresh[index].numbers.push(incoming.number);
                self.outcome.existing += 1;
            } else if self.on_forgotten(call) == OnForgotten::Refuse
                && was_forgotten(call, hash).await?
            {
                self.outcome.forgotten += 1;
            } else {
                let is_second = self.ids_by_text.contains_key(&hash) || !texts.insert(hash);
                at.insert((hash, kind), fresh.len());
                self.outcome.changed.extend(notes.into_iter().map(|note| (incoming.number, note)));
                let session =
                    incoming.session.and_then(|number| self.sessions.get(&number).copied());
                let numbers = vec![incoming.number];
                fresh.push(PendingMemory { numbers, hash, memory, session, is_second });
            }
        }
        Ok(fresh)
    }
}

/// Returns the text of a memory with its title and reason, as a file has them, if it has any.
fn text_with_title(memory: &Memory) -> Option<String> {
    let reason = memory.metadata.get(REASON).and_then(|reason| reason.as_str());
    let lines = content_lines(memory.title.as_deref(), &memory.text, reason);
    (memory.title.is_some() || reason.is_some()).then(|| lines.concat())
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
    memory.title.clone_from(&incoming.title);
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
