//! `quipu reference`: long documents that are searched separately and never appear in a recall.

mod walk;

use crate::answer::Answer;
use crate::exit::{Exit, Problem};
use crate::input::{arguments, read_all};
use crate::page::{INDENT, Page, Style};
use crate::progress::Progress;
use crate::setup::{Opened, Setup};
use crate::shown::{self, counted};
use clap::{Args, Subcommand};
use engine::references::FileReference;
use model::{JsonMap, limits};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;
use walk::documents;
pub(crate) use walk::{Document, documents_below};

const EXAMPLES: &str = "\
Examples:
  quipu reference add docs
  quipu reference search how are invoices numbered
  quipu reference remove docs/old.md";

/// Add, list, search and remove reference documents
///
/// Documents are split at their headings. They are found by searching for them and do not appear in
/// a recall.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Reference {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List documents (the default)
    #[command(after_long_help = "Example:\n  quipu reference list -n 200")]
    List(List),
    /// Add documents, or replace those with the same path
    ///
    /// For a directory, all Markdown and text files below it are added, except hidden files,
    /// dependencies and build output. The path of a document starts with the name of the directory.
    #[command(after_long_help = "Example:\n  quipu reference add docs README.md")]
    Add(Add),
    /// Search documents
    #[command(after_long_help = "Example:\n  quipu reference search how are invoices numbered")]
    Search(Search),
    /// Remove documents
    #[command(after_long_help = "Example:\n  quipu reference remove docs/old.md")]
    Remove(Remove),
}

#[derive(Debug, Args, Serialize)]
struct List {
    /// Maximum number of results [default: 50]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
}

#[derive(Debug, Args)]
struct Add {
    /// Files and directories
    #[arg(value_name = "DIR|FILE", required = true)]
    paths: Vec<PathBuf>,
}

#[derive(Debug, Args)]
struct Search {
    /// Question or keywords
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Args)]
struct Remove {
    /// Paths of the documents, as listed
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,
}

/// Result of the tool `references`.
#[derive(Debug, Deserialize)]
struct Found {
    #[serde(default)]
    sections: Vec<Section>,
    #[serde(default)]
    documents: Vec<Listed>,
}

#[derive(Debug, Deserialize)]
struct Section {
    path: String,
    heading: String,
    text: String,
}

#[derive(Debug, Deserialize)]
struct Listed {
    path: String,
    title: String,
    sections: usize,
}

impl Reference {
    /// Runs the action.
    ///
    /// # Errors
    /// When the tool or the use case fails.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let mut page = Page::new(setup.screen);
        match self.action.unwrap_or(Action::List(self.list)) {
            Action::Add(add) => return add.run(setup, page).await,
            Action::List(list) => {
                let given = arguments(&list)?;
                let answer =
                    setup.with_memory(async |memory| memory.ask("references", given).await).await?;
                shown::read::<Found>(&answer)?.write_list(&mut page);
                Ok(Answer::new(answer, page))
            }
            Action::Search(search) => {
                let mut given = arguments(&search.list)?;
                given.insert("query".into(), search.query.join(" ").into());
                let answer =
                    setup.with_memory(async |memory| memory.ask("references", given).await).await?;
                shown::read::<Found>(&answer)?.write_sections(&mut page);
                Ok(Answer::new(answer, page))
            }
            Action::Remove(remove) => {
                setup.with_memory(async |memory| remove.each(memory).await).await?;
                page.say(&format!("Removed {}.", remove.paths.join(", ")));
                Ok(Answer::new(json!({ "removed": remove.paths }), page))
            }
        }
    }
}

impl Remove {
    async fn each(&self, memory: &Opened) -> Result<(), Problem> {
        for path in &self.paths {
            memory.engine.references().remove(&memory.using("reference"), path).await?;
        }
        Ok(())
    }
}

impl Add {
    async fn run(self, setup: &Setup, mut page: Page) -> Result<Answer, Problem> {
        let documents = documents(&self.paths)?;
        let mut progress = Progress::new("filing", documents.len());
        let done = setup.with_memory(async |memory| {
            let (mut filed, mut skipped) = (Vec::new(), Vec::new());
            for document in &documents {
                match file(memory, document).await {
                    Ok(document) => filed.push(document),
                    Err(problem) if problem.exit == Exit::Failed => return Err(problem),
                    Err(problem) => {
                        skipped.push((document.path.clone(), problem.message().to_owned()))
                    }
                }
                progress.step();
            }
            Ok((filed, skipped))
        });
        let (filed, skipped) = done.await?;
        let sections: u64 = filed.iter().filter_map(|one| one["sections"].as_u64()).sum();
        page.say(&format!(
            "Added {} with {sections} sections.",
            counted(filed.len(), "document", "documents")
        ));
        for (path, why) in &skipped {
            page.paragraph(0, Style::Warn, &format!("Skipped {path}: {why}"));
        }
        let exit = if skipped.is_empty() { Exit::Done } else { Exit::Refused };
        let skipped: Vec<Value> =
            skipped.iter().map(|(path, why)| json!({"path": path, "why": why})).collect();
        Ok(Answer::new(json!({ "documents": filed, "skipped": skipped }), page).ending(exit))
    }
}

async fn file(memory: &Opened, document: &Document) -> Result<Value, Problem> {
    let opened = std::fs::File::open(&document.file);
    let opened = opened.map_err(|error| {
        Problem::usage(format!("cannot read it: {error}"), "Check its permissions.")
    })?;
    let text = read_all(opened, limits::REFERENCE_BYTES, "the file")?;
    let input = FileReference { path: document.path.clone(), text };
    let filed = memory.engine.references().put(&memory.using("reference"), &input).await?;
    let mut fields = vec![
        ("path", json!(document.path)),
        ("id", filed.reference.0.into()),
        ("sections", filed.sections.into()),
    ];
    if !filed.notes.is_empty() {
        fields.push(("notes", json!(filed.notes)));
    }
    Ok(Value::Object(
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<JsonMap>(),
    ))
}

impl Found {
    fn write_list(&self, page: &mut Page) {
        if self.documents.is_empty() {
            page.say("No documents yet. Add some with `quipu reference add DIR`.");
        }
        let row = |one: &Listed| {
            vec![one.path.clone(), counted(one.sections, "section", "sections"), one.title.clone()]
        };
        page.columns(&self.documents.iter().map(row).collect::<Vec<_>>());
    }

    fn write_sections(&self, page: &mut Page) {
        if self.sections.is_empty() {
            page.say("No document matches. `quipu reference` lists all documents.");
        }
        for section in &self.sections {
            page.blank()
                .headline(&[(Style::Strong, &section.path), (Style::Faint, &section.heading)]);
            page.paragraph(INDENT, Style::Plain, &section.text);
        }
    }
}
