//! The fields of a row as a corrected text states them. A field that the text names is read from
//! there; a value that stood in the old text is read from what stands in its place now. When the
//! text says something else that may concern the row, nothing is guessed.

use super::stated_fields::{is_rendering, parse_like, stated_fields};
use super::word_alignment::{TextWord, WordChange, text_words, word_changes};
use crate::profile::value_to_text;
use model::{JsonMap, Record, merge_patch};
use serde_json::Value;
use std::ops::Range;

/// Largest change that is read word for word.
const WORD_FOR_WORD_MAX: usize = 2;

/// Returns the patch that makes a row say what a corrected text says, empty when it says so
/// already; `None` when the text cannot be read as the fields of the row.
pub(crate) fn patch_from_text(
    table: &str,
    data: &JsonMap,
    old: &str,
    new: &str,
) -> Option<JsonMap> {
    let mut patch = JsonMap::new();
    let mut aligned = AlignedTexts::new(old, new)?;
    let stated = stated_fields(table, data, new, old);
    for field in &stated {
        let before = data.get(&field.column).unwrap_or(&Value::Null);
        patch.insert(field.column.clone(), reread(before, &field.value)?);
        aligned.claim_new(&field.place);
    }
    let named = |column: &str| stated.iter().any(|field| field.column == column);
    let unnamed = data.iter().filter(|(column, value)| !named(column) && !value.is_null());
    let whole = is_rendering(table, new);
    let mut carried = stated.len();
    for (column, value) in unnamed {
        match aligned.value_now(value)? {
            // A rendering says everything, so a field that it leaves out is gone.
            None if whole && is_rendering(table, old) => {
                patch.insert(column.clone(), Value::Null);
            }
            None => {}
            Some(text) if text.is_empty() => {
                patch.insert(column.clone(), Value::Null);
            }
            Some(text) => {
                carried += 1;
                patch.insert(column.clone(), reread(value, &text)?);
            }
        }
    }
    let unsaid = data.iter().filter(|(column, value)| !named(column) && !aligned.says(value));
    let sound = (carried > 0 || aligned.is_mostly_same(data)) && !aligned.adds_to(unsaid);
    let negated = reading::has_negation(old) != reading::has_negation(new);
    patch.retain(|column, value| data.get(column).unwrap_or(&Value::Null) != value);
    let after = merge_patch(data, &patch);
    (sound && !negated && Record::check_data(&after).is_ok()).then_some(patch)
}

/// Returns the value that a text spells, or the value before when the text renders it.
fn reread(before: &Value, text: &str) -> Option<Value> {
    let same = value_to_text(before).trim().eq_ignore_ascii_case(text.trim());
    if same { Some(before.clone()) } else { parse_like(before, text.trim()) }
}

/// The old and the new text of a memory, word by word.
struct AlignedTexts<'t> {
    old: Vec<TextWord>,
    new_text: &'t str,
    new: Vec<TextWord>,
    changes: Vec<WordChange>,
    /// Words of the new text that state a field.
    claimed: Vec<bool>,
}

impl<'t> AlignedTexts<'t> {
    fn new(old: &str, new_text: &'t str) -> Option<Self> {
        let (old, new) = (text_words(old), text_words(new_text));
        let changes = word_changes(&old, &new)?;
        let claimed = vec![false; new.len()];
        Some(Self { old, new_text, new, changes, claimed })
    }

    /// Marks the words in a place of the new text as those of a field.
    fn claim_new(&mut self, place: &Range<usize>) {
        for (word, claimed) in self.new.iter().zip(&mut self.claimed) {
            *claimed |= place.start <= word.place.start && word.place.end <= place.end;
        }
    }

    /// Returns what stands now in the place of a value: `Some(None)` when the old text did not have
    /// it, an empty text when nothing does, and `None` when it cannot be told.
    fn value_now(&mut self, value: &Value) -> Option<Option<String>> {
        let places = occurrences(&self.old, value);
        let Some(first) = places.first() else { return Some(None) };
        // Where the value stands unchanged in one place, the others speak of something else.
        let kept = places.iter().find(|place| self.changes_in(place).next().is_none());
        let place = match (kept, places.len()) {
            (Some(place), _) if self.is_longer_name(place, value) => return None,
            (Some(place), _) => place,
            (None, 1) => first,
            (None, _) => return None,
        };
        let now = self.place_now(place)?;
        self.claimed[now.clone()].fill(true);
        let (Some(from), Some(to)) = (self.new[now.clone()].first(), self.new[now].last()) else {
            return Some(Some(String::new()));
        };
        Some(Some(self.new_text[from.place.start..to.place.end].to_owned()))
    }

