//! Watches the owner's references directory while a long-running process is up: documents in it are
//! filed, filed again when they change, and removed when their file is gone. References that were
//! filed by hand are never touched.

use crate::command::{Document, documents_below};
use crate::exit::Problem;
use crate::files;
use crate::home::Home;
use crate::setup::Opened;
use engine::references::FileReference;
use engine::{Caller, Engine};
use model::{ContentHash, ErrorCode, OwnerId, Page, limits};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;

/// Interval between two scans. A scan reads metadata only; a file is opened once it has changed.
const BETWEEN: Duration = Duration::from_secs(30);
/// Maximum size of the list of filed documents.
const LIST_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Starts watching the owner's directory, until `stop` is cancelled.
pub fn start(memory: &Opened, home: &Home, stop: CancellationToken) {
    let mut shelf = Shelf::of(home, &memory.caller.owner);
    let (engine, caller) = (Arc::clone(&memory.engine), memory.using("references"));
    let keep = async move {
        loop {
            if let Err(problem) = shelf.file(&engine, &caller).await {
                tracing::warn!(problem = problem.message(), "cannot file the references directory");
            }
            tokio::time::sleep(BETWEEN).await;
        }
    };
    tokio::spawn(async move { stop.run_until_cancelled(keep).await });
}

/// The state of one watched directory.
struct Shelf {
    directory: PathBuf,
    /// File that lists the documents filed from the directory, so that a later process knows which
    /// references it may remove.
    list: PathBuf,
    /// Modification time and length of each file at the last scan.
    seen: HashMap<PathBuf, (SystemTime, u64)>,
}

impl Shelf {
    fn of(home: &Home, owner: &OwnerId) -> Self {
        let directory = home.owner(owner).join("references");
        Self { list: directory.with_extension("list"), directory, seen: HashMap::new() }
    }

    /// Files new and changed documents and removes those whose file is gone. A missing directory
    /// changes nothing: an unmounted drive must not empty the references.
    async fn file(&mut self, engine: &Engine, caller: &Caller) -> Result<(), Problem> {
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
        let changed: Vec<&Document> =
            found.iter().filter(|document| self.changed(document)).collect();
        if !changed.is_empty() {
            let known = known(engine, caller).await?;
            for document in changed {
                file_one(engine, caller, document, &known).await?;
            }
        }
        let paths: BTreeSet<String> = found.into_iter().map(|document| document.path).collect();
        self.remove_gone(engine, caller, &paths).await
    }

    /// Returns true if a file is new or has changed since the last scan, and remembers its state.
    fn changed(&mut self, document: &Document) -> bool {
        let Ok(about) = document.file.metadata() else { return false };
        let now = (about.modified().unwrap_or(SystemTime::UNIX_EPOCH), about.len());
        self.seen.insert(document.file.clone(), now) != Some(now)
    }

    async fn remove_gone(
        &self,
        engine: &Engine,
        caller: &Caller,
        paths: &BTreeSet<String>,
    ) -> Result<(), Problem> {
        let listed = files::read_small(&self.list, LIST_BYTES_MAX)
            .map_err(|error| Problem::file("reading", &self.list, &error))?;
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
        files::put(&self.list, &text)
    }
}

/// Returns every filed document with the hash of its text.
async fn known(engine: &Engine, caller: &Caller) -> Result<HashMap<String, ContentHash>, Problem> {
    let mut known = HashMap::new();
    loop {
        let page = Page { limit: limits::PAGE, offset: known.len() };
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
async fn file_one(
    engine: &Engine,
    caller: &Caller,
    document: &Document,
    known: &HashMap<String, ContentHash>,
) -> Result<(), Problem> {
    let read = files::read_small(&document.file, limits::REFERENCE_BYTES as u64 + 1);
    let text =
        read.map_err(|error| Problem::file("reading", &document.file, &error))?.unwrap_or_default();
    if known.get(&document.path) == Some(&ContentHash::of_bytes(text.as_bytes())) {
        return Ok(());
    }
    let input = FileReference { path: document.path.clone(), text };
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
    use crate::embedder::Chosen;
    use crate::setup::open_at;
    use engine::SystemClock;

    /// Returns the paths of the documents that contain a word.
    async fn having(memory: &Opened, word: &str) -> Vec<String> {
        let hits = memory.engine.references().search(&memory.caller, word, None).await.unwrap();
        let having = hits.into_iter().filter(|hit| hit.hit.section.text.contains(word));
        having.map(|hit| hit.hit.path).collect()
    }

    #[tokio::test]
    async fn documents_in_the_directory_are_filed_follow_their_files_and_go_with_them() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::find(Some(directory.path()), |_| None).unwrap();
        let config = Config::default();
        let embedder = Chosen::by(&config.embedder, home.path()).unwrap();
        let memory = open_at(home.path(), &config, embedder, Arc::new(SystemClock)).await.unwrap();
        let mut shelf = Shelf::of(&home, &config.owner);
        shelf.file(&memory.engine, &memory.caller).await.unwrap();
        let by_hand =
            FileReference { path: "references/by-hand.md".into(), text: "Glaze by hand.".into() };
        memory.engine.references().put(&memory.caller, &by_hand).await.unwrap();

        std::fs::create_dir_all(shelf.directory.join("specs")).unwrap();
        let file = shelf.directory.join("specs/glaze.md");
        std::fs::write(&file, "# Glaze\nCobalt and ash.").unwrap();
        shelf.file(&memory.engine, &memory.caller).await.unwrap();
        assert_eq!(having(&memory, "Cobalt").await, ["references/specs/glaze.md"]);

        std::fs::write(&file, "# Glaze\nOnly copper, and more of it.").unwrap();
        shelf.file(&memory.engine, &memory.caller).await.unwrap();
        assert_eq!(having(&memory, "copper").await, ["references/specs/glaze.md"]);
        assert!(having(&memory, "Cobalt").await.is_empty());

        std::fs::remove_file(&file).unwrap();
        Shelf::of(&home, &config.owner).file(&memory.engine, &memory.caller).await.unwrap();
        assert!(having(&memory, "copper").await.is_empty());
        assert_eq!(
            having(&memory, "by hand").await,
            ["references/by-hand.md"],
            "what was filed by hand stays"
        );
    }
}
