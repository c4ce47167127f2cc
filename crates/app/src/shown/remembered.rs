//! Renders the result of the tools `remember` and `correct`.

use crate::page::{INDENT, Page, Style};
use serde::Deserialize;

/// Result of the tools `remember` and `correct`.
#[derive(Debug, Deserialize)]
pub struct Remembered {
    /// Missing when only the profile changed.
    pub id: Option<i64>,
    pub happened: String,
    #[serde(default)]
    superseded: Vec<i64>,
    #[serde(default)]
    conflicts: Vec<Conflict>,
    #[serde(default)]
    proposals: Vec<i64>,
    row: Option<Row>,
    profile: Option<Profile>,
    #[serde(default)]
    ignored: Vec<Ignored>,
    #[serde(default)]
    notes: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Conflict {
    id: i64,
    text: String,
    why: String,
    review: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct Row {
    table: String,
    id: i64,
}

#[derive(Debug, Deserialize)]
struct Profile {
    version: u32,
    #[serde(default)]
    changed: Vec<String>,
    #[serde(default)]
    withheld: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Ignored {
    field: String,
    why: String,
}

impl Remembered {
    /// Renders the outcome with everything the owner should know about it.
    pub fn write(&self, page: &mut Page) {
        page.say(&self.sentence());
        if let Some(row) = &self.row {
            page.say(&format!("Added as row {} of {}.", row.id, row.table));
        }
        if let Some(profile) = &self.profile {
            self.write_profile(page, profile);
        }
        for conflict in &self.conflicts {
            conflict.write(page);
        }
        for one in &self.ignored {
            page.say(&format!("Ignored {}: {}.", one.field, one.why.trim_end_matches('.')));
        }
        for note in &self.notes {
            page.say(note);
        }
    }

    fn sentence(&self) -> String {
        let id = self.id.map(|id| id.to_string()).unwrap_or_default();
        match self.happened.as_str() {
            "created" if self.superseded.is_empty() => format!("Remembered as {id}."),
            "created" => format!("Remembered as {id}, replacing {}.", numbers(&self.superseded)),
            "duplicate" => format!("Already remembered as {id}; nothing was written."),
            "proposed" => {
                format!(
                    "Stored as {id}, pending review: it would replace a memory from a stronger \
                     source; see {}.",
                    self.reviews()
                )
            }
            "profile changed" => "The profile changed.".to_owned(),
            other => format!("{id}: {other}."),
        }
    }

    fn reviews(&self) -> String {
        format!("`quipu review` {}", numbers(&self.proposals))
    }

    fn write_profile(&self, page: &mut Page, profile: &Profile) {
        if !profile.changed.is_empty() {
            let changed = profile.changed.join(", ");
            page.say(&format!("Profile version {}: changed {changed}.", profile.version));
        }
        if !profile.withheld.is_empty() {
            let withheld = profile.withheld.join(", ");
            page.say(&format!(
                "{withheld} was set by a stronger source; the change is pending in `quipu review`."
            ));
        }
    }
}

impl Conflict {
    fn write(&self, page: &mut Page) {
        page.say(&format!("It contradicts {}: {}.", self.id, self.why.trim_end_matches('.')));
        page.paragraph(INDENT, Style::Faint, &self.text);
        if let Some(review) = self.review {
            page.say(&format!(
                "Both are kept. Settle it with `quipu review resolve {review} confirm` (or reject, \
                 keep-both)."
            ));
        }
    }
}

fn numbers(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(", ")
}
