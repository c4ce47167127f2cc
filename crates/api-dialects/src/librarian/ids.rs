//! Ids as text, as the contract has them. A number may be given plainly, in the brackets in which
//! `recall` shows it, or with the prefix of the original. Anything else is an unknown id.

use model::{Failure, HandoffId, MemoryId};

/// Parses the id of a memory.
pub(super) fn parse_memory_id(id: &str) -> Result<MemoryId, Failure> {
    parse_number(id, "mem_")
        .map(MemoryId)
        .ok_or_else(|| unknown_id("memory", id, "recall with include_ids: true"))
}

/// Parses the id of a handoff.
pub(super) fn parse_handoff_id(id: &str) -> Result<HandoffId, Failure> {
    parse_number(id, "hdo_")
        .map(HandoffId)
        .ok_or_else(|| unknown_id("handoff", id, "list_handoffs"))
}

fn parse_number(id: &str, prefix: &str) -> Option<i64> {
    let bare = id.trim().trim_matches(['[', ']']).trim();
    bare.strip_prefix(prefix).unwrap_or(bare).parse().ok()
}

fn unknown_id(what: &str, id: &str, how: &str) -> Failure {
    let shown: String = id.chars().take(100).collect();
    Failure::not_found(what, format!("`{shown}`; {how} shows the known ids"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ErrorCode;

    #[test]
    fn an_id_is_read_as_it_was_shown() {
        for id in ["17", " 17 ", "[17]", "mem_17"] {
            assert_eq!(parse_memory_id(id), Ok(MemoryId(17)), "{id}");
        }
        assert_eq!(parse_handoff_id("hdo_4"), Ok(HandoffId(4)));
    }

    #[test]
    fn what_is_no_number_is_the_id_of_nothing() {
        assert_eq!(parse_memory_id("mem_01J8").unwrap_err().code, ErrorCode::NotFound);
        assert_eq!(parse_handoff_id("").unwrap_err().code, ErrorCode::NotFound);
    }
}
