//! State of erasing: the newest removal of text, and whether traces of it are left in files.

use model::{MemoryId, Seq};

/// The newest removal of text for good, and what of it is still owed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasureState {
    /// Sequence number of the newest batch that erased text; zero if there was none. Whatever was
    /// derived from the store before it may still contain the text.
    pub newest: Seq,
    /// True while erased text may be in unused bytes of the store's files.
    pub traces_owed: bool,
    /// Those of the given memories that were forgotten.
    pub forgotten: Vec<MemoryId>,
}
