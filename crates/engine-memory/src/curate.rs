//! Curated notes: `remember` with the care of a librarian. `[[Title]]` and `[[17]]` in the text
//! become links, also from notes that were written before the title existed. A note that exists
//! already gets the new labels; a fuller version supersedes a note without losing a sentence;
//! similar notes are linked. The memory itself is written by `remember`, under the same rules as
//! any other.

mod same_title;
mod wiki;

use crate::Memories;
use crate::remember::NewMemoryLink;
use crate::remember::RememberOutcome;
use crate::remember::RememberRequest;
use crate::remember::RememberStatus;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{ContentHash, Failure, LinkKind, Memory, MemoryId, NewMemory, Permission};
use same_title::{SameTitleNotes, merge_labels};
use store::{Change, MemoryEdit, Ref};
use wiki::WikiLinks;

// Half the weight of a link that the writer made: similarity is only a guess at a relation.
const SIMILAR_WEIGHT: f32 = 0.5;

/// Result of curating a note.
#[derive(Debug, Clone, PartialEq)]
pub struct CurateOutcome {
    /// The memory; `superseded` names the notes that it replaced.
    pub remembered: RememberOutcome,
    /// Links in the text as written, with their targets.
    pub links: Vec<(String, MemoryId)>,
    /// Links in the text without a target yet.
    pub unresolved: Vec<String>,
    /// Memories that linked to the title before it existed.
    pub linked_from: Vec<MemoryId>,
    /// Similar memories that stay as they are and were linked.
    pub similar: Vec<MemoryId>,
    /// Labels added to an existing memory with the same text.
    pub labels_added: Vec<String>,
}

impl<'e> Memories<'e> {
    /// Adds a note, linked, merged and labelled.
    ///
    /// # Errors
    /// As [`Memories::remember`]; nothing is written then.
    pub fn curate(
        self,
        caller: &'e Caller,
        input: &'e RememberRequest,
    ) -> UseCaseFuture<'e, CurateOutcome> {
        Box::pin(async move {
            let resource = Resource::Memories(input.collection.clone());
            let call = Call::begin(self.core, caller, resource, Permission::Write, input).await?;
            let wiki = WikiLinks::find(&call, input).await?;
            let same = find_duplicate(&call, input).await?;
            let found = if same.is_none() {
                SameTitleNotes::find(&call, input).await?
            } else {
                SameTitleNotes::default()
            };
            // A note that already covers this one stays the better version, so nothing is written.
            let mut remembered = match found.covering {
                Some(ref known) => RememberOutcome::duplicate_of(known),
                None => {
                    self.remember(caller, &with_findings(input, &wiki, &found, same.as_ref()))
                        .await?
                }
            };
            if wiki.skipped > 0 {
                let first = wiki.resolved.len() + wiki.unresolved.len();
                remembered.notes.push(format!("only the first {first} links were followed"));
            }
            let Some(id) = remembered.id else {
                return Err(engine_core::call::internal("a note has no id"));
            };
            let labels_added = match remembered.status {
                RememberStatus::Duplicate => add_labels(&call, id, input).await?,
                _ => Vec::new(),
            };
            // After the note, which must exist before anything links to it.
            let linked_from = wiki.link_waiting(&call, id).await?;
            let links = wiki.resolved.into_iter().filter(|(_, target)| *target != id).collect();
            Ok(CurateOutcome {
                remembered,
                links,
                unresolved: wiki.unresolved,
                linked_from,
                similar: found.others,
                labels_added,
            })
        })
    }
}

/// Adds the links, the replaced notes and their labels to the request.
fn with_findings(
    input: &RememberRequest,
    wiki: &WikiLinks,
    found: &SameTitleNotes,
    same: Option<&Memory>,
) -> RememberRequest {
    let mut amended = input.clone();
    let own = same.map(|memory| memory.id);
    let named = wiki.resolved.iter().map(|(_, target)| (*target, 1.0));
    let alike = found.others.iter().map(|target| (*target, SIMILAR_WEIGHT));
    for (target, weight) in named.chain(alike) {
        let known = amended.links.iter().any(|link| link.target == target);
        if !known && Some(target) != own {
            amended.links.push(NewMemoryLink { target, kind: LinkKind::RelatedTo, weight });
        }
    }
    for taken_in in &found.covered {
        amended.supersedes.push(taken_in.id);
        amended.tags.extend(taken_in.tags.iter().cloned());
        amended.applies_to.extend(taken_in.applies_to.iter().cloned());
    }
    amended
}

/// Returns the memory with the same text in the same collection and project.
async fn find_duplicate(
    call: &Call<'_>,
    input: &RememberRequest,
) -> Result<Option<Memory>, Failure> {
    let known = call.store().memory_by_text(ContentHash::of_text(&input.text)).await?;
    let Some(known) = known else { return Ok(None) };
    Ok(call.memories(&[known]).await?.pop().filter(|memory| is_in_same_place(call, input, memory)))
}

/// Returns whether a memory is in the collection and project that the note belongs to.
fn is_in_same_place(call: &Call<'_>, input: &RememberRequest, memory: &Memory) -> bool {
    let project = input.project.as_ref().or(call.caller.environment.project.as_ref());
    let collection = input.collection.as_deref().unwrap_or(NewMemory::DEFAULT_COLLECTION);
    memory.project.as_ref() == project && memory.collection == collection
}

/// Adds the labels and scopes of a note to the memory that already says it.
async fn add_labels(
    call: &Call<'_>,
    id: MemoryId,
    input: &RememberRequest,
) -> Result<Vec<String>, Failure> {
    let memory = call.memory(id).await?;
    call.require_changeable(std::slice::from_ref(&memory)).await?;
    let (tags, new_tags) = merge_labels(&memory.tags, &input.tags)?;
    let (applies_to, new_scopes) = merge_labels(&memory.applies_to, &input.applies_to)?;
    let added: Vec<String> = new_tags.into_iter().chain(new_scopes).collect();
    if !added.is_empty() {
        let edit =
            MemoryEdit { tags: Some(tags), applies_to: Some(applies_to), ..MemoryEdit::default() };
        let change = Change::EditMemory { memory: id, edit: Box::new(edit) };
        call.write(format!("added {} labels to {id}", added.len()), vec![change]).await?;
    }
    Ok(added)
}

/// Builds a link between two existing memories.
fn link(source: MemoryId, target: MemoryId) -> Change {
    Change::Link {
        source: Ref::Id(source),
        target: Ref::Id(target),
        kind: LinkKind::RelatedTo,
        weight: 1.0,
    }
}
