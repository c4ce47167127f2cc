//! CPU time, resident memory and medians.

use std::time::Duration;

/// CPU time of this process so far, all threads together.
pub fn cpu() -> Duration {
    // Fields 14 and 15 of the line are user and system time in clock ticks of a hundredth of a second; the
    // scheduler's own account is finer, so that one is read first.
    let fine = std::fs::read_to_string("/proc/self/schedstat").ok();
    let main = fine.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    threads_cpu().or(main.map(Duration::from_nanos)).unwrap_or_default()
}

fn threads_cpu() -> Option<Duration> {
    let mut sum = 0_u64;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        sum += text.split(' ').next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(sum))
}

/// Resident memory of this process in MiB.
pub fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|text| text.trim().trim_end_matches(" kB").trim().parse::<f64>().ok()).unwrap_or(0.0) / 1_024.0
}

/// The middle of some durations, in microseconds.
pub fn median_us(mut all: Vec<Duration>) -> f64 {
    all.sort_unstable();
    all.get(all.len() / 2).map_or(0.0, |middle| middle.as_secs_f64() * 1e6)
}

/// Prints a markdown table.
pub fn table(title: &str, note: &str, head: &[&str], rows: &[Vec<String>]) {
    println!("### {title}\n\n{note}\n");
    println!("| {} |", head.join(" | "));
    println!("|{}", "---|".repeat(head.len()));
    for row in rows {
        println!("| {} |", row.join(" | "));
    }
    println!();
}
