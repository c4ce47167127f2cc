//! Operations that edit the attributes and the links of a memory without a new version.

use super::json::{MemoryJson, memory_tag};
use super::memories::{IdPath, parse_moment};
use crate::api::ApiResponse;
use crate::request_context::RequestContext;
use engine::edit_details::{EditDetailsRequest, LinkMemoriesRequest};
use model::{Failure, LinkKind, MemoryId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Attributes to change. A missing field stays as it is; an empty text clears it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryDetailsBody {
    /// Title of the memory.
    title: Option<String>,
    /// Kind of the memory.
    kind: Option<String>,
    /// Tags, replacing all existing ones.
    tags: Option<Vec<String>>,
    /// Name of the project.
    project: Option<String>,
    /// Priority, 1 (most important) to 5.
    priority: Option<u8>,
    /// End of validity: `2026-05-03`.
    expires: Option<String>,
}

impl MemoryDetailsBody {
    fn request(self, memory: MemoryId) -> Result<EditDetailsRequest, Failure> {
        let cleared = |text: String| Some(text).filter(|text| !text.trim().is_empty());
        let expires =
            self.expires.map(|text| parse_moment(cleared(text).as_deref())).transpose()?;
        Ok(EditDetailsRequest {
            title: self.title.map(cleared),
            kind: self.kind.filter(|kind| !kind.trim().is_empty()),
            tags: self.tags,
            project: self.project.map(cleared),
            priority: self.priority,
            expires,
            ..EditDetailsRequest::new(memory)
        })
    }
}

pub(super) async fn edit(
    context: RequestContext,
    path: IdPath,
    input: MemoryDetailsBody,
) -> Result<ApiResponse<MemoryJson>, Failure> {
    let request = input.request(MemoryId(path.id))?;
    let memory = context.engine.memories().edit_details(&context.caller, &request).await?;
    let tag = memory_tag(&memory);
    ApiResponse::with_tag(memory.into(), tag)
}

/// A link from the memory to another one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryLinkBody {
    /// Id of the other memory.
    target: i64,
    /// Kind of the link, from this memory to the other one.
    kind: String,
}

/// A link that was added or removed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryLinkJson {
    source: i64,
    target: i64,
    kind: &'static str,
}

impl MemoryLinkBody {
    fn request(&self, source: i64) -> Result<LinkMemoriesRequest, Failure> {
        let kind = LinkKind::parse(&self.kind).ok_or_else(|| {
            let known = LinkKind::ALL.map(LinkKind::name).join(", ");
            Failure::invalid(format!("the kind must be one of {known}"))
        })?;
        let (source, target) = (MemoryId(source), MemoryId(self.target));
        Ok(LinkMemoriesRequest { source, target, kind })
    }
}

impl From<LinkMemoriesRequest> for MemoryLinkJson {
    fn from(link: LinkMemoriesRequest) -> Self {
        Self { source: link.source.0, target: link.target.0, kind: link.kind.name() }
    }
}

pub(super) async fn link(
    context: RequestContext,
    path: IdPath,
    input: MemoryLinkBody,
) -> Result<ApiResponse<MemoryLinkJson>, Failure> {
    let request = input.request(path.id)?;
    context.engine.memories().link(&context.caller, &request).await?;
    ApiResponse::new(request.into())
}

pub(super) async fn unlink(
    context: RequestContext,
    path: IdPath,
    input: MemoryLinkBody,
) -> Result<ApiResponse<MemoryLinkJson>, Failure> {
    let request = input.request(path.id)?;
    context.engine.memories().unlink(&context.caller, &request).await?;
    ApiResponse::new(request.into())
}
