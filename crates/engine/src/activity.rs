//! Usage statistics for the owner: recalls per day, calls and tokens per agent, the agents a memory
//! was shown to, and questions without an answer. Only the owner in person may read them. The words
//! of a question are stored only while it has no answer, and only if the owner allows it.

use crate::call::{Call, read_failure};
use crate::{Caller, Engine};
use guard::Resource;
use model::{AgentName, Failure, Listing, MemoryId, Moment, Page, Permission, QuestionId, limits};
use std::collections::BTreeMap;
use store::{Asked, Change, Showing, Unanswered, Usage};

// The key is stored in the owner's settings and must not change.
const KEEP_QUESTIONS: &str = "keep_questions";
const SECONDS_PER_DAY: i64 = 86_400;

/// Recalls per day and calls per agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Activity {
    /// The last days, oldest first; a day begins at midnight UTC.
    pub days: Vec<DayOfUse>,
    /// Agents seen in these days, the most recently seen first.
    pub agents: Vec<AgentUse>,
}

/// Recalls of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayOfUse {
    pub day: Moment,
    pub recalls: usize,
    /// Recalls without a result.
    pub empty: usize,
}

/// Calls, tokens and recalls of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentUse {
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
    pub fn empty_of_all(&self) -> (usize, usize) {
        self.days.iter().fold((0, 0), |(empty, all), day| (empty + day.empty, all + day.recalls))
    }
}

impl Engine {
    /// Returns recalls per day and calls per agent for the last `days`.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn activity(&self, caller: &Caller, days: usize) -> Result<Activity, Failure> {
        let call = looking(self, caller, &("activity", days)).await?;
        // The counts still in memory belong to today; without them the last bar of the chart lags.
        self.uses.flush().await;
        let days = i64::try_from(days).unwrap_or(i64::MAX).clamp(1, limits::USAGE_DAYS);
        let first = call.at.plus_seconds(-(days - 1) * SECONDS_PER_DAY);
        let usage = self.store.usage(&caller.owner, first).await.map_err(read_failure)?;
        Ok(Activity { days: by_day(&usage, first, days), agents: by_agent(usage) })
    }

    /// Returns the agents a memory was shown to recently, newest first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn shown_to(
        &self,
        caller: &Caller,
        memory: MemoryId,
    ) -> Result<Vec<Showing>, Failure> {
        looking(self, caller, &("shown", memory)).await?;
        self.uses.flush().await;
        self.store.showings(&caller.owner, memory).await.map_err(read_failure)
    }

    /// Returns questions that still have no answer, the most recent first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn unanswered(
        &self,
        caller: &Caller,
        page: Page,
    ) -> Result<Listing<Unanswered>, Failure> {
        looking(self, caller, &("unanswered", page)).await?;
        self.uses.flush().await;
        self.store.questions(&caller.owner, page.capped()).await.map_err(read_failure)
    }

    /// Removes an unanswered question.
    ///
    /// # Errors
    /// `not_found` when there is no such question.
    pub async fn dismiss_question(
        &self,
        caller: &Caller,
        question: QuestionId,
    ) -> Result<(), Failure> {
        let call = changing(self, caller, &("dismiss", question)).await?;
        let change = Change::DropQuestions { questions: vec![question] };
        call.write(format!("dismissed question {question}"), vec![change]).await?;
        Ok(())
    }

    /// Sets whether the words of unanswered questions are stored. Turning it off deletes the stored
    /// ones.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn keep_questions(&self, caller: &Caller, keep: bool) -> Result<(), Failure> {
        let call = changing(self, caller, &("keep questions", keep)).await?;
        // Pending notes first: one written after the deletion would bring a question back.
        self.uses.flush().await;
        let mut changes =
            vec![Change::PutSetting { name: KEEP_QUESTIONS.to_owned(), value: keep.into() }];
        if !keep {
            changes.push(Change::DropQuestions { questions: Vec::new() });
        }
        let told = if keep { "stores" } else { "does not store" };
        call.write(format!("{told} unanswered questions"), changes).await?;
        Ok(())
    }

    /// Returns whether the words of unanswered questions are stored; true unless the owner turned
    /// it off.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn are_questions_kept(&self, caller: &Caller) -> Result<bool, Failure> {
        looking(self, caller, &"questions kept").await?;
        self.questions_kept(caller).await
    }

    /// Counts an answer of about `tokens` tokens that an agent received.
    pub fn note_served(&self, caller: &Caller, tokens: usize) {
        self.uses.served(&caller.owner, &caller.author.agent, self.clock.now(), tokens);
    }

    /// Returns what is logged about a question. A question that contains a secret is only counted.
    pub(crate) async fn asked(
        &self,
        call: &Call<'_>,
        question: &str,
        found: usize,
    ) -> Result<Asked, Failure> {
        // A question with results is always passed on: it removes the stored unanswered one.
        let kept = found > 0 || self.questions_kept(call.caller).await?;
        let mut words = question.trim().to_owned();
        let fit = kept && call.screen().text("query", &mut words).is_ok();
        Ok(Asked { question: fit.then_some(words), found })
    }

    async fn questions_kept(&self, caller: &Caller) -> Result<bool, Failure> {
        let kept = self.store.setting(&caller.owner, KEEP_QUESTIONS).await.map_err(read_failure)?;
        Ok(kept.is_none_or(|value| value == true))
    }
}

async fn looking<'e>(
    engine: &'e Engine,
    caller: &'e Caller,
    arguments: &impl std::fmt::Debug,
) -> Result<Call<'e>, Failure> {
    Call::begin(engine, caller, Resource::Administration, Permission::Read, arguments).await
}

async fn changing<'e>(
    engine: &'e Engine,
    caller: &'e Caller,
    arguments: &impl std::fmt::Debug,
) -> Result<Call<'e>, Failure> {
    Call::begin(engine, caller, Resource::Administration, Permission::Write, arguments).await
}

fn by_day(usage: &[Usage], first: Moment, days: i64) -> Vec<DayOfUse> {
    // A moment counts microseconds; `div_euclid` rounds down for days before 1970 as well.
    let begin = first.0.div_euclid(SECONDS_PER_DAY * 1_000_000).saturating_mul(SECONDS_PER_DAY);
    let day = |number: i64| Moment::from_seconds(begin.saturating_add(number * SECONDS_PER_DAY));
    let of = |day: Moment| {
        let that = usage.iter().filter(|one| one.day == day);
        let (recalls, empty) =
            that.fold((0, 0), |(all, empty), one| (all + one.recalls, empty + one.empty));
        DayOfUse { day, recalls, empty }
    };
    (0..days).map(|number| of(day(number))).collect()
}

fn by_agent(usage: Vec<Usage>) -> Vec<AgentUse> {
    let mut agents: BTreeMap<AgentName, AgentUse> = BTreeMap::new();
    for Usage { agent, calls, tokens, recalls, empty, last, day: _ } in usage {
        let nothing =
            || AgentUse { agent: agent.clone(), calls: 0, tokens: 0, recalls: 0, empty: 0, last };
        let sum = agents.entry(agent.clone()).or_insert_with(nothing);
        sum.calls += calls;
        sum.tokens += tokens;
        sum.recalls += recalls;
        sum.empty += empty;
        sum.last = sum.last.max(last);
    }
    let mut agents: Vec<AgentUse> = agents.into_values().collect();
    agents.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.agent.cmp(&b.agent)));
    agents
}
