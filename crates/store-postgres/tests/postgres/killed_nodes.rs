//! Nodes of a Citus cluster that are killed under load and come back, the workers or the
//! coordinator: no acknowledged write is lost, and none is there twice. `cargo xtask citus
//! --cluster` names the cluster.

use crate::fixture::{address, open};
use crate::write_load::WriteLoad;
use model::OwnerId;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use store::Control;
use store_conformance::builders::moment;

/// Variable with the program that kills and starts nodes, and the directory of the cluster.
const CLUSTER_VARIABLE: &str = "QUIPU_TEST_CITUS_CLUSTER";
/// Number of tasks that write at the same time.
const WRITERS: usize = 6;
/// Number of owners. Their shards are on both workers, so that each kill meets writes.
const OWNERS: usize = 8;
/// Number of kills; the nodes of a test take turns.
const KILLS: usize = 20;
/// Numbers of the nodes.
const COORDINATOR: &[usize] = &[0];
const WORKERS: &[usize] = &[1, 2];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_workers_of_a_cluster_lose_and_double_nothing() {
    kill_under_load(WORKERS, "workers").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_coordinator_of_a_cluster_loses_and_doubles_nothing() {
    kill_under_load(COORDINATOR, "the coordinator").await;
}

async fn kill_under_load(nodes: &'static [usize], name: &str) {
    let (Some(_), Ok(cluster)) = (address(), std::env::var(CLUSTER_VARIABLE)) else {
        eprintln!("skipped: {CLUSTER_VARIABLE} names no cluster; use `cargo xtask citus`");
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(open(home.path()).await);
    let owner = |number| OwnerId::new(&format!("owner-{number}")).unwrap();
    let owners: Vec<OwnerId> = (0..OWNERS).map(owner).collect();
    for owner in &owners {
        store.create_owner(owner, moment(0)).await.unwrap();
    }
    let load = WriteLoad::start_for(&store, &owners, WRITERS, 0);
    tokio::task::spawn_blocking(move || kill_in_turn(&cluster, nodes)).await.unwrap();
    let count = load.stop_and_count(&store).await;
    assert!(count.acknowledged > 0, "{count:?}");
    println!("{KILLS} kills of {name}: {}", count.summary());
}

fn kill_in_turn(cluster: &str, nodes: &[usize]) {
    let (program, directory) = cluster.split_once(' ').unwrap();
    for kill in 0..KILLS {
        let node = nodes[kill % nodes.len()].to_string();
        std::thread::sleep(Duration::from_millis(700 + 97 * (kill as u64 % 7)));
        for action in ["kill", "start"] {
            let mut command = Command::new(program);
            command.args([action, directory, &node]).stdout(Stdio::null());
            assert!(command.status().unwrap().success(), "{action} of node {node}");
        }
    }
    // The last writes are acknowledged by nodes that live.
    std::thread::sleep(Duration::from_secs(2));
}
