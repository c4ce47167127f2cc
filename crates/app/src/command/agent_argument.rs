//! Proposals for names of agents that nobody has.

use crate::exit::Problem;
use crate::setup::OpenMemory;
use server::nearest;

/// Days in which an agent must have called to be known.
const KNOWN_DAYS: usize = 90;

/// Name of an agent that has neither written nor called.
pub(super) struct UnknownAgent {
    /// Known agent that was probably meant.
    pub meant: Option<String>,
}

/// Returns the proposal for a name that no agent has; `None` when one has it.
///
/// # Errors
/// Fails when the memory cannot be read.
pub(super) async fn unknown_agent(
    memory: &OpenMemory,
    agent: &str,
) -> Result<Option<UnknownAgent>, Problem> {
    let caller = memory.caller_for("list");
    let overview = memory.engine.memories().overview(&caller, 1).await?;
    let activity = memory.engine.admin().activity(&caller, KNOWN_DAYS).await?;
    let called = activity.agents.iter().map(|one| one.agent.as_str());
    let known: Vec<&str> =
        overview.agents.iter().map(|(name, _)| name.as_str()).chain(called).collect();
    let meant = || nearest(agent, known.iter().copied()).map(str::to_owned);
    Ok((!known.contains(&agent)).then(|| UnknownAgent { meant: meant() }))
}
