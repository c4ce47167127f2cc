//! A row of the reference model, with its versions.

use model::JsonMap;
use std::collections::BTreeMap;

/// A row of the model: its shown version, and the others by their memories.
#[derive(Debug, Clone)]
pub(super) struct ModelRow {
    pub data: JsonMap,
    pub memory: Option<usize>,
    versions: BTreeMap<usize, JsonMap>,
}

impl ModelRow {
    pub(super) fn new(data: JsonMap, memory: Option<usize>) -> Self {
        Self { data, memory, versions: BTreeMap::new() }
    }

    /// Shows the newest version whose memory is active.
    pub(super) fn show_best_version(&mut self, active: impl Fn(&usize) -> bool) {
        let shown = self.memory.filter(&active);
        let best = self.versions.keys().rev().copied().find(&active);
        if let Some(best) = best.filter(|best| shown.is_none_or(|shown| *best > shown)) {
            let data = self.versions.remove(&best).unwrap_or_default();
            let before = std::mem::replace(&mut self.data, data);
            self.versions.extend(self.memory.replace(best).map(|memory| (memory, before)));
        }
    }

    /// Adds a version, or changes the row if no other memory states it.
    pub(super) fn revise(&mut self, memory: usize, data: JsonMap) {
        if self.memory.is_none_or(|current| current == memory) {
            (self.data, self.memory) = (data, Some(memory));
        } else {
            self.versions.insert(memory, data);
        }
    }

    /// Removes the versions of forgotten memories. Returns false when none is left.
    pub(super) fn survives(
        &mut self,
        went: impl Fn(&usize) -> bool,
        active: impl Fn(&usize) -> bool,
    ) -> bool {
        self.versions.retain(|memory, _| !went(memory));
        if !self.memory.as_ref().is_some_and(&went) {
            return true;
        }
        let newest = |versions: &BTreeMap<usize, JsonMap>| versions.keys().next_back().copied();
        let current = self.versions.keys().rev().copied().find(active);
        let Some(next) = current.or_else(|| newest(&self.versions)) else { return false };
        self.data = self.versions.remove(&next).unwrap_or_default();
        self.memory = Some(next);
        true
    }
}
