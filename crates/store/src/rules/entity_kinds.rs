//! Kinds of entities that say nothing, so that one person is one entity: what a text calls by a
//! name is the person, place or tool of that name, whichever of the two was written first.

/// The kind of an entity for which none was stated.
pub const KIND_UNKNOWN: &str = "entity";
/// The kind of a proper name whose text does not show what it names.
pub const KIND_NAME: &str = "name";

/// The kind of a name that is known as that of a tool. Callers have words of their own for it, such
/// as `technology` and `service`.
pub const KIND_TOOL: &str = "tool";

/// Returns true if a tool can be what a caller calls by this kind.
#[must_use]
pub fn may_be_tool(kind: &str) -> bool {
    may_have_proper_name(kind)
        && !matches!(kind, "person" | "place" | "organization" | "food" | "topic" | KIND_TOOL)
}

/// Returns true for a kind that says nothing; a stated kind replaces it.
#[must_use]
pub fn is_vague_kind(kind: &str) -> bool {
    kind == KIND_UNKNOWN || kind == KIND_NAME
}

/// Returns true if a proper name can mean an entity of this kind. The names of code and addresses
/// are no proper names: a book called `Index` is not the function `index`.
#[must_use]
pub fn may_have_proper_name(kind: &str) -> bool {
    !matches!(
        kind,
        "function"
            | "type"
            | "module"
            | "file"
            | "command"
            | "env_var"
            | "error"
            | "url"
            | "ticket"
            | "email"
            | "handle"
    )
}
