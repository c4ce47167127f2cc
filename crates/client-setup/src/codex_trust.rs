//! Trust in the hooks of Codex, which runs a hook only after its user trusted it. Codex keeps the
//! hash of each hook as it was trusted in `config.toml`, below `hooks.state`, under the path of the
//! file, the event and the position of the hook; a hook with another hash is skipped silently. The
//! hash is the SHA-256 of the event and the hook as JSON with sorted keys, as Codex 0.166 reports
//! it in `hooks/list`.

use crate::hooks::{hooks_of, is_our_hook};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;
use toml_edit::DocumentMut;

/// Trust of the user in the hooks that run `quipu hook`. The first ones outweigh the later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookTrust {
    /// At least one was never trusted.
    Missing,
    /// At least one is not as it was when it was trusted.
    Outdated,
    /// At least one is switched off.
    Disabled,
    /// Codex runs all of them.
    Granted,
}

/// Time-out of a hook that names none, in seconds.
const DEFAULT_TIMEOUT: u64 = 600;
/// Longest time-out of a hook at the end of a session, in seconds.
pub(crate) const SESSION_END_TIMEOUT_MAX: u64 = 3;

/// Returns the trust in the hooks of a file; `None` if no hook of it runs `quipu hook`.
pub(crate) fn hook_trust(path: &Path, hooks: &str, config: Option<&str>) -> Option<HookTrust> {
    let hooks: Value = serde_json::from_str(hooks).ok()?;
    let state = config.and_then(|text| text.parse::<DocumentMut>().ok());
    let events = hooks.get("hooks")?.as_object()?.iter();
    let trusts = events.flat_map(|(event, groups)| {
        let label = snake_case(event);
        let numbered = groups.as_array().map(Vec::as_slice).unwrap_or_default().iter().enumerate();
        let trusts = numbered.flat_map(|(group_index, group)| {
            let own = hooks_of(group).into_iter().enumerate().filter(|(_, it)| is_our_hook(it));
            let trust = |(hook_index, hook): (usize, &Value)| {
                let place = format!("{label}:{group_index}:{hook_index}");
                trust_of(state.as_ref(), path, &place, &hook_hash(&label, group, hook))
            };
            own.map(trust).collect::<Vec<_>>()
        });
        trusts.collect::<Vec<_>>()
    });
    trusts.min()
}

fn trust_of(state: Option<&DocumentMut>, path: &Path, place: &str, hash: &str) -> HookTrust {
    // Codex resolves links in `CODEX_HOME`, and not in the home directory.
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let entry = [path, &real].into_iter().find_map(|path| {
        let table = state?.get("hooks")?.get("state")?;
        table.get(format!("{}:{place}", path.display()))
    });
    let field = |name: &str| entry.and_then(|entry| entry.get(name));
    match field("trusted_hash").and_then(|value| value.as_str()) {
        None => HookTrust::Missing,
        Some(trusted) if trusted != hash => HookTrust::Outdated,
        Some(_) if field("enabled").and_then(|it| it.as_bool()) == Some(false) => {
            HookTrust::Disabled
        }
        Some(_) => HookTrust::Granted,
    }
}

/// Returns the hash that Codex gives a hook of a group.
fn hook_hash(label: &str, group: &Value, hook: &Value) -> String {
    let given = hook.get("timeout").and_then(Value::as_u64).unwrap_or(DEFAULT_TIMEOUT).max(1);
    let most = if label == "session_end" { SESSION_END_TIMEOUT_MAX } else { u64::MAX };
    let mut command = json!({
        "type": "command",
        "command": hook.get("command"),
        "timeout": given.min(most),
        "async": hook.get("async").and_then(Value::as_bool).unwrap_or(false),
    });
    if let Some(message) = hook.get("statusMessage").filter(|message| message.is_string()) {
        command["statusMessage"] = message.clone();
    }
    let mut identity = json!({ "event_name": label, "hooks": [command] });
    let has_matcher = !["user_prompt_submit", "stop", "session_end"].contains(&label);
    if let Some(matcher) = group.get("matcher").filter(|it| has_matcher && it.is_string()) {
        identity["matcher"] = matcher.clone();
    }
    // serde_json keeps the keys of an object sorted.
    let digest = Sha256::digest(identity.to_string());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// Returns the name of an event as Codex writes it in keys: `SessionStart` is `session_start`.
fn snake_case(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes that Codex 0.166.0 reports in `hooks/list` for the hooks of [`hooks`].
    const REPORTED: [(&str, &str); 3] = [
        (
            "session_start:0:0",
            "sha256:d9b7d864d52a25f4ea857efe336af38e3eee257c0586a74622d8bee1eed4b8d5",
        ),
        ("stop:0:1", "sha256:77b7a5309f1e85a3b9809705205002a5905065e60e32874b53e81838eab8799e"),
        (
            "session_end:0:0",
            "sha256:93b7d30f67f9585cd04609ff6f8a70d1bb3dcea00a1186b90bf4fc0ca0957258",
        ),
    ];
    const PATH: &str = "/home/ada/.codex/hooks.json";

    fn hooks() -> String {
        let hook = |event: &str| {
            let command = format!("/opt/quipu hook {event} --client codex --home /tmp/x");
            json!({ "type": "command", "command": command, "timeout": 10 })
        };
        let other = json!({ "type": "command", "command": "echo other" });
        json!({ "hooks": {
            "SessionStart": [{ "hooks": [hook("session-start")] }],
            "Stop": [{ "hooks": [other, hook("turn-end")] }],
            "SessionEnd": [{ "hooks": [hook("session-end")] }],
        }})
        .to_string()
    }

    fn config(entries: &[(&str, &str)]) -> String {
        let entry = |(place, fields): &(&str, &str)| {
            format!("[hooks.state.\"{PATH}:{place}\"]\n{fields}\n")
        };
        entries.iter().map(entry).collect()
    }

    fn trust(entries: &[(&str, &str)]) -> Option<HookTrust> {
        hook_trust(Path::new(PATH), &hooks(), Some(&config(entries)))
    }

    #[test]
    fn hooks_are_trusted_with_the_hashes_that_codex_reports() {
        let fields = REPORTED.map(|(place, hash)| (place, format!("trusted_hash = \"{hash}\"")));
        let entries = fields.each_ref().map(|(place, fields)| (*place, fields.as_str()));
        assert_eq!(trust(&entries), Some(HookTrust::Granted));
        assert_eq!(trust(&entries[1..]), Some(HookTrust::Missing));
        let off = format!("{}\nenabled = false", entries[0].1);
        assert_eq!(
            trust(&[(entries[0].0, &off), entries[1], entries[2]]),
            Some(HookTrust::Disabled)
        );
        let other = [(entries[0].0, "trusted_hash = \"sha256:00\""), entries[1], entries[2]];
        assert_eq!(trust(&other), Some(HookTrust::Outdated));
    }

    #[test]
    fn without_a_state_nothing_is_trusted_and_without_hooks_there_is_nothing_to_trust() {
        let path = Path::new(PATH);
        for config in [None, Some(""), Some("broken ["), Some("[hooks]\nstate = 1\n")] {
            assert_eq!(hook_trust(path, &hooks(), config), Some(HookTrust::Missing), "{config:?}");
        }
        let other = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo"}]}]}}"#;
        for hooks in ["", "{}", "[]", r#"{"hooks":{"Stop":7}}"#, other] {
            assert_eq!(hook_trust(path, hooks, None), None, "{hooks}");
        }
    }
}
