//! Proposals for kinds that no memory has.

use crate::exit::Problem;
use crate::setup::OpenMemory;
use model::Kind;
use server::nearest;

/// Returns a sentence about the first kind that no memory has, with the one that was probably
/// meant; `None` when there are memories of each.
///
/// # Errors
/// Fails when the memory cannot be read.
pub(super) async fn unknown_kind(
    memory: &OpenMemory,
    kinds: &[String],
) -> Result<Option<String>, Problem> {
    if kinds.is_empty() {
        return Ok(None);
    }
    let overview = memory.engine.memories().overview(&memory.caller_for("list"), 1).await?;
    let used: Vec<&str> = overview.kinds.iter().map(|(name, _)| name.as_str()).collect();
    let unknown = kinds.iter().find(|kind| !used.contains(&kind.to_lowercase().as_str()));
    Ok(unknown.map(|kind| {
        let known = used.iter().copied().chain(Kind::COMMON.iter().copied());
        match nearest(kind, known.filter(|other| *other != kind.as_str())) {
            Some(meant) => format!("No memory is of the kind `{kind}`; did you mean `{meant}`?"),
            None if used.is_empty() => format!("No memory is of the kind `{kind}`."),
            None => format!(
                "No memory is of the kind `{kind}`; there are memories of {}.",
                used.join(", ")
            ),
        }
    }))
}

/// Returns a sentence about a kind that looks like a slip in one of the common ones. A kind of
/// one's own is welcome, so it is no error.
pub(super) fn misspelt_kind(kind: &str) -> Option<String> {
    let lower = kind.to_lowercase();
    let meant = nearest(&lower, Kind::COMMON).filter(|meant| *meant != lower)?;
    Some(format!(
        "`{kind}` is a kind of its own; if you meant `{meant}`, change it on the dashboard."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_a_common_kind_is_noticed_and_a_kind_of_ones_own_is_not() {
        assert!(misspelt_kind("desicion").unwrap().contains("`decision`"));
        assert!(misspelt_kind("Decisions").unwrap().contains("`decision`"));
        assert_eq!((misspelt_kind("recipe"), misspelt_kind("Decision")), (None, None));
    }
}
