//! Sessions of an intake, recognized by a key of their own. They keep their number where it is
//! free.

use super::Intake;
use crate::Transfer;
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, MemoryId, NewSession, Permission, Session, SessionId};
use store::{Change, ChangeResult, Ref};

/// Number of sessions that are started in one batch.
const SESSIONS_AT_ONCE: usize = 500;

/// A session to take in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingSession {
    /// Number in the other program.
    pub number: u32,
    /// Key by which a second intake recognizes it.
    pub key: String,
    /// Memory that sums it up, by its id in the other program.
    pub episode: Option<u64>,
}

impl<'e> Transfer<'e> {
    /// Starts the sessions that do not exist yet.
    ///
    /// # Errors
    /// Fails when the store cannot write.
    pub fn intake_sessions(
        self,
        caller: &'e Caller,
        intake: &'e mut Intake,
        sessions: &'e [IncomingSession],
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Memories(None),
                Permission::Write,
                &sessions,
            )
            .await?;
            call.admit_whole(Resource::Memories(None), Permission::Write).await?;
            let mut new = Vec::new();
            for session in sessions {
                match call.store().session_by_key(&session.key).await? {
                    // Its key marks a session of an earlier intake of the same file.
                    Some(known) => _ = intake.sessions.insert(session.number, known.id),
                    None => new.push(session_to_start(&call, session).await?),
                }
            }
            // Those with a number come first, so that no other session is given it before.
            new.sort_by_key(|(_, new)| new.id.is_none());
            for some in new.chunks(SESSIONS_AT_ONCE) {
                let starts = some.iter().map(|(_, new)| Change::StartSession(new.clone()));
                let note = format!("took in {} sessions", some.len());
                let committed = call.write(note, starts.collect()).await?;
                let ids = committed.results.iter().map(ChangeResult::session);
                for ((number, _), id) in some.iter().zip(ids) {
                    let id = id.ok_or_else(|| internal("the store returned no session"))?;
                    intake.sessions.insert(*number, id);
                    intake.started_sessions.insert(*number);
                }
                intake.outcome.sessions += some.len();
            }
            Ok(())
        })
    }

    /// Ends the sessions that this intake started and that have an episode, once their memories and
    /// links are in.
    ///
    /// # Errors
    /// Fails when the store cannot write.
    pub fn end_incoming_sessions(
        self,
        caller: &'e Caller,
        intake: &'e Intake,
        sessions: &'e [IncomingSession],
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Memories(None),
                Permission::Write,
                &sessions,
            )
            .await?;
            call.admit_whole(Resource::Memories(None), Permission::Write).await?;
            let ends: Vec<Change> =
                sessions.iter().filter_map(|session| intake.end_change(session)).collect();
            if !ends.is_empty() {
                call.write(format!("ended {} sessions", ends.len()), ends).await?;
            }
            // One that no part was linked to has nothing to say.
            call.refresh_extracts(&intake.extracts).await?;
            Ok(())
        })
    }
}

impl Intake {
    fn end_change(&self, session: &IncomingSession) -> Option<Change> {
        let id = self
            .sessions
            .get(&session.number)
            .filter(|_| self.started_sessions.contains(&session.number))?;
        let episode: MemoryId = self.ids_by_number.get(&session.episode?).copied()?;
        Some(Change::EndSession { session: Ref::Id(*id), episode: Some(Ref::Id(episode)) })
    }
}

/// Returns the number of a session in the other program with the session to start.
async fn session_to_start(
    call: &Call<'_>,
    session: &IncomingSession,
) -> Result<(u32, NewSession), Failure> {
    // Agents know their sessions by number, so it is kept where no other session has it.
    let number = SessionId(i64::from(session.number));
    let taken: Option<Session> = call.store().session(number).await?;
    let id = taken.is_none().then_some(number);
    let key = Some(session.key.clone());
    Ok((session.number, NewSession { id, key, ..NewSession::default() }))
}
