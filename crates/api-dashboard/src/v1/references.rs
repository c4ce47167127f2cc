//! Operations on reference documents: list, add, remove, search and read.

use super::paging::{Listed, page};
use super::profile::Paged;
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::references::FileReference;
use model::{Failure, Reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reference document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReferenceShown {
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

impl From<Reference> for ReferenceShown {
    fn from(reference: Reference) -> Self {
        Self {
            id: reference.id.0,
            path: reference.path,
            title: reference.title,
            sections: reference.sections,
            updated_at: time(reference.updated_at),
        }
    }
}

pub(super) async fn list(
    context: Desk,
    _: Nothing,
    input: Paged,
) -> Result<Answer<Listed<ReferenceShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let listed = context.engine.references().list(&context.caller, page).await?;
    let items = listed.items.into_iter().map(ReferenceShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

/// A document to add or replace.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// Path of the document, with forward slashes.
    path: String,
    /// Text of the document: markdown or plain text.
    text: String,
}

/// An added document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FiledShown {
    /// Id of the document.
    id: i64,
    /// Number of sections.
    sections: usize,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

pub(super) async fn file(
    context: Desk,
    _: Nothing,
    input: Document,
) -> Result<Answer<FiledShown>, Failure> {
    let file = FileReference { path: input.path, text: input.text };
    let filed = context.engine.references().put(&context.caller, &file).await?;
    Answer::of(FiledShown { id: filed.reference.0, sections: filed.sections, notes: filed.notes })
}

/// Path of a document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AtPath {
    /// Path of the document.
    pub path: String,
}

pub(super) async fn remove(
    context: Desk,
    _: Nothing,
    input: AtPath,
) -> Result<Answer<Done>, Failure> {
    context.engine.references().remove(&context.caller, &input.path).await?;
    Answer::of(Done { said: format!("{} is removed", input.path) })
}

/// A search in the documents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lookup {
    /// Question.
    query: String,
    /// Maximum number of documents; default 5.
    limit: Option<u16>,
}

/// A section of a document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SectionShown {
    /// Path of the document.
    path: String,
    /// Headings, outermost first, ending with its own.
    heading: Vec<String>,
    /// Text of the section.
    text: String,
}

pub(super) async fn search(
    context: Desk,
    _: Nothing,
    input: Lookup,
) -> Result<Answer<Vec<SectionShown>>, Failure> {
    let limit = input.limit.map(usize::from);
    let hits = context.engine.references().search(&context.caller, &input.query, limit).await?;
    let encode = |hit: engine::references::ReferenceHit| SectionShown {
        path: hit.hit.path,
        heading: hit.hit.section.heading,
        text: hit.hit.section.text,
    };
    Answer::of(hits.into_iter().map(encode).collect())
}

pub(super) async fn sections(
    context: Desk,
    _: Nothing,
    input: AtPath,
) -> Result<Answer<Vec<SectionShown>>, Failure> {
    let sections =
        context.engine.references().sections(&context.caller, &input.path).await?.into_iter();
    let encode = |section: model::Section| SectionShown {
        path: input.path.clone(),
        heading: section.heading,
        text: section.text,
    };
    Answer::of(sections.map(encode).collect())
}
