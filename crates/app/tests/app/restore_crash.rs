//! Kills `quipu restore` at random moments while others write: the memory is always the old one or
//! the new one, and every acknowledged write is in it or in a memory that was kept.

use crate::test_env::TestEnv;
use model::{OwnerId, Page, limits};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};
use store::{Control, MemoryQuery, Store};
use store_sqlite::{Options, SqliteStore};

/// Default number of restores to kill.
const KILLS: usize = 12;
/// Number of memories in the backup.
const BACKED_UP: usize = 20;
/// Number of kills per home directory, which bounds the cost of checking it after each one.
const KILLS_PER_HOME: usize = 20;

/// Counts of a run.
#[derive(Debug, Default)]
struct CrashTally {
    finished: usize,
    killed: usize,
    acknowledged: usize,
}

#[test]
fn a_restore_that_is_killed_leaves_the_old_or_the_new_memory_and_loses_no_write() {
    let kills = std::env::var("QUIPU_RESTORE_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut tally = CrashTally::default();
    for first in (0..kills).step_by(KILLS_PER_HOME) {
        let home = CrashHome::new();
        let mut acknowledged = BTreeSet::new();
        for kill in first..kills.min(first + KILLS_PER_HOME) {
            acknowledged.extend(home.restore_and_kill(kill, kills, &mut tally));
            home.check(&acknowledged, kill);
        }
        tally.acknowledged += acknowledged.len();
    }
    println!("{tally:?}: none empty, none unusable, no acknowledged write lost");
    assert!(tally.acknowledged > 0 && tally.killed > 0, "{tally:?} proves nothing");
}

/// A home directory with a memory and a backup of it.
struct CrashHome {
    env: TestEnv,
    /// Duration of a restore that nobody kills.
    takes: Duration,
}

impl CrashHome {
    fn new() -> Self {
        let env = TestEnv::new();
        let lines: String = (0..BACKED_UP).map(|n| format!("Bowl {n} was backed up.\n")).collect();
        env.quipu_with_input(&["remember", "--each-line"], &lines).success();
        env.quipu(&["backup", "copy.db"]).success();
        let since = Instant::now();
        env.quipu(&["restore", "--force", "copy.db"]).success();
        Self { env, takes: since.elapsed() }
    }

    /// Restores while another process writes, kills the restore, and returns the texts that were
    /// acknowledged.
    fn restore_and_kill(&self, kill: usize, kills: usize, tally: &mut CrashTally) -> Vec<String> {
        let mut writer = SteadyWriter::start(&self.env, kill);
        let mut acknowledged = writer.write(3);
        let mut restore = self.env.command(&["restore", "--force", "copy.db"]);
        restore.stdout(Stdio::null()).stderr(Stdio::null());
        let mut restore = restore.spawn().unwrap();
        let moment = self.takes.mul_f64(1.1 * (kill % kills.min(40)) as f64 / kills.min(40) as f64);
        acknowledged.extend(writer.write_until(Instant::now() + moment));
        restore.kill().unwrap();
        match restore.wait().unwrap().success() {
            true => tally.finished += 1,
            false => tally.killed += 1,
        }
        acknowledged.extend(writer.write(3));
        writer.end();
        acknowledged
    }

    /// Opens the memory as the next process would, and looks for every acknowledged write.
    fn check(&self, acknowledged: &BTreeSet<String>, kill: usize) {
        let home = self.env.home();
        let current = texts(&home, kill);
        let backed_up = current.iter().filter(|text| text.starts_with("Bowl ")).count();
        assert_eq!(backed_up, BACKED_UP, "kill {kill}: the memory is neither the old nor the new");
        let mut stored: BTreeSet<String> = current.into_iter().collect();
        for kept in kept_directories(&home) {
            stored.extend(kept_texts(&kept, kill));
        }
        let lost: Vec<&String> = acknowledged.difference(&stored).collect();
        assert!(lost.is_empty(), "kill {kill}: {lost:?}");
    }
}

/// A process that writes one line after the other and waits for each to be acknowledged. It ends
/// when a line is refused as busy, and another one takes its place.
struct SteadyWriter<'e> {
    env: &'e TestEnv,
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<std::process::ChildStdout>,
    kill: usize,
    written: usize,
}

impl<'e> SteadyWriter<'e> {
    fn start(env: &'e TestEnv, kill: usize) -> Self {
        let mut command = env.command(&["remember", "--each-line"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { env, child, stdin, stdout, kill, written: 0 }
    }

    /// Writes a line and returns its text if it was acknowledged.
    fn write_one(&mut self) -> Option<String> {
        let text = format!("Writer {} fired the vase {}.", self.kill, self.written);
        self.written += 1;
        let mut line = String::new();
        let sent = writeln!(self.stdin, "{text}").and_then(|()| self.stdout.read_line(&mut line));
        if sent.is_err() || line.is_empty() {
            self.child.wait().unwrap();
            *self = Self { written: self.written, ..Self::start(self.env, self.kill) };
            return None;
        }
        line.ends_with("\tcreated\n").then_some(text)
    }

    fn write(&mut self, count: usize) -> Vec<String> {
        (0..count).filter_map(|_| self.write_one()).collect()
    }

    fn write_until(&mut self, end: Instant) -> Vec<String> {
        let mut texts = Vec::new();
        while Instant::now() < end {
            texts.extend(self.write_one());
        }
        texts
    }

    fn end(mut self) {
        drop(self.stdin);
        // Its exit code tells whether a line was refused, which is allowed.
        self.child.wait().unwrap();
    }
}

fn kept_directories(home: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(home.join("backups")).into_iter().flatten().flatten();
    listed.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// Returns the texts of a kept memory, read from a copy in a home directory of its own.
fn kept_texts(kept: &Path, kill: usize) -> Vec<String> {
    let home = tempfile::tempdir().unwrap();
    let owner = home.path().join("owners/me");
    SqliteStore::open(home.path(), Options::default()).unwrap();
    std::fs::create_dir_all(&owner).unwrap();
    for file in ["memory.db", "memory.db-wal"] {
        if kept.join(file).exists() {
            std::fs::copy(kept.join(file), owner.join(file)).unwrap();
        }
    }
    texts(home.path(), kill)
}

/// Returns the texts of a memory, after checking that it is sound.
fn texts(home: &Path, kill: usize) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (store, owner) = (SqliteStore::open(home, Options::default()).unwrap(), OwnerId::me());
        store.create_owner(&owner, model::Moment(0)).await.unwrap();
        let health = store.health(&owner).await.unwrap();
        assert!(health.sound, "kill {kill}: {:?}", health.problems);
        let mut texts = Vec::new();
        loop {
            let page = Page { limit: limits::PAGE_ITEMS, offset: texts.len() };
            let query = MemoryQuery::default();
            let some = store.list_memories(&owner, &query, page).await.unwrap().items;
            if some.is_empty() {
                return texts;
            }
            texts.extend(some.into_iter().map(|memory| memory.text));
        }
    })
}
