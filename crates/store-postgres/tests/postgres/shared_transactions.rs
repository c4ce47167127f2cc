//! Planned writes of several owners that share a transaction: each is there once with its own audit
//! log, and none waits or fails because of another.

use crate::cutting_proxy::CuttingProxy;
use crate::fixture::{address, open, options};
use futures_util::future::join_all;
use model::OwnerId;
use quipu_store_postgres::{Options, PostgresStore};
use std::time::Duration;
use store::{ChangeResult, Control, MemoryQuery, Store, StoreError, WriteError};
use store_conformance::builders::{batch, moment, remember};
use store_conformance::fixture::full_page;

/// Number of owners that write at the same time.
const OWNERS: usize = 12;
/// Number of writes of each.
const WRITES: usize = 15;
/// Time that a write waits in the test of a lost network.
const BUSY_TIMEOUT: Duration = Duration::from_millis(300);
/// Time after which a write will never come to an end.
const HELD_UP: Duration = Duration::from_secs(60);

/// Creates owners to whom this server wrote a memory, so that it plans their next writes.
pub(crate) async fn planned_owners(store: &PostgresStore, count: usize) -> Vec<OwnerId> {
    let owners: Vec<OwnerId> =
        (0..count).map(|nth| OwnerId::new(&format!("owner-{nth}")).unwrap()).collect();
    for owner in &owners {
        store.create_owner(owner, moment(0)).await.unwrap();
        write(store, owner, "the first").await;
    }
    owners
}

async fn write(store: &PostgresStore, owner: &OwnerId, text: &str) -> ChangeResult {
    let write = store.write(owner, batch(vec![remember(text)]));
    let mut written = tokio::time::timeout(HELD_UP, write).await.expect("it ends").unwrap();
    written.results.remove(0)
}

/// Checks that an owner has so many memories, with as many sequence numbers and an intact log.
pub(crate) async fn assert_written(store: &PostgresStore, owner: &OwnerId, memories: usize) {
    let listed = store.list_memories(owner, &MemoryQuery::default(), full_page()).await.unwrap();
    let seq = store.seq(owner).await.unwrap().0;
    assert_eq!((listed.total, seq), (memories, memories as i64), "{owner}");
    assert!(store.verify_audit(owner).await.unwrap().is_intact(), "{owner}");
}

/// Returns the number of transactions with planned writes, and of the writes in them. Each test has
/// a process of its own.
fn transactions_and_writes() -> (usize, usize) {
    let text = metrics::render();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|value| value.trim().parse::<f64>().ok()).unwrap_or(0.0) as usize
    };
    (value("quipu_planned_group_size_count"), value("quipu_planned_group_size_sum"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_of_owners_that_wait_share_transactions_and_are_there_once() {
    if address().is_none() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let store = open(home.path()).await;
    let owners = planned_owners(&store, OWNERS).await;
    let writers = owners.iter().map(|owner| {
        let (store, owner) = (store.clone(), owner.clone());
        tokio::spawn(async move {
            for number in 0..WRITES {
                write(&store, &owner, &format!("write {number} of {owner}")).await;
            }
        })
    });
    for writer in join_all(writers).await {
        writer.unwrap();
    }
    for owner in &owners {
        assert_written(&store, owner, WRITES + 1).await;
    }
    let (transactions, writes) = transactions_and_writes();
    assert_eq!(writes, OWNERS * WRITES, "all are planned");
    if std::env::var_os("QUIPU_TEST_CITUS").is_none() {
        assert!(transactions < writes, "{transactions} transactions of {writes} writes");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_does_not_hold_changes_nothing_for_the_owners_beside_it() {
    if address().is_none() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let store = open(home.path()).await;
    let owners = planned_owners(&store, OWNERS).await;
    let other = PostgresStore::open(&address().unwrap(), &options(home.path())).await.unwrap();
    write(&other, &owners[1], "by another server").await;
    let texts = |nth: usize| if nth == 5 { "the first" } else { "the second" };
    let written = join_all((0..OWNERS).map(|nth| write(&store, &owners[nth], texts(nth)))).await;
    for (nth, (owner, result)) in owners.iter().zip(written).enumerate() {
        assert_eq!(matches!(result, ChangeResult::Duplicate(_)), nth == 5, "{owner}: {result:?}");
    }
    for (nth, owner) in owners.iter().enumerate().filter(|(nth, _)| *nth != 5) {
        assert_written(&store, owner, if nth == 1 { 3 } else { 2 }).await;
    }
    let page = full_page();
    let listed = store.list_memories(&owners[5], &MemoryQuery::default(), page).await.unwrap();
    assert_eq!(listed.total, 1, "the text is there once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_whose_clock_is_locked_holds_up_no_other() {
    let Some(address) = address() else { return };
    let home = tempfile::tempdir().unwrap();
    let store = open(home.path()).await;
    let owners = planned_owners(&store, OWNERS).await;
    let locked = lock_clock(&address, &options(home.path()).schema, &owners[0]).await;
    let waiting = {
        let (store, owner) = (store.clone(), owners[0].clone());
        tokio::spawn(async move { write(&store, &owner, "the second").await })
    };
    join_all(owners[1..].iter().map(|owner| write(&store, owner, "the second"))).await;
    assert!(!waiting.is_finished(), "the clock is still locked");
    locked.batch_execute("ROLLBACK").await.unwrap();
    waiting.await.unwrap();
    for owner in &owners {
        assert_written(&store, owner, 2).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_no_transaction_takes_is_refused_as_busy_and_leaves_nothing() {
    let Some(direct) = address() else { return };
    let home = tempfile::tempdir().unwrap();
    let proxy = CuttingProxy::start(&direct).await;
    let options = Options { busy_timeout: BUSY_TIMEOUT, ..options(home.path()) };
    let store = PostgresStore::open(proxy.address(), &options).await.unwrap();
    let owners = planned_owners(&store, 2 * OWNERS).await;
    proxy.hold(true);
    let writes: Vec<_> = owners
        .iter()
        .map(|owner| {
            let (store, owner) = (store.clone(), owner.clone());
            tokio::spawn(async move { store.write(&owner, batch(vec![remember("more")])).await })
        })
        .collect();
    tokio::time::sleep(4 * BUSY_TIMEOUT).await;
    let refused = writes.iter().filter(|write| write.is_finished()).count();
    assert!((1..owners.len()).contains(&refused), "{refused} ended while nothing passed");
    proxy.hold(false);
    for (owner, write) in owners.iter().zip(writes) {
        match write.await.unwrap() {
            Ok(_) => assert_written(&store, owner, 2).await,
            Err(error) => {
                assert!(matches!(error, WriteError::Store(StoreError::Busy)), "{error:?}");
                assert_written(&store, owner, 1).await;
            }
        }
    }
}

/// Returns a connection that holds the clock of an owner, as a long write of another server would.
async fn lock_clock(address: &str, schema: &str, owner: &OwnerId) -> tokio_postgres::Client {
    let (client, connection) =
        tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let sql = format!(
        "BEGIN; SET LOCAL quipu.owner = '{owner}';
         SELECT seq FROM \"{schema}\".clocks WHERE owner = '{owner}' FOR UPDATE"
    );
    client.batch_execute(&sql).await.unwrap();
    client
}
