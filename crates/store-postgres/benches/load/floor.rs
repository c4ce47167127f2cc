//! The floor of a write: its statements, sent by a client that does nothing else. Each has the
//! tables, the bytes, the role and the commit of a write through a server, and an owner for each
//! connection.

use quipu_store_postgres::PostgresStore;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use store::Control;
use testkit::bench::{MEMORY_WORDS, StoreFiller, Xorshift, text};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};

/// The clock is locked and read, which every write begins with.
const LOCK: &str = "SELECT seq, references_seq, erased_seq, last_memory, last_event, mac,
        marked, marked_at, last_session, last_author, last_model, last_entity,
        last_observation, last_relation, last_table, last_handoff, last_document,
        last_review, last_flag, last_workspace, last_question, identity
     FROM clocks WHERE owner = $1 FOR UPDATE";
const SAME_TEXT: &str = "SELECT id, session, text, metadata, title FROM memories
     WHERE owner = $1 AND text_key = $2 AND status = 1 AND collection = 'notes'
     AND project IS NULL AND record_table IS NULL ORDER BY id DESC";
const FORGOTTEN: &str = "SELECT max(at) FROM tombstones WHERE owner = $1 AND hash = $2";
const AUTHOR: &str = "SELECT id FROM authors WHERE owner = $1 AND agent = 'bench'
     AND tool = 'bench' AND dialect = 'quipu' AND client IS NULL";
const MODEL: &str = "SELECT id FROM models WHERE owner = $1 AND name = 'bench' AND dimensions = 1";
const MEMORY: &str = "INSERT INTO memories (owner, id, seq, text_key, status, origin, trust,
        priority, confidence, open_flags, author, created_at, kind, collection, text)
     VALUES ($1, $2, $2, $3, 1, 1, 50, 5, 1, 0, 1, 1777000000000000, 'note', 'notes', $4)";
const VECTOR: &str = "INSERT INTO vectors (owner, memory, model, windows) VALUES ($1, $2, 1, $3)";
const EVENT: &str = "INSERT INTO audit (owner, id, seq, author, outcome, at, duration_us, resource,
        arguments, note, mac)
     VALUES ($1, $2, $2, 1, 1, 1777000000000000, 0, 'vectors', $3, 'bench', $3)";
const CLOCK: &str = "UPDATE clocks SET seq = $2, last_memory = $2, last_event = $2, mac = $3,
        seal = $3 WHERE owner = $1";
/// The clock is advanced if it is as it was left, and nothing has this text.
const ADVANCE: &str = "UPDATE clocks SET seq = $2, last_memory = $2, last_event = $2, mac = $3,
        seal = $3
     WHERE owner = $1 AND seq = $2::bigint - 1
        AND NOT EXISTS (SELECT 1 FROM memories WHERE owner = $1 AND text_key = $4 AND status = 1)
        AND NOT EXISTS (SELECT 1 FROM tombstones WHERE owner = $1 AND hash = $3)";
/// All rows of a write.
const ROWS: &str = "WITH memory AS (INSERT INTO memories (owner, id, seq, text_key, status, origin,
            trust, priority, confidence, open_flags, author, created_at, kind, collection, text)
         VALUES ($1, $2, $2, $3, 1, 1, 50, 5, 1, 0, 1, 1777000000000000, 'note', 'notes', $4)),
     vector AS (INSERT INTO vectors (owner, memory, model, windows) VALUES ($1, $2, 1, $5))
     INSERT INTO audit (owner, id, seq, author, outcome, at, duration_us, resource, arguments,
        note, mac)
     VALUES ($1, $2, $2, 1, 1, 1777000000000000, 0, 'vectors', $6, 'bench', $6)";

/// A bare insert of the same bytes.
const BARE: &str = "INSERT INTO bare VALUES ($1, $2, $3)";

/// Ways to send the statements of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Nothing but a bare insert, in a transaction of its owner and in one trip.
    Bare,
    /// Each after the answer of the one before.
    OneByOne,
    /// The lock with the queries, then what is written with the commit.
    InTwoTrips,
    /// The clock advanced if nothing else was written since, then all rows in one statement.
    Merged,
    /// The same in one trip, as if nothing could have been written since.
    MergedInOneTrip,
}

/// A connection with the statements of a write.
struct FloorConnection {
    client: Client,
    owner: String,
    statements: Vec<Statement>,
}

/// Connections with the role of a server.
pub struct FloorConnections {
    connections: Vec<Arc<FloorConnection>>,
    rounds: AtomicUsize,
}

const SQL: [&str; 12] =
    [LOCK, SAME_TEXT, FORGOTTEN, AUTHOR, MODEL, MEMORY, VECTOR, EVENT, CLOCK, ADVANCE, ROWS, BARE];

