//! A change told of what the earlier statement is about, in quite other words: "the Lyon depot has
//! 14 vans", "after the review there are 9 vans left at the Lyon depot". The nouns in common and
//! the kind of the value decide, whatever the verbs are.

use super::conflict::{FrameDifference, is_asserted};
use super::decide::StatementPair;
use super::frame::{FramePart, FrameWord, StatementFrame};
use super::holder::have_other_holders;
use super::lexicon;
use super::statement::{StatementKind, Tense};
use super::tokens::is_unsegmented;
use super::value_nouns;

/// Maximum number of nouns that the earlier statement has for itself beside its value.
const OWN_NOUNS_MAX: usize = 1;
/// Fewest characters in common of two statements in a script without spaces.
const CHARACTERS_MIN: usize = 4;

impl StatementPair<'_> {
    /// Returns true if the later statement tells of a change and gives another value of the same
    /// kind to what the earlier one is about.
    pub fn is_told_anew(&self) -> bool {
        let explained =
            self.later.explained || self.later.clauses.iter().any(|clause| clause.explained);
        let told = self.later.changed || self.later.contrast || explained;
        let stated = is_asserted(self.earlier)
            && self.earlier.tense == Tense::Present
            && !self.earlier.changed
            && self.earlier.negations == 0;
        let tells = is_asserted(self.later) || explained && self.later.kind == StatementKind::Event;
        told && stated
            && tells
            && !have_other_holders(self.earlier, self.later)
            && (self.is_unsegmented() || !self.subjects_differ(self.overlap()))
            && !self.begins_elsewhere()
            && self.shares_subject_and_kind()
    }

    /// Returns true for a script without spaces, in which every character is a word.
    pub fn is_unsegmented(&self) -> bool {
        self.left.iter().any(|token| token.word.contains(is_unsegmented))
    }

    fn shares_subject_and_kind(&self) -> bool {
        let (left, right) = StatementFrame::read_both(self.earlier, self.later);
        let frames = FrameDifference::of(&left, &right);
        let subject = SubjectNouns::of(&left, &right, &frames);
        let anchored = match self.is_unsegmented() {
            true => subject.shared.len() >= CHARACTERS_MIN,
            false => subject.is_shared(),
        };
        if !anchored || subject.is_modified(&left, &right) || frames.purposes_differ() {
            return false;
        }
        if has_value(&left) || has_value(&right) {
            let corrected = self.later.contrast;
            return frames.values_differ(corrected) && !have_own_names(&left, &right);
        }
        // After an explanation alone, a name may be that of anything.
        let near = subject.shared.len() >= 2 || self.later.changed;
        near && left.only(&right).any(|word| word.is_holder() && !word.leads)
            && right.only(&left).any(FrameWord::is_holder)
    }
}

/// Nouns of the earlier statement that say what it is about.
struct SubjectNouns<'f, 's> {
    shared: Vec<&'f FrameWord<'s>>,
    /// Those that the later statement lacks.
    own: Vec<&'f FrameWord<'s>>,
    /// True if one of them stands before the predicate, in either statement.
    leads: bool,
    /// True if the later statement has one of them in the same words.
    repeated: bool,
}

impl<'f, 's> SubjectNouns<'f, 's> {
    fn of(
        left: &'f StatementFrame<'s>,
        right: &'f StatementFrame<'s>,
        frames: &FrameDifference<'_, '_>,
    ) -> Self {
        let (shared, own): (Vec<_>, Vec<_>) =
            left.words.iter().filter(|word| is_subject(word)).partition(|word| right.has(word));
        // "The fee" and "we pay" may be of anything.
        let repeats = |word: &FrameWord<'_>| {
            right.words.iter().any(|other| {
                let same = other.part != FramePart::Verb || other.token.key == word.token.key;
                other.key == word.key && same
            })
        };
        let repeated = shared.iter().any(|word| repeats(word));
        let leads = |word: &FrameWord<'_>| {
            word.leads || right.words.iter().any(|other| other.leads && other.key == word.key)
        };
        let leads = shared.iter().any(|word| leads(word));
        let tells = |word: &&FrameWord<'_>| !word.is_holder() && !frames.is_type_noun(word);
        Self { shared, own: own.into_iter().filter(tells).collect(), leads, repeated }
    }

    /// Returns true if most of them are in the later statement too.
    fn is_shared(&self) -> bool {
        let most = self.shared.len() >= 2 || self.leads && self.shared.len() > self.own.len();
        self.repeated && most && self.own.len() <= OWN_NOUNS_MAX
    }

    /// Returns true if another word modifies the same noun in each statement: "the staging
    /// cluster", "the production cluster".
    fn is_modified(&self, left: &StatementFrame<'_>, right: &StatementFrame<'_>) -> bool {
        self.own.iter().any(|word| {
            let same = |other: &FrameWord<'_>| other.next == word.next && is_subject(other);
            word.next.is_some() && right.only(left).any(same)
        })
    }
}

/// Returns true for a noun that says what a statement is about.
fn is_subject(word: &FrameWord<'_>) -> bool {
    let noun = matches!(word.part, FramePart::Subject | FramePart::Attribute | FramePart::Name);
    let anybody = value_nouns::is_anybody(&word.token.key) || lexicon::is_new(&word.token.word);
    noun && !anybody && !word.agent
}

fn has_value(frame: &StatementFrame<'_>) -> bool {
    frame.words.iter().any(|word| matches!(word.part, FramePart::Value(_)))
}

/// Returns true if each statement has a name that the other lacks.
fn have_own_names(left: &StatementFrame<'_>, right: &StatementFrame<'_>) -> bool {
    let named = |one: &StatementFrame<'_>, other: &StatementFrame<'_>| {
        one.only(other).any(|word| word.part == FramePart::Name && !word.agent)
    };
    named(left, right) && named(right, left)
}

#[cfg(test)]
mod tests {
    use super::super::{StatementRelation as R, compare};

    #[test]
    fn another_value_of_the_same_thing_in_other_words_is_a_change() {
        for (earlier, later) in [
            (
                "The Lyon depot has 14 vans.",
                "After the review there are 9 vans left at the Lyon depot.",
            ),
            (
                "The Henley quote is 18,400 pounds.",
                "We forgot the scaffolding, the Henley quote comes to 21,900 pounds.",
            ),
            (
                "Der Umzug ist am 14. März.",
                "Der Vermieter braucht länger, der Umzug ist am 28. März.",
            ),
            ("附件上限是10MB。", "附件上限提高到25MB。"),
        ] {
            assert_eq!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }

    #[test]
    fn news_of_something_else_is_no_change() {
        for (earlier, later) in [
            (
                "The staging cluster has 6 nodes.",
                "We scaled the production cluster down, it runs on 3 nodes.",
            ),
            ("The fee is 1,200 euros.", "We now pay 1,020 euros of rent."),
            (
                "The invoice from Marsh is due on 4 May.",
                "We paid the invoice from Brook, the receipt is dated 9 May.",
            ),
            (
                "The Lyon depot has 14 vans.",
                "After the review there are 9 drivers at the Lyon depot.",
            ),
        ] {
            assert_ne!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }
}
