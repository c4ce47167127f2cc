//! Project, directory and session of a client, as far as its requests tell them: Codex names its
//! session and its directories in `_meta` of every call, and other clients can be configured to
//! send a header. What the environment of a local process says takes precedence.

use axum::http::HeaderMap;
use engine::ClientEnvironment;
use model::{JsonMap, limits};
use serde_json::Value;

/// Header with the name of a project, or with a directory whose last part is the name.
const PROJECT_HEADER: &str = "x-quipu-project";
/// Fields of `_meta` that name a session, the first one first.
const SESSION_FIELDS: [&str; 2] = ["sessionId", "threadId"];
/// Field of `_meta` with the directories that Codex works in.
const CODEX_TURN: &str = "x-codex-turn-metadata";
/// Length of a directory beyond which it is ignored.
const DIRECTORY_BYTES_MAX: usize = 4_096;

/// Adds what a request tells to what is known of the client's environment.
pub(crate) fn add_sent_environment(
    environment: &mut ClientEnvironment,
    meta: &JsonMap,
    headers: Option<&HeaderMap>,
) {
    let sent = |field: &&str| meta.get(*field).and_then(Value::as_str).and_then(short_name);
    if environment.session.is_none() {
        environment.session = SESSION_FIELDS.iter().find_map(sent);
    }
    if environment.project.is_some() {
        return;
    }
    let directory = codex_directory(meta);
    let header = headers
        .and_then(|headers| headers.get(PROJECT_HEADER))
        .and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
    environment.project = header.or(directory.as_deref()).and_then(project_name);
    if environment.cwd.is_none() {
        environment.cwd = directory.or(header.filter(|sent| is_directory(sent)).map(str::to_owned));
    }
}

/// Returns the first directory that Codex works in. It sends them as an object, or as its text.
fn codex_directory(meta: &JsonMap) -> Option<String> {
    let turn = match meta.get(CODEX_TURN)? {
        Value::String(text) => serde_json::from_str(text).ok()?,
        other => other.clone(),
    };
    let directories = turn.get("workspaces")?.as_object()?;
    let known = |path: &&String| path.len() <= DIRECTORY_BYTES_MAX;
    directories.keys().find(known).cloned()
}

fn is_directory(text: &str) -> bool {
    text.contains(['/', '\\'])
}

/// Returns the last part of a directory, or the name itself.
pub(crate) fn project_name(sent: &str) -> Option<String> {
    let trimmed = sent.trim().trim_end_matches(['/', '\\']);
    short_name(trimmed.rsplit(['/', '\\']).next().unwrap_or_default())
}

fn short_name(sent: &str) -> Option<String> {
    let name = sent.trim();
    // A configuration whose variable is not set sends it as it is written.
    let is_unset = name.starts_with("${") || name.starts_with('$');
    let fits = !name.is_empty() && name.chars().count() <= limits::NAME_CHARS;
    (fits && !is_unset && !name.chars().any(char::is_control)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn environment(meta: Value, header: Option<&str>) -> ClientEnvironment {
        let Value::Object(meta) = meta else { panic!("`_meta` is an object") };
        let mut headers = HeaderMap::new();
        if let Some(header) = header {
            headers.insert(PROJECT_HEADER, header.parse().unwrap());
        }
        let mut environment = ClientEnvironment::default();
        add_sent_environment(&mut environment, &meta, Some(&headers));
        environment
    }

    #[test]
    fn codex_names_its_session_and_its_directory() {
        let turn = json!({ "workspaces": { "/home/ada/shop": {} } });
        for turn in [turn.clone(), turn.to_string().into()] {
            let sent = environment(json!({ "threadId": "t-1", CODEX_TURN: turn }), None);
            assert_eq!(sent.session.as_deref(), Some("t-1"));
            assert_eq!(sent.project.as_deref(), Some("shop"));
            assert_eq!(sent.cwd.as_deref(), Some("/home/ada/shop"));
        }
    }

    #[test]
    fn a_header_names_a_project_or_its_directory() {
        for (header, project) in [
            ("shop", Some("shop")),
            ("/home/ada/shop/", Some("shop")),
            ("C:\\work\\shop", Some("shop")),
            ("${PWD}", None),
            ("", None),
            ("/", None),
        ] {
            assert_eq!(environment(json!({}), Some(header)).project.as_deref(), project);
        }
    }

    #[test]
    fn what_is_known_already_is_kept() {
        let mut known =
            ClientEnvironment { project: Some("api".into()), session: Some("s".into()), cwd: None };
        let meta = json!({ "sessionId": "other", CODEX_TURN: { "workspaces": { "/x/shop": {} } } });
        add_sent_environment(&mut known, meta.as_object().unwrap(), None);
        assert_eq!((known.project.as_deref(), known.session.as_deref()), (Some("api"), Some("s")));
    }

    #[test]
    fn a_value_of_another_type_or_length_is_ignored() {
        let meta = json!({ "sessionId": 7, "threadId": "x".repeat(10_000), CODEX_TURN: [1] });
        assert_eq!(environment(meta, None), ClientEnvironment::default());
    }
}
