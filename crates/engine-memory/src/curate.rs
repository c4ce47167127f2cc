//! Curate: remember as a librarian files. `[[Title]]` and `[[17]]` in the text become links, also
//! those that were written before there was such a title; a note that is there already gets the new
//! labels; a fuller version of a note takes its place without losing a sentence; what is merely
//! alike is linked. Whatever was done is told. The memory itself is written by `remember`, by the
//! same rules as every other.

mod alike;
mod wiki;

use crate::Memories;
use crate::remember::Happened;
use crate::remember::NewLink;
use crate::remember::Remember;
use crate::remember::Remembered;
use alike::{Alike, labels_to_join};
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{ContentHash, Failure, LinkKind, Memory, MemoryId, NewMemory, Permission};
use store::{Change, MemoryEdit, Ref};
use wiki::WikiLinks;

/// What a link between notes that are only alike is worth.
const ALIKE_WEIGHT: f32 = 0.5;

/// What came of filing a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Curated {
    /// The memory; `superseded` names the notes that it took in.
    pub remembered: Remembered,
    /// The links of its text, as written, and where each leads.
    pub links: Vec<(String, MemoryId)>,
    /// The links of its text that lead nowhere yet.
    pub unresolved: Vec<String>,
    /// Memories that linked to its title before it was there.
    pub linked_from: Vec<MemoryId>,
    /// Memories that are alike, stay as they are and are linked.
    pub alike: Vec<MemoryId>,
    /// The labels that a memory which says it already was given.
    pub joined: Vec<String>,
}

impl Memories<'_> {
    /// Files a note.
    ///
    /// # Errors
    /// As remembering fails; nothing is written then.
    pub async fn curate(self, caller: &Caller, input: &Remember) -> Result<Curated, Failure> {
        let resource = Resource::Memories(input.collection.clone());
        let call = Call::begin(self.core, caller, resource, Permission::Write, input).await?;
        let wiki = WikiLinks::find(&call, input).await?;
        let same = saying_the_same(&call, input).await?;
        let found =
            if same.is_none() { Alike::find(&call, input).await? } else { Alike::default() };
        let mut remembered = match found.covering {
            Some(ref known) => Remembered::duplicate_of(known),
            None => self.remember(caller, &amended(input, &wiki, &found, same.as_ref())).await?,
        };
        if wiki.passed_over > 0 {
            let first = wiki.resolved.len() + wiki.unresolved.len();
            remembered.notes.push(format!("of its links the first {first} were followed"));
        }
        let Some(id) = remembered.id else {
            return Err(engine_core::call::internal("a note got no id"));
        };
        let joined = match remembered.happened {
            Happened::Duplicate => join_labels(&call, id, input).await?,
            _ => Vec::new(),
        };
        let linked_from = wiki.lead_back(&call, id).await?;
        let links = wiki.resolved.into_iter().filter(|(_, target)| *target != id).collect();
        Ok(Curated {
            remembered,
            links,
            unresolved: wiki.unresolved,
            linked_from,
            alike: found.beside,
            joined,
        })
    }
}

/// The note with what was found for it: its links, what it takes in, and the labels of that.
fn amended(input: &Remember, wiki: &WikiLinks, found: &Alike, same: Option<&Memory>) -> Remember {
    let mut amended = input.clone();
    let own = same.map(|memory| memory.id);
    let named = wiki.resolved.iter().map(|(_, target)| (*target, 1.0));
    let alike = found.beside.iter().map(|target| (*target, ALIKE_WEIGHT));
    for (target, weight) in named.chain(alike) {
        let known = amended.links.iter().any(|link| link.target == target);
        if !known && Some(target) != own {
            amended.links.push(NewLink { target, kind: LinkKind::RelatedTo, weight });
        }
    }
    for taken_in in &found.taken_in {
        amended.supersedes.push(taken_in.id);
        amended.tags.extend(taken_in.tags.iter().cloned());
        amended.applies_to.extend(taken_in.applies_to.iter().cloned());
    }
    amended
}

/// The memory that says this already where it would be written.
async fn saying_the_same(call: &Call<'_>, input: &Remember) -> Result<Option<Memory>, Failure> {
    let known = call.store().memory_saying(ContentHash::of(&input.text)).await?;
    let Some(known) = known else { return Ok(None) };
    Ok(call.memories(&[known]).await?.pop().filter(|memory| lies_where(call, input, memory)))
}

/// Whether a memory lies where the note would: in the same drawer and project.
fn lies_where(call: &Call<'_>, input: &Remember, memory: &Memory) -> bool {
    let project = input.project.as_ref().or(call.caller.surroundings.project.as_ref());
    let collection = input.collection.as_deref().unwrap_or(NewMemory::COLLECTION);
    memory.project.as_ref() == project && memory.collection == collection
}

/// Gives a memory the labels and scopes of a note that it says already.
async fn join_labels(
    call: &Call<'_>,
    id: MemoryId,
    input: &Remember,
) -> Result<Vec<String>, Failure> {
    let memory = call.memory(id).await?;
    call.may_change(std::slice::from_ref(&memory)).await?;
    let (tags, new_tags) = labels_to_join(&memory.tags, &input.tags)?;
    let (applies_to, new_scopes) = labels_to_join(&memory.applies_to, &input.applies_to)?;
    let joined: Vec<String> = new_tags.into_iter().chain(new_scopes).collect();
    if !joined.is_empty() {
        let edit =
            MemoryEdit { tags: Some(tags), applies_to: Some(applies_to), ..MemoryEdit::default() };
        let change = Change::EditMemory { memory: id, edit: Box::new(edit) };
        call.write(format!("joined {} labels to {id}", joined.len()), vec![change]).await?;
    }
    Ok(joined)
}

/// A link from a memory that is there to another.
fn link(source: MemoryId, target: MemoryId) -> Change {
    Change::Link {
        source: Ref::Id(source),
        target: Ref::Id(target),
        kind: LinkKind::RelatedTo,
        weight: 1.0,
    }
}
