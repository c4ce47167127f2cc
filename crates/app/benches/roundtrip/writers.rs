//! Several processes that write into one memory at once: how long the unlucky ones wait, beside the
//! commits that the same disk gives a bare SQLite file.

use crate::fixture::RoundtripFixture;
use crate::processes::McpProcess;
use rusqlite::Connection;
use std::time::{Duration, Instant};
use testkit::bench::print_table;

const PROCESSES: [usize; 3] = [1, 4, 16];
const DURATION: Duration = Duration::from_secs(10);

/// Measures the writes of a number of processes.
pub fn print(fixture: &RoundtripFixture) {
    let rows: Vec<_> = PROCESSES.iter().map(|&processes| measure(fixture, processes)).collect();
    let note = format!(
        "Wall time of `remember` in `quipu mcp`, each process one call after the other for {} \
         seconds. A bare SQLite file with the same settings took {:.0} commits a second in the \
         same run.",
        DURATION.as_secs(),
        bare_commits(fixture),
    );
    let head = ["processes", "writes a second", "p50 (ms)", "p99 (ms)", "longest (ms)"];
    print_table("Writes of several processes", &note, &head, &rows);
}

fn measure(fixture: &RoundtripFixture, processes: usize) -> Vec<String> {
    let all: Vec<McpProcess> = (0..processes).map(|_| McpProcess::start(fixture)).collect();
    let until = Instant::now() + DURATION;
    let mut waits: Vec<Duration> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(all)
            .map(|(number, process)| scope.spawn(move || write_until(process, number, until)))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it wrote")).collect()
    });
    waits.sort_unstable();
    let ms = |wait: Duration| format!("{:.0}", wait.as_secs_f64() * 1e3);
    let rate = waits.len() as f64 / DURATION.as_secs_f64();
    let (middle, most) = (waits[waits.len() / 2], waits[waits.len() * 99 / 100]);
    let longest = waits.last().copied().unwrap_or_default();
    vec![processes.to_string(), format!("{rate:.0}"), ms(middle), ms(most), ms(longest)]
}

fn write_until(mut process: McpProcess, number: usize, until: Instant) -> Vec<Duration> {
    let mut waits = Vec::new();
    while Instant::now() < until {
        let since = Instant::now();
        process.remember(&format!("Crane {} of process {number} is free", waits.len()));
        waits.push(since.elapsed());
    }
    process.end();
    waits
}

/// Returns the commits a second of one connection to a file of its own.
fn bare_commits(fixture: &RoundtripFixture) -> f64 {
    let conn = Connection::open(fixture.path().join("bare.db")).expect("a database");
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (text TEXT)",
    )
    .expect("a table");
    let (since, mut commits) = (Instant::now(), 0.0);
    while since.elapsed() < Duration::from_secs(2) {
        conn.execute("INSERT INTO t VALUES ('a text of about forty bytes, as in a memory')", [])
            .expect("a row");
        commits += 1.0;
    }
    commits / since.elapsed().as_secs_f64()
}
