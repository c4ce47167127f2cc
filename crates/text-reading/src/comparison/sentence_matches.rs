//! Comparison of texts of several sentences: each sentence of the earlier text is matched with its
//! nearest in the later one, and one match decides. A note that repeats its other sentences was
//! written again, and any sentence of it can decide; in running text only claims can.

use super::claim::is_claim;
use super::clauses::decide_clauses;
use super::decide::StatementVerdict;
use super::statement::{Statement, StatementKind};
use super::{Certainty, StatementRelation as R, TextComparison, TextDifference};

/// A sentence of the earlier text with its nearest in the later one.
struct SentenceMatch {
    /// Index of the later sentence.
    later: usize,
    verdict: StatementVerdict,
    /// True if both sentences are claims.
    claimed: bool,
}

impl SentenceMatch {
    fn is(&self, relation: R) -> bool {
        self.verdict.relation == relation
    }

    /// Returns true if the sentences cannot both hold.
    fn conflicts(&self) -> bool {
        matches!(self.verdict.relation, R::ChangedValue | R::Opposite | R::Reversed)
    }

    /// Returns true if a conflict in running text is more than a likeness of phrases.
    fn is_plain_conflict(&self) -> bool {
        let certain = self.is(R::ChangedValue) || self.verdict.certainty == Certainty::Sure;
        self.claimed && self.verdict.anchored && (certain || self.verdict.tells_change)
    }
}

/// Matches of the sentences of two texts.
pub(super) struct SentenceMatches {
    matches: Vec<SentenceMatch>,
    /// Number of sentences of the later text.
    later: usize,
    /// True if the earlier text has every sentence of the later one.
    contained: bool,
    /// True if both texts begin with an occasion.
    occasions: bool,
}

impl SentenceMatches {
    /// Matches the sentences of two texts, of which each has at least one.
    pub fn find(earlier: &[Statement], later: &[Statement]) -> Self {
        let claims: Vec<bool> = later.iter().map(is_claim).collect();
        let mut repeated = vec![false; later.len()];
        let nearest = |one: &Statement| {
            let claim = is_claim(one);
            let pairs = later.iter().zip(&mut repeated).enumerate();
            let matches = pairs.map(|(at, (other, repeated))| {
                let verdict = decide_clauses(one, other);
                *repeated |= verdict.relation == R::Same;
                SentenceMatch { later: at, verdict, claimed: claim && claims[at] }
            });
            matches.min_by_key(|one| (closeness(one.verdict.relation), !one.is_plain_conflict()))
        };
        let matches = earlier.iter().filter_map(nearest).collect();
        let event = |text: &[Statement]| text[0].kind == StatementKind::Event;
        let occasions = event(earlier) && event(later);
        let contained = repeated.iter().all(|repeated| *repeated);
        Self { matches, later: later.len(), contained, occasions }
    }

    /// Returns the relation of the two texts.
    pub fn comparison(self) -> TextComparison {
        let decisive = self.decisive();
        let (relation, certainty) = self.relation(decisive);
        let covers_earlier = self.count(R::Same) + 1 >= self.matches.len()
            && self.matches.iter().all(|one| one.verdict.covers_earlier);
        let tells_change = self.matches.iter().any(|one| one.verdict.tells_change);
        let conflict = decisive.filter(|one| one.is(relation));
        let differing = |one: &&SentenceMatch| !one.is(R::Same);
        let shown: Vec<&SentenceMatch> = match conflict {
            Some(one) => vec![one],
            None => self.matches.iter().filter(differing).collect(),
        };
        let ranges = shown.into_iter().flat_map(|one| one.verdict.differences.clone());
        let differences = ranges.map(|(earlier, later)| TextDifference { earlier, later });
        let differences = differences.collect();
        TextComparison { relation, certainty, differences, tells_change, covers_earlier }
    }

    fn count(&self, relation: R) -> usize {
        self.matches.iter().filter(|one| one.is(relation)).count()
    }

    /// Returns the match whose sentences cannot both hold.
    fn decisive(&self) -> Option<&SentenceMatch> {
        let same = self.count(R::Same);
        let restated = same > 0 && same + 1 == self.matches.len();
        let decides =
            |one: &&SentenceMatch| one.conflicts() && (restated || one.is_plain_conflict());
        self.matches.iter().find(decides)
    }

    fn relation(&self, decisive: Option<&SentenceMatch>) -> (R, Certainty) {
        let (same, all) = (self.count(R::Same), self.matches.len());
        let ordered = self.matches.windows(2).all(|two| two[0].later < two[1].later);
        match decisive.map(|one| &one.verdict) {
            _ if same == all && self.later == all && ordered => (R::Same, Certainty::Sure),
            _ if same == all || self.contained => (R::MoreDetailed, Certainty::Likely),
            _ if self.occasions => (R::OtherEvent, Certainty::Likely),
            // The other sentences must be repeated, or they would be lost with the changed one.
            Some(verdict) if same + 1 == all => (verdict.relation, verdict.certainty),
            Some(verdict) => (verdict.relation, Certainty::Likely),
            None if self.count(R::Paraphrase) + same == all => (R::Paraphrase, Certainty::Likely),
            None if self.count(R::MoreDetailed) + same == all => {
                (R::MoreDetailed, Certainty::Likely)
            }
            None if self.count(R::OtherEvent) > 0 => (R::OtherEvent, Certainty::Likely),
            None => (R::Unrelated, Certainty::Likely),
        }
    }
}

