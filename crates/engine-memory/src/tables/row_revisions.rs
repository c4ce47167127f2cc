//! Rows that a correction of their memory restates. The corrected text carries the fields where
//! they can be read from it; a row whose fields cannot is stated by the old memory alone, and is no
//! longer shown once that is replaced.

use super::corrected_fields::patch_from_text;
use crate::relations::relations_in_row;
use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{Failure, JsonMap, Memory, Permission, Record, Status, changed_fields, merge_patch};
use reading::RelationStatement;
use store::{Change, Ref};

/// Effect of a correction on the rows that the corrected memories state.
#[derive(Debug, Default)]
pub(crate) struct RowRevisions {
    /// Relations that the rows state now.
    pub relations: Vec<RelationStatement>,
    /// Sentences about what happens to the rows.
    pub notes: Vec<String>,
}

/// Adds versions of the rows that the replaced memories state to the batch; the memory at index
/// `place`, with this text, states them.
pub(crate) async fn plan_revisions(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    replaced: &[Memory],
    text: &str,
    place: usize,
) -> Result<RowRevisions, Failure> {
    let mut revisions = RowRevisions::default();
    for old in replaced.iter().filter(|memory| memory.status == Status::Active) {
        for row in call.store().records_of_memory(old.id).await? {
            call.admit(Resource::Tables(Some(row.table.clone())), Permission::Write).await?;
            match patch_from_text(&row.table, &row.data, &old.text, text) {
                Some(patch) => revisions.revise(plan, &row, patch, place),
                None => revisions.notes.push(no_fields(&row)),
            }
        }
    }
    Ok(revisions)
}

impl RowRevisions {
    fn revise(&mut self, plan: &mut BatchPlan, row: &Record, patch: JsonMap, place: usize) {
        let after = merge_patch(&row.data, &patch);
        let changed = changed_fields(&row.data, &after);
        self.relations.extend(relations_in_row(&row.table, &after));
        if !changed.is_empty() {
            self.notes.push(format!(
                "row {} of {} changes with it: {}",
                row.id,
                row.table,
                changed.join(", ")
            ));
        }
        plan.push(Change::ReviseRecord {
            table: row.table.clone(),
            record: row.id,
            patch,
            memory: Ref::ResultOf(place),
        });
    }
}

fn no_fields(row: &Record) -> String {
    let (id, table) = (row.id, &row.table);
    format!(
        "row {id} of {table} is not shown while this replaces its memory, because its fields \
         cannot be read from the new text; add the corrected row to {table}"
    )
}
