//! The clients on this machine: whether each is set up, and has its hooks.

use super::check::DoctorCheck;
use crate::command::setup::find_places;
use client_setup::{ClientKind, ClientPresence, find_presence};

/// Checks every client that is installed.
pub(super) fn clients() -> DoctorCheck {
    let Ok(places) = find_places() else {
        return DoctorCheck::ok("clients", "none, because there is no home directory");
    };
    check_presence(&find_presence(&places))
}

fn check_presence(found: &[ClientPresence]) -> DoctorCheck {
    if found.is_empty() {
        return DoctorCheck::ok("clients", "no MCP client is installed on this machine");
    }
    let states: Vec<String> = found.iter().map(describe).collect();
    let finding = states.join(", ");
    let missing: Vec<&str> =
        found.iter().filter(|it| !it.configured).map(|it| it.client.name()).collect();
    if missing.len() == found.len() {
        let advice = format!("Run `quipu setup {}`.", missing.join(" "));
        return DoctorCheck::warn("clients", finding, advice);
    }
    let mut check = DoctorCheck::ok("clients", finding);
    if !missing.is_empty() {
        // Not everyone wants the memory in every client.
        check.advice = Some(format!("To add the others: `quipu setup {}`.", missing.join(" ")));
    }
    check
}

fn describe(presence: &ClientPresence) -> String {
    let state = match (presence.configured, presence.hooks) {
        (false, _) => "not set up",
        (true, Some(true)) if presence.client == ClientKind::Codex => {
            "set up with hooks (trust them with /hooks)"
        }
        (true, Some(true)) => "set up with hooks",
        (true, Some(false)) => "set up without hooks",
        (true, None) => "set up",
    };
    format!("{} {state}", presence.client.title())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::doctor::check::CheckState;

    #[test]
    fn each_client_is_named_with_its_state_and_the_command_for_the_rest() {
        let codex = |configured| ClientPresence {
            client: ClientKind::Codex,
            configured,
            hooks: Some(configured),
        };
        let zed = ClientPresence { client: ClientKind::Zed, configured: false, hooks: None };
        let none = check_presence(&[codex(false), zed]);
        assert_eq!(none.state, CheckState::Warn);
        assert_eq!(none.finding, "Codex not set up, Zed not set up");
        let some = check_presence(&[codex(true), zed]);
        assert_eq!(some.state, CheckState::Ok);
        assert!(some.finding.contains("Codex set up with hooks"), "{}", some.finding);
        assert_eq!(some.advice.unwrap(), "To add the others: `quipu setup zed`.");
    }
}
