//! Kills the real binary with SIGKILL while it writes: every acknowledged write must be stored, and
//! every write must have its audit event.

use crate::test_env::TestEnv;
use model::{MemoryId, OwnerId, Page};
use std::collections::BTreeMap;
use std::fs::File;
use std::time::Duration;
use store::{AuditQuery, MemoryQuery, Store};
use store_sqlite::{Options, SqliteStore};
use testkit::{KillPlan, run_and_kill};

/// Default number of processes to kill.
const KILLS: usize = 20;
/// Number of kills per home directory, which bounds the cost of checking it after each one.
const KILLS_PER_HOME: usize = 50;
/// More lines than any process can write before it is killed.
const LINES: usize = 2_000;

#[test]
fn killed_processes_lose_no_acknowledged_write() {
    let kills = std::env::var("QUIPU_CRASH_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut acknowledged = 0;
    for first in (0..kills).step_by(KILLS_PER_HOME) {
        let env = TestEnv::new();
        let mut promised = BTreeMap::new();
        for kill in first..kills.min(first + KILLS_PER_HOME) {
            promised.extend(killed_while_writing(&env, kill));
            check(&env, &promised, kill);
        }
        acknowledged += promised.len();
    }
    println!("{kills} kills, {acknowledged} acknowledged writes, none lost");
    assert!(acknowledged > 0, "a harness that never sees a write proves nothing");
}

/// Kills a process while it writes, and returns the memories it acknowledged.
fn killed_while_writing(env: &TestEnv, kill: usize) -> BTreeMap<i64, String> {
    let line =
        |number: usize| format!("In run {kill} the kettle number {number} was put on the stove.");
    let input = env.root().join("lines.txt");
    std::fs::write(&input, (0..LINES).map(|number| line(number) + "\n").collect::<String>())
        .unwrap();
    let mut command = env.command(&["remember", "--each-line"]);
    command.stdin(File::open(&input).unwrap());
    // Every third one is killed during startup, possibly before the home directory exists.
    let lines = if kill.is_multiple_of(3) { 0 } else { 25 };
    let left =
        run_and_kill(&mut command, KillPlan::random(lines, Duration::from_millis(40))).unwrap();
    assert_eq!(left.status.code(), None, "it ended before it was killed: {:?}", left.status);
    let promise = |(number, output): (usize, &String)| {
        let id = output.strip_suffix("\tcreated").and_then(|id| id.parse().ok());
        (id.unwrap_or_else(|| panic!("unexpected output {output}")), line(number))
    };
    left.acknowledged.iter().enumerate().map(promise).collect()
}

/// Opens the store as the next process would, and checks it.
fn check(env: &TestEnv, promised: &BTreeMap<i64, String>, kill: usize) {
    if !env.home().join("owners/me/memory.db").exists() {
        assert!(promised.is_empty(), "kill {kill}: acknowledged, but there is no memory");
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (store, owner) =
            (SqliteStore::open(&env.home(), Options::default()).unwrap(), OwnerId::me());
        if !store::Control::owners(&store).await.unwrap().contains(&owner) {
            assert!(promised.is_empty(), "kill {kill}: acknowledged, but there is no owner");
            return;
        }
        for ids in promised.keys().map(|id| MemoryId(*id)).collect::<Vec<_>>().chunks(500) {
            let stored = store.memories(&owner, ids).await.unwrap();
            let texts: BTreeMap<i64, String> =
                stored.into_iter().map(|memory| (memory.id.0, memory.text)).collect();
            for id in ids {
                assert_eq!(texts.get(&id.0), promised.get(&id.0), "kill {kill}: memory {id}");
            }
        }
        let health = store.health(&owner).await.unwrap();
        assert!(health.sound, "kill {kill}: {:?}", health.problems);
        let events = AuditQuery { tool: Some("remember".into()), ..AuditQuery::default() };
        let events = store.audit(&owner, &events, Page::first(1)).await.unwrap().total;
        let memories = store
            .list_memories(&owner, &MemoryQuery::default(), Page::first(1))
            .await
            .unwrap()
            .total;
        assert_eq!(
            events, memories,
            "kill {kill}: every write has its event and every event its write"
        );
        assert!(memories >= promised.len(), "kill {kill}");
    });
}
