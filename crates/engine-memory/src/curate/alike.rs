//! Notes that are alike: one that says everything the new one says, those that the new one says
//! everything of, and those that only stand under the same headline.

use super::lies_where;
use crate::remember::Remember;
use engine_core::call::Call;
use model::{Failure, Memory, MemoryId, limits};

/// How many memories that speak of the same things are compared.
const COMPARED: usize = 12;

/// What is like a note.
#[derive(Debug, Default)]
pub(super) struct Alike {
    /// A note under the same headline that has every sentence of the new one.
    pub covering: Option<Memory>,
    /// Notes under the same headline whose every sentence the new one has.
    pub taken_in: Vec<Memory>,
    /// Notes that say something else under the same headline.
    pub beside: Vec<MemoryId>,
}

impl Alike {
    /// Holds a note against those under its headline.
    pub async fn find(call: &Call<'_>, input: &Remember) -> Result<Self, Failure> {
        let mut found = Self::default();
        let Some(title) = input.title.as_deref() else { return Ok(found) };
        for memory in super::wiki::titled(call, title, COMPARED).await? {
            found.hold_against(call, input, memory);
        }
        Ok(found)
    }

    fn hold_against(&mut self, call: &Call<'_>, input: &Remember, memory: Memory) {
        let here = lies_where(call, input, &memory);
        if here && self.covering.is_none() && reading::says_all_of(&memory.text, &input.text) {
            self.covering = Some(memory);
        } else if here && reading::says_all_of(&input.text, &memory.text) {
            self.taken_in.push(memory);
        } else {
            self.beside.push(memory.id);
        }
    }
}

/// All labels of two lists, and those that the first had not.
pub(super) fn labels_to_join(
    there: &[String],
    new: &[String],
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let mut all = there.to_vec();
    for label in new.iter().map(|label| label.trim()).filter(|label| !label.is_empty()) {
        if !all.iter().any(|known| known == label) {
            all.push(label.to_owned());
        }
    }
    // A memory that carries as many as it may keeps those it has.
    all.truncate(limits::TAGS.max(there.len()));
    let joined = all[there.len()..].to_vec();
    Ok((all, joined))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_join_each_once_up_to_the_limit() {
        let there: Vec<String> = (0..limits::TAGS - 1).map(|n| format!("t{n}")).collect();
        let new: Vec<String> = ["t1", " fresh ", "", "one too many"].map(str::to_owned).to_vec();
        let (all, joined) = labels_to_join(&there, &new).unwrap();
        assert_eq!((all.len(), joined), (limits::TAGS, vec!["fresh".to_owned()]));
    }
}
