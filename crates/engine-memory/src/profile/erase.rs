//! Erasing fields of the profile: from the document, from every version of it, and from the
//! memories that state them. Reasons given with such changes are erased too, since they may quote
//! the value. What remains is stated anew where its memory named what was erased.

use super::leaves::ProfileLeaves;
use super::plan_leaves::{ProfileState, memories_of};
use super::reconcile::is_leaf;
use super::{COLLECTION, PROFILE_SUBJECT, field_at, history_of, profile_fields};
use crate::Profile;
use crate::erasure::{Erasure, ErasureProposal, propose, wrote, wrote_fields};
use crate::forget::forget_now;
use crate::versions::visible_versions;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{
    Failure, JsonMap, Memory, MemoryId, Permission, ProfileVersion, limits, path_by_names,
    path_without_places, paths_overlap, remove_field,
};
use serde_json::Value;
use std::collections::BTreeSet;
use store::{Change, ExpectedVersion, ForgetReceipt, MemoryQuery};

/// Result of erasing fields of the profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EraseProfileOutcome {
    pub fields: Vec<String>,
    /// Number of items removed by place; empty while a proposal waits.
    pub receipt: ForgetReceipt,
    /// Proposal that waits for the owner's consent; nothing was erased.
    pub proposal: Option<ErasureProposal>,
}

impl<'e> Profile<'e> {
    /// Erases fields of the profile by their paths. For an agent that did not write every version
    /// of them itself this becomes a proposal.
    ///
    /// # Errors
    /// `not_found` when the profile never had such a field.
    pub fn erase(
        self,
        caller: &'e Caller,
        fields: &'e [String],
    ) -> UseCaseFuture<'e, EraseProfileOutcome> {
        Box::pin(async move {
            limits::count("fields", fields.len(), limits::IDS_PER_CALL)?;
            let call = Call::begin(
                self.core,
                caller,
                Resource::Profile,
                Permission::Write,
                &("erase", fields),
            )
            .await?;
            let memories = describing_memories(&call, fields).await?;
            if !may_erase_fields(&call, fields, &memories).await? {
                return propose_erasure(&call, fields, memories).await;
            }
            let receipt = forget_now(&call, Vec::new(), fields.to_vec()).await?.receipt;
            if receipt.memories.is_empty() && receipt.removed_from("profile versions") == 0 {
                return Err(no_such_field(fields));
            }
            Ok(EraseProfileOutcome { fields: fields.to_vec(), receipt, proposal: None })
        })
    }
}

fn no_such_field(fields: &[String]) -> Failure {
    Failure::not_found("field of the profile", fields.join(", "))
}

/// Returns whether the caller may erase fields with these memories without asking the owner.
async fn may_erase_fields(
    call: &Call<'_>,
    fields: &[String],
    memories: &[MemoryId],
) -> Result<bool, Failure> {
    if call.may_erase().await? {
        return Ok(true);
    }
    let memories = call.memories_unchecked(memories).await?;
    let own = memories.iter().all(|memory| wrote(call, &memory.provenance));
    Ok(own && wrote_fields(call, fields).await?)
}

async fn propose_erasure(
    call: &Call<'_>,
    fields: &[String],
    memories: Vec<MemoryId>,
) -> Result<EraseProfileOutcome, Failure> {
    let profile_fields = fields.to_vec();
    let erasure = Erasure { profile_fields, memories, ..Erasure::default() };
    let proposal = Some(propose(call, erasure).await?);
    let receipt = ForgetReceipt::default();
    Ok(EraseProfileOutcome { fields: fields.to_vec(), receipt, proposal })
}

/// Fields to erase, as part of a batch.
pub(crate) struct ProfileErasure {
    /// Paths of the fields, with members of lists by name.
    fields: Vec<String>,
    history: Vec<ProfileVersion>,
    after: JsonMap,
    /// Memories that state the fields, in any status, with all versions.
    pub memories: BTreeSet<MemoryId>,
}

impl ProfileErasure {
    /// Finds everything that states these fields; `None` when there are none.
    pub async fn prepare(call: &Call<'_>, fields: &[String]) -> Result<Option<Self>, Failure> {
        if fields.is_empty() {
            return Ok(None);
        }
        let history = history_of(call).await?;
        let selectors: Vec<String> = fields.iter().map(|field| selector(&history, field)).collect();
        let before = history.first().map(|version| version.data.clone()).unwrap_or_default();
        let mut after = before.clone();
        selectors.iter().for_each(|field| _ = remove_field(&mut after, field));
        let erased = ErasedLeaves::new(&history, fields, &before, &after);
        let mut memories = BTreeSet::new();
        let query =
            MemoryQuery { collection: Some(COLLECTION.to_owned()), ..MemoryQuery::default() };
        for memory in memories_of(call, &query).await?.iter().filter(|one| erased.include(one)) {
            let versions = visible_versions(call, memory.id).await?.all;
            memories.extend(versions.iter().map(|version| version.id));
        }
        Ok(Some(Self { fields: selectors, history, after, memories }))
    }

