//! Renders a memory from the JSON that every tool returns for one.

use crate::text_page::{INDENT, Style, TextPage};
use model::{Kind, Memory, Status};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A memory in the result of a tool.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct MemoryOutput {
    pub id: i64,
    // Tools leave the usual kind out; people and scripts always get one.
    #[serde(default = "usual_kind")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    pub text: String,
    date: String,
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flagged: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    under_review: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    alike: Vec<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    parts: BTreeMap<String, f32>,
}

/// Trust from which on the origin of a memory is not shown, as in the tools.
const TRUSTED: u8 = 70;

impl From<&Memory> for MemoryOutput {
    fn from(memory: &Memory) -> Self {
        let from = &memory.provenance;
        Self {
            id: memory.id.0,
            kind: memory.kind.as_str().to_owned(),
            title: memory.title.clone(),
            text: memory.text.clone(),
            date: memory.valid_from.date(),
            by: from.author.agent.as_str().to_owned(),
            project: memory.project.clone(),
            session: memory.session.map(|session| session.0),
            tags: memory.tags.clone(),
            until: memory.valid_to.map(model::Moment::date),
            status: (memory.status != Status::Active).then(|| memory.status.name().to_owned()),
            flagged: (memory.flags > 0).then_some(memory.flags),
            under_review: None,
            source: (from.trust.0 < TRUSTED).then(|| from.origin.name().to_owned()),
            cut: false,
            alike: Vec::new(),
            score: None,
            parts: BTreeMap::new(),
        }
    }
}

fn usual_kind() -> String {
    Kind::note().as_str().to_owned()
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
