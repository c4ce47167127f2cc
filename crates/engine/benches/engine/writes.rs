//! Writing: durable memories by one and by many writers, compared with a bare SQLite file of the
//! same bytes.

use crate::house::House;
use crate::prepared::embedded;
use embed::Embedder;
use engine::remember::Remember;
use model::OwnerId;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Batch, Store};
use testkit::BareFile;
use testkit::bench::{Dice, WORDS, cpu, median_us, table, text};

/// Results for one size.
pub struct Writes {
    size: usize,
    apart: Apart,
    loops: [Times; 3],
    eight: f64,
    many: f64,
    bare_group: f64,
}

const ROUNDS: usize = 300;
const MANY: usize = 32;

pub async fn measure(house: &House, size: usize) -> Writes {
    Writes {
        size,
        apart: apart(house).await,
        loops: in_a_loop(house).await,
        eight: writers(house, 8).await,
        many: writers(house, MANY).await,
        bare_group: bare_group(house),
    }
}

/// Wall and CPU times of repeated work.
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

/// Writes as in practice, each after an embedding that has used the CPU caches.
#[derive(Default)]
struct Apart {
    remember: Times,
    embedding: Times,
    store: Times,
    bare: Times,
}

impl Apart {
    /// Returns the time of a `remember` beyond its embedding.
    fn rest_us(&self) -> f64 {
        self.remember.wall_us() - self.embedding.wall_us()
    }
}

/// Measures in turn the whole use case, the embedding alone, the store's write and a bare commit of
/// the same bytes. The last two follow an embedding too: a commit with cold caches takes two to
/// three times as long, and the one in `remember` always has them cold.
async fn apart(house: &House) -> Apart {
    let bare = BareFile::create(&house.home.home().join("bare-apart.db"));
    let mut dice = Dice::new(21);
    let mut times = Apart::default();
    for _ in 0..ROUNDS {
        let input = Remember::text(text(&mut dice, WORDS));
        let remembered = async {
            house.engine.memories().remember(&house.caller, &input).await.expect("remembered")
        };
        times.remember.take(remembered).await;
        times.embedding.take(embed(house, text(&mut dice, WORDS))).await;
        let (batch, bytes) = house.filled.one(text(&mut dice, WORDS));
        times
            .store
            .take(async { house.home.write(&OwnerId::me(), batch).await.expect("written") })
            .await;
        embed(house, text(&mut dice, WORDS)).await;
        times.bare.take(async { bare.commit(&[&bytes]) }).await;
    }
    times
}

/// Embeds a text where the engine does: on a blocking thread.
async fn embed(house: &House, text: String) -> usize {
    let embedder = Arc::clone(&house.embedder);
    let made = tokio::task::spawn_blocking(move || {
        embedder.embed(&embedded(&text)).expect("embedded").len()
    });
    made.await.expect("the embedder ends")
}

/// Measures in turn, without a pause and with warm caches, a `remember` with a prepared vector, a
/// batch of the store, and a bare commit of the same bytes.
async fn in_a_loop(house: &House) -> [Times; 3] {
    let bare = BareFile::create(&house.home.home().join("bare-loop.db"));
    let (engine, known) = &house.prepared;
    engine
        .memories()
        .remember(&house.caller, &Remember::text("the first one builds the view"))
        .await
        .expect("kept");
    let mut dice = Dice::new(33);
    let inputs: Vec<Remember> =
        (0..ROUNDS).map(|_| Remember::text(text(&mut dice, WORDS))).collect();
    inputs.iter().for_each(|input| known.prepare(&input.text));
    let mut times = [Times::default(), Times::default(), Times::default()];
    for input in &inputs {
        times[0]
            .take(async {
                engine.memories().remember(&house.caller, input).await.expect("remembered")
            })
            .await;
        let (batch, bytes) = house.filled.one(text(&mut dice, WORDS));
        times[1]
            .take(async { house.home.write(&OwnerId::me(), batch).await.expect("written") })
            .await;
        times[2].take(async { bare.commit(&[&bytes]) }).await;
    }
    times
}

/// Returns durable memories per second with a number of concurrent writers; texts and vectors are
/// prepared before.
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

/// Measures the floor of many writers: bare commits of as many rows as there are writers.
fn bare_group(house: &House) -> f64 {
    let bare = BareFile::create(&house.home.home().join("bare-many.db"));
    let mut dice = Dice::new(55);
    let blobs: Vec<Vec<u8>> =
        (0..MANY).map(|_| house.filled.one(text(&mut dice, WORDS)).1).collect();
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
    table(
        "Writing",
        "Wall time of durable writes as in practice, `synchronous=FULL`, the store's write and the \
         bare commit each after an embedding, as in `remember`; medians of 300, all in turn.",
        &[
            "memories",
            "`remember`, whole (µs)",
            "the embedding by itself",
            "`remember` without it",
            "the store's write",
            "floor: bare commit of the same bytes",
            "`remember` without its embedding ÷ floor",
            "8 writers (a second)",
            "32 writers (a second)",
            "floor: bare commits of 32 (a second)",
        ],
        &all.iter().map(apart_row).collect::<Vec<_>>(),
    );
    table(
        "Writing in a loop",
        "The same without a pause and with every vector prepared, so that all caches are warm; \
         medians of 300, the three in turn. In each round a `remember` also applies the changes of \
         the one before and of the store's write.",
        &[
            "memories",
            "`remember` (µs)",
            "the store's write",
            "floor: bare commit",
            "CPU of the three (µs)",
        ],
        &all.iter().map(loop_row).collect::<Vec<_>>(),
    );
}

fn apart_row(one: &Writes) -> Vec<String> {
    let (rest, bare) = (one.apart.rest_us(), one.apart.bare.wall_us());
    vec![
        one.size.to_string(),
        format!("{:.0}", one.apart.remember.wall_us()),
        format!("{:.0}", one.apart.embedding.wall_us()),
        format!("{rest:.0}"),
        format!("{:.0}", one.apart.store.wall_us()),
        format!("{bare:.0}"),
        format!("{:.2}", rest / bare),
        format!("{:.0}", one.eight),
        format!("{:.0}", one.many),
        format!("{:.0}", one.bare_group),
    ]
}

fn loop_row(one: &Writes) -> Vec<String> {
    let [remember, store, bare] = &one.loops;
    vec![
        one.size.to_string(),
        format!("{:.0}", remember.wall_us()),
        format!("{:.0}", store.wall_us()),
        format!("{:.0}", bare.wall_us()),
        format!("{:.0} / {:.0} / {:.0}", remember.cpu_us(), store.cpu_us(), bare.cpu_us()),
    ]
}
