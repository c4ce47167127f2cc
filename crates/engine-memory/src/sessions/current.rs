//! The current session of a caller, for dialects whose tools name none: the one it started last,
//! else its client's. It is stored under the agent's name, so that any process can answer the next
//! call.

use super::join::{find, find_existing, is_visible, resolve_session};
use crate::Sessions;
use crate::sessions::SessionRef;
use crate::sessions::StartSessionOutcome;
use crate::sessions::StartSessionRequest;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, Permission, Session, SessionId};
use serde_json::Value;
use store::Change;

impl<'e> Sessions<'e> {
    /// Returns the caller's current session, also after it ended; `None` before anything was
    /// written in it.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn current(self, caller: &'e Caller) -> UseCaseFuture<'e, Option<Session>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &())
                    .await?;
            match session_of_caller(&call).await? {
                Some(session) => match find(&call, &session).await? {
                    Some(found) if is_visible(&call, &found).await? => Ok(Some(found)),
                    _ => Ok(None),
                },
                None => Ok(None),
            }
        })
    }

    /// Returns the session for the caller's next write. A new one starts with that write, so that a
    /// failed write leaves no empty session. After an end, another session starts.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn session_to_join(self, caller: &'e Caller) -> UseCaseFuture<'e, SessionRef> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &())
                    .await?;
            if let Some(session) = session_of_caller(&call).await?
                && find(&call, &session).await?.is_none_or(|found| found.ended_at.is_none())
            {
                return Ok(session);
            }
            // Stored before the write that starts the session: the next call may reach another
            // process.
            let key = fresh_key(&call).await?;
            store_current(&call, key.as_str().into()).await?;
            Ok(SessionRef::Key(key))
        })
    }

    /// Starts a session, a new one unless it is named, and makes it the caller's current one.
    ///
    /// # Errors
    /// As [`Sessions::start`].
    pub fn enter(
        self,
        caller: &'e Caller,
        input: &'e StartSessionRequest,
    ) -> UseCaseFuture<'e, StartSessionOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                    .await?;
            let session = match &input.session {
                Some(named) => named.clone(),
                None => SessionRef::Key(new_key(&call).await?),
            };
            let input = StartSessionRequest { session: Some(session), ..input.clone() };
            let started = self.start(caller, &input).await?;
            store_current(&call, started.session.id.0.into()).await?;
            Ok(started)
        })
    }

    /// Leaves the current session: the next write goes to the client's own session, or starts one.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn leave(self, caller: &'e Caller) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &())
                    .await?;
            if stored_session(&call).await?.is_some() {
                store_current(&call, Value::Null).await
            } else {
                Ok(())
            }
        })
    }
}

/// Returns the current session: the one the caller started, if it still exists, else its client's.
async fn session_of_caller(call: &Call<'_>) -> Result<Option<SessionRef>, Failure> {
    let started = match stored_session(call).await? {
        Some(SessionRef::Id(id)) => {
            find(call, &SessionRef::Id(id)).await?.map(|found| SessionRef::Id(found.id))
        }
        key => key,
    };
    let reported =
        || resolve_session(call.caller, None).and_then(|session| session.key).map(SessionRef::Key);
    Ok(started.or_else(reported))
}

/// Returns a key for a new session: the client's own if it is free.
async fn new_key(call: &Call<'_>) -> Result<String, Failure> {
    if let Some(own) = resolve_session(call.caller, None)
        && find_existing(call, &own).await?.is_none()
        && let Some(key) = own.key
    {
        return Ok(key);
    }
    fresh_key(call).await
}

/// Returns an unused key: the sequence number grows with every write of this owner.
async fn fresh_key(call: &Call<'_>) -> Result<String, Failure> {
    let seq = call.store().seq().await?;
    Ok(format!("{} {} {}", call.caller.author.agent, call.at.0, seq.next()))
}

async fn stored_session(call: &Call<'_>) -> Result<Option<SessionRef>, Failure> {
    let value = call.store().setting(&setting_name(call.caller)).await;
    Ok(match value? {
        Some(Value::Number(number)) => number.as_i64().map(|id| SessionRef::Id(SessionId(id))),
        Some(Value::String(key)) => Some(SessionRef::Key(key)),
        _ => None,
    })
}

async fn store_current(call: &Call<'_>, value: Value) -> Result<(), Failure> {
    let name = setting_name(call.caller);
    call.write("entered a session", vec![Change::PutSetting { name, value }]).await?;
    Ok(())
}

/// Returns the setting with the current session of an agent, one for each session of its client.
fn setting_name(caller: &Caller) -> String {
    // Hashed, because the client's session key may be of any length and content.
    let session = caller.environment.session.as_deref().unwrap_or_default();
    let whose = format!("{}\n{session}", caller.author.agent);
    format!("session of {}", model::ContentHash::of_bytes(whose.as_bytes()))
}
