//! Runs one target: first its samples as they are, then changed ones. An input that makes it panic
//! or take too long is written to a file, and the test fails with its path and the seed.

use crate::mutation::InputMutator;
use crate::random::SeededRandom;
use crate::sample_pool::SamplePool;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Seed of ordinary tests.
const SEED: u64 = 0x7175_6970_7500_0001;
/// Variable with the seed of a run, to repeat it.
const SEED_VARIABLE: &str = "QUIPU_FUZZ_SEED";
/// Variable with the number of seconds that each target runs.
const SECONDS_VARIABLE: &str = "QUIPU_FUZZ_SECONDS";
/// Time of the processor that one input may take.
// Unoptimised, a linear parser needs some milliseconds for 64 KiB.
const INPUT_TIME_MAX: Duration = Duration::from_secs(5);
/// Time after which an input is taken to run for ever.
const HANG_TIME: Duration = Duration::from_secs(60);

/// A parser that is tested with changed samples.
#[derive(Debug, Clone)]
pub struct FuzzTarget {
    name: &'static str,
    samples: PathBuf,
    inputs: usize,
}

/// The last input that a target was given.
type CurrentInput = Arc<Mutex<Vec<u8>>>;

/// The end of a run.
#[derive(Debug, Clone, Copy)]
enum RunLimit {
    Inputs(usize),
    Until(Instant),
}

impl FuzzTarget {
    /// Describes a target with its committed samples, in `tests/samples/NAME` of its crate, and the
    /// number of inputs in ordinary tests.
    #[must_use]
    pub fn new(name: &'static str, manifest_dir: &str, inputs: usize) -> Self {
        Self { name, samples: Path::new(manifest_dir).join("tests/samples").join(name), inputs }
    }

    /// Runs a parser on one input.
    ///
    /// # Panics
    /// If the parser panics or takes too long.
    pub fn check<A: Hash>(name: &'static str, input: &[u8], parse: impl Fn(&[u8]) -> A) {
        if let Err(problem) = parse_one(input, &parse) {
            panic!("{name:?} {problem}");
        }
    }

    /// Runs the parser, which returns something that tells its answers apart.
    ///
    /// # Panics
    /// If the parser panics or takes too long, or there are no samples.
    pub fn run<A: Hash>(&self, parse: impl Fn(&[u8]) -> A + Send + 'static) {
        let (done, ended) = sync_channel(1);
        let (target, current) = (self.clone(), CurrentInput::default());
        let watched = Arc::clone(&current);
        // On a thread of its own, so that an endless loop can be reported.
        let worker = std::thread::Builder::new()
            .stack_size(8 << 20)
            .spawn(move || target.run_all(&watched, &parse, &done));
        assert!(worker.is_ok(), "the thread of {} could not be started", self.name);
        let mut last = Vec::new();
        loop {
            match ended.recv_timeout(HANG_TIME) {
                Ok(Ok(count)) => return println!("{}: {count} inputs", self.name),
                Ok(Err(report)) => panic!("{report}"),
                Err(RecvTimeoutError::Disconnected) => panic!("{} ended early", self.name),
                Err(RecvTimeoutError::Timeout) => {
                    let now = current.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    assert_ne!(now, last, "{} hangs: {}", self.name, self.save(&now));
                    last = now;
                }
            }
        }
    }

    fn run_all<A: Hash>(
        &self,
        current: &CurrentInput,
        parse: &impl Fn(&[u8]) -> A,
        done: &SyncSender<Result<usize, String>>,
    ) {
        let outcome = self.mutate_and_parse(current, parse);
        // The receiver is gone when the run was given up.
        let _ = done.send(outcome);
    }

