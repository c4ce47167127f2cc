//! Measures wall time and, where the system provides it, the CPU time of all threads.

use std::time::{Duration, Instant};

/// Time that one call took.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallTime {
    pub wall: Duration,
    /// `None` where the system does not provide it.
    pub cpu: Option<Duration>,
}

/// Awaits a future and returns its output with the time it took.
pub(super) async fn measure<T>(work: impl Future<Output = T>) -> (T, CallTime) {
    let cpu_before = process_cpu_time();
    let begun = Instant::now();
    let done = work.await;
    let wall = begun.elapsed();
    let cpu =
        process_cpu_time().zip(cpu_before).map(|(after, before)| after.saturating_sub(before));
    (done, CallTime { wall, cpu })
}

/// Returns the percentile by the nearest-rank method; `None` if there are no values.
pub(super) fn percentile(mut values: Vec<Duration>, share: f64) -> Option<Duration> {
    values.sort_unstable();
    let rank = (share * values.len() as f64).ceil() as usize;
    values.get(rank.saturating_sub(1)).copied()
}

#[cfg(unix)]
fn process_cpu_time() -> Option<Duration> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(u64::try_from(used.tv_sec).ok()?, u32::try_from(used.tv_nsec).ok()?))
}

#[cfg(not(unix))]
fn process_cpu_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_measured_values() {
        let values: Vec<Duration> = (1..=20).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile(values.clone(), 0.5), Some(Duration::from_millis(10)));
        assert_eq!(percentile(values.clone(), 0.95), Some(Duration::from_millis(19)));
        assert_eq!(percentile(values, 1.0), Some(Duration::from_millis(20)));
        assert_eq!(percentile(Vec::new(), 0.5), None);
    }
}
