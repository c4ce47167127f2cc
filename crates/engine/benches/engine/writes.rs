//! Writing: durable memories one by one and by many writers, beside a bare SQLite file with the same bytes.

use crate::house::House;
use crate::prepared::embedded;
use embed::Embedder;
use engine::Remember;
use model::OwnerId;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Batch, Store};
use testkit::BareFile;
use testkit::bench::{Dice, WORDS, cpu, median_us, table, text};

/// What was measured at one size.
pub struct Writes {
    size: usize,
    whole_us: f64,
    embed_us: f64,
    remember_us: f64,
    remember_cpu_us: f64,
    store_us: f64,
    bare_us: f64,
    store_cpu_us: f64,
    bare_cpu_us: f64,
    eight: f64,
    many: f64,
    bare_group: f64,
}

const ROUNDS: usize = 300;
const MANY: usize = 32;

pub async fn measure(house: &House, size: usize) -> Writes {
    let [remember, store, bare] = one_by_one(house).await;
    Writes {
        size,
        whole_us: remembers(house).await,
        embed_us: embeds(house),
        remember_us: remember.wall_us(),
        remember_cpu_us: remember.cpu_us(),
        store_us: store.wall_us(),
        bare_us: bare.wall_us(),
        store_cpu_us: store.cpu_us(),
        bare_cpu_us: bare.cpu_us(),
        eight: writers(house, 8).await,
        many: writers(house, MANY).await,
        bare_group: bare_group(house),
    }
}

/// The whole use case: reading, embedding, looking for contradictions, writing. Wall time, durable.
async fn remembers(house: &House) -> f64 {
    let mut dice = Dice::new(21);
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        let input = Remember::text(text(&mut dice, WORDS));
        let before = Instant::now();
        black_box(house.engine.remember(&house.caller, &input).await.expect("remembered"));
        all.push(before.elapsed());
    }
    median_us(all)
}

fn embeds(house: &House) -> f64 {
    let mut dice = Dice::new(21);
    let all = (0..ROUNDS).map(|_| {
        let text = text(&mut dice, WORDS);
        let before = Instant::now();
        black_box(house.embedder.embed(&embedded(&text)).expect("embedded"));
        before.elapsed()
    });
    median_us(all.collect())
}

/// Wall and processor time of the same thing, many times.
#[derive(Default)]
struct Times {
    wall: Vec<Duration>,
    cpu: Vec<Duration>,
}

impl Times {
    async fn take<T>(&mut self, work: impl Future<Output = T>) {
        let (wall, before) = (Instant::now(), cpu());
        black_box(work.await);
        self.wall.push(wall.elapsed());
        self.cpu.push(cpu() - before);
    }

    fn wall_us(&self) -> f64 {
        median_us(self.wall.clone())
    }

    fn cpu_us(&self) -> f64 {
        median_us(self.cpu.clone())
    }
}

/// A whole `remember` whose vector is there already, a batch of the store, and a bare commit of the same bytes, in
/// turn, so that all meet the same noise.
async fn one_by_one(house: &House) -> [Times; 3] {
    let bare = BareFile::create(&house.home.home().join("bare-one.db"));
    let (engine, known) = &house.prepared;
    engine.remember(&house.caller, &Remember::text("the first one builds the view")).await.expect("kept");
    let mut dice = Dice::new(33);
    let mut times = [Times::default(), Times::default(), Times::default()];
    for _ in 0..ROUNDS {
        let input = Remember::text(text(&mut dice, WORDS));
        known.prepare(&input.text);
        times[0].take(async { engine.remember(&house.caller, &input).await.expect("remembered") }).await;
        let (batch, bytes) = house.filled.one(text(&mut dice, WORDS));
        times[1].take(async { house.home.write(&OwnerId::me(), batch).await.expect("written") }).await;
        times[2].take(async { bare.commit(&[&bytes]) }).await;
    }
    times
}

/// Durable memories a second with so many writers at once; texts and vectors are made before the clock starts.
async fn writers(house: &House, count: usize) -> f64 {
    let each = 4_000 / count;
    let mut dice = Dice::new(count as u64);
    let mut work: Vec<Vec<Batch>> = Vec::new();
    for _ in 0..count {
        let batches = (0..each).map(|_| house.filled.one(text(&mut dice, WORDS)).0);
        work.push(batches.collect());
    }
    let store = Arc::new((*house.home).clone());
    let start = Instant::now();
    let tasks: Vec<_> = work
        .into_iter()
        .map(|batches| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                for batch in batches {
                    store.write(&OwnerId::me(), batch).await.expect("written");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("the writer ends");
    }
    (each * count) as f64 / start.elapsed().as_secs_f64()
}

/// The floor of many writers: as many of the same bytes in each bare commit as there are writers.
fn bare_group(house: &House) -> f64 {
    let bare = BareFile::create(&house.home.home().join("bare-many.db"));
    let mut dice = Dice::new(55);
    let blobs: Vec<Vec<u8>> = (0..MANY).map(|_| house.filled.one(text(&mut dice, WORDS)).1).collect();
    let borrowed: Vec<&[u8]> = blobs.iter().map(Vec::as_slice).collect();
    let mut spent = Duration::ZERO;
    let commits = 4_000 / MANY;
    for _ in 0..commits {
        let start = Instant::now();
        bare.commit(&borrowed);
        spent += start.elapsed();
    }
    (commits * MANY) as f64 / spent.as_secs_f64()
}

pub fn print(all: &[Writes]) {
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|one| {
            vec![
                one.size.to_string(),
                format!("{:.0}", one.whole_us),
                format!("{:.0}", one.embed_us),
                format!("{:.0}", one.remember_us),
                format!("{:.0}", one.store_us),
                format!("{:.0}", one.bare_us),
                format!("{:.2}", one.remember_us / one.bare_us),
                format!("{:.0} / {:.0} / {:.0}", one.remember_cpu_us, one.store_cpu_us, one.bare_cpu_us),
                format!("{:.0}", one.eight),
                format!("{:.0}", one.many),
                format!("{:.0}", one.bare_group),
            ]
        })
        .collect();
    let head = [
        "memories",
        "`remember`, whole (µs)",
        "of it the embedding",
        "`remember` without it (µs)",
        "of it the store's write",
        "floor: bare commit of the same bytes",
        "`remember` without its embedding ÷ floor",
        "CPU of the three (µs)",
        "8 writers (a second)",
        "32 writers (a second)",
        "floor: bare commits of 32 (a second)",
    ];
    table(
        "Writing",
        "Wall time of durable writes, `synchronous=FULL`; medians of 300, the three in turn.",
        &head,
        &rows,
    );
}
