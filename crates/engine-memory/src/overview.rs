//! The overview for the owner: how many memories there are of each kind, and how they grew. Counted
//! in the view, so that the cost does not depend on the length of the texts.

use crate::Memories;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{DocSet, Filter, View};
use model::{Moment, Permission};

/// Largest number of days of growth.
const DAYS_MAX: usize = 366;
/// Largest number of names per category.
const NAMES: usize = 100;

/// Counts of the current memories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overview {
    pub memories: usize,
    /// Most first.
    pub kinds: Vec<(String, usize)>,
    /// Most first.
    pub projects: Vec<(String, usize)>,
    /// Most first.
    pub collections: Vec<(String, usize)>,
    /// Most first.
    pub tags: Vec<(String, usize)>,
    /// By the agent that wrote them, most first.
    pub agents: Vec<(String, usize)>,
    /// Memories written on each of the last days, oldest first; a day begins at midnight UTC.
    pub daily: Vec<(Moment, usize)>,
}

impl<'e> Memories<'e> {
    /// Returns counts of the current memories, and of those written on each of the last `days`.
    /// Only for the owner in person.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn overview(self, caller: &'e Caller, days: usize) -> UseCaseFuture<'e, Overview> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Administration, Permission::Read, &days)
                    .await?;
            let view = self.core.view(&caller.owner).await?;
            Ok(view.read(|view| count(view, call.at, days.clamp(1, DAYS_MAX))))
        })
    }
}

fn count(view: &View, now: Moment, days: usize) -> Overview {
    let current = view.filter(&Filter::default(), now);
    let tally = view.facet_counts(&current);
    Overview {
        memories: tally.memories,
        kinds: few(&tally.kinds),
        projects: few(&tally.projects),
        collections: few(&tally.collections),
        tags: few(&tally.tags),
        agents: few(&tally.agents),
        daily: daily(view, &current, now, days),
    }
}

fn few(named: &[(&str, usize)]) -> Vec<(String, usize)> {
    named.iter().take(NAMES).map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

fn daily(view: &View, current: &DocSet, now: Moment, days: usize) -> Vec<(Moment, usize)> {
    let first = now.day_number() - days as i64 + 1;
    let mut counts: Vec<(Moment, usize)> =
        (first..first + days as i64).map(|day| (Moment::from_day_number(day), 0)).collect();
    for doc in current.iter() {
        let index = usize::try_from(view.written_at(doc).day_number() - first).ok();
        index.and_then(|index| counts.get_mut(index)).into_iter().for_each(|day| day.1 += 1);
    }
    counts
}
