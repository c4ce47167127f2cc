//! Links of an intake, between memories that were taken in. A superseded memory leaves recall,
//! unless a stronger source wrote it.

use super::Intake;
use crate::Transfer;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, LinkKinds};
use model::{Failure, LinkKind, MemoryId, Permission, limits};
use std::collections::HashSet;
use store::{Change, Ref};

/// A link to take in, between memories by their ids in the other program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IncomingLink {
    pub source: u64,
    pub target: u64,
    pub kind: LinkKind,
    /// Between 0 and 1.
    pub weight: f32,
}

type LinkKey = (MemoryId, MemoryId, LinkKind);

impl<'e> Transfer<'e> {
    /// Adds links as one batch. Links to skipped memories, from a memory to itself, and existing
    /// ones are not written.
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
            if wanted.is_empty() {
                return Ok(());
            }
            let count = wanted.len();
            let changes =
                wanted.into_iter().map(|(_, between, weight)| change(between, weight)).collect();
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
    ) -> Result<Vec<(u64, LinkKey, f32)>, Failure> {
        let view = self.core.view(&call.caller.owner).await?;
        let mut seen: HashSet<LinkKey> = HashSet::new();
        Ok(view.read(|view| {
            let placed = links.iter().filter_map(|link| {
                let (source, target) = (
                    intake.ids_by_number.get(&link.source)?,
                    intake.ids_by_number.get(&link.target)?,
                );
                Some((link.source, (*source, *target, link.kind), link.weight))
            });
            let exists = |(source, target, kind): LinkKey| {
                let existing = view.links(source, Direction::Out, LinkKinds::from_kinds(&[kind]));
                existing.iter().any(|edge| edge.target == target)
            };
            let new = placed.filter(|(_, between, _)| {
                between.0 != between.1 && seen.insert(*between) && !exists(*between)
            });
            new.collect()
        }))
    }

    /// Drops links by which a weaker source would replace a stronger one.
    async fn protect_stronger(
        self,
        call: &Call<'_>,
        intake: &mut Intake,
        wanted: &mut Vec<(u64, LinkKey, f32)>,
    ) -> Result<(), Failure> {
        let replaced: Vec<MemoryId> = wanted
            .iter()
            .filter(|(_, between, _)| between.2 == LinkKind::Supersedes)
            .map(|(_, between, _)| between.1)
            .collect();
        let trust = call.caller.origin().trust();
        let mut stronger: HashSet<MemoryId> = HashSet::new();
        for some in replaced.chunks(limits::IDS_PER_CALL) {
            let memories = call.memories(some).await?;
            let strong = memories.iter().filter(|memory| memory.provenance.trust > trust);
            stronger.extend(strong.map(|memory| memory.id));
        }
        wanted.retain(|(number, (_, target, kind), _)| {
            let spared = *kind == LinkKind::Supersedes && stronger.contains(target);
            if spared {
                intake.skip(
                    *number,
                    format!("it would replace memory {target}, which a stronger source wrote"),
                );
            }
            !spared
        });
        Ok(())
    }
}

fn change((source, target, kind): LinkKey, weight: f32) -> Change {
    match kind {
        // A `Supersedes` link alone would leave the old memory active.
        LinkKind::Supersedes => Change::Supersede { old: target, new: Ref::Id(source) },
        _ => Change::Link { source: Ref::Id(source), target: Ref::Id(target), kind, weight },
    }
}
