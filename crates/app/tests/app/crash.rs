//! Kill -9 while the real binary writes: whatever it acknowledged is there, and every write has its
//! audit event.

use crate::place::Place;
use model::{MemoryId, OwnerId, Page};
use std::collections::BTreeMap;
use std::fs::File;
use std::time::Duration;
use store::{AuditQuery, MemoryQuery, Store};
use store_sqlite::{Options, SqliteStore};
use testkit::{Doom, run_doomed};

/// How many processes are killed unless the environment says otherwise.
const KILLS: usize = 20;
/// A home is used for so many kills, so that looking through it stays cheap.
const KILLS_PER_HOME: usize = 50;
/// More lines than any process lives to write.
const LINES: usize = 2_000;

#[test]
fn killed_processes_lose_no_acknowledged_write() {
    let kills = std::env::var("QUIPU_CRASH_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut acknowledged = 0;
    for first in (0..kills).step_by(KILLS_PER_HOME) {
        let place = Place::new();
        let mut promised = BTreeMap::new();
        for kill in first..kills.min(first + KILLS_PER_HOME) {
            promised.extend(killed_while_writing(&place, kill));
            check(&place, &promised, kill);
        }
        acknowledged += promised.len();
    }
    println!("{kills} kills, {acknowledged} acknowledged writes, none lost");
    assert!(acknowledged > 0, "a harness that never sees a write proves nothing");
}

/// What a process promised before it was killed.
fn killed_while_writing(place: &Place, kill: usize) -> BTreeMap<i64, String> {
    let line =
        |number: usize| format!("In run {kill} the kettle number {number} was put on the shelf.");
    let input = place.root().join("lines.txt");
    std::fs::write(&input, (0..LINES).map(|number| line(number) + "\n").collect::<String>())
        .unwrap();
    let mut command = place.command(&["remember", "--each-line"]);
    command.stdin(File::open(&input).unwrap());
    // Every third dies while it starts, perhaps before there is a home at all.
    let lines = if kill.is_multiple_of(3) { 0 } else { 25 };
    let left = run_doomed(&mut command, Doom::random(lines, Duration::from_millis(40))).unwrap();
    assert_eq!(left.status.code(), None, "it lived to its end: {:?}", left.status);
    let promise = |(number, told): (usize, &String)| {
        let id = told.strip_suffix("\tcreated").and_then(|id| id.parse().ok());
        (id.unwrap_or_else(|| panic!("it said {told}")), line(number))
    };
    left.acknowledged.iter().enumerate().map(promise).collect()
}

/// Opens the store as the next process would, and looks through it.
fn check(place: &Place, promised: &BTreeMap<i64, String>, kill: usize) {
    if !place.home().join("owners/me/memory.db").exists() {
        assert!(promised.is_empty(), "kill {kill}: promised, and there is no memory");
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (store, owner) =
            (SqliteStore::open(&place.home(), Options::default()).unwrap(), OwnerId::me());
        if !store::Control::owners(&store).await.unwrap().contains(&owner) {
            assert!(promised.is_empty(), "kill {kill}: promised, and there is no owner");
            return;
        }
        for ids in promised.keys().map(|id| MemoryId(*id)).collect::<Vec<_>>().chunks(500) {
            let kept = store.memories(&owner, ids).await.unwrap();
            let texts: BTreeMap<i64, String> =
                kept.into_iter().map(|memory| (memory.id.0, memory.text)).collect();
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
