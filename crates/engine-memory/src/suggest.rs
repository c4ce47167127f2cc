//! Suggestions for something half remembered: memories with words that are spelt like those of the
//! question, and memories of a similar meaning. Whatever is neither is not suggested.

use crate::Memories;
use crate::search_words::SearchWords;
use crate::similar::{ShowSimilar, SimilarDocument, SimilarMemory, without_meaningless};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use index::{QueryTerms, View};
use model::{MemoryId, Permission};
use recall::RecallQuery;

/// Similarity in meaning from which a memory without any word of the question is suggested.
// Letters without a meaning reach 0.2 with any text, and questions in other words start at 0.35.
const MEANING_MIN: f32 = 0.3;

/// Input of [`Memories::suggest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestRequest {
    pub text: String,
    /// Capped at one page.
    pub limit: usize,
    /// Leaves out text that is derived from other memories.
    pub sources_only: bool,
}

impl<'e> Memories<'e> {
    /// Returns the memories that a half-remembered text may mean, best first; none for an empty
    /// text.
    ///
    /// # Errors
    /// Fails when the text is too long or the store cannot be read.
    pub fn suggest(
        self,
        caller: &'e Caller,
        input: &'e SuggestRequest,
    ) -> UseCaseFuture<'e, Vec<SimilarMemory>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                    .await?;
            let request = SearchRequest::new(&call, &input.text, SearchModes::default())?;
            if input.text.trim().is_empty() {
                return Ok(Vec::new());
            }
            let question = request.question(&call).await?;
            let view = call.view().await?;
            let alike = view.read(|view| nearest(view, &call, &request, (&input.text, question)));
            let alike = call.show_similar(alike, input.limit, input.sources_only).await?;
            let shown: Vec<MemoryId> = alike.iter().map(|one| one.memory.id).collect();
            call.note_shown(format!("suggested {}", shown.len()), &shown).await;
            Ok(alike)
        })
    }
}

fn nearest(
    view: &View,
    call: &Call<'_>,
    request: &SearchRequest,
    (text, mut question): (&str, RecallQuery),
) -> Vec<SimilarDocument> {
    let within = view.filter(&call.filter(), call.at);
    let mut words = SearchWords::parse(text);
    words.correct_spelling(view, &within);
    let corrected = QueryTerms::parse(&words.to_text());
    // The words as written stay: some of their terms may be known in another form.
    let known: Vec<String> = question.terms.terms.iter().map(|term| term.text.clone()).collect();
    let new = corrected.terms.into_iter().filter(|term| !known.contains(&term.text));
    question.terms.terms.extend(new);
    let mut ranked = request.rank_within(view, &question, &within);
    ranked.sort_unstable_by_key(|one| one.doc);
    let alike = SimilarDocument::compare(view, &question, &words, &ranked);
    let has_near_word = |doc: usize| ranked[doc].parts.near_words > 0.0;
    let meaning = |one: &SimilarDocument| question.cosine_scale.apply(one.cosine);
    let is_suggested = |(at, one): &(usize, SimilarDocument)| {
        !one.shared.is_empty() || has_near_word(*at) || meaning(one) >= MEANING_MIN
    };
    let suggested = alike.into_iter().enumerate().filter(is_suggested).map(|(_, one)| one);
    without_meaningless(call, text, suggested.collect())
}
