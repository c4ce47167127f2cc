//! Renders the briefing that a new session gets.

use crate::page::{Page, Style};
use crate::shown::{Memory, counted, tallied};
use model::JsonMap;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Briefing in the result of the tool `recall`.
#[derive(Debug, Deserialize)]
pub(super) struct Briefing {
    #[serde(default)]
    profile: JsonMap,
    last_session: Option<Memory>,
    #[serde(default)]
    open_handoffs: Vec<Waiting>,
    #[serde(default)]
    decisions: Vec<Memory>,
    #[serde(default)]
    notable: Vec<Memory>,
    #[serde(default)]
    often_mentioned: Vec<String>,
    exists: Exists,
}

#[derive(Debug, Deserialize)]
struct Waiting {
    id: i64,
    title: String,
    date: String,
}

#[derive(Debug, Deserialize)]
struct Exists {
    memories: usize,
    #[serde(default)]
    kinds: BTreeMap<String, usize>,
    #[serde(default)]
    projects: BTreeMap<String, usize>,
    #[serde(default)]
    tables: BTreeMap<String, usize>,
    #[serde(default)]
    references: usize,
    #[serde(default)]
    to_review: usize,
}

impl Briefing {
    pub fn write(&self, page: &mut Page) {
        if self.exists.memories == 0 {
            page.say(
                "No memories yet. Add one with `quipu remember \"…\"`, or try `quipu demo` first.",
            );
            return;
        }
        if !self.profile.is_empty() {
            page.heading("Profile");
            let pairs: Vec<(&str, String)> =
                self.profile.iter().map(|(name, value)| (name.as_str(), words(value))).collect();
            page.pairs(&pairs);
        }
        section(page, "Last session", self.last_session.iter());
        if !self.open_handoffs.is_empty() {
            page.heading("Open handoffs");
            let row = |one: &Waiting| vec![one.id.to_string(), one.date.clone(), one.title.clone()];
            page.columns(&self.open_handoffs.iter().map(row).collect::<Vec<_>>());
        }
        section(page, "Decisions", self.decisions.iter());
        section(page, "Notable", self.notable.iter());
        if !self.often_mentioned.is_empty() {
            page.heading("Often mentioned").paragraph(
                2,
                Style::Plain,
                &self.often_mentioned.join(", "),
            );
        }
        self.exists.write(page);
    }
}

impl Exists {
    fn write(&self, page: &mut Page) {
        page.heading("In memory");
        let mut pairs = vec![("memories", self.memories.to_string())];
        for (name, counts) in
            [("kinds", &self.kinds), ("projects", &self.projects), ("tables", &self.tables)]
        {
            if !counts.is_empty() {
                let mut counts: Vec<(&str, usize)> =
                    counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
                counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
                pairs.push((name, tallied(counts)));
            }
        }
        if self.references > 0 {
            pairs.push(("references", counted(self.references, "document", "documents")));
        }
        if self.to_review > 0 {
            pairs.push(("to review", format!("{}; see `quipu review`", self.to_review)));
        }
        page.pairs(&pairs);
    }
}

fn section<'m>(page: &mut Page, name: &str, memories: impl ExactSizeIterator<Item = &'m Memory>) {
    if memories.len() == 0 {
        return;
    }
    page.heading(name);
    for memory in memories {
        memory.write(page);
    }
}

/// Formats a profile value without quotes.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
