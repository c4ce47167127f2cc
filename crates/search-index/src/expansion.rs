//! Query expansion: scores for memories that lack a query term but contain a similar one.

use crate::{Bm25, DocId, View};

/// A query term together with terms of nearly the same meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct TermExpansion {
    /// Stemmed form, as in the index.
    pub term: String,
    /// Similar terms, stemmed, each with its similarity up to 1.
    pub similar: Vec<(&'static str, f32)>,
}

impl View {
    /// Returns for each document, given in ascending order, the score of similar terms that stand
    /// in for query terms it lacks: the lower IDF of the two, scaled by their similarity. Only the
    /// best similar term counts.
    #[must_use]
    pub fn expansion_scores(
        &self,
        terms: &[&TermExpansion],
        bm25: &Bm25,
        docs: &[DocId],
    ) -> Vec<f32> {
        let mut scores = vec![0.0; docs.len()];
        for expansion in terms {
            let best = self.best_expansion(expansion, docs);
            scores.iter_mut().zip(best).for_each(|(score, best)| *score += (bm25.k1 + 1.0) * best);
        }
        scores
    }

    /// Returns for each document the weight of the best similar term it contains; 0 where it
    /// contains the query term itself, or none of them.
    fn best_expansion(&self, expansion: &TermExpansion, docs: &[DocId]) -> Vec<f32> {
        let mut best = vec![0.0_f32; docs.len()];
        let term_idf = self.term_idf(&expansion.term);
        for &(term, similarity) in &expansion.similar {
            let weight = similarity * term_idf.min(self.term_idf(term));
            self.postings
                .posting_list(term)
                .look_up(docs, |nth, _| best[nth] = best[nth].max(weight));
        }
        // Last, so that it overrules the similar terms: BM25 has scored these documents already.
        self.postings.posting_list(&expansion.term).look_up(docs, |nth, _| best[nth] = 0.0);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DocFacts, IndexEntry, IndexField};
    use model::{MemoryId, Moment, Seq};

    fn view(texts: &[&str]) -> View {
        let mut view = View::new(None);
        for (id, text) in (1..).zip(texts) {
            let mut entry = IndexEntry::new(DocFacts::note(MemoryId(id), Moment(0)));
            entry.texts = vec![(IndexField::Text, text)];
            view.apply([entry], [], Seq(id));
        }
        view
    }

    #[test]
    fn the_most_similar_term_counts_where_the_term_itself_is_missing() {
        let view = view(&["a boat", "a ship", "a ship and a raft", "a raft", "tea"]);
        let docs: Vec<DocId> = (1..=5).filter_map(|id| view.doc(MemoryId(id))).collect();
        let expansion = TermExpansion {
            term: "boat".into(),
            similar: vec![("ship", 0.8), ("raft", 0.5), ("yacht", 0.9)],
        };
        let scores = view.expansion_scores(&[&expansion], &Bm25::PRODUCTION, &docs);
        assert_eq!(scores[0], 0.0, "it contains the word itself");
        assert!(scores[1] > scores[3] && scores[3] > 0.0, "{scores:?}");
        assert_eq!(scores[1], scores[2]);
        assert_eq!(scores[4], 0.0);
    }
}
