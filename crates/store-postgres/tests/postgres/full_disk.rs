//! A database whose disk is full. Writes are refused, and the server may even stop; reads answer
//! right or say that they cannot. When there is space again, everything that was acknowledged is
//! there once. `cargo xtask team-faults` makes the small disk.

use crate::controlled_cluster::ControlledCluster;
use crate::fixture::{address, open};
use crate::write_load::WriteLoad;
use model::OwnerId;
use quipu_store_postgres::PostgresStore;
use std::sync::Arc;
use std::time::Duration;
use store::{Control, Store};
use store_conformance::builders::{batch, moment, remember};

/// Variable with a file on the disk of the database: to remove it makes space.
const BALLAST_VARIABLE: &str = "QUIPU_TEST_POSTGRES_BALLAST";
/// Number of tasks that write at the same time.
const WRITERS: usize = 4;
/// Bytes of one memory, so that the disk is full soon.
const FILLING: usize = 16 * 1024;
/// Refused writes after which the disk counts as full.
const REFUSED_MIN: usize = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_of_the_database_loses_and_doubles_nothing() {
    let Ok(ballast) = std::env::var(BALLAST_VARIABLE) else {
        eprintln!("skipped: there is no small disk; use `cargo xtask team-faults`");
        return;
    };
    let (Some(_), Some(cluster)) = (address(), ControlledCluster::from_environment()) else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(open(home.path()).await);
    store.create_owner(&OwnerId::me(), moment(0)).await.unwrap();
    let load = WriteLoad::start(&store, WRITERS, FILLING);
    let reads = read_until_full(&store, &load).await;
    let stopped = !cluster.is_running();
    std::fs::remove_file(ballast).unwrap();
    if stopped {
        cluster.start();
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    store.write(&OwnerId::me(), batch(vec![remember("written with space")])).await.unwrap();
    let count = load.stop_and_count(&store).await;
    assert!(count.acknowledged > 0, "{count:?}");
    let server = if stopped { "stopped" } else { "went on" };
    println!("disk full, the server {server}: {}; {reads} reads right", count.summary());
}

/// Reads until the disk is full and a while longer; a read that answers, answers right. Returns the
/// number of those.
async fn read_until_full(store: &PostgresStore, load: &WriteLoad) -> usize {
    let (mut answers, mut newest) = (0, 0);
    while load.refused() < REFUSED_MIN {
        if let Ok(seq) = store.seq(&OwnerId::me()).await {
            assert!(seq.0 >= newest, "a read that answers sees every commit");
            (answers, newest) = (answers + 1, seq.0);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    answers
}
