//! A PostgreSQL server that is thrown away: a new cluster in a temporary directory, on a free port
//! of the loopback interface, stopped when the tests are over. It does not sync to disk, because
//! nothing in it outlives the tests.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::checkout::RepoCheckout;
use crate::command;

/// Variable that names the server to the tests.
pub const ADDRESS_VARIABLE: &str = "QUIPU_TEST_POSTGRES";
/// Variable that asks for the tests that take minutes, which a check leaves out.
const THOROUGH_VARIABLE: &str = "QUIPU_TEST_POSTGRES_THOROUGH";
/// User that the server runs as where it may not run as root.
const SYSTEM_USER: &str = "postgres";
/// Settings of the cluster, besides its address.
const SETTINGS: &str = "\
fsync = off
full_page_writes = off
max_connections = 300
max_locks_per_transaction = 256
";

/// Runs a command, by default the tests of the store, with a server of its own.
pub fn run(checkout: &RepoCheckout, words: &[&str]) -> Result<ExitCode> {
    let cluster = TestCluster::start()?;
    println!("{ADDRESS_VARIABLE}={}", cluster.address());
    let words = if words.is_empty() { TESTS } else { words };
    let mut command = checkout.command(words[0]);
    command.args(&words[1..]).env(ADDRESS_VARIABLE, cluster.address());
    command.env(THOROUGH_VARIABLE, "1");
    command::run(&mut command)?;
    Ok(ExitCode::SUCCESS)
}

const TESTS: &[&str] = &["cargo", "nextest", "run", "--no-fail-fast", "-p", "quipu-store-postgres"];

/// A running server.
pub struct TestCluster {
    directory: TempDir,
    programs: PathBuf,
    port: u16,
}

impl TestCluster {
    /// Creates a cluster and starts its server.
    pub fn start() -> Result<Self> {
        let programs = find_programs()?;
        // Outside of the home directory of root, which the user of the server cannot enter.
        let directory = tempfile::Builder::new().prefix("quipu-postgres-").tempdir_in("/tmp")?;
        if is_root() {
            run_quietly(Command::new("chown").arg(SYSTEM_USER).arg(directory.path()))?;
        }
        let cluster = Self { directory, programs, port: free_port()? };
        cluster.create()?;
        cluster.control(&["-w", "-t", "60", "start"])?;
        Ok(cluster)
    }

    /// Returns the address for the tests.
    pub fn address(&self) -> String {
        format!("postgres://{SYSTEM_USER}@127.0.0.1:{}/postgres", self.port)
    }

    fn create(&self) -> Result<()> {
        let mut initdb = self.program("initdb");
        initdb.args(["-A", "trust", "-U", SYSTEM_USER, "-E", "UTF8", "--no-sync", "-D"]);
        run_quietly(initdb.arg(self.data()))?;
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = '{}'\n{SETTINGS}",
            self.port,
            self.directory.path().display()
        );
        let file = self.data().join("postgresql.conf");
        std::fs::write(&file, settings).with_context(|| format!("writing {}", file.display()))
    }

    fn control(&self, words: &[&str]) -> Result<()> {
        run_quietly(self.controller().args(words))
    }

    fn controller(&self) -> Command {
        let mut pg_ctl = self.program("pg_ctl");
        pg_ctl.arg("-D").arg(self.data()).arg("-l").arg(self.directory.path().join("log"));
        pg_ctl
    }

    /// Returns the words of the command that starts and stops the server; none has a space in it.
    pub fn control_words(&self) -> Vec<String> {
        let command = self.controller();
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Returns the directory of the data.
    pub fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// Returns a program of the server, run as a user that is not root.
    fn program(&self, name: &str) -> Command {
        let path = self.programs.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", SYSTEM_USER, "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir("/");
        command
    }
}

impl Drop for TestCluster {
    fn drop(&mut self) {
        // The directory goes with the cluster, so that an error leaves nothing but a log line.
        if let Err(error) = self.control(&["-m", "immediate", "-w", "stop"]) {
            eprintln!("the test server cannot be stopped: {error:#}");
        }
    }
}

/// Finds the directory of `initdb` and `pg_ctl`; Debian keeps it out of the path.
fn find_programs() -> Result<PathBuf> {
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    found.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let complete = |directory: &PathBuf| directory.join("initdb").is_file();
    match found.into_iter().find(complete) {
        Some(directory) => Ok(directory),
        None => bail!("PostgreSQL is not installed; `cargo xtask tools` installs it"),
    }
}

fn is_root() -> bool {
    command::output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn run_quietly(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("starting {command:?}"))?;
    if output.status.success() {
        return Ok(());
    }
    bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim())
}
