//! Reading: recall, get, link search, opening, memory and disk.

use crate::fixture::BenchFixture;
use embed::Embedder;
use engine::explore::ExploreRequest;
use engine::recall::RecallRequest;
use model::{MemoryId, OwnerId};
use std::hint::black_box;
use std::time::{Duration, Instant};
use store::Store;
use testkit::bench::{Xorshift, median_us, print_table, process_cpu_time, question, resident_mib};

/// Results for one size.
pub struct ReadResults {
    size: usize,
    recall_us: f64,
    embed_us: f64,
    scan_us: f64,
    get_us: f64,
    walk_us: f64,
    rebuild_ms: f64,
    open_ms: f64,
    resident_mib: f64,
    /// After the snapshot was written and mapped, and as many recalls again.
    mapped_mib: f64,
    bytes: u64,
}

const ROUNDS: usize = 200;

pub async fn measure(fixture: &BenchFixture, size: usize) -> ReadResults {
    let before = process_cpu_time();
    recall_once(&fixture.engine, fixture).await;
    let rebuild = process_cpu_time() - before;
    let recall_us = recalls(fixture).await;
    let resident = resident_mib();
    fixture.engine.flush().await;
    recalls(fixture).await;
    let mapped = resident_mib();
    let engine = fixture.fresh_engine();
    let before = process_cpu_time();
    recall_once(&engine, fixture).await;
    let open = process_cpu_time() - before;
    ReadResults {
        size,
        recall_us,
        embed_us: embeds(fixture),
        scan_us: plain_scan(size),
        get_us: gets(fixture, size).await,
        walk_us: walks(fixture, size).await,
        rebuild_ms: rebuild.as_secs_f64() * 1e3,
        open_ms: open.as_secs_f64() * 1e3,
        resident_mib: resident,
        mapped_mib: mapped,
        bytes: fixture.store.counts(&OwnerId::me()).await.expect("the store counts").bytes,
    }
}

async fn recall_once(engine: &engine::Engine, fixture: &BenchFixture) {
    black_box(
        engine
            .memories()
            .recall(&fixture.caller, &RecallRequest::query("when was the data of the server"))
            .await
            .expect("recalled"),
    );
}

/// Measures the CPU time of a whole recall, including its embedding.
async fn recalls(fixture: &BenchFixture) -> f64 {
    let mut dice = Xorshift::new(11);
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        let input = RecallRequest::query(question(&mut dice));
        let before = process_cpu_time();
        black_box(
            fixture.engine.memories().recall(&fixture.caller, &input).await.expect("recalled"),
        );
        all.push(process_cpu_time() - before);
    }
    median_us(all)
}

fn embeds(fixture: &BenchFixture) -> f64 {
    let mut dice = Xorshift::new(11);
    let all = (0..ROUNDS).map(|_| {
        let text = question(&mut dice);
        let before = Instant::now();
        black_box(fixture.embedder.embed(&[&text]).expect("embedded"));
        before.elapsed()
    });
    median_us(all.collect())
}

/// Measures the floor of a search: one pass over as many vectors of signed bytes.
fn plain_scan(size: usize) -> f64 {
    let dimensions = 256;
    let codes: Vec<i8> = (0..size * dimensions).map(|nth| (nth * 31 % 255) as i8).collect();
    let query: Vec<i8> = (0..dimensions).map(|nth| (nth * 17 % 255) as i8).collect();
    let all = (0..9).map(|_| {
        let before = Instant::now();
        let best = codes.chunks_exact(dimensions).map(|one| dot(one, &query)).max();
        black_box(best);
        before.elapsed()
    });
    median_us(all.collect())
}

fn dot(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

async fn gets(fixture: &BenchFixture, size: usize) -> f64 {
    let mut dice = Xorshift::new(5);
    let mut all: Vec<Duration> = Vec::new();
    for _ in 0..ROUNDS {
        let ids = [MemoryId(1 + dice.below(size) as i64)];
        let before = process_cpu_time();
        black_box(fixture.engine.memories().get(&fixture.caller, &ids).await.expect("got"));
        all.push(process_cpu_time() - before);
    }
    median_us(all)
}

async fn walks(fixture: &BenchFixture, size: usize) -> f64 {
    let mut dice = Xorshift::new(3);
    let mut all: Vec<Duration> = Vec::new();
    for _ in 0..ROUNDS {
        let mut input = ExploreRequest::around(MemoryId(1 + dice.below(size) as i64));
        input.depth = Some(5);
        let before = process_cpu_time();
        black_box(fixture.engine.graph().explore(&fixture.caller, &input).await.expect("walked"));
        all.push(process_cpu_time() - before);
    }
    median_us(all)
}

pub fn print(all: &[ReadResults]) {
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|one| {
            vec![
                one.size.to_string(),
                format!("{:.0}", one.recall_us),
                format!("{:.0}", one.embed_us),
                format!("{:.0}", one.scan_us),
                format!("{:.0}", one.get_us),
                format!("{:.0}", one.walk_us),
                format!("{:.0}", one.rebuild_ms),
                format!("{:.0}", one.open_ms),
                format!("{:.0}", one.resident_mib),
                format!("{:.0}", one.mapped_mib),
                format!("{:.0}", one.bytes as f64 / one.size as f64),
            ]
        })
        .collect();
    let head = [
        "memories",
        "recall p50 (µs CPU)",
        "of which the question's embedding",
        "floor: plain scan of the vectors",
        "get by id",
        "walk, depth 5, 20 memories with texts",
        "first recall, view built from rows (ms CPU)",
        "first recall, from the snapshot (ms CPU)",
        "resident, view built from rows (MiB)",
        "resident, snapshot mapped (MiB)",
        "bytes on disk per memory",
    ];
    print_table(
        "Reading",
        "CPU time of the whole engine call, all threads; the median of 200.",
        &head,
        &rows,
    );
}
