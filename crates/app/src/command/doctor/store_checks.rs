//! Checks of the store: integrity, missing vectors, size, and the snapshot of the search view.

use super::Mode;
use super::check::Check;
use crate::exit::Problem;
use crate::setup::{Opened, Setup};
use crate::shown::{counted, size as read_size};
use engine::recall::Recall;
use engine::reembed::Reembedded;
use engine::{Engine, Parts, SystemClock};
use model::{Failure, MemoryId, Page};
use std::sync::Arc;
use store::MemoryQuery;

/// Number of memories embedded in one batch.
const AT_ONCE: usize = 64;
/// Size up to which the store compacts the file by itself after a memory was forgotten.
const BYTES_REWRITTEN: u64 = 256 * 1024 * 1024;
/// Size below which a file is never reported as too large.
const BYTES_UNSUSPICIOUS: u64 = 64 << 20;
/// Bytes per memory above which the file contains unused space.
const BYTES_EACH: u64 = 64 << 10;
/// Number of queries that the snapshot is compared with.
const QUESTIONS: usize = 5;

/// Checks the integrity of the store.
pub(super) async fn store(memory: &Opened) -> Check {
    match memory.engine.admin().checkup(&memory.using("doctor")).await {
        Ok(found) if found.health.sound => {
            let memories = found.status.counts.memories.iter().map(|(_, count)| count).sum();
            let format = format!("{}, format {}", found.health.engine, found.health.format);
            Check::ok(
                "store",
                format!("{format}: intact, {}", counted(memories, "memory", "memories")),
            )
        }
        Ok(found) => Check::fail("store", found.health.problems.join("; "), RESTORE),
        Err(failure) => Check::fail("store", failure.message, RESTORE),
    }
}

const RESTORE: &str = "Make a copy of the home directory, then restore the newest good backup with \
     `quipu restore --force`.";

/// Reports a store that cannot be opened.
pub(super) fn unopened(setup: &Setup, problem: &Problem) -> Check {
    let found = format!("{}: {}", setup.home.path().display(), problem.message());
    Check::fail("store", found, format!("QUIPU_LOG=error shows the cause. {RESTORE}"))
}

/// Checks that every memory has a vector, so that it is found by meaning.
pub(super) async fn vectors(memory: &Opened, mode: Mode) -> Check {
    let caller = memory.using("doctor");
    if mode == Mode::Mend {
        // A failure shows up below as missing vectors; a long-running process retries.
        while let Ok(Reembedded::Made(_)) = memory.engine.admin().reembed(&caller, AT_ONCE).await {}
    }
    match memory.engine.admin().embedding_progress(&caller).await {
        Ok(progress) if progress.is_complete() => Check::ok("vectors", "every memory has a vector"),
        Ok(progress) => {
            let left = progress.total - progress.done;
            let found = format!("{} no vector yet", counted(left, "memory has", "memories have"));
            Check::warn(
                "vectors",
                found,
                "Use --fix to embed them now; a running `mcp` or `serve` does it, too.",
            )
        }
        Err(failure) => Check::fail("vectors", failure.message, RESTORE),
    }
}

/// Checks whether the file is larger than its memories need.
pub(super) async fn size(memory: &Opened, mode: Mode) -> Check {
    let caller = memory.using("doctor");
    let status = match memory.engine.admin().status(&caller).await {
        Ok(status) => status,
        Err(failure) => return Check::fail("size", failure.message, RESTORE),
    };
    let memories: usize = status.counts.memories.iter().map(|(_, count)| count).sum();
    let bytes = status.counts.bytes;
    // The store does not compact a file this large after each forgotten memory, so --fix does.
    let wants_rewriting = mode == Mode::Mend && bytes > BYTES_REWRITTEN;
    if !is_suspicious(bytes, memories) && !wants_rewriting {
        return Check::ok(
            "size",
            format!("{} for {}", read_size(bytes), counted(memories, "memory", "memories")),
        );
    }
    if mode == Mode::Mend
        && let Ok(freed) = memory.engine.admin().compact(&caller).await
    {
        return Check::ok("size", format!("fixed: freed {}", read_size(freed)));
    }
    let found =
        format!("{} is large for {}", read_size(bytes), counted(memories, "memory", "memories"));
    Check::warn("size", found, "Use --fix to free unused space.")
}

fn is_suspicious(bytes: u64, memories: usize) -> bool {
    bytes > BYTES_UNSUSPICIOUS && bytes / (memories as u64).max(1) > BYTES_EACH
}

/// Checks that the search view loaded from the snapshot answers like one built from the store.
pub(super) async fn snapshot(setup: &Setup, memory: &Opened, mode: Mode) -> Check {
    let file = setup.home.snapshot(&memory.caller.owner);
    let Ok(metadata) = file.metadata() else {
        return Check::ok("snapshot", "none yet; it is created when it saves time");
    };
    match answers_alike(memory).await {
        Ok(true) => Check::ok(
            "snapshot",
            format!("{}, consistent with the store", read_size(metadata.len())),
        ),
        Ok(false) if mode == Mode::Mend && std::fs::remove_file(&file).is_ok() => {
            Check::ok("snapshot", "fixed: removed a wrong snapshot; the next recall recreates it")
        }
        Ok(false) => Check::fail(
            "snapshot",
            "it is not consistent with the store",
            format!("Use --fix, or delete {}", file.display()),
        ),
        Err(failure) => Check::fail("snapshot", failure.message, RESTORE),
    }
}

/// Compares an engine that loads the snapshot with one that does not. Neither is flushed, so that
/// no memory counts as used.
async fn answers_alike(memory: &Opened) -> Result<bool, Failure> {
    let store = memory.store.clone();
    let with =
        engine(memory, Some(Arc::new(move |owner| store.owner_dir(owner).join("view.snapshot"))));
    let without = engine(memory, None);
    let newest = without
        .memories()
        .list(&memory.caller, &MemoryQuery::default(), Page::first(QUESTIONS))
        .await?;
    for known in newest.items {
        let question = Recall::query(known.text.chars().take(500).collect::<String>());
        if found(&with, memory, &question).await? != found(&without, memory, &question).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn engine(memory: &Opened, snapshots: Option<engine::SnapshotPath>) -> Engine {
    let store = Arc::new(memory.store.clone());
    let embedder = Arc::clone(&memory.embedder.embedder);
    Engine::new(Parts { store, embedder, clock: Arc::new(SystemClock), snapshots })
}

async fn found(
    engine: &Engine,
    memory: &Opened,
    question: &Recall,
) -> Result<Vec<MemoryId>, Failure> {
    let recalled = engine.memories().recall(&memory.using("doctor"), question).await?;
    Ok(recalled.hits.iter().map(|hit| hit.memory.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_large_file_with_few_memories_is_suspicious() {
        assert!(!is_suspicious(BYTES_UNSUSPICIOUS, 0));
        assert!(is_suspicious(BYTES_UNSUSPICIOUS + 1, 0));
        assert!(is_suspicious(1 << 30, 1_000));
        assert!(!is_suspicious(1 << 30, 100_000));
    }
}
