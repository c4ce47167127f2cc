//! A correction of the memory of a value: the profile itself is changed, and the memory follows.

use super::reconcile::is_leaf;
use super::{PatchProfileRequest, field_at, patch_at, profile_fields, value_to_text};
use crate::tables::{parse_like, patch_from_text};
use model::{Failure, JsonMap, Memory};
use serde_json::Value;

/// The value of the profile that a memory states.
pub(crate) struct CorrectedValue<'m> {
    memory: &'m Memory,
    pub path: &'m str,
}

impl<'m> CorrectedValue<'m> {
    /// Returns the value that a memory states; `None` for any other memory.
    pub fn of(memory: &'m Memory) -> Option<Self> {
        let path = profile_fields(memory).next().filter(|_| is_leaf(memory))?;
        Some(Self { memory, path })
    }

    /// Returns the change of the profile that a corrected text asks for.
    ///
    /// # Errors
    /// `invalid_argument` when the profile has no such field any more, or the new value cannot be
    /// read from the text.
    pub fn request(
        &self,
        profile: &JsonMap,
        text: &str,
        reason: Option<String>,
    ) -> Result<PatchProfileRequest, Failure> {
        let value = field_at(profile, self.path).ok_or_else(|| self.refusal())?;
        let new = self.read_value(value, text).ok_or_else(|| self.refusal())?;
        let patch = patch_at(profile, self.path, new).ok_or_else(|| self.refusal())?;
        Ok(PatchProfileRequest { patch, reason })
    }

    /// Reads the new value: behind the words that say what it is, or from its place in the text.
    fn read_value(&self, value: &Value, text: &str) -> Option<Value> {
        let old = self.memory.text.as_str();
        let words = old.strip_suffix(value_to_text(value).as_str())?;
        let (start, rest) = text.trim().split_at_checked(words.trim_end().len())?;
        if start.to_lowercase() == words.trim_end().to_lowercase() {
            let new = Some(rest.trim()).filter(|new| !new.is_empty())?;
            // A number may become a word; the profile has no types.
            return parse_like(value, new).or_else(|| Some(new.into()));
        }
        let data = JsonMap::from_iter([("value".to_owned(), value.clone())]);
        patch_from_text("", &data, old, text)?.remove("value").filter(|value| !value.is_null())
    }

    /// Builds the failure for a change that the profile must make.
    pub fn refusal(&self) -> Failure {
        refuse_change(self.memory, self.path)
    }
}

/// Builds the failure for a change of a memory that only the profile can make.
pub(crate) fn refuse_change(memory: &Memory, path: &str) -> Failure {
    let words = memory.text.rsplit_once(": ").map_or("", |(words, _)| words);
    Failure::invalid(format!(
        "memory {} states the field {path} of the profile and changes with it; change the profile, \
         or correct the memory with a text of the form \"{words}: …\"",
        memory.id
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn corrected(value: &Value, old: &str, new: &str) -> Option<Value> {
        let memory = crate::profile::reconcile::tests::leaf_memory(1, "a", None, old);
        CorrectedValue { memory: &memory, path: "a" }.read_value(value, new)
    }

    #[test]
    fn the_new_value_stands_behind_the_same_words_or_in_its_place() {
        for (value, old, new, expected) in [
            (json!("Lisbon"), "city: Lisbon", "City: Porto", Some(json!("Porto"))),
            (json!(["a", "b"]), "likes: a, b", "likes: a, c", Some(json!(["a", "c"]))),
            (json!(30), "age: 30", "age: 31", Some(json!(31))),
            (json!(30), "age: 30", "age: unknown", Some(json!("unknown"))),
            (json!("Lisbon"), "city: Lisbon", "city: ", None),
            (json!("Lisbon"), "city: Lisbon", "I moved away", None),
            (json!("Lisbon"), "city: Lisbon", "My city is Lisbon", None),
        ] {
            assert_eq!(corrected(&value, old, new), expected, "{new}");
        }
    }
}
