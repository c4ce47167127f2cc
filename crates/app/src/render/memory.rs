//! Renders a memory from the JSON that every tool returns for one.

use crate::text_page::{INDENT, Style, TextPage};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A memory in the result of a tool.
#[derive(Debug, Clone, Deserialize)]
pub struct MemoryOutput {
    pub id: i64,
    kind: String,
    title: Option<String>,
    pub text: String,
    date: String,
    by: String,
    project: Option<String>,
    session: Option<i64>,
    #[serde(default)]
    tags: Vec<String>,
    until: Option<String>,
    status: Option<String>,
    flagged: Option<u32>,
    under_review: Option<String>,
    source: Option<String>,
    #[serde(default)]
    cut: bool,
    #[serde(default)]
    alike: Vec<i64>,
    score: Option<f32>,
    #[serde(default)]
    parts: BTreeMap<String, f32>,
}

impl MemoryOutput {
    /// Renders a headline with the metadata, and the text below it.
    pub fn render(&self, page: &mut TextPage) {
        let id = self.id.to_string();
        let tags: Vec<String> = self.tags.iter().map(|tag| format!("#{tag}")).collect();
        page.headline(&[
            (Style::Strong, &id),
            (Style::Plain, &self.kind),
            (Style::Faint, &self.date),
            (Style::Faint, self.project.as_deref().unwrap_or("")),
            (Style::Faint, &tags.join(" ")),
            (Style::Warn, &self.caveats()),
        ]);
        if let Some(title) = &self.title {
            page.paragraph(INDENT, Style::Strong, title);
        }
        page.paragraph(INDENT, Style::Plain, &self.text);
        let remarks = self.remarks();
        if !remarks.is_empty() {
            page.paragraph(INDENT, Style::Faint, &remarks);
        }
    }

    /// Returns the author, source and session.
    pub fn provenance(&self) -> String {
        let source = self.source.as_ref().map(|source| format!(", {source}")).unwrap_or_default();
        let session =
            self.session.map(|session| format!(", in session {session}")).unwrap_or_default();
        format!("{}{source}{session}", self.by)
    }

    /// Returns the reasons to read it with care.
    fn caveats(&self) -> String {
        let mut caveats = Vec::new();
        caveats.extend(self.status.clone());
        caveats.extend(self.flagged.map(|_| "flagged as wrong".to_owned()));
        caveats.extend(self.under_review.as_ref().map(|mark| format!("under review: {mark}")));
        caveats.extend(self.source.as_ref().map(|source| format!("source: {source}")));
        caveats.extend(self.until.as_ref().map(|until| format!("until {until}")));
        caveats.join(", ")
    }

    fn remarks(&self) -> String {
        let mut remarks = Vec::new();
        if self.cut {
            remarks.push(format!("shortened; `quipu show {}` shows the full text", self.id));
        }
        if !self.alike.is_empty() {
            let ids: Vec<String> = self.alike.iter().map(ToString::to_string).collect();
            remarks.push(format!("says the same as {}", ids.join(", ")));
        }
        if let Some(score) = self.score {
            let parts: Vec<String> =
                self.parts.iter().map(|(name, value)| format!("{name} {value:.2}")).collect();
            remarks.push(format!("score {score:.2}: {}", parts.join(", ")));
        }
        remarks.join("\n")
    }
}