    fn changes_in(&self, place: &Range<usize>) -> impl Iterator<Item = &WordChange> {
        self.changes
            .iter()
            .filter(|change| change.old.start < place.end && place.start < change.old.end)
    }

    /// Returns whether a name got another word before or behind it: it may be another name.
    fn is_longer_name(&self, place: &Range<usize>, value: &Value) -> bool {
        let capital = |text: &str| text.starts_with(char::is_uppercase);
        let beside = |change: &&WordChange| {
            change.old.is_empty() && [place.start, place.end].contains(&change.old.start)
        };
        let added = self.changes.iter().filter(beside).flat_map(|change| change.new.clone());
        let named = added.map(|at| &self.new_text[self.new[at].place.clone()]).any(capital);
        named && value.as_str().is_some_and(capital)
    }

    /// Returns the words of the new text that stand in the place of these old words. A change that
    /// reaches beyond them tells only when it removed them, or when it is short and word for word.
    fn place_now(&self, place: &Range<usize>) -> Option<Range<usize>> {
        let tells = |change: &WordChange| {
            let within = place.start <= change.old.start && change.old.end <= place.end;
            let word_for_word =
                change.old.len() == change.new.len() && change.old.len() <= WORD_FOR_WORD_MAX;
            within || change.new.is_empty() || (word_for_word && self.has_common_word())
        };
        let told = self.changes_in(place).all(tells);
        told.then(|| self.position_now(place.start, false)..self.position_now(place.end, true))
    }

    fn has_common_word(&self) -> bool {
        self.changes.iter().map(|change| change.old.len()).sum::<usize>() < self.old.len()
    }

    /// Returns the position in the new text of a position between two old words: behind what was
    /// inserted there for the start of a place, before it for the end.
    fn position_now(&self, position: usize, end: bool) -> usize {
        let (mut old, mut new) = (0, 0);
        for change in &self.changes {
            if change.old.start < position && position < change.old.end {
                return change.new.end.min(change.new.start + position - change.old.start);
            }
            if change.old.end > position || (end && change.old.start == position) {
                break;
            }
            (old, new) = (change.old.end, change.new.end);
        }
        new + (position - old)
    }

    /// Returns whether the new text has a value.
    fn says(&self, value: &Value) -> bool {
        !occurrences(&self.new, value).is_empty()
    }

    /// Returns whether the text changed little, and never had any value of the row.
    fn is_mostly_same(&self, data: &JsonMap) -> bool {
        let changed: usize = self.changes.iter().map(|change| change.new.len()).sum();
        let silent = data.values().all(|value| occurrences(&self.old, value).is_empty());
        silent && 2 * changed <= self.new.len()
    }

    /// Returns whether the new text adds something about a field that it does not state: its name,
    /// or a number where the field has one.
    fn adds_to<'d>(&self, unsaid: impl Iterator<Item = (&'d String, &'d Value)>) -> bool {
        let added: Vec<&str> = self
            .changes
            .iter()
            .flat_map(|change| change.new.clone())
            .filter(|at| !self.claimed[*at])
            .map(|at| self.new[at].folded.as_str())
            .collect();
        let number = added.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        unsaid.into_iter().any(|(column, value)| {
            let name = text_words(&column.replace('_', " "));
            let named = name.iter().any(|part| {
                added
                    .iter()
                    .any(|word| reading::light_stem(word) == reading::light_stem(&part.folded))
            });
            let numeric = value.is_number()
                || value.as_str().is_some_and(|text| model::spelled_number(text).is_some());
            named || (number && numeric)
        })
    }
}

