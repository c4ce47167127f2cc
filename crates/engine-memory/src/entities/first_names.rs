//! First names: whom one memory calls "Marta Kowalska" and another "Marta" is one entity. The batch
//! that brings the second of the two names merges them, if the first name is that of exactly one
//! known person. It does so once: when the owner has undone the merge, both entities are known, and
//! stay.

use super::change::may_remove;
use super::visibility::EntityVisibility;
use crate::relations::{OWNER, VAGUE};
use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use model::{Entity, EntityId, Failure, JsonMap, NewEntity};
use std::collections::BTreeMap;
use store::rules::fold_name;
use store::{Change, Ref};

const PERSON: &str = "person";
/// Maximum number of words in the name of a person.
const WORDS_MAX: usize = 4;
/// Maximum confidence of an entity that was only read from texts; one that a caller stated by its
/// name is not merged into another.
const READ_CONFIDENCE_MAX: f32 = 0.65;

/// Adds the merges of first names into full names to a batch, as its last changes.
///
/// # Errors
/// Fails when the store cannot be read.
pub async fn plan_first_names(call: &Call<'_>, plan: &mut BatchPlan) -> Result<(), Failure> {
    let names = BatchNames::read(call, plan).await?;
    for (first, single) in &names.singles {
        names.join_new_first_name(call, plan, first, single).await?;
    }
    for (first, full) in &names.full {
        if !names.singles.contains_key(first) {
            names.join_known_first_name(call, plan, first, full).await?;
        }
    }
    Ok(())
}

/// A name in a batch, and the change that writes its entity.
struct BatchName {
    name: String,
    entity: Ref<EntityId>,
}

/// Names of people in a batch.
#[derive(Default)]
struct BatchNames {
    /// Names of one word, by the folded name.
    singles: BTreeMap<String, BatchName>,
    /// Names of several words, by their folded first word.
    full: BTreeMap<String, Vec<BatchName>>,
}

impl BatchNames {
    async fn read(call: &Call<'_>, plan: &BatchPlan) -> Result<Self, Failure> {
        let mut names = Self::default();
        for (index, change) in plan.changes.iter().enumerate() {
            match change {
                Change::PutEntity(new) => {
                    let kind = new.kind.as_deref().unwrap_or_default();
                    names.add(&new.name, kind, Ref::ResultOf(index));
                }
                // A name that a memory mentioned before, and that this one tells to be a person.
                Change::EditEntity { entity, edit } if edit.kind.as_deref() == Some(PERSON) => {
                    for known in call.store().entities(&[*entity]).await? {
                        names.add(&known.name, PERSON, Ref::Id(*entity));
                    }
                }
                _ => {}
            }
        }
        Ok(names)
    }

    fn add(&mut self, name: &str, kind: &str, entity: Ref<EntityId>) {
        let folded = fold_name(name);
        let words = folded.split(' ').count();
        let one = BatchName { name: name.to_owned(), entity };
        if words == 1 && folded != OWNER && may_be_person(kind) {
            self.singles.entry(folded).or_insert(one);
        } else if let Some((first, _)) = folded.split_once(' ')
            && words <= WORDS_MAX
            && kind == PERSON
        {
            self.full.entry(first.to_owned()).or_default().push(one);
        }
    }

    /// Merges a first name that is new with this batch into the only person who has it.
    async fn join_new_first_name(
        &self,
        call: &Call<'_>,
        plan: &mut BatchPlan,
        first: &str,
        single: &BatchName,
    ) -> Result<(), Failure> {
        if call.store().entity_by_name(first).await?.is_some() {
            return Ok(());
        }
        let Some(name) = self.only_person(call, first).await? else { return Ok(()) };
        let into = put_again(plan, PERSON, &name);
        plan.push(Change::MergeEntities { from: single.entity, into });
        Ok(())
    }

    /// Merges a known first name into the person whose full name is new with this batch.
    async fn join_known_first_name(
        &self,
        call: &Call<'_>,
        plan: &mut BatchPlan,
        first: &str,
        full: &[BatchName],
    ) -> Result<(), Failure> {
        let Some(known) = call.store().entity_by_name(first).await? else { return Ok(()) };
        if !was_only_read(&known) || fold_name(&known.name) != first || !may_be_person(&known.kind)
        {
            return Ok(());
        }
        let Some(name) = self.only_person(call, first).await? else { return Ok(()) };
        let Some(new) = full.iter().find(|one| fold_name(&one.name) == fold_name(&name)) else {
            return Ok(());
        };
        let before = call.store().entity_by_name(&new.name).await?;
        let was_person = before.is_some_and(|before| !VAGUE.contains(&before.kind.as_str()));
        // An agent renames nothing that is known from memories of others.
        if was_person || !may_remove(call, &known).await? {
            return Ok(());
        }
        let from = put_again(plan, &known.kind, &known.name);
        plan.push(Change::MergeEntities { from, into: new.entity });
        Ok(())
    }

    /// Returns the name of the only person with this first name, in the store and in this batch.
    async fn only_person(&self, call: &Call<'_>, first: &str) -> Result<Option<String>, Failure> {
        let known = call.store().people_by_first_name(first).await?;
        if has_hidden_name(call, &known).await? {
            return Ok(None);
        }
        let is_new = |one: &&BatchName| !known.iter().any(|entity| has_name(entity, &one.name));
        let new = self.full.get(first).into_iter().flatten().filter(is_new);
        let names = known.iter().map(|entity| &entity.name).chain(new.map(|one| &one.name));
        let mut names: Vec<String> = names.cloned().collect();
        names.sort_by_key(|name| fold_name(name));
        names.dedup_by_key(|name| fold_name(name));
        Ok(names.pop().filter(|_| names.is_empty()))
    }
}

/// Returns whether the caller may not read one of these names. What it writes is not attached to a
/// person that it does not know of.
async fn has_hidden_name(call: &Call<'_>, people: &[Entity]) -> Result<bool, Failure> {
    if people.is_empty() {
        return Ok(false);
    }
    let visible = EntityVisibility::for_call(call).await?.visible_of(call, people.to_vec()).await?;
    let is_seen =
        |one: &Entity| visible.iter().any(|seen| (seen.id, &seen.name) == (one.id, &one.name));
    Ok(!people.iter().all(is_seen))
}

fn may_be_person(kind: &str) -> bool {
    kind == PERSON || VAGUE.contains(&kind)
}

/// Returns whether an entity is known from texts alone: nobody stated it, or anything about it.
fn was_only_read(entity: &Entity) -> bool {
    entity.confidence <= READ_CONFIDENCE_MAX && entity.properties.is_empty()
}

fn has_name(entity: &Entity, name: &str) -> bool {
    let mut names = std::iter::once(&entity.name).chain(&entity.aliases);
    names.any(|known| fold_name(known) == fold_name(name))
}

/// Refers to a known entity by its name, which the transaction looks up: another process may have
/// merged or removed it since it was read.
fn put_again(plan: &mut BatchPlan, kind: &str, name: &str) -> Ref<EntityId> {
    let (kind, name) = (Some(kind.to_owned()), name.to_owned());
    let known = NewEntity { kind, name, properties: JsonMap::new(), confidence: 0.0 };
    Ref::ResultOf(plan.push(Change::PutEntity(known)))
}
