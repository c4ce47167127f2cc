//! Snapshots of views in a database: never older than a forgetting, never of another memory,
//! written by one server at a time, and gone with the text that they may contain.

use crate::fixture::{address, open, options, schema_name};
use model::{MemoryId, Moment, OwnerId, Seq};
use quipu_store_postgres::PostgresStore;
use std::sync::mpsc;
use store::{
    Change, ChangeResult, Control, ForgetReceipt, SnapshotLabel, SnapshotWriter, Store,
    ViewSnapshots,
};
use store_conformance::builders::{batch, forget, moment, remember};
use store_conformance::snapshots::{FORMAT, read_all, write_all};
use tempfile::TempDir;

/// A word that is in a view.
const WORD: &str = "xylophonist";

/// Two servers over one database, with an owner who has a memory.
struct TwoServers {
    one: PostgresStore,
    two: PostgresStore,
    owner: OwnerId,
    memory: MemoryId,
    home: TempDir,
}

impl TwoServers {
    /// Returns `None` where there is no database.
    async fn start() -> Option<Self> {
        address()?;
        let home = tempfile::tempdir().unwrap();
        let (one, two) = (open(home.path()).await, open(home.path()).await);
        let owner = OwnerId::me();
        one.create_owner(&owner, moment(0)).await.unwrap();
        let written = one.write(&owner, batch(vec![remember("The xylophonist plays.")])).await;
        let memory = written.unwrap().results[0].memory().unwrap();
        Some(Self { one, two, owner, memory, home })
    }

    /// Returns the label of a snapshot of the memory as it is now.
    async fn label(&self) -> SnapshotLabel {
        let store = self.one.identity(&self.owner).await.unwrap();
        let seq = self.one.seq(&self.owner).await.unwrap();
        SnapshotLabel { store, seq, format: FORMAT.to_owned() }
    }

    async fn save(&self, label: &SnapshotLabel, bytes: &str) -> bool {
        self.save_at(label, moment(0), write_all(bytes.as_bytes())).await
    }

    async fn save_at(&self, label: &SnapshotLabel, at: Moment, write: SnapshotWriter) -> bool {
        self.one.save_snapshot(&self.owner, label, at, write).await.unwrap()
    }

    async fn stored(&self) -> Option<String> {
        let opened = self.two.open_snapshot(&self.owner, FORMAT).await.unwrap();
        opened.map(|content| String::from_utf8(read_all(content)).unwrap())
    }

    async fn write(&self, change: Change) -> Option<ForgetReceipt> {
        let committed = self.two.write(&self.owner, batch(vec![change])).await.unwrap();
        match &committed.results[0] {
            ChangeResult::Forgotten(receipt) => Some(receipt.clone()),
            _ => None,
        }
    }

    /// Counts the rows that contain the word, in any table, as text or as bytes.
    async fn rows_with_the_word(&self) -> i64 {
        let client = self.client().await;
        let schema = schema_name(self.home.path());
        let tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = $1";
        let hex: String = WORD.bytes().map(|byte| format!("{byte:02x}")).collect();
        let mut count = 0;
        for row in client.query(tables, &[&schema]).await.unwrap() {
            let sql = format!(
                "SELECT count(*) FROM {} t
                 WHERE t::text ILIKE '%{WORD}%' OR t::text LIKE '%{hex}%'",
                row.get::<_, &str>(0)
            );
            count += client.query_one(&sql, &[]).await.unwrap().get::<_, i64>(0);
        }
        count
    }

    /// Connects as the owner of the tables, for whom row-level security is in force too, within a
    /// transaction of the memory's owner.
    async fn client(&self) -> tokio_postgres::Client {
        let address = address().unwrap();
        let (client, connection) =
            tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let schema = options(self.home.path()).schema;
        // Two batches: a ROLLBACK would take back what is set in the same one.
        client.batch_execute(&format!("SET search_path TO {schema}")).await.unwrap();
        client.batch_execute("BEGIN; SET LOCAL quipu.owner = 'me'").await.unwrap();
        client
    }
}

