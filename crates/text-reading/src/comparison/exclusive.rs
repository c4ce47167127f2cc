//! Values that stand in each other's place and cannot hold at once: values of one type, choices of
//! one class, what an attribute has one of at a time, or a place or a name where only one can
//! stand.

use super::conflict;
use super::decide::StatementPair;
use super::exchange::{Exchange, is_purpose_word};
use super::lexicon;
use super::statement::Statement;
use super::tokens::Token;

impl Exchange<'_> {
    /// Returns true if both values cannot hold at once.
    pub fn is_exclusive(&self, pair: &StatementPair<'_>) -> bool {
        let unlike = self.is_unlike(pair);
        let changed = self.is_told(pair, unlike);
        let acts = self.tells_other_acts(pair) || pair.changes_differ();
        let apart = unlike && self.is_time_beside_other() || self.is_kind_beside_place(pair);
        let open = unlike && !changed && !self.is_choice() || !changed && acts;
        if apart || open || !conflict::is_asserted(pair.later) {
            return false;
        }
        let several = has_several(pair);
        let many = several || has_possession(pair);
        self.is_typed()
            || changed
            || self.is_choice() && !several
            || self.is_of_single_attribute(pair)
            || self.is_assigned(pair)
            || self.is_only_place(pair, many)
            || !many && self.is_only_name(pair)
    }

    /// Returns true if the later statement tells that one of the values changed.
    fn is_told(&self, pair: &StatementPair<'_>, unlike: bool) -> bool {
        // "Grandma smokes", "Grandma got a new number": the subject alone is not enough.
        let verbs = self.left.iter().chain(self.right).any(|token| token.verb);
        let plain = !verbs && !unlike && pair.earlier.has_copula();
        let near = plain || pair.shares_attribute() || pair.shared_content() >= 2 && !unlike;
        // "Now loads in 300 ms" and "now has a captcha" exchange the whole predicate.
        let predicate = unlike && self.left.first().is_some_and(|token| token.verb);
        pair.later.changed
            && near
            && !pair.changes_differ()
            && !predicate
            && !self.has_unlike_types()
    }

    /// Returns true if both share an attribute that has one value at a time. A word of the value
    /// may look like one, but is not in common.
    fn is_of_single_attribute(&self, pair: &StatementPair<'_>) -> bool {
        let joined = pair.earlier.has_copula() && pair.later.has_copula();
        let single = |at: usize| {
            let token = pair.left[at];
            let key = &token.key;
            // "leads" is what somebody does; "the lead" is one.
            if token.verb && !token.determined && !joined && key != "prefer" {
                return false;
            }
            // One may prefer many things, but one kind of seat.
            let prefers = key == "prefer" && !self.has_common_context(pair, at);
            lexicon::is_single_valued(key) && !prefers || joined && lexicon::is_role(key)
        };
        let owned = has_possession(pair) && !joined;
        let named = pair.alignment.common.iter().any(|(at, _)| single(*at));
        named && !owned || self.is_unsegmented_attribute(pair)
    }

    /// Returns true if a sign gives both values to one name: "theme: dark", "theme = light".
    fn is_assigned(&self, pair: &StatementPair<'_>) -> bool {
        let note = |statement: &Statement| {
            let sign = |token: &Token| matches!(&*token.word, ":" | "=" | "→" | ">" | "：");
            statement.tokens.iter().any(sign)
        };
        note(pair.earlier)
            && note(pair.later)
            && self.at == pair.earlier.subject
            && self.at + self.left.len() == pair.left.len()
            && !self.counts_others()
            && !pair.left.iter().any(|token| lexicon::is_many_valued_verb(&token.key))
    }

    /// Returns true if both say where or of what kind something is.
    fn is_only_place(&self, pair: &StatementPair<'_>, many: bool) -> bool {
        self.is_placed(pair)
            || !many && self.has_names() && is_present(pair)
            || self.is_predicate_noun(pair)
            || self.is_location(pair)
    }

    /// Returns true for a name where only one can stand, or one word before a noun in common.
    fn is_only_name(&self, pair: &StatementPair<'_>) -> bool {
        let shared = pair.shared_content();
        let modifier = self.left.len() == 1 && self.right.len() == 1 && self.after;
        let named = self.has_names() && self.names_one_holder(pair);
        named && shared >= 1 || modifier && shared >= 3
    }

    /// Returns true if both statements share a content word besides the subject and this verb.
    fn has_common_context(&self, pair: &StatementPair<'_>, verb: usize) -> bool {
        let mut after = pair.alignment.common.iter().filter(|(i, _)| *i > verb);
        after.any(|(i, _)| super::decide::is_topic(pair.left[*i]))
    }

    /// Returns true if a name stands where only one can: "is Tom", "is owned by Ana", "lives in
    /// Porto", "Mr. Lund for maths"; not "I run with Alex".
    pub fn names_one_holder(&self, pair: &StatementPair<'_>) -> bool {
        let copula = pair.earlier.has_copula() && pair.later.has_copula();
        let slot = pair.earlier.slot().zip(pair.later.slot());
        let same_slot = slot.is_some_and(|(one, other)| one.attribute == other.attribute);
        let placed = self.before.is_some_and(|token| {
            matches!(
                &*token.word,
                "by" | "in" | "at" | "on" | "under" | "von" | "bei" | "en" | "chez"
            )
        });
        let purpose = pair.earlier.tokens.iter().any(|token| is_purpose_word(&token.word));
        copula || same_slot || placed && pair.shared_content() >= 2 || purpose
    }
}

/// Returns true if both hold for the time being: "I am reading X at the moment".
fn is_present(pair: &StatementPair<'_>) -> bool {
    let at_present = |one: &Statement| one.changed || one.is_at_present();
    at_present(pair.earlier) && at_present(pair.later)
}

/// Returns true for a verb that may have several objects. "Flags are read from …" has one source.
fn has_several(pair: &StatementPair<'_>) -> bool {
    !is_present(pair)
        && !pair.is_passive()
        && pair.earlier.tokens.iter().any(|token| lexicon::is_many_valued_verb(&token.key))
}

/// Returns true for what somebody has, unless it is said what for.
fn has_possession(pair: &StatementPair<'_>) -> bool {
    let tokens = &pair.earlier.tokens;
    tokens.iter().any(|token| matches!(&*token.word, "has" | "have"))
        && !tokens.iter().any(|token| is_purpose_word(&token.word))
}
