//! Values of two statements by their types and units: whether they exclude each other, and whether
//! codes look alike.

use super::attribute_families::{families_of, measure};
use super::frame::{FramePart, FrameWord, StatementFrame};
use super::value_nouns;
use super::values::{self, ValueType};

/// Returns true if both have values of one type and unit, and share none.
pub(super) fn values_differ(
    (left, right): (&StatementFrame<'_>, &StatementFrame<'_>),
    corrected: bool,
    told: bool,
) -> bool {
    let (left, right) = (typed_values(left), typed_values(right));
    right.iter().any(|new| {
        let rivals = || left.iter().filter(|old| old.is_comparable(new, told));
        let known = rivals().any(|old| old.key == new.key || values::refines(&old.key, &new.key));
        let kept = || right.iter().any(|one| rivals().any(|old| old.key == one.key));
        !known && rivals().next().is_some() && (corrected || !kept())
    })
}

fn typed_values<'f>(frame: &'f StatementFrame<'_>) -> Vec<TypedValue<'f>> {
    frame.words.iter().filter_map(TypedValue::of).collect()
}

/// A value with its type and unit, or the nouns that it counts.
struct TypedValue<'f> {
    kind: ValueType,
    key: String,
    nouns: &'f [&'f str],
}

impl<'f> TypedValue<'f> {
    fn of(word: &'f FrameWord<'_>) -> Option<Self> {
        let FramePart::Value(kind) = word.part else { return None };
        Some(Self { kind, key: word.token.key.clone(), nouns: &word.counts })
    }

    /// Returns true if the two numbers count different things: "12 columns", "3 indexes".
    fn counts_others(&self, other: &Self, told: bool) -> bool {
        const STEM_LETTERS: usize = 4;
        let stem = |noun: &str| noun.chars().take(STEM_LETTERS).collect::<String>();
        let named = |noun: &&str| other.nouns.iter().any(|one| stem(one) == stem(noun));
        // After a change "15 people" may be what "22 employees" were.
        let people = |nouns: &[&str]| nouns.first().is_some_and(|it| value_nouns::is_anybody(it));
        let alike = told && people(self.nouns) && people(other.nouns);
        // "Participants" of a workshop are "people" in it.
        let family =
            |nouns: &[&str]| nouns.first().map_or(0, |noun| families_of(noun, measure::AMOUNT));
        let alike = alike || family(self.nouns) & family(other.nouns) != 0;
        let counted = !self.nouns.is_empty() && !other.nouns.is_empty();
        counted && !alike && !self.nouns.iter().any(named)
    }

    /// Returns true if only one of two values can hold: both have the same type and unit.
    fn is_comparable(&self, other: &Self, told: bool) -> bool {
        let unit = |key: &'_ str| key.split_once(' ').map_or("", |(_, unit)| unit).to_owned();
        let counted = self.kind == ValueType::Quantity;
        let same_unit = || values::are_comparable_units(&unit(&self.key), &unit(&other.key));
        self.kind == other.kind && (!counted || same_unit() && !self.counts_others(other, told))
    }
}

/// Returns true if each statement gives nothing but one code, and both look alike: two paths, two
/// telephone numbers, two names joined by dashes.
pub(super) fn have_codes_of_one_shape(
    earlier: &StatementFrame<'_>,
    later: &StatementFrame<'_>,
) -> bool {
    let dialled = |code: &str| code.bytes().all(|byte| byte.is_ascii_digit());
    let dashed = |code: &str| code.contains('-') && code.contains(char::is_alphabetic);
    let shape = |code: &str| (code.contains('/'), dashed(code), dialled(code));
    only_code(earlier).zip(only_code(later)).is_some_and(|(one, other)| {
        shape(one) == shape(other) && shape(one) != (false, false, false)
    })
}

fn only_code<'c>(frame: &'c StatementFrame<'_>) -> Option<&'c str> {
    let mut values = frame.words.iter().filter(|it| matches!(it.part, FramePart::Value(_)));
    let value = values.next().filter(|_| values.next().is_none())?;
    (value.part == FramePart::Value(ValueType::Identifier)).then_some(&*value.token.key)
}
