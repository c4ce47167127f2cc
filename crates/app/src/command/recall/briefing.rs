//! Renders the briefing that a new session gets.

use crate::render::{EMPTY_MEMORY, MemoryOutput, count_with_noun, join_counts};
use crate::text_page::{Style, TextPage};
use model::JsonMap;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Briefing in the result of the tool `recall`.
#[derive(Debug, Deserialize)]
pub(super) struct BriefingOutput {
    #[serde(default)]
    profile: JsonMap,
    last_session: Option<MemoryOutput>,
    #[serde(default)]
    open_handoffs: Vec<OpenHandoffOutput>,
    #[serde(default)]
    decisions: Vec<MemoryOutput>,
    #[serde(default)]
    notable: Vec<MemoryOutput>,
    #[serde(default)]
    often_mentioned: Vec<String>,
    exists: BriefingCounts,
}

#[derive(Debug, Deserialize)]
struct OpenHandoffOutput {
    id: i64,
    title: String,
    date: String,
}

#[derive(Debug, Deserialize)]
struct BriefingCounts {
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

impl BriefingOutput {
    pub fn render(&self, page: &mut TextPage) {
        if self.exists.memories == 0 {
            page.add_text(EMPTY_MEMORY);
            return;
        }
        if !self.profile.is_empty() {
            page.heading("Profile");
            let pairs: Vec<(&str, String)> = self
                .profile
                .iter()
                .map(|(name, value)| (name.as_str(), engine::profile::value_to_text(value)))
                .collect();
            page.pairs(&pairs);
        }
        render_section(page, "Last session", self.last_session.iter());
        if !self.open_handoffs.is_empty() {
            page.heading("Open handoffs");
            let row = |one: &OpenHandoffOutput| {
                vec![one.id.to_string(), one.date.clone(), one.title.clone()]
            };
            page.columns(&self.open_handoffs.iter().map(row).collect::<Vec<_>>());
        }
        render_section(page, "Decisions", self.decisions.iter());
        render_section(page, "Notable", self.notable.iter());
        if !self.often_mentioned.is_empty() {
            page.heading("Often mentioned").paragraph(
                2,
                Style::Plain,
                &self.often_mentioned.join(", "),
            );
        }
        self.exists.render(page);
    }
}

impl BriefingCounts {
    fn render(&self, page: &mut TextPage) {
        page.heading("In memory");
        let mut pairs = vec![("memories", self.memories.to_string())];
        for (name, counts) in
            [("kinds", &self.kinds), ("projects", &self.projects), ("tables", &self.tables)]
        {
            if !counts.is_empty() {
                let mut counts: Vec<(&str, usize)> =
                    counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
                counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
                pairs.push((name, join_counts(counts)));
            }
        }
        if self.references > 0 {
            pairs.push(("references", count_with_noun(self.references, "document", "documents")));
        }
        if self.to_review > 0 {
            pairs.push(("to review", format!("{}; see `quipu review`", self.to_review)));
        }
        page.pairs(&pairs);
    }
}

fn render_section<'m>(
    page: &mut TextPage,
    name: &str,
    memories: impl ExactSizeIterator<Item = &'m MemoryOutput>,
) {
    if memories.len() == 0 {
        return;
    }
    page.heading(name);
    for memory in memories {
        memory.render(page);
    }
}
