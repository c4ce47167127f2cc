//! Rendering of memories under the names of the contract. Sessions appear by name, so the names are
//! looked up first.

pub(super) use crate::optional_fields::{insert_non_empty, insert_notes, insert_some};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, SessionId};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Names of the sessions of a set of memories.
pub(super) struct SessionNames(HashMap<SessionId, String>);

impl SessionNames {
    /// Looks up the names of the sessions of the given memories.
    pub async fn load<'m>(
        engine: &Engine,
        caller: &Caller,
        memories: impl Iterator<Item = &'m Memory>,
    ) -> Result<Self, Failure> {
        let ids: Vec<SessionId> = memories.filter_map(|memory| memory.session).collect();
        Ok(Self(engine.sessions().session_names(caller, &ids).await?))
    }

    fn name(&self, session: Option<SessionId>) -> Option<&str> {
        self.0.get(&session?).map(String::as_str)
    }

    /// Renders a memory.
    pub fn memory(&self, memory: &Memory) -> JsonMap {
        let mut shown = JsonMap::new();
        shown.insert("id".into(), memory.id.0.into());
        shown.insert("session_id".into(), json!(self.name(memory.session)));
        shown.insert("kind".into(), memory.kind.as_str().into());
        shown.insert("content".into(), memory.text.as_str().into());
        shown.insert("summary".into(), json!(memory.summary));
        shown.insert("tags".into(), memory.tags.join(",").into());
        shown.insert("priority".into(), memory.priority.into());
        shown.insert("metadata".into(), json!(memory.metadata));
        shown.insert("created_at".into(), memory.provenance.at.to_string().into());
        shown.insert("agent".into(), memory.provenance.author.agent.as_str().into());
        insert_some(&mut shown, "title", memory.title.as_deref().map(Value::from));
        insert_some(&mut shown, "flags", (memory.flags > 0).then(|| memory.flags.into()));
        shown
    }
}
