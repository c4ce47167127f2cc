//! Erasing of fields from versions of the profile and from proposals to change it.

use model::{JsonMap, ProfileVersion, paths_overlap, remove_field};
use serde_json::Value;

/// Removes fields from a version of the profile, with its reason if it changed one of them. Returns
/// false when the version has nothing of them.
pub fn erase_from_version(version: &mut ProfileVersion, fields: &[String]) -> bool {
    // `filter` and `count` instead of `any`, which would stop after the first removal.
    let removed = fields.iter().filter(|field| remove_field(&mut version.data, field)).count() > 0;
    let overlaps = |path: &String| fields.iter().any(|field| paths_overlap(path, field));
    let changed = version.changed.iter().any(overlaps);
    if changed {
        // The reason of a version that changed the field may quote its value.
        version.reason = None;
    }
    removed || changed
}

/// The result of removing fields from a proposal to change the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalErasure {
    /// The proposal says nothing of the fields.
    Unaffected,
    /// The proposal still proposes something else.
    Changed,
    /// Nothing is left to propose.
    Emptied,
}

/// Removes fields from the details of a proposal.
pub fn erase_from_proposal(details: &mut JsonMap, fields: &[String]) -> ProposalErasure {
    let Some(Value::Object(patch)) = details.get_mut("profile") else {
        return ProposalErasure::Unaffected;
    };
    if fields.iter().filter(|field| remove_field(patch, field)).count() == 0 {
        return ProposalErasure::Unaffected;
    }
    if has_values(patch) { ProposalErasure::Changed } else { ProposalErasure::Emptied }
}

/// Returns whether a patch changes anything: an empty object inside another does not.
fn has_values(patch: &JsonMap) -> bool {
    patch.values().any(|value| value.as_object().is_none_or(has_values))
}
