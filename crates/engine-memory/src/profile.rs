//! The profile: one document about the owner. A weaker source never overwrites what a stronger one
//! said, an agent removes only what it wrote itself, and no agent can give the owner a relative's
//! name; such changes wait as a proposal. Each value is a memory too, so that every recall finds
//! it, and these memories are remade with every change: they say what the profile says, and nothing
//! else.

mod authorship;
mod check;
mod corrected_value;
mod erase;
mod identity;
mod leaf_relations;
mod leaves;
mod plan_leaves;
mod reconcile;
mod review_effects;

pub use check::{ProfileCheck, remake_leaves};
pub(crate) use corrected_value::{CorrectedValue, refuse_change};
pub use erase::EraseProfileOutcome;
pub(crate) use erase::{ProfileErasure, described_fields, describing_memories};
pub use model::{patch_at, value_at as field_at};
pub(crate) use review_effects::plan_with_profile;

use crate::Profile;
use crate::erasure::{open_proposal, wrote};
use authorship::value_authors;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::{BatchPlan, result_at};
use guard::Resource;
use identity::is_relatives_name;
use model::{
    ErrorCode, Failure, JsonMap, Listing, Memory, NewReview, Page, Permission, ProfileVersion,
    ReviewId, ReviewKind, Source, changed_fields, is_path_below, limits, merge_patch,
    patch_between,
};
use plan_leaves::ProfileState;
use serde_json::Value;
use std::collections::BTreeSet;
use store::{Change, ChangeResult, ExpectedVersion};

/// Collection of the profile's memories.
pub(crate) const COLLECTION: &str = Source::PROFILE_COLLECTION;
// Metadata keys that are stored with each memory of a field and must not change.
/// Metadata key under which a memory stores the field of the profile that it states, or the fields
/// that it is a sentence about.
pub const PROFILE_FIELD: &str = "profile_field";
/// Metadata key under which a memory stores whom or what its field is about, if not the owner.
const PROFILE_SUBJECT: &str = "profile_subject";
/// Number of times that a change is planned because another one came first. Of several at once,
/// each round completes one.
const ATTEMPTS: usize = 64;

/// Input of [`Profile::patch`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PatchProfileRequest {
    /// Merged by the rules of RFC 7396.
    pub patch: JsonMap,
    pub reason: Option<String>,
}

/// Result of a change to the profile.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchProfileOutcome {
    /// Current version; 0 when there is none yet.
    pub version: u32,
    pub changed: Vec<String>,
    /// Fields that wait as a proposal, mostly because a stronger source set them or another agent
    /// wrote what would be removed.
    pub withheld: Vec<String>,
    /// The proposal.
    pub review: Option<ReviewId>,
    /// Sentences about what screening changed, and about values past a limit.
    pub notes: Vec<String>,
}

/// A change to the profile within a batch.
pub(crate) struct ProfilePlan {
    version: u32,
    changed: Vec<String>,
    withheld: Vec<String>,
    patched_at: Option<usize>,
    proposed_at: Option<usize>,
    /// Proposal that an earlier call raised with the same content.
    proposed_before: Option<ReviewId>,
    notes: Vec<String>,
}

impl<'e> Profile<'e> {
    /// Returns the current profile; `None` before the first change.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn get(self, caller: &'e Caller) -> UseCaseFuture<'e, Option<ProfileVersion>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Profile, Permission::Read, &()).await?;
            let profile = call.store().profile().await?;
            call.note_shown("showed the profile", &[]).await;
            Ok(profile)
        })
    }

    /// Returns the versions of the profile, newest first.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn history(
        self,
        caller: &'e Caller,
        page: Page,
    ) -> UseCaseFuture<'e, Listing<ProfileVersion>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Profile, Permission::Read, &page).await?;
            let versions = call.store().profile_history(page).await?;
            call.note_shown(
                format!("showed {} versions of the profile", versions.items.len()),
                &[],
            )
            .await;
            Ok(versions)
        })
    }

    /// Merges a patch into the profile.
    ///
    /// # Errors
    /// Fails when the patch is empty or past a limit, or the store cannot write.
    pub fn patch(
        self,
        caller: &'e Caller,
        input: &'e PatchProfileRequest,
    ) -> UseCaseFuture<'e, PatchProfileOutcome> {
        Box::pin(async move {
            let mut attempt = 1;
            loop {
                let call =
                    Call::begin(self.core, caller, Resource::Profile, Permission::Write, input)
                        .await?;
                let mut plan = BatchPlan::default();
                let profile = plan_profile(&call, &mut plan, input).await?;
                match call.write_plan(profile.note(), plan).await {
                    Err(failure) if is_overtaken(caller, &failure, attempt) => attempt += 1,
                    Err(failure) => return Err(failure),
                    Ok(committed) => {
                        let mut done = profile.outcome(&committed.results);
                        done.notes.extend(call.notes());
                        return Ok(done);
                    }
                }
            }
        })
    }
}

