//! Reference documents: file, remove, list, search, read.

use super::paging::{Listed, page};
use super::profile::Paged;
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::references::FileReference;
use model::{Failure, Reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReferenceShown {
    /// Its number.
    id: i64,
    /// Its path below the references.
    path: String,
    /// Its title.
    title: String,
    /// How many sections it was cut into.
    sections: usize,
    /// When it was last filed.
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
    desk: Desk,
    _: Nothing,
    input: Paged,
) -> Result<Answer<Listed<ReferenceShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let listed = desk.engine.references().list(&desk.caller, page).await?;
    let items = listed.items.into_iter().map(ReferenceShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

/// A document to file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// Its path below the references, with forward slashes.
    path: String,
    /// Its text: markdown, or plain text.
    text: String,
}

/// A document that was filed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FiledShown {
    /// Its number.
    id: i64,
    /// How many sections it was cut into.
    sections: usize,
    /// What was changed on the way in, in sentences.
    notes: Vec<String>,
}

pub(super) async fn file(
    desk: Desk,
    _: Nothing,
    input: Document,
) -> Result<Answer<FiledShown>, Failure> {
    let file = FileReference { path: input.path, text: input.text };
    let filed = desk.engine.references().put(&desk.caller, &file).await?;
    Answer::of(FiledShown { id: filed.reference.0, sections: filed.sections, notes: filed.notes })
}

/// Which document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AtPath {
    /// Its path.
    pub path: String,
}

pub(super) async fn remove(desk: Desk, _: Nothing, input: AtPath) -> Result<Answer<Done>, Failure> {
    desk.engine.references().remove(&desk.caller, &input.path).await?;
    Answer::of(Done { said: format!("{} is removed", input.path) })
}

/// What to look up.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lookup {
    /// The question.
    query: String,
    /// How many documents at most; 5 when missing.
    limit: Option<u16>,
}

/// A section of a document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SectionShown {
    /// The document it stands in.
    path: String,
    /// The headings above it and its own, outermost first.
    heading: Vec<String>,
    /// The text.
    text: String,
}

pub(super) async fn search(
    desk: Desk,
    _: Nothing,
    input: Lookup,
) -> Result<Answer<Vec<SectionShown>>, Failure> {
    let limit = input.limit.map(usize::from);
    let hits = desk.engine.references().search(&desk.caller, &input.query, limit).await?;
    let shown = |hit: engine::references::ReferenceHit| SectionShown {
        path: hit.hit.path,
        heading: hit.hit.section.heading,
        text: hit.hit.section.text,
    };
    Answer::of(hits.into_iter().map(shown).collect())
}

pub(super) async fn sections(
    desk: Desk,
    _: Nothing,
    input: AtPath,
) -> Result<Answer<Vec<SectionShown>>, Failure> {
    let sections = desk.engine.references().sections(&desk.caller, &input.path).await?.into_iter();
    let shown = |section: model::Section| SectionShown {
        path: input.path.clone(),
        heading: section.heading,
        text: section.text,
    };
    Answer::of(sections.map(shown).collect())
}
