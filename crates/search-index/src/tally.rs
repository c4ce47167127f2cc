//! What there is: how many memories of each kind, project, drawer and tag.

use crate::{DocSet, View, names::NO_NAME};

/// How many memories of a set carry each name, most frequent first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally<'a> {
    /// How many memories there are.
    pub memories: usize,
    /// How many of them have a vector of the view's model.
    pub with_vector: usize,
    /// By kind.
    pub kinds: Vec<(&'a str, usize)>,
    /// By project; those without one are not listed.
    pub projects: Vec<(&'a str, usize)>,
    /// By drawer.
    pub collections: Vec<(&'a str, usize)>,
    /// By tag.
    pub tags: Vec<(&'a str, usize)>,
    /// By agent.
    pub agents: Vec<(&'a str, usize)>,
    /// By speaker; those without one are not listed.
    pub speakers: Vec<(&'a str, usize)>,
}

impl View {
    /// Counts the memories of a set.
    #[must_use]
    pub fn tally(&self, within: &DocSet) -> Tally<'_> {
        let table = &self.columns.table;
        let column = |column: &[u32]| self.counted(within.iter().map(|doc| column[doc.index()]));
        Tally {
            memories: within.count(),
            with_vector: within.iter().filter(|&doc| self.has_vector(doc)).count(),
            kinds: column(&table.kind),
            projects: column(&table.project),
            collections: column(&table.collection),
            tags: self.counted(within.iter().flat_map(|doc| self.tags.get(doc)).copied()),
            agents: column(&table.agent),
            speakers: column(&table.speaker),
        }
    }

    /// Roughly how many bytes the view takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lists =
            self.tags.bytes() + self.entities.bytes() + self.links.bytes() + self.pairs.bytes();
        let ids = self.by_id.capacity() * 20 + self.sessions.bytes();
        self.columns.table.bytes() + lists + ids + self.postings.bytes() + self.vectors.bytes()
    }

    fn counted(&self, numbers: impl Iterator<Item = u32>) -> Vec<(&str, usize)> {
        // Names have numbers from zero up: a place for each is cheaper than looking one up for each
        // memory.
        let mut counts = vec![0_usize; self.names.len()];
        numbers.for_each(|number| counts[number as usize] += 1);
        let counted = (0..).zip(counts).filter(|&(number, count)| number != NO_NAME && count > 0);
        let mut named: Vec<(&str, usize)> =
            counted.map(|(number, count)| (self.names.name(number), count)).collect();
        named.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        named
    }
}
