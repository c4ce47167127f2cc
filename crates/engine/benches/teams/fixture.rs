//! The same owners in files and in a database, and the engines over them.

use embed::BundledEmbedder;
use engine::{Engine, Parts, SystemClock};
use model::{Moment, OwnerId};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Control, Store, ViewSnapshots};
use store_postgres::{Options, PostgresStore};
use testkit::TempStore;
use testkit::bench::StoreFiller;

/// Round trips of which the median is taken.
const ROUND_TRIPS: usize = 500;

/// Two servers over a database, and one over files.
pub struct TeamFixture {
    pub sqlite: Arc<Engine>,
    pub teams: [Arc<Engine>; 2],
    pub owners: Vec<OwnerId>,
    memories: usize,
    filled_in: [Duration; 2],
    database: PostgresStore,
    embedder: Arc<BundledEmbedder>,
    _home: TempStore,
}

impl TeamFixture {
    /// Creates owners with as many memories each, in both stores.
    pub async fn filled(address: &str, owners: usize, memories: usize) -> Self {
        let home = TempStore::new().await;
        let schema = format!("teams_{}", std::process::id());
        let options = Options { schema, ..Options::new([7; 32]) };
        let open = async || PostgresStore::open(address, &options).await.expect("the store opens");
        let (first, second) = (open().await, open().await);
        let owners = (0..owners).map(|nth| OwnerId::new(&format!("owner-{nth}")).expect("a name"));
        let owners: Vec<OwnerId> = owners.collect();
        let filler = StoreFiller::new();
        let files = fill(&filler, &*home, &owners, memories).await;
        let rows = fill(&filler, &first, &owners, memories).await;
        let embedder = Arc::new(BundledEmbedder::new());
        let engine = |store: Arc<dyn Store>| Arc::new(engine(store, &embedder, None));
        let sqlite = engine(Arc::new((*home).clone()));
        let teams = [engine(Arc::new(first.clone())), engine(Arc::new(second))];
        let filled_in = [files, rows];
        Self { sqlite, teams, owners, memories, filled_in, database: first, embedder, _home: home }
    }

    /// Returns a server that has no view in memory yet, with or without stored ones.
    pub fn cold_server(&self, has_stored_views: bool) -> Engine {
        let store = Arc::new(self.database.clone());
        let snapshots: Arc<dyn ViewSnapshots> = store.clone();
        engine(store, &self.embedder, Some(snapshots).filter(|_| has_stored_views))
    }

    /// Returns the size of the stored view of an owner, in MB.
    pub async fn stored_mb(&self, owner: &OwnerId) -> f64 {
        let bytes = self.cold_server(true).core().snapshot_bytes(owner).await;
        bytes.unwrap_or(0) as f64 / 1e6
    }

    /// Returns a sentence about the sizes.
    pub fn filling(&self) -> String {
        let [files, rows] = self.filled_in.map(|spent| spent.as_secs_f64());
        format!(
            "{} owners with {} memories each, written in batches of 1,000: {files:.0} s to SQLite, \
             {rows:.0} s to PostgreSQL.\n",
            self.owners.len(),
            self.memories
        )
    }

    /// Returns the median of a round trip to the database, in milliseconds.
    pub async fn round_trip(&self) -> f64 {
        let mut spent = Vec::new();
        for _ in 0..ROUND_TRIPS {
            let begun = Instant::now();
            self.database.ping().await.expect("the database answers");
            spent.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        spent.sort_unstable_by(f64::total_cmp);
        spent[spent.len() / 2]
    }
}

fn engine(
    store: Arc<dyn Store>,
    embedder: &Arc<BundledEmbedder>,
    snapshots: Option<Arc<dyn ViewSnapshots>>,
) -> Engine {
    let (embedder, clock) = (Arc::clone(embedder), Arc::new(SystemClock));
    Engine::new(Parts { store, embedder, clock, snapshots })
}

async fn fill(
    filler: &StoreFiller,
    store: &(impl Store + Control),
    owners: &[OwnerId],
    memories: usize,
) -> Duration {
    let begun = Instant::now();
    for owner in owners {
        store.create_owner(owner, Moment(0)).await.expect("an owner");
        filler.fill_owner(store, owner, memories).await;
    }
    begun.elapsed()
}
