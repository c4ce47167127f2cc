//! The links that are written into texts: `[[Title]]` and `[[17]]`, in a new note and to it.

use super::link;
use crate::remember::Remember;
use engine_core::call::Call;
use engine_core::search::same_title;
use model::{Failure, Memory, MemoryId, Status};
use store::Change;

/// How many memories are looked at for one title.
const LOOKED_AT: usize = 50;
/// How many links of one text are followed.
const LINKS_MAX: usize = 64;

/// The links of a new note.
#[derive(Debug)]
pub(super) struct WikiLinks {
    /// As written, and where it leads.
    pub resolved: Vec<(String, MemoryId)>,
    /// Those that lead nowhere yet.
    pub unresolved: Vec<String>,
    /// How many were not followed, because a text has too many.
    pub passed_over: usize,
    /// Memories whose text links to the title of the new note.
    waiting: Vec<MemoryId>,
}

impl WikiLinks {
    /// Follows the links of a note, and finds those that wait for its title.
    pub async fn find(call: &Call<'_>, input: &Remember) -> Result<Self, Failure> {
        let (mut resolved, mut unresolved) = (Vec::new(), Vec::new());
        let written = reading::wiki_links(&input.text);
        let passed_over = written.len().saturating_sub(LINKS_MAX);
        for written in written.into_iter().take(LINKS_MAX) {
            match target(call, written).await? {
                Some(id) => resolved.push((written.to_owned(), id)),
                None => unresolved.push(written.to_owned()),
            }
        }
        let waiting = match input.title.as_deref() {
            Some(title) => waiting_for(call, title).await?,
            None => Vec::new(),
        };
        Ok(Self { resolved, unresolved, passed_over, waiting })
    }

    /// Links the memories that waited for the note, and answers with them.
    pub async fn lead_back(&self, call: &Call<'_>, id: MemoryId) -> Result<Vec<MemoryId>, Failure> {
        let waiting: Vec<MemoryId> =
            self.waiting.iter().copied().filter(|other| *other != id).collect();
        if !waiting.is_empty() {
            let changes: Vec<Change> = waiting.iter().map(|other| link(*other, id)).collect();
            call.write(format!("linked {} memories to {id}", waiting.len()), changes).await?;
        }
        Ok(waiting)
    }
}

/// The memory that a link names: by number if it is one and there is such a memory, otherwise by
/// title.
async fn target(call: &Call<'_>, written: &str) -> Result<Option<MemoryId>, Failure> {
    if let Ok(id) = written.parse::<i64>() {
        let known = call.memories(&[MemoryId(id)]).await?.pop();
        if let Some(memory) = known.filter(|memory| memory.status == Status::Active) {
            return Ok(Some(memory.id));
        }
    }
    Ok(titled(call, written, 1).await?.pop().map(|memory| memory.id))
}

async fn waiting_for(call: &Call<'_>, title: &str) -> Result<Vec<MemoryId>, Failure> {
    let near = call.core.speaking_of(call, title, LOOKED_AT).await?;
    let waits = |memory: &Memory| {
        reading::wiki_links(&memory.text).into_iter().any(|written| same_title(written, title))
    };
    Ok(near
        .into_iter()
        .filter(|memory| call.may_write(memory) && waits(memory))
        .map(|memory| memory.id)
        .collect())
}

/// The memories that hold now under a headline, newest first.
pub(super) async fn titled(
    call: &Call<'_>,
    title: &str,
    limit: usize,
) -> Result<Vec<Memory>, Failure> {
    let mut found = call.core.speaking_of(call, title, LOOKED_AT).await?;
    found.retain(|memory| memory.title.as_deref().is_some_and(|other| same_title(other, title)));
    found.sort_by_key(|memory| std::cmp::Reverse(memory.id));
    found.truncate(limit);
    Ok(found)
}
