//! CPU time, memory and medians, as accounted by the operating system.

use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::time::Duration;

/// Returns the CPU time of this process so far, over all threads, including ended ones.
#[must_use]
pub fn process_cpu_time() -> Duration {
    read_clock(ClockId::ProcessCPUTime)
}

/// Returns the CPU time of this thread so far.
#[must_use]
pub fn thread_cpu_time() -> Duration {
    read_clock(ClockId::ThreadCPUTime)
}

fn read_clock(clock: ClockId) -> Duration {
    let spent = clock_gettime(clock);
    Duration::new(
        u64::try_from(spent.tv_sec).unwrap_or(0),
        u32::try_from(spent.tv_nsec).unwrap_or(0),
    )
}

/// Returns the CPU time of another process so far, over all its living threads.
#[must_use]
pub fn cpu_time_of(process: u32) -> Duration {
    sum_of_threads(Path::new(&format!("/proc/{process}/task")))
}

fn sum_of_threads(tasks: &Path) -> Duration {
    let all = std::fs::read_dir(tasks).into_iter().flatten().flatten();
    let spent = all.filter_map(|task| {
        let account = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        account.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(spent.sum())
}

/// Returns the resident memory of this process in MiB.
#[must_use]
pub fn resident_mib() -> f64 {
    field_mib("/proc/self/status", &["VmRSS:"])
}

/// Returns the private memory of another process in MiB.
#[must_use]
pub fn private_mib_of(process: u32) -> f64 {
    field_mib(&format!("/proc/{process}/smaps_rollup"), &["Private_Clean:", "Private_Dirty:"])
}

fn field_mib(file: &str, names: &[&str]) -> f64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let fields = text.lines().filter_map(|line| {
        let value = names.iter().find_map(|name| line.strip_prefix(name))?;
        value.trim().trim_end_matches("kB").trim().parse::<f64>().ok()
    });
    fields.sum::<f64>() / 1_024.0
}

/// Returns the median of durations, in microseconds.
#[must_use]
pub fn median_us(mut all: Vec<Duration>) -> f64 {
    all.sort_unstable();
    all.get(all.len() / 2).map_or(0.0, |middle| middle.as_secs_f64() * 1e6)
}

/// Prints a markdown table under a heading.
pub fn print_table(title: &str, note: &str, head: &[&str], rows: &[Vec<String>]) {
    println!("### {title}\n\n{note}\n");
    println!("| {} |", head.join(" | "));
    println!("|{}", "---|".repeat(head.len()));
    for row in rows {
        println!("| {} |", row.join(" | "));
    }
    println!();
}
