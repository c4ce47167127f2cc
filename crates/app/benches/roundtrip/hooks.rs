//! Hooks as clients run them: the CPU time and the duration of one process for each event.

use crate::fixture::RoundtripFixture;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::bench::print_table;

/// Number of processes for each event. The system counts the CPU time of ended ones in hundredths
/// of a second, so that only the mean of many tells something.
const RUNS: u32 = 20;
/// Hundredths of a second that the CPU time of a process is counted in.
const TICK: Duration = Duration::from_millis(10);

/// Measures every event on a filled home directory.
pub fn measure(fixture: &RoundtripFixture, size: usize) -> Vec<Vec<String>> {
    let events: [(&str, &dyn Fn(u32) -> Value); 4] = [
        ("session-start", &|run| json!({ "session_id": format!("s{run}"), "source": "startup" })),
        ("prompt", &|run| {
            let prompt = format!("When was the data of server {run} moved, and why?");
            json!({ "session_id": format!("s{run}"), "prompt": prompt })
        }),
        ("turn-end", &|run| {
            let answer = format!("I moved the data of server {run}.");
            json!({ "session_id": format!("s{run}"), "last_assistant_message": answer })
        }),
        ("session-end", &|run| json!({ "session_id": format!("s{run}") })),
    ];
    events.iter().map(|(event, input)| measure_event(fixture, size, event, input)).collect()
}

fn measure_event(
    fixture: &RoundtripFixture,
    size: usize,
    event: &str,
    input: &dyn Fn(u32) -> Value,
) -> Vec<String> {
    let before = children_cpu_time();
    let mut durations: Vec<Duration> = (0..RUNS)
        .map(|run| {
            let started = Instant::now();
            run_hook(fixture, event, &input(run));
            started.elapsed()
        })
        .collect();
    let spent = (children_cpu_time() - before) / RUNS;
    durations.sort_unstable();
    let ms = |duration: Duration| format!("{:.1}", duration.as_secs_f64() * 1e3);
    vec![
        event.to_owned(),
        size.to_string(),
        ms(spent),
        ms(durations[durations.len() / 2]),
        ms(durations[durations.len() - 1]),
    ]
}

fn run_hook(fixture: &RoundtripFixture, event: &str, input: &Value) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quipu"))
        .args(["hook", event, "--client", "claude-code"])
        .env("QUIPU_HOME", fixture.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("its stdin");
    stdin.write_all(input.to_string().as_bytes()).expect("the process takes it");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

/// Returns the CPU time of all children that ended.
fn children_cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("the state of this process");
    // The name of the program may contain blanks; the fields after it do not.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = |at: usize| fields.split_whitespace().nth(at)?.parse::<u32>().ok();
    TICK * (ticks(13).expect("user time") + ticks(14).expect("system time"))
}

pub fn print(rows: &[Vec<String>]) {
    let head = ["event", "memories", "ms CPU (mean)", "ms (median)", "ms (slowest)"];
    print_table(
        "`quipu hook`",
        "One process for each event, with the delivery of what was captured; 20 runs each.",
        &head,
        rows,
    );
}
