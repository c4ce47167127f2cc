//! Checks of the store: integrity, missing vectors, size, and the snapshot of the search view.

use super::DoctorMode;
use super::check::DoctorCheck;
use crate::exit::Problem;
use crate::render::{count_with_noun, human_size};
use crate::setup::{OpenMemory, Setup};
use engine::recall::RecallRequest;
use engine::reembed::ReembedOutcome;
use engine::{Engine, Parts, SystemClock};
use model::{Failure, MemoryId, Page};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{MemoryQuery, ViewSnapshots};

/// Number of memories embedded in one batch.
const EMBED_BATCH: usize = 64;
/// Size up to which the store compacts the file by itself after a memory was forgotten.
const AUTO_COMPACT_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Size below which a file is never reported as too large.
const SUSPICIOUS_BYTES_MIN: u64 = 64 << 20;
/// Bytes per memory above which the file contains unused space.
const BYTES_PER_MEMORY_MAX: u64 = 64 << 10;
/// Number of comparisons of the snapshot while others write.
const COMPARISONS_MAX: usize = 5;
/// Time that `--fix` waits for readers to leave what forgotten text is still in.
const TRACES_WAIT: Duration = Duration::from_secs(10);
/// Number of queries that the snapshot is compared with.
const SNAPSHOT_QUERIES: usize = 5;

/// Checks the integrity of the store.
pub(super) async fn store(memory: &OpenMemory) -> DoctorCheck {
    match memory.engine.admin().checkup(&memory.caller_for("doctor")).await {
        Ok(found) if found.health.sound => {
            let memories = found.status.counts.memories.iter().map(|(_, count)| count).sum();
            let format = format!("{}, format {}", found.health.engine, found.health.format);
            DoctorCheck::ok(
                "store",
                format!("{format}: intact, {}", count_with_noun(memories, "memory", "memories")),
            )
        }
        Ok(found) => DoctorCheck::fail("store", found.health.problems.join("; "), ADVICE_RESTORE),
        Err(failure) => DoctorCheck::fail("store", failure.message, ADVICE_RESTORE),
    }
}

const ADVICE_RESTORE: &str = "Make a copy of the home directory, then restore the newest good \
     backup with `quipu restore --force`.";

/// Reports a store that cannot be opened.
pub(super) fn cannot_open(setup: &Setup, problem: &Problem) -> DoctorCheck {
    let found = format!("{}: {}", setup.home.path().display(), problem.message());
    let advice = format!("QUIPU_LOG=error shows the cause. {ADVICE_RESTORE} {}", problem.hint());
    DoctorCheck::fail("store", found, advice)
}

/// Checks that every memory has a vector, so that it is found by meaning.
pub(super) async fn vectors(memory: &OpenMemory, mode: DoctorMode) -> DoctorCheck {
    let caller = memory.caller_for("doctor");
    if mode == DoctorMode::Fix {
        embed_missing(memory).await;
    }
    match memory.engine.admin().embedding_progress(&caller).await {
        Ok(progress) if progress.is_complete() => {
            DoctorCheck::ok("vectors", "every memory has a vector")
        }
        Ok(progress) => {
            let left = progress.total - progress.done;
            let found =
                format!("{} no vector yet", count_with_noun(left, "memory has", "memories have"));
            DoctorCheck::warn(
                "vectors",
                found,
                "Use --fix to embed them now; a running `mcp` or `serve` does it, too.",
            )
        }
        Err(failure) => DoctorCheck::fail("vectors", failure.message, ADVICE_RESTORE),
    }
}

/// Embeds the memories that have no vector. Ends after as many batches as there are memories to
/// embed, also when others add some meanwhile.
async fn embed_missing(memory: &OpenMemory) {
    let caller = memory.caller_for("doctor");
    let progress = memory.engine.admin().embedding_progress(&caller).await;
    let left = progress.map_or(0, |progress| progress.total - progress.done);
    for _ in 0..left.div_ceil(EMBED_BATCH) {
        // A failure shows up below as missing vectors; a long-running process retries.
        let embedded = memory.engine.admin().reembed(&caller, EMBED_BATCH).await;
        if !matches!(embedded, Ok(ReembedOutcome::Embedded(_))) {
            return;
        }
    }
}

/// Checks that no erased text is left in unused bytes of the files.
pub(super) async fn traces(memory: &OpenMemory, mode: DoctorMode) -> DoctorCheck {
    let owed = || memory.store.erasure(&memory.caller.owner, &[]);
    let since = Instant::now();
    loop {
        match owed().await {
            Ok(state) if !state.traces_owed => {
                return DoctorCheck::ok("traces", "nothing forgotten is left in the files");
            }
            // Opening the memory began to clear them; only readers can be in the way.
            Ok(_) if since.elapsed() < traces_wait(mode) => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Ok(_) => {
                return DoctorCheck::warn(
                    "traces",
                    "forgotten text may still be in unused bytes of the files",
                    "Another process reads an older state, such as a backup. Wait for it or end \
                     it, then run `quipu doctor --fix`; a running `mcp` or `serve` clears them, \
                     too.",
                );
            }
            Err(error) => {
                return DoctorCheck::fail("traces", error.to_string(), ADVICE_RESTORE);
            }
        }
    }
}

