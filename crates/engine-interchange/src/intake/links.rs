//! The links of an intake, between memories that are in. What one replaces leaves recall, unless a
//! stronger source wrote it.

use super::Intake;
use crate::Transfer;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, LinkKinds};
use model::{Failure, LinkKind, MemoryId, Permission, limits};
use std::collections::HashSet;
use store::{Change, Ref};

/// A link on its way in, between memories by their numbers where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IncomingLink {
    /// Where it starts.
    pub source: u64,
    /// Where it ends.
    pub target: u64,
    /// What the source is to the target.
    pub kind: LinkKind,
    /// 0 to 1.
    pub weight: f32,
}

type Between = (MemoryId, MemoryId, LinkKind);

impl Transfer<'_> {
    /// Takes links in, as one batch. Those whose ends were passed over, that lead from a memory to
    /// itself, or that are there already, are not written.
    ///
    /// # Errors
    /// When they are too many for a batch, or the store cannot write; nothing of them is written
    /// then.
    pub async fn take_in_links(
        self,
        caller: &Caller,
        intake: &mut Intake,
        links: &[IncomingLink],
    ) -> Result<(), Failure> {
        limits::count("links", links.len(), limits::BATCH_CHANGES)?;
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &links)
                .await?;
        call.admit_whole(Resource::Memories(None), Permission::Write).await?;
        let mut wanted = self.missing(&call, intake, links).await?;
        self.spare_stronger(&call, intake, &mut wanted).await?;
        if wanted.is_empty() {
            return Ok(());
        }
        let count = wanted.len();
        let changes =
            wanted.into_iter().map(|(_, between, weight)| change(between, weight)).collect();
        call.write(format!("took in {count} links"), changes).await?;
        intake.taken.links += count;
        Ok(())
    }

    /// The links that are not there yet, each once.
    async fn missing(
        self,
        call: &Call<'_>,
        intake: &Intake,
        links: &[IncomingLink],
    ) -> Result<Vec<(u64, Between, f32)>, Failure> {
        let view = self.core.view(&call.caller.owner).await?;
        let mut seen: HashSet<Between> = HashSet::new();
        Ok(view.read(|view| {
            let placed = links.iter().filter_map(|link| {
                let (source, target) =
                    (intake.placed.get(&link.source)?, intake.placed.get(&link.target)?);
                Some((link.source, (*source, *target, link.kind), link.weight))
            });
            let is_there = |(source, target, kind): Between| {
                let there = view.links(source, Direction::Out, LinkKinds::of(&[kind]));
                there.iter().any(|edge| edge.target == target)
            };
            let new = placed.filter(|(_, between, _)| {
                between.0 != between.1 && seen.insert(*between) && !is_there(*between)
            });
            new.collect()
        }))
    }

    /// No weaker source replaces a stronger one.
    async fn spare_stronger(
        self,
        call: &Call<'_>,
        intake: &mut Intake,
        wanted: &mut Vec<(u64, Between, f32)>,
    ) -> Result<(), Failure> {
        let replaced: Vec<MemoryId> = wanted
            .iter()
            .filter(|(_, between, _)| between.2 == LinkKind::Supersedes)
            .map(|(_, between, _)| between.1)
            .collect();
        let trust = call.caller.origin().trust();
        let mut stronger: HashSet<MemoryId> = HashSet::new();
        for some in replaced.chunks(limits::IDS) {
            let memories = call.memories(some).await?;
            let strong = memories.iter().filter(|memory| memory.provenance.trust > trust);
            stronger.extend(strong.map(|memory| memory.id));
        }
        wanted.retain(|(number, (_, target, kind), _)| {
            let spared = *kind == LinkKind::Supersedes && stronger.contains(target);
            if spared {
                intake.pass_over(
                    *number,
                    format!("a stronger source wrote memory {target}, which it replaces"),
                );
            }
            !spared
        });
        Ok(())
    }
}

fn change((source, target, kind): Between, weight: f32) -> Change {
    match kind {
        LinkKind::Supersedes => Change::Supersede { old: target, new: Ref::Id(source) },
        _ => Change::Link { source: Ref::Id(source), target: Ref::Id(target), kind, weight },
    }
}
