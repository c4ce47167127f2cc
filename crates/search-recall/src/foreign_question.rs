//! Questions in another language than the memories. Hardly a word of theirs can occur there, so
//! that meaning decides.

use crate::RankingWeights;
use index::{DocSet, QueryTerm, QueryTerms, View};
use words::TextLanguage;

/// Factor of the share of the best passage: a paragraph has the answer in one sentence, and no word
/// says in which. Chosen on XQuAD; `docs/recall.md` has the figures.
const PASSAGE_FACTOR: f32 = 1.27;

/// Returns true if the memories are in another language than the question, so that its unknown
/// words say nothing: fewer than two thirds of its stop words occur in any, or, where it has none,
/// no word at all. A few occur in other languages too, such as "die" and "war". An English question
/// is never foreign: notes in keywords lack its stop words too.
pub(crate) fn is_foreign_question(view: &View, within: &DocSet, text: &str) -> bool {
    let is_latin = |c: char| !c.is_alphabetic() || c < '\u{250}';
    if TextLanguage::detect([text]).is_none() && text.chars().all(is_latin) {
        return false;
    }
    let terms = QueryTerms::parse(text).terms;
    let is_known = |term: &&QueryTerm| view.frequency_within(&term.text, within) > 0;
    let stops: Vec<&QueryTerm> = terms.iter().filter(|term| term.is_stop).collect();
    match stops.len() {
        0 => !terms.iter().any(|term| is_known(&term)),
        count => 3 * stops.into_iter().filter(is_known).count() < 2 * count,
    }
}

impl RankingWeights {
    /// Returns the weights for a question: those of a foreign one prefer the best passage, and do
    /// not look for results that cover other words, since none covers any.
    #[must_use]
    pub fn for_question(self, view: &View, within: &DocSet, text: &str) -> Self {
        match is_foreign_question(view, within, text) {
            true => Self { passage: self.passage * PASSAGE_FACTOR, diversity: 0.0, ..self },
            false => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confidence::tests::view_of;
    use model::Moment;

    const ENGLISH: [&str; 2] = ["The office is in Leeds.", "Priya plays the piano in the evening."];

    #[test]
    fn a_question_is_foreign_where_the_memories_lack_its_stop_words() {
        let german = ["Das Büro ist in Leeds, wo es kalt ist.", "Am Abend spielt Priya Klavier."];
        let russian = ["Офис в Лидсе, и он большой.", "Где ключ, я не знаю."];
        for (question, texts, expected) in [
            ("Wo ist das Büro von Jonas?", ENGLISH, true),
            ("Где офис Джонаса и он большой?", ENGLISH, true),
            ("Офис Джонаса", ENGLISH, true),
            ("Wo ist das Büro in Leeds?", german, false),
            ("Где офис Джонаса?", russian, false),
            ("What colour has Samira's bicycle?", german, false),
        ] {
            let view = view_of(&texts);
            let within = view.filter(&index::Filter::default(), Moment(0));
            assert_eq!(is_foreign_question(&view, &within, question), expected, "{question}");
        }
    }

    #[test]
    fn only_a_foreign_question_has_other_weights() {
        let view = view_of(&ENGLISH);
        let within = view.filter(&index::Filter::default(), Moment(0));
        let weights = RankingWeights::default();
        let own = weights.for_question(&view, &within, "Where is the office?");
        let foreign = weights.for_question(&view, &within, "Wo ist das Büro?");
        assert_eq!(own, weights);
        assert!(foreign.passage > weights.passage && foreign.passage < 1.0);
        assert_eq!(foreign.diversity, 0.0);
    }
}
