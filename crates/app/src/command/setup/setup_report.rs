//! The report of `quipu setup`: the diffs before, and the changed files after.

use crate::command_output::CommandOutput;
use crate::exit::Exit;
use crate::render::count_with_noun;
use crate::terminal::Terminal;
use crate::text_page::{Style, TextPage};
use client_setup::{ClientFileChange, SetupError};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The changes of a run, and what cannot be changed.
#[derive(Debug)]
pub(super) struct SetupReport {
    pub changes: Vec<ClientFileChange>,
    failures: Vec<SetupError>,
    notes: Vec<String>,
    is_undo: bool,
}

impl SetupReport {
    pub fn new(
        previews: Vec<Result<ClientFileChange, SetupError>>,
        notes: Vec<String>,
        is_undo: bool,
    ) -> Self {
        let mut report = Self { changes: Vec::new(), failures: Vec::new(), notes, is_undo };
        for preview in previews {
            match preview {
                Ok(change) => report.changes.push(change),
                Err(error) => report.failures.push(error),
            }
        }
        report
    }

    /// Returns the diffs as a page.
    pub fn preview(&self, terminal: Terminal) -> TextPage {
        // A wrapped diff would show other lines than the file gets.
        let mut page = TextPage::new(Terminal { width: None, ..terminal });
        for change in &self.changes {
            for line in change.diff.lines() {
                let style = match line.chars().next() {
                    Some('+') => Style::Good,
                    Some('-') => Style::Bad,
                    _ => Style::Plain,
                };
                page.headline(&[(style, line)]);
            }
            page.blank();
        }
        page
    }

    /// Returns the output: the diffs if nothing was done, else the changed files.
    pub fn output(
        self,
        terminal: Terminal,
        results: &[Result<PathBuf, SetupError>],
    ) -> CommandOutput {
        let done: Vec<String> =
            results.iter().flatten().map(|path| path.display().to_string()).collect();
        let mut page =
            if results.is_empty() { self.preview(terminal) } else { TextPage::new(terminal) };
        let verb = if self.is_undo { "Restored" } else { "Changed" };
        done.iter().for_each(|path| _ = page.add_text(&format!("{verb} {path}")));
        // Those of the preview are found again when the change is made.
        let mut failures: Vec<&SetupError> =
            results.iter().filter_map(|result| result.as_ref().err()).collect();
        if results.is_empty() {
            failures.extend(&self.failures);
        }
        for error in &failures {
            let text = format!("{error}. {}", error.hint());
            page.paragraph(0, Style::Bad, &text);
        }
        page.add_text(&self.summary(&done, failures.len()));
        self.notes.iter().for_each(|note| _ = page.paragraph(0, Style::Faint, note));
        let exit = if failures.is_empty() { Exit::Done } else { Exit::Failed };
        let failures: Vec<String> = failures.iter().map(ToString::to_string).collect();
        let value = json!({
            "changes": self.changes.iter().map(to_json).collect::<Vec<_>>(),
            "done": done, "failed": failures, "notes": self.notes,
        });
        CommandOutput::new(value, page).with_exit(exit)
    }

    fn summary(&self, done: &[String], failed: usize) -> String {
        let files = |count: usize| count_with_noun(count, "file", "files");
        match (done.len(), self.changes.len()) {
            (0, 0) if failed > 0 => "Nothing was changed.".to_owned(),
            (0, 0) if self.is_undo => "Nothing is set up that could be undone.".to_owned(),
            (0, 0) => "Everything is set up already.".to_owned(),
            (0, planned) => format!("{} would be changed; nothing was.", files(planned)),
            _ if self.is_undo => "The setup is undone. Restart the clients.".to_owned(),
            _ => "Restart the clients to use the memory. `quipu setup --undo` undoes this."
                .to_owned(),
        }
    }
}

fn to_json(change: &ClientFileChange) -> Value {
    let clients: Vec<&str> = change.clients.iter().map(|client| client.name()).collect();
    json!({ "path": change.path, "clients": clients, "diff": change.diff })
}
