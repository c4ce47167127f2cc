//! The JSON that a client sends to a hook. Every field is optional: a client that leaves one out,
//! or sends another type, gets what is possible without it.

use client_setup::{ClientKind, HookEvent};
use serde_json::Value;
use std::path::PathBuf;

/// Content of the JSON that a hook gets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookInput {
    /// Id of the client's session.
    pub session: Option<String>,
    pub cwd: Option<PathBuf>,
    /// Name of the event, as the client writes it.
    pub event_name: Option<String>,
    /// Cause of a start: startup, resume, clear or compact.
    pub source: Option<String>,
    /// Words of the user.
    pub prompt: Option<String>,
    /// Last answer of the model.
    pub answer: Option<String>,
}

impl HookInput {
    /// Reads the input of a hook; what is not JSON tells nothing.
    pub fn parse(client: Option<ClientKind>, event: HookEvent, json: &str) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(json) else { return Self::default() };
        let field = |names: &[&str]| {
            let found = names.iter().find_map(|name| value.get(name)?.as_str());
            found.map(str::to_owned).filter(|text| !text.trim().is_empty())
        };
        let root = value.pointer("/workspace_roots/0").and_then(Value::as_str).map(str::to_owned);
        let answer = match event {
            HookEvent::TurnEnd => field(&["last_assistant_message", "prompt_response", "text"]),
            _ => None,
        };
        let prompt = match event {
            HookEvent::Prompt | HookEvent::TurnEnd => field(&["prompt"]),
            _ => None,
        };
        Self {
            session: field(&["session_id", "conversation_id", "sessionId"]),
            cwd: field(&["cwd"]).or(root).map(PathBuf::from),
            event_name: field(&["hook_event_name"]),
            source: field(&["source"]),
            prompt: prompt.map(|prompt| own_words(client, &prompt)).filter(|text| !text.is_empty()),
            answer,
        }
    }

    /// Returns true if the model has lost what an earlier start told it.
    pub fn has_lost_context(&self) -> bool {
        matches!(self.source.as_deref(), Some("compact" | "clear"))
    }
}

/// Returns a prompt without what hooks added: Gemini CLI sends it with the context of earlier ones.
pub(crate) fn own_words(client: Option<ClientKind>, prompt: &str) -> String {
    const START: &str = "<hook_context>";
    const END: &str = "</hook_context>";
    if client != Some(ClientKind::Gemini) {
        return prompt.trim().to_owned();
    }
    let mut kept = String::new();
    let mut rest = prompt;
    while let Some((before, inside)) = rest.split_once(START) {
        kept.push_str(before);
        rest = inside.split_once(END).map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(client: ClientKind, event: HookEvent, value: &Value) -> HookInput {
        HookInput::parse(Some(client), event, &value.to_string())
    }

    #[test]
    fn the_fields_of_each_client_are_found() {
        let claude = json!({
            "session_id": "s-1", "cwd": "/home/ada/shop", "hook_event_name": "Stop",
            "last_assistant_message": "Done.", "stop_hook_active": false
        });
        let input = parse(ClientKind::ClaudeCode, HookEvent::TurnEnd, &claude);
        assert_eq!(input.session.as_deref(), Some("s-1"));
        assert_eq!(input.cwd, Some(PathBuf::from("/home/ada/shop")));
        assert_eq!(input.answer.as_deref(), Some("Done."));
        let cursor = json!({
            "conversation_id": "c-1", "workspace_roots": ["/home/ada/shop"], "text": "Done."
        });
        let input = parse(ClientKind::Cursor, HookEvent::TurnEnd, &cursor);
        assert_eq!(
            (input.session.as_deref(), input.answer.as_deref()),
            (Some("c-1"), Some("Done."))
        );
        assert_eq!(input.cwd, Some(PathBuf::from("/home/ada/shop")));
        let gemini = json!({ "session_id": "g", "prompt": "Go.", "prompt_response": "Gone." });
        let input = parse(ClientKind::Gemini, HookEvent::TurnEnd, &gemini);
        assert_eq!(
            (input.prompt.as_deref(), input.answer.as_deref()),
            (Some("Go."), Some("Gone."))
        );
    }

    #[test]
    fn context_of_earlier_hooks_is_not_the_users_words() {
        let prompt = "<hook_context>old\n</hook_context>\n\nUse Go. <hook_context>more";
        let gemini = parse(ClientKind::Gemini, HookEvent::Prompt, &json!({ "prompt": prompt }));
        assert_eq!(gemini.prompt.as_deref(), Some("Use Go."));
    }

    #[test]
    fn anything_that_is_not_expected_tells_nothing() {
        for text in ["", "{", "[]", "null", "{\"session_id\": 7, \"prompt\": [\"x\"]}"] {
            let input = HookInput::parse(None, HookEvent::Prompt, text);
            assert_eq!(input, HookInput::default(), "{text}");
        }
    }
}
