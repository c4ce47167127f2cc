//! Links of an intake, between memories that were taken in. A superseded memory leaves recall,
//! unless a stronger source wrote it.

use super::Intake;
use crate::Transfer;
use crate::amem_export::written_kind;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, LinkEdge, LinkKinds, View};
use model::{Failure, LinkKind, MemoryId, Moment, Permission, Status, limits};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use store::{Change, Ref};

/// A link to take in, between memories by their ids in the other program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IncomingLink {
    pub source: u64,
    pub target: u64,
    pub kind: LinkKind,
    /// Between 0 and 1.
    pub weight: f32,
    /// Time of creation in the other program.
    pub at: Moment,
}

type LinkKey = (MemoryId, MemoryId, LinkKind);

/// A link to write.
struct PendingLink {
    /// Source in the other program.
    number: u64,
    between: LinkKey,
    weight: f32,
    at: Moment,
}

impl<'e> Transfer<'e> {
    /// Adds links as one batch. Links to skipped memories, from a memory to itself, and existing
    /// ones are not written; replacements in a cycle are skipped and reported.
    ///
    /// # Errors
    /// Fails when there are too many for a batch, or the store cannot write; none of them is
    /// written then.
    pub fn intake_links(
        self,
        caller: &'e Caller,
        intake: &'e mut Intake,
        links: &'e [IncomingLink],
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            limits::count("links", links.len(), limits::BATCH_CHANGES)?;
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &links)
                    .await?;
            call.admit_whole(Resource::Memories(None), Permission::Write).await?;
            let mut wanted = self.new_links(&call, intake, links).await?;
            // After the view was read: only links that would really be written are worth a lookup.
            self.protect_stronger(&call, intake, &mut wanted).await?;
            self.drop_unfit_replacements(&call, intake, &mut wanted).await?;
            if wanted.is_empty() {
                return Ok(());
            }
            let count = wanted.len();
            let changes =
                wanted.into_iter().map(|link| change(link.between, link.weight)).collect();
            call.write(format!("took in {count} links"), changes).await?;
            intake.outcome.links += count;
            Ok(())
        })
    }

    /// Returns the links that do not exist yet, each once.
    async fn new_links(
        self,
        call: &Call<'_>,
        intake: &Intake,
        links: &[IncomingLink],
    ) -> Result<Vec<PendingLink>, Failure> {
        let view = self.core.view(&call.caller.owner).await?;
        let mut seen: HashSet<LinkKey> = HashSet::new();
        Ok(view.read(|view| {
            let placed = links.iter().filter_map(|link| {
                let (source, target) = (
                    intake.ids_by_number.get(&link.source)?,
                    intake.ids_by_number.get(&link.target)?,
                );
                let between = (*source, *target, link.kind);
                Some(PendingLink { number: link.source, between, weight: link.weight, at: link.at })
            });
            // A cause and a derivation are one to other programs, which return either as a cause.
            let exists = |(source, target, kind): LinkKey| {
                let existing = view.links(source, Direction::Out, LinkKinds::ALL);
                let same = |edge: &LinkEdge| written_kind(edge.kind) == written_kind(kind);
                existing.iter().any(|edge| edge.target == target && same(edge))
            };
            let new = placed.filter(|link| {
                let (source, target, kind) = link.between;
                source != target
                    && seen.insert((source, target, written_kind(kind)))
                    && !exists(link.between)
            });
            new.collect()
        }))
    }

    /// Drops links by which a weaker source would replace a stronger one.
    async fn protect_stronger(
        self,
        call: &Call<'_>,
        intake: &mut Intake,
        wanted: &mut Vec<PendingLink>,
    ) -> Result<(), Failure> {
        let replaced: Vec<MemoryId> = wanted
            .iter()
            .filter(|link| link.between.2 == LinkKind::Supersedes)
            .map(|link| link.between.1)
            .collect();
        let trust = call.caller.origin().trust();
        let mut stronger: HashSet<MemoryId> = HashSet::new();
        for some in replaced.chunks(limits::IDS_PER_CALL) {
            let memories = call.memories(some).await?;
            let strong = memories.iter().filter(|memory| memory.provenance.trust > trust);
            stronger.extend(strong.map(|memory| memory.id));
        }
        wanted.retain(|link| {
            let (_, target, kind) = link.between;
            let spared = kind == LinkKind::Supersedes && stronger.contains(&target);
            if spared {
                intake.skip(
                    link.number,
                    format!("it would replace memory {target}, which a stronger source wrote"),
                );
            }
            !spared
        });
        Ok(())
    }

    /// Drops replacements that would close a cycle, or end a memory without a current successor.
    // The store refuses the whole batch for one of them.
    async fn drop_unfit_replacements(
        self,
        call: &Call<'_>,
        intake: &mut Intake,
        wanted: &mut Vec<PendingLink>,
    ) -> Result<(), Failure> {
        let view = self.core.view(&call.caller.owner).await?;
        // In a cycle, the oldest replacement is the one to drop, so it comes last; of the same age,
        // the replacement by an older memory.
        wanted.sort_by_key(|link| (Reverse(link.at), link.between.0 < link.between.1));
        let skipped = view.read(|view| {
            let mut checker = ReplacementChecker { view, added: HashMap::new() };
            let mut skipped = Vec::new();
            wanted.retain(|link| {
                let (source, target, kind) = link.between;
                let refusal = (kind == LinkKind::Supersedes)
                    .then(|| checker.add(source, target).err())
                    .flatten();
                let is_fit = refusal.is_none();
                skipped.extend(refusal.map(|why| (link.number, why)));
                is_fit
            });
            skipped
        });
        skipped.into_iter().for_each(|(number, why)| intake.skip(number, why));
        Ok(())
    }
}

/// Replacements in a view, together with those that are about to be written.
struct ReplacementChecker<'v> {
    view: &'v View,
    /// Successor of each memory.
    added: HashMap<MemoryId, Vec<MemoryId>>,
}

impl ReplacementChecker<'_> {
    /// Adds a replacement, or returns why it cannot be.
    fn add(&mut self, new: MemoryId, old: MemoryId) -> Result<(), String> {
        let successors = self.successors(new);
        if successors.contains(&old) {
            return Err(format!(
                "it would replace memory {old}, which replaces it already; the cycle was broken \
                 at this link, its oldest"
            ));
        }
        let is_active = |id: &MemoryId| {
            self.view.doc(*id).is_some_and(|doc| self.view.facts(doc).status == Status::Active)
        };
        if is_active(&old) && !successors.iter().any(is_active) {
            return Err(format!("it is not current here, so it cannot replace memory {old}"));
        }
        self.added.entry(old).or_default().push(new);
        Ok(())
    }

    /// Returns a memory and everything that replaced it, directly or through others.
    fn successors(&self, id: MemoryId) -> HashSet<MemoryId> {
        let kinds = LinkKinds::from_kinds(&[LinkKind::Supersedes]);
        let (mut found, mut open) = (HashSet::from([id]), vec![id]);
        while let Some(id) = open.pop() {
            let known = self.view.links(id, Direction::In, kinds).into_iter().map(|l| l.source);
            let added = self.added.get(&id).into_iter().flatten().copied();
            open.extend(known.chain(added).filter(|new| found.insert(*new)));
        }
        found
    }
}

fn change((source, target, kind): LinkKey, weight: f32) -> Change {
    match kind {
        // A `Supersedes` link alone would leave the old memory active.
        LinkKind::Supersedes => Change::Supersede { old: target, new: Ref::Id(source) },
        _ => Change::Link { source: Ref::Id(source), target: Ref::Id(target), kind, weight },
    }
}
