//! The place of a statistical estimate in a comparison. Rules prove; an estimate only asks: it may
//! turn an unrelated pair into a likely change or a likely change into an unrelated pair, but
//! nothing becomes sure or the same by it, so that it hides, replaces and deletes nothing.

use super::claim::is_claim;
use super::{
    Certainty, LazyText, ParsedText, StatementKind, StatementRelation as R, TextComparison,
};

/// Lowest probability at which a pair that the rules do not relate counts as a likely change.
// Wrong reviews cost more trust than missed ones.
const ASKED_FROM: f32 = 0.9;

/// The same for texts that have half of their words in common: they may be about siblings. With
/// several numbers it is not asked at all, since the rules know which of them names a sibling.
const ASKED_FROM_IN_SAME_WORDS: f32 = 0.95;

/// Probability below which a likely change by the rules counts as unrelated.
const DISMISSED_BELOW: f32 = 0.15;

/// Probability below which a sure change by the rules is only likely.
const DOUBTED_BELOW: f32 = 0.3;

/// Maximum number of sentences of a text that an estimate is made for.
const ESTIMATED_SENTENCES_MAX: usize = 2;

impl LazyText<'_> {
    /// Returns the lowest estimate that makes a likely change of the comparison with an earlier
    /// text, or `None` if no estimate can alter it. Two occasions never change each other, whatever
    /// they have in common, and neither do questions, small talk, what one person does here and
    /// there, and texts without a word in common; a change that the rules see in those may still
    /// be doubted. Of scripts that no text of the training has, nothing is known.
    #[must_use]
    pub fn asked_from(&self, earlier: &LazyText<'_>, by_rules: &TextComparison) -> Option<f32> {
        let is_trained = is_in_trained_script(self.parsed().text);
        if !is_trained || !is_in_trained_script(earlier.parsed().text) {
            return None;
        }
        match by_rules.relation {
            R::ChangedValue => Some(ASKED_FROM),
            R::Unrelated | R::OtherEvent | R::Paraphrase => {
                let may_change =
                    self.shares_word(earlier) && self.parsed().may_change(earlier.parsed());
                may_change.then(|| self.bound_by_wording(earlier)).flatten()
            }
            R::Same | R::MoreDetailed | R::Opposite | R::Reversed => None,
        }
    }

    fn bound_by_wording(&self, earlier: &LazyText<'_>) -> Option<f32> {
        let numbers = |text: &LazyText<'_>| {
            text.parsed().text.split_whitespace().filter(|it| it.contains(char::is_numeric)).count()
        };
        match self.is_closely_worded(earlier) {
            false => Some(ASKED_FROM),
            true if numbers(self).min(numbers(earlier)) > 1 => None,
            true => Some(ASKED_FROM_IN_SAME_WORDS),
        }
    }
}

/// Returns true if all letters of a text are of scripts that estimates were trained on: Latin,
/// Cyrillic, Chinese, Japanese and Korean.
fn is_in_trained_script(text: &str) -> bool {
    let is_trained = |letter: char| {
        matches!(letter,
            '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' // Latin
            | '\u{400}'..='\u{52f}' // Cyrillic
            | '\u{1100}'..='\u{11ff}' | '\u{3000}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
            | '\u{ff00}'..='\u{ffef}')
    };
    text.chars().all(|letter| !letter.is_alphabetic() || is_trained(letter))
}

impl ParsedText<'_> {
    fn may_change(&self, earlier: &ParsedText<'_>) -> bool {
        let events = [self, earlier].iter().all(|text| text.kind() == StatementKind::Event);
        !events
            && self.states_something()
            && earlier.states_something()
            && !self.shares_full_name(earlier)
    }

    /// Returns true if both texts have the same two names one behind the other. Most of what is
    /// told of a person is one fact of many, and the network takes it for their one occupation.
    fn shares_full_name(&self, earlier: &ParsedText<'_>) -> bool {
        let names: Vec<[&str; 2]> = earlier.full_names().collect();
        self.full_names().any(|name| names.contains(&name))
    }

    fn full_names(&self) -> impl Iterator<Item = [&str; 2]> {
        let pairs = self.statements.iter().flat_map(|statement| statement.tokens.windows(2));
        pairs.filter_map(|pair| match pair {
            [one, two] if (one.is_name() || one.opens) && two.is_name() => {
                Some([one.key.as_str(), two.key.as_str()])
            }
            _ => None,
        })
    }

    /// Returns true for one sentence that does not ask, and for few that all claim something.
    fn states_something(&self) -> bool {
        match &self.statements[..] {
            // A semicolon joins two claims, and the network has seen no such sentence.
            [one] => !one.question && !self.text.contains(';'),
            several => several.len() <= ESTIMATED_SENTENCES_MAX && several.iter().all(is_claim),
        }
    }
}

