//! Views that servers share through a database: the first recall of a server needs no view built
//! from rows, and nothing in a stored view is believed that does not fit. They need a database:
//! `cargo xtask postgres` names one in `QUIPU_TEST_POSTGRES`; without it they do nothing.

use crate::fixture::{FixtureClock, HashEmbedder, START, agent, owner};
use engine::forget::ForgetRequest;
use engine::recall::RecallRequest;
use engine::reembed::ReembedOutcome;
use engine::remember::RememberRequest;
use engine::{Engine, Options, Parts};
use index::{SnapshotKey, View};
use model::{MemoryId, Moment, OwnerId, Seq, VectorModel};
use std::sync::Arc;
use store::{Control, SnapshotContent, SnapshotLabel, Store, ViewSnapshots};
use store_conformance::builders;
use store_postgres::PostgresStore;
use testkit::FakeClock;

/// Number of memories; enough for a snapshot.
const MEMORIES: usize = 600;
const QUESTION: &str = "service number 42 rack";

/// A database with the memories of one owner.
struct SharedDatabase {
    address: String,
    options: store_postgres::Options,
    store: PostgresStore,
}

impl SharedDatabase {
    /// Creates a database with enough memories; `None` where there is no server for it.
    async fn filled() -> Option<Self> {
        let database = Self::empty().await?;
        let engine = database.server(None).await;
        let text = |number| format!("Service number {number} runs in rack {}", number % 7);
        let changes = (0..MEMORIES).map(|number| builders::remember(&text(number))).collect();
        database.store.write(&OwnerId::me(), builders::batch(changes)).await.unwrap();
        while engine.admin().reembed(&agent("a"), 1_000).await.unwrap() != ReembedOutcome::Complete
        {
        }
        Some(database)
    }

    async fn empty() -> Option<Self> {
        let address = std::env::var("QUIPU_TEST_POSTGRES").ok()?;
        let schema = format!("views_{}", std::process::id());
        let options = store_postgres::Options { schema, ..store_postgres::Options::new([7; 32]) };
        let store = PostgresStore::open(&address, &options).await.unwrap();
        store.create_owner(&OwnerId::me(), Moment(0)).await.unwrap();
        Some(Self { address, options, store })
    }

    /// Starts a server that stores views, with a budget for those in memory if given.
    async fn server(&self, view_memory: Option<usize>) -> Engine {
        let store = Arc::new(self.open().await);
        let snapshots: Arc<dyn ViewSnapshots> = store.clone();
        let options = Options { view_memory, ..Options::default() };
        Engine::with_options(parts(store, Some(snapshots)), options)
    }

    /// Starts a server that builds every view from the rows.
    async fn server_without_stored_views(&self) -> Engine {
        Engine::new(parts(Arc::new(self.open().await), None))
    }

    async fn open(&self) -> PostgresStore {
        PostgresStore::open(&self.address, &self.options).await.unwrap()
    }

    /// Has a server store the view, and returns what it answered.
    async fn store_view(&self) -> Vec<String> {
        let engine = self.server(None).await;
        let answer = texts(&engine, QUESTION).await;
        engine.flush().await;
        assert!(self.stored_seq().await.is_some());
        answer
    }

    async fn stored_seq(&self) -> Option<Seq> {
        self.store.snapshot_seq(&OwnerId::me(), &format()).await.unwrap()
    }

    async fn stored_bytes(&self) -> Option<Vec<u8>> {
        let opened = self.store.open_snapshot(&OwnerId::me(), &format()).await.unwrap();
        opened.map(|content| match content {
            SnapshotContent::Segments(all) => all.concat(),
            SnapshotContent::File(_) => panic!("a database has no files"),
        })
    }

    /// Puts other bytes in the place of the stored view.
    async fn replace_stored(&self, bytes: Vec<u8>) {
        self.store.remove_snapshot(&OwnerId::me()).await.unwrap();
        let store = self.store.identity(&OwnerId::me()).await.unwrap();
        let seq = self.store.seq(&OwnerId::me()).await.unwrap();
        let label = SnapshotLabel { store, seq, format: format() };
        let write = Box::new(move |out: &mut dyn std::io::Write| out.write_all(&bytes));
        let saved = self.store.save_snapshot(&OwnerId::me(), &label, start(), write).await;
        assert!(saved.unwrap());
    }
}

fn parts(store: Arc<dyn Store>, snapshots: Option<Arc<dyn ViewSnapshots>>) -> Parts {
    let clock = Arc::new(FixtureClock(FakeClock::at(start())));
    Parts { store, embedder: Arc::new(HashEmbedder::new()), clock, snapshots }
}

fn start() -> Moment {
    Moment::parse(START).unwrap()
}

fn model() -> VectorModel {
    embed::Embedder::model(&HashEmbedder::new()).clone()
}

