//! Renders the result of the tools `remember` and `correct`.

use crate::text_page::{INDENT, Style, TextPage};
use serde::Deserialize;

/// Result of the tools `remember` and `correct`.
#[derive(Debug, Deserialize)]
pub struct RememberOutput {
    /// Missing when only the profile changed.
    pub id: Option<i64>,
    pub happened: String,
    #[serde(default)]
    superseded: Vec<i64>,
    #[serde(default)]
    replaced: Vec<ReplacedOutput>,
    #[serde(default)]
    similar: Vec<SimilarOutput>,
    #[serde(default)]
    conflicts: Vec<ConflictOutput>,
    #[serde(default)]
    proposals: Vec<i64>,
    row: Option<RowOutput>,
    profile: Option<ProfileOutput>,
    #[serde(default)]
    ignored: Vec<IgnoredFieldOutput>,
    #[serde(default)]
    notes: Vec<String>,
}

/// An earlier memory that the new one replaced by itself.
#[derive(Debug, Deserialize)]
struct ReplacedOutput {
    id: i64,
    text: String,
    why: String,
}

/// A memory that says nearly the same.
#[derive(Debug, Deserialize)]
struct SimilarOutput {
    id: i64,
    text: String,
}

#[derive(Debug, Deserialize)]
struct ConflictOutput {
    id: i64,
    text: String,
    why: String,
    review: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct RowOutput {
    table: String,
    id: i64,
}

#[derive(Debug, Deserialize)]
struct ProfileOutput {
    version: u32,
    #[serde(default)]
    changed: Vec<String>,
    #[serde(default)]
    withheld: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct IgnoredFieldOutput {
    field: String,
    why: String,
}

impl RememberOutput {
    /// Renders the outcome with everything the owner should know about it.
    pub fn render(&self, page: &mut TextPage) {
        page.add_text(&self.sentence());
        if let Some(row) = &self.row {
            page.add_text(&format!("Added as row {} of {}.", row.id, row.table));
        }
        if let Some(profile) = &self.profile {
            self.render_profile(page, profile);
        }
        for replaced in &self.replaced {
            replaced.render(page);
        }
        for similar in &self.similar {
            page.add_text(&format!("It says nearly the same as {}:", similar.id));
            page.paragraph(INDENT, Style::Faint, &similar.text);
        }
        for conflict in &self.conflicts {
            conflict.render(page);
        }
        for one in &self.ignored {
            page.add_text(&format!("Ignored {}: {}.", one.field, one.why.trim_end_matches('.')));
        }
        for note in &self.notes {
            page.add_text(note);
        }
    }

    fn sentence(&self) -> String {
        let id = self.id.map(|id| id.to_string()).unwrap_or_default();
        match self.happened.as_str() {
            "created" if self.superseded.is_empty() => format!("Remembered as {id}."),
            "created" => format!("Remembered as {id}, replacing {}.", join_ids(&self.superseded)),
            "duplicate" => format!("Already remembered as {id}; nothing was written."),
            "proposed" => {
                format!(
                    "Stored as {id}, pending review: it would replace a memory from a stronger \
                     source; see {}.",
                    self.review_command()
                )
            }
            "profile changed" => "The profile changed.".to_owned(),
            other => format!("{id}: {other}."),
        }
    }

    fn review_command(&self) -> String {
        format!("`quipu review` {}", join_ids(&self.proposals))
    }

    fn render_profile(&self, page: &mut TextPage, profile: &ProfileOutput) {
        if !profile.changed.is_empty() {
            let changed = profile.changed.join(", ");
            page.add_text(&format!("Profile version {}: changed {changed}.", profile.version));
        }
        if !profile.withheld.is_empty() {
            let withheld = profile.withheld.join(", ");
            page.add_text(&format!(
                "{withheld} was set by a stronger source; the change is pending in `quipu review`."
            ));
        }
    }
}

impl ReplacedOutput {
    fn render(&self, page: &mut TextPage) {
        page.add_text(&format!("{} no longer holds, {}.", self.id, self.why));
        page.paragraph(INDENT, Style::Faint, &self.text);
        page.add_text(&format!(
            "It stays in the history; `quipu retire --undo {}` brings it back.",
            self.id
        ));
    }
}

impl ConflictOutput {
    fn render(&self, page: &mut TextPage) {
        page.add_text(&format!("It contradicts {}: {}.", self.id, self.why.trim_end_matches('.')));
        page.paragraph(INDENT, Style::Faint, &self.text);
        if let Some(review) = self.review {
            page.add_text(&format!(
                "Both are kept. Settle it with `quipu review resolve {review} confirm` (or reject, \
                 keep-both)."
            ));
        }
    }
}

fn join_ids(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(", ")
}
