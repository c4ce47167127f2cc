//! Renders handoffs as text, and as JSON in the format of the tool for the actions that the tool
//! does not offer.

use crate::text_page::{Style, TextPage};
use model::{Handoff, JsonMap};
use serde::Deserialize;
use serde_json::{Value, json};

/// Result of the action `list` of the tool `handoff`.
#[derive(Debug, Deserialize)]
pub(super) struct HandoffsOutput {
    handoffs: Vec<HandoffOutput>,
    #[serde(default)]
    left_out: usize,
}

/// A handoff in the result of the tool.
#[derive(Debug, Deserialize)]
pub(super) struct HandoffOutput {
    id: i64,
    title: String,
    date: String,
    by: String,
    project: Option<String>,
    state: Option<String>,
    claim: Option<ClaimOutput>,
    document: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ClaimOutput {
    by: String,
    since: String,
    until: Option<String>,
}

/// Converts a handoff to JSON in the format of the tool; empty fields are left out.
pub(super) fn to_json(handoff: &Handoff) -> Value {
    let claim = handoff.claim.as_ref().map(|claim| {
        let details: JsonMap =
            claim.details().map(|(name, text)| (name.to_owned(), text.into())).collect();
        let mut shown = JsonMap::from_iter([
            ("by".to_owned(), claim.by.as_str().into()),
            ("since".to_owned(), claim.since.to_string().into()),
        ]);
        shown.extend(claim.end().map(|end| ("until".to_owned(), end.to_string().into())));
        shown.extend((!details.is_empty()).then(|| ("details".to_owned(), json!(details))));
        shown
    });
    let mut output = json!({
        "id": handoff.id.0,
        "title": handoff.title,
        "date": handoff.created_at.date(),
        "by": handoff.created_by.as_str(),
        "project": handoff.project,
        "cwd": handoff.cwd,
        "harness": handoff.harness,
        "source_ref": handoff.source_ref,
        "tags": handoff.tags,
        "state": handoff.state.name(),
        "claim": claim,
    });
    if let Value::Object(fields) = &mut output {
        fields.retain(|_, value| {
            !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
        });
    }
    output
}

impl HandoffsOutput {
    pub fn render(&self, page: &mut TextPage) {
        if self.handoffs.is_empty() {
            page.add_text("No handoffs.");
        }
        for handoff in &self.handoffs {
            handoff.render(page);
        }
        if self.left_out > 0 {
            page.blank().paragraph(0, Style::Faint, &format!("{} more not shown.", self.left_out));
        }
    }
}

impl HandoffOutput {
    pub fn render(&self, page: &mut TextPage) {
        let id = self.id.to_string();
        let held = self.claim.as_ref().map(|claim| match &claim.until {
            Some(until) => format!("by {} until {until}", claim.by),
            None => format!("by {} since {}", claim.by, claim.since),
        });
        page.headline(&[
            (Style::Strong, &id),
            (Style::Plain, &self.title),
            (Style::Faint, &self.date),
            (Style::Faint, &self.by),
            (Style::Faint, self.project.as_deref().unwrap_or("")),
            (Style::Good, self.state.as_deref().unwrap_or("open")),
            (Style::Warn, held.as_deref().unwrap_or("")),
        ]);
        if let Some(document) = &self.document {
            page.blank().add_text(document);
        }
    }
}
