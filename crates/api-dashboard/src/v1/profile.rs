//! Operations on the profile: get, patch, replace, list versions and restore.

use super::paging::{Listed, page};
use super::shown::time;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::profile::{ProfileChanged, ProfilePatch};
use engine::{Caller, Standing};
use model::{Failure, JsonMap, ProfileVersion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A version of the profile.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProfileShown {
    /// Version number; 0 before the first change.
    version: u32,
    /// Complete profile.
    profile: JsonMap,
    /// Dotted paths of the changed fields.
    changed: Vec<String>,
    /// Reason given by the writer.
    reason: Option<String>,
    /// Agent that wrote it.
    by: Option<String>,
    /// Time of the change.
    at: Option<String>,
}

impl From<ProfileVersion> for ProfileShown {
    fn from(version: ProfileVersion) -> Self {
        Self {
            version: version.version,
            profile: version.data,
            changed: version.changed,
            reason: version.reason,
            by: Some(version.provenance.author.agent.to_string()),
            at: Some(time(version.provenance.at)),
        }
    }
}

fn tag(version: u32) -> String {
    format!("\"p{version}\"")
}

/// Returns the caller with the version of the profile that the edit is based on.
fn editor(context: &Desk) -> Result<Caller, Failure> {
    context.editor(|tag| Some(Standing::Profile(tag.strip_prefix('p')?.parse().ok()?)))
}

pub(super) async fn standing(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<ProfileShown>, Failure> {
    let nothing = || ProfileShown {
        version: 0,
        profile: JsonMap::new(),
        changed: Vec::new(),
        reason: None,
        by: None,
        at: None,
    };
    let profile = context
        .engine
        .profile()
        .get(&context.caller)
        .await?
        .map_or_else(nothing, ProfileShown::from);
    let tag = tag(profile.version);
    Answer::tagged(profile, tag)
}

/// A patch of the profile.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Patch {
    /// Fields to merge; null removes a field.
    patch: JsonMap,
    /// Reason for the change.
    reason: Option<String>,
}

/// Result of a change to the profile.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedShown {
    /// Current version.
    version: u32,
    /// Changed fields.
    changed: Vec<String>,
    /// Fields set by a stronger source; the change to them is a proposal in review.
    withheld: Vec<String>,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

fn changed(done: ProfileChanged) -> Result<Answer<ChangedShown>, Failure> {
    let tag = tag(done.version);
    let ProfileChanged { version, changed, withheld, review: _, notes } = done;
    Answer::tagged(ChangedShown { version, changed, withheld, notes }, tag)
}

pub(super) async fn patch(
    context: Desk,
    _: Nothing,
    input: Patch,
) -> Result<Answer<ChangedShown>, Failure> {
    let editor = editor(&context)?;
    let patch = ProfilePatch { patch: input.patch, reason: input.reason };
    changed(context.engine.profile().patch(&editor, &patch).await?)
}

/// A replacement of the profile.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Whole {
    /// Complete profile.
    profile: JsonMap,
    /// Reason for the change.
    reason: Option<String>,
}

pub(super) async fn replace(
    context: Desk,
    _: Nothing,
    input: Whole,
) -> Result<Answer<ChangedShown>, Failure> {
    changed(
        context.engine.profile().replace(&editor(&context)?, &input.profile, input.reason).await?,
    )
}

/// A page of a listing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paged {
    /// Maximum number of items.
    pub limit: Option<u16>,
    /// Value of `next` from the previous page.
    pub cursor: Option<String>,
}

pub(super) async fn versions(
    context: Desk,
    _: Nothing,
    input: Paged,
) -> Result<Answer<Listed<ProfileShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let listed = context.engine.profile().history(&context.caller, page).await?;
    let items = listed.items.into_iter().map(ProfileShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

/// A version to restore.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Earlier {
    /// Version number.
    version: u32,
}

pub(super) async fn restore(
    context: Desk,
    _: Nothing,
    input: Earlier,
) -> Result<Answer<ChangedShown>, Failure> {
    changed(context.engine.profile().restore(&context.caller, input.version).await?)
}
