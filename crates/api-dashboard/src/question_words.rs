//! The words of recent questions, by the audit events of the calls that asked them. The log itself
//! contains none.

use crate::request_context::RequestContext;
use engine::RecentQuestion;
use model::{AuditEvent, AuditId, Failure};
use std::collections::BTreeMap;

/// The words of the newest questions.
#[derive(Debug, Default)]
pub(crate) struct QuestionWords(BTreeMap<AuditId, String>);

impl QuestionWords {
    pub async fn load(context: &RequestContext) -> Result<Self, Failure> {
        let listed = context.engine.admin().recent_questions(&context.caller).await?;
        let pair = |RecentQuestion { event, text }: RecentQuestion| (event, text);
        Ok(Self(listed.into_iter().map(pair).collect()))
    }

    /// Returns the words of the question that a call asked, if they are stored.
    pub fn get(&self, event: &AuditEvent) -> Option<&str> {
        self.0.get(&event.id).map(String::as_str)
    }
}
