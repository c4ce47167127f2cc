//! Watches the owner's references directory while a long-running process is up: documents in it are
//! filed, filed again when they change, and removed when their file is gone. References that were
//! filed by hand are never touched.

use crate::command::{DocumentFile, documents_below};
use crate::exit::Problem;
use crate::files;
use crate::home_dir::HomeDir;
use crate::setup::OpenMemory;
use engine::references::FileReferenceRequest;
use engine::{Caller, Engine};
use model::{ContentHash, ErrorCode, OwnerId, Page, limits};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;

/// Interval between two scans. A scan reads metadata only; a file is opened once it has changed.
const SCAN_INTERVAL: Duration = Duration::from_secs(30);
/// Maximum size of the list of filed documents.
const FILED_LIST_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Starts watching the owner's directory, until `stop` is cancelled.
pub fn start(memory: &OpenMemory, home: &HomeDir, stop: CancellationToken) {
    let mut watcher = ReferenceWatcher::for_owner(home, &memory.caller.owner);
    let (engine, caller) = (Arc::clone(&memory.engine), memory.caller_for("references"));
    let keep = async move {
        loop {
            if let Err(problem) = watcher.sync(&engine, &caller).await {
                tracing::warn!(problem = problem.message(), "cannot file the references directory");
            }
            tokio::time::sleep(SCAN_INTERVAL).await;
        }
    };
    tokio::spawn(async move { stop.run_until_cancelled(keep).await });
}

/// The state of one watched directory.
struct ReferenceWatcher {
    directory: PathBuf,
    /// File that lists the documents filed from the directory, so that a later process knows which
    /// references it may remove.
    filed_list: PathBuf,
    /// Modification time and length of each file at the last scan.
    last_states: HashMap<PathBuf, (SystemTime, u64)>,
}

impl ReferenceWatcher {
    fn for_owner(home: &HomeDir, owner: &OwnerId) -> Self {
        let directory = home.owner_dir(owner).join("references");
        Self {
            filed_list: directory.with_extension("list"),
            directory,
            last_states: HashMap::new(),
        }
    }

    /// Files new and changed documents and removes those whose file is gone. A missing directory
    /// changes nothing: an unmounted drive must not empty the references.
    async fn sync(&mut self, engine: &Engine, caller: &Caller) -> Result<(), Problem> {
        let directory = self.directory.clone();
        let walk = move || {
            if directory.is_dir() { documents_below(&directory).map(Some) } else { Ok(None) }
        };
        let walked = tokio::task::spawn_blocking(walk).await;
        let Some(found) = walked
            .map_err(|fault| Problem::failed(fault.to_string(), "Report this as a bug."))??
        else {
            return Ok(());
        };
        let changed: Vec<&DocumentFile> =
            found.iter().filter(|document| self.has_changed(document)).collect();
        if !changed.is_empty() {
            let known = filed_hashes(engine, caller).await?;
            for document in changed {
                file_document_if_changed(engine, caller, document, &known).await?;
            }
        }
        let paths: BTreeSet<String> = found.into_iter().map(|document| document.path).collect();
        self.remove_gone(engine, caller, &paths).await
    }

    /// Returns true if a file is new or has changed since the last scan, and remembers its state.
    fn has_changed(&mut self, document: &DocumentFile) -> bool {
        let Ok(about) = document.file.metadata() else { return false };
        let now = (about.modified().unwrap_or(SystemTime::UNIX_EPOCH), about.len());
        self.last_states.insert(document.file.clone(), now) != Some(now)
    }

    async fn remove_gone(
        &self,
        engine: &Engine,
        caller: &Caller,
        paths: &BTreeSet<String>,
    ) -> Result<(), Problem> {
        let listed = files::read_small(&self.filed_list, FILED_LIST_BYTES_MAX)
            .map_err(|error| Problem::file("reading", &self.filed_list, &error))?;
        let before: BTreeSet<String> =
            listed.unwrap_or_default().lines().map(str::to_owned).collect();
        for gone in before.difference(paths) {
            match engine.references().remove(caller, gone).await {
                Err(failure) if failure.code != ErrorCode::NotFound => return Err(failure.into()),
                _ => tracing::info!(path = gone, "removed a reference whose file is gone"),
            }
        }
        if before == *paths {
            return Ok(());
        }
        let text: String = paths.iter().map(|path| format!("{path}\n")).collect();
        files::replace_file(&self.filed_list, &text)
    }
}

