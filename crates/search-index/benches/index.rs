//! Cost of the view at 1k, 10k and 100k memories of about 40 words, each figure next to a lower
//! bound from the same run. `cargo bench -p quipu-index` prints a table; sizes can be given as
//! arguments. Times are CPU time of this thread on Linux and wall time elsewhere.

mod made_up;

use made_up::{DIMENSIONS, MadeUp};
use model::{MemoryId, Moment, Seq, VectorModel};
use quipu_index::{
    Bm25, Direction, DocSet, Filter, LinkKinds, QueryTerms, QueryVector, SnapshotKey, View, Walk,
    tokens,
};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let mut sizes: Vec<usize> =
        std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![1_000, 10_000, 100_000];
    }
    println!("| memories | what | cost | floor | what the floor is |");
    println!("|---:|---|---:|---:|---|");
    for size in sizes {
        measure(size);
    }
}

/// Prints one row of the table.
fn line(size: usize, what: &str, cost: Duration, floor: Option<(Duration, &str)>) {
    let (floor, of) = floor.map_or((String::from("-"), ""), |(floor, of)| (shown(floor), of));
    println!("| {size} | {what} | {} | {floor} | {of} |", shown(cost));
}

fn shown(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    if micros < 1_000.0 { format!("{micros:.1} µs") } else { format!("{:.2} ms", micros / 1e3) }
}

fn measure(size: usize) {
    let synthetic = MadeUp::new(size);
    let mut view = build(&synthetic);
    words(&view, &synthetic);
    directions(&view, &synthetic);
    links(&view, size);
    snapshot(&mut view, size);
    println!(
        "| {size} | size in memory | {} B each | {DIMENSIONS} B | the vectors alone |",
        view.bytes() / size
    );
    if let Some(resident) = resident_mib() {
        println!("| {size} | resident, with the synthetic memories | {resident} MiB | - | |");
    }
}

fn build(synthetic: &MadeUp) -> View {
    let size = synthetic.texts.len();
    let mut view = View::new(Some(synthetic.model()));
    let start = cpu_time();
    for first in (0..size).step_by(4_000) {
        let batch = (first..size.min(first + 4_000)).map(|nth| synthetic.entry(nth));
        view.apply(batch, [], Seq(first as i64 + 1));
    }
    view.compact();
    let cost = (cpu_time() - start) / size as u32;
    let tokenising = each(size.min(2_000), |nth| {
        let mut count = 0;
        tokens::each_token(&synthetic.texts[nth], |_| count += 1);
        count
    });
    line(size, "build, per memory", cost, Some((tokenising, "tokenising it")));
    let change = each(200, |nth| view.apply([synthetic.entry(nth * 5)], [], Seq(size as i64)));
    line(size, "apply an unchanged memory", change, None);
    let mut round = 0;
    let replaced = each(200, |nth| {
        let mut entry = synthetic.entry(nth * 5);
        round += 1;
        entry.texts[0].1 = &synthetic.texts[round % size];
        view.apply([entry], [], Seq(size as i64));
    });
    line(size, "change a text", replaced, None);
    view
}

fn words(view: &View, synthetic: &MadeUp) {
    let size = synthetic.texts.len();
    let (bm25, all) = (Bm25::default(), view.filter(&Filter::default(), Moment(0)));
    let filtering = each(200, |_| view.filter(&Filter::default(), Moment(0)));
    line(size, "default filter", filtering, None);
    let project = Filter { projects: vec!["project-3".into()], ..Filter::default() };
    line(size, "filter by project", each(100, |_| view.filter(&project, Moment(0))), None);
    let questions: Vec<QueryTerms> =
        (0..200).map(|nth| QueryTerms::of(&synthetic.question(nth))).collect();
    let natural = each(200, |nth| view.lexical(&questions[nth], &bm25, &all, 100));
    let postings = each(200, |nth| {
        let frequency = |term: &quipu_index::QueryTerm| view.document_frequency(&term.text);
        questions[nth].terms.iter().map(frequency).sum::<usize>()
    });
    line(size, "BM25, natural question", natural, Some((postings, "looking up its terms")));
    let content: Vec<QueryTerms> = questions.iter().map(QueryTerms::content_words).collect();
    line(
        size,
        "BM25, content words",
        each(200, |nth| view.lexical(&content[nth], &bm25, &all, 100)),
        None,
    );
    let stop = QueryTerms::of("what is it that we were to do with the");
    line(size, "BM25, stop words only", each(20, |_| view.lexical(&stop, &bm25, &all, 100)), None);
}

