//! Writes through two servers: each client has an owner of its own, or all have the same. A server
//! is a store with its own connections, as every process has one.

use crate::bare::BareTable;
use model::{MemoryId, Moment, OwnerId};
use quipu_store_postgres::PostgresStore;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use store::{Control, Store};
use testkit::bench::{MEMORY_WORDS, StoreFiller, Xorshift, print_table, text};

/// Number of reads that are measured.
const READS: usize = 1_000;

/// Two servers over one database.
pub struct LoadServers {
    stores: [PostgresStore; 2],
    rounds: AtomicUsize,
}

impl LoadServers {
    pub fn new(stores: [PostgresStore; 2]) -> Self {
        Self { stores, rounds: AtomicUsize::new(0) }
    }

    /// Writes memories of as many owners as clients, and returns the number per second.
    pub async fn write_many(&self, filler: &StoreFiller, clients: usize, writes: usize) -> f64 {
        let round = self.rounds.fetch_add(1, Ordering::Relaxed);
        let owner = |nth| format!("owner-{round}-{nth}");
        self.write(filler, (0..clients).map(owner).collect(), writes).await
    }

    /// Writes memories of one owner, and returns the number per second.
    pub async fn write_one(&self, filler: &StoreFiller, clients: usize, writes: usize) -> f64 {
        let round = self.rounds.fetch_add(1, Ordering::Relaxed);
        self.write(filler, vec![format!("owner-{round}"); clients], writes).await
    }

    async fn write(&self, filler: &StoreFiller, owners: Vec<String>, writes: usize) -> f64 {
        let mut rng = Xorshift::new(11);
        let batch = |_| filler.single_memory(text(&mut rng, MEMORY_WORDS)).0;
        let (mut batches, share) =
            ((0..writes).map(batch).collect::<Vec<_>>(), writes / owners.len());
        let owners: Vec<OwnerId> =
            owners.iter().map(|name| OwnerId::new(name).expect("a name")).collect();
        for owner in &owners {
            self.stores[0].create_owner(owner, Moment(0)).await.expect("an owner");
        }
        let (mut tasks, begun, clients) = (Vec::new(), Instant::now(), owners.len());
        for (nth, owner) in owners.into_iter().enumerate() {
            let mine = batches.split_off(batches.len() - share);
            let store = self.stores[nth % 2].clone();
            tasks.push(tokio::spawn(async move {
                for batch in mine {
                    store.write(&owner, batch).await.expect("written");
                }
            }));
        }
        for task in tasks {
            task.await.expect("the task ends");
        }
        (share * clients) as f64 / begun.elapsed().as_secs_f64()
    }
}

/// Measures a read of one memory beside a bare point read.
pub async fn print_reads(servers: &LoadServers, bare: &BareTable) {
    let (owner, store) = (OwnerId::new("owner-0-0").expect("a name"), &servers.stores[1]);
    let mut spent = Vec::new();
    for id in 1..=READS as i64 {
        let begun = Instant::now();
        store.memories(&owner, &[MemoryId(id)]).await.expect("read");
        spent.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    let bare = percentiles(bare.read(READS).await);
    let row = |name: &str, [p50, p99]: [f64; 2]| {
        vec![name.to_owned(), format!("{p50:.0}"), format!("{p99:.0}")]
    };
    print_table(
        "Reads of one memory",
        "Microseconds of wall time with one client.",
        &["read", "p50", "p99"],
        &[row("bare point read", bare), row("memory by id", percentiles(spent))],
    );
}

fn percentiles(mut spent: Vec<f64>) -> [f64; 2] {
    spent.sort_unstable_by(f64::total_cmp);
    [spent[spent.len() / 2], spent[spent.len() * 99 / 100]]
}