/// Returns every filed document with the hash of its text.
async fn filed_hashes(
    engine: &Engine,
    caller: &Caller,
) -> Result<HashMap<String, ContentHash>, Problem> {
    let mut known = HashMap::new();
    loop {
        let page = Page { limit: limits::PAGE_ITEMS, offset: known.len() };
        let listed = engine.references().list(caller, page).await?;
        let count = listed.items.len();
        known.extend(listed.items.into_iter().map(|reference| (reference.path, reference.hash)));
        if count == 0 || known.len() >= listed.total {
            return Ok(known);
        }
    }
}

/// Files one document unless the same text is filed already. One that is refused is logged and
/// skipped; retrying it would be refused again.
async fn file_document_if_changed(
    engine: &Engine,
    caller: &Caller,
    document: &DocumentFile,
    known: &HashMap<String, ContentHash>,
) -> Result<(), Problem> {
    let read = files::read_small(&document.file, limits::REFERENCE_BYTES as u64 + 1);
    let text =
        read.map_err(|error| Problem::file("reading", &document.file, &error))?.unwrap_or_default();
    if known.get(&document.path) == Some(&ContentHash::of_bytes(text.as_bytes())) {
        return Ok(());
    }
    let input = FileReferenceRequest { path: document.path.clone(), text };
    match engine.references().put(caller, &input).await {
        Err(refused) if !refused.code.retryable() => {
            tracing::warn!(path = document.path, %refused, "skipped a reference");
            Ok(())
        }
        done => done.map(|_| ()).map_err(Into::into),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::embedder::ConfiguredEmbedder;
    use crate::setup::open_at;
    use engine::SystemClock;

    /// Returns the paths of the documents that contain a word.
    async fn documents_containing(memory: &OpenMemory, word: &str) -> Vec<String> {
        let hits = memory.engine.references().search(&memory.caller, word, None).await.unwrap();
        let having = hits.into_iter().filter(|hit| hit.hit.section.text.contains(word));
        having.map(|hit| hit.hit.path).collect()
    }

    #[tokio::test]
    async fn documents_are_filed_updated_and_removed_with_their_files() {
        let directory = tempfile::tempdir().unwrap();
        let home = HomeDir::find(Some(directory.path()), |_| None).unwrap();
        let config = Config::default();
        let embedder = ConfiguredEmbedder::from_config(&config.embedder, home.path()).unwrap();
        let memory = open_at(home.path(), &config, embedder, Arc::new(SystemClock)).await.unwrap();
        let mut watcher = ReferenceWatcher::for_owner(&home, &config.owner);
        watcher.sync(&memory.engine, &memory.caller).await.unwrap();
        let by_hand = FileReferenceRequest {
            path: "references/by-hand.md".into(),
            text: "Glaze by hand.".into(),
        };
        memory.engine.references().put(&memory.caller, &by_hand).await.unwrap();

        std::fs::create_dir_all(watcher.directory.join("specs")).unwrap();
        let file = watcher.directory.join("specs/glaze.md");
        std::fs::write(&file, "# Glaze\nCobalt and ash.").unwrap();
        watcher.sync(&memory.engine, &memory.caller).await.unwrap();
        assert_eq!(documents_containing(&memory, "Cobalt").await, ["references/specs/glaze.md"]);

        std::fs::write(&file, "# Glaze\nOnly copper, and more of it.").unwrap();
        watcher.sync(&memory.engine, &memory.caller).await.unwrap();
        assert_eq!(documents_containing(&memory, "copper").await, ["references/specs/glaze.md"]);
        assert!(documents_containing(&memory, "Cobalt").await.is_empty());

        std::fs::remove_file(&file).unwrap();
        ReferenceWatcher::for_owner(&home, &config.owner)
            .sync(&memory.engine, &memory.caller)
            .await
            .unwrap();
        assert!(documents_containing(&memory, "copper").await.is_empty());
        assert_eq!(
            documents_containing(&memory, "by hand").await,
            ["references/by-hand.md"],
            "what was filed by hand stays"
        );
    }
}
