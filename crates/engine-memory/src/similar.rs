//! Similarity search: by words and meaning of a text, or by the cosine of a vector. A similarity is
//! between 0 and 1 and comparable across questions, so that callers can set a minimum.

use crate::Memories;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::derived::is_extract;
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use index::{Filter, QueryVector, StatusFilter};
use model::{Failure, Memory, MemoryId, Permission, limits};
use std::collections::{HashMap, HashSet};

/// Target of a similarity search.
#[derive(Debug, Clone, PartialEq)]
pub enum SimilarityTarget {
    Text(String),
    /// A vector with the embedder's number of dimensions.
    Vector(Vec<f32>),
}

/// Input of [`Memories::similar`].
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarRequest {
    pub to: SimilarityTarget,
    /// Any kind when empty.
    pub kinds: Vec<String>,
    /// Smallest similarity, 0 to 1.
    pub min: f32,
    /// Capped at one page.
    pub limit: usize,
    /// Leaves out text that is derived from other memories, which are compared by themselves.
    pub sources_only: bool,
}

/// A similar memory.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarMemory {
    pub memory: Memory,
    /// Between 0 and 1.
    pub similarity: f32,
    /// Share of the text's words that it contains, 0 to 1.
    pub words: f32,
    /// Words of the text that it contains.
    pub shared: Vec<String>,
}

impl<'e> Memories<'e> {
    /// Returns the most similar memories, best first.
    ///
    /// # Errors
    /// `invalid_argument` when there is nothing to compare with, or a vector has the wrong number
    /// of dimensions.
    pub fn similar(
        self,
        caller: &'e Caller,
        input: &'e SimilarRequest,
    ) -> UseCaseFuture<'e, Vec<SimilarMemory>> {
        Box::pin(async move {
            limits::range("likeness", f64::from(input.min), 0.0, 1.0)?;
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                    .await?;
            let mut alike = match &input.to {
                SimilarityTarget::Text(text) => self.similar_to_text(&call, input, text).await?,
                SimilarityTarget::Vector(vector) => {
                    self.similar_to_vector(&call, input, vector).await?
                }
            };
            alike.retain(|one| one.similarity >= input.min);
            alike.retain(|one| !(input.sources_only && is_extract(&one.memory)));
            // Flagged memories come last, here as in every search.
            let is_flagged = |one: &SimilarMemory| one.memory.flags > 0;
            alike.sort_by(|a, b| {
                is_flagged(a).cmp(&is_flagged(b)).then(b.similarity.total_cmp(&a.similarity))
            });
            alike.truncate(input.limit.min(limits::PAGE_ITEMS));
            let shown: Vec<MemoryId> = alike.iter().map(|one| one.memory.id).collect();
            call.note_shown(format!("found {} alike", shown.len()), &shown).await;
            Ok(alike)
        })
    }

    /// Returns the number of dimensions of this memory's vectors.
    #[must_use]
    pub fn dimensions(self) -> usize {
        self.core.embedder().dimensions()
    }

    async fn similar_to_text(
        self,
        call: &Call<'_>,
        input: &SimilarRequest,
        text: &str,
    ) -> Result<Vec<SimilarMemory>, Failure> {
        if text.trim().is_empty() {
            return Err(Failure::invalid("the text is empty; give the words to look for"));
        }
        let request = SearchRequest::new(call, text, SearchModes::default())?;
        let question = request.question(call).await?;
        let view = self.core.view(&call.caller.owner).await?;
        let vector = question.vector.as_deref().map(QueryVector::new);
        // The ranking only selects candidates. It includes neighbouring messages, which say nothing
        // about the similarity of the memory itself.
        let cosines: Vec<(MemoryId, f32)> = view.read(|view| {
            let ranked = request.rank(view, &question, &filter_of(call, input));
            let cosine =
                |doc| vector.as_ref().and_then(|vector| view.cosine(doc, vector)).unwrap_or(0.0);
            ranked.iter().map(|one| (one.id, cosine(one.doc))).collect()
        });
        let terms = reading::content_terms(text);
        let memories = self.read_current(call, &cosines).await?;
        Ok(memories
            .into_iter()
            .map(|(memory, cosine)| by_words_and_meaning(memory, cosine, &terms))
            .collect())
    }

    async fn similar_to_vector(
        self,
        call: &Call<'_>,
        input: &SimilarRequest,
        vector: &[f32],
    ) -> Result<Vec<SimilarMemory>, Failure> {
        check_vector(vector, self.dimensions())?;
        let view = self.core.view(&call.caller.owner).await?;
        let near: Vec<(MemoryId, f32)> = view.read(|view| {
            let within = view.filter(&filter_of(call, input), call.at);
            let (mut unflagged, mut flagged) = (within.clone(), within);
            unflagged.retain(|doc| view.facts(doc).flags == 0);
            flagged.retain(|doc| view.facts(doc).flags > 0);
            // Searched separately, so that flagged memories do not take places from the others.
            let nearest = |among| {
                view.nearest(&QueryVector::new(vector), among, input.limit.min(limits::PAGE_ITEMS))
            };
            [&unflagged, &flagged]
                .into_iter()
                .flat_map(nearest)
                .map(|hit| (hit.id, hit.score))
                .collect()
        });
        let alike = |(memory, similarity)| SimilarMemory {
            memory,
            similarity,
            words: 0.0,
            shared: Vec::new(),
        };
        Ok(self.read_current(call, &near).await?.into_iter().map(alike).collect())
    }

    /// Reads the memories that are still current, with their cosines.
    async fn read_current(
        self,
        call: &Call<'_>,
        cosines: &[(MemoryId, f32)],
    ) -> Result<Vec<(Memory, f32)>, Failure> {
        let ids: Vec<MemoryId> =
            cosines.iter().map(|(id, _)| *id).take(limits::PAGE_ITEMS).collect();
        let cosine_of: HashMap<MemoryId, f32> = cosines.iter().copied().collect();
        let memories = self.core.still_current(call, &ids, &StatusFilter::Current).await?;
        let with_cosine = |memory: Memory| {
            let cosine = cosine_of.get(&memory.id).copied().unwrap_or_default();
            (memory, cosine.clamp(0.0, 1.0))
        };
        Ok(memories.into_iter().map(with_cosine).collect())
    }
}

