//! The output of a hook, in the form that each client reads.

use crate::hook_input::HookInput;
use client_setup::{ClientKind, HookEvent};
use serde_json::json;

/// Length in bytes that a context is kept to.
pub const OUTPUT_BYTES: usize = 2_000;
/// Length in characters that no output exceeds. Claude Code replaces a longer one by a preview.
pub const OUTPUT_CHARS_MAX: usize = 9_000;

/// Returns what to print so that the model reads a context; empty if the client cannot take one at
/// this event.
pub fn render_context(
    client: Option<ClientKind>,
    event: HookEvent,
    input: &HookInput,
    context: &str,
) -> String {
    if !matches!(event, HookEvent::SessionStart | HookEvent::Prompt) || context.is_empty() {
        return String::new();
    }
    let Some(client) = client else { return checked(context.to_owned()) };
    let native = event.native_name(client).unwrap_or(event.name());
    let name = input.event_name.as_deref().unwrap_or(native);
    checked(match (client, event) {
        (ClientKind::Cursor, HookEvent::SessionStart) => {
            json!({ "additional_context": context }).to_string()
        }
        // Its other events take no context.
        (ClientKind::Cursor, _) => String::new(),
        (ClientKind::OpenCode, _) => json!({ "context": context }).to_string(),
        _ => json!({
            "hookSpecificOutput": { "hookEventName": name, "additionalContext": context }
        })
        .to_string(),
    })
}

/// Returns an output, or nothing if it is too long: a part of JSON is worse than none.
fn checked(output: String) -> String {
    if output.chars().count() > OUTPUT_CHARS_MAX { String::new() } else { output }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn render(client: ClientKind, event: HookEvent) -> Value {
        let text = render_context(Some(client), event, &HookInput::default(), "x \"y\"\n");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    #[test]
    fn each_client_gets_its_own_form() {
        for client in [ClientKind::ClaudeCode, ClientKind::Codex, ClientKind::Gemini] {
            let output = render(client, HookEvent::SessionStart);
            assert_eq!(output["hookSpecificOutput"]["hookEventName"], "SessionStart");
            assert_eq!(output["hookSpecificOutput"]["additionalContext"], "x \"y\"\n");
        }
        let prompt = render(ClientKind::Gemini, HookEvent::Prompt);
        assert_eq!(prompt["hookSpecificOutput"]["hookEventName"], "BeforeAgent");
        let cursor = render(ClientKind::Cursor, HookEvent::SessionStart);
        assert_eq!(cursor["additional_context"], "x \"y\"\n");
        assert_eq!(render(ClientKind::OpenCode, HookEvent::Prompt)["context"], "x \"y\"\n");
    }

    #[test]
    fn other_events_and_outputs_that_are_too_long_print_nothing() {
        let input = HookInput::default();
        for event in [HookEvent::TurnEnd, HookEvent::Compaction, HookEvent::SessionEnd] {
            assert_eq!(render_context(Some(ClientKind::Codex), event, &input, "x"), "");
        }
        let long = "x".repeat(OUTPUT_CHARS_MAX + 1);
        assert_eq!(render_context(None, HookEvent::Prompt, &input, &long), "");
    }
}
