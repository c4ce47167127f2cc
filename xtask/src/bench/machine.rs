//! The environment of a benchmark run: machine, system, compiler, commit and date.
//!
//! Contains no paths, users or host names.

use std::fs;
use std::thread;

use crate::checkout::RepoCheckout;
use crate::command;

const GIB_IN_KIB: u64 = 1024 * 1024;

/// Returns the facts in the order of the page.
pub fn facts(checkout: &RepoCheckout) -> [(&'static str, String); 5] {
    [
        ("machine", machine()),
        (
            "system",
            command::output(checkout.command("uname").args(["-sm"])).map_or_else(unknown, trimmed),
        ),
        (
            "compiler",
            command::output(checkout.command("rustc").arg("--version"))
                .map_or_else(unknown, trimmed),
        ),
        ("commit", commit(checkout)),
        ("date", jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string()),
    ]
}

fn machine() -> String {
    let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(unknown);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let memory_kib = field("/proc/meminfo", "MemTotal")
        .and_then(|value| value.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0);
    format!("{cpu}, {cores} cores, {} GiB", (memory_kib + GIB_IN_KIB / 2) / GIB_IN_KIB)
}

/// Returns the value of the first `name : value` line of a file in `/proc`.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

fn commit(checkout: &RepoCheckout) -> String {
    let Some(commit) =
        command::output(checkout.command("git").args(["rev-parse", "--short", "HEAD"]))
    else {
        return unknown();
    };
    let changes = command::output(checkout.command("git").args([
        "status",
        "--porcelain",
        "--untracked-files=no",
    ]));
    let clean = changes.is_some_and(|changes| changes.is_empty());
    format!("{}{}", commit.trim(), if clean { "" } else { " with changes" })
}

fn trimmed(output: String) -> String {
    output.trim().to_owned()
}

fn unknown() -> String {
    "unknown".to_owned()
}
