//! The weight of a change in a group of writes, and which changes remove text for good.

use crate::Change;

/// Estimated bytes that a change writes apart from its long texts.
pub const SMALL_CHANGE_BYTES: usize = 512;

/// Estimates the number of bytes that a change writes.
#[must_use]
pub fn change_bytes(change: &Change) -> usize {
    SMALL_CHANGE_BYTES
        + match change {
            Change::AddMemory(add) => {
                add.memory.text.len() + add.vector.as_ref().map_or(0, |vector| vector.data.len())
            }
            Change::RemakeMemory { text, .. } => text.len(),
            Change::PutReference { reference, .. } => {
                reference.sections.iter().map(|section| section.text.len()).sum()
            }
            Change::StoreHandoff(handoff) => handoff.document.len(),
            _ => 0,
        }
}

/// Returns true for a change that removes text for good.
#[must_use]
pub fn erases_text(change: &Change) -> bool {
    matches!(
        change,
        Change::Forget { .. }
            | Change::EraseProfile { .. }
            | Change::EraseEverything
            | Change::DropQuestions { .. }
            | Change::RemakeMemory { erase: true, .. }
    )
}
