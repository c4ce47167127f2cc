//! `quipu reference`: long documents that are searched separately and never appear in a recall.

mod document_walk;

use crate::command_output::CommandOutput;
use crate::exit::{Exit, Problem};
use crate::input::{read_to_text, tool_arguments};
use crate::progress::Progress;
use crate::render::{self, count_with_noun};
use crate::setup::{OpenMemory, Setup};
use crate::text_page::{INDENT, Style, TextPage};
use clap::{Args, Subcommand};
use document_walk::collect_documents;
pub(crate) use document_walk::{DocumentFile, documents_below};
use engine::references::FileReferenceRequest;
use model::{JsonMap, limits};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  quipu reference add docs
  quipu reference search how are invoices numbered
  quipu reference remove docs/old.md";

/// Add, list, search and remove reference documents
///
/// Documents are split at their headings. They have a search of their own and do not appear in a
/// recall.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct ReferenceArgs {
    #[command(subcommand)]
    action: Option<ReferenceAction>,
    #[command(flatten)]
    list: ReferenceListArgs,
}

#[derive(Debug, Subcommand)]
enum ReferenceAction {
    /// List documents (the default)
    #[command(after_long_help = "Example:\n  quipu reference list -n 200")]
    List(ReferenceListArgs),
    /// Add documents, or replace those with the same path
    ///
    /// For a directory, all Markdown and text files below it are added, except hidden files,
    /// dependencies and build output. The path of a document starts with the name of the directory.
    #[command(after_long_help = "Example:\n  quipu reference add docs README.md")]
    Add(AddReferencesArgs),
    /// Search documents
    #[command(after_long_help = "Example:\n  quipu reference search how are invoices numbered")]
    Search(SearchReferencesArgs),
    /// Remove documents
    #[command(after_long_help = "Example:\n  quipu reference remove docs/old.md")]
    Remove(RemoveReferencesArgs),
}

#[derive(Debug, Args, Serialize)]
struct ReferenceListArgs {
    /// Maximum number of results [default: 50]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
}

#[derive(Debug, Args)]
struct AddReferencesArgs {
    /// Files and directories
    #[arg(value_name = "DIR|FILE", required = true)]
    paths: Vec<PathBuf>,
}

#[derive(Debug, Args)]
struct SearchReferencesArgs {
    /// Question or keywords
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    #[command(flatten)]
    list: ReferenceListArgs,
}

#[derive(Debug, Args)]
struct RemoveReferencesArgs {
    /// Paths of the documents, as listed
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,
}

/// Result of the tool `references`.
#[derive(Debug, Deserialize)]
struct ReferencesOutput {
    #[serde(default)]
    sections: Vec<SectionOutput>,
    #[serde(default)]
    documents: Vec<DocumentOutput>,
    hint: Option<String>,
}

#[derive(Debug, Deserialize)]
struct SectionOutput {
    path: String,
    heading: String,
    text: String,
}

#[derive(Debug, Deserialize)]
struct DocumentOutput {
    path: String,
    title: String,
    sections: usize,
}

impl ReferenceArgs {
    /// Runs the action.
    ///
    /// # Errors
    /// Fails when the tool or the use case fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let mut page = TextPage::new(setup.terminal);
        match self.action.unwrap_or(ReferenceAction::List(self.list)) {
            ReferenceAction::Add(add) => return add.run(setup, page).await,
            ReferenceAction::List(list) => {
                let given = tool_arguments(&list)?;
                let answer = setup
                    .with_memory(async |memory| memory.call_tool("references", given).await)
                    .await?;
                render::parse_result::<ReferencesOutput>(&answer)?.write_list(&mut page);
                Ok(CommandOutput::new(answer, page))
            }
            ReferenceAction::Search(search) => {
                let mut given = tool_arguments(&search.list)?;
                given.insert("query".into(), search.query.join(" ").into());
                let answer = setup
                    .with_memory(async |memory| memory.call_tool("references", given).await)
                    .await?;
                render::parse_result::<ReferencesOutput>(&answer)?.write_sections(&mut page);
                Ok(CommandOutput::new(answer, page))
            }
            ReferenceAction::Remove(remove) => {
                setup.with_memory(async |memory| remove.remove_all(memory).await).await?;
                page.add_text(&format!("Removed {}.", remove.paths.join(", ")));
                Ok(CommandOutput::new(json!({ "removed": remove.paths }), page))
            }
        }
    }
}

impl RemoveReferencesArgs {
    async fn remove_all(&self, memory: &OpenMemory) -> Result<(), Problem> {
        for path in &self.paths {
            memory.engine.references().remove(&memory.caller_for("reference"), path).await?;
        }
        Ok(())
    }
}

impl AddReferencesArgs {
    async fn run(self, setup: &Setup, mut page: TextPage) -> Result<CommandOutput, Problem> {
        let documents = collect_documents(&self.paths)?;
        let mut progress = Progress::new("filing", documents.len());
        let done = setup.with_memory(async |memory| {
            let (mut filed, mut skipped) = (Vec::new(), Vec::new());
            for document in &documents {
                match file_document(memory, document).await {
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
        page.add_text(&format!(
            "Added {} with {sections} sections.",
            count_with_noun(filed.len(), "document", "documents")
        ));
        for (path, why) in &skipped {
            page.paragraph(0, Style::Warn, &format!("Skipped {path}: {why}"));
        }
        let exit = if skipped.is_empty() { Exit::Done } else { Exit::Refused };
        let skipped: Vec<Value> =
            skipped.iter().map(|(path, why)| json!({"path": path, "why": why})).collect();
        Ok(CommandOutput::new(json!({ "documents": filed, "skipped": skipped }), page)
            .with_exit(exit))
    }
}

async fn file_document(memory: &OpenMemory, document: &DocumentFile) -> Result<Value, Problem> {
    let opened = std::fs::File::open(&document.file);
    let opened = opened.map_err(|error| {
        Problem::usage(format!("cannot read it: {error}"), "Check its permissions.")
    })?;
    let text = read_to_text(opened, limits::REFERENCE_BYTES, "the file")?;
    let input = FileReferenceRequest { path: document.path.clone(), text };
    let filed = memory.engine.references().put(&memory.caller_for("reference"), &input).await?;
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

impl ReferencesOutput {
    fn write_list(&self, page: &mut TextPage) {
        if self.documents.is_empty() {
            page.add_text("No documents yet. Add some with `quipu reference add DIR`.");
        }
        let row = |one: &DocumentOutput| {
            vec![
                one.path.clone(),
                count_with_noun(one.sections, "section", "sections"),
                one.title.clone(),
            ]
        };
        page.columns(&self.documents.iter().map(row).collect::<Vec<_>>());
        if let Some(hint) = self.hint.as_deref().filter(|_| !self.documents.is_empty()) {
            page.add_text(&format!("{}.", hint.replace("raise limit to list", "`-n N` lists")));
        }
    }

    fn write_sections(&self, page: &mut TextPage) {
        if self.sections.is_empty() {
            page.add_text("No document matches. `quipu reference` lists all documents.");
        }
        for section in &self.sections {
            page.blank()
                .headline(&[(Style::Strong, &section.path), (Style::Faint, &section.heading)]);
            page.paragraph(INDENT, Style::Plain, &section.text);
        }
    }
}
