//! Questions of agents that got no sure answer, each with the best match and its score as of now.

use super::super::components::{counted, form_error, format_count, percent_encode, teaser, time};
use crate::request_context::RequestContext;
use engine::UnansweredQuestion;
use engine::recall::RecallRequest;
use maud::{Markup, html};
use model::{Failure, Memory, Page as Part};

/// Number of questions shown.
const QUESTIONS: usize = 6;

/// A question with the best answer that the memory has now.
struct WeakAnswer {
    question: UnansweredQuestion,
    /// Probability in percent that the best match answers it.
    percent: u32,
    best: Option<Memory>,
    /// True when something that was written since answers it.
    is_answered: bool,
}

/// Questions without a sure answer, the weakest first.
pub(super) struct WeakAnswers {
    answers: Vec<WeakAnswer>,
    total: usize,
}

impl WeakAnswers {
    pub async fn load(context: &RequestContext) -> Result<Self, Failure> {
        let (admin, caller) = (context.engine.admin(), &context.caller);
        let listed = admin.unanswered_questions(caller, Part::first(QUESTIONS)).await?;
        let mut answers = Vec::new();
        for question in listed.items {
            answers.push(WeakAnswer::load(context, question).await?);
        }
        answers.sort_by_key(|answer| (answer.is_answered, answer.percent));
        Ok(Self { answers, total: listed.total })
    }

    pub fn section(&self) -> Markup {
        html! {
            @if !self.answers.is_empty() {
                section aria-labelledby="missing" {
                    h2 #missing { "Questions without a sure answer" }
                    ul.cards { @for answer in &self.answers { (answer.card()) } }
                    @if self.total > self.answers.len() {
                        p.note { "and " (format_count(self.total - self.answers.len())) " more" }
                    }
                }
            }
        }
    }
}

impl WeakAnswer {
    async fn load(context: &RequestContext, question: UnansweredQuestion) -> Result<Self, Failure> {
        let recall = RecallRequest {
            limit: Some(1),
            include_weak: true,
            ..RecallRequest::query(question.text.clone())
        };
        let found = context.engine.memories().recall(&context.caller, &recall).await?;
        let best = found.hits.into_iter().next().map(|hit| hit.memory);
        let confidence = found.confidence.filter(|_| best.is_some()).unwrap_or(0.0);
        let percent = (confidence.clamp(0.0, 1.0) * 100.0).round() as u32;
        let is_answered = best.is_some() && !found.weak;
        Ok(Self { question, percent, best, is_answered })
    }

    fn card(&self) -> Markup {
        let question = &self.question;
        html! {
            li.card {
                div {
                    p.text { "“" span dir="auto" { (question.text) } "”" }
                    (self.best_match())
                    p.about {
                        span { "asked by " b dir="auto" { (question.agent) } } (time(question.at))
                        @if question.times > 1 {
                            span { (counted(question.times, "time", "times")) }
                        }
                    }
                }
                a.button
                    href={
                        "/memories/new?answers=" (question.id) "&text="
                        (percent_encode(&question.text))
                    } {
                    "Write it"
                }
                form data-call={ "DELETE /v1/questions/" (question.id) } data-say="Dismissed." {
                    button.plain { "Dismiss" } (form_error())
                }
            }
        }
    }

    /// Renders the best match with its score as a bar.
    fn best_match(&self) -> Markup {
        let label = format!("The best match answers it with {} %", self.percent);
        html! {
            @match &self.best {
                None => p.note { "Nothing found" },
                Some(best) => p.note.score {
                    @if self.is_answered { "Answered since, " } @else { "Best match " }
                    meter.less[!self.is_answered] min="0" max="100" value=(self.percent)
                        aria-label=(label) {}
                    " " (self.percent) " %: "
                    a.quiet href={ "/memories/" (best.id) } dir="auto" { (teaser(&best.text)) }
                }
            }
        }
    }
}