impl TextComparison {
    /// Returns the comparison in view of the probability that the later text gives another value to
    /// what the earlier one states, and of the lowest one that counts as a likely change.
    #[must_use]
    pub fn with_change_probability(self, probability: f32, asked_from: f32) -> Self {
        match self.relation {
            R::ChangedValue
                if probability < DISMISSED_BELOW && self.certainty == Certainty::Likely =>
            {
                Self { relation: R::Unrelated, differences: Vec::new(), ..self }
            }
            R::ChangedValue if probability < DOUBTED_BELOW => {
                Self { certainty: Certainty::Likely, ..self }
            }
            R::Unrelated | R::OtherEvent | R::Paraphrase if probability >= asked_from => Self {
                relation: R::ChangedValue,
                certainty: Certainty::Likely,
                differences: Vec::new(),
                ..self
            },
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare;

    fn asked_from(earlier: &str, later: &str) -> Option<f32> {
        let (earlier, later) = (LazyText::new(earlier), LazyText::new(later));
        later.asked_from(&earlier, &later.parsed().compare_with(earlier.parsed()))
    }

    fn estimated(earlier: &str, later: &str, probability: f32) -> (R, Certainty) {
        let comparison = compare(earlier, later).with_change_probability(probability, ASKED_FROM);
        (comparison.relation, comparison.certainty)
    }

    #[test]
    fn a_probable_change_that_the_rules_miss_is_asked_about_and_never_sure() {
        let (earlier, later) =
            ("My commute is 40 minutes.", "It takes me an hour to get to the office.");
        assert_eq!(compare(earlier, later).relation, R::Unrelated);
        assert_eq!(estimated(earlier, later, 1.0), (R::ChangedValue, Certainty::Likely));
        assert_eq!(estimated(earlier, later, 0.5).0, R::Unrelated);
    }

    #[test]
    fn an_improbable_change_is_asked_about_if_the_rules_are_sure_and_dismissed_if_not() {
        let (earlier, later) = ("The rent is 900 euros.", "The rent went up to 980 euros.");
        assert_eq!(compare(earlier, later).certainty, Certainty::Sure);
        assert_eq!(estimated(earlier, later, 0.0), (R::ChangedValue, Certainty::Likely));
        assert_eq!(estimated(earlier, later, 0.9), (R::ChangedValue, Certainty::Sure));
        let (earlier, later) = ("Stand-up is at 9:30.", "The stand-up starts at 10:15.");
        assert_eq!(compare(earlier, later).certainty, Certainty::Likely);
        assert_eq!(estimated(earlier, later, 0.0).0, R::Unrelated);
    }

    #[test]
    fn no_estimate_makes_texts_the_same_or_alters_those_that_are() {
        let same = ("Standup: 9:30 am", "Standup: 09:30");
        assert_eq!(estimated(same.0, same.1, 1.0).0, R::Same);
        assert_ne!(estimated("Ana lent Bob 50 euros.", "Bob lent Ana 50 euros.", 1.0).0, R::Same);
    }

    #[test]
    fn two_occasions_are_never_open_to_an_estimate() {
        assert_eq!(asked_from("Ran 5 km this morning.", "Ran 8 km this morning."), None);
        let open = asked_from("Our family has been driving a Clio.", "Sold the Clio in May.");
        assert_eq!(open, Some(ASKED_FROM));
    }

    #[test]
    fn what_one_person_does_here_and_there_is_not_open_to_an_estimate() {
        let servers = "Jonas Weber looks after the servers in the cellar.";
        assert_eq!(asked_from(servers, "Jonas Weber moved the DNS to Cloudflare."), None);
        assert!(asked_from(servers, "The servers in the cellar are Priya's now.").is_some());
    }

    #[test]
    fn two_claims_in_one_sentence_are_not_open_to_an_estimate() {
        let later = "The second studio opens in Porto; its kilns are gas.";
        assert_eq!(asked_from("The Porto kilns report over MQTT.", later), None);
    }

    #[test]
    fn texts_without_a_word_in_common_are_not_open_to_an_estimate() {
        let lunch = "Lunch at the office is on Fridays.";
        assert_eq!(asked_from(lunch, "We ship to Norway these days."), None);
        let needed = asked_from("Stand-up is at nine in Malmö.", "The stand-up begins at ten.");
        assert_eq!(needed, Some(ASKED_FROM));
    }

    #[test]
    fn texts_in_a_script_without_training_are_not_open_to_an_estimate() {
        let bikes = (
            "اشترينا الدراجة الحمراء من متجر شارع الجامعة.",
            "الدراجة الزرقاء تحتاج إلى مكابح جديدة.",
        );
        assert_eq!(asked_from(bikes.0, bikes.1), None);
        assert!(asked_from("Дедлайн в пятницу.", "Сдаём дедлайн в среду.").is_some());
        assert!(asked_from("会议在三楼举行。", "会议改到五楼的大厅了。").is_some());
    }

    #[test]
    fn texts_in_the_same_words_need_a_higher_estimate() {
        for (earlier, later) in [
            ("Alpha keeps its logs in Oslo.", "Beta keeps its logs in Turin."),
            ("Alpha keeps its logs 30 days.", "Beta keeps its logs 90 days."),
        ] {
            assert_eq!(asked_from(earlier, later), Some(ASKED_FROM_IN_SAME_WORDS), "{later}");
        }
    }

    #[test]
    fn numbered_texts_in_the_same_words_are_left_to_the_rules() {
        for (earlier, later) in [
            ("Shelf 10 holds jar 70.", "Shelf 30 holds jar 10."),
            ("web-1 listens on port 8080", "web-2 listens on port 8081"),
        ] {
            assert_eq!(asked_from(earlier, later), None, "{later}");
        }
    }

    #[test]
    fn small_talk_is_not_open_to_an_estimate() {
        let bread = "I bake bread on Sundays.";
        assert_eq!(asked_from("I'm thinking of a shortcake. Is that hard?", bread), None);
        assert_eq!(
            asked_from("Do we deploy on Tuesdays?", "The shop is deployed on Fridays."),
            None
        );
        let moved = "We sold the flat in Porto. We live in Braga.";
        assert!(asked_from("We live in Porto.", moved).is_some());
    }
}
