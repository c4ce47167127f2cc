//! References: long documents of the owner, split by heading, searched on request and never part of
//! a recall. The owner adds and removes them; callers with a grant search them.

mod passage;
mod section_index;

pub(crate) use section_index::ReferenceIndexes;

use crate::References;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::embedding::Embeddable;
use engine_core::plan::result_at;
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use model::{
    ContentHash, Failure, Listing, NewReference, Page, Permission, Reference, ReferenceId, Section,
    SectionHit, limits,
};
use store::{Change, ChangeResult};

/// Default number of documents in a search result.
const LIMIT: usize = 5;
const LIMIT_MAX: usize = 100;

/// Input of [`References::put`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReferenceRequest {
    /// Relative path with forward slashes.
    pub path: String,
    /// Markdown or plain text.
    pub text: String,
}

/// Result of storing a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReferenceOutcome {
    pub reference: ReferenceId,
    /// Number of sections.
    pub sections: usize,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

/// A section found by a search.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceHit {
    pub hit: SectionHit,
    /// Ranking score; comparable only within one search.
    pub score: f32,
}

impl<'e> References<'e> {
    /// Stores a document in place of the one at its path.
    ///
    /// # Errors
    /// Fails when the path is not relative, the document is too long, or the caller is not the
    /// owner.
    pub fn put(
        self,
        caller: &'e Caller,
        input: &'e FileReferenceRequest,
    ) -> UseCaseFuture<'e, FileReferenceOutcome> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Administration,
                Permission::Write,
                &input.path,
            )
            .await?;
            // Before screening, which reads every byte.
            limits::bytes("document", &input.text, limits::REFERENCE_BYTES)?;
            // Screened before it is split and embedded, so that no vector is made of a removed
            // secret.
            let mut input = input.clone();
            call.screen().document("document", &mut input.text);
            let reference = split(&input);
            reference.check()?;
            let texts =
                reference.sections.iter().map(|section| Embeddable::whole(section.text.clone()));
            let vectors = match self.core.vectors_of(texts.collect()).await {
                Ok(vectors) => vectors.into_iter().map(Some).collect(),
                // Sections without vectors are still found by words.
                Err(_) => vec![None; reference.sections.len()],
            };
            let sections = reference.sections.len();
            let change = Change::PutReference { reference: Box::new(reference), vectors };
            let committed = call.write(format!("filed {sections} sections"), vec![change]).await?;
            match result_at(&committed.results, 0) {
                ChangeResult::Reference(reference) => Ok(FileReferenceOutcome {
                    reference: *reference,
                    sections,
                    notes: call.notes(),
                }),
                _ => Err(engine_core::call::internal(
                    "the store returned no reference for PutReference",
                )),
            }
        })
    }

    /// Removes the document at a path.
    ///
    /// # Errors
    /// `not_found` when there is none; `consent_required` when the caller is not the owner.
    pub fn remove(self, caller: &'e Caller, path: &'e str) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Administration, Permission::Write, &path)
                    .await?;
            call.write("removed", vec![Change::RemoveReference { path: path.to_owned() }]).await?;
            Ok(())
        })
    }

    /// Lists the documents by path.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn list(self, caller: &'e Caller, page: Page) -> UseCaseFuture<'e, Listing<Reference>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::References, Permission::Read, &page)
                    .await?;
            let listed = call.store().references(page.capped()).await?;
            call.note_shown(format!("listed {} references", listed.items.len()), &[]).await;
            Ok(listed)
        })
    }

    /// Returns the sections of the document at a path, in order.
    ///
    /// # Errors
    /// `not_found` when there is none at this path.
    pub fn sections(self, caller: &'e Caller, path: &'e str) -> UseCaseFuture<'e, Vec<Section>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::References, Permission::Read, &path)
                    .await?;
            let index = self.caches.references.current(self.core, &caller.owner).await?;
            let sections = index.sections_of(path);
            call.note_shown(format!("showed {} sections", sections.len()), &[]).await;
            if sections.is_empty() {
                Err(Failure::not_found("document", format!("`{path}`")))
            } else {
                Ok(sections)
            }
        })
    }

    /// Returns the documents that answer a question, each with its best section.
    ///
    /// # Errors
    /// Fails when the query is empty or too long, or the store cannot be read.
    pub fn search(
        self,
        caller: &'e Caller,
        query: &'e str,
        limit: Option<usize>,
    ) -> UseCaseFuture<'e, Vec<ReferenceHit>> {
        Box::pin(async move {
            if query.trim().is_empty() {
                return Err(Failure::invalid("the query is empty; give the words to look up"));
            }
            let call =
                Call::begin(self.core, caller, Resource::References, Permission::Read, &query)
                    .await?;
            let question =
                SearchRequest::new(&call, query, SearchModes::default())?.question(&call).await?;
            let index = self.caches.references.current(self.core, &caller.owner).await?;
            let hits = index.search((query, &question), limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX));
            call.note_shown(format!("found {} sections", hits.len()), &[]).await;
            Ok(hits)
        })
    }
}

/// Splits a document by heading. One without headings is one section.
fn split(input: &FileReferenceRequest) -> NewReference {
    let sections: Vec<Section> = reading::sections(&input.text)
        .into_iter()
        .filter(|section| !section.text.trim().is_empty())
        .map(|section| Section {
            heading: section.path.iter().map(ToString::to_string).collect(),
            text: input.text[section.range].trim().to_owned(),
        })
        .collect();
    let first_heading = sections.iter().find_map(|section| section.heading.first().cloned());
    let file_name = input.path.rsplit('/').next().unwrap_or(&input.path).to_owned();
    let title: String =
        first_heading.unwrap_or(file_name).chars().take(limits::TITLE_CHARS).collect();
    NewReference {
        path: input.path.clone(),
        title,
        hash: ContentHash::of_bytes(input.text.as_bytes()),
        sections,
    }
}
