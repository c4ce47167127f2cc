//! Usage statistics for the owner: recalls per day, calls and tokens per agent, the agents a memory
//! was shown to, questions without an answer, and the newest ones. Only the owner in person may
//! read them. The words of a question are stored while it has no answer or is one of the newest,
//! and only if the owner allows it.

use crate::Admin;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::{Core, QUESTION_RETENTION};
use guard::Resource;
use model::{AgentName, Failure, Listing, MemoryId, Moment, Page, Permission, QuestionId, limits};
use std::collections::BTreeMap;
use store::{Change, DailyAgentUsage, RecentQuestion, Showing, UnansweredQuestion};

/// Recalls per day and calls per agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Activity {
    /// The last days, oldest first; a day begins at midnight UTC.
    pub days: Vec<DailyUsage>,
    /// Agents seen in these days, the most recently seen first.
    pub agents: Vec<AgentUsage>,
}

/// Recalls of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyUsage {
    pub day: Moment,
    pub recalls: usize,
    /// Recalls without a result.
    pub empty: usize,
}

/// Calls, tokens and recalls of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentUsage {
    pub agent: AgentName,
    pub calls: usize,
    /// Estimated tokens returned to the agent.
    pub tokens: usize,
    pub recalls: usize,
    /// Recalls without a result.
    pub empty: usize,
    pub last: Moment,
}

impl Activity {
    /// Returns the number of recalls without a result, and the number of all recalls.
    #[must_use]
    pub fn empty_and_total_recalls(&self) -> (usize, usize) {
        self.days.iter().fold((0, 0), |(empty, all), day| (empty + day.empty, all + day.recalls))
    }
}

impl<'e> Admin<'e> {
    /// Returns recalls per day and calls per agent for the last `days`.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn activity(self, caller: &'e Caller, days: usize) -> UseCaseFuture<'e, Activity> {
        Box::pin(async move {
            let call = begin_read(self.core, caller, &("activity", days)).await?;
            // The counts still in memory belong to today; without them the last bar of the chart
            // lags.
            self.core.flush_usage().await;
            let days = i64::try_from(days).unwrap_or(i64::MAX).clamp(1, limits::USAGE_DAYS);
            let first = call.at.plus_days(-(days - 1));
            let usage = call.store().usage(first).await?;
            Ok(Activity { days: by_day(&usage, first, days), agents: by_agent(usage) })
        })
    }

    /// Returns the agents a memory was shown to recently, newest first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn memory_showings(
        self,
        caller: &'e Caller,
        memory: MemoryId,
    ) -> UseCaseFuture<'e, Vec<Showing>> {
        Box::pin(async move {
            begin_read(self.core, caller, &("shown", memory)).await?;
            self.core.flush_usage().await;
            self.core.store_of(&caller.owner).showings(memory).await
        })
    }

    /// Returns questions that still have no answer, the most recent first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn unanswered_questions(
        self,
        caller: &'e Caller,
        page: Page,
    ) -> UseCaseFuture<'e, Listing<UnansweredQuestion>> {
        Box::pin(async move {
            begin_read(self.core, caller, &("unanswered", page)).await?;
            self.core.flush_usage().await;
            self.core.store_of(&caller.owner).unanswered_questions(page.capped()).await
        })
    }

    /// Returns the words of the newest questions, newest first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn recent_questions(self, caller: &'e Caller) -> UseCaseFuture<'e, Vec<RecentQuestion>> {
        Box::pin(async move {
            begin_read(self.core, caller, &"recent questions").await?;
            self.core.store_of(&caller.owner).recent_questions().await
        })
    }

    /// Removes an unanswered question.
    ///
    /// # Errors
    /// `not_found` when there is no such question.
    pub fn dismiss_question(
        self,
        caller: &'e Caller,
        question: QuestionId,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = begin_write(self.core, caller, &("dismiss", question)).await?;
            let change = Change::DropQuestions { questions: vec![question] };
            call.write(format!("dismissed question {question}"), vec![change]).await?;
            Ok(())
        })
    }

    /// Sets whether the words of questions are stored. Turning it off deletes the stored ones.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn set_question_retention(self, caller: &'e Caller, keep: bool) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = begin_write(self.core, caller, &("keep questions", keep)).await?;
            // Pending notes first: one written after the deletion would bring a question back.
            self.core.flush_usage().await;
            let mut changes = vec![Change::PutSetting {
                name: QUESTION_RETENTION.to_owned(),
                value: keep.into(),
            }];
            if !keep {
                changes.push(Change::DropQuestions { questions: Vec::new() });
            }
            let verb = if keep { "stores" } else { "does not store" };
            call.write(format!("{verb} the words of questions"), changes).await?;
            Ok(())
        })
    }

    /// Returns whether the words of questions are stored; true unless the owner turned it off.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn question_retention(self, caller: &'e Caller) -> UseCaseFuture<'e, bool> {
        Box::pin(async move {
            begin_read(self.core, caller, &"questions kept").await?;
            self.core.retains_questions(caller).await
        })
    }

    /// Counts an answer of about `tokens` tokens that an agent received.
    pub fn note_served(self, caller: &Caller, tokens: usize) {
        self.core.note_served(&caller.owner, &caller.author.agent, tokens);
    }
}

async fn begin_read<'e>(
    core: &'e Core,
    caller: &'e Caller,
    arguments: &(dyn std::fmt::Debug + Sync),
) -> Result<Call<'e>, Failure> {
    Call::begin(core, caller, Resource::Administration, Permission::Read, arguments).await
}

async fn begin_write<'e>(
    core: &'e Core,
    caller: &'e Caller,
    arguments: &(dyn std::fmt::Debug + Sync),
) -> Result<Call<'e>, Failure> {
    Call::begin(core, caller, Resource::Administration, Permission::Write, arguments).await
}

fn by_day(usage: &[DailyAgentUsage], first: Moment, days: i64) -> Vec<DailyUsage> {
    let first = first.day_number();
    let of = |day: Moment| {
        let that = usage.iter().filter(|one| one.day == day);
        let (recalls, empty) =
            that.fold((0, 0), |(all, empty), one| (all + one.recalls, empty + one.empty));
        DailyUsage { day, recalls, empty }
    };
    (first..first + days).map(|day| of(Moment::from_day_number(day))).collect()
}

fn by_agent(usage: Vec<DailyAgentUsage>) -> Vec<AgentUsage> {
    let mut agents: BTreeMap<AgentName, AgentUsage> = BTreeMap::new();
    for DailyAgentUsage { agent, calls, tokens, recalls, empty, last, day: _ } in usage {
        let nothing =
            || AgentUsage { agent: agent.clone(), calls: 0, tokens: 0, recalls: 0, empty: 0, last };
        let sum = agents.entry(agent.clone()).or_insert_with(nothing);
        sum.calls += calls;
        sum.tokens += tokens;
        sum.recalls += recalls;
        sum.empty += empty;
        sum.last = sum.last.max(last);
    }
    let mut agents: Vec<AgentUsage> = agents.into_values().collect();
    agents.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.agent.cmp(&b.agent)));
    agents
}
