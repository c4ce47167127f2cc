//! The caller of a use case: owner, agent, credential and client environment.

use guard::CallerAccess;
use model::{AgentName, Author, ConnectionId, Dialect, GroupRole, Origin, OwnerId, Permission};
use store::ExpectedVersion;

/// Identity and environment of whoever calls a use case. Front ends build it from the credential,
/// never from a tool argument.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Owner of the memory.
    pub owner: OwnerId,
    /// Agent, client, dialect and tool.
    pub author: Author,
    /// True for the owner at the command line or in the dashboard, and for an admin of a group.
    pub in_person: bool,
    /// True for a member of a group at the dashboard, who needs grants like an agent.
    pub is_member: bool,
    /// True for the owner's preview of what an agent would get.
    pub is_preview: bool,
    /// Reach of the credential; not used for the owner in person.
    pub reach: CallerAccess,
    pub environment: ClientEnvironment,
    /// Running session that the call belongs to, where the transport can tell.
    pub connection: Option<ConnectionId>,
    /// Version that the caller's edit is based on; nothing is written if a newer one exists.
    pub expected_version: Option<ExpectedVersion>,
}

/// Defaults that a client reports in its environment, used where an argument is missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientEnvironment {
    pub project: Option<String>,
    /// Key of the client's session.
    pub session: Option<String>,
    pub cwd: Option<String>,
}

impl Caller {
    /// Returns an agent that speaks a dialect.
    #[must_use]
    pub fn agent(owner: OwnerId, agent: AgentName, dialect: Dialect) -> Self {
        let author = Author { agent, client: None, dialect, tool: String::new() };
        Self {
            owner,
            author,
            in_person: false,
            is_member: false,
            reach: CallerAccess::Account,
            environment: ClientEnvironment::default(),
            connection: None,
            is_preview: false,
            expected_version: None,
        }
    }

    /// Returns the owner at the command line.
    #[must_use]
    pub fn person(owner: OwnerId) -> Self {
        let agent = AgentName::new(owner.as_str());
        let author =
            Author { agent, client: None, dialect: Dialect::CommandLine, tool: String::new() };
        Self {
            owner,
            author,
            in_person: true,
            is_member: false,
            reach: CallerAccess::Account,
            environment: ClientEnvironment::default(),
            connection: None,
            is_preview: false,
            expected_version: None,
        }
    }

    /// Returns a person in the memory of a group. An admin acts as its owner; a member needs
    /// grants.
    #[must_use]
    pub fn in_group(group: OwnerId, person: &OwnerId, role: GroupRole) -> Self {
        let mut caller = Self::person(group);
        caller.author.agent = AgentName::of_person(person);
        caller.in_person = role == GroupRole::Admin;
        caller.is_member = role == GroupRole::Member;
        caller.reach = CallerAccess::Credential(Permission::Write);
        caller
    }

    /// Marks the call as the owner's preview of what an agent would get, which counts as no use.
    #[must_use]
    pub fn as_preview(self) -> Self {
        Self { is_preview: true, ..self }
    }

    /// Sets how far the credential reaches.
    #[must_use]
    pub fn with_reach(self, reach: CallerAccess) -> Self {
        Self { reach, ..self }
    }

    /// Sets the running session that the call belongs to.
    #[must_use]
    pub fn over_connection(self, connection: ConnectionId) -> Self {
        Self { connection: Some(connection), ..self }
    }

    /// Sets the version that the caller's edit is based on.
    #[must_use]
    pub fn expecting_version(self, seen: ExpectedVersion) -> Self {
        Self { expected_version: Some(seen), ..self }
    }

    /// Sets the name of the tool or command in use, which provenance and the audit log record.
    #[must_use]
    pub fn with_tool(mut self, tool: &str) -> Self {
        tool.clone_into(&mut self.author.tool);
        self
    }

    /// Returns true for a person: the owner, or somebody in a group.
    #[must_use]
    pub fn is_human(&self) -> bool {
        self.in_person || self.is_member
    }

    /// Returns the origin of the caller's own statements.
    #[must_use]
    pub fn origin(&self) -> Origin {
        match (self.is_human(), self.author.dialect) {
            // An import is never typed, even when the owner starts it: the texts are somebody
            // else's.
            (_, Dialect::Import) => Origin::Imported,
            (true, _) => Origin::Typed,
            (false, _) => Origin::Agent,
        }
    }
}
