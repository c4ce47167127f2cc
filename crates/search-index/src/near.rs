//! Memories that lack a word of the question and hold one that says nearly the same.

use crate::{Bm25, Doc, View};

/// A term of a question, with those that say nearly the same.
#[derive(Debug, Clone, PartialEq)]
pub struct NearTerms {
    /// The term as the index knows it.
    pub term: String,
    /// The other terms, and how near each of them is, up to 1.
    pub near: Vec<(&'static str, f32)>,
}

impl View {
    /// What each of some memories, given in order, gets for terms near to those that it lacks: of
    /// what the term could bring, or the near one if that is less, as much as it is near. The
    /// nearest counts.
    #[must_use]
    pub fn near_scores(&self, terms: &[&NearTerms], bm25: &Bm25, docs: &[Doc]) -> Vec<f32> {
        let mut scores = vec![0.0; docs.len()];
        for asked in terms {
            let best = self.best_near(asked, docs);
            scores.iter_mut().zip(best).for_each(|(score, best)| *score += (bm25.k1 + 1.0) * best);
        }
        scores
    }

    /// What the nearest of the terms that each memory holds is worth; 0 where it holds the term
    /// itself, or none.
    fn best_near(&self, asked: &NearTerms, docs: &[Doc]) -> Vec<f32> {
        let mut best = vec![0.0_f32; docs.len()];
        let asked_for = self.rarity(&asked.term);
        for &(term, nearness) in &asked.near {
            let worth = nearness * asked_for.min(self.rarity(term));
            self.postings.list(term).look_up(docs, |nth, _| best[nth] = best[nth].max(worth));
        }
        self.postings.list(&asked.term).look_up(docs, |nth, _| best[nth] = 0.0);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, Facts, Field};
    use model::{MemoryId, Moment, Seq};

    fn view(texts: &[&str]) -> View {
        let mut view = View::new(None);
        for (id, text) in (1..).zip(texts) {
            let mut entry = Entry::new(Facts::note(MemoryId(id), Moment(0)));
            entry.texts = vec![(Field::Text, text)];
            view.apply([entry], [], Seq(id));
        }
        view
    }

    #[test]
    fn the_nearest_term_counts_where_the_term_itself_is_missing() {
        let view = view(&["a boat", "a ship", "a ship and a raft", "a raft", "tea"]);
        let docs: Vec<Doc> = (1..=5).filter_map(|id| view.doc(MemoryId(id))).collect();
        let asked = NearTerms {
            term: "boat".into(),
            near: vec![("ship", 0.8), ("raft", 0.5), ("yacht", 0.9)],
        };
        let scores = view.near_scores(&[&asked], &Bm25::default(), &docs);
        assert_eq!(scores[0], 0.0, "it holds the word itself");
        assert!(scores[1] > scores[3] && scores[3] > 0.0, "{scores:?}");
        assert_eq!(scores[1], scores[2]);
        assert_eq!(scores[4], 0.0);
    }
}
