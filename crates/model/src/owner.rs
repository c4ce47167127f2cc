//! Names of owners and agents.

use std::fmt;

/// Name of the owner of a memory. Everything stored belongs to exactly one owner.
/// It also names a file, so only a plain slug is allowed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(String);

/// The name is not a valid owner name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a valid owner name; use 1 to 64 characters of a-z, 0-9, `-` and `_`, \
     starting with a letter or digit"
)]
pub struct InvalidOwnerName(String);

impl OwnerId {
    /// Maximum length, in characters.
    pub const LENGTH_MAX: usize = 64;

    /// Validates a name.
    ///
    /// # Errors
    /// Fails when the name is empty or too long, starts with `-` or `_`, or contains anything but
    /// lower-case letters, digits, `-` and `_`.
    pub fn new(name: &str) -> Result<Self, InvalidOwnerName> {
        let fits = (1..=Self::LENGTH_MAX).contains(&name.len());
        let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        let plain = name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_');
        if fits && starts_well && plain {
            Ok(Self(name.to_owned()))
        } else {
            Err(InvalidOwnerName(name.chars().take(80).collect()))
        }
    }

    /// Returns the default owner of an installation that only one person uses.
    #[must_use]
    pub fn me() -> Self {
        Self("me".to_owned())
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Name of a calling agent. It comes from the credential, never from an argument.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentName(String);

impl AgentName {
    /// Maximum length, in characters; longer names are truncated.
    pub const LENGTH_MAX: usize = 100;

    /// Normalises a name reported by a client: trimmed, control characters removed, truncated.
    /// An empty name becomes `unknown`.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let name: String =
            name.trim().chars().filter(|c| !c.is_control()).take(Self::LENGTH_MAX).collect();
        Self(if name.is_empty() { "unknown".to_owned() } else { name })
    }

    /// Returns the name under which a person acts in the memory of a group, and by which grants
    /// name them. No credential of an agent has such a name.
    #[must_use]
    pub fn of_person(person: &OwnerId) -> Self {
        Self(format!("{PERSON_MARK}{person}"))
    }

    /// Returns the person whom the name stands for, if it is not the name of an agent.
    #[must_use]
    pub fn person(&self) -> Option<OwnerId> {
        OwnerId::new(self.0.strip_prefix(PERSON_MARK)?).ok()
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Mark before the name of a person where it stands among the names of agents.
const PERSON_MARK: char = '@';

/// The part of a person in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupRole {
    /// Acts as the owner of the group's memory, and decides on members and grants.
    Admin,
    /// May do what grants allow.
    Member,
}

impl GroupRole {
    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Member => "member",
        }
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_name_never_leaves_its_directory() {
        for bad in ["", "..", "a/b", "A", "-a", "a b", "é", &"a".repeat(65)] {
            assert!(OwnerId::new(bad).is_err(), "{bad}");
        }
        assert_eq!(OwnerId::new("team-7").unwrap().as_str(), "team-7");
    }

    #[test]
    fn an_agent_without_a_name_is_unknown() {
        assert_eq!(AgentName::new(" \n").as_str(), "unknown");
        assert_eq!(AgentName::new("claude\u{7}-code").as_str(), "claude-code");
    }
}
