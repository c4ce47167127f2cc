//! Writing: durable memories by one and by many writers, compared with a bare SQLite file of the
//! same bytes.

use crate::fixture::BenchFixture;
use crate::prepared_embedder::embedded_texts;
use embed::Embedder;
use engine::remember::RememberRequest;
use model::OwnerId;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Batch, Store};
use testkit::BareSqliteFile;
use testkit::bench::{MEMORY_WORDS, Xorshift, median_us, print_table, process_cpu_time, text};

/// Results for one size.
pub struct WriteResults {
    size: usize,
    separate: SeparateWrites,
    loops: [Times; 3],
    eight: f64,
    many: f64,
    bare_group: f64,
}

const ROUNDS: usize = 300;
const MANY: usize = 32;

pub async fn measure(fixture: &BenchFixture, size: usize) -> WriteResults {
    WriteResults {
        size,
        separate: separate_writes(fixture).await,
        loops: in_a_loop(fixture).await,
        eight: writers(fixture, 8).await,
        many: writers(fixture, MANY).await,
        bare_group: bare_group(fixture),
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
        let (wall, before) = (Instant::now(), process_cpu_time());
        black_box(work.await);
        self.wall.push(wall.elapsed());
        self.cpu.push(process_cpu_time() - before);
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
struct SeparateWrites {
    remember: Times,
    embedding: Times,
    store: Times,
    bare: Times,
}

impl SeparateWrites {
    /// Returns the time of a `remember` beyond its embedding.
    fn rest_us(&self) -> f64 {
        self.remember.wall_us() - self.embedding.wall_us()
    }
}

/// Measures in turn the whole use case, the embedding alone, the store's write and a bare commit of
/// the same bytes. The last two follow an embedding too: a commit with cold caches takes two to
/// three times as long, and the one in `remember` always has them cold.
async fn separate_writes(fixture: &BenchFixture) -> SeparateWrites {
    let bare = BareSqliteFile::create(&fixture.store.home().join("bare-apart.db"));
    let mut dice = Xorshift::new(21);
    let mut times = SeparateWrites::default();
    for _ in 0..ROUNDS {
        let input = RememberRequest::text(text(&mut dice, MEMORY_WORDS));
        let remembered = async {
            fixture.engine.memories().remember(&fixture.caller, &input).await.expect("remembered")
        };
        times.remember.take(remembered).await;
        times.embedding.take(embed(fixture, text(&mut dice, MEMORY_WORDS))).await;
        let (batch, bytes) = fixture.filled.single_memory(text(&mut dice, MEMORY_WORDS));
        times
            .store
            .take(async { fixture.store.write(&OwnerId::me(), batch).await.expect("written") })
            .await;
        embed(fixture, text(&mut dice, MEMORY_WORDS)).await;
        times.bare.take(async { bare.commit(&[&bytes]) }).await;
    }
    times
}

/// Embeds a text where the engine does: on a blocking thread.
async fn embed(fixture: &BenchFixture, text: String) -> usize {
    let embedder = Arc::clone(&fixture.embedder);
    let made = tokio::task::spawn_blocking(move || {
        embedder.embed(&embedded_texts(&text)).expect("embedded").len()
    });
    made.await.expect("the embedder ends")
}

/// Measures in turn, without a pause and with warm caches, a `remember` with a prepared vector, a
/// batch of the store, and a bare commit of the same bytes.
async fn in_a_loop(fixture: &BenchFixture) -> [Times; 3] {
    let bare = BareSqliteFile::create(&fixture.store.home().join("bare-loop.db"));
    let (engine, known) = &fixture.prepared;
    engine
        .memories()
        .remember(&fixture.caller, &RememberRequest::text("the first one builds the view"))
        .await
        .expect("kept");
    let mut dice = Xorshift::new(33);
    let inputs: Vec<RememberRequest> =
        (0..ROUNDS).map(|_| RememberRequest::text(text(&mut dice, MEMORY_WORDS))).collect();
    inputs.iter().for_each(|input| known.prepare(&input.text));
    let mut times = [Times::default(), Times::default(), Times::default()];
    for input in &inputs {
        times[0]
            .take(async {
                engine.memories().remember(&fixture.caller, input).await.expect("remembered")
            })
            .await;
        let (batch, bytes) = fixture.filled.single_memory(text(&mut dice, MEMORY_WORDS));
        times[1]
            .take(async { fixture.store.write(&OwnerId::me(), batch).await.expect("written") })
            .await;
        times[2].take(async { bare.commit(&[&bytes]) }).await;
    }
    times
}

/// Returns durable memories per second with a number of concurrent writers; texts and vectors are
/// prepared before.
async fn writers(fixture: &BenchFixture, count: usize) -> f64 {
    let each = 4_000 / count;
    let mut dice = Xorshift::new(count as u64);
    let mut work: Vec<Vec<Batch>> = Vec::new();
    for _ in 0..count {
        let batches =
            (0..each).map(|_| fixture.filled.single_memory(text(&mut dice, MEMORY_WORDS)).0);
        work.push(batches.collect());
    }
    let store = Arc::new((*fixture.store).clone());
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
fn bare_group(fixture: &BenchFixture) -> f64 {
    let bare = BareSqliteFile::create(&fixture.store.home().join("bare-many.db"));
    let mut dice = Xorshift::new(55);
    let blobs: Vec<Vec<u8>> =
        (0..MANY).map(|_| fixture.filled.single_memory(text(&mut dice, MEMORY_WORDS)).1).collect();
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

pub fn print(all: &[WriteResults]) {
    print_table(
        "Writing",
        "Wall time of durable writes under realistic conditions, `synchronous=FULL`, the store's \
         write and the bare commit each after an embedding, as in `remember`; medians of 300, \
         measured alternately.",
        &[
            "memories",
            "`remember`, whole (µs)",
            "the embedding by itself",
            "`remember` without it",
            "the store's write",
            "floor: bare commit of the same bytes",
            "`remember` without its embedding ÷ floor",
            "8 writers (per second)",
            "32 writers (per second)",
            "floor: bare commits of 32 (per second)",
        ],
        &all.iter().map(apart_row).collect::<Vec<_>>(),
    );
    print_table(
        "Writing in a loop",
        "The same without a pause and with every vector computed beforehand, so that the caches \
         are warm; medians of 300, the three alternating. In each round `remember` also applies \
         to the view what the previous one and the store's write left.",
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

fn apart_row(one: &WriteResults) -> Vec<String> {
    let (rest, bare) = (one.separate.rest_us(), one.separate.bare.wall_us());
    vec![
        one.size.to_string(),
        format!("{:.0}", one.separate.remember.wall_us()),
        format!("{:.0}", one.separate.embedding.wall_us()),
        format!("{rest:.0}"),
        format!("{:.0}", one.separate.store.wall_us()),
        format!("{bare:.0}"),
        format!("{:.2}", rest / bare),
        format!("{:.0}", one.eight),
        format!("{:.0}", one.many),
        format!("{:.0}", one.bare_group),
    ]
}

fn loop_row(one: &WriteResults) -> Vec<String> {
    let [remember, store, bare] = &one.loops;
    vec![
        one.size.to_string(),
        format!("{:.0}", remember.wall_us()),
        format!("{:.0}", store.wall_us()),
        format!("{:.0}", bare.wall_us()),
        format!("{:.0} / {:.0} / {:.0}", remember.cpu_us(), store.cpu_us(), bare.cpu_us()),
    ]
}
