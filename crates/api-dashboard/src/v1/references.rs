//! Operations on reference documents: list, add, remove, search and read.

use super::json::{MessageJson, format_time};
use super::paging::{ListJson, parse_page};
use super::profile::PageQuery;
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::references::FileReferenceRequest;
use model::{Failure, Reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reference document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReferenceJson {
    /// Id of the document.
    id: i64,
    /// Path of the document.
    path: String,
    /// Title of the document.
    title: String,
    /// Number of sections.
    sections: usize,
    /// Time of the last update.
    updated_at: String,
}

impl From<Reference> for ReferenceJson {
    fn from(reference: Reference) -> Self {
        Self {
            id: reference.id.0,
            path: reference.path,
            title: reference.title,
            sections: reference.sections,
            updated_at: format_time(reference.updated_at),
        }
    }
}

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    input: PageQuery,
) -> Result<ApiResponse<ListJson<ReferenceJson>>, Failure> {
    let page = parse_page(input.limit, input.cursor.as_deref())?;
    let listed = context.engine.references().list(&context.caller, page).await?;
    let items = listed.items.into_iter().map(ReferenceJson::from).collect();
    ApiResponse::new(ListJson::new(items, listed.total, page))
}

/// A document to add or replace.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddReferenceBody {
    /// Path of the document, with forward slashes.
    path: String,
    /// Text of the document: markdown or plain text.
    text: String,
}

/// An added document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AddedReferenceJson {
    /// Id of the document.
    id: i64,
    /// Number of sections.
    sections: usize,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

pub(super) async fn add(
    context: RequestContext,
    _: NoFields,
    input: AddReferenceBody,
) -> Result<ApiResponse<AddedReferenceJson>, Failure> {
    let file = FileReferenceRequest { path: input.path, text: input.text };
    let filed = context.engine.references().put(&context.caller, &file).await?;
    ApiResponse::new(AddedReferenceJson {
        id: filed.reference.0,
        sections: filed.sections,
        notes: filed.notes,
    })
}

/// Path of a document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReferencePath {
    /// Path of the document.
    pub path: String,
}

pub(super) async fn remove(
    context: RequestContext,
    _: NoFields,
    input: ReferencePath,
) -> Result<ApiResponse<MessageJson>, Failure> {
    context.engine.references().remove(&context.caller, &input.path).await?;
    ApiResponse::new(MessageJson { said: format!("{} is removed", input.path) })
}

/// A search in the documents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReferenceSearchQuery {
    /// Question or words to look for.
    query: String,
    /// Maximum number of documents; default 5.
    limit: Option<u16>,
}

/// A section of a document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SectionJson {
    /// Path of the document.
    path: String,
    /// Headings, outermost first, ending with its own.
    heading: Vec<String>,
    /// Text of the section.
    text: String,
}

pub(super) async fn search(
    context: RequestContext,
    _: NoFields,
    input: ReferenceSearchQuery,
) -> Result<ApiResponse<Vec<SectionJson>>, Failure> {
    let limit = input.limit.map(usize::from);
    let hits = context.engine.references().search(&context.caller, &input.query, limit).await?;
    let encode = |hit: engine::references::ReferenceHit| SectionJson {
        path: hit.hit.path,
        heading: hit.hit.section.heading,
        text: hit.hit.section.text,
    };
    ApiResponse::new(hits.into_iter().map(encode).collect())
}

pub(super) async fn sections(
    context: RequestContext,
    _: NoFields,
    input: ReferencePath,
) -> Result<ApiResponse<Vec<SectionJson>>, Failure> {
    let sections =
        context.engine.references().sections(&context.caller, &input.path).await?.into_iter();
    let encode = |section: model::Section| SectionJson {
        path: input.path.clone(),
        heading: section.heading,
        text: section.text,
    };
    ApiResponse::new(sections.map(encode).collect())
}
