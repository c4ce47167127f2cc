//! Isolation of owners: latency of one owner's calls over HTTP, idle and while sixteen connections
//! of another owner call as fast as they are answered.

use crate::bench_client::{BenchClient, BenchServer};
use crate::fixture::RoundtripFixture;
use crate::server_runtime::ServerRuntime;
use crate::{ROUNDS, arguments};
use model::OwnerId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use testkit::bench::{Xorshift, median_us, print_table};

const CONNECTIONS: usize = 16;
const OTHER: &str = "other";

pub fn print(fixture: &Arc<RoundtripFixture>, serve: &ServerRuntime, size: usize) {
    let other = OwnerId::new(OTHER).expect("a name");
    let owned = Arc::clone(fixture);
    let key = serve.run(async move { owned.second_owner(&other).await });
    let server = BenchServer::start(fixture, serve, fixture.quipu());
    let mut quiet = server.connect(&key);
    let mut rows = Vec::new();
    for (tool, flooded_with) in
        [("recall", "recall"), ("recall", "remember"), ("remember", "recall")]
    {
        let idle = latency(&mut quiet, tool);
        let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut flood = Vec::new();
        for nth in 0..CONNECTIONS {
            let wire = server.connect_as_owner();
            let (stop, answered) = (Arc::clone(&stop), Arc::clone(&answered));
            flood.push(std::thread::spawn(move || {
                call_until_stopped(wire, flooded_with, nth, &stop, &answered)
            }));
        }
        let began = Instant::now();
        let loaded = latency(&mut quiet, tool);
        let rate = answered.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        for one in flood {
            one.join().expect("the flood ends");
        }
        rows.push(vec![
            tool.to_owned(),
            flooded_with.to_owned(),
            format!("{rate:.0}"),
            format!("{idle:.0}"),
            format!("{loaded:.0}"),
            format!("{:.2}", loaded / idle),
        ]);
    }
    let head = ["call", "load", "load (calls/s)", "idle (µs)", "under load (µs)", "ratio"];
    let note = format!(
        "Wall time of one owner's call over HTTP, medians of {ROUNDS}, while {CONNECTIONS} \
         connections of another owner with {size} memories call without a pause."
    );
    print_table("Load by another owner", &note, &head, &rows);
}

fn latency(wire: &mut BenchClient, tool: &str) -> f64 {
    let mut rng = Xorshift::new(77);
    let mut all: Vec<Duration> = Vec::new();
    for _ in 0..ROUNDS {
        let arguments = arguments(&mut rng, tool);
        let before = Instant::now();
        wire.call(tool, arguments);
        all.push(before.elapsed());
    }
    median_us(all)
}

fn call_until_stopped(
    mut wire: BenchClient,
    tool: &str,
    nth: usize,
    stop: &AtomicBool,
    answered: &AtomicUsize,
) {
    let mut rng = Xorshift::new(1_000 + nth as u64);
    while !stop.load(Ordering::Relaxed) {
        wire.try_call(tool, arguments(&mut rng, tool));
        answered.fetch_add(1, Ordering::Relaxed);
    }
}
