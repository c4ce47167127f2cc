//! The owner's references directory: whatever documents lie in it are filed, filed anew when they
//! change, and removed when they go, while a process that stays is running. What was filed by hand
//! is never touched.

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

/// How often the directory is looked at.
const BETWEEN: Duration = Duration::from_secs(30);
/// The largest list of what was filed that is read.
const LIST_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Keeps an owner's directory filed until the process is asked to end.
pub fn start(memory: &Opened, home: &Home, stop: CancellationToken) {
    let mut shelf = Shelf::of(home, &memory.caller.owner);
    let (engine, caller) = (Arc::clone(&memory.engine), memory.using("references"));
    let keep = async move {
        loop {
            if let Err(problem) = shelf.file(&engine, &caller).await {
                tracing::warn!(
                    problem = problem.message(),
                    "the references directory was not filed"
                );
            }
            tokio::time::sleep(BETWEEN).await;
        }
    };
    tokio::spawn(async move { stop.run_until_cancelled(keep).await });
}

/// A directory of documents, and what is known of it.
struct Shelf {
    directory: PathBuf,
    /// Where it is written down which documents came from the directory.
    list: PathBuf,
    /// When each file last changed, and how long it was.
    seen: HashMap<PathBuf, (SystemTime, u64)>,
}

impl Shelf {
    fn of(home: &Home, owner: &OwnerId) -> Self {
        let directory = home.owner(owner).join("references");
        Self { list: directory.with_extension("list"), directory, seen: HashMap::new() }
    }

    /// Files what is new or changed and removes what is gone. A directory that is not there changes
    /// nothing.
    async fn file(&mut self, engine: &Engine, caller: &Caller) -> Result<(), Problem> {
        let directory = self.directory.clone();
        let walk = move || {
            if directory.is_dir() { documents_below(&directory).map(Some) } else { Ok(None) }
        };
        let walked = tokio::task::spawn_blocking(walk).await;
        let Some(found) =
            walked.map_err(|fault| Problem::failed(fault.to_string(), "Report this."))??
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

    /// Whether a file is new or another than when it was last looked at; from here on it is not.
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
                _ => tracing::info!(path = gone, "a reference was removed with its file"),
            }
        }
        if before == *paths {
            return Ok(());
        }
        let text: String = paths.iter().map(|path| format!("{path}\n")).collect();
        files::put(&self.list, &text)
    }
}

/// Every document that is filed, with the hash of its text.
async fn known(engine: &Engine, caller: &Caller) -> Result<HashMap<String, ContentHash>, Problem> {
    let mut known = HashMap::new();
    loop {
        let page = Page { limit: limits::PAGE, offset: known.len() };
        let listed = engine.references().list(caller, page).await?;
        let came = listed.items.len();
        known.extend(listed.items.into_iter().map(|reference| (reference.path, reference.hash)));
        if came == 0 || known.len() >= listed.total {
            return Ok(known);
        }
    }
}

/// Files one document unless it says what is filed already. One that is refused is told of and
/// passed over.
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
            tracing::warn!(path = document.path, %refused, "a reference was not filed");
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

    /// The documents of the directory that have a word.
    async fn having(memory: &Opened, word: &str) -> Vec<String> {
        let hits = memory.engine.references().search(&memory.caller, word, None).await.unwrap();
        let having = hits.into_iter().filter(|hit| hit.hit.section.text.contains(word));
        having.map(|hit| hit.hit.path).collect()
    }

    #[tokio::test]
    async fn documents_in_the_directory_are_filed_follow_their_files_and_go_with_them() {
        let place = tempfile::tempdir().unwrap();
        let home = Home::find(Some(place.path()), |_| None).unwrap();
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
