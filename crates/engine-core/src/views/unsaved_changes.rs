//! The number of changes that the stored snapshot of a view lacks, and the decision whether they
//! are worth another one.

use model::Seq;
use store::SnapshotMedium;

// A snapshot is always written as a whole, so it waits until this many changes are worth it.
const CHANGES_PER_SNAPSHOT: usize = 500;
/// Share of the memories, as its inverse, that must have changed before a snapshot goes to a
/// database, or to a file while the view is in use. To apply that many changes takes a fraction of
/// the time of building the view.
const LARGE_SHARE: usize = 16;

/// Changes that were applied to a view after its snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnsavedChanges {
    pub count: usize,
    /// Last change that the snapshot contains.
    pub since: Seq,
}

impl Default for UnsavedChanges {
    fn default() -> Self {
        Self::none_since(Seq::ZERO)
    }
}

/// State of a view that may be saved.
pub(super) struct ViewState {
    pub seq: Seq,
    pub memories: usize,
}

impl UnsavedChanges {
    /// Returns the state of a view without any unsaved change.
    pub fn none_since(since: Seq) -> Self {
        Self { count: 0, since }
    }

    /// Returns the number of changes that must be unsaved for a snapshot to be written.
    pub fn needed(medium: SnapshotMedium, memories: usize) -> usize {
        match medium {
            SnapshotMedium::File => CHANGES_PER_SNAPSHOT,
            SnapshotMedium::Database => large_share(memories),
        }
    }

    /// Returns true if so many of the memories changed that a view in use is worth a snapshot.
    pub fn is_large_share(self, memories: usize) -> bool {
        self.count >= large_share(memories)
    }

    /// Estimates the changes that a snapshot lacks which another server may have stored: its last
    /// change is given, or `None` if there is none. Changes count as evenly spread over the
    /// sequence numbers.
    pub fn since_stored(self, stored: Option<Seq>, view: &ViewState) -> usize {
        let Some(stored) = stored else { return self.count.max(view.memories) };
        let lacking = view.seq.0.saturating_sub(stored.0).max(0);
        let counted = view.seq.0.saturating_sub(self.since.0);
        if lacking >= counted {
            return self.count;
        }
        // Not zero, because more were counted than are lacking.
        (self.count as u128 * lacking as u128 / counted as u128) as usize
    }
}

fn large_share(memories: usize) -> usize {
    CHANGES_PER_SNAPSHOT.max(memories / LARGE_SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: ViewState = ViewState { seq: Seq(200), memories: 5_000 };

    #[test]
    fn a_newer_snapshot_of_another_server_lacks_a_part_of_the_changes() {
        let unsaved = UnsavedChanges { count: 1_000, since: Seq(100) };
        for (stored, expected) in [(50, 1_000), (100, 1_000), (150, 500), (200, 0), (250, 0)] {
            assert_eq!(unsaved.since_stored(Some(Seq(stored)), &VIEW), expected, "{stored}");
        }
    }

    #[test]
    fn where_nothing_is_stored_every_memory_is_lacking() {
        let unsaved = UnsavedChanges::none_since(VIEW.seq);
        assert_eq!(unsaved.since_stored(None, &VIEW), 5_000);
        assert_eq!(unsaved.since_stored(Some(VIEW.seq), &VIEW), 0);
    }

    #[test]
    fn a_database_gets_a_snapshot_after_a_share_of_the_memories_changed() {
        let needed = UnsavedChanges::needed;
        assert_eq!(needed(SnapshotMedium::File, 100_000), 500);
        assert_eq!(needed(SnapshotMedium::Database, 100_000), 6_250);
        assert_eq!(needed(SnapshotMedium::Database, 10), 500);
    }

    #[test]
    fn a_view_in_use_is_worth_a_snapshot_after_a_share_of_the_memories_changed() {
        let changed = |count| UnsavedChanges { count, since: Seq::ZERO };
        assert!(changed(6_250).is_large_share(100_000));
        assert!(!changed(6_249).is_large_share(100_000));
        assert!(!changed(499).is_large_share(10), "nor is a snapshot ever written for less");
    }
}
