//! The briefing at the start of a session: standing rules, and what changed since the agent was
//! last here, before everything else. "Here" is the project, and the branch where it is known.

use super::{
    BUDGET_MIN, BUDGET_TOKENS, Briefing, BriefingBudget, BriefingScope, RESOURCES, fill_profile,
    newest, notable, open_handoffs, pick,
};
use crate::Memories;
use crate::sessions::{last_moment, newest_memory, visible_sessions};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use model::{Failure, MemoryId, Moment, Page, Permission, Session, Status};
use store::MemoryQuery;

/// Number of sessions among which the last one of the agent is looked for.
const SESSIONS_READ: usize = 50;
/// Number of sessions that are asked for their newest memory.
const SESSIONS_TRIED: usize = 5;
/// Number of memories among which the notable ones are looked for.
const RECENT_MEMORIES: i64 = 5_000;
const RULES_MAX: usize = 6;
const CHANGED_MAX: usize = 5;

/// Input of [`Memories::session_briefing`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionBriefingRequest {
    /// Branch that is checked out. What was said on others comes last.
    pub branch: Option<String>,
    /// [`BUDGET_TOKENS`] when missing.
    pub budget_tokens: Option<usize>,
}

impl<'e> Memories<'e> {
    /// Returns the context for a new session of the caller in its project, without the inventory:
    /// to count a large store takes longer than a session may wait.
    ///
    /// # Errors
    /// Fails when the store cannot answer.
    pub fn session_briefing(
        self,
        caller: &'e Caller,
        input: &'e SessionBriefingRequest,
    ) -> UseCaseFuture<'e, Briefing> {
        Box::pin(async move {
            let call =
                Call::begin_any(self.core, caller, &RESOURCES, Permission::Read, input).await?;
            let tokens = input.budget_tokens.unwrap_or(BUDGET_TOKENS).max(BUDGET_MIN);
            let mut budget = BriefingBudget::new(tokens);
            let scope = BriefingScope {
                project: caller.environment.project.as_deref(),
                branch: input.branch.as_deref(),
            };
            let sessions = RecentSessions::read(&call).await?;
            let mut briefing = Briefing::default();
            fill_profile(&call, &mut budget, &mut briefing).await?;
            let rules = newest(&call, &mut budget, "preference", scope, RULES_MAX, &briefing);
            briefing.rules = rules.await?;
            briefing.handoffs = open_handoffs(&call, &mut budget, scope).await?;
            fill_changed(&call, &mut budget, scope, &sessions, &mut briefing).await?;
            let episode = newest(&call, &mut budget, "episode", scope, 1, &briefing);
            briefing.episode = episode.await?.pop();
            briefing.decisions =
                newest(&call, &mut budget, "decision", scope, 8, &briefing).await?;
            let after = sessions.recent_after(&call).await?;
            briefing.notable = notable(&call, &mut budget, scope, after, &briefing).await?;
            briefing.tokens = tokens - budget.left;
            let shown: Vec<MemoryId> = briefing.memories().map(|memory| memory.id).collect();
            call.note_shown(format!("briefed a session with {}", shown.len()), &shown).await;
            Ok(briefing)
        })
    }
}

/// The recent sessions, the most recently started first.
struct RecentSessions {
    all: Vec<Session>,
}

impl RecentSessions {
    async fn read(call: &Call<'_>) -> Result<Self, Failure> {
        Ok(Self { all: visible_sessions(call, Page::first(SESSIONS_READ)).await?.items })
    }

    /// Returns the caller's last session in a project, other than the one that starts.
    fn last_of_caller(&self, caller: &Caller, project: Option<&str>) -> Option<&Session> {
        let own_key = caller.environment.session.as_deref();
        self.all.iter().find(|session| {
            session.agent == caller.author.agent
                && session.project.as_deref() == project
                && (session.key.is_none() || session.key.as_deref() != own_key)
        })
    }

    /// Returns an id after which the recent memories begin; `None` if no session tells one. To sort
    /// all memories of a large store would take longer than a session may wait.
    async fn recent_after(&self, call: &Call<'_>) -> Result<Option<MemoryId>, Failure> {
        for session in self.all.iter().take(SESSIONS_TRIED) {
            if let Some(newest) = newest_memory(call, session).await? {
                return Ok(Some(MemoryId(newest.id.0.saturating_sub(RECENT_MEMORIES))));
            }
        }
        Ok(None)
    }
}

/// Adds what was written since the agent was last here.
async fn fill_changed(
    call: &Call<'_>,
    budget: &mut BriefingBudget,
    scope: BriefingScope<'_>,
    sessions: &RecentSessions,
    briefing: &mut Briefing,
) -> Result<(), Failure> {
    let Some(last) = sessions.last_of_caller(call.caller, scope.project) else { return Ok(()) };
    let newest = newest_memory(call, last).await?;
    let since = last_moment(last, newest.as_ref());
    briefing.last_here = Some(since);
    let query = MemoryQuery {
        statuses: vec![Status::Active],
        after: newest.map(|memory| memory.id),
        created_from: Some(Moment(since.0.saturating_add(1))),
        ..call.query()
    };
    briefing.changed = pick(call, budget, &query, scope, CHANGED_MAX, briefing).await?;
    Ok(())
}