/// The values of a write.
struct FloorRow {
    id: i64,
    key: i64,
    text: String,
    windows: Vec<u8>,
    hash: Vec<u8>,
    /// As many bytes as all rows of the write.
    bytes: Vec<u8>,
}

impl FloorConnections {
    /// Opens connections, each with an owner that has an author and a model. Of a session that is a
    /// replica, no foreign keys are checked.
    pub async fn open(
        address: &str,
        schema: &str,
        store: &PostgresStore,
        count: usize,
        session: &str,
    ) -> Self {
        let mut connections = Vec::new();
        for nth in 0..count {
            let (client, connection) =
                tokio_postgres::connect(address, NoTls).await.expect("a connection");
            tokio::spawn(connection);
            let owner = format!("{session}-{nth}");
            let name = model::OwnerId::new(&owner).expect("a name");
            store.create_owner(&name, model::Moment(0)).await.expect("an owner");
            let begin = format!(
                "SET session_replication_role = {session}; SET ROLE quipu_server;
                 SET search_path TO {schema}; BEGIN; SET LOCAL quipu.owner = '{owner}';
                 INSERT INTO authors VALUES ('{owner}', 1, 'bench', NULL, 'quipu', 'bench');
                 INSERT INTO models VALUES ('{owner}', 1, 'bench', 1); COMMIT"
            );
            client.batch_execute(&begin).await.expect("an author and a model");
            let mut statements = Vec::new();
            for sql in SQL {
                statements.push(client.prepare(sql).await.expect("prepared"));
            }
            connections.push(Arc::new(FloorConnection { client, owner, statements }));
        }
        Self { connections, rounds: AtomicUsize::new(0) }
    }

    /// Writes memories through all connections, and returns the number per second.
    pub async fn write(&self, filler: &StoreFiller, sent: Sent, writes: usize) -> f64 {
        let (mut rng, count) = (Xorshift::new(11), self.connections.len());
        let share = writes / count;
        let first = (self.rounds.fetch_add(1, Ordering::Relaxed) * share) as i64;
        let row = |nth: usize| {
            let text = text(&mut rng, MEMORY_WORDS);
            let bytes = filler.single_memory(text.clone()).1;
            let windows = bytes[text.len()..bytes.len() - 200].to_vec();
            let id = first + (nth % share) as i64 + 1;
            FloorRow { id, key: id * 7_919, text, windows, hash: vec![(id % 251) as u8; 32], bytes }
        };
        let mut rows: Vec<FloorRow> = (0..share * count).map(row).collect();
        let (mut tasks, begun) = (Vec::new(), Instant::now());
        for connection in &self.connections {
            let (mine, connection) = (rows.split_off(rows.len() - share), Arc::clone(connection));
            tasks.push(tokio::spawn(async move {
                for row in mine {
                    connection.write(&row, sent).await.expect("written");
                }
            }));
        }
        for task in tasks {
            task.await.expect("the task ends");
        }
        (share * count) as f64 / begun.elapsed().as_secs_f64()
    }
}

impl FloorConnection {
    async fn write(&self, row: &FloorRow, sent: Sent) -> Result<(), tokio_postgres::Error> {
        let begin = format!("BEGIN; SET LOCAL quipu.owner = '{}'", self.owner);
        let begin = self.client.batch_execute(&begin);
        let commit = self.client.batch_execute("COMMIT");
        let FloorRow { id, key, text, windows, hash, bytes } = row;
        let owner = &self.owner as &(dyn ToSql + Sync);
        let params: [&[&(dyn ToSql + Sync)]; 12] = [
            &[owner],
            &[owner, key],
            &[owner, hash],
            &[owner],
            &[owner],
            &[owner, id, key, text],
            &[owner, id, windows],
            &[owner, id, hash],
            &[owner, id, hash],
            &[owner, id, hash, key],
            &[owner, id, key, text, windows, hash],
            &[owner, id, bytes],
        ];
        let run = |nth: usize| self.client.query(&self.statements[nth], params[nth]);
        match sent {
            Sent::Bare => tokio::try_join!(begin, run(11), commit).map(drop),
            Sent::OneByOne => {
                begin.await?;
                for nth in 0..9 {
                    run(nth).await?;
                }
                commit.await
            }
            Sent::InTwoTrips => {
                tokio::try_join!(begin, run(0), run(1), run(2), run(3), run(4))?;
                tokio::try_join!(run(5), run(6), run(7), run(8), commit).map(drop)
            }
            Sent::Merged => {
                tokio::try_join!(begin, run(9))?;
                tokio::try_join!(run(10), commit).map(drop)
            }
            Sent::MergedInOneTrip => tokio::try_join!(begin, run(9), run(10), commit).map(drop),
        }
    }
}
