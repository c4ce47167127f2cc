//! A handoff as the tool tells it, both ways: as JSON where the tool does not offer what was asked,
//! and on a page.

use crate::page::{Page, Style};
use model::Handoff;
use serde::Deserialize;
use serde_json::{Value, json};

/// A listing.
#[derive(Debug, Deserialize)]
pub(super) struct Handoffs {
    handoffs: Vec<Told>,
    #[serde(default)]
    left_out: usize,
}

/// A handoff.
#[derive(Debug, Deserialize)]
pub(super) struct Told {
    id: i64,
    title: String,
    date: String,
    by: String,
    project: Option<String>,
    state: Option<String>,
    claim: Option<Claimed>,
    document: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Claimed {
    by: String,
    until: String,
}

/// A handoff in the fields of the tool; what is not there is left out.
pub(super) fn as_json(handoff: &Handoff) -> Value {
    let claim = handoff.claim.as_ref().map(|claim| {
        json!({"by": claim.by.as_str(), "since": claim.since.to_string(), "until": claim.until.to_string()})
    });
    let mut told = json!({
        "id": handoff.id.0,
        "title": handoff.title,
        "date": handoff.created_at.date(),
        "by": handoff.created_by.as_str(),
        "project": handoff.project,
        "source_ref": handoff.source_ref,
        "tags": handoff.tags,
        "state": handoff.state.name(),
        "claim": claim,
    });
    if let Value::Object(fields) = &mut told {
        fields.retain(|_, value| {
            !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
        });
    }
    told
}

impl Handoffs {
    pub fn write(&self, page: &mut Page) {
        if self.handoffs.is_empty() {
            page.say("No handoff waits.");
        }
        for handoff in &self.handoffs {
            handoff.write(page);
        }
        if self.left_out > 0 {
            page.blank().paragraph(
                0,
                Style::Faint,
                &format!("{} more are not shown.", self.left_out),
            );
        }
    }
}

impl Told {
    pub fn write(&self, page: &mut Page) {
        let id = self.id.to_string();
        let held =
            self.claim.as_ref().map(|claim| format!("held by {} until {}", claim.by, claim.until));
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
            page.blank().say(document);
        }
    }
}
