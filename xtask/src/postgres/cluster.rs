//! A PostgreSQL server that is thrown away: a new cluster in a temporary directory, on a free port
//! of the loopback interface, stopped when the tests are over. Unless a test is about that, it does
//! not sync to disk, because nothing in it outlives the tests.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::programs::{SYSTEM_USER, ServerPrograms, is_root};

/// Settings of every cluster, besides its address.
const SETTINGS: &str = "\
max_connections = 300
max_locks_per_transaction = 256
";
/// Settings of a cluster that need not survive a power cut.
const WITHOUT_SYNC: &str = "fsync = off\nfull_page_writes = off\n";

/// The place and the settings of a cluster.
pub struct ClusterSettings {
    /// Directory in which that of the cluster is made; `/tmp` unless it is said.
    pub parent: PathBuf,
    /// Lines of `postgresql.conf` besides those that every cluster has.
    pub lines: String,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        // Outside of the home directory of root, which the user of the server cannot enter.
        Self { parent: PathBuf::from("/tmp"), lines: WITHOUT_SYNC.to_owned() }
    }
}

/// A running server.
pub struct TestCluster {
    directory: TempDir,
    programs: ServerPrograms,
    port: u16,
}

impl TestCluster {
    /// Creates a cluster and starts its server.
    pub fn start(programs: ServerPrograms, settings: &ClusterSettings) -> Result<Self> {
        let cluster = Self::prepare(programs, &settings.parent)?;
        let mut initdb = cluster.programs.command("initdb");
        initdb.args(["-A", "trust", "-U", SYSTEM_USER, "-E", "UTF8", "--no-sync", "-D"]);
        run_quietly(initdb.arg(cluster.data()))?;
        cluster.configure(&settings.lines)?;
        cluster.control(&["-w", "-t", "60", "start"])?;
        Ok(cluster)
    }

    /// Creates a replica of this cluster and starts its server.
    pub fn start_replica(&self, settings: &ClusterSettings) -> Result<Self> {
        let replica = Self::prepare(self.programs.clone(), &settings.parent)?;
        let mut copy = self.programs.command("pg_basebackup");
        copy.args(["-h", "127.0.0.1", "-U", SYSTEM_USER, "-p", &self.port.to_string()]);
        // -R makes the copy follow the server from which it was made.
        run_quietly(copy.args(["-R", "-X", "stream", "-c", "fast", "-D"]).arg(replica.data()))?;
        replica.configure(&settings.lines)?;
        replica.control(&["-w", "-t", "60", "start"])?;
        Ok(replica)
    }

    fn prepare(programs: ServerPrograms, parent: &Path) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("quipu-postgres-").tempdir_in(parent)?;
        if is_root() {
            run_quietly(Command::new("chown").arg(SYSTEM_USER).arg(directory.path()))?;
        }
        Ok(Self { directory, programs, port: free_port()? })
    }

    /// Returns the address for the tests.
    pub fn address(&self) -> String {
        format!("postgres://{SYSTEM_USER}@{}/postgres", self.host())
    }

    /// Returns the host and the port.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Runs a statement and returns its answer.
    pub fn query(&self, sql: &str) -> Result<String> {
        let mut psql = self.programs.command("psql");
        psql.args(["-h", "127.0.0.1", "-U", SYSTEM_USER, "-p", &self.port.to_string()]);
        let output = psql.args(["-qXAt", "-c", sql, "postgres"]).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Writes the settings of the cluster.
    fn configure(&self, lines: &str) -> Result<()> {
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = '{}'\n\
             {SETTINGS}{lines}",
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
        let mut pg_ctl = self.programs.command("pg_ctl");
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
}

impl Drop for TestCluster {
    fn drop(&mut self) {
        // A test may have killed the server for good.
        if !self.data().join("postmaster.pid").exists() {
            return;
        }
        // The directory goes with the cluster, so that an error leaves nothing but a log line.
        if let Err(error) = self.control(&["-m", "immediate", "-w", "stop"]) {
            eprintln!("the test server cannot be stopped: {error:#}");
        }
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Runs a program, and shows its output only if it fails.
pub fn run_quietly(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("starting {command:?}"))?;
    if output.status.success() {
        return Ok(());
    }
    bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim())
}
