//! The profile: as it stands, as it was, and how it changes.

use super::paging::{Listed, page};
use super::shown::time;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::profile::{ProfileChanged, ProfilePatch};
use engine::{Caller, Standing};
use model::{Failure, JsonMap, ProfileVersion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The profile as it stood after one change.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProfileShown {
    /// 1 for the first; 0 before it.
    version: u32,
    /// The whole document.
    profile: JsonMap,
    /// The dotted paths that changed.
    changed: Vec<String>,
    /// Why, as the writer said.
    reason: Option<String>,
    /// Who wrote it.
    by: Option<String>,
    /// When.
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

/// Who edits the profile, and from which version.
fn editor(desk: &Desk) -> Result<Caller, Failure> {
    desk.editor(|tag| Some(Standing::Profile(tag.strip_prefix('p')?.parse().ok()?)))
}

pub(super) async fn standing(
    desk: Desk,
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
    let shown =
        desk.engine.profile().get(&desk.caller).await?.map_or_else(nothing, ProfileShown::from);
    let tag = tag(shown.version);
    Answer::tagged(shown, tag)
}

/// A change to the profile.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Patch {
    /// What to merge in; null removes a field.
    patch: JsonMap,
    /// Why.
    reason: Option<String>,
}

/// What came of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedShown {
    /// The version that stands now.
    version: u32,
    /// The fields that changed.
    changed: Vec<String>,
    /// The fields that a stronger source had set; they wait as a proposal.
    withheld: Vec<String>,
    /// What was changed on the way in, in sentences.
    notes: Vec<String>,
}

fn changed(done: ProfileChanged) -> Result<Answer<ChangedShown>, Failure> {
    let tag = tag(done.version);
    let ProfileChanged { version, changed, withheld, review: _, notes } = done;
    Answer::tagged(ChangedShown { version, changed, withheld, notes }, tag)
}

pub(super) async fn patch(
    desk: Desk,
    _: Nothing,
    input: Patch,
) -> Result<Answer<ChangedShown>, Failure> {
    let editor = editor(&desk)?;
    let patch = ProfilePatch { patch: input.patch, reason: input.reason };
    changed(desk.engine.profile().patch(&editor, &patch).await?)
}

/// The profile as it should be.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Whole {
    /// The whole document.
    profile: JsonMap,
    /// Why.
    reason: Option<String>,
}

pub(super) async fn replace(
    desk: Desk,
    _: Nothing,
    input: Whole,
) -> Result<Answer<ChangedShown>, Failure> {
    changed(desk.engine.profile().replace(&editor(&desk)?, &input.profile, input.reason).await?)
}

/// A page of a listing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paged {
    /// How many at most.
    pub limit: Option<u16>,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

pub(super) async fn versions(
    desk: Desk,
    _: Nothing,
    input: Paged,
) -> Result<Answer<Listed<ProfileShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let listed = desk.engine.profile().history(&desk.caller, page).await?;
    let items = listed.items.into_iter().map(ProfileShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

/// An earlier version.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Earlier {
    /// Which.
    version: u32,
}

pub(super) async fn restore(
    desk: Desk,
    _: Nothing,
    input: Earlier,
) -> Result<Answer<ChangedShown>, Failure> {
    changed(desk.engine.profile().restore(&desk.caller, input.version).await?)
}