    fn mutate_and_parse<A: Hash>(
        &self,
        current: &CurrentInput,
        parse: &impl Fn(&[u8]) -> A,
    ) -> Result<usize, String> {
        let samples = SamplePool::read(&self.samples);
        let mut pool = samples.map_err(|error| format!("{}: {error}", self.samples.display()))?;
        if pool.inputs.is_empty() {
            return Err(format!("{} has no samples", self.samples.display()));
        }
        let (seed, limit) = (seed(), self.limit());
        let mut random = SeededRandom::new(seed);
        let mutator = InputMutator { bytes_max: limit.bytes_max() };
        let given = pool.inputs.clone();
        let mut count = 0;
        while !limit.is_reached(count) {
            let input = match given.get(count) {
                Some(sample) => sample.clone(),
                None => {
                    let sample = pool.pick(&mut random);
                    mutator.mutate(&mut random, &sample, &pool.inputs)
                }
            };
            current.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&input);
            let answer = parse_one(&input, parse).map_err(|problem| {
                format!(
                    "{} {problem}; seed {seed}, input {count}: {}",
                    self.name,
                    self.save(&input)
                )
            })?;
            pool.note(&input, answer);
            count += 1;
        }
        Ok(count)
    }

    /// Writes an input to a file and returns its path.
    fn save(&self, input: &[u8]) -> String {
        let path = std::env::temp_dir().join(format!("quipu-fuzz-{}.bin", self.name));
        match std::fs::write(&path, input) {
            Ok(()) => format!("the input is in {}", path.display()),
            Err(error) => format!("the input could not be saved: {error}"),
        }
    }

    fn limit(&self) -> RunLimit {
        let seconds = std::env::var(SECONDS_VARIABLE).ok().and_then(|text| text.parse().ok());
        seconds.map_or(RunLimit::Inputs(self.inputs), |seconds| {
            RunLimit::Until(Instant::now() + Duration::from_secs(seconds))
        })
    }
}

impl RunLimit {
    /// Returns the maximum length of an input: short where a test has a moment only.
    fn bytes_max(self) -> usize {
        match self {
            Self::Inputs(_) => 4 * 1024,
            Self::Until(_) => 64 * 1024,
        }
    }

    fn is_reached(self, count: usize) -> bool {
        match self {
            Self::Inputs(most) => count >= most,
            Self::Until(end) => Instant::now() >= end,
        }
    }
}

/// Parses one input and returns a number for its answer, or the problem.
fn parse_one<A: Hash>(input: &[u8], parse: &impl Fn(&[u8]) -> A) -> Result<u64, String> {
    let since = processor_time();
    let parsed = catch_unwind(AssertUnwindSafe(|| parse(input)));
    let answer = parsed.map_err(|_| "panicked".to_owned())?;
    let took = processor_time().saturating_sub(since);
    if took > INPUT_TIME_MAX {
        return Err(format!("took {took:?} for {} bytes", input.len()));
    }
    Ok(BuildHasherDefault::<DefaultHasher>::default().hash_one(answer))
}

/// Returns the time that this thread has computed, which does not depend on other programs.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // The clock of a thread begins at 0 and is never negative.
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Returns the time since the first call.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

fn seed() -> u64 {
    std::env::var(SEED_VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(SEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> FuzzTarget {
        FuzzTarget::new("words", env!("CARGO_MANIFEST_DIR"), 3_000)
    }

    fn failure_of(parse: impl Fn(&[u8]) -> usize + Send + 'static) -> String {
        let ran = catch_unwind(AssertUnwindSafe(|| target().run(parse)));
        let panic = ran.unwrap_err();
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    }

    #[test]
    fn a_parser_without_faults_passes() {
        target().run(|bytes| bytes.len());
    }

    #[test]
    fn a_parser_that_panics_on_a_rare_input_is_found_with_its_seed() {
        let report = failure_of(|bytes| {
            assert!(!bytes.contains(&0), "a zero byte");
            bytes.len()
        });
        assert!(report.contains("words panicked; seed"), "{report}");
    }

    #[test]
    fn a_fault_behind_another_answer_is_found_because_new_answers_are_kept() {
        let depth = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'[').count();
        let report = failure_of(move |bytes| {
            assert!(depth(bytes) < 40, "too deep");
            depth(bytes)
        });
        assert!(report.contains("panicked"), "{report}");
    }
}
