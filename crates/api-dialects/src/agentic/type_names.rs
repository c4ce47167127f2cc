//! Parsing of event types and edge types. An unknown name is an error that lists the known ones,
//! and is never ignored: a filter that is silently dropped would return everything.

use engine::{Caller, Engine};
use model::{Failure, Kind, LinkKind};

/// Event types of the contract.
pub(super) const EVENT_TYPES: [&str; 6] =
    ["fact", "decision", "inference", "correction", "skill", "episode"];

/// Parses the event type of a new node.
pub(super) fn parse_event_type(given: &str) -> Result<String, Failure> {
    let name = given.trim().to_lowercase();
    if EVENT_TYPES.contains(&name.as_str()) {
        return Ok(name);
    }
    Err(unknown_name("event_type", given, &EVENT_TYPES))
}

/// Parses event types to filter by. Other dialects store memories of further kinds; those that are
/// in use are accepted too.
pub(super) async fn parse_event_types(
    engine: &Engine,
    caller: &Caller,
    given: Option<Vec<String>>,
) -> Result<Vec<String>, Failure> {
    let names: Vec<String> =
        given.iter().flatten().map(|name| name.trim().to_lowercase()).collect();
    let usual = |name: &String| {
        EVENT_TYPES.contains(&name.as_str()) || Kind::COMMON.contains(&name.as_str())
    };
    if names.iter().all(usual) {
        return Ok(names);
    }
    let kinds = engine.memories().statistics(caller).await?.kinds;
    match names.iter().find(|name| !usual(name) && !kinds.iter().any(|(kind, _)| kind == *name)) {
        Some(name) => Err(unknown_name("event_types", name, &EVENT_TYPES)),
        None => Ok(names),
    }
}

/// Parses an edge type.
pub(super) fn parse_edge_type(given: &str) -> Result<LinkKind, Failure> {
    LinkKind::parse(given)
        .ok_or_else(|| unknown_name("edge_type", given, &LinkKind::ALL.map(LinkKind::name)))
}

/// Returns the error for an unknown value of an argument.
pub(super) fn unknown_name(field: &str, given: &str, known: &[&str]) -> Failure {
    let given: String = given.chars().take(60).collect();
    Failure::invalid(format!("{field}: `{given}` is unknown; use one of {}", known.join(", ")))
}
