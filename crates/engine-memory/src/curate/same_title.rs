//! Notes with the same title as a new one: one that covers it, those it covers, and the others.

use super::is_in_same_place;
use crate::remember::RememberRequest;
use engine_core::call::Call;
use model::{Failure, Memory, MemoryId, limits};

/// Number of memories with the same title that are compared.
const COMPARED: usize = 12;

/// Notes with the same title as a new one.
#[derive(Debug, Default)]
pub(super) struct SameTitleNotes {
    /// A note that has every sentence of the new one.
    pub covering: Option<Memory>,
    /// Notes whose every sentence the new one has.
    pub covered: Vec<Memory>,
    /// Notes that say something else.
    pub others: Vec<MemoryId>,
}

impl SameTitleNotes {
    /// Compares a note with those of the same title.
    pub async fn find(call: &Call<'_>, input: &RememberRequest) -> Result<Self, Failure> {
        let mut found = Self::default();
        let Some(title) = input.title.as_deref() else { return Ok(found) };
        for memory in super::wiki::memories_titled(call, title, COMPARED).await? {
            found.compare(call, input, memory);
        }
        Ok(found)
    }

    fn compare(&mut self, call: &Call<'_>, input: &RememberRequest, memory: Memory) {
        let here = is_in_same_place(call, input, &memory);
        if here
            && self.covering.is_none()
            && reading::contains_all_sentences(&memory.text, &input.text)
        {
            self.covering = Some(memory);
        } else if here && reading::contains_all_sentences(&input.text, &memory.text) {
            self.covered.push(memory);
        } else {
            self.others.push(memory.id);
        }
    }
}

/// Merges two lists of labels. Returns the merged list and the labels that were added.
pub(super) fn merge_labels(
    known: &[String],
    new: &[String],
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let mut all = known.to_vec();
    for label in new.iter().map(|label| label.trim()).filter(|label| !label.is_empty()) {
        if !all.iter().any(|present| present == label) {
            all.push(label.to_owned());
        }
    }
    // Labels past the limit are dropped rather than refused: the note itself was remembered.
    all.truncate(limits::TAGS.max(known.len()));
    let added = all[known.len()..].to_vec();
    Ok((all, added))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_labels_have_no_duplicates_and_respect_the_limit() {
        let there: Vec<String> = (0..limits::TAGS - 1).map(|n| format!("t{n}")).collect();
        let new: Vec<String> = ["t1", " fresh ", "", "one too many"].map(str::to_owned).to_vec();
        let (all, joined) = merge_labels(&there, &new).unwrap();
        assert_eq!((all.len(), joined), (limits::TAGS, vec!["fresh".to_owned()]));
    }
}
