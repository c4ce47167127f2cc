//! A change told of what the earlier statement is about, in quite other words: "the Ghent warehouse
//! has 22 employees", "following the layoffs there are 15 people left at the Ghent warehouse". The
//! nouns in common and the kind of the value decide, whatever the verbs are.

use super::conflict::{FrameDifference, is_asserted};
use super::decide::StatementPair;
use super::frame::{FramePart, FrameWord, StatementFrame};
use super::holder::have_other_holders;
use super::lexicon;
use super::statement::Tense;
use super::value_nouns;

/// Maximum number of nouns that the earlier statement has for itself beside its value.
const OWN_NOUNS_MAX: usize = 1;

impl StatementPair<'_> {
    /// Returns true if the later statement tells of a change and gives another value of the same
    /// kind to what the earlier one is about.
    pub fn is_told_anew(&self) -> bool {
        let told = self.later.changed || self.later.contrast;
        let stated = is_asserted(self.earlier)
            && self.earlier.tense == Tense::Present
            && !self.earlier.changed
            && self.earlier.negations == 0;
        told && stated
            && is_asserted(self.later)
            && !have_other_holders(self.earlier, self.later)
            && !self.subjects_differ(self.overlap())
            && !self.begins_elsewhere()
            && self.shares_subject_and_kind()
    }

    fn shares_subject_and_kind(&self) -> bool {
        let (left, right) = StatementFrame::read_both(self.earlier, self.later);
        let frames = FrameDifference::of(&left, &right);
        if frames.purposes_differ() {
            return false;
        }
        let shared: Vec<&FrameWord<'_>> =
            left.words.iter().filter(|word| is_subject(word) && right.has_noun(word)).collect();
        let own = left.only(&right).filter(|word| is_subject(word) && !word.is_holder()).count();
        let leads = shared.iter().any(|word| word.leads);
        let anchored = shared.len() >= 2 || leads && shared.len() > own;
        anchored && own <= OWN_NOUNS_MAX && self.gives_same_kind(&left, &right, &frames)
    }

    fn gives_same_kind(
        &self,
        left: &StatementFrame<'_>,
        right: &StatementFrame<'_>,
        frames: &FrameDifference<'_, '_>,
    ) -> bool {
        let valued = |frame: &StatementFrame<'_>| {
            frame.words.iter().any(|word| matches!(word.part, FramePart::Value(_)))
        };
        if valued(left) || valued(right) {
            return frames.values_differ(self.later.contrast);
        }
        left.only(right).any(|word| word.is_holder() && !word.leads)
            && right.only(left).any(FrameWord::is_holder)
    }
}

/// Returns true for a noun that says what a statement is about.
fn is_subject(word: &FrameWord<'_>) -> bool {
    let noun = matches!(word.part, FramePart::Subject | FramePart::Attribute | FramePart::Name);
    let anybody = value_nouns::is_anybody(&word.token.key) || lexicon::is_new(&word.token.word);
    noun && !anybody && !word.agent
}