fn format() -> String {
    SnapshotKey::format_name(Some(&model()))
}

async fn remember(engine: &Engine, text: &str) -> MemoryId {
    let input = RememberRequest::text(text);
    engine.memories().remember(&agent("a"), &input).await.unwrap().id.unwrap()
}

async fn texts(engine: &Engine, query: &str) -> Vec<String> {
    let found = engine.memories().recall(&agent("b"), &RecallRequest::query(query)).await.unwrap();
    found.hits.into_iter().map(|hit| hit.memory.text).collect()
}

async fn forget(engine: &Engine, memory: MemoryId) -> store::ForgetReceipt {
    let input = ForgetRequest { memories: vec![memory], ..ForgetRequest::default() };
    engine.memories().forget(&owner(), &input).await.unwrap().receipt.unwrap()
}

/// Returns the number of views that needed something, so far in this process.
fn views_that_needed(what: &str) -> u64 {
    let line = format!("quipu_views_total{{needed=\"{what}\"}} ");
    let metrics = metrics::render();
    let found = metrics.lines().find_map(|found| found.strip_prefix(&line));
    found.map_or(0, |number| number.parse().unwrap())
}

#[tokio::test]
async fn a_second_server_answers_its_first_recall_from_the_stored_view() {
    let Some(database) = SharedDatabase::filled().await else { return };
    let expected = database.store_view().await;
    assert!(!expected.is_empty());
    let (second, built) = (database.server(None).await, views_that_needed("building"));
    assert_eq!(texts(&second, QUESTION).await, expected);
    assert_eq!(views_that_needed("loading"), 1);
    assert_eq!(views_that_needed("building"), built, "nothing is built from rows");
    let without = database.server_without_stored_views().await;
    assert_eq!(texts(&without, QUESTION).await, expected);
    assert_eq!(views_that_needed("building"), built + 1);
}

#[tokio::test]
async fn what_was_written_after_the_stored_view_is_found() {
    let Some(database) = SharedDatabase::filled().await else { return };
    database.store_view().await;
    let stored = database.stored_seq().await.unwrap();
    remember(&database.server(None).await, "The ferry leaves at nine").await;
    let (second, loaded) = (database.server(None).await, views_that_needed("loading"));
    assert_eq!(texts(&second, "when does the ferry leave?").await[0], "The ferry leaves at nine");
    assert_eq!(views_that_needed("loading"), loaded + 1);
    assert_eq!(database.stored_seq().await, Some(stored), "it was caught up from there");
}

#[tokio::test]
async fn a_view_is_stored_when_it_is_dropped_and_by_a_server_that_has_time() {
    let Some(database) = SharedDatabase::filled().await else { return };
    let engine = database.server(Some(64 << 20)).await;
    texts(&engine, QUESTION).await;
    assert_eq!(database.stored_seq().await, None, "not with every read");
    engine.save_views_in_use().await;
    let first = database.stored_seq().await.unwrap();
    remember(&engine, "One more note").await;
    texts(&engine, QUESTION).await;
    engine.save_views_in_use().await;
    assert_eq!(database.stored_seq().await, Some(first), "one change is not worth it");
    database.store.remove_snapshot(&OwnerId::me()).await.unwrap();
    engine.drop_idle_views().await;
    engine.drop_idle_views().await;
    assert_eq!(engine.core().view_count(), 0);
    assert!(database.stored_seq().await.unwrap() > first);
}

#[tokio::test]
async fn the_view_that_makes_room_for_another_is_stored() {
    let Some(database) = SharedDatabase::filled().await else { return };
    let engine = database.server(Some(1)).await;
    let expected = texts(&engine, QUESTION).await;
    let other = OwnerId::new("ada").unwrap();
    database.store.create_owner(&other, Moment(0)).await.unwrap();
    let caller = engine::Caller { owner: other, ..agent("b") };
    let note = RememberRequest::text("The ferry leaves at nine");
    engine.memories().remember(&caller, &note).await.unwrap();
    engine.memories().recall(&caller, &RecallRequest::query("ferry")).await.unwrap();
    assert_eq!(engine.core().view_count(), 1);
    let loaded = views_that_needed("loading");
    assert_eq!(texts(&engine, QUESTION).await, expected);
    assert_eq!(views_that_needed("loading"), loaded + 1);
}

#[tokio::test]
async fn a_server_does_not_store_what_another_has_stored() {
    let Some(database) = SharedDatabase::filled().await else { return };
    let (one, two) = (database.server(None).await, database.server(None).await);
    texts(&one, QUESTION).await;
    texts(&two, QUESTION).await;
    one.flush().await;
    let bytes = database.stored_bytes().await.unwrap();
    database.replace_stored([&bytes[..], b"mark"].concat()).await;
    two.flush().await;
    assert!(database.stored_bytes().await.unwrap().ends_with(b"mark"), "it was not written again");
}

