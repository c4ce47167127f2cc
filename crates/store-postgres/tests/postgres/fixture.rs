//! Databases for tests: each test has a schema of its own, named after its directory.

use quipu_store_postgres::{Options, PostgresStore};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// Variable with the address of a database whose user may create schemas and roles.
pub(crate) const ADDRESS_VARIABLE: &str = "QUIPU_TEST_POSTGRES";

/// Variable that asks for the tests that take minutes.
const THOROUGH_VARIABLE: &str = "QUIPU_TEST_POSTGRES_THOROUGH";

/// Variable that says that the database is Citus, with the number of shards of a table.
const CITUS_VARIABLE: &str = "QUIPU_TEST_CITUS";

/// Returns the address of the database, if there is one.
pub(crate) fn address() -> Option<String> {
    let address = std::env::var(ADDRESS_VARIABLE).ok();
    if address.is_none() {
        eprintln!("skipped: {ADDRESS_VARIABLE} is not set; use `cargo xtask postgres`");
    }
    address
}

/// Returns whether there is a database.
pub(crate) fn is_available() -> bool {
    address().is_some()
}

/// Returns whether there is a database, and time for everything.
pub(crate) fn is_thorough() -> bool {
    std::env::var_os(THOROUGH_VARIABLE).is_some() && is_available()
}

/// Returns a name for the directory of a test.
pub(crate) fn schema_name(home: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    home.hash(&mut hasher);
    // The number of the process too: directories of earlier tests may have had the same name.
    format!("test_{:016x}_{}", hasher.finish(), std::process::id())
}

/// Returns the options of a test whose directory this is.
pub(crate) fn options(home: &Path) -> Options {
    Options { schema: schema_name(home), connections_max: 4, ..Options::new([7; 32]) }
}

/// Opens the store of a directory.
pub(crate) async fn open(home: &Path) -> PostgresStore {
    let address = address().expect("tests without a database end before they open it");
    let options = options(home);
    let open = async || PostgresStore::open(&address, &options).await.expect("the store opens");
    let store = open().await;
    if std::env::var_os(CITUS_VARIABLE).is_none() {
        return store;
    }
    drop(store);
    distribute(&address, &options.schema).await;
    // Its connections are to have the settings that came with the distribution.
    open().await
}

/// Distributes the tables of a schema, if the database is one of several nodes.
pub(crate) async fn distribute(address: &str, schema: &str) {
    const SCRIPT: &str = include_str!("../../citus.sql");
    let Ok(shards) = std::env::var(CITUS_VARIABLE) else { return };
    let (client, connection) =
        tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    // One test after the other: Citus creates shards of one group at a time.
    let settings = format!(
        "SELECT pg_advisory_lock(24); SET client_min_messages = error;
         SET search_path TO \"{schema}\"; SET citus.shard_count = {shards}"
    );
    client.batch_execute(&settings).await.unwrap();
    client.batch_execute(SCRIPT).await.unwrap();
}
