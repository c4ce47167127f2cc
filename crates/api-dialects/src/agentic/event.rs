//! Event types and edge types as arguments name them. An unknown one is refused with those that are
//! known, and never passed over: a filter that vanishes shows everything.

use engine::{Caller, Engine};
use model::{Failure, Kind, LinkKind};

/// The event types of the contract.
pub(super) const EVENT_TYPES: [&str; 6] =
    ["fact", "decision", "inference", "correction", "skill", "episode"];

/// An event type to write.
pub(super) fn event_type(given: &str) -> Result<String, Failure> {
    let name = given.trim().to_lowercase();
    if EVENT_TYPES.contains(&name.as_str()) {
        return Ok(name);
    }
    Err(unknown("event_type", given, &EVENT_TYPES))
}

/// Event types to filter by. What other dialects write may be of further kinds; those that are
/// there count too.
pub(super) async fn event_types(
    engine: &Engine,
    caller: &Caller,
    given: Option<Vec<String>>,
) -> Result<Vec<String>, Failure> {
    let names: Vec<String> =
        given.iter().flatten().map(|name| name.trim().to_lowercase()).collect();
    let usual = |name: &String| {
        EVENT_TYPES.contains(&name.as_str()) || Kind::USUAL.contains(&name.as_str())
    };
    if names.iter().all(usual) {
        return Ok(names);
    }
    let kinds = engine.admin().status(caller).await?.counts.kinds;
    match names.iter().find(|name| !usual(name) && !kinds.iter().any(|(kind, _)| kind == *name)) {
        Some(name) => Err(unknown("event_types", name, &EVENT_TYPES)),
        None => Ok(names),
    }
}

/// An edge type.
pub(super) fn edge_type(given: &str) -> Result<LinkKind, Failure> {
    LinkKind::parse(given)
        .ok_or_else(|| unknown("edge_type", given, &LinkKind::ALL.map(LinkKind::name)))
}

/// The refusal of a word that is none of those known.
pub(super) fn unknown(field: &str, given: &str, known: &[&str]) -> Failure {
    let given: String = given.chars().take(60).collect();
    Failure::invalid(format!("{field}: `{given}` is not known; use one of {}", known.join(", ")))
}
