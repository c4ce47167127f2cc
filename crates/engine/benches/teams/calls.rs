//! Recalls and writes over the owners in turn, with one client and with several.

use crate::fixture::TeamFixture;
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use engine::{Caller, Engine};
use model::OwnerId;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::bench::{MEMORY_WORDS, Xorshift, process_cpu_time, question, text};

/// Recalls of one measurement.
const RECALLS: usize = 600;
/// Time of one measurement of the throughput.
const DURATION: Duration = Duration::from_secs(4);

/// Durations of recalls in milliseconds.
pub struct RecallTimes {
    pub p50: f64,
    pub p99: f64,
    /// Mean CPU time of one.
    pub cpu: f64,
}

/// Measures recalls of the owners in turn; a cold one is the first of each owner.
pub async fn measure_recalls(fixture: &TeamFixture, engine: &Engine, cold: bool) -> RecallTimes {
    let mut rng = Xorshift::new(11);
    if !cold {
        for owner in &fixture.owners {
            recall(engine, owner, &mut rng).await;
        }
    }
    let count = if cold { fixture.owners.len() } else { RECALLS };
    let (mut spent, before) = (Vec::new(), process_cpu_time());
    for owner in fixture.owners.iter().cycle().take(count) {
        let begun = Instant::now();
        recall(engine, owner, &mut rng).await;
        spent.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    let cpu = (process_cpu_time() - before).as_secs_f64() * 1e3 / count as f64;
    spent.sort_unstable_by(f64::total_cmp);
    RecallTimes { p50: spent[count / 2], p99: spent[count * 99 / 100], cpu }
}

/// Returns the calls per second of clients that are spread over servers.
pub async fn throughput(
    fixture: &TeamFixture,
    engines: &[&Arc<Engine>],
    clients: usize,
    writes: bool,
) -> f64 {
    let begun = Instant::now();
    let tasks: Vec<_> = (0..clients)
        .map(|client| {
            let engine = Arc::clone(engines[client % engines.len()]);
            let mut owners = fixture.owners.clone();
            owners.rotate_left(client * fixture.owners.len() / clients);
            tokio::spawn(call_until(engine, owners, begun + DURATION, writes, client))
        })
        .collect();
    let mut calls = 0;
    for task in tasks {
        calls += task.await.expect("the task ends");
    }
    f64::from(calls) / begun.elapsed().as_secs_f64()
}

async fn call_until(
    engine: Arc<Engine>,
    owners: Vec<OwnerId>,
    end: Instant,
    writes: bool,
    client: usize,
) -> u32 {
    let seed = Instant::now().elapsed().subsec_nanos() as usize + 17 * client + 1;
    let (mut rng, mut calls) = (Xorshift::new(seed as u64), 0);
    for owner in owners.iter().cycle() {
        if Instant::now() >= end {
            break;
        }
        if writes {
            let input = RememberRequest::text(text(&mut rng, MEMORY_WORDS));
            let caller = Caller::person(owner.clone());
            engine.memories().remember(&caller, &input).await.expect("remembered");
        } else {
            recall(&engine, owner, &mut rng).await;
        }
        calls += 1;
    }
    calls
}

/// Asks a question.
pub async fn recall(engine: &Engine, owner: &OwnerId, rng: &mut Xorshift) {
    let caller = Caller::person(owner.clone());
    let input = RecallRequest::query(question(rng));
    std::hint::black_box(engine.memories().recall(&caller, &input).await.expect("recalled"));
}
