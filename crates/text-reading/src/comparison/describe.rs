//! The relation of two texts in words, for answers and review items.

use super::{StatementRelation as R, TextComparison};

impl TextComparison {
    /// Returns what differs, in words that quote both texts.
    #[must_use]
    pub fn describe(&self, earlier: &str, later: &str) -> String {
        let quoted = self.differences.iter().find_map(|one| {
            let (old, new) = (earlier.get(one.earlier.clone())?, later.get(one.later.clone())?);
            Some((old.trim(), new.trim())).filter(|(old, new)| !old.is_empty() || !new.is_empty())
        });
        let (old, new) = quoted.unwrap_or_default();
        match self.relation {
            R::Same => "says the same in other words".to_owned(),
            R::MoreDetailed => "one adds detail to the other".to_owned(),
            R::ChangedValue if !old.is_empty() && !new.is_empty() => {
                format!("\"{old}\" in one, \"{new}\" in the other")
            }
            R::ChangedValue => format!("the value differs: \"{earlier}\" or \"{later}\""),
            R::Opposite => "one denies the other".to_owned(),
            R::Reversed => "roles or order are swapped".to_owned(),
            R::OtherEvent => "another occasion of the same kind".to_owned(),
            R::Paraphrase => "most likely the same in other words".to_owned(),
            R::Unrelated => "not about the same".to_owned(),
        }
    }
}
