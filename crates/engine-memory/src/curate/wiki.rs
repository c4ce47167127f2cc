//! Wiki links in texts, `[[Title]]` and `[[17]]`: those of a new note, and those to it.

use super::link;
use crate::remember::RememberRequest;
use crate::versions::newest_version;
use engine_core::call::Call;
use engine_core::search::same_title;
use model::{Failure, Memory, MemoryId, Status};
use store::Change;

/// Number of search results checked for one title.
const LOOKED_AT: usize = 50;
/// Largest number of links in one text that are followed.
const LINKS_MAX: usize = 64;

/// Wiki links of a new note.
#[derive(Debug)]
pub(super) struct WikiLinks {
    /// Links as written, with their targets.
    pub resolved: Vec<(String, MemoryId)>,
    /// Links without a target yet.
    pub unresolved: Vec<String>,
    /// Number of links past [`LINKS_MAX`].
    pub skipped: usize,
    /// Memories that link to the title of the new note.
    waiting: Vec<MemoryId>,
}

impl WikiLinks {
    /// Resolves the links of a note and finds the memories that link to its title.
    pub async fn find(call: &Call<'_>, input: &RememberRequest) -> Result<Self, Failure> {
        let (mut resolved, mut unresolved) = (Vec::new(), Vec::new());
        let written = reading::wiki_links(&input.text);
        let skipped = written.len().saturating_sub(LINKS_MAX);
        for written in written.into_iter().take(LINKS_MAX) {
            match resolve(call, written).await? {
                Some(id) => resolved.push((written.to_owned(), id)),
                None => unresolved.push(written.to_owned()),
            }
        }
        let waiting = match input.title.as_deref() {
            Some(title) => linking_to_title(call, title).await?,
            None => Vec::new(),
        };
        Ok(Self { resolved, unresolved, skipped, waiting })
    }

    /// Links the memories that referred to the note before it existed. Returns them.
    pub async fn link_waiting(
        &self,
        call: &Call<'_>,
        id: MemoryId,
    ) -> Result<Vec<MemoryId>, Failure> {
        let waiting: Vec<MemoryId> =
            self.waiting.iter().copied().filter(|other| *other != id).collect();
        if !waiting.is_empty() {
            let changes: Vec<Change> = waiting.iter().map(|other| link(*other, id)).collect();
            call.write(format!("linked {} memories to {id}", waiting.len()), changes).await?;
        }
        Ok(waiting)
    }
}

/// Returns the target of a link: the newest version of the memory with this id if there is one,
/// otherwise the memory with this title.
async fn resolve(call: &Call<'_>, written: &str) -> Result<Option<MemoryId>, Failure> {
    if let Ok(id) = written.parse::<i64>() {
        let newest = newest_version(call, MemoryId(id)).await?;
        let known = call.memories(&[newest]).await?.pop();
        if let Some(memory) = known.filter(|memory| memory.status == Status::Active) {
            return Ok(Some(memory.id));
        }
    }
    Ok(memories_titled(call, written, 1).await?.pop().map(|memory| memory.id))
}

async fn linking_to_title(call: &Call<'_>, title: &str) -> Result<Vec<MemoryId>, Failure> {
    // The index has no list of unresolved links. The words of the title find the texts to check.
    let near = call.core.memories_with_words(call, title, LOOKED_AT).await?;
    let waits = |memory: &Memory| {
        reading::wiki_links(&memory.text).into_iter().any(|written| same_title(written, title))
    };
    Ok(near
        .into_iter()
        // Adding a link changes the memory that it starts from, so the caller must be allowed to.
        .filter(|memory| call.can_write(memory) && waits(memory))
        .map(|memory| memory.id)
        .collect())
}

/// Returns the current memories with a title, newest first.
pub(super) async fn memories_titled(
    call: &Call<'_>,
    title: &str,
    limit: usize,
) -> Result<Vec<Memory>, Failure> {
    let mut found = call.core.memories_with_words(call, title, LOOKED_AT).await?;
    found.retain(|memory| memory.title.as_deref().is_some_and(|other| same_title(other, title)));
    found.sort_by_key(|memory| std::cmp::Reverse(memory.id));
    found.truncate(limit);
    Ok(found)
}
