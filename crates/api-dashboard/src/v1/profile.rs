//! Operations on the profile: get, patch, replace, list versions and restore.

use super::json::format_time;
use super::paging::{ListJson, parse_page};
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::profile::{PatchProfileOutcome, PatchProfileRequest};
use engine::{Caller, ExpectedVersion};
use model::{Failure, JsonMap, ProfileVersion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A version of the profile.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProfileJson {
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

impl From<ProfileVersion> for ProfileJson {
    fn from(version: ProfileVersion) -> Self {
        Self {
            version: version.version,
            profile: version.data,
            changed: version.changed,
            reason: version.reason,
            by: Some(version.provenance.author.agent.to_string()),
            at: Some(format_time(version.provenance.at)),
        }
    }
}

fn version_tag(version: u32) -> String {
    format!("\"p{version}\"")
}

/// Returns the caller with the version of the profile that the edit is based on.
fn editor(context: &RequestContext) -> Result<Caller, Failure> {
    context.editor(|tag| Some(ExpectedVersion::Profile(tag.strip_prefix('p')?.parse().ok()?)))
}

pub(super) async fn current(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<ProfileJson>, Failure> {
    let nothing = || ProfileJson {
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
        .map_or_else(nothing, ProfileJson::from);
    let tag = version_tag(profile.version);
    ApiResponse::with_tag(profile, tag)
}

/// A patch of the profile.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatchProfileBody {
    /// Fields to merge; null removes a field.
    patch: JsonMap,
    /// Reason for the change.
    reason: Option<String>,
}

/// Result of a change to the profile.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProfileChangeJson {
    /// Current version.
    version: u32,
    /// Changed fields.
    changed: Vec<String>,
    /// Fields set by a stronger source; the change to them is a proposal in review.
    withheld: Vec<String>,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

fn change_response(done: PatchProfileOutcome) -> Result<ApiResponse<ProfileChangeJson>, Failure> {
    let tag = version_tag(done.version);
    let PatchProfileOutcome { version, changed, withheld, review: _, notes } = done;
    ApiResponse::with_tag(ProfileChangeJson { version, changed, withheld, notes }, tag)
}

pub(super) async fn patch(
    context: RequestContext,
    _: NoFields,
    input: PatchProfileBody,
) -> Result<ApiResponse<ProfileChangeJson>, Failure> {
    let editor = editor(&context)?;
    let patch = PatchProfileRequest { patch: input.patch, reason: input.reason };
    change_response(context.engine.profile().patch(&editor, &patch).await?)
}

/// A replacement of the profile.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplaceProfileBody {
    /// Complete profile.
    profile: JsonMap,
    /// Reason for the change.
    reason: Option<String>,
}

pub(super) async fn replace(
    context: RequestContext,
    _: NoFields,
    input: ReplaceProfileBody,
) -> Result<ApiResponse<ProfileChangeJson>, Failure> {
    change_response(
        context.engine.profile().replace(&editor(&context)?, &input.profile, input.reason).await?,
    )
}

/// A page of a listing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageQuery {
    /// Maximum number of items.
    pub limit: Option<u16>,
    /// Value of `next` from the previous page.
    pub cursor: Option<String>,
}

pub(super) async fn versions(
    context: RequestContext,
    _: NoFields,
    input: PageQuery,
) -> Result<ApiResponse<ListJson<ProfileJson>>, Failure> {
    let page = parse_page(input.limit, input.cursor.as_deref())?;
    let listed = context.engine.profile().history(&context.caller, page).await?;
    let items = listed.items.into_iter().map(ProfileJson::from).collect();
    ApiResponse::new(ListJson::new(items, listed.total, page))
}

/// A version to restore.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreProfileBody {
    /// Version number.
    version: u32,
}

pub(super) async fn restore(
    context: RequestContext,
    _: NoFields,
    input: RestoreProfileBody,
) -> Result<ApiResponse<ProfileChangeJson>, Failure> {
    change_response(context.engine.profile().restore(&context.caller, input.version).await?)
}
