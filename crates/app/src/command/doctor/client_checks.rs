//! The clients on this machine: whether each is set up and has its hooks, whether these are
//! trusted, when it was last seen, and the version that it was tried with.

use super::check::DoctorCheck;
use crate::command::setup::find_places;
use crate::setup::OpenMemory;
use client_setup::{ClientPresence, HookTrust, find_presence};
use engine::activity::AgentUsage;

/// Number of days that are looked back for an agent.
const DAYS: usize = 90;

/// Returns the agents that used the memory, the most recently seen first.
pub(super) async fn agents_seen(memory: &OpenMemory) -> Vec<AgentUsage> {
    // Without them the other checks still tell something.
    let activity = memory.engine.admin().activity(&memory.caller, DAYS).await;
    activity.map(|activity| activity.agents).unwrap_or_default()
}

/// Checks every client that is installed.
pub(super) fn clients(agents: &[AgentUsage]) -> DoctorCheck {
    let Ok(places) = find_places() else {
        return DoctorCheck::ok("clients", "none, because there is no home directory");
    };
    check_presence(&find_presence(&places), agents)
}

fn check_presence(found: &[ClientPresence], agents: &[AgentUsage]) -> DoctorCheck {
    if found.is_empty() {
        return DoctorCheck::ok("clients", "no MCP client is installed on this machine");
    }
    let states: Vec<String> = found.iter().map(|one| describe(one, agents)).collect();
    let finding = states.join("; ");
    let missing: Vec<&str> =
        found.iter().filter(|it| !it.configured).map(|it| it.client.name()).collect();
    if missing.len() == found.len() {
        let advice = format!("Run `quipu setup {}`.", missing.join(" "));
        return DoctorCheck::warn("clients", finding, advice);
    }
    if found.iter().any(|it| it.configured && it.trust.is_some_and(|it| it != HookTrust::Granted)) {
        let advice = "Start Codex and enter /hooks: it skips hooks that are not trusted silently.";
        return DoctorCheck::warn("clients", finding, advice);
    }
    let mut check = DoctorCheck::ok("clients", finding);
    if !missing.is_empty() {
        // Not everyone wants the memory in every client.
        check.advice = Some(format!("To add the others: `quipu setup {}`.", missing.join(" ")));
    }
    check
}

fn describe(presence: &ClientPresence, agents: &[AgentUsage]) -> String {
    let state = match (presence.configured, presence.hooks, presence.trust) {
        (false, ..) => "not set up",
        (true, Some(true), Some(HookTrust::Granted)) => "set up with hooks that are trusted",
        (true, Some(true), Some(HookTrust::Missing)) => "set up with hooks that are not trusted",
        (true, Some(true), Some(HookTrust::Outdated)) => {
            "set up with hooks that changed since they were trusted"
        }
        (true, Some(true), Some(HookTrust::Disabled)) => "set up with hooks that are disabled",
        (true, Some(true), None) => "set up with hooks",
        (true, Some(false), _) => "set up without hooks",
        (true, None, _) => "set up",
    };
    let client = presence.client;
    let mut text = format!("{} {state}", client.title());
    if presence.configured {
        // Over MCP a client may add to its name, as in `codex-mcp-client`.
        let is_own = |agent: &&AgentUsage| agent.agent.as_str().starts_with(client.name());
        match agents.iter().find(is_own) {
            Some(agent) => text.push_str(&format!(", last seen {}", agent.last.date())),
            None => text.push_str(", not seen yet"),
        }
        if let Some(version) = client.tried_version() {
            text.push_str(&format!(", tried with {version}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::doctor::check::CheckState;
    use client_setup::ClientKind;

    #[test]
    fn each_client_is_named_with_its_state_and_the_command_for_the_rest() {
        let codex = |configured| ClientPresence {
            client: ClientKind::Codex,
            configured,
            hooks: Some(configured),
            trust: configured.then_some(HookTrust::Granted),
        };
        let zed =
            ClientPresence { client: ClientKind::Zed, configured: false, hooks: None, trust: None };
        let none = check_presence(&[codex(false), zed], &[]);
        assert_eq!(none.state, CheckState::Warn);
        assert_eq!(none.finding, "Codex not set up; Zed not set up");
        let agent = model::AgentName::new("codex-mcp-client");
        let (calls, tokens, recalls, empty) = (3, 0, 1, 0);
        let seen = AgentUsage { agent, calls, tokens, recalls, empty, last: model::Moment(0) };
        let some = check_presence(&[codex(true), zed], &[seen]);
        assert_eq!(some.state, CheckState::Ok);
        let trusted = "Codex set up with hooks that are trusted, last seen";
        assert!(some.finding.contains(trusted), "{}", some.finding);
        assert!(some.finding.contains("last seen 1970-01-01, tried with 0."), "{}", some.finding);
        let unseen = check_presence(&[codex(true)], &[]);
        assert!(unseen.finding.contains("not seen yet"), "{}", unseen.finding);
        assert_eq!(some.advice.unwrap(), "To add the others: `quipu setup zed`.");
        for trust in [HookTrust::Missing, HookTrust::Outdated, HookTrust::Disabled] {
            let untrusted = ClientPresence { trust: Some(trust), ..codex(true) };
            let check = check_presence(&[untrusted, zed], &[]);
            assert_eq!(check.state, CheckState::Warn, "{}", check.finding);
            assert!(check.advice.unwrap().contains("/hooks"));
        }
    }
}
