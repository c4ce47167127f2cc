//! Exports a vault of Markdown notes and keeps it in step. The notes that were written are listed
//! in a file of the vault with a hash each, so that a later export changes and removes only those,
//! and leaves alone what somebody edited.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::files;
use crate::render::count_with_noun;
use crate::setup::{OpenMemory, Setup};
use crate::signals;
use crate::terminal::{OutputFormat, Terminal};
use crate::text_page::{INDENT, Style, TextPage};
use interchange::{VaultFile, VaultLayout, export_vault};
use model::ContentHash;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// List of the notes that were written. Hidden, so that Obsidian does not show it.
const LIST_FILE: &str = ".quipu-vault.json";
/// Largest list that is read.
const LIST_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Interval at which changes are looked for.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);
/// Number of edited notes that are listed as text; `--json` lists all.
const LISTED_MAX: usize = 10;

/// Notes that an export wrote, with the hash of each.
#[derive(Debug, Default, Serialize, Deserialize)]
struct WrittenNotes {
    notes: BTreeMap<String, String>,
}

/// Result of bringing a vault in step.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct VaultChanges {
    notes: usize,
    written: usize,
    removed: usize,
    /// Notes that somebody edited, which were left alone.
    edited: Vec<String>,
}

/// Writes the vault, and with `watch` goes on until a termination signal.
///
/// # Errors
/// Fails when the directory has other files and was never a vault of Quipu, or cannot be written,
/// or the memory cannot be read.
pub async fn export(
    directory: &Path,
    layout: VaultLayout,
    watch: bool,
    setup: &Setup,
) -> Result<CommandOutput, Problem> {
    check_directory(directory)?;
    setup
        .with_memory(async |memory| {
            let mut seq = memory.store.seq(&memory.caller.owner).await?;
            let changes = write_vault(memory, layout, directory).await?;
            if !watch {
                return Ok(output(setup, directory, &changes));
            }
            let stop = signals::shutdown_token()?;
            print_changes(setup, directory, &changes)?;
            while !stop.is_cancelled() {
                tokio::select! {
                    () = stop.cancelled() => break,
                    () = tokio::time::sleep(WATCH_INTERVAL) => {}
                }
                let newest = memory.store.seq(&memory.caller.owner).await?;
                if newest != seq {
                    seq = newest;
                    let changes = write_vault(memory, layout, directory).await?;
                    if changes.written + changes.removed > 0 {
                        print_changes(setup, directory, &changes)?;
                    }
                }
            }
            Ok(CommandOutput::empty(setup.terminal))
        })
        .await
}

/// Refuses a directory with files of somebody else: an export would mix its notes with them.
fn check_directory(directory: &Path) -> Result<(), Problem> {
    let failed = |error: std::io::Error| Problem::file("reading", directory, &error);
    if !directory.exists() || directory.join(LIST_FILE).exists() {
        return Ok(());
    }
    let mut entries = std::fs::read_dir(directory).map_err(failed)?.filter_map(Result::ok);
    // The settings of Obsidian are there as soon as a vault was created with it.
    let is_other = |entry: &std::fs::DirEntry| entry.file_name() != ".obsidian";
    match entries.find(is_other) {
        None => Ok(()),
        Some(_) => Err(Problem::refused(
            format!("{} has other files in it", directory.display()),
            "Name a new directory, such as one inside of your vault.",
        )),
    }
}

async fn write_vault(
    memory: &OpenMemory,
    layout: VaultLayout,
    directory: &Path,
) -> Result<VaultChanges, Problem> {
    let pages = export_vault(&memory.engine, &memory.caller, layout).await?;
    bring_in_step(directory, pages)
}

/// Writes the notes that changed and removes those that are gone.
fn bring_in_step(directory: &Path, pages: Vec<VaultFile>) -> Result<VaultChanges, Problem> {
    files::create_private_dir(directory)?;
    let before = read_list(directory);
    let mut changes = VaultChanges { notes: pages.len(), ..VaultChanges::default() };
    let mut list = WrittenNotes::default();
    for page in pages {
        let (hash, known) = (hash_of(page.text.as_bytes()), before.notes.get(&page.path));
        let (file, text) = (directory.join(&page.path), &page.text);
        if is_edited(&file, known) {
            changes.edited.push(page.path.clone());
            list.notes.extend(known.map(|known| (page.path, known.clone())));
            continue;
        }
        if known != Some(&hash) || !file.exists() {
            file.parent().map_or(Ok(()), files::create_private_dir)?;
            files::replace_file(&file, text)?;
            changes.written += 1;
        }
        list.notes.insert(page.path, hash);
    }
    for (path, hash) in &before.notes {
        remove_old(directory, path, hash, &list, &mut changes)?;
    }
    let list = serde_json::to_string_pretty(&list).unwrap_or_default();
    files::replace_file(&directory.join(LIST_FILE), &list)?;
    Ok(changes)
}

/// Removes a note that the memory no longer has, unless somebody edited it.
fn remove_old(
    directory: &Path,
    path: &str,
    hash: &String,
    list: &WrittenNotes,
    changes: &mut VaultChanges,
) -> Result<(), Problem> {
    let file = directory.join(path);
    if list.notes.contains_key(path) || !file.exists() {
        return Ok(());
    }
    if is_edited(&file, Some(hash)) {
        changes.edited.push(path.to_owned());
        return Ok(());
    }
    std::fs::remove_file(&file).map_err(|error| Problem::file("removing", &file, &error))?;
    changes.removed += 1;
    Ok(())
}