    /// Adds the erasure to a batch that forgets these memories afterwards.
    // Afterwards, because forgetting removes entities that nothing mentions any more, and what
    // remains of the profile may mention them.
    pub async fn plan(
        self,
        call: &Call<'_>,
        plan: &mut BatchPlan,
        forgotten: &BTreeSet<MemoryId>,
    ) -> Result<(), Failure> {
        plan.push(Change::EraseProfile { fields: self.fields });
        let Some(newest) = self.history.first() else { return Ok(()) };
        plan.expected_versions.push(ExpectedVersion::Profile(newest.version));
        let state =
            ProfileState { profile: &self.after, changed: &[], history: &self.history, forgotten };
        state.plan(call, plan).await.map(drop)
    }
}

/// Returns the memories that state these fields or fields inside them, in any status, with all
/// versions.
pub(crate) async fn describing_memories(
    call: &Call<'_>,
    fields: &[String],
) -> Result<Vec<MemoryId>, Failure> {
    let erasure = ProfileErasure::prepare(call, fields).await?;
    Ok(erasure.into_iter().flat_map(|erasure| erasure.memories).collect())
}

/// Returns the fields of the profile that memories were made from, with members of lists by name:
/// they would bring the text back.
pub(crate) async fn described_fields(
    call: &Call<'_>,
    memories: &[&Memory],
) -> Result<Vec<String>, Failure> {
    if memories.iter().all(|memory| profile_fields(memory).next().is_none()) {
        return Ok(Vec::new());
    }
    let history = history_of(call).await?;
    let field = |memory: &Memory, path: &str| {
        // The version in which the memory was right about its place: others may stand there now.
        let states = |version: &&ProfileVersion| {
            let leaves = ProfileLeaves::read(&version.data).leaves;
            leaves.iter().any(|leaf| leaf.path == path && leaf.text == memory.text)
        };
        let right = history.iter().find(states).filter(|_| path.contains('['));
        right.map_or_else(|| selector(&history, path), |version| path_by_names(&version.data, path))
    };
    let fields =
        memories.iter().flat_map(|memory| profile_fields(memory).map(|path| field(memory, path)));
    Ok(fields.collect())
}

/// Returns the path of a field with members of lists by name: a list may have had another order in
/// an earlier version.
fn selector(history: &[ProfileVersion], field: &str) -> String {
    let there = history.iter().find(|version| field_at(&version.data, field).is_some());
    there.map_or_else(|| field.to_owned(), |version| path_by_names(&version.data, field))
}

/// The values that an erasure removes, and the names that go with them.
struct ErasedLeaves<'f> {
    fields: &'f [String],
    /// Path without places and subject of each value.
    values: Vec<(String, Option<String>)>,
    /// Texts of values that remain, but named what is erased.
    reworded: BTreeSet<String>,
    /// Names that nothing has any more.
    names: BTreeSet<String>,
}

impl<'f> ErasedLeaves<'f> {
    fn new(
        history: &[ProfileVersion],
        fields: &'f [String],
        before: &JsonMap,
        after: &JsonMap,
    ) -> Self {
        let named = |field: &String| {
            let there = history.iter().find(|version| field_at(&version.data, field).is_some());
            let leaves = there.map(|version| ProfileLeaves::read(&version.data).leaves);
            let within = leaves.into_iter().flatten();
            within.filter(|leaf| paths_overlap(&leaf.path, field)).collect::<Vec<_>>()
        };
        let values = fields
            .iter()
            .flat_map(named)
            .map(|leaf| (path_without_places(&leaf.path), leaf.subject))
            .collect();
        let (was, is) = (ProfileLeaves::read(before).leaves, ProfileLeaves::read(after).leaves);
        let texts: BTreeSet<&str> = is.iter().map(|leaf| leaf.text.as_str()).collect();
        let subjects: BTreeSet<&String> =
            is.iter().filter_map(|leaf| leaf.subject.as_ref()).collect();
        let gone = |name: &&String| !subjects.contains(name);
        Self {
            fields,
            values,
            reworded: was
                .iter()
                .filter(|leaf| !texts.contains(leaf.text.as_str()))
                .map(|leaf| leaf.text.clone())
                .collect(),
            names: was
                .iter()
                .filter_map(|leaf| leaf.subject.as_ref())
                .filter(gone)
                .cloned()
                .collect(),
        }
    }

    /// Returns whether a memory states an erased value, or names what is erased.
    fn include(&self, memory: &Memory) -> bool {
        let subject = memory.metadata.get(PROFILE_SUBJECT).and_then(Value::as_str);
        if !is_leaf(memory) {
            return profile_fields(memory)
                .any(|stated| self.fields.iter().any(|field| paths_overlap(stated, field)));
        }
        let path = profile_fields(memory).next().unwrap_or_default();
        let plain = path_without_places(path);
        let stated = |(value, about): &(String, Option<String>)| {
            paths_overlap(value, &plain) && (subject.is_none() || subject == about.as_deref())
        };
        self.values.iter().any(stated)
            || self.reworded.contains(&memory.text)
            || subject.is_some_and(|name| self.names.contains(name))
    }
}
