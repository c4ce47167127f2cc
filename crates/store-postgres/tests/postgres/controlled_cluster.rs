//! A database server that a test may kill and start again. `cargo xtask team-faults` names it.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Variable with the directory of the cluster's data.
const DATA_VARIABLE: &str = "QUIPU_TEST_POSTGRES_DATA";
/// Variable with the command that runs `pg_ctl`, in words.
const CONTROL_VARIABLE: &str = "QUIPU_TEST_POSTGRES_CONTROL";
/// Time in which a killed server must have started again.
const START_MAX: Duration = Duration::from_secs(60);

/// A cluster that belongs to the test.
pub(crate) struct ControlledCluster {
    data: PathBuf,
    control: Vec<String>,
}

impl ControlledCluster {
    /// Returns the cluster that the environment names, if any.
    pub fn from_environment() -> Option<Self> {
        let variable = |name| std::env::var(name).ok();
        let (Some(data), Some(control)) = (variable(DATA_VARIABLE), variable(CONTROL_VARIABLE))
        else {
            eprintln!("skipped: no cluster may be killed; use `cargo xtask team-faults`");
            return None;
        };
        let control = control.split(' ').map(str::to_owned).collect();
        Some(Self { data: PathBuf::from(data), control })
    }

    /// Kills the first process of the server, as a crash would.
    pub fn kill(&self) {
        let file = std::fs::read_to_string(self.data.join("postmaster.pid")).unwrap();
        let pid = file.lines().next().unwrap().to_owned();
        assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    }

    /// Starts the server after a kill.
    pub fn start(&self) {
        let begun = Instant::now();
        // Processes of the killed server may hold its memory for a moment.
        while !self.run(&["-w", "-t", "30", "start"]) {
            assert!(begun.elapsed() < START_MAX, "the server does not start again");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Returns whether the server runs.
    pub fn is_running(&self) -> bool {
        self.run(&["status"])
    }

    fn run(&self, words: &[&str]) -> bool {
        let mut control = Command::new(&self.control[0]);
        control.args(&self.control[1..]).args(words);
        control.stdout(Stdio::null()).stderr(Stdio::null());
        control.status().unwrap().success()
    }
}
