//! The checks of a server before it uses a database: the version of the schema, that commits are
//! durable, and that all servers have the same audit key.

use crate::fixture::{address, open, options};
use quipu_store_postgres::{Options, PostgresStore};

#[test]
fn a_newer_or_edited_schema_is_refused_and_said() {
    let Some(address) = address() else { return };
    run(async move {
        let home = tempfile::tempdir().unwrap();
        let options = options(home.path());
        let state = PostgresStore::schema_state(&address, &options).await.unwrap();
        assert_eq!(state.found, 0, "nothing is created by looking");
        drop(open(home.path()).await);
        let state = PostgresStore::schema_state(&address, &options).await.unwrap();
        assert_eq!(state.found, state.known);
        let schema = &options.schema;
        let newer = format!("INSERT INTO {schema}.migrations VALUES (99, '\\x00')");
        execute(&address, &newer).await;
        let refused = PostgresStore::open(&address, &options).await.unwrap_err().to_string();
        assert!(refused.contains("supports only up to"), "{refused}");
        let edited = format!(
            "DELETE FROM {schema}.migrations WHERE version = 99;
             UPDATE {schema}.migrations SET checksum = '\\x00' WHERE version = 1"
        );
        execute(&address, &edited).await;
        let refused = PostgresStore::open(&address, &options).await.unwrap_err().to_string();
        assert!(refused.contains("migration 1"), "{refused}");
    });
}

#[test]
fn a_database_that_acknowledges_early_is_refused() {
    let Some(address) = address() else { return };
    run(async move {
        let home = tempfile::tempdir().unwrap();
        let early = format!("{address}?options=-csynchronous_commit%3Doff");
        let refused = PostgresStore::open(&early, &options(home.path())).await.unwrap_err();
        assert!(refused.to_string().contains("synchronous_commit is off"), "{refused}");
    });
}

#[test]
fn a_server_with_another_audit_key_is_refused() {
    let Some(address) = address() else { return };
    run(async move {
        let home = tempfile::tempdir().unwrap();
        drop(open(home.path()).await);
        let other = Options { audit_key: [8; 32], ..options(home.path()) };
        let refused = PostgresStore::open(&address, &other).await.unwrap_err().to_string();
        assert!(refused.contains("another key"), "{refused}");
    });
}

#[test]
fn an_ordinary_user_prepares_a_database_and_serves_under_the_role_of_the_servers() {
    let Some(address) = address() else { return };
    run(async move {
        let home = tempfile::tempdir().unwrap();
        let user = format!("ordinary_{}", std::process::id());
        let create = format!(
            "CREATE ROLE {user} LOGIN PASSWORD 'secret' CREATEROLE;
             GRANT CREATE ON DATABASE postgres TO {user}"
        );
        execute(&address, &create).await;
        execute(&address, &created_role(&user)).await;
        let (_, place) = address.split_once('@').unwrap();
        let ordinary = format!("postgres://{user}:secret@{place}");
        let store = PostgresStore::open(&ordinary, &options(home.path())).await.unwrap();
        assert_eq!(store.role().await.unwrap(), "quipu_server");
    });
}

/// Returns statements that leave a user as if it had created the role of the servers, which other
/// tests may have done before. Until PostgreSQL 15 a user that may create roles is in all of them.
fn created_role(user: &str) -> String {
    format!(
        "DO $$ BEGIN
            BEGIN
                CREATE ROLE quipu_server NOLOGIN;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
            END;
            IF current_setting('server_version_num')::int >= 160000 THEN
                EXECUTE 'GRANT quipu_server TO {user}
                    WITH ADMIN TRUE, INHERIT FALSE, SET FALSE';
            END IF;
        END $$"
    )
}

#[test]
fn of_many_servers_that_start_at_once_one_creates_the_schema() {
    if address().is_none() {
        return;
    }
    run(async move {
        let home = tempfile::tempdir().unwrap();
        let servers = (0..8).map(|_| open(home.path()));
        for server in futures_util::future::join_all(servers).await {
            server.ping().await.unwrap();
        }
    });
}

async fn execute(address: &str, sql: &str) {
    let (client, connection) =
        tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
}

fn run(test: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap().block_on(test);
}

#[tokio::test]
async fn a_server_is_ready_while_the_schema_is_that_of_its_program() {
    let Some(address) = address() else { return };
    let home = tempfile::tempdir().unwrap();
    let store = open(home.path()).await;
    assert!(store.is_ready().await);
    let (client, connection) =
        tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let newer = "INSERT INTO migrations (version, checksum) VALUES (1000, '\\x00')";
    let schema = options(home.path()).schema;
    client.batch_execute(&format!("SET search_path TO {schema}; {newer}")).await.unwrap();
    assert!(!store.is_ready().await);
}
