//! Statements that tell of an occasion: occasions neither contradict nor replace one another.

use super::decide::StatementPair;
use super::lexicon;
use super::overlap::Overlap;
use super::statement::{Statement, StatementKind, Tense};
use super::tokens::Token;
use super::{Certainty, StatementRelation as R};

impl StatementPair<'_> {
    /// Returns the relation when a statement tells of an occasion: occasions neither contradict nor
    /// replace one another.
    pub fn occasion(&self) -> Option<(R, Certainty)> {
        let event = |one: &Statement| one.kind == StatementKind::Event;
        let (both, one) =
            (event(self.earlier) && event(self.later), event(self.earlier) || event(self.later));
        let overlap = self.overlap();
        let shorter = overlap.shared + overlap.left_only.len().min(overlap.right_only.len());
        let related = overlap.shared * 2 >= shorter && overlap.shared >= 1;
        let planned = (self.earlier.tense == Tense::Future) != (self.later.tense == Tense::Future);
        let done = one || self.earlier.tense == Tense::Past || self.later.tense == Tense::Past;
        if planned && done && related {
            return Some((R::OtherEvent, Certainty::Likely));
        }
        if !one || self.later.changed {
            return None;
        }
        if let Some(found) = self.addition() {
            return Some(found);
        }
        let alike = both && (overlap.shared >= 1 || self.share_activity());
        let relation = match (alike || related) && !self.other_person(overlap) {
            true => R::OtherEvent,
            false => R::Unrelated,
        };
        Some((relation, Certainty::Likely))
    }

    /// Returns true if the only words that differ are names and amounts of two one-time events:
    /// "I lent Hannah 100 euros", "I lent Dominik 30 euros".
    fn other_person(&self, overlap: &Overlap<'_>) -> bool {
        let name = |tokens: &[&Token]| tokens.iter().any(|token| token.is_name());
        name(&overlap.left_only) && name(&overlap.right_only)
    }

    fn share_activity(&self) -> bool {
        let activity = |tokens: &[&Token]| {
            tokens.iter().find(|token| lexicon::is_activity(&token.word)).map(|one| one.key.clone())
        };
        activity(&self.left).is_some_and(|one| activity(&self.right) == Some(one))
    }
}
