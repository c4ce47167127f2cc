//! Names of sessions, as callers give them: a key, or a number as text.

use super::{SessionRef, find_session};
use crate::Sessions;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, Permission, SessionId};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

impl<'e> Sessions<'e> {
    /// Resolves a name: the session with this key, else with this number, else a new one with this
    /// key. An empty name means the client's own session.
    ///
    /// # Errors
    /// `invalid_argument` when the name is empty and the client reports no session.
    pub fn resolve_session_name(
        self,
        caller: &'e Caller,
        name: &'e str,
    ) -> UseCaseFuture<'e, SessionRef> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &name)
                    .await?;
            let name = match (name.trim(), caller.environment.session.as_deref()) {
                ("", Some(stated)) if !stated.trim().is_empty() => stated.trim(),
                ("", _) => {
                    return Err(Failure::invalid(
                        "session_id is required; give the session a name",
                    ));
                }
                (named, _) => named,
            };
            // The key comes first: a client may have chosen digits as the key of its session.
            let by_key = SessionRef::Key(name.to_owned());
            let by_number = SessionRef::parse(name);
            if by_number == by_key || find_session(&call, &by_key).await?.is_some() {
                return Ok(by_key);
            }
            let numbered = find_session(&call, &by_number).await?.is_some();
            Ok(if numbered { by_number } else { by_key })
        })
    }

    /// Returns the names of sessions: the key if there is one, else the number.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn session_names(
        self,
        caller: &'e Caller,
        sessions: &'e [SessionId],
    ) -> UseCaseFuture<'e, HashMap<SessionId, String>> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Memories(None),
                Permission::Read,
                &sessions,
            )
            .await?;
            let mut names = HashMap::new();
            for &id in sessions {
                if let Entry::Vacant(unknown) = names.entry(id) {
                    let key = find_session(&call, &SessionRef::Id(id))
                        .await?
                        .and_then(|session| session.key);
                    unknown.insert(key.unwrap_or_else(|| id.to_string()));
                }
            }
            Ok(names)
        })
    }
}