impl<'e> Profile<'e> {
    /// Replaces the whole profile.
    ///
    /// # Errors
    /// `invalid_argument` when it is the same already; otherwise as [`Profile::patch`].
    pub fn replace(
        self,
        caller: &'e Caller,
        wanted: &'e JsonMap,
        reason: Option<String>,
    ) -> UseCaseFuture<'e, PatchProfileOutcome> {
        Box::pin(async move {
            let current = self.get(caller).await?.map(|version| version.data).unwrap_or_default();
            let patch = patch_between(&current, wanted);
            if patch.is_empty() {
                return Err(Failure::invalid("the profile already says exactly this"));
            }
            self.patch(caller, &PatchProfileRequest { patch, reason }).await
        })
    }

    /// Restores an earlier version of the profile.
    ///
    /// # Errors
    /// `not_found` when there is no such version; otherwise as [`Profile::replace`].
    pub fn restore(
        self,
        caller: &'e Caller,
        version: u32,
    ) -> UseCaseFuture<'e, PatchProfileOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Profile, Permission::Write, &version)
                    .await?;
            let history = history_of(&call).await?;
            let wanted = history.into_iter().find(|stored| stored.version == version);
            let wanted =
                wanted.ok_or_else(|| Failure::not_found("version of the profile", version))?;
            self.replace(caller, &wanted.data, Some(format!("restored version {version}"))).await
        })
    }
}

/// Returns whether a change of the profile was planned for a version that another change replaced,
/// and is to be planned again. A version that the caller expected is theirs to read again.
pub(crate) fn is_overtaken(caller: &Caller, failure: &Failure, attempt: usize) -> bool {
    failure.code == ErrorCode::Conflict && caller.expected_version.is_none() && attempt < ATTEMPTS
}

/// Adds the changes of a patch to a batch.
pub(crate) async fn plan_profile(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    input: &PatchProfileRequest,
) -> Result<ProfilePlan, Failure> {
    if input.patch.is_empty() {
        return Err(Failure::invalid(
            "the profile patch is empty; give a field, such as {\"diet\": \"vegetarian\"}",
        ));
    }
    let mut input = input.clone();
    // Before merging, so that the memories of the values are made of screened texts.
    call.screen().object("profile", &mut input.patch)?;
    let history = history_of(call).await?;
    let before = history.first().map(|version| version.data.clone()).unwrap_or_default();
    let trust = call.caller.origin().trust();
    let wanted = merge_patch(&before, &input.patch);
    let touched = changed_fields(&before, &wanted);
    let is_removed = |path: &String| field_at(&wanted, path).is_none();
    let may_remove = !touched.iter().any(is_removed) || call.may_erase().await?;
    let waits = |path: &String| {
        let relative = !call.caller.in_person && is_relatives_name(&before, &wanted, path);
        let authors = value_authors(&history, &before, path);
        let of_others = || authors.iter().any(|from| !wrote(call, from));
        let stronger = authors.iter().any(|from| from.trust > trust);
        relative || stronger || (!may_remove && is_removed(path) && of_others())
    };
    // Each field is decided by itself: one that is withheld does not hold back the others.
    let (withheld, changed): (Vec<String>, Vec<String>) = touched.into_iter().partition(waits);
    let (allowed, proposed) = split_patch(&input.patch, "", &withheld);
    let after = merge_patch(&before, &allowed);
    limits::json("profile", &after, limits::PROFILE_BYTES)?;
    let version = history.first().map_or(0, |version| version.version);
    let patched_at = (!changed.is_empty()).then(|| push_patch(call, plan, &allowed, &input));
    let (proposed_at, proposed_before) = plan_proposal(call, plan, proposed, &withheld).await?;
    let mut notes = Vec::new();
    if patched_at.is_some() {
        // The memories below are those of this version, so no other change may come in between.
        plan.expected_versions.push(ExpectedVersion::Profile(version));
        let state = ProfileState {
            profile: &after,
            changed: &changed,
            history: &history,
            forgotten: &BTreeSet::new(),
        };
        notes.extend(state.plan(call, plan).await?.note());
    }
    Ok(ProfilePlan { version, changed, withheld, patched_at, proposed_at, proposed_before, notes })
}

