//! What is told of use: how much is asked and found, by whom, to whom a memory was shown, and what
//! found nothing. The owner's alone. The words of a question are kept only while it finds nothing,
//! and only if the owner lets them.

use crate::Admin;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::{Core, KEEP_QUESTIONS};
use guard::Resource;
use model::{AgentName, Failure, Listing, MemoryId, Moment, Page, Permission, QuestionId, limits};
use std::collections::BTreeMap;
use store::{Change, Showing, Unanswered, Usage};

const SECONDS_PER_DAY: i64 = 86_400;

/// How much is asked and found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Activity {
    /// Each of the last days, oldest first; the days are those of UTC.
    pub days: Vec<DayOfUse>,
    /// Each agent that was there on these days, the last one first.
    pub agents: Vec<AgentUse>,
}

/// What was asked and given on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayOfUse {
    /// Its beginning.
    pub day: Moment,
    /// How many questions were asked.
    pub recalls: usize,
    /// How many of them found nothing.
    pub empty: usize,
}

/// What an agent asked for and got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentUse {
    /// Which agent.
    pub agent: AgentName,
    /// How many calls.
    pub calls: usize,
    /// About how many tokens it was given.
    pub tokens: usize,
    /// How many questions it asked.
    pub recalls: usize,
    /// How many of them found nothing.
    pub empty: usize,
    /// When it was last there.
    pub last: Moment,
}

impl Activity {
    /// How many questions of these days found nothing, and how many there were.
    #[must_use]
    pub fn empty_of_all(&self) -> (usize, usize) {
        self.days.iter().fold((0, 0), |(empty, all), day| (empty + day.empty, all + day.recalls))
    }
}

impl Admin<'_> {
    /// How much was asked and found on each of the last days, and by whom.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn activity(self, caller: &Caller, days: usize) -> Result<Activity, Failure> {
        let call = looking(self.core, caller, &("activity", days)).await?;
        self.core.flush_usage().await;
        let days = i64::try_from(days).unwrap_or(i64::MAX).clamp(1, limits::USAGE_DAYS);
        let first = call.at.plus_seconds(-(days - 1) * SECONDS_PER_DAY);
        let usage = call.store().usage(first).await?;
        Ok(Activity { days: by_day(&usage, first, days), agents: by_agent(usage) })
    }

    /// To whom a memory was shown lately, newest first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn shown_to(
        self,
        caller: &Caller,
        memory: MemoryId,
    ) -> Result<Vec<Showing>, Failure> {
        looking(self.core, caller, &("shown", memory)).await?;
        self.core.flush_usage().await;
        self.core.store_of(&caller.owner).showings(memory).await
    }

    /// The questions that found nothing and still would, the one asked last first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn unanswered(
        self,
        caller: &Caller,
        page: Page,
    ) -> Result<Listing<Unanswered>, Failure> {
        looking(self.core, caller, &("unanswered", page)).await?;
        self.core.flush_usage().await;
        self.core.store_of(&caller.owner).questions(page.capped()).await
    }

    /// Gives up a question that found nothing.
    ///
    /// # Errors
    /// `not_found` when there is none of this number.
    pub async fn dismiss_question(
        self,
        caller: &Caller,
        question: QuestionId,
    ) -> Result<(), Failure> {
        let call = changing(self.core, caller, &("dismiss", question)).await?;
        let change = Change::DropQuestions { questions: vec![question] };
        call.write(format!("gave up question {question}"), vec![change]).await?;
        Ok(())
    }

    /// Says whether the words of a question that found nothing are kept. Saying no gives up those
    /// that are there.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn keep_questions(self, caller: &Caller, keep: bool) -> Result<(), Failure> {
        let call = changing(self.core, caller, &("keep questions", keep)).await?;
        self.core.flush_usage().await;
        let mut changes =
            vec![Change::PutSetting { name: KEEP_QUESTIONS.to_owned(), value: keep.into() }];
        if !keep {
            changes.push(Change::DropQuestions { questions: Vec::new() });
        }
        let told = if keep { "keeps" } else { "does not keep" };
        call.write(format!("{told} questions that find nothing"), changes).await?;
        Ok(())
    }

    /// Whether the words of a question that found nothing are kept; yes unless the owner said no.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn are_questions_kept(self, caller: &Caller) -> Result<bool, Failure> {
        looking(self.core, caller, &"questions kept").await?;
        self.core.questions_kept(caller).await
    }

    /// Notes that an agent was given an answer of about so many tokens.
    pub fn note_served(self, caller: &Caller, tokens: usize) {
        self.core.note_served(&caller.owner, &caller.author.agent, tokens);
    }
}

async fn looking<'e>(
    core: &'e Core,
    caller: &'e Caller,
    arguments: &impl std::fmt::Debug,
) -> Result<Call<'e>, Failure> {
    Call::begin(core, caller, Resource::Administration, Permission::Read, arguments).await
}

async fn changing<'e>(
    core: &'e Core,
    caller: &'e Caller,
    arguments: &impl std::fmt::Debug,
) -> Result<Call<'e>, Failure> {
    Call::begin(core, caller, Resource::Administration, Permission::Write, arguments).await
}

fn by_day(usage: &[Usage], first: Moment, days: i64) -> Vec<DayOfUse> {
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
