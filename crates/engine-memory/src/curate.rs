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
use engine_core::embedding::Embeddable;
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
    /// Title that an existing memory with the same text had before it took the new one.
    pub earlier_title: Option<String>,
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
            let (labels_added, earlier_title) = match remembered.status {
                // A note that covers this one may have its title for other sentences too.
                RememberStatus::Duplicate => {
                    let title = input.title.as_deref().filter(|_| found.covering.is_none());
                    complete_existing(&call, id, input, title).await?
                }
                _ => (Vec::new(), None),
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
                earlier_title,
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
        for (name, value) in &taken_in.metadata {
            amended.metadata.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    // The newest of the merged notes speaks for a writer who says nothing about it.
    amended.confidence = amended.confidence.or(found.covered.first().map(|note| note.confidence));
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

/// Adds the labels, scopes and better title of a note to the memory that already says it. Returns
/// the labels that were added, and the title that was replaced.
async fn complete_existing(
    call: &Call<'_>,
    id: MemoryId,
    input: &RememberRequest,
    title: Option<&str>,
) -> Result<(Vec<String>, Option<String>), Failure> {
    let memory = call.memory(id).await?;
    call.require_changeable(std::slice::from_ref(&memory)).await?;
    let (tags, new_tags) = merge_labels(&memory.tags, &input.tags)?;
    let (applies_to, new_scopes) = merge_labels(&memory.applies_to, &input.applies_to)?;
    let title = title.filter(|title| is_better_title(title, memory.title.as_deref()));
    let added: Vec<String> = new_tags.into_iter().chain(new_scopes).collect();
    if added.is_empty() && title.is_none() {
        return Ok((added, None));
    }
    let edit = MemoryEdit {
        title: title.map(|title| Some(title.to_owned())),
        tags: Some(tags),
        applies_to: Some(applies_to),
        ..MemoryEdit::default()
    };
    let mut changes = vec![Change::EditMemory { memory: id, edit: Box::new(edit) }];
    if title.is_some() {
        let text = Embeddable::memory(&memory.metadata, title, &memory.text);
        let vector = call.core.vector_of(text).await;
        changes.extend(vector.map(|vector| Change::SetVector { memory: id, vector }));
    }
    call.write(format!("completed {id} with {} labels", added.len()), changes).await?;
    Ok((added, title.and(memory.title)))
}

/// Returns true when a title says more than the existing one: it has more words, not the same
/// ones. Of two that say as much, the one that others may link to stays.
fn is_better_title(new: &str, existing: Option<&str>) -> bool {
    let words = |title: &str| -> Vec<String> {
        let lower = title.to_lowercase();
        let parts = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        parts.map(str::to_owned).collect()
    };
    let (existing, new) = (existing.map(words).unwrap_or_default(), words(new));
    new.len() > existing.len() && new.iter().any(|word| !existing.contains(word))
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
