//! Kills of the database server under load: no acknowledged write is lost, and none is there twice.
//! `cargo xtask team-faults` names the cluster that may be killed, and how often.

use crate::fixture::{address, open};
use model::OwnerId;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use store::{Control, MemoryQuery, Store};
use store_conformance::builders::{batch, moment, remember};

/// Variable with the number of kills.
const KILLS_VARIABLE: &str = "QUIPU_POSTMASTER_KILLS";
/// Variable with the directory of the cluster's data.
const DATA_VARIABLE: &str = "QUIPU_TEST_POSTGRES_DATA";
/// Variable with the command that runs `pg_ctl`, in words.
const CONTROL_VARIABLE: &str = "QUIPU_TEST_POSTGRES_CONTROL";
/// Number of tasks that write at the same time.
const WRITERS: usize = 6;
/// Time in which a killed server must have started again.
const START_MAX: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_database_server_loses_and_doubles_nothing() {
    let (Some(_), Some(cluster)) = (address(), KilledCluster::from_environment()) else { return };
    let home = tempfile::tempdir().unwrap();
    let (store, owner) = (Arc::new(open(home.path()).await), OwnerId::me());
    store.create_owner(&owner, moment(0)).await.unwrap();
    let (next, ends) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            let (store, next, ends) = (store.clone(), Arc::clone(&next), Arc::clone(&ends));
            tokio::spawn(async move { write_until(&*store, &next, &ends).await })
        })
        .collect();
    let kills = cluster.kills;
    tokio::task::spawn_blocking(move || cluster.kill_repeatedly()).await.unwrap();
    ends.store(true, Ordering::SeqCst);
    let mut acknowledged = BTreeSet::new();
    for writer in writers {
        acknowledged.extend(writer.await.unwrap());
    }
    let found = all_texts(&*store, &owner).await;
    let tried = next.load(Ordering::SeqCst);
    for number in 0..tried {
        let times = found.iter().filter(|text| **text == write_text(number)).count();
        let least = usize::from(acknowledged.contains(&number));
        assert!((least..=1).contains(&times), "write {number} is there {times} times");
    }
    assert!(store.verify_audit(&owner).await.unwrap().is_intact());
    println!(
        "{kills} kills of the server, {tried} writes, {} acknowledged, none lost or doubled",
        acknowledged.len()
    );
}

fn write_text(number: usize) -> String {
    format!("write number {number}")
}

/// Writes one text after the other, and returns the numbers of those that were acknowledged.
async fn write_until(store: &impl Store, next: &AtomicUsize, ends: &AtomicBool) -> Vec<usize> {
    let mut acknowledged = Vec::new();
    while !ends.load(Ordering::SeqCst) {
        let number = next.fetch_add(1, Ordering::SeqCst);
        let write = batch(vec![remember(&write_text(number))]);
        match store.write(&OwnerId::me(), write).await {
            Ok(_) => acknowledged.push(number),
            Err(error) => eprintln!("write {number} was not acknowledged: {error:?}"),
        }
    }
    acknowledged
}

async fn all_texts(store: &impl Store, owner: &OwnerId) -> Vec<String> {
    let (mut texts, limit) = (Vec::new(), model::limits::PAGE_ITEMS);
    loop {
        let page = model::Page { offset: texts.len(), limit };
        let listed = store.list_memories(owner, &MemoryQuery::default(), page).await.unwrap();
        texts.extend(listed.items.into_iter().map(|memory| memory.text));
        if texts.len() >= listed.total {
            return texts;
        }
    }
}

/// A cluster whose server is killed.
struct KilledCluster {
    data: PathBuf,
    control: Vec<String>,
    kills: usize,
}

impl KilledCluster {
    fn from_environment() -> Option<Self> {
        let variable = |name| std::env::var(name).ok();
        let (Some(data), Some(control), Some(kills)) =
            (variable(DATA_VARIABLE), variable(CONTROL_VARIABLE), variable(KILLS_VARIABLE))
        else {
            eprintln!("skipped: no cluster may be killed; use `cargo xtask team-faults`");
            return None;
        };
        let control = control.split(' ').map(str::to_owned).collect();
        Some(Self { data: PathBuf::from(data), control, kills: kills.parse().unwrap() })
    }

    fn kill_repeatedly(self) {
        for kill in 0..self.kills {
            std::thread::sleep(Duration::from_millis(150 + 97 * (kill as u64 % 11)));
            kill_process(&self.data);
            self.start();
        }
        // The last writes are acknowledged by a server that lives.
        std::thread::sleep(Duration::from_secs(1));
    }

    fn start(&self) {
        let begun = Instant::now();
        loop {
            let mut control = Command::new(&self.control[0]);
            control.args(&self.control[1..]).args(["-w", "-t", "30", "start"]);
            control.stdout(Stdio::null()).stderr(Stdio::null());
            // Processes of the killed server may hold its memory for a moment.
            if control.status().unwrap().success() {
                return;
            }
            assert!(begun.elapsed() < START_MAX, "the server does not start again");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Kills the first process of a server, as a crash would.
fn kill_process(data: &Path) {
    let file = std::fs::read_to_string(data.join("postmaster.pid")).unwrap();
    let pid = file.lines().next().unwrap().to_owned();
    assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
}
