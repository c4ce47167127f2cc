//! One process that works for a long time: its memory, descriptors and files are sampled, and their
//! slopes printed. What grows with every call shows here long before it hurts.

use crate::mcp::McpTestClient;
use crate::test_env::TestEnv;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::bench::private_mib_of;

/// Default duration in seconds.
const SECONDS: u64 = 6;
/// Fewer samples prove nothing; a slow machine works until it has them.
const SAMPLES_MIN: usize = 4;
/// Number of rounds between two samples.
const ROUNDS_PER_SAMPLE: usize = 10;
/// Growth of the descriptors between the first half and the second that is an accident of timing.
const DESCRIPTORS_SLACK: f64 = 4.0;

/// Sizes at one moment.
#[derive(Debug, Clone, Copy)]
struct SoakSample {
    calls: usize,
    memory_mib: f64,
    descriptors: f64,
    log_mib: f64,
    file_mib: f64,
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_works_for_long_does_not_grow() {
    let minutes = std::env::var("QUIPU_SOAK_MINUTES").map(|minutes| minutes.parse().unwrap());
    let time = minutes
        .map_or(Duration::from_secs(SECONDS), |minutes: u64| Duration::from_secs(60 * minutes));
    let env = TestEnv::new();
    let mut client = McpTestClient::start(&mut env.command(&["mcp"]));
    let (until, mut samples) = (Instant::now() + time, Vec::new());
    let mut round = 0;
    while Instant::now() < until || samples.len() < SAMPLES_MIN {
        work(&mut client, round);
        round += 1;
        if round.is_multiple_of(ROUNDS_PER_SAMPLE) {
            samples.push(sample(&env, client.process_id(), round * CALLS_PER_ROUND));
        }
    }
    assert_eq!(client.disconnect(), Some(0));
    report(&samples);
}

/// Number of calls that a round makes.
const CALLS_PER_ROUND: usize = 5;

/// Writes, corrects, recalls and forgets, so that as much is stored after it as before.
fn work(client: &mut McpTestClient, round: usize) {
    let text = format!("The crane number {round} stands at pier {}.", round % 97);
    let first = client.call("remember", json!({ "text": text }))["id"].clone();
    let text = format!("The crane number {round} stands at pier {}.", round % 89 + 100);
    let second = client.call("correct", json!({"id": first, "text": text}))["id"].clone();
    client.call("recall", json!({"query": format!("where is crane {round}")}));
    client.call("session", json!({"action": "resume"}));
    client.call("forget", json!({"ids": [first, second]}));
}

fn sample(env: &TestEnv, process: u32, calls: usize) -> SoakSample {
    let memory = env.home().join("owners/me/memory.db");
    let mib = |path: &Path| path.metadata().map_or(0.0, |file| file.len() as f64 / 1_048_576.0);
    let descriptors = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap().count();
    SoakSample {
        calls,
        memory_mib: private_mib_of(process),
        descriptors: descriptors as f64,
        log_mib: mib(&memory.with_extension("db-wal")),
        file_mib: mib(&memory),
    }
}

/// Prints the growth of each size for 1,000 calls, and fails when descriptors are lost.
fn report(samples: &[SoakSample]) {
    let half = samples.len() / 2;
    let (early, late) = samples.split_at(half);
    let mean = |part: &[SoakSample], of: fn(&SoakSample) -> f64| {
        part.iter().map(of).sum::<f64>() / part.len() as f64
    };
    let calls = mean(late, |one| one.calls as f64) - mean(early, |one| one.calls as f64);
    let slope = |of: fn(&SoakSample) -> f64| (mean(late, of) - mean(early, of)) / calls * 1e3;
    let last = samples[samples.len() - 1];
    println!("{} calls, {} samples; at the end {last:?}", last.calls, samples.len());
    println!(
        "for 1,000 calls: memory {:+.3} MiB, descriptors {:+.3}, log {:+.3} MiB, file {:+.3} MiB",
        slope(|one| one.memory_mib),
        slope(|one| one.descriptors),
        slope(|one| one.log_mib),
        slope(|one| one.file_mib),
    );
    let growth = mean(late, |one| one.descriptors) - mean(early, |one| one.descriptors);
    assert!(growth < DESCRIPTORS_SLACK, "{growth} descriptors more in the second half");
}