#[tokio::test]
async fn forgotten_words_are_in_no_stored_view() {
    let Some(database) = SharedDatabase::filled().await else { return };
    let (engine, behind) = (database.server(None).await, database.server(None).await);
    let memory = remember(&engine, "The xylophonist lives upstairs").await;
    texts(&behind, "upstairs").await;
    texts(&engine, "upstairs").await;
    engine.flush().await;
    let holds = |bytes: Vec<u8>| bytes.windows(9).any(|some| some == b"xylophoni");
    assert!(holds(database.stored_bytes().await.unwrap()), "the word is in it at first");
    let receipt = forget(&engine, memory).await;
    assert_eq!(receipt.removed_from("view snapshot"), 1);
    assert_eq!(database.stored_bytes().await, None);
    behind.flush().await;
    assert!(!holds(database.stored_bytes().await.unwrap()), "a server that was behind");
    engine.flush().await;
    assert!(!holds(database.stored_bytes().await.unwrap()));
}

#[tokio::test]
async fn a_damaged_view_is_not_used_and_is_removed() {
    let Some(database) = SharedDatabase::filled().await else { return };
    let expected = database.store_view().await;
    let sound = database.stored_bytes().await.unwrap();
    let flipped = |at: usize| {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x55;
        bytes
    };
    let places = (0..sound.len()).step_by(sound.len() / 16);
    let cut = [sound[..sound.len() / 3].to_vec(), b"not a snapshot".to_vec(), vec![0]];
    for spoiled in places.map(flipped).chain(cut) {
        database.replace_stored(spoiled).await;
        let (engine, built) = (database.server(None).await, views_that_needed("building"));
        assert_eq!(texts(&engine, QUESTION).await, expected);
        assert_eq!(views_that_needed("building"), built + 1);
        assert_eq!(database.stored_bytes().await, None, "removed");
    }
    database.replace_stored(sound).await;
    let loaded = views_that_needed("loading");
    assert_eq!(texts(&database.server(None).await, QUESTION).await, expected);
    assert_eq!(views_that_needed("loading"), loaded + 1);
}

/// Reads the stored view, whatever the owner and the sequence number are.
fn read_view(bytes: &[u8], store: [u8; 16]) -> View {
    let (database, newest) = (u128::from_le_bytes(store), Seq(i64::MAX));
    let key = SnapshotKey { database, newest, model: Some(model()) };
    View::read_snapshot(bytes, bytes.len() as u64, &key).unwrap()
}

#[tokio::test]
async fn a_view_of_the_future_or_of_another_memory_is_not_used() {
    let Some(database) = SharedDatabase::filled().await else { return };
    let expected = database.store_view().await;
    let (sound, me) = (database.stored_bytes().await.unwrap(), OwnerId::me());
    let store = database.store.identity(&me).await.unwrap();
    let mut future = read_view(&sound, store);
    future.apply([], [MemoryId(43)], Seq(1_000_000));
    let mut spoiled = Vec::new();
    future.write_snapshot(u128::from_le_bytes(store), &mut spoiled).unwrap();
    let mut foreign = Vec::new();
    read_view(&sound, store).write_snapshot(4711, &mut foreign).unwrap();
    for bytes in [spoiled, foreign] {
        database.replace_stored(bytes).await;
        let (engine, loaded) = (database.server(None).await, views_that_needed("loading"));
        assert_eq!(texts(&engine, QUESTION).await, expected);
        assert_eq!(views_that_needed("loading"), loaded, "built from the rows");
        assert_eq!(database.stored_bytes().await, None, "removed");
    }
}

#[tokio::test]
async fn an_owner_who_is_erased_leaves_no_view_to_the_next_of_the_name() {
    let Some(database) = SharedDatabase::filled().await else { return };
    let engine = database.server(None).await;
    texts(&engine, QUESTION).await;
    engine.flush().await;
    assert!(database.store.erase_owner(&OwnerId::me()).await.unwrap());
    database.store.create_owner(&OwnerId::me(), Moment(0)).await.unwrap();
    assert_eq!(database.stored_bytes().await, None);
    assert!(texts(&database.server(None).await, QUESTION).await.is_empty());
    assert!(texts(&engine, QUESTION).await.is_empty(), "nor to a server that knew the former");
}

#[tokio::test]
async fn erasing_everything_of_an_owner_removes_the_stored_view() {
    let Some(database) = SharedDatabase::filled().await else { return };
    database.store_view().await;
    let engine = database.server(None).await;
    let removal = engine.admin().erase_everything(&owner(), true).await.unwrap();
    assert!(removal.places.iter().any(|(place, _)| place == "view segments"));
    assert_eq!(database.stored_bytes().await, None);
}
