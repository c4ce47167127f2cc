//! The memory that this machine or container has.

/// File with the limit of the container that the process runs in.
const CONTAINER_LIMIT: &str = "/sys/fs/cgroup/memory.max";
/// File with the memory of the machine.
const MACHINE_MEMORY: &str = "/proc/meminfo";

/// Memory that is assumed where the system does not tell: what a small machine has.
const UNKNOWN_MEMORY: usize = 4 << 30;

/// Returns a quarter of the memory in bytes.
pub fn quarter() -> usize {
    let read = |path| std::fs::read_to_string(path).ok();
    let machine = read(MACHINE_MEMORY).and_then(|text| parse_machine(&text));
    // A container without a limit says "max", which is no number.
    let container = read(CONTAINER_LIMIT).and_then(|text| text.trim().parse().ok());
    [machine, container].into_iter().flatten().min().unwrap_or(UNKNOWN_MEMORY) / 4
}

/// Returns the bytes of a line such as `MemTotal:  24594320 kB`.
fn parse_machine(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_the_machine_is_in_kibibytes() {
        let text = "MemTotal:       24594320 kB\nMemFree:        20000000 kB\n";
        assert_eq!(parse_machine(text), Some(24_594_320 * 1024));
        assert_eq!(parse_machine("MemFree: 1 kB"), None);
    }
}
