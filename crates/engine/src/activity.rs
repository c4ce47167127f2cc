//! What is told of use: how much is asked and found, by whom, to whom a memory was shown, and what
//! found nothing. The owner's alone. The words of a question are kept only while it finds nothing,
//! and only if the owner lets them.

use crate::call::{Call, read_failure};
use crate::{Caller, Engine};
use guard::Resource;
use model::{AgentName, Failure, Listing, MemoryId, Moment, Page, Permission, QuestionId, limits};
use std::collections::BTreeMap;
use store::{Asked, Change, Showing, Unanswered, Usage};

/// The setting that says whether the words of a question that found nothing are kept.
const KEEP_QUESTIONS: &str = "keep_questions";
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

impl Engine {
    /// How much was asked and found on each of the last days, and by whom.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn activity(&self, caller: &Caller, days: usize) -> Result<Activity, Failure> {
        let call = looking(self, caller, &("activity", days)).await?;
        self.uses.flush().await;
        let days = i64::try_from(days).unwrap_or(i64::MAX).clamp(1, limits::USAGE_DAYS);
        let first = call.at.plus_seconds(-(days - 1) * SECONDS_PER_DAY);
        let usage = self.store.usage(&caller.owner, first).await.map_err(read_failure)?;
        Ok(Activity { days: by_day(&usage, first, days), agents: by_agent(usage) })
    }

    /// To whom a memory was shown lately, newest first.
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

    /// The questions that found nothing and still would, the one asked last first.
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

    /// Gives up a question that found nothing.
    ///
    /// # Errors
    /// `not_found` when there is none of this number.
    pub async fn dismiss_question(
        &self,
        caller: &Caller,
        question: QuestionId,
    ) -> Result<(), Failure> {
        let call = changing(self, caller, &("dismiss", question)).await?;
        let change = Change::DropQuestions { questions: vec![question] };
        call.write(format!("gave up question {question}"), vec![change]).await?;
        Ok(())
    }

    /// Says whether the words of a question that found nothing are kept. Saying no gives up those
    /// that are there.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn keep_questions(&self, caller: &Caller, keep: bool) -> Result<(), Failure> {
        let call = changing(self, caller, &("keep questions", keep)).await?;
        self.uses.flush().await;
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
    pub async fn are_questions_kept(&self, caller: &Caller) -> Result<bool, Failure> {
        looking(self, caller, &"questions kept").await?;
        self.questions_kept(caller).await
    }

    /// Notes that an agent was given an answer of about so many tokens.
    pub fn note_served(&self, caller: &Caller, tokens: usize) {
        self.uses.served(&caller.owner, &caller.author.agent, self.clock.now(), tokens);
    }

    /// What is noted of a question. One that holds a secret is only counted.
    pub(crate) async fn asked(
        &self,
        call: &Call<'_>,
        question: &str,
        found: usize,
    ) -> Result<Asked, Failure> {
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