fn filter_of(call: &Call<'_>, input: &SimilarRequest) -> Filter {
    let kinds = input.kinds.iter().map(|kind| kind.trim().to_lowercase()).collect();
    Filter { kinds, ..call.filter() }
}

fn check_vector(vector: &[f32], dimensions: usize) -> Result<(), Failure> {
    if vector.len() != dimensions {
        let message =
            format!("the vector has {} dimensions; this memory has {dimensions}", vector.len());
        return Err(Failure::invalid(message));
    }
    if !vector.iter().all(|value| value.is_finite()) || vector.iter().all(|value| *value == 0.0) {
        return Err(Failure::invalid("the vector has no direction: it is all zeros or not finite"));
    }
    Ok(())
}

// A noisy-or of both: either one alone is enough, and together they give more than each.
fn by_words_and_meaning(memory: Memory, cosine: f32, terms: &[String]) -> SimilarMemory {
    let shared = shared_terms(terms, &memory);
    let words = shared.len() as f32 / terms.len().max(1) as f32;
    SimilarMemory { similarity: 1.0 - (1.0 - words) * (1.0 - cosine), words, shared, memory }
}

/// Returns the terms that a memory contains, ignoring endings.
pub(crate) fn shared_terms(terms: &[String], memory: &Memory) -> Vec<String> {
    let said = format!("{} {}", memory.title.as_deref().unwrap_or(""), memory.text);
    terms_in(terms, &said).cloned().collect()
}

/// Returns the share of the terms that a text contains, ignoring endings.
pub(crate) fn term_coverage(terms: &[String], text: &str) -> f32 {
    terms_in(terms, text).count() as f32 / terms.len().max(1) as f32
}

fn terms_in<'t>(terms: &'t [String], text: &str) -> impl Iterator<Item = &'t String> {
    let stem = |term: &String| reading::light_stem(term).to_owned();
    let said: HashSet<String> = reading::content_terms(text).iter().map(stem).collect();
    terms.iter().filter(move |term| said.contains(reading::light_stem(term)))
}