/// Returns the order in which relations are preferred when a sentence has several counterparts.
fn closeness(relation: R) -> usize {
    R::ALL.iter().position(|one| *one == relation).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::{StatementRelation as R, compare};

    fn conflicts(earlier: &str, later: &str) -> bool {
        matches!(compare(earlier, later).relation, R::ChangedValue | R::Opposite | R::Reversed)
    }

    /// Two messages with a sentence each of which a phrase differs, from a conversation.
    const PASSING: [(&str, &str); 14] = [
        ("Take care, Sam! I'll catch up with you later.", "Take care, buddy. Hang in there!"),
        ("Caroline, congrats! So proud of you.", "Congrats, Caroline! Adoption sounds awesome."),
        ("Thanks, Evan! That helps a lot.", "Great chatting. Thanks for always being there, Evan."),
        (
            "It's a lot. Let's plan a hike soon.",
            "Awesome, Sam! Let's plan a painting session soon!",
        ),
        (
            "It's always been calming and fun. You should come along.",
            "Haven't tried it yet, but it looks like a fun way to relax. Thanks!",
        ),
        (
            "I'm looking for some book recommendations. Any ideas?",
            "I'm looking for some advice on mentoring our intern. Can you help?",
        ),
        (
            "I'm thinking of making a strawberry shortcake. Is that hard?",
            "I'm thinking of using a sourdough starter instead. It was fun last time.",
        ),
        (
            "I'm super proud of you. Keep going!",
            "It's tough, but I'm proud of how you handle it. You'll get there.",
        ),
        (
            "Sorry to hear that, Sam. How are you?",
            "Sorry to hear that things haven't been going well. What happened?",
        ),
        (
            "I'll check online for a suitable route. Thanks!",
            "I'll check online for water fountains along my route. Anything else?",
        ),
        (
            "Can I use tea tree oil on scars?",
            "Can tea tree oil be used on the feet, or is it only for the scalp?",
        ),
        (
            "Making small changes can have a big impact later on. What do you think?",
            "Wow! Making small changes can really help you live a healthier life.",
        ),
        ("That's awesome, Caro! What's next?", "That's awesome, Caroline! You must be so happy."),
        (
            "If you have any questions or need guidance, feel free to ask. Good luck!",
            "If you have any questions or need assistance, feel free to ask. Enjoy!",
        ),
    ];

    #[test]
    fn small_talk_plans_and_moods_do_not_change_each_other() {
        for (one, other) in PASSING {
            assert!(!conflicts(one, other), "{one} / {other}");
            assert!(!conflicts(other, one), "{other} / {one}");
        }
    }

    #[test]
    fn a_change_that_a_message_tells_is_noticed() {
        for (earlier, later) in [
            (
                "Nice to meet you! I live in Porto.",
                "Guess what? I moved to Lisbon last week. Love it!",
            ),
            ("I live in Porto.", "Hey Sam! Long time no see. I moved to Lisbon last week."),
            (
                "We use Postgres for the shop. It works well.",
                "Quick update for you. We switched from Postgres to SQLite for the shop.",
            ),
            (
                "I go to the gym on Tuesdays. Any tips?",
                "That helps, thanks! I go to the gym on Fridays now.",
            ),
            ("My manager is Tom. He is great.", "Big news! My manager is Sofia now. How are you?"),
            (
                "The rate limit is 100 requests per minute. Please keep it in mind.",
                "Hi all! We raised the rate limit to 300 requests per minute.",
            ),
            ("I drink coffee. You?", "Thanks! I no longer drink coffee. Bye!"),
            ("My manager is Tom. You?", "Oh, by the way, my manager is Sofia now. See you!"),
        ] {
            assert!(conflicts(earlier, later), "{earlier} / {later}");
        }
    }

    #[test]
    fn a_note_that_is_written_again_may_change_in_any_sentence() {
        let (earlier, later) = ("It listens on 8080. Ask Ana.", "It listens on 9090. Ask Ana.");
        assert_eq!(compare(earlier, later).relation, R::ChangedValue);
    }

    #[test]
    fn the_difference_of_two_messages_is_that_of_the_deciding_sentences() {
        let earlier = "Morning! The rate limit is 100 requests per minute.";
        let later = "Thanks a lot. The rate limit is 300 requests per minute. See you!";
        let told = compare(earlier, later).describe(earlier, later);
        assert_eq!(told, "\"100\" in one, \"300\" in the other");
    }
}