fn traces_wait(mode: DoctorMode) -> Duration {
    // A short wait in any case: clearing takes a few steps of some milliseconds.
    if mode == DoctorMode::Fix { TRACES_WAIT } else { Duration::from_secs(1) }
}

/// Checks whether the file is larger than its memories need.
pub(super) async fn size(memory: &OpenMemory, mode: DoctorMode) -> DoctorCheck {
    let caller = memory.caller_for("doctor");
    let status = match memory.engine.admin().status(&caller).await {
        Ok(status) => status,
        Err(failure) => return DoctorCheck::fail("size", failure.message, ADVICE_RESTORE),
    };
    let memories: usize = status.counts.memories.iter().map(|(_, count)| count).sum();
    let bytes = status.counts.bytes;
    // The store does not compact a file this large after each forgotten memory, so --fix does.
    let wants_rewriting = mode == DoctorMode::Fix && bytes > AUTO_COMPACT_BYTES_MAX;
    if !is_suspicious(bytes, memories) && !wants_rewriting {
        return DoctorCheck::ok(
            "size",
            format!(
                "{} for {}",
                human_size(bytes),
                count_with_noun(memories, "memory", "memories")
            ),
        );
    }
    if mode == DoctorMode::Fix
        && let Ok(freed) = memory.engine.admin().compact(&caller).await
    {
        return DoctorCheck::ok("size", format!("fixed: freed {}", human_size(freed)));
    }
    let found = format!(
        "{} is large for {}",
        human_size(bytes),
        count_with_noun(memories, "memory", "memories")
    );
    DoctorCheck::warn("size", found, "Use --fix to free unused space.")
}

fn is_suspicious(bytes: u64, memories: usize) -> bool {
    bytes > SUSPICIOUS_BYTES_MIN && bytes / (memories as u64).max(1) > BYTES_PER_MEMORY_MAX
}

/// Checks that the search view loaded from the snapshot answers like one built from the store.
pub(super) async fn snapshot(memory: &OpenMemory, mode: DoctorMode) -> DoctorCheck {
    let (core, owner) = (memory.engine.core(), &memory.caller.owner);
    let Some(bytes) = core.snapshot_bytes(owner).await else {
        return DoctorCheck::ok("snapshot", "none yet; one is created once it saves time");
    };
    match snapshot_agrees(memory).await {
        Ok(true) => {
            DoctorCheck::ok("snapshot", format!("{}, consistent with the store", human_size(bytes)))
        }
        Ok(false) if mode == DoctorMode::Fix && core.remove_snapshot(owner).await => {
            DoctorCheck::ok(
                "snapshot",
                "fixed: removed a wrong snapshot; the next recall recreates it",
            )
        }
        Ok(false) => {
            DoctorCheck::fail("snapshot", "it is not consistent with the store", "Use --fix.")
        }
        Err(failure) => DoctorCheck::fail("snapshot", failure.message, ADVICE_RESTORE),
    }
}

/// Compares until nobody wrote meanwhile: the two engines then have seen the same memories.
async fn snapshot_agrees(memory: &OpenMemory) -> Result<bool, Failure> {
    for _ in 0..COMPARISONS_MAX {
        let before = memory.store.seq(&memory.caller.owner).await.map_err(Failure::from)?;
        if snapshot_matches_store(memory).await? {
            return Ok(true);
        }
        if memory.store.seq(&memory.caller.owner).await.map_err(Failure::from)? == before {
            return Ok(false);
        }
    }
    // Never quiet long enough to tell; each of the differences may be a write.
    Ok(true)
}

/// Compares an engine that loads the snapshot with one that does not. Neither is flushed, so that
/// no memory counts as used.
async fn snapshot_matches_store(memory: &OpenMemory) -> Result<bool, Failure> {
    let with = open_engine(memory, Some(Arc::clone(&memory.snapshots)));
    let without = open_engine(memory, None);
    let newest = without
        .memories()
        .list(&memory.caller, &MemoryQuery::default(), Page::first(SNAPSHOT_QUERIES))
        .await?;
    for known in newest.items {
        let question = RecallRequest::query(known.text.chars().take(500).collect::<String>());
        if recall_ids(&with, memory, &question).await?
            != recall_ids(&without, memory, &question).await?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn open_engine(memory: &OpenMemory, snapshots: Option<Arc<dyn ViewSnapshots>>) -> Engine {
    let store = memory.store.clone();
    let embedder = Arc::clone(&memory.embedder.embedder);
    Engine::new(Parts { store, embedder, clock: Arc::new(SystemClock), snapshots })
}

async fn recall_ids(
    engine: &Engine,
    memory: &OpenMemory,
    question: &RecallRequest,
) -> Result<Vec<MemoryId>, Failure> {
    let recalled = engine.memories().recall(&memory.caller_for("doctor"), question).await?;
    Ok(recalled.hits.iter().map(|hit| hit.memory.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_large_file_with_few_memories_is_suspicious() {
        assert!(!is_suspicious(SUSPICIOUS_BYTES_MIN, 0));
        assert!(is_suspicious(SUSPICIOUS_BYTES_MIN + 1, 0));
        assert!(is_suspicious(1 << 30, 1_000));
        assert!(!is_suspicious(1 << 30, 100_000));
    }
}
