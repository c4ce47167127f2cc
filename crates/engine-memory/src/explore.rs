//! Explore: what hangs together with a memory, and how two of them do.

use crate::Graph;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, Edge, Filter, LinkKinds, Standing, View, Walk};
use model::{Failure, LinkKind, Memory, MemoryId, Permission, limits};
use std::collections::{HashMap, HashSet};

/// How far a walk goes when nobody says otherwise.
const DEPTH: usize = 2;
/// How many memories it shows when nobody says otherwise.
const LIMIT: usize = 20;

/// Which way to walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// Along the links and against them.
    #[default]
    Both,
    /// From source to target.
    Forward,
    /// From target to source.
    Backward,
}

/// A walk along links.
#[derive(Debug, Clone, PartialEq)]
pub struct Explore {
    /// Where to begin.
    pub memory: MemoryId,
    /// Which way.
    pub way: Way,
    /// Over which links; all when empty.
    pub kinds: Vec<LinkKind>,
    /// How many links away at most; 2 when missing, 16 at most.
    pub depth: Option<usize>,
    /// How many memories at most, the first included; 20 when missing.
    pub limit: Option<usize>,
    /// Only over memories of at least this confidence.
    pub confidence_min: Option<f32>,
    /// Whether superseded, rejected and retired memories are walked over too.
    pub with_history: bool,
}

impl Explore {
    /// A walk around a memory.
    #[must_use]
    pub fn around(memory: MemoryId) -> Self {
        Self {
            memory,
            way: Way::Both,
            kinds: Vec::new(),
            depth: None,
            limit: None,
            confidence_min: None,
            with_history: false,
        }
    }

    /// What a memory came of: what it was caused by, derived from or supported by.
    #[must_use]
    pub fn causes(memory: MemoryId) -> Self {
        let kinds = vec![LinkKind::CausedBy, LinkKind::DerivedFrom];
        Self { way: Way::Forward, kinds, ..Self::around(memory) }
    }

    /// What came of a memory: everything that was caused by it, derived from it or rests on it.
    #[must_use]
    pub fn consequences(memory: MemoryId) -> Self {
        let kinds = vec![LinkKind::CausedBy, LinkKind::DerivedFrom];
        Self { way: Way::Backward, kinds, ..Self::around(memory) }
    }

    fn filter(&self, call: &Call<'_>) -> Filter {
        let standing = if self.with_history { Standing::Any } else { Standing::Current };
        Filter { standing, confidence_min: self.confidence_min, ..call.filter() }
    }
}

/// What a walk came by.
#[derive(Debug, Clone, PartialEq)]
pub struct Explored {
    /// The memories, nearest first, each with how many links away it is.
    pub visits: Vec<(Memory, usize)>,
    /// The links the walk took, in its order.
    pub taken: Vec<Edge>,
    /// Every link between the memories it came by.
    pub between: Vec<Edge>,
}

impl Graph<'_> {
    /// Walks.
    ///
    /// # Errors
    /// `not_found` when there is no such memory; `invalid_argument` when the depth or the
    /// confidence is past its limit.
    pub async fn explore(self, caller: &Caller, input: &Explore) -> Result<Explored, Failure> {
        let depth = checked_depth(input.depth)?;
        limits::range(
            "min_confidence",
            f64::from(input.confidence_min.unwrap_or_default()),
            0.0,
            1.0,
        )?;
        let call = Call::begin(self.core, caller, Resource::Graph, Permission::Read, input).await?;
        call.memory(input.memory).await?;
        let view = self.core.view(&caller.owner).await?;
        let walked = view.read(|view| walked(view, input, depth, &call));
        let memories = call.memories(&walked.ids()).await?;
        let shown: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        call.note_shown(format!("walked over {}", shown.len()), &shown).await;
        Ok(walked.with(memories))
    }

    /// The links on a shortest way between two memories, whichever way they point; `None` when
    /// there is none.
    ///
    /// # Errors
    /// `not_found` when one of them is not there.
    pub async fn path(
        self,
        caller: &Caller,
        from: MemoryId,
        to: MemoryId,
    ) -> Result<Option<(Vec<Memory>, Vec<Edge>)>, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Graph, Permission::Read, &(from, to)).await?;
        call.memory(from).await?;
        call.memory(to).await?;
        let view = self.core.view(&caller.owner).await?;
        let edges = view.read(|view| {
            let within = view.filter(&call.filter(), call.at);
            view.path(
                from,
                to,
                &walk(limits::WALK_DEPTH, usize::MAX, Direction::Both, LinkKinds::ALL, &within),
            )
        });
        call.note_shown("looked for a path", &[]).await;
        let Some(edges) = edges else { return Ok(None) };
        let mut ids = vec![from];
        for edge in &edges {
            ids.push(edge.other(ids.last().copied().unwrap_or(from)));
        }
        Ok(Some((call.memories(&ids).await?, edges)))
    }
}