/// Label of an older or newer snapshot.
fn with_seq(label: &SnapshotLabel, seq: Seq) -> SnapshotLabel {
    SnapshotLabel { seq, ..label.clone() }
}

#[tokio::test]
async fn an_older_snapshot_does_not_replace_a_newer_one() {
    let Some(servers) = TwoServers::start().await else { return };
    let older = servers.label().await;
    servers.write(remember("Another note.")).await;
    let newer = servers.label().await;
    assert!(servers.save(&newer, "newer").await);
    assert!(!servers.save(&older, "older").await);
    assert!(!servers.save(&newer, "the same once more").await);
    assert_eq!(servers.stored().await.as_deref(), Some("newer"));
    let seq = servers.two.snapshot_seq(&servers.owner, FORMAT).await.unwrap();
    assert_eq!(seq, Some(newer.seq));
}

#[tokio::test]
async fn a_snapshot_of_another_format_is_not_opened_and_is_replaced() {
    let Some(servers) = TwoServers::start().await else { return };
    let label = servers.label().await;
    let other = SnapshotLabel { format: "another version".to_owned(), ..label.clone() };
    assert!(servers.save(&other, "of another version").await);
    assert_eq!(servers.stored().await, None);
    assert_eq!(servers.two.snapshot_seq(&servers.owner, FORMAT).await.unwrap(), None);
    assert!(servers.save(&label, "of this one").await);
    assert_eq!(servers.stored().await.as_deref(), Some("of this one"));
    let opened = servers.two.open_snapshot(&servers.owner, "another version").await.unwrap();
    assert!(opened.is_none(), "an owner has one snapshot");
}

#[tokio::test]
async fn a_snapshot_of_the_future_or_of_another_memory_is_not_stored() {
    let Some(servers) = TwoServers::start().await else { return };
    let label = servers.label().await;
    assert!(!servers.save(&with_seq(&label, Seq(99)), "of the future").await);
    let foreign = SnapshotLabel { store: [9; 16], ..label.clone() };
    assert!(!servers.save(&foreign, "of another memory").await);
    assert_eq!(servers.stored().await, None);
    assert!(servers.save(&label, "right").await, "neither has left a lease");
}

#[tokio::test]
async fn forgetting_removes_the_snapshot_with_its_bytes_in_the_same_transaction() {
    let Some(servers) = TwoServers::start().await else { return };
    let label = servers.label().await;
    assert!(servers.save(&label, "the words of all memories: xylophonist").await);
    assert!(servers.rows_with_the_word().await >= 2, "in the memory and in the snapshot");
    let receipt = servers.write(forget(&[servers.memory])).await.unwrap();
    assert_eq!(receipt.removed_from("view snapshot"), 1);
    assert_eq!(servers.stored().await, None);
    assert_eq!(servers.rows_with_the_word().await, 0);
    assert!(!servers.save(&label, "from before: xylophonist").await);
    assert_eq!(servers.rows_with_the_word().await, 0);
    assert!(servers.save(&servers.label().await, "from afterwards").await);
}

#[tokio::test]
async fn erasing_everything_and_erasing_a_quote_remove_the_snapshot() {
    let Some(servers) = TwoServers::start().await else { return };
    let quote = Change::RemakeMemory {
        memory: servers.memory,
        text: "Somebody plays.".to_owned(),
        trust: model::Origin::Inferred.trust(),
        vector: None,
        erase: true,
    };
    for erasing in [quote, Change::EraseEverything] {
        assert!(servers.save(&servers.label().await, "xylophonist").await);
        servers.write(erasing).await;
        assert_eq!(servers.stored().await, None);
    }
    assert_eq!(servers.rows_with_the_word().await, 0);
}

