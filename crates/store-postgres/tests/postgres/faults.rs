//! Connections that are lost: whatever the moment, an acknowledged write is there once, and one
//! that was tried again is not there twice.

use crate::fixture::{address, open, options};
use model::OwnerId;
use std::time::Duration;
use store::{Control, MemoryQuery, Store};
use store_conformance::builders::{batch, moment, remember};
use store_conformance::fixture::full_page;

/// Number of writes of the test.
const WRITES: usize = 120;

#[test]
fn writes_survive_connections_that_are_cut_at_any_moment() {
    let Some(address) = address() else { return };
    run(async move {
        let home = tempfile::tempdir().unwrap();
        let (store, owner) = (open(home.path()).await, OwnerId::me());
        store.create_owner(&owner, moment(0)).await.unwrap();
        let cutter = tokio::spawn(cut_connections(address, options(home.path()).schema));
        for number in 0..WRITES {
            let write = batch(vec![remember(&format!("write number {number}"))]);
            store.write(&owner, write).await.unwrap();
        }
        cutter.abort();
        let page = full_page();
        let listed = store.list_memories(&owner, &MemoryQuery::default(), page).await.unwrap();
        assert_eq!(listed.total, WRITES, "each write is there once");
        assert_eq!(store.seq(&owner).await.unwrap().0, WRITES as i64);
        assert!(store.verify_audit(&owner).await.unwrap().is_intact());
    });
}

/// Ends the connections of a schema's servers again and again, whatever they are doing.
async fn cut_connections(address: String, schema: String) {
    let (client, connection) =
        tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    // A backend that shows a statement of this schema's search path cannot be told from others, so
    // the locks on its tables tell which belong to it.
    let cut = "SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_class c ON c.oid =
         l.relation
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1";
    // Now and then long enough for a write, however slow the machine is.
    for pause in [30, 700, 90, 1_500].into_iter().cycle() {
        client.query(cut, &[&schema]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
}

fn run(test: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap().block_on(test);
}
