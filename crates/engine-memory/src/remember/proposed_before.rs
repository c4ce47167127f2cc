//! Memories and proposals of the same text: what is known is not proposed, what waits is not raised
//! again, and what was rejected stays rejected.

use super::neighbours::memory_with_text;
use super::request::RememberRequest;
use engine_core::call::Call;
use model::{ContentHash, Failure, Memory, NewMemory, Page, Status, limits};
use store::MemoryQuery;

/// Returns a memory or an earlier proposal of the same text in the same project, if only new texts
/// are wanted.
pub(super) async fn find(
    call: &Call<'_>,
    input: &RememberRequest,
) -> Result<Option<Memory>, Failure> {
    if !input.only_new {
        return Ok(None);
    }
    let hash = ContentHash::of_text(&input.text);
    let project = input.project.as_ref().or(call.caller.environment.project.as_ref());
    let known = memory_with_text(call, hash).await?;
    let collection = input.collection.as_deref().unwrap_or(NewMemory::DEFAULT_COLLECTION);
    let is_here =
        |memory: &Memory| memory.project.as_ref() == project && memory.collection == collection;
    if known.as_ref().is_some_and(is_here) {
        return Ok(known);
    }
    let statuses = vec![Status::Proposed, Status::Rejected];
    let query = MemoryQuery { statuses, ..call.query() };
    let listed = call.store().list_memories(&query, Page::first(limits::PAGE_ITEMS)).await?;
    let is_same = |memory: &Memory| is_here(memory) && ContentHash::of_text(&memory.text) == hash;
    Ok(call.visible(listed.items).into_iter().find(is_same))
}
