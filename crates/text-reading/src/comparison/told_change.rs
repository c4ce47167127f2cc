//! A change told of what the earlier statement is about, in quite other words: "the Ghent warehouse
//! has 22 employees", "following the layoffs there are 15 people left at the Ghent warehouse". The
//! nouns in common and the kind of the value decide, whatever the verbs are.

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
        let explained = self.later.explained || self.is_explained();
        let told = self.later.changed || self.later.contrast || explained;
        let stated = is_asserted(self.earlier)
            && self.earlier.tense == Tense::Present
            && !self.earlier.changed
            && self.earlier.negations == 0;
        told && stated
            && (is_asserted(self.later) || explained && self.later.kind == StatementKind::Event)
            && !have_other_holders(self.earlier, self.later)
            && (self.is_unsegmented() || !self.subjects_differ(self.overlap()))
            && !self.begins_elsewhere()
            && self.shares_subject_and_kind()
    }

    /// Returns true if a clause of the later statement says why another one holds.
    fn is_explained(&self) -> bool {
        self.later.clauses.iter().any(|clause| clause.explained)
    }

    fn shares_subject_and_kind(&self) -> bool {
        let (left, right) = StatementFrame::read_both(self.earlier, self.later);
        let frames = FrameDifference::of(&left, &right);
        if frames.purposes_differ() {
            return false;
        }
        let shared: Vec<&FrameWord<'_>> =
            left.words.iter().filter(|word| is_subject(word) && right.has(word)).collect();
        let alone = |word: &&FrameWord<'_>| {
            is_subject(word) && !word.is_holder() && !frames.is_type_noun(word)
        };
        let own: Vec<&FrameWord<'_>> = left.only(&right).filter(alone).collect();
        // "The production cluster" is no "staging cluster".
        let modified = |word: &&FrameWord<'_>| {
            let same = |other: &FrameWord<'_>| other.next == word.next && is_subject(other);
            word.next.is_some() && right.only(&left).any(same)
        };
        if own.iter().any(modified) {
            return false;
        }
        let own = own.len();
        let leads = shared.iter().any(|word| word.leads);
        let anchored = match self.is_unsegmented() {
            true => shared.len() >= CHARACTERS_MIN,
            false => (shared.len() >= 2 || leads && shared.len() > own) && own <= OWN_NOUNS_MAX,
        };
        let valued = |frame: &StatementFrame<'_>| {
            frame.words.iter().any(|word| matches!(word.part, FramePart::Value(_)))
        };
        anchored
            && match valued(&left) || valued(&right) {
                true => {
                    let named = |one: &StatementFrame<'_>, other: &StatementFrame<'_>| {
                        one.only(other).any(|word| word.part == FramePart::Name && !word.agent)
                    };
                    frames.values_differ(self.later.contrast)
                        && !(named(&left, &right) && named(&right, &left))
                }
                false => {
                    (shared.len() >= 2 || self.later.changed)
                        && left.only(&right).any(|word| word.is_holder() && !word.leads)
                        && right.only(&left).any(FrameWord::is_holder)
                }
            }
    }

    /// Returns true for a script without spaces, in which every character is a word.
    pub fn is_unsegmented(&self) -> bool {
        self.left.iter().any(|token| token.word.contains(is_unsegmented))
    }
}

/// Returns true for a noun that says what a statement is about.
fn is_subject(word: &FrameWord<'_>) -> bool {
    let noun = matches!(word.part, FramePart::Subject | FramePart::Attribute | FramePart::Name);
    let anybody = value_nouns::is_anybody(&word.token.key) || lexicon::is_new(&word.token.word);
    noun && !anybody && !word.agent
}
