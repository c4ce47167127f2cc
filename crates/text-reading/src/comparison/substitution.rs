//! Statements that differ in words that stand in each other's place, and statements about one thing
//! with values that exclude each other, however they are worded.

use super::alignment::Gap;
use super::change_verbs;
use super::choices;
use super::clauses::OTHER_WORDS_MAX;
use super::conflict::{self, FrameDifference, ValueConflict};
use super::decide::{StatementPair, is_content};
use super::exchange::{Exchange, SentencePart};
use super::frame::StatementFrame;
use super::holder::have_other_holders;
use super::lexicon;
use super::new_value::is_leading_to_new;
use super::overlap::Overlap;
use super::statement::Statement;
use super::sure_change::is_of_type;
use super::tokens::{Token, TokenClass};
use super::values::ValueType;
use super::verb_classes;
use super::{Certainty, StatementRelation as R};

/// Maximum number of words that a statement adds to the attribute when it gives it a value.
const RESTATED_WORDS_MAX: usize = 5;

impl StatementPair<'_> {
    /// Returns the relation when words were exchanged in an otherwise equal statement.
    pub fn substitution(&self) -> Option<(R, Certainty)> {
        let exchanged: Vec<Exchange<'_>> =
            self.meaningful_gaps().map(|gap| self.exchange(gap)).collect();
        let both_sides = exchanged.iter().filter(|one| one.is_substitution()).count();
        // "I'm vegetarian", "I'm vegan" share the speaker and the class of the choice.
        let chosen = matches!(&exchanged[..], [one] if one.is_choice() && one.is_short())
            && self.alignment.common.iter().any(|(i, _)| self.left[*i].key == "self");
        if both_sides == 0 || self.shared_topic() == 0 && !chosen {
            return None;
        }
        if exchanged.iter().all(Exchange::is_synonym_or_light) {
            return Some((R::Paraphrase, Certainty::Likely));
        }
        let others: Vec<&Exchange<'_>> = exchanged
            .iter()
            .filter(|one| !one.is_synonym_or_light() && !one.is_speaker() && !one.is_newness())
            .filter(|one| !self.is_reason(one))
            .collect();
        if let [one] = others[..]
            && one.is_substitution()
        {
            return self.single_exchange(one);
        }
        let longer = self.left.len().max(self.right.len());
        let in_order = self.alignment.common.len() * 5 >= longer * 3;
        // "Tenant 12 keeps logs for 30 days" is about another one than "tenant 47".
        let value = |one: &&&Exchange<'_>| {
            one.is_typed() && one.place == SentencePart::Value && !one.is_label(self.earlier)
        };
        let all_typed = others.iter().all(|one| value(&one));
        match (all_typed, in_order) {
            (true, true) => Some((R::ChangedValue, Certainty::Likely)),
            _ => None,
        }
    }

    /// Returns true for the reason that the later statement adds: "since my knee operation".
    fn is_reason(&self, one: &Exchange<'_>) -> bool {
        let Some(first) = one.right.first().filter(|_| one.left.is_empty()) else { return false };
        let before = self
            .later
            .tokens
            .iter()
            .rev()
            .find(|token| token.start < first.start && token.class != TokenClass::Dropped);
        let gives = |token: &Token| {
            lexicon::opens_reason(&token.word) || matches!(&*token.word, "since" | "after")
        };
        gives(first) || before.is_some_and(gives)
    }

    /// Returns the relation of two statements that differ in one place.
    /// `None` when other signs have to tell whether both can hold.
    fn single_exchange(&self, one: &Exchange<'_>) -> Option<(R, Certainty)> {
        let unrelated = Some((R::Unrelated, Certainty::Likely));
        if one.is_refinement() || one.is_region_and_place() {
            return Some((R::MoreDetailed, Certainty::Likely));
        }
        if one.is_respelled() {
            return Some((R::Paraphrase, Certainty::Likely));
        }
        let joined = self.earlier.has_copula() != self.later.has_copula();
        if joined && !self.later.changed && one.is_act_beside_state() {
            return unrelated;
        }
        if one.is_quantifier() {
            return Some((R::ChangedValue, Certainty::Likely));
        }
        let counted = one.place == SentencePart::Subject && one.is_count() && one.after;
        // "fact 1" and "fact 2" are two facts: a bare number behind a noun is its name. So are "a
        // note for priority 1" and "a note for priority 2", but not "port 80" and "port 81".
        let attribute = one.before.is_some_and(|token| {
            let numbered = matches!(&*token.key, "port" | "puerto" | "version" | "versión");
            matches!(&*token.word, "number" | "nummer" | "número" | "numéro")
                || lexicon::is_attribute(&token.key)
                && (numbered || !follows_preposition(self.earlier, token))
                // "a budget of 40k"
                || matches!(&*token.word, "of" | "auf" | "à")
        });
        let bare =
            one.is_bare_number() && !one.after && !attribute && !self.earlier.has_predicate();
        if bare || one.is_label(self.earlier) || self.spans_copula(one) {
            return unrelated;
        }
        // "Deals above 50k need …"
        let bounded = one.is_typed()
            && one.before.is_some_and(|token| {
                matches!(&*token.word, "above" | "over" | "below" | "under")
                    || token.class == TokenClass::Quantifier
            });
        let held =
            counted || bounded || one.place == SentencePart::Subject && self.is_role_holder(one);
        if one.place == SentencePart::Subject && !held {
            return unrelated;
        }
        // "Overtime now needs the approval of the plant manager": the change is told of it.
        let qualifies = one.is_qualifier(self) && !(self.later.changed && one.ends_both(self));
        if !held && (one.place == SentencePart::Verb || qualifies) {
            return unrelated;
        }
        if !held && !one.is_exclusive(self) {
            return None;
        }
        let asserted = conflict::is_asserted(self.earlier) && conflict::is_asserted(self.later);
        let numbered = one.is_bare_number() && one.follows_plain_noun();
        let clear = one.is_typed() && !numbered || one.has_names() || self.later.changed;
        let sure = asserted && clear && !one.adds_purpose() && !self.may_be_two_days(one);
        Some((R::ChangedValue, if sure { Certainty::Sure } else { Certainty::Likely }))
    }

    /// Returns true for two days of what may happen more than once: "nos reunimos el 8 de marzo".
    fn may_be_two_days(&self, one: &Exchange<'_>) -> bool {
        let dated = |token: &&Token| token.value_type() == Some(ValueType::Date);
        let single =
            |token: &&Token| lexicon::is_attribute(&token.key) || lexicon::is_verb(&token.word);
        one.left.iter().any(dated)
            && !self.later.changed
            && !self.earlier.has_copula()
            && !self.left.iter().any(single)
    }

    /// Returns the relation of two statements about one thing with values that exclude each other.
    pub fn conflicting_values(&self) -> Option<(R, Certainty)> {
        if !conflict::is_asserted(self.earlier) || !conflict::is_asserted(self.later) {
            return None;
        }
        let (left, right) = StatementFrame::read_both(self.earlier, self.later);
        let frames = FrameDifference::of(&left, &right);
        let told = self.later.changed || self.later.contrast;
        // "We never deploy on Fridays" leaves open on which days we do.
        let denied = self.earlier.negations % 2 != self.later.negations % 2 && !told;
        if denied
            || self.owners_differ()
            || frames.purposes_differ()
            || self.begins_elsewhere()
            || have_other_holders(self.earlier, self.later)
        {
            return None;
        }
        let overlap = self.overlap();
        let apart = self.subjects_differ(overlap) && !(told && self.subject_is_owner());
        // "9, not 7" names the old value too.
        let corrected = self.later.contrast || self.later.negations > 0;
        // A verb of change makes it sure that one value took the place of the other.
        let explicit = |found: ValueConflict| {
            let led = found.typed && self.later.has_verb_of_change();
            found.whole && (self.later.contrast || led)
        };
        if !apart && told && self.tells_new_value(overlap) {
            let sure = overlap.left_only.is_empty()
                || self.later.contrast
                || frames.conflict(corrected, true).is_some_and(explicit);
            return Some((R::ChangedValue, if sure { Certainty::Sure } else { Certainty::Likely }));
        }
        if told && (self.is_renamed(overlap) || self.is_replaced()) {
            return Some((R::ChangedValue, Certainty::Likely));
        }
        if !apart && !frames.verbs_differ() && self.is_attribute_restated() {
            return Some((R::ChangedValue, Certainty::Likely));
        }
        let newer = told || self.later.since && !self.earlier.since || right.is_set_by_somebody();
        // Without spaces every character is a word, and most are in common.
        if apart && self.is_unsegmented() {
            return None;
        }
        let found = frames.conflict(corrected, newer)?;
        // Somebody has many things in hand, of which the name alone tells none.
        let other = overlap.left_only.len() > OTHER_WORDS_MAX;
        if other && !found.typed && self.opening_name() > 1 && !self.shares_attribute() {
            return None;
        }
        let sure = explicit(found);
        Some((R::ChangedValue, if sure { Certainty::Sure } else { Certainty::Likely }))
    }

    /// Returns true if a statement of change is about the earlier one and names something new.
    fn tells_new_value(&self, overlap: &Overlap<'_>) -> bool {
        let known = overlap.shared + overlap.left_only.len();
        let unsegmented =
            self.left.iter().any(|token| token.word.chars().any(super::tokens::is_unsegmented));
        let least = if unsegmented { 0.35 } else { 0.5 };
        // A phone that is moved to the kitchen is the same phone.
        let value = &self.left[self.earlier.subject.min(self.left.len())..];
        let named = value.iter().any(|token| token.is_name()) && !self.names_old_value();
        let new = overlap.right_only.iter().any(|token| {
            (!token.verb || choices::is_choice(&token.key))
                && (!named || token.is_name() || token.value_type().is_some())
        });
        let is_self = |token: &&&Token| !matches!(&*token.key, "self" | "we");
        let anchored = self.left.iter().filter(is_self).any(|token| {
            is_content(token) && !overlap.left_only.iter().any(|one| one.start == token.start)
        });
        let changes = |token: &Token| {
            let leads =
                token.class == TokenClass::Change && change_verbs::is_leading_verb(&token.word);
            change_verbs::is_change_verb(&token.word) || leads
        };
        let verb = self.later.tokens.iter().any(changes) || self.later.contrast || unsegmented;
        verb && anchored
            && new
            && overlap.shared as f64 >= least * known as f64
            && (unsegmented || self.is_about_value(overlap))
    }

    /// Returns true if the later statement speaks of the same attribute, not of the same subject
    /// alone: it repeats the attribute or the old value, or its new value is of the same type.
    fn is_about_value(&self, overlap: &Overlap<'_>) -> bool {
        let attribute = |token: &&&Token| {
            lexicon::is_attribute(&token.key)
                && self.right.iter().any(|other| other.topic == token.topic)
        };
        let typed = |old: &&Token| overlap.right_only.iter().any(|new| is_of_type(old, new));
        // "The dentist raised her prices" is about the prices.
        let own = overlap.left_only.iter().any(|token| lexicon::is_attribute(&token.key));
        self.names_old_value()
            || !own && self.left.iter().any(|token| attribute(&token))
            || overlap.left_only.iter().any(typed)
    }

    /// Returns true if the later statement says that something took the place of the earlier value:
    /// "replaced the Dell with a Framework", "traded the Octavia in for a Kia".
    pub fn is_replaced(&self) -> bool {
        let tokens = &self.later.tokens;
        let Some(verb) = tokens.iter().position(|it| verb_classes::is_replacement(&it.word)) else {
            return false;
        };
        // "Oskar replaced Bea on the panel."
        let known = |token: &Token| self.left.iter().any(|one| one.key == token.key);
        let name = |token: &Token| token.is_name() || token.opens;
        let successor = tokens[..verb].iter().any(|token| name(token) && !known(token));
        if successor && tokens.get(verb + 1).is_some_and(|old| old.is_name() && known(old)) {
            return true;
        }
        let Some(with) = tokens[verb..].iter().position(is_leading_to_new).map(|at| verb + at)
        else {
            return false;
        };
        let value = &self.left[self.earlier.subject.min(self.left.len())..];
        let old = |token: &Token| {
            let content = super::decide::is_topic(token) && !token.verb;
            content && value.iter().any(|one| one.key == token.key)
        };
        let new = |token: &Token| {
            is_content(token) && !token.verb && self.left.iter().all(|one| one.key != token.key)
        };
        tokens[..with].iter().any(old) && tokens[with + 1..].iter().any(new)
    }

    /// Returns true if the later statement gives the value of the earlier one another name.
    fn is_renamed(&self, overlap: &Overlap<'_>) -> bool {
        let renames = self.later.tokens.iter().any(|token| verb_classes::is_rename(&token.word));
        let value = &self.left[self.earlier.subject.min(self.left.len())..];
        let known = |token: &&&Token| {
            token.class == TokenClass::Content
                && self.right.iter().any(|other| other.key == token.key)
        };
        renames && value.iter().any(|token| known(&token)) && !overlap.right_only.is_empty()
    }

    /// Returns true if an attribute was exchanged together with its value: "allergies: nuts",
    /// "relation: daughter".
    fn spans_copula(&self, one: &Exchange<'_>) -> bool {
        let spans = |statement: &Statement, tokens: &[&Token]| {
            let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return false };
            let within = |token: &&Token| token.start > first.start && token.end < last.end;
            let mut inside = statement.tokens.iter().filter(within);
            inside.any(|token| token.class == TokenClass::Copula)
        };
        spans(self.earlier, one.left) && spans(self.later, one.right)
    }

    /// Returns true for "my favourite colour" and "Ana's favourite colour".
    fn owners_differ(&self) -> bool {
        let owners = |tokens: &[&Token]| -> Vec<String> {
            let owners = tokens.iter().filter(|token| token.possessive);
            let owner = |token: &&Token| match &*token.key {
                "we" => "self".to_owned(),
                _ => token.topic.clone(),
            };
            owners.map(owner).collect()
        };
        let (left, right) = (owners(&self.left), owners(&self.right));
        let named = |owners: &[String], tokens: &[&Token]| {
            owners.iter().any(|owner| tokens.iter().any(|token| token.topic == *owner))
        };
        !left.is_empty()
            && !right.is_empty()
            && !left.iter().any(|owner| right.contains(owner))
            && !named(&left, &self.right)
            && !named(&right, &self.left)
    }

    /// Returns true if one statement gives a value to an attribute that has one at a time, and the
    /// other names the whole attribute with another value: "the brand colour is teal", "coral is
    /// what we chose as brand colour".
    fn is_attribute_restated(&self) -> bool {
        let keys = |tokens: &[&Token]| -> Vec<String> {
            let content = tokens.iter().filter(|token| super::decide::is_topic(token));
            content.map(|token| token.topic.clone()).collect()
        };
        let restates = |one: &Statement, tokens: &[&Token], other_tokens: &[&Token]| {
            let (subject, value_tokens) = tokens.split_at(one.subject.min(tokens.len()));
            let single = subject
                .iter()
                .any(|token| lexicon::is_single_valued(&token.key) || lexicon::is_role(&token.key));
            let is_bare =
                subject.iter().filter(|token| super::decide::is_topic(token)).count() == 1;
            let is_own = subject.iter().any(|token| token.key == "self");
            let repeats = subject
                .iter()
                .filter(|token| super::decide::is_topic(token))
                .all(|one| other_tokens.iter().any(|token| token.key == one.key));
            let speaks = other_tokens.iter().any(|token| matches!(&*token.key, "self" | "we"));
            // "My manager" alone is somebody else than "the QA lead".
            let other_owner = is_bare && (!repeats || is_own && !speaks);
            let (subject, value, other) = (keys(subject), keys(value_tokens), keys(other_tokens));
            let named = subject.iter().all(|key| other.contains(key)) && !other_owner;
            let new = other.iter().filter(|key| !subject.contains(key)).count();
            // "the car insurance" is about another attribute than "the car".
            let beside =
                other.iter().any(|key| !subject.contains(key) && lexicon::is_attribute(key));
            let typed = |tokens: &[&Token]| tokens.iter().find_map(|token| token.value_type());
            // "My phone is a Pixel", "I moved my phone to the kitchen".
            let has_value = |tokens: &[&Token]| {
                tokens.iter().any(|token| token.is_name() || token.value_type().is_some())
            };
            let unlike = match self.later.changed {
                true => has_value(value_tokens) && !has_value(other_tokens),
                false => typed(value_tokens) != typed(other_tokens),
            };
            single
                && !beside
                && !unlike
                && one.has_copula()
                && named
                && !value.is_empty()
                && !value.iter().any(|key| other.contains(key))
                && (1..=RESTATED_WORDS_MAX).contains(&new)
        };
        restates(self.earlier, &self.left, &self.right)
            || restates(self.later, &self.right, &self.left)
    }

    /// Returns true if the subject of one statement is what the subject of the other belongs to:
    /// "tokens expire", "the token lifetime". Of "frontend team" and "backend team" neither is.
    fn subject_is_owner(&self) -> bool {
        let left = &self.left[..self.earlier.subject.min(self.left.len())];
        let right = &self.right[..self.later.subject.min(self.right.len())];
        let is = |one: &Token, others: &[&Token]| others.iter().any(|other| other.key == one.key);
        // Of "auth service" and "billing service ownership" neither is.
        let owner = |subject: &[&Token], other: &[&Token]| {
            other.split_last().is_some_and(|(_, before)| {
                !subject.is_empty() && subject.iter().all(|one| is(one, before))
            })
        };
        owner(left, right) || owner(right, left)
    }

    /// Returns true if both share a word of the attribute or of the value, not the subject alone.
    pub fn shares_attribute(&self) -> bool {
        // Without a known verb, "Jonas Weber repairs bikes" has no end of the subject but the name.
        let name = self.opening_name();
        let name = if name > 1 { name } else { 0 };
        self.alignment.common.iter().any(|(i, _)| {
            let token = self.left[*i];
            let beyond = *i >= self.earlier.subject.max(name) && is_content(token);
            beyond || lexicon::is_attribute(&token.key)
        })
    }

    /// Counts the words of the name that opens the earlier statement.
    fn opening_name(&self) -> usize {
        self.left.iter().take_while(|token| token.is_name() || token.opens).count()
    }

    /// Returns true if both tell of a change, with another verb each: "was migrated", "was moved".
    pub fn changes_differ(&self) -> bool {
        let verbs = |statement: &Statement| -> Vec<String> {
            let change = |token: &&Token| change_verbs::is_change_verb(&token.word);
            statement.tokens.iter().filter(change).map(|token| token.key.clone()).collect()
        };
        let (left, right) = (verbs(self.earlier), verbs(self.later));
        !left.is_empty() && !right.is_empty() && !left.iter().any(|verb| right.contains(verb))
    }

    fn exchange<'p>(&'p self, gap: &Gap) -> Exchange<'p> {
        let left = &self.left[gap.left.clone()];
        let right = &self.right[gap.right.clone()];
        let at_verb = gap.left.start == self.earlier.subject
            && gap.right.start == self.later.subject
            && left.iter().chain(right).any(|token| token.verb)
            && !self.earlier.has_copula();
        let in_subject =
            gap.left.start < self.earlier.subject && gap.right.start < self.later.subject;
        // "The release train leaves weekly" is not about the release.
        let longer = |tokens: &[&Token], from: usize, subject: usize| {
            let nouns = tokens.get(from..subject).unwrap_or_default();
            let noun = |token: &&&Token| {
                token.class == TokenClass::Content && !lexicon::is_attribute(&token.key)
            };
            from > 0 && !self.later.changed && nouns.iter().any(|token| noun(&token))
        };
        let in_subject = in_subject
            || longer(&self.left, gap.left.start, self.earlier.subject)
            || longer(&self.right, gap.right.start, self.later.subject);
        let place = match (in_subject, at_verb) {
            (true, _) => SentencePart::Subject,
            (_, true) => SentencePart::Verb,
            _ => SentencePart::Value,
        };
        let before = gap.left.start.checked_sub(1).map(|at| self.left[at]);
        let follows = |tokens: &[&Token], end: usize| {
            tokens.get(end).is_some_and(|token| token.class == TokenClass::Content)
        };
        let after = follows(&self.left, gap.left.end) && follows(&self.right, gap.right.end);
        Exchange { left, right, place, before, at: gap.left.start, after }
    }

    /// Returns true if the exchanged subject holds a role of which there is one: "Tom is my
    /// manager".
    fn is_role_holder(&self, one: &Exchange<'_>) -> bool {
        let whole = one.left.len() == self.earlier.subject && one.right.len() == self.later.subject;
        // "The auth team owns …", "the platform team owns …"
        let team = |tokens: &[&Token], subject: usize| {
            subject.checked_sub(1).and_then(|last| tokens.get(last)).is_some_and(|token| {
                matches!(&*token.key, "team" | "group" | "squad" | "department" | "guild")
            })
        };
        let teams = team(&self.left, self.earlier.subject) && team(&self.right, self.later.subject);
        let role = self
            .later
            .tokens
            .iter()
            .any(|token| lexicon::is_role(&token.key) || lexicon::is_single_valued(&token.key));
        let holds = |tokens: &[&Token], subject: usize| {
            tokens.get(subject).is_some_and(|verb| lexicon::is_role_verb(&verb.key))
        };
        let verb =
            holds(&self.left, self.earlier.subject) && holds(&self.right, self.later.subject);
        let joined = self.earlier.has_copula() && self.later.has_copula();
        whole && (role && joined || verb) || teams && verb
    }
}

/// Returns true if a word is the object of a preposition: "for priority", "on a queue".
fn follows_preposition(statement: &Statement, word: &Token) -> bool {
    let before = statement.tokens.iter().rev().skip_while(|token| token.start >= word.start);
    let mut before =
        before.skip_while(|token| matches!(token.class, TokenClass::Dropped | TokenClass::Weak));
    before.next().is_some_and(|token| token.class == TokenClass::Preposition)
}
