//! A database that refuses to work: no free connection, statements that take too long, and a
//! failover to a replica. A write is there once or was refused, and a read answers right or says
//! that it cannot. The failover needs variables that name a server and its replica.

use crate::fixture::{address, options};
use crate::write_load::WriteLoad;
use model::OwnerId;
use quipu_store_postgres::{Options, PostgresStore};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use store::{Control, Store, StoreError};
use store_conformance::builders::{batch, moment, remember};

/// Variable with the addresses of a server and its replica.
const PAIR_VARIABLE: &str = "QUIPU_TEST_REPLICATED";
/// Variable with the file of the first server's process.
const PRIMARY_VARIABLE: &str = "QUIPU_TEST_PRIMARY_DATA";
/// Variable with the command that makes the replica the first server, in words.
const PROMOTE_VARIABLE: &str = "QUIPU_TEST_PROMOTE";
/// Number of tasks that write at the same time.
const WRITERS: usize = 8;

async fn open_at(address: &str, options: &Options) -> Arc<PostgresStore> {
    let store = PostgresStore::open(address, options).await.expect("the store opens");
    store.create_owner(&OwnerId::me(), moment(0)).await.unwrap();
    Arc::new(store)
}

/// Runs statements on a connection of their own.
async fn administer(address: &str, sql: &str) {
    let (client, connection) =
        tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
}

/// Returns an address with one more parameter.
fn with_parameter(address: &str, parameter: &str) -> String {
    let sign = if address.contains('?') { '&' } else { '?' };
    format!("{address}{sign}{parameter}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_free_connection_a_call_is_refused_as_busy_and_nothing_is_lost() {
    let Some(address) = address() else { return };
    let home = tempfile::tempdir().unwrap();
    let few = Options {
        connections_max: 2,
        busy_timeout: Duration::from_millis(300),
        ..options(home.path())
    };
    let store = open_at(&address, &few).await;
    let load = WriteLoad::start(&store, WRITERS, 0);
    let schema = &few.schema;
    for _ in 0..4 {
        // Both connections wait for the lock, and everybody else for a connection.
        let hold = format!("BEGIN; LOCK TABLE \"{schema}\".clocks; SELECT pg_sleep(1); COMMIT");
        let held = administer(&address, &hold);
        let reads = async {
            tokio::time::sleep(Duration::from_millis(400)).await;
            for _ in 0..20 {
                match store.seq(&OwnerId::me()).await {
                    Ok(_) | Err(StoreError::Busy) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
        };
        tokio::join!(held, reads);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let count = load.stop_and_count(&store).await;
    assert!(count.acknowledged > 0, "{count:?}");
    println!("no free connection: {}", count.summary());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_that_take_too_long_lose_and_double_nothing() {
    let Some(address) = address() else { return };
    let home = tempfile::tempdir().unwrap();
    let options = options(home.path());
    // The schema is made without the limit.
    drop(open_at(&address, &options).await);
    let hurried = with_parameter(&address, "options=-c%20statement_timeout%3D60");
    let store = open_at(&hurried, &options).await;
    let load = WriteLoad::start(&store, WRITERS, 0);
    for pause in [150, 20, 300, 70, 150, 400] {
        let lock = format!(
            "BEGIN; LOCK TABLE \"{}\".audit; SELECT pg_sleep({}); COMMIT",
            options.schema,
            f64::from(pause) / 1000.0
        );
        administer(&address, &lock).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let patient = open_at(&address, &options).await;
    let count = load.stop_and_count(&patient).await;
    assert!(count.acknowledged > 0, "{count:?}");
    println!("statements that take too long: {}", count.summary());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failover_to_a_synchronous_replica_loses_and_doubles_nothing() {
    let variable = |name| std::env::var(name).ok();
    let (Some(pair), Some(data), Some(promote)) =
        (variable(PAIR_VARIABLE), variable(PRIMARY_VARIABLE), variable(PROMOTE_VARIABLE))
    else {
        eprintln!("skipped: {PAIR_VARIABLE} names no server with a replica");
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let address = with_parameter(&pair, "target_session_attrs=read-write&connect_timeout=2");
    let store = open_at(&address, &options(home.path())).await;
    let load = WriteLoad::start(&store, WRITERS, 0);
    tokio::time::sleep(Duration::from_secs(3)).await;
    tokio::task::spawn_blocking(move || fail_over(Path::new(&data), &promote)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    // Through the replica, with a connection that never was to the other one.
    let fresh = open_at(&address, &options(home.path())).await;
    let text = "written after the failover";
    fresh.write(&OwnerId::me(), batch(vec![remember(text)])).await.unwrap();
    let count = load.stop_and_count(&fresh).await;
    assert!(count.acknowledged > 0, "{count:?}");
    println!("failover: {}", count.summary());
}

/// Kills the first server for good, and makes the replica the first one.
fn fail_over(data: &Path, promote: &str) {
    let file = std::fs::read_to_string(data.join("postmaster.pid")).unwrap();
    let pid = file.lines().next().unwrap().to_owned();
    assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    let mut words = promote.split(' ');
    let status = Command::new(words.next().unwrap()).args(words).status().unwrap();
    assert!(status.success(), "the replica is not promoted");
}