#[tokio::test]
async fn a_snapshot_that_is_written_while_another_server_forgets_is_not_stored() {
    let Some(servers) = TwoServers::start().await else { return };
    let label = servers.label().await;
    let (begun, wait_for_begin) = tokio::sync::oneshot::channel();
    let (resume, wait_for_end) = mpsc::channel::<()>();
    let write: SnapshotWriter = Box::new(move |out| {
        out.write_all(&[b'x'; 5 << 20])?;
        out.write_all(WORD.as_bytes())?;
        begun.send(()).unwrap();
        wait_for_end.recv().unwrap();
        out.write_all(WORD.as_bytes())
    });
    let saving = servers.save_at(&label, moment(0), write);
    let forgetting = async {
        wait_for_begin.await.unwrap();
        // Neither waits for the other.
        servers.write(forget(&[servers.memory])).await.unwrap();
        resume.send(()).unwrap();
    };
    let (saved, ()) = tokio::join!(saving, forgetting);
    assert!(!saved);
    assert_eq!(servers.rows_with_the_word().await, 0);
}

#[tokio::test]
async fn while_one_server_writes_a_snapshot_another_does_not() {
    let Some(servers) = TwoServers::start().await else { return };
    let label = servers.label().await;
    let (begun, wait_for_begin) = tokio::sync::oneshot::channel();
    let (resume, wait_for_end) = mpsc::channel::<()>();
    let write: SnapshotWriter = Box::new(move |out| {
        begun.send(()).unwrap();
        wait_for_end.recv().unwrap();
        out.write_all(b"of the first")
    });
    let first = servers.save_at(&label, moment(0), write);
    let second = async {
        wait_for_begin.await.unwrap();
        let never: SnapshotWriter = Box::new(|_| panic!("the first server writes it"));
        let saved = servers.two.save_snapshot(&servers.owner, &label, moment(0), never).await;
        resume.send(()).unwrap();
        saved.unwrap()
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((first, second), (true, false));
    assert_eq!(servers.stored().await.as_deref(), Some("of the first"));
}

#[tokio::test]
async fn the_lease_of_a_server_that_was_killed_runs_out() {
    let Some(servers) = TwoServers::start().await else { return };
    let label = servers.label().await;
    let client = servers.client().await;
    // As a server leaves it that is killed while it writes.
    let hash = model::ContentHash::of_bytes(b"view snapshot").0.to_vec();
    let ends = moment(300).0;
    let lease = "INSERT INTO expiring (owner, kind, hash, value, expires_at)
         VALUES ('me', 'job_lease', $1, 'killed', $2)";
    client.execute(lease, &[&hash, &ends]).await.unwrap();
    client.batch_execute("COMMIT").await.unwrap();
    assert!(!servers.save(&label, "too early").await);
    assert!(servers.save_at(&label, moment(301), write_all(b"in time")).await);
}

#[tokio::test]
async fn segments_of_one_owner_are_invisible_to_another_and_not_compressed() {
    let Some(servers) = TwoServers::start().await else { return };
    assert!(servers.save(&servers.label().await, "of me").await);
    let client = servers.client().await;
    let count = "SELECT count(*) FROM view_segments";
    assert_eq!(client.query_one(count, &[]).await.unwrap().get::<_, i64>(0), 1);
    // A superuser is above row-level security; the role of the servers is not.
    let other = "SET ROLE quipu_server; SET LOCAL quipu.owner = 'ben'";
    client.batch_execute(other).await.unwrap();
    assert_eq!(client.query_one(count, &[]).await.unwrap().get::<_, i64>(0), 0);
    assert_eq!(client.execute("DELETE FROM view_segments", &[]).await.unwrap(), 0);
    let foreign = "INSERT INTO view_segments (owner, snapshot, number, seq, format, bytes)
         VALUES ('me', '\\x00', 0, 1, 'x', '\\x00')";
    assert!(client.execute(foreign, &[]).await.is_err(), "a row of somebody else");
    client.batch_execute("ROLLBACK; RESET ROLE").await.unwrap();
    let storage = "SELECT attstorage::text FROM pg_attribute
         WHERE attrelid = 'view_segments'::regclass AND attname = 'bytes'";
    assert_eq!(client.query_one(storage, &[]).await.unwrap().get::<_, String>(0), "e");
}