/// Returns true if a file is not as an export wrote it.
fn is_edited(file: &Path, written: Option<&String>) -> bool {
    match std::fs::read(file) {
        Ok(bytes) => written != Some(&hash_of(&bytes)),
        Err(_) => false,
    }
}

/// Returns the list of an earlier export. A path in it that leads out of the vault is left out: the
/// file may come from somebody else.
fn read_list(directory: &Path) -> WrittenNotes {
    let read = files::read_small(&directory.join(LIST_FILE), LIST_BYTES_MAX).ok().flatten();
    let mut list: WrittenNotes =
        read.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let is_below = |path: &str| {
        let mut parts = Path::new(path).components();
        parts.all(|part| matches!(part, std::path::Component::Normal(_)))
    };
    list.notes.retain(|path, _| is_below(path));
    list
}

fn hash_of(bytes: &[u8]) -> String {
    ContentHash::of_bytes(bytes).to_string()
}

fn output(setup: &Setup, directory: &Path, changes: &VaultChanges) -> CommandOutput {
    let mut page = TextPage::new(setup.terminal);
    render(&mut page, directory, changes);
    let path = directory.display().to_string();
    let value = json!({ "directory": path, "format": "vault", "changes": changes });
    CommandOutput::new(value, page)
}

fn render(page: &mut TextPage, directory: &Path, changes: &VaultChanges) {
    let notes = count_with_noun(changes.notes, "note", "notes");
    let VaultChanges { written, removed, edited, .. } = changes;
    page.add_text(&format!(
        "{notes} in {}: {written} written, {removed} removed.",
        directory.display()
    ));
    if !edited.is_empty() {
        let notes = count_with_noun(edited.len(), "note was", "notes were");
        page.add_text(&format!("{notes} edited there and left alone:"));
        let listed = edited.iter().take(LISTED_MAX);
        listed.for_each(|path| _ = page.paragraph(INDENT, Style::Warn, path));
    }
}

/// Prints what changed at once, since whoever watches waits for it.
fn print_changes(setup: &Setup, directory: &Path, changes: &VaultChanges) -> Result<(), Problem> {
    match setup.terminal.format {
        OutputFormat::Json => Terminal::print(&format!("{}\n", json!(changes))),
        OutputFormat::Text => {
            let mut page = TextPage::new(setup.terminal);
            render(&mut page, directory, changes);
            Terminal::print(&page.into_text())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(path: &str, text: &str) -> VaultFile {
        VaultFile { path: path.to_owned(), text: text.to_owned() }
    }

    fn counts(changes: &VaultChanges) -> (usize, usize, usize) {
        (changes.written, changes.removed, changes.edited.len())
    }

    #[test]
    fn a_vault_follows_the_memory_and_writes_only_what_changed() {
        let root = tempfile::tempdir().unwrap();
        let vault = root.path().join("vault");
        let first = vec![note("memories/a.md", "a"), note("memories/b.md", "b")];
        assert_eq!(counts(&bring_in_step(&vault, first.clone()).unwrap()), (2, 0, 0));
        assert_eq!(counts(&bring_in_step(&vault, first).unwrap()), (0, 0, 0));
        let second = vec![note("memories/b.md", "b2"), note("shop/c.md", "c")];
        assert_eq!(counts(&bring_in_step(&vault, second).unwrap()), (2, 1, 0));
        assert!(!vault.join("memories/a.md").exists());
        assert_eq!(std::fs::read_to_string(vault.join("memories/b.md")).unwrap(), "b2");
    }

    #[test]
    fn a_note_that_somebody_edited_is_neither_overwritten_nor_removed() {
        let root = tempfile::tempdir().unwrap();
        bring_in_step(root.path(), vec![note("a.md", "a"), note("b.md", "b")]).unwrap();
        std::fs::write(root.path().join("a.md"), "mine").unwrap();
        std::fs::write(root.path().join("b.md"), "mine").unwrap();
        let changes = bring_in_step(root.path(), vec![note("a.md", "a2")]).unwrap();
        assert_eq!(counts(&changes), (0, 0, 2));
        assert_eq!(std::fs::read_to_string(root.path().join("a.md")).unwrap(), "mine");
        assert!(root.path().join("b.md").exists());
    }

    #[test]
    fn a_list_cannot_make_an_export_remove_a_file_outside_of_the_vault() {
        let root = tempfile::tempdir().unwrap();
        let (outside, vault) = (root.path().join("outside.md"), root.path().join("vault"));
        std::fs::write(&outside, "kept").unwrap();
        std::fs::create_dir(&vault).unwrap();
        let list = json!({ "notes": { "../outside.md": hash_of(b"kept") } }).to_string();
        std::fs::write(vault.join(LIST_FILE), list).unwrap();
        assert_eq!(counts(&bring_in_step(&vault, Vec::new()).unwrap()), (0, 0, 0));
        assert!(outside.exists());
    }

    #[test]
    fn a_directory_of_somebody_else_is_refused() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join(".obsidian")).unwrap();
        assert!(check_directory(root.path()).is_ok());
        std::fs::write(root.path().join("diary.md"), "mine").unwrap();
        assert!(check_directory(root.path()).is_err());
    }
}
