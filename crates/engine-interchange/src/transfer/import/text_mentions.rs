//! Mentions of imported memories. A file of another program lists none, so they are read from the
//! texts, as for a memory that is written here.

use engine_core::plan::BatchPlan;
use engine_memory::remember::TextAnalysis;
use model::{Failure, Memory, Origin};
use store::{Change, ImportedItem};

/// Returns the changes followed by the mentions of the memories among them for which the file lists
/// none.
pub(super) async fn with_mentions(changes: Vec<Change>) -> Result<Vec<Change>, Failure> {
    let texts: Vec<(usize, String)> = changes
        .iter()
        .enumerate()
        .filter_map(|(index, change)| Some((index, unread_memory(change)?.text.clone())))
        .collect();
    let mut plan = BatchPlan { changes, ..BatchPlan::default() };
    for (index, text) in texts {
        TextAnalysis::analyze(&text).await?.plan_all_mentions(&mut plan, index);
    }
    Ok(plan.changes)
}

/// Returns the memory of a change whose text nobody has read yet.
fn unread_memory(change: &Change) -> Option<&Memory> {
    let Change::Import(item) = change else { return None };
    let ImportedItem::Memory(imported) = &**item else { return None };
    let is_foreign = imported.memory.provenance.origin == Origin::Imported;
    (is_foreign && imported.mentions.is_empty()).then_some(&imported.memory)
}