/// Returns the places where words of a text spell a value.
fn occurrences(words: &[TextWord], value: &Value) -> Vec<Range<usize>> {
    let wanted = text_words(&value_to_text(value));
    if value.is_null() || wanted.is_empty() {
        return Vec::new();
    }
    let same = |place: &[TextWord]| {
        place.iter().zip(&wanted).all(|(one, other)| one.folded == other.folded)
    };
    let windows = words.windows(wanted.len()).enumerate();
    windows.filter(|(_, place)| same(place)).map(|(at, _)| at..at + wanted.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn patch(data: &Value, old: &str, new: &str) -> Option<Value> {
        patch_from_text("meals", data.as_object().unwrap(), old, new).map(Value::Object)
    }

    #[test]
    fn the_rendering_of_a_row_carries_its_fields() {
        let data = json!({"calories": 800, "food": "pizza", "with": ["Ada", "Bo"]});
        let old = "meals: calories: 800, food: pizza, with: Ada, Bo";
        for (new, expected) in [
            ("meals: calories: 650, food: pizza, with: Ada, Bo", json!({"calories": 650})),
            ("Meals: food: sushi, calories: 800, with: Ada, Bo", json!({"food": "sushi"})),
            ("meals: calories: 800, food: pizza, with: Ada", json!({"with": ["Ada"]})),
            ("meals: calories: 800, food: pizza", json!({"with": null})),
            ("meals: calories: 800, food: pizza, with: Ada, Bo, sugar: 3", json!({"sugar": 3})),
        ] {
            assert_eq!(patch(&data, old, new), Some(expected), "{new}");
        }
        assert_eq!(patch(&data, old, "meals: calories: many, food: pizza, with: Ada, Bo"), None);
    }

    #[test]
    fn a_changed_value_is_found_by_its_place_in_the_sentence() {
        for (data, old, new, expected) in [
            (json!({"km": 5}), "Ran 5 km", "Ran 8 km", json!({"km": 8})),
            (json!({"km": 5}), "Ran 5km today", "Ran 8.5km today", json!({"km": 8.5})),
            (json!({"km": "5"}), "Ran 5 km", "Ran 8 km", json!({"km": "8"})),
            (
                json!({"eggs": 2, "toasts": 3}),
                "2 eggs and 3 toasts",
                "3 eggs and 2 toasts",
                json!({"eggs": 3, "toasts": 2}),
            ),
            (
                json!({"food": "pizza"}),
                "We had pizza there",
                "We ate sushi there",
                json!({"food": "sushi"}),
            ),
            (
                json!({"who": "Ana Silva", "n": 2}),
                "2 calls with Ana Silva",
                "2 calls with Ana Costa",
                json!({"who": "Ana Costa"}),
            ),
            (
                json!({"title": "Dune", "rating": 5}),
                "Finished reading Dune (rating: 5)",
                "Finished reading Dune (rating: 4)",
                json!({"rating": 4}),
            ),
            (
                json!({"food": "pizza", "calories": 800}),
                "Pizza, 800 calories",
                "Pizza",
                json!({"calories": null}),
            ),
            (
                json!({"text": "Slept badly"}),
                "Slept badly",
                "Slept well",
                json!({"text": "Slept well"}),
            ),
            (json!({"food": "pizza"}), "Had pizza with Ana", "Had pizza with Bob", json!({})),
        ] {
            assert_eq!(patch(&data, old, new), Some(expected), "{new}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for (data, old, new) in [
            (json!({"food": "pizza", "calories": 800}), "Had pizza", "Had pizza, 650 calories"),
            (json!({"food": "pizza", "calories": 800}), "Had pizza", "Had pizza, 650 kcal"),
            (json!({"food": "pizza"}), "Had pizza", "I did not have pizza"),
            (json!({"food": "pizza"}), "Had pizza", "It was a quiet evening at home"),
            (json!({"sets": 2, "reps": 2}), "2 sets of 2 reps", "3 sets of 4 reps"),
            (json!({"food": "pizza", "calories": 800}), "Pizza, 800 calories", "A lighter meal"),
            (json!({"km": 5}), "Ran 5 km", "Ran far"),
            (json!({"food": "pizza"}), "Had pizza", "Slept badly"),
            (json!({"title": "Dune"}), "Finished Dune today", "Finished Dune Messiah today"),
            (json!({"nested": {"a": 1}}), "nested a 1", "nested a 2"),
        ] {
            assert_eq!(patch(&data, old, new), None, "{new}");
        }
    }
}
