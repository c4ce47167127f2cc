//! `quipu capture`: reads conversations that clients keep on disk into the memory, each turn once.

mod conversation_file;

use crate::client_env::project_of;
use crate::command::hook::private_settings;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::progress::Progress;
use crate::render::count_with_noun;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::TextPage;
use clap::Args;
use client_hooks::CapturedTurn;
use conversation_file::{ConversationFile, find_files};
use model::Moment;
use serde::Serialize;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quipu capture ~/.claude/projects --dry-run
  quipu capture ~/.claude/projects
  quipu capture ~/.codex/sessions ~/.gemini/tmp
  quipu capture ~/.local/share/opencode ~/.config/Cursor/User/globalStorage";

/// Read conversations of Claude Code, Codex, Gemini CLI, opencode and Cursor into the memory
///
/// The words of the user and the last answer of each turn are stored, screened for secrets, as
/// transcripts: an ordinary recall weighs them below other memories, and they expire. Statements
/// that the user made in them are proposed as memories, see `quipu review`; `hook_statements` in
/// the configuration changes that. Running it again adds only what is new.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CaptureArgs {
    /// Files (.jsonl, opencode.db, state.vscdb), or directories of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Count what would be stored
    #[arg(long)]
    dry_run: bool,
}

/// Result of a capture, in numbers.
#[derive(Debug, Default, Serialize)]
struct CaptureCounts {
    transcripts: usize,
    /// Files that are not transcripts or cannot be read.
    skipped_files: usize,
    /// Turns that were stored, or would be.
    turns: usize,
    /// Statements of the user that were kept or proposed, or would be unless they are known.
    statements: usize,
    known: usize,
    /// Turns that are older than transcripts are kept.
    expired: usize,
    /// Turns of private directories.
    private: usize,
    refused: usize,
    /// Files of a known client that cannot be read, each with the reason.
    unreadable: Vec<String>,
}

impl CaptureArgs {
    /// Reads the transcripts.
    ///
    /// # Errors
    /// Fails when a path does not exist or the memory cannot be used.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let mut files = Vec::new();
        for path in &self.paths {
            let found = find_files(path);
            files.extend(found.map_err(|error| Problem::file("reading", path, &error))?);
        }
        files.sort();
        let counts = setup
            .with_memory(async |memory| {
                let mut counts = CaptureCounts::default();
                let mut progress = Progress::new("capturing", files.len());
                for file in &files {
                    capture_file(setup, memory, file, self.dry_run, &mut counts).await?;
                    progress.step();
                }
                Ok(counts)
            })
            .await?;
        let mut page = TextPage::new(setup.terminal);
        page.add_text(&describe(&counts, self.dry_run));
        Ok(CommandOutput::new(json!({ "dry_run": self.dry_run, "counts": counts }), page))
    }
}

async fn capture_file(
    setup: &Setup,
    memory: &OpenMemory,
    file: &Path,
    dry_run: bool,
    counts: &mut CaptureCounts,
) -> Result<(), Problem> {
    let conversations = match ConversationFile::read(file) {
        Ok(Some(conversations)) => conversations,
        Ok(None) => {
            counts.skipped_files += 1;
            return Ok(());
        }
        Err(reason) => {
            counts.unreadable.push(format!("{}: {reason}", file.display()));
            return Ok(());
        }
    };
    counts.transcripts += 1;
    let mut projects: HashMap<String, Option<String>> = HashMap::new();
    let mut project = |cwd: &str| {
        let find = || project_of(&setup.home, Path::new(cwd));
        projects.entry(cwd.to_owned()).or_insert_with(find).clone()
    };
    let delivery = memory.turn_delivery();
    let mut known: HashMap<String, HashSet<String>> = HashMap::new();
    for turn in conversations.turns(&mut project) {
        if !is_wanted(setup, memory, &turn, counts) {
            continue;
        }
        let session = &turn.source.session;
        if !known.contains_key(session) {
            let recorded = delivery.recorded(&memory.engine, &turn).await?;
            known.insert(session.clone(), recorded);
        }
        if known.get(session).is_some_and(|turns| turns.contains(&turn.id)) {
            counts.known += 1;
        } else if dry_run {
            counts.turns += 1;
            counts.statements += delivery.statements_of(&turn).len();
        } else {
            match delivery.record(&memory.engine, &turn).await {
                Ok(statements) => {
                    counts.turns += 1;
                    counts.statements += statements;
                }
                // A text that was forgotten stays forgotten; everything else ends the capture.
                Err(failure) if failure.code == model::ErrorCode::Forgotten => counts.refused += 1,
                Err(failure) => return Err(failure.into()),
            }
        }
    }
    Ok(())
}

/// Returns true if a turn is to be stored, and counts it otherwise.
fn is_wanted(
    setup: &Setup,
    memory: &OpenMemory,
    turn: &CapturedTurn,
    counts: &mut CaptureCounts,
) -> bool {
    let days = i64::from(setup.config.hooks.transcript_days);
    if Moment(turn.at).plus_days(days) <= memory.engine.now() {
        counts.expired += 1;
        return false;
    }
    let cwd = turn.source.cwd.as_deref().map(Path::new);
    let private = private_settings(setup);
    // A conversation that tells no directory may be from one of those.
    let may_be_private = cwd.is_none() && !private.directories.is_empty();
    if may_be_private || private.reason(cwd).is_some() {
        counts.private += 1;
        return false;
    }
    true
}

fn describe(counts: &CaptureCounts, dry_run: bool) -> String {
    let turns = count_with_noun(counts.turns, "turn", "turns");
    let files = count_with_noun(counts.transcripts, "transcript", "transcripts");
    let verb = if dry_run { "would be stored" } else { "stored" };
    let mut text = format!("{turns} {verb} from {files}.");
    if counts.statements > 0 {
        let found = count_with_noun(counts.statements, "statement", "statements");
        text.push_str(&format!(" {found} of yours in them; see `quipu review`."));
    }
    for (count, reason) in [
        (counts.known, "were stored before"),
        (counts.expired, "are older than `transcript_days`"),
        (counts.private, "are private"),
        (counts.refused, "were forgotten on purpose"),
    ] {
        if count > 0 {
            text.push_str(&format!(" {count} {reason}."));
        }
    }
    if counts.skipped_files > 0 {
        let files = count_with_noun(counts.skipped_files, "file is", "files are");
        text.push_str(&format!(" {files} not a transcript of a known client."));
    }
    for reason in &counts.unreadable {
        text.push_str(&format!("\nNot read: {reason}. Its client may have changed its layout."));
    }
    text
}
