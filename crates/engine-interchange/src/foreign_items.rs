//! Import of items that were converted from the format of another program.

use crate::transfer::{ImportOptions, ImportOutcome, TransferItem};
use crate::{ForgottenTexts, Transfer, TransferProgress};
use engine::{Caller, Engine};
use model::Failure;

/// Number of items imported in one batch.
const BATCH_ITEMS: usize = 200;

/// Imports items in batches, and reports the progress after each.
///
/// # Errors
/// Fails when the caller is not the owner, or the store cannot write. Batches imported before stay.
pub(crate) async fn import_foreign_items(
    engine: &Engine,
    caller: &Caller,
    mut items: Vec<TransferItem>,
    forgotten: ForgottenTexts,
    mut progress: impl FnMut(TransferProgress),
) -> Result<ImportOutcome, Failure> {
    let (total, mut done) = (items.len(), 0);
    let options = ImportOptions { from_outside: true, forgotten };
    let mut import = Transfer::of(engine).open_import(caller, options).await?;
    while !items.is_empty() {
        let rest = items.split_off(items.len().min(BATCH_ITEMS));
        done += items.len();
        Transfer::of(engine).import_items(caller, &mut import, items).await?;
        progress(TransferProgress { done, total });
        items = rest;
    }
    Transfer::of(engine).end_import(caller, import).await
}
