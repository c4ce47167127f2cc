//! Similarity search: by words and meaning of a text, or by the cosine of a vector. A similarity is
//! between 0 and 1 and comparable across questions, so that callers can set a minimum.

use crate::Memories;
use crate::search_words::SearchWords;
use embed::Calibration;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::derived::is_extract;
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use index::{DocId, Filter, QueryVector, SearchHit, StatusFilter, View};
use model::{Failure, Memory, MemoryId, Permission, limits};
use recall::{RankedMemory, RecallQuery};
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
    /// Returns the most similar memories, best first; none for an empty text.
    ///
    /// # Errors
    /// `invalid_argument` when a vector has the wrong number of dimensions.
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
            let alike = call.show_similar(alike, input.limit, input.sources_only).await?;
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
    ) -> Result<Vec<SimilarDocument>, Failure> {
        let request = SearchRequest::new(call, text, SearchModes::default())?;
        // Nothing resembles nothing.
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let question = request.question(call).await?;
        let view = self.core.view(&call.caller.owner).await?;
        let words = SearchWords::parse(text);
        // The ranking only selects candidates. It includes neighbouring messages, which say nothing
        // about the similarity of the memory itself.
        Ok(view.read(|view| {
            let mut ranked = request.rank(view, &question, &filter_of(call, input));
            ranked.sort_unstable_by_key(|one| one.doc);
            let mut alike = SimilarDocument::compare(view, &question, &words, &ranked);
            // Pairs of characters are a coarse measure of words, so where a script has no spaces
            // the ranking's own scale counts too: whatever a recall finds by them is similar.
            if reading::has_spaceless_script(text) {
                let found = alike.iter_mut().zip(&ranked);
                for (one, ranked) in found.filter(|(one, _)| !one.shared.is_empty()) {
                    one.similarity = one.similarity.max(request.similarity(ranked));
                }
            }
            without_meaningless(call, text, alike)
        }))
    }

    async fn similar_to_vector(
        self,
        call: &Call<'_>,
        input: &SimilarRequest,
        vector: &[f32],
    ) -> Result<Vec<SimilarDocument>, Failure> {
        check_vector(vector, self.dimensions())?;
        let view = self.core.view(&call.caller.owner).await?;
        Ok(view.read(|view| {
            let within = view.filter(&filter_of(call, input), call.at);
            let (mut unflagged, mut flagged) = (within.clone(), within);
            unflagged.retain(|doc| view.facts(doc).flags == 0);
            flagged.retain(|doc| view.facts(doc).flags > 0);
            // Searched separately, so that flagged memories do not take places from the others.
            let nearest = |among| {
                view.nearest(&QueryVector::new(vector), among, input.limit.min(limits::PAGE_ITEMS))
            };
            let alike = |(is_flagged, hit): (bool, SearchHit)| {
                let cosine = hit.score.clamp(0.0, 1.0);
                let (words, shared) = (0.0, Vec::new());
                SimilarDocument {
                    id: hit.id,
                    is_flagged,
                    similarity: cosine,
                    cosine,
                    words,
                    shared,
                }
            };
            [(false, &unflagged), (true, &flagged)]
                .into_iter()
                .flat_map(|(is_flagged, among)| {
                    nearest(among).into_iter().map(move |hit| (is_flagged, hit))
                })
                .map(alike)
                .collect()
        }))
    }
}

/// A similar memory before it is read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SimilarDocument {
    pub id: MemoryId,
    pub is_flagged: bool,
    /// Between 0 and 1.
    pub similarity: f32,
    /// Cosine to the question, 0 to 1; 0 without a vector.
    pub cosine: f32,
    /// Share of the question's words that it contains, 0 to 1.
    pub words: f32,
    /// Words of the question that it contains.
    pub shared: Vec<String>,
}

impl SimilarDocument {
    /// Compares ranked memories, given by ascending document, with a question.
    pub fn compare(
        view: &View,
        question: &RecallQuery,
        words: &SearchWords,
        ranked: &[RankedMemory],
    ) -> Vec<Self> {
        let docs: Vec<DocId> = ranked.iter().map(|one| one.doc).collect();
        let cosines = match question.vector.as_deref() {
            Some(vector) => view.cosines(&docs, &QueryVector::new(vector)),
            None => vec![None; docs.len()],
        };
        let shared = words.stated_in(view, &docs);
        let alike = |((one, cosine), shared): ((&RankedMemory, Option<f32>), Vec<String>)| {
            let cosine = cosine.unwrap_or_default().clamp(0.0, 1.0);
            let words = shared.len() as f32 / words.len().max(1) as f32;
            // A noisy-or of both: either one alone is enough, and together they give more than
            // each.
            let similarity = 1.0 - (1.0 - words) * (1.0 - cosine);
            let is_flagged = view.facts(one.doc).flags > 0;
            Self { id: one.id, is_flagged, similarity, cosine, words, shared }
        };
        ranked.iter().zip(cosines).zip(shared).map(alike).collect()
    }

    fn with_memory(self, memory: Memory) -> SimilarMemory {
        let Self { similarity, words, shared, .. } = self;
        SimilarMemory { memory, similarity, words, shared }
    }
}

/// Reads the best of some similar memories.
pub(crate) trait ShowSimilar {
    /// Returns the best that are still current, flagged ones last, here as in every search.
    async fn show_similar(
        &self,
        alike: Vec<SimilarDocument>,
        limit: usize,
        sources_only: bool,
    ) -> Result<Vec<SimilarMemory>, Failure>;
}

impl ShowSimilar for Call<'_> {
    async fn show_similar(
        &self,
        mut alike: Vec<SimilarDocument>,
        limit: usize,
        sources_only: bool,
    ) -> Result<Vec<SimilarMemory>, Failure> {
        let limit = limit.min(limits::PAGE_ITEMS);
        alike.sort_by(|a, b| {
            (a.is_flagged.cmp(&b.is_flagged)).then(b.similarity.total_cmp(&a.similarity))
        });
        let (mut shown, mut rest) = (Vec::new(), alike.into_iter());
        while shown.len() < limit {
            // Only what is shown is read; more of it only if something is left out.
            let some: Vec<SimilarDocument> = rest.by_ref().take(limit - shown.len()).collect();
            if some.is_empty() {
                break;
            }
            let ids: Vec<MemoryId> = some.iter().map(|one| one.id).collect();
            let current = self.core.still_current(self, &ids, &StatusFilter::Current).await?;
            let mut memories: HashMap<MemoryId, Memory> =
                current.into_iter().map(|memory| (memory.id, memory)).collect();
            for one in some {
                let read = memories.remove(&one.id);
                let wanted = read.filter(|memory| !(sources_only && is_extract(memory)));
                shown.extend(wanted.map(|memory| one.with_memory(memory)));
            }
        }
        Ok(shown)
    }
}

/// Leaves out what has no word in common with a question in a script without spaces. The bundled
/// model is weaker there: to it, Tokyo Tower is as similar to an office in Tokyo as a paraphrase.
pub(crate) fn without_meaningless(
    call: &Call<'_>,
    text: &str,
    mut alike: Vec<SimilarDocument>,
) -> Vec<SimilarDocument> {
    let is_bundled = call.core.embedder().calibration() == Calibration::BUNDLED;
    if is_bundled && reading::has_spaceless_script(text) {
        alike.retain(|one| !one.shared.is_empty());
    }
    alike
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
    let said: HashSet<String> = reading::contained_terms(text).iter().map(stem).collect();
    terms.iter().filter(move |term| said.contains(reading::light_stem(term)))
}
