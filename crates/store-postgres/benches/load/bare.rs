//! The baseline: one table, one row with all bytes of a write, one transaction for each.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;
use testkit::bench::{MEMORY_WORDS, StoreFiller, Xorshift, text};
use tokio_postgres::{Client, NoTls};

/// A table with an owner, a number and bytes.
pub struct BareTable {
    clients: Vec<Arc<Client>>,
    schema: String,
    next: Arc<AtomicI64>,
}

impl BareTable {
    /// Creates the table and as many connections.
    pub async fn create(address: &str, schema: &str, connections: usize) -> Self {
        let mut clients = Vec::new();
        for _ in 0..connections {
            let (client, connection) =
                tokio_postgres::connect(address, NoTls).await.expect("a connection");
            tokio::spawn(connection);
            clients.push(Arc::new(client));
        }
        let sql = format!(
            "CREATE TABLE {schema}.bare (owner text COLLATE \"C\" NOT NULL, id bigint NOT NULL,
             body bytea NOT NULL, PRIMARY KEY (owner, id));
             GRANT INSERT ON {schema}.bare TO quipu_server"
        );
        clients[0].batch_execute(&sql).await.expect("a table");
        Self { clients, schema: schema.to_owned(), next: Arc::default() }
    }

    /// Distributes the tables of the schema over the nodes of Citus, this one too.
    pub async fn distribute(&self, shards: &str) {
        let sql = format!(
            "SET client_min_messages = error; SET search_path TO {0};
             SET citus.shard_count = {shards};
             SELECT create_distributed_table('{0}.bare', 'owner');",
            self.schema
        );
        self.clients[0].batch_execute(&sql).await.expect("the table is distributed");
        let script = include_str!("../../citus.sql");
        self.clients[0].batch_execute(script).await.expect("the tables are distributed");
    }

    /// Inserts rows, and returns the number per second.
    pub async fn insert(&self, filler: &StoreFiller, clients: usize, rows: usize) -> f64 {
        let sql = format!("INSERT INTO {}.bare VALUES ($1, $2, $3)", self.schema);
        let mut rng = Xorshift::new(11);
        let body = |_| filler.single_memory(text(&mut rng, MEMORY_WORDS)).1;
        let mut bodies: Vec<Vec<u8>> = (0..rows).map(body).collect();
        let (mut tasks, begun) = (Vec::new(), Instant::now());
        for nth in 0..clients {
            let mine = bodies.split_off(bodies.len() - rows / clients);
            let client = Arc::clone(&self.clients[nth % self.clients.len()]);
            let (sql, next, owner) = (sql.clone(), Arc::clone(&self.next), format!("owner-{nth}"));
            tasks.push(tokio::spawn(async move {
                let insert = client.prepare(&sql).await.expect("prepared");
                for body in mine {
                    let id = next.fetch_add(1, Ordering::Relaxed);
                    client.execute(&insert, &[&owner, &id, &body]).await.expect("inserted");
                }
            }));
        }
        for task in tasks {
            task.await.expect("the task ends");
        }
        (rows / clients * clients) as f64 / begun.elapsed().as_secs_f64()
    }

    /// Reads one row by its key, as often as is said, and returns the durations in microseconds.
    pub async fn read(&self, times: usize) -> Vec<f64> {
        let sql = format!("SELECT body FROM {}.bare WHERE owner = $1 AND id = $2", self.schema);
        let client = &self.clients[0];
        let select = client.prepare(&sql).await.expect("prepared");
        let mut spent = Vec::new();
        for id in 0..times as i64 {
            let begun = Instant::now();
            client.query_opt(&select, &[&"owner-0", &id]).await.expect("read");
            spent.push(begun.elapsed().as_secs_f64() * 1e6);
        }
        spent
    }
}
