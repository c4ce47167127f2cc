//! Writers under a fault, and the count afterwards: each acknowledged write is there once, and each
//! other one at most once.

use model::OwnerId;
use quipu_store_postgres::PostgresStore;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use store::{MemoryQuery, Store};
use store_conformance::builders::{batch, remember};
use tokio::task::JoinHandle;

/// Writers that run until they are stopped.
pub(crate) struct WriteLoad {
    next: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
    ends: Arc<AtomicBool>,
    writers: Vec<JoinHandle<Vec<usize>>>,
    texts: LoadTexts,
}

/// The numbered texts of a load, each with its owner.
#[derive(Clone)]
struct LoadTexts {
    owners: Arc<[OwnerId]>,
    /// Bytes of filling of each text.
    filling: usize,
}

/// The count after a load.
#[derive(Debug)]
pub(crate) struct LoadCount {
    pub tried: usize,
    pub acknowledged: usize,
}

impl LoadCount {
    /// Returns the count in words, after it was found right.
    pub fn summary(&self) -> String {
        let Self { tried, acknowledged } = self;
        format!("{tried} writes, {acknowledged} acknowledged, none lost or doubled")
    }
}

impl WriteLoad {
    /// Starts writers for one owner, whose texts have so many bytes of filling.
    pub fn start(store: &Arc<PostgresStore>, writers: usize, filling: usize) -> Self {
        Self::start_for(store, &[OwnerId::me()], writers, filling)
    }

    /// Starts writers whose texts belong to these owners in turn.
    pub fn start_for(
        store: &Arc<PostgresStore>,
        owners: &[OwnerId],
        writers: usize,
        filling: usize,
    ) -> Self {
        let (next, refused) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (ends, texts) =
            (Arc::<AtomicBool>::default(), LoadTexts { owners: owners.into(), filling });
        let writer = |_| {
            let (store, ends, texts) = (Arc::clone(store), Arc::clone(&ends), texts.clone());
            let counters = (Arc::clone(&next), Arc::clone(&refused));
            tokio::spawn(async move { write_until(&store, &counters, &ends, &texts).await })
        };
        let writers = (0..writers).map(writer).collect();
        Self { next, refused, ends, writers, texts }
    }

    /// Returns the number of writes that were refused so far.
    pub fn refused(&self) -> usize {
        self.refused.load(Ordering::SeqCst)
    }

    /// Stops the writers and counts what is there.
    pub async fn stop_and_count(self, store: &PostgresStore) -> LoadCount {
        self.ends.store(true, Ordering::SeqCst);
        let mut acknowledged = BTreeSet::new();
        for writer in self.writers {
            acknowledged.extend(writer.await.unwrap());
        }
        let tried = self.next.load(Ordering::SeqCst);
        let mut found = Vec::new();
        for owner in &*self.texts.owners {
            found.push(count_texts(store, owner).await);
            assert!(store.verify_audit(owner).await.unwrap().is_intact(), "{owner}");
        }
        for number in 0..tried {
            let (text, of_owner) = (self.texts.text(number), &found[number % found.len()]);
            let times = of_owner.get(&text).copied().unwrap_or(0);
            let least = usize::from(acknowledged.contains(&number));
            assert!((least..=1).contains(&times), "write {number} is there {times} times");
        }
        LoadCount { tried, acknowledged: acknowledged.len() }
    }
}

impl LoadTexts {
    fn owner(&self, number: usize) -> &OwnerId {
        &self.owners[number % self.owners.len()]
    }

    fn text(&self, number: usize) -> String {
        // Digits that no compression makes small.
        let mut state = number as u64 + 1;
        let mut digits = || {
            state =
                state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            format!("{:016x}", state ^ (state >> 29))
        };
        let filler: String = (0..self.filling.div_ceil(16)).map(|_| digits()).collect();
        format!("write number {number} {filler}")
    }
}

/// Writes one text after the other, and returns the numbers of those that were acknowledged.
async fn write_until(
    store: &PostgresStore,
    (next, refused): &(Arc<AtomicUsize>, Arc<AtomicUsize>),
    ends: &AtomicBool,
    texts: &LoadTexts,
) -> Vec<usize> {
    let mut acknowledged = Vec::new();
    while !ends.load(Ordering::SeqCst) {
        let number = next.fetch_add(1, Ordering::SeqCst);
        let write = batch(vec![remember(&texts.text(number))]);
        match store.write(texts.owner(number), write).await {
            Ok(_) => acknowledged.push(number),
            // So that a fault that lasts does not make thousands of attempts.
            Err(_) => {
                refused.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
    acknowledged
}

/// Counts each text of an owner.
async fn count_texts(store: &PostgresStore, owner: &OwnerId) -> HashMap<String, usize> {
    let (mut texts, mut read) = (HashMap::new(), 0);
    loop {
        let page = model::Page { offset: read, limit: model::limits::PAGE_ITEMS };
        let query = MemoryQuery::default();
        let listed = store.list_memories(owner, &query, page).await.unwrap();
        read += listed.items.len();
        listed.items.into_iter().for_each(|memory| *texts.entry(memory.text).or_insert(0) += 1);
        if read >= listed.total {
            return texts;
        }
    }
}