impl ProfilePlan {
    /// Returns the note for the audit log.
    pub fn note(&self) -> String {
        format!("profile: {} changed, {} proposed", self.changed.len(), self.withheld.len())
    }

    /// Builds the result from the results of the batch.
    pub fn outcome(self, results: &[ChangeResult]) -> PatchProfileOutcome {
        let version = match self.patched_at.map(|index| result_at(results, index)) {
            Some(ChangeResult::Profile(version)) => *version,
            _ => self.version,
        };
        let review = match self.proposed_at.map(|index| result_at(results, index)) {
            Some(ChangeResult::Review(id)) => Some(*id),
            _ => self.proposed_before,
        };
        let (changed, withheld, notes) = (self.changed, self.withheld, self.notes);
        PatchProfileOutcome { version, changed, withheld, review, notes }
    }
}

async fn history_of(call: &Call<'_>) -> Result<Vec<ProfileVersion>, Failure> {
    let listing = call.store().profile_history(Page::first(limits::PAGE_ITEMS)).await;
    Ok(listing?.items)
}

/// Splits a patch into the part to apply and the part that touches withheld fields.
fn split_patch(patch: &JsonMap, prefix: &str, withheld: &[String]) -> (JsonMap, JsonMap) {
    let (mut allowed, mut proposed) = (JsonMap::new(), JsonMap::new());
    for (name, value) in patch {
        let path = format!("{prefix}{name}");
        if withheld.contains(&path) {
            proposed.insert(name.clone(), value.clone());
            continue;
        }
        match value {
            Value::Object(inner) if withheld.iter().any(|field| is_path_below(field, &path)) => {
                let (inside, outside) = split_patch(inner, &format!("{path}."), withheld);
                allowed.insert(name.clone(), Value::Object(inside));
                proposed.insert(name.clone(), Value::Object(outside));
            }
            _ => {
                allowed.insert(name.clone(), value.clone());
            }
        }
    }
    (allowed, proposed)
}

fn push_patch(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    patch: &JsonMap,
    input: &PatchProfileRequest,
) -> usize {
    plan.push(Change::PatchProfile {
        patch: patch.clone(),
        reason: input.reason.clone(),
        provenance: call.provenance(call.caller.origin()),
    })
}

/// Adds the proposal of the withheld fields to a batch, unless the caller has it open already.
/// Returns its index in the batch, or the open one.
async fn plan_proposal(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    proposed: JsonMap,
    withheld: &[String],
) -> Result<(Option<usize>, Option<ReviewId>), Failure> {
    if withheld.is_empty() {
        return Ok((None, None));
    }
    let reason =
        format!("wants to change fields that only the owner decides: {}", withheld.join(", "));
    let details = JsonMap::from_iter([("profile".to_owned(), Value::Object(proposed))]);
    if let Some(open) = open_proposal(call, |open| *open == details).await? {
        return Ok((None, Some(open)));
    }
    let item = NewReview { kind: ReviewKind::Proposal, reason, details };
    Ok((Some(plan.push(Change::RaiseReview { item, subject: None, against: None })), None))
}

/// Returns the fields of the profile that a memory describes.
pub(crate) fn profile_fields(memory: &Memory) -> impl Iterator<Item = &str> {
    let fields = memory.metadata.get(PROFILE_FIELD).filter(|_| memory.collection == COLLECTION);
    let (one, several) = (fields.and_then(Value::as_str), fields.and_then(Value::as_array));
    one.into_iter().chain(several.into_iter().flatten().filter_map(Value::as_str))
}

/// Renders a value in plain words: no braces, no quotes.
#[must_use]
pub fn value_to_text(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(value_to_text).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let parts = fields.iter().map(|(name, value)| {
                format!("{} {}", name.replace('_', " "), value_to_text(value))
            });
            parts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: &Value) -> JsonMap {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_patch_splits_at_the_fields_that_are_withheld() {
        let patch = map(&json!({"name": "Eve", "work": {"role": "lead", "city": "Bonn"}}));
        let (allowed, proposed) = split_patch(&patch, "", &["name".into(), "work.role".into()]);
        assert_eq!(Value::Object(allowed), json!({"work": {"city": "Bonn"}}));
        assert_eq!(Value::Object(proposed), json!({"name": "Eve", "work": {"role": "lead"}}));
    }

    #[test]
    fn a_value_is_rendered_in_plain_words() {
        assert_eq!(
            value_to_text(&json!({"favorites": ["tofu", "rice"], "spice_level": 3})),
            "favorites tofu, rice, spice level 3"
        );
    }
}
