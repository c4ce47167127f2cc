//! Writing: durable memories one by one and by many writers, beside a bare SQLite file with the same bytes.

use crate::house::House;
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
    remember_us: f64,
    embed_us: f64,
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
    let (store_us, store_cpu_us, bare_us, bare_cpu_us) = one_by_one(house).await;
    Writes {
        size,
        remember_us: remembers(house).await,
        embed_us: embeds(house),
        store_us,
        bare_us,
        store_cpu_us,
        bare_cpu_us,
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
        black_box(house.embedder.embed(&[&text]).expect("embedded"));
        before.elapsed()
    });
    median_us(all.collect())
}

/// One durable batch after another, in turn with a bare commit of the same bytes, so that both meet the same noise.
async fn one_by_one(house: &House) -> (f64, f64, f64, f64) {
    let bare = BareFile::create(&house.home.home().join("bare-one.db"));
    let mut dice = Dice::new(33);
    let (mut ours, mut ours_cpu, mut floor, mut floor_cpu) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let (batch, bytes) = house.filled.one(text(&mut dice, WORDS));
        let (wall, before) = (Instant::now(), cpu());
        black_box(house.home.write(&OwnerId::me(), batch).await.expect("written"));
        ours.push(wall.elapsed());
        ours_cpu.push(cpu() - before);
        let (wall, before) = (Instant::now(), cpu());
        bare.commit(&[&bytes]);
        floor.push(wall.elapsed());
        floor_cpu.push(cpu() - before);
    }
    (median_us(ours), median_us(ours_cpu), median_us(floor), median_us(floor_cpu))
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
                format!("{:.0}", one.remember_us),
                format!("{:.0}", one.embed_us),
                format!("{:.0}", one.store_us),
                format!("{:.0}", one.bare_us),
                format!("{:.2}", one.store_us / one.bare_us),
                format!("{:.0} / {:.0}", one.store_cpu_us, one.bare_cpu_us),
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
        "durable write without it (µs)",
        "floor: bare commit of the same bytes",
        "ratio",
        "CPU of both (µs)",
        "8 writers (a second)",
        "32 writers (a second)",
        "floor: bare commits of 32 (a second)",
    ];
    table(
        "Writing",
        "Wall time of durable writes, `synchronous=FULL`; medians of 300, both in turn.",
        &head,
        &rows,
    );
}
