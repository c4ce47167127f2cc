//! Kills of the database server under load: no acknowledged write is lost, and none is there twice.
//! `cargo xtask team-faults` names the cluster that may be killed, and how often.

use crate::controlled_cluster::ControlledCluster;
use crate::fixture::{address, open};
use crate::write_load::WriteLoad;
use model::OwnerId;
use std::sync::Arc;
use std::time::Duration;
use store::Control;
use store_conformance::builders::moment;

/// Variable with the number of kills.
const KILLS_VARIABLE: &str = "QUIPU_POSTMASTER_KILLS";
/// Number of tasks that write at the same time.
const WRITERS: usize = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_database_server_loses_and_doubles_nothing() {
    let kills = std::env::var(KILLS_VARIABLE).ok().map(|kills| kills.parse::<usize>().unwrap());
    let (Some(_), Some(cluster)) = (address(), ControlledCluster::from_environment()) else {
        return;
    };
    let (kills, home) = (kills.unwrap_or(1), tempfile::tempdir().unwrap());
    let store = Arc::new(open(home.path()).await);
    store.create_owner(&OwnerId::me(), moment(0)).await.unwrap();
    let load = WriteLoad::start(&store, WRITERS, 0);
    tokio::task::spawn_blocking(move || kill_repeatedly(&cluster, kills)).await.unwrap();
    let count = load.stop_and_count(&store).await;
    assert!(count.acknowledged > 0, "{count:?}");
    println!("{kills} kills of the database server: {}", count.summary());
}

fn kill_repeatedly(cluster: &ControlledCluster, kills: usize) {
    for kill in 0..kills {
        std::thread::sleep(Duration::from_millis(150 + 97 * (kill as u64 % 11)));
        cluster.kill();
        cluster.start();
    }
    // The last writes are acknowledged by a server that lives.
    std::thread::sleep(Duration::from_secs(1));
}