/// A walk before its memories are fetched.
struct Walked {
    visits: Vec<(MemoryId, usize)>,
    taken: Vec<Edge>,
    between: Vec<Edge>,
}

impl Walked {
    fn ids(&self) -> Vec<MemoryId> {
        self.visits.iter().map(|(id, _)| *id).collect()
    }

    /// Leaves out what does not exist for the caller, with its links.
    fn with(self, memories: Vec<Memory>) -> Explored {
        let shown: HashSet<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let depths: HashMap<MemoryId, usize> = self.visits.into_iter().collect();
        let both_shown = |edge: &Edge| shown.contains(&edge.source) && shown.contains(&edge.target);
        let depth_of = |id: MemoryId| depths.get(&id).copied().unwrap_or_default();
        Explored {
            visits: memories
                .into_iter()
                .map(|memory| {
                    let depth = depth_of(memory.id);
                    (memory, depth)
                })
                .collect(),
            taken: self.taken.into_iter().filter(both_shown).collect(),
            between: self.between.into_iter().filter(both_shown).collect(),
        }
    }
}

fn checked_depth(depth: Option<usize>) -> Result<usize, Failure> {
    let depth = depth.unwrap_or(DEPTH);
    if depth > limits::WALK_DEPTH {
        return Err(Failure::invalid(format!(
            "depth is {depth}; the limit is {}",
            limits::WALK_DEPTH
        )));
    }
    Ok(depth)
}

fn walk<'w>(
    depth: usize,
    visits_max: usize,
    direction: Direction,
    kinds: LinkKinds,
    within: &'w index::DocSet,
) -> Walk<'w> {
    Walk {
        depth_max: u32::try_from(depth).unwrap_or(u32::MAX),
        visits_max,
        direction,
        kinds,
        within: Some(within),
    }
}

fn walked(view: &View, input: &Explore, depth: usize, call: &Call<'_>) -> Walked {
    let kinds = if input.kinds.is_empty() { LinkKinds::ALL } else { LinkKinds::of(&input.kinds) };
    let direction = match input.way {
        Way::Both => Direction::Both,
        Way::Forward => Direction::Out,
        Way::Backward => Direction::In,
    };
    let limit = input.limit.unwrap_or(LIMIT).clamp(1, limits::WALK_MEMORIES);
    let within = view.filter(&input.filter(call), call.at);
    let visits = view.walk(&[input.memory], &walk(depth, limit, direction, kinds, &within));
    let ids: HashSet<MemoryId> = visits.iter().map(|visit| visit.id).collect();
    let out = |id: MemoryId| view.links(id, Direction::Out, LinkKinds::ALL);
    Walked {
        taken: visits.iter().filter_map(|visit| visit.from.map(|(_, edge)| edge)).collect(),
        between: visits
            .iter()
            .flat_map(|visit| out(visit.id))
            .filter(|edge| ids.contains(&edge.target))
            .collect(),
        visits: visits.iter().map(|visit| (visit.id, visit.depth as usize)).collect(),
    }
}
