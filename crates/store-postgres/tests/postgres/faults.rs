//! Connections that are lost and rows that are refused: whatever the moment, an acknowledged write
//! is there once, one that was tried again is not there twice, and one that fails fails alone.

use crate::fixture::{address, open, options};
use model::OwnerId;
use quipu_store_postgres::{Options, PostgresStore};
use std::time::Duration;
use store::{Control, MemoryQuery, Store, StoreError, WriteError};
use store_conformance::builders::{batch, moment, remember};
use store_conformance::fixture::full_page;

/// Number of writes of the test.
const WRITES: usize = 120;
/// Time that a server waits for a lock.
const LOCK_WAIT: Duration = Duration::from_millis(300);

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

#[test]
fn a_row_that_the_database_refuses_fails_its_own_request_and_no_other() {
    let Some(address) = address() else { return };
    run(async move {
        let home = tempfile::tempdir().unwrap();
        let (store, owner) = (open(home.path()).await, OwnerId::me());
        store.create_owner(&owner, moment(0)).await.unwrap();
        refuse_plums(&address, &options(home.path()).schema).await;
        // The first write of all: what follows the refused row is not prepared yet.
        let refused = store.write(&owner, batch(vec![remember("plum")])).await;
        assert!(format!("{refused:?}").contains("no_plums"), "{refused:?}");
        let texts = |number| match number % 8 {
            3 => format!("plum number {number}"),
            // Refused before it asks anything, so that nothing has told of the plum before it.
            4 => String::new(),
            _ => format!("pear number {number}"),
        };
        let writes = (0..WRITES).map(|number| {
            let (store, owner, text) = (store.clone(), owner.clone(), texts(number));
            let write = async move { store.write(&owner, batch(vec![remember(&text)])).await };
            (texts(number), tokio::spawn(write))
        });
        let mut pears = 0;
        for (text, write) in writes.collect::<Vec<_>>() {
            let outcome = write.await.unwrap();
            assert_eq!(outcome.is_ok(), text.starts_with("pear"), "{text}: {outcome:?}");
            pears += usize::from(outcome.is_ok());
        }
        let page = full_page();
        let listed = store.list_memories(&owner, &MemoryQuery::default(), page).await.unwrap();
        assert_eq!((listed.total, store.seq(&owner).await.unwrap().0), (pears, pears as i64));
        assert!(store.verify_audit(&owner).await.unwrap().is_intact());
    });
}

#[test]
fn a_write_whose_tables_are_locked_is_refused_as_busy_and_leaves_nothing() {
    let Some(address) = address() else { return };
    run(async move {
        let home = tempfile::tempdir().unwrap();
        let options = Options { busy_timeout: LOCK_WAIT, ..options(home.path()) };
        let owner = OwnerId::me();
        open(home.path()).await.create_owner(&owner, moment(0)).await.unwrap();
        let locked = lock_authors(&address, &options.schema).await;
        // A new server: its connections do not know any statement yet.
        let store = PostgresStore::open(&address, &options).await.unwrap();
        let refused = store.write(&owner, batch(vec![remember("pear")])).await;
        assert!(matches!(refused, Err(WriteError::Store(StoreError::Busy))), "{refused:?}");
        locked.batch_execute("ROLLBACK").await.unwrap();
        store.write(&owner, batch(vec![remember("pear")])).await.unwrap();
        assert_eq!(store.seq(&owner).await.unwrap().0, 1);
    });
}

/// Returns a connection that keeps everybody else from a table.
async fn lock_authors(address: &str, schema: &str) -> tokio_postgres::Client {
    let (client, connection) =
        tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let sql = format!("BEGIN; LOCK TABLE \"{schema}\".authors IN ACCESS EXCLUSIVE MODE");
    client.batch_execute(&sql).await.unwrap();
    client
}

/// Lets the database refuse some texts, which nothing that runs before the insertion notices.
async fn refuse_plums(address: &str, schema: &str) {
    let (client, connection) =
        tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let sql = format!(
        "ALTER TABLE \"{schema}\".memories ADD CONSTRAINT no_plums CHECK (text NOT LIKE 'plum%')"
    );
    client.batch_execute(&sql).await.unwrap();
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
