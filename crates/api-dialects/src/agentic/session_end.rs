//! `session_end`: ends a session with an episode that summarizes it.

use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::sessions::{EndSessionOutcome, EndSessionRequest, EpisodeSource, SessionRef};
use engine::{Caller, Engine};
use model::{ErrorCode, Failure, JsonMap, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `session_end`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the session; default: the current one.
    session_id: Option<i64>,
    /// Summarize it in an episode.
    #[schemars(extend("default" = true))]
    create_episode: Option<bool>,
    /// Summary of what was done, decided and left open; default: extracted from the session.
    summary: Option<String>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "session_end",
    title: "End a session",
    description: "End a session with an episode, the summary that the next session starts with; \
                  its nodes become part_of it. Example: {\"summary\": \"Moved billing to Postgres; \
                  two tests are still red.\"}",
    input: arguments::schema::<Arguments>,
    output: "session_id: integer|null, episode_node_id: integer|null, summary?: string, \
             message: string, notes?: strings",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let session = match arguments.session_id {
        Some(id) => Some(SessionRef::Id(SessionId(id))),
        None => engine.sessions().current(caller).await?.map(|current| SessionRef::Id(current.id)),
    };
    let summary = arguments::non_empty(arguments.summary);
    let episode = match (arguments.create_episode, &summary) {
        // An explicit false wins over a summary; a note reports the discarded summary.
        (Some(false), _) => EpisodeSource::None,
        (_, Some(summary)) => EpisodeSource::Written(summary.clone()),
        (_, None) => default_episode(engine, caller, session.as_ref()).await?,
    };
    let input = EndSessionRequest { session, episode, title: None };
    let ended = match engine.sessions().end(caller, &input).await {
        // Ended all the same, so that a caller who may not is refused and the call is logged.
        Err(failure) if is_without_session(&input, &failure) => {
            return Ok(nothing_ended(arguments.session_id));
        }
        ended => ended?,
    };
    let verb = if ended.already_ended { "had already ended" } else { "ended" };
    let mut answer = json!({
        "session_id": ended.session.id.0,
        "episode_node_id": ended.episode.as_ref().map(|memory| memory.id.0),
        "message": format!("Session {} {verb}", ended.session.id),
    });
    if let Some(memory) = &ended.episode {
        answer["summary"] = memory.text.as_str().into();
    }
    let note = summary
        .as_deref()
        .and_then(|summary| discarded_summary_note(&ended, summary, &input.episode));
    let notes: Vec<String> = note.into_iter().chain(ended.notes).collect();
    if !notes.is_empty() {
        answer["notes"] = json!(notes);
    }
    Ok(answer)
}

/// Returns a note on why a summary was discarded, if it was.
fn discarded_summary_note(
    ended: &EndSessionOutcome,
    summary: &str,
    episode: &EpisodeSource,
) -> Option<String> {
    match (episode, &ended.episode) {
        (EpisodeSource::None, _) => {
            Some("create_episode is false, so your summary was not stored".to_owned())
        }
        (_, Some(known)) if ended.already_ended && known.text.trim() != summary => Some(format!(
            "the session already has an episode, so your summary was not stored; \
             correct node {} to change it",
            known.id
        )),
        _ => None,
    }
}

/// Returns whether a call failed because there is no session to end.
fn is_without_session(input: &EndSessionRequest, failure: &Failure) -> bool {
    let none_given = input.session.is_none() && failure.code == ErrorCode::InvalidArgument;
    none_given || failure.code == ErrorCode::NotFound
}

/// Returns the result of a call that found no session to end.
fn nothing_ended(asked: Option<i64>) -> Value {
    let message = match asked {
        Some(id) => format!("There is no session {id}; nothing was ended"),
        None => "You are in no session; nothing was ended".to_owned(),
    };
    json!({ "session_id": null, "episode_node_id": null, "message": message })
}

/// Returns the episode of a session that ends without a summary: extracted from its nodes, or a
/// sentence saying that it was empty.
async fn default_episode(
    engine: &Engine,
    caller: &Caller,
    session: Option<&SessionRef>,
) -> Result<EpisodeSource, Failure> {
    let Some(session) = session else { return Ok(EpisodeSource::None) };
    let view = match engine.sessions().get(caller, session).await {
        Err(failure) if failure.code == ErrorCode::NotFound => return Ok(EpisodeSource::None),
        found => found?,
    };
    if view.memories > 0 {
        return Ok(EpisodeSource::Extracted);
    }
    Ok(EpisodeSource::Written(format!(
        "Session {} ended; nothing was recorded in it.",
        view.session.id
    )))
}
