//! Who calls, for whom, and from where: an argument of every use case.

use guard::Reach;
use model::{AgentName, Author, Dialect, Origin, OwnerId};
use store::Standing;

/// Whoever calls a use case. A surface makes it from the credential, never from an argument.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Whose memory is meant.
    pub owner: OwnerId,
    /// Who calls, through what.
    pub author: Author,
    /// Whether it is the owner in person, at the command line or the dashboard.
    pub in_person: bool,
    /// How it was let in, when it is not the owner in person.
    pub reach: Reach,
    /// What the client told about where it runs.
    pub surroundings: Surroundings,
    /// The version that the caller's edit was made from: when another stands by then, nothing is
    /// written.
    pub expects: Option<Standing>,
}

/// What a client tells in its environment; used where an argument is missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surroundings {
    /// The project it works in.
    pub project: Option<String>,
    /// The key of its session.
    pub session: Option<String>,
    /// The directory it works in.
    pub cwd: Option<String>,
}

impl Caller {
    /// An agent that speaks a dialect.
    #[must_use]
    pub fn agent(owner: OwnerId, agent: AgentName, dialect: Dialect) -> Self {
        let author = Author { agent, client: None, dialect, tool: String::new() };
        Self {
            owner,
            author,
            in_person: false,
            reach: Reach::Account,
            surroundings: Surroundings::default(),
            expects: None,
        }
    }

    /// The owner at the command line.
    #[must_use]
    pub fn person(owner: OwnerId) -> Self {
        let agent = AgentName::new(owner.as_str());
        let author =
            Author { agent, client: None, dialect: Dialect::CommandLine, tool: String::new() };
        Self {
            owner,
            author,
            in_person: true,
            reach: Reach::Account,
            surroundings: Surroundings::default(),
            expects: None,
        }
    }

    /// The same caller, let in this way.
    #[must_use]
    pub fn reaching(self, reach: Reach) -> Self {
        Self { reach, ..self }
    }

    /// The same caller, whose edit was made from this version.
    #[must_use]
    pub fn expecting(self, seen: Standing) -> Self {
        Self { expects: Some(seen), ..self }
    }

    /// The same caller, using this tool or command.
    #[must_use]
    pub fn using(&self, tool: &str) -> Self {
        let mut caller = self.clone();
        tool.clone_into(&mut caller.author.tool);
        caller
    }

    /// The kind of source this caller's own words are.
    #[must_use]
    pub fn origin(&self) -> Origin {
        match (self.in_person, self.author.dialect) {
            (_, Dialect::Import) => Origin::Imported,
            (true, _) => Origin::Typed,
            (false, _) => Origin::Agent,
        }
    }
}
