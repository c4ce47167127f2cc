//! The store, the vectors in it, its size, and the snapshot of the view beside it.

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

/// How many memories are embedded at a time.
const AT_ONCE: usize = 64;
/// Up to this size the store rewrites the file itself whenever something was forgotten.
const BYTES_REWRITTEN: u64 = 256 * 1024 * 1024;
/// A file smaller than this is never too large.
const BYTES_UNSUSPICIOUS: u64 = 64 << 20;
/// More than this for each memory is more than memories need.
const BYTES_EACH: u64 = 64 << 10;
/// How many questions the snapshot is tried with.
const QUESTIONS: usize = 5;

/// Whether the store holds together.
pub(super) async fn store(memory: &Opened) -> Check {
    match memory.engine.admin().checkup(&memory.using("doctor")).await {
        Ok(found) if found.health.sound => {
            let memories = found.status.counts.memories.iter().map(|(_, count)| count).sum();
            let told = format!("{}, format {}", found.health.engine, found.health.format);
            Check::ok(
                "store",
                format!("{told}: {} hold together", counted(memories, "memory", "memories")),
            )
        }
        Ok(found) => Check::fail("store", found.health.problems.join("; "), RESTORE),
        Err(failure) => Check::fail("store", failure.message, RESTORE),
    }
}

const RESTORE: &str =
    "Copy the home directory away as it is, then `quipu restore --force` the newest good backup.";

/// The store cannot be opened at all.
pub(super) fn unopened(setup: &Setup, problem: &Problem) -> Check {
    let found = format!("{}: {}", setup.home.path().display(), problem.message());
    Check::fail("store", found, format!("QUIPU_LOG=error shows the cause. {RESTORE}"))
}

/// Whether every memory is found by meaning.
pub(super) async fn vectors(memory: &Opened, mode: Mode) -> Check {
    let caller = memory.using("doctor");
    if mode == Mode::Mend {
        // What cannot be made now is told below, and made by the next process that stays.
        while let Ok(Reembedded::Made(_)) = memory.engine.admin().reembed(&caller, AT_ONCE).await {}
    }
    match memory.engine.admin().embedding_progress(&caller).await {
        Ok(progress) if progress.is_complete() => {
            Check::ok("vectors", "every memory is found by meaning")
        }
        Ok(progress) => {
            let left = progress.total - progress.done;
            let found =
                format!("{} found by words alone", counted(left, "memory is", "memories are"));
            Check::warn(
                "vectors",
                found,
                "--fix makes their vectors now; a running `mcp` or `serve` does it too.",
            )
        }
        Err(failure) => Check::fail("vectors", failure.message, RESTORE),
    }
}

/// Whether the file is larger than its memories need.
pub(super) async fn size(memory: &Opened, mode: Mode) -> Check {
    let caller = memory.using("doctor");
    let status = match memory.engine.admin().status(&caller).await {
        Ok(status) => status,
        Err(failure) => return Check::fail("size", failure.message, RESTORE),
    };
    let memories: usize = status.counts.memories.iter().map(|(_, count)| count).sum();
    let bytes = status.counts.bytes;
    // A file this large is not rewritten at every forgetting; mending it is when that is caught up
    // with.
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
        return Check::ok("size", format!("{} given back to the disk", read_size(freed)));
    }
    let found =
        format!("{} is much for {}", read_size(bytes), counted(memories, "memory", "memories"));
    Check::warn("size", found, "--fix gives unused space back to the disk.")
}

fn is_suspicious(bytes: u64, memories: usize) -> bool {
    bytes > BYTES_UNSUSPICIOUS && bytes / (memories as u64).max(1) > BYTES_EACH
}

/// Whether the view answers the same from its snapshot as from the store itself.
pub(super) async fn snapshot(setup: &Setup, memory: &Opened, mode: Mode) -> Check {
    let file = setup.home.snapshot(&memory.caller.owner);
    let Ok(metadata) = file.metadata() else {
        return Check::ok("snapshot", "none yet; it is made when it saves time");
    };
    match answers_alike(memory).await {
        Ok(true) => Check::ok(
            "snapshot",
            format!("{}, answers as the store does", read_size(metadata.len())),
        ),
        Ok(false) if mode == Mode::Mend && std::fs::remove_file(&file).is_ok() => {
            Check::ok("snapshot", "it was wrong and is removed; the next recall makes it anew")
        }
        Ok(false) => Check::fail(
            "snapshot",
            "it answers otherwise than the store",
            format!("--fix, or delete {}", file.display()),
        ),
        Err(failure) => Check::fail("snapshot", failure.message, RESTORE),
    }
}

/// Asks an engine that uses the snapshot and one that does not. Neither is flushed, so nothing is
/// noted as used.
async fn answers_alike(memory: &Opened) -> Result<bool, Failure> {
    let beside = memory.store.clone();
    let with =
        engine(memory, Some(Arc::new(move |owner| beside.owner_dir(owner).join("view.snapshot"))));
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
