//! Connections that are cut by a proxy at every point of a commit: before and after each piece of
//! data that goes either way. The write is acknowledged and there once, wherever the cut was.

use crate::cutting_proxy::{CutPoint, CuttingProxy};
use crate::fixture::{address, options};
use crate::shared_transactions::{assert_written, planned_owners};
use futures_util::future::join_all;
use model::OwnerId;
use quipu_store_postgres::PostgresStore;
use std::time::Duration;
use store::{Control, MemoryQuery, Store};
use store_conformance::builders::{batch, moment, remember};
use store_conformance::fixture::full_page;

/// Points after which a write must have come through without a cut.
const POINTS_MAX: usize = 200;
/// Number of owners that write at the same time.
const OWNERS: usize = 6;
/// Time after which a write will never come to an end.
const HELD_UP: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_is_there_once_wherever_its_connection_was_cut() {
    let Some(direct) = address() else { return };
    let home = tempfile::tempdir().unwrap();
    let proxy = CuttingProxy::start(&direct).await;
    let owner = OwnerId::me();
    let store = PostgresStore::open(proxy.address(), &options(home.path())).await.unwrap();
    store.create_owner(&owner, moment(0)).await.unwrap();
    let (mut writes, mut memories, mut cuts) = (0, 0, 0);
    // One memory is written as planned, three are not.
    for parts in [1, 3] {
        for when in [CutPoint::Before, CutPoint::After] {
            for piece in 1..POINTS_MAX {
                proxy.cut_at(usize::MAX, when);
                // After a loss, the next write finds out what there is, and that after it is
                // planned again.
                let first = remember(&format!("{parts} {when:?} {piece}, before the cut"));
                store.write(&owner, batch(vec![first])).await.unwrap();
                proxy.cut_at(piece, when);
                let text = |part| remember(&format!("{parts} {when:?} {piece}, part {part}"));
                let written = store.write(&owner, batch((0..parts).map(text).collect())).await;
                assert!(written.is_ok(), "{parts} {when:?} piece {piece}: {written:?}");
                writes += 2;
                memories += 1 + parts;
                if !proxy.has_cut() {
                    break;
                }
                cuts += 1;
            }
        }
    }
    proxy.cut_at(usize::MAX, CutPoint::Before);
    assert!(cuts > 10, "a commit has many points: {cuts}");
    let listed = store.list_memories(&owner, &MemoryQuery::default(), full_page()).await.unwrap();
    assert_eq!(listed.total, memories, "each write is there once");
    assert_eq!(store.seq(&owner).await.unwrap().0, writes as i64);
    assert!(store.verify_audit(&owner).await.unwrap().is_intact());
    println!("{cuts} cuts, {writes} acknowledged writes, none lost or doubled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_that_share_a_transaction_are_there_once_wherever_their_connection_was_cut() {
    let Some(direct) = address() else { return };
    let home = tempfile::tempdir().unwrap();
    let proxy = CuttingProxy::start(&direct).await;
    let store = PostgresStore::open(proxy.address(), &options(home.path())).await.unwrap();
    let owners = planned_owners(&store, OWNERS).await;
    let (mut rounds, mut cuts) = (0, 0);
    let write_all = async |text: String| {
        let write = |owner| {
            let write = batch(vec![remember(&text)]);
            let store = &store;
            async move { store.write(owner, write).await.unwrap() }
        };
        join_all(owners.iter().map(write)).await
    };
    for when in [CutPoint::Before, CutPoint::After] {
        for piece in 1..POINTS_MAX {
            proxy.cut_at(usize::MAX, when);
            write_all(format!("{when:?} {piece}, before the cut")).await;
            proxy.cut_at(piece, when);
            write_all(format!("{when:?} {piece}")).await;
            rounds += 2;
            if !proxy.has_cut() {
                break;
            }
            cuts += 1;
        }
    }
    proxy.cut_at(usize::MAX, CutPoint::Before);
    assert!(cuts > 10, "a commit has many points: {cuts}");
    for owner in &owners {
        assert_written(&store, owner, rounds + 1).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_comes_in_small_pieces_holds_up_no_write() {
    let Some(direct) = address() else { return };
    let home = tempfile::tempdir().unwrap();
    let proxy = CuttingProxy::start(&direct).await;
    let owner = OwnerId::me();
    let store = PostgresStore::open(proxy.address(), &options(home.path())).await.unwrap();
    store.create_owner(&owner, moment(0)).await.unwrap();
    proxy.pass_in_pieces_of(16);
    // The first finds no statement prepared; the others are planned.
    for text in ["pear", "plum", "fig"] {
        let write = store.write(&owner, batch(vec![remember(text)]));
        let written = tokio::time::timeout(HELD_UP, write).await;
        written.expect("the write is not held up for ever").unwrap();
    }
    assert!(store.verify_audit(&owner).await.unwrap().is_intact());
}
