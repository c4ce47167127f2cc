//! The second lock between owners: a statement that forgot its owner sees the rows of no other, and
//! outside of a transaction of an owner it fails.

use crate::fixture::{address, open, options};
use store::{Control, Store};
use store_conformance::builders::{batch, moment, remember};

const ROLE: &str = "SET ROLE quipu_server";

/// Connects with the role of the servers, as a server does.
async fn connect(address: &str, schema: &str) -> tokio_postgres::Client {
    let (client, connection) =
        tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("SET search_path TO {schema}; {ROLE}")).await.unwrap();
    client
}

#[test]
fn a_statement_that_forgot_its_owner_sees_only_the_rows_of_its_transaction() {
    let Some(address) = address() else { return };
    run(async move {
        let home = tempfile::tempdir().unwrap();
        let store = open(home.path()).await;
        for name in ["ada", "ben"] {
            let owner = model::OwnerId::new(name).unwrap();
            store.create_owner(&owner, moment(0)).await.unwrap();
            store.write(&owner, batch(vec![remember(&format!("{name}'s"))])).await.unwrap();
        }
        let client = connect(&address, &options(home.path()).schema).await;
        let everything = "SELECT text FROM memories";
        assert!(client.query(everything, &[]).await.is_err(), "no owner is set");
        client.batch_execute("BEGIN; SET LOCAL quipu.owner = 'ada'").await.unwrap();
        let seen = client.query(everything, &[]).await.unwrap();
        let texts: Vec<&str> = seen.iter().map(|row| row.get(0)).collect();
        assert_eq!(texts, ["ada's"]);
        let changed = client.execute("UPDATE memories SET text = 'mine'", &[]).await.unwrap();
        assert_eq!(changed, 1, "only ada's");
        let foreign = "INSERT INTO settings (owner, name, value) VALUES ('ben', 'x', '1')";
        assert!(client.execute(foreign, &[]).await.is_err(), "a row of somebody else");
        client.batch_execute("ROLLBACK").await.unwrap();
        let seen = client.query(everything, &[]).await.unwrap_or_default();
        assert!(seen.is_empty(), "the owner of a transaction does not outlive it");
    });
}

#[test]
fn the_role_of_the_servers_owns_no_table_and_cannot_change_the_schema() {
    let Some(address) = address() else { return };
    run(async move {
        let home = tempfile::tempdir().unwrap();
        open(home.path()).await;
        let client = connect(&address, &options(home.path()).schema).await;
        for forbidden in [
            "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
            "DROP POLICY one_owner ON memories",
            "DROP TABLE memories",
            "DELETE FROM migrations",
        ] {
            assert!(client.batch_execute(forbidden).await.is_err(), "{forbidden}");
        }
    });
}

fn run(test: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap().block_on(test);
}