fn directions(view: &View, synthetic: &MadeUp) {
    let size = synthetic.texts.len();
    let all = view.filter(&Filter::default(), Moment(0));
    let queries: Vec<Vec<f32>> = (0..50).map(|nth| synthetic.query_vector(nth)).collect();
    let preparing = each(50, |nth| QueryVector::new(&queries[nth]));
    line(size, "quantise a query vector", preparing, None);
    let prepared: Vec<QueryVector> = queries.iter().map(|query| QueryVector::new(query)).collect();
    let nearest = each(50, |nth| view.nearest(&prepared[nth], &all, 100));
    let scan = each(5, |nth| plain_scan(&synthetic.vectors, &queries[nth]));
    line(size, "nearest", nearest, Some((scan, "a naive scan of the same vectors")));
    let narrow: DocSet = all.iter().step_by(100).collect();
    line(
        size,
        "nearest, 1% filter",
        each(50, |nth| view.nearest(&prepared[nth], &narrow, 100)),
        None,
    );
    if size > 20_000 {
        println!(
            "| {size} | nearest, recall of the exact best 20 | {:.4} | - | |",
            found_share(view, &prepared, &all)
        );
    }
}

/// Returns the share of the exact best 20 that a search finds.
fn found_share(view: &View, queries: &[QueryVector], all: &DocSet) -> f64 {
    let mut found = 0;
    for query in queries {
        let mut exact: Vec<(f32, MemoryId)> =
            all.iter().filter_map(|doc| Some((view.cosine(doc, query)?, view.id(doc)))).collect();
        exact.sort_by(|one, other| other.0.total_cmp(&one.0));
        let hits = view.nearest(query, all, 20);
        found += exact[..20].iter().filter(|(_, id)| hits.iter().any(|hit| hit.id == *id)).count();
    }
    found as f64 / (queries.len() * 20) as f64
}

/// Scans all vectors with a straightforward dot product.
fn plain_scan(vectors: &[model::StoredVector], query: &[f32]) -> (usize, i32) {
    let query: Vec<i8> = query.iter().map(|value| (value * 40.0) as i8).collect();
    let product = |vector: &model::StoredVector| {
        let codes = vector.windows[4..].iter().map(|&code| i32::from(code as i8));
        codes.zip(&query).map(|(code, &other)| code * i32::from(other)).sum::<i32>()
    };
    let best = vectors.iter().map(product).enumerate().max_by_key(|(_, product)| *product);
    best.unwrap_or_default()
}

fn links(view: &View, size: usize) {
    let walk = Walk {
        depth_max: 5,
        visits_max: 100,
        direction: Direction::Both,
        kinds: LinkKinds::ALL,
        within: None,
    };
    let start = |nth: usize| MemoryId((nth * 7_919 % size) as i64 + 1);
    let visits: usize = (0..100).map(|nth| view.walk(&[start(nth)], &walk).len()).sum();
    let cost = each(1_000, |nth| view.walk(&[start(nth)], &walk));
    line(size, &format!("traversal to depth 5, {} memories", visits / 100), cost, None);
    let shallow = Walk { direction: Direction::Out, ..walk };
    line(
        size,
        "traversal to depth 5, outgoing links",
        each(1_000, |nth| view.walk(&[start(nth)], &shallow)),
        None,
    );
}

fn snapshot(view: &mut View, size: usize) {
    let mut bytes = Vec::new();
    let rounds = if size > 50_000 { 5 } else { 20 };
    let writing = each(rounds, |_| {
        bytes.clear();
        view.write_snapshot(1, &mut bytes).is_ok()
    });
    let copying = each(rounds, |_| bytes.clone());
    line(size, "write a snapshot", writing, Some((copying, "copying its bytes")));
    let model: Option<VectorModel> = view.model().cloned();
    let key = SnapshotKey { database: 1, newest: view.seq(), model };
    let reading =
        each(rounds, |_| View::read_snapshot(&bytes[..], bytes.len() as u64, &key).is_ok());
    line(size, "read a snapshot", reading, Some((copying, "copying its bytes")));
    println!("| {size} | snapshot | {:.1} MB | - | |", bytes.len() as f64 / 1e6);
}

/// Returns the CPU time of one call: the best of three averages, each over a span that is long
/// enough for a coarse clock.
fn each<T>(rounds: usize, mut call: impl FnMut(usize) -> T) -> Duration {
    let mut average = || {
        let (start, started, mut calls) = (cpu_time(), Instant::now(), 0);
        while calls == 0 || started.elapsed() < Duration::from_millis(150) {
            (0..rounds).for_each(|nth| drop(black_box(call(nth))));
            calls += rounds as u32;
        }
        (cpu_time() - start) / calls
    };
    (0..3).map(|_| average()).min().unwrap_or_default()
}

/// Returns the CPU time of this thread as counted by the Linux scheduler, wall time elsewhere.
fn cpu_time() -> Duration {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = schedule.and_then(|line| line.split(' ').next()?.parse().ok());
    nanos.map_or_else(wall_time, Duration::from_nanos)
}

fn wall_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

fn resident_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}
