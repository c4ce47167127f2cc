//! Cost of the view at 1k, 10k and 100k memories of about 40 words, each figure next to a lower
//! bound from the same run. `cargo bench -p quipu-index` prints a table; sizes can be given as
//! arguments. Times are CPU time of this thread on Linux and wall time elsewhere.

mod synthetic;

use model::{MemoryId, Moment, Seq, VectorModel};
use quipu_index::{
    Bm25, Direction, DocSet, Filter, LinkKinds, QueryTerms, QueryVector, SnapshotKey, Traversal,
    View,
};
use std::hint::black_box;
use std::time::{Duration, Instant};
use synthetic::{DIMENSIONS, SyntheticMemories};

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
fn print_row(size: usize, what: &str, cost: Duration, floor: Option<(Duration, &str)>) {
    let (floor, of) =
        floor.map_or((String::from("-"), ""), |(floor, of)| (format_duration(floor), of));
    println!("| {size} | {what} | {} | {floor} | {of} |", format_duration(cost));
}

fn format_duration(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    if micros < 1_000.0 { format!("{micros:.1} µs") } else { format!("{:.2} ms", micros / 1e3) }
}

fn measure(size: usize) {
    let synthetic = SyntheticMemories::new(size);
    let mut view = measure_build(&synthetic);
    measure_lexical(&view, &synthetic);
    measure_nearest(&view, &synthetic);
    measure_traversal(&view, size);
    measure_snapshot(&mut view, size);
    println!(
        "| {size} | size in memory | {} B each | {DIMENSIONS} B | the vectors alone |",
        view.size_bytes() / size
    );
    if let Some(resident) = resident_mib() {
        println!("| {size} | resident, with the synthetic memories | {resident} MiB | - | |");
    }
}

fn measure_build(synthetic: &SyntheticMemories) -> View {
    let size = synthetic.texts.len();
    let mut view = View::new(Some(synthetic.model()));
    let start = cpu_time();
    for first in (0..size).step_by(4_000) {
        let batch = (first..size.min(first + 4_000)).map(|nth| synthetic.entry(nth));
        view.apply(batch, [], Seq(first as i64 + 1));
    }
    view.compact();
    let cost = (cpu_time() - start) / size as u32;
    let tokenising = time_per_call(size.min(2_000), |nth| {
        let mut count = 0;
        words::each_token(&synthetic.texts[nth], |_| count += 1);
        count
    });
    print_row(size, "build, per memory", cost, Some((tokenising, "tokenising it")));
    let change =
        time_per_call(200, |nth| view.apply([synthetic.entry(nth * 5)], [], Seq(size as i64)));
    print_row(size, "apply an unchanged memory", change, None);
    let mut round = 0;
    let replaced = time_per_call(200, |nth| {
        let mut entry = synthetic.entry(nth * 5);
        round += 1;
        entry.texts[0].1 = &synthetic.texts[round % size];
        view.apply([entry], [], Seq(size as i64));
    });
    print_row(size, "change a text", replaced, None);
    view
}

fn measure_lexical(view: &View, synthetic: &SyntheticMemories) {
    let size = synthetic.texts.len();
    let (bm25, all) = (Bm25::PRODUCTION, view.filter(&Filter::default(), Moment(0)));
    let filtering = time_per_call(200, |_| view.filter(&Filter::default(), Moment(0)));
    print_row(size, "default filter", filtering, None);
    let project = Filter { projects: vec!["project-3".into()], ..Filter::default() };
    print_row(
        size,
        "filter by project",
        time_per_call(100, |_| view.filter(&project, Moment(0))),
        None,
    );
    let questions: Vec<QueryTerms> =
        (0..200).map(|nth| QueryTerms::parse(&synthetic.question(nth))).collect();
    let natural = time_per_call(200, |nth| view.lexical(&questions[nth], &bm25, &all, 100));
    let postings = time_per_call(200, |nth| {
        let frequency = |term: &quipu_index::QueryTerm| view.document_frequency(&term.text);
        questions[nth].terms.iter().map(frequency).sum::<usize>()
    });
    print_row(size, "BM25, natural question", natural, Some((postings, "looking up its terms")));
    let content: Vec<QueryTerms> = questions.iter().map(QueryTerms::content_words).collect();
    print_row(
        size,
        "BM25, content words",
        time_per_call(200, |nth| view.lexical(&content[nth], &bm25, &all, 100)),
        None,
    );
    let stop = QueryTerms::parse("what is it that we were to do with the");
    print_row(
        size,
        "BM25, stop words only",
        time_per_call(20, |_| view.lexical(&stop, &bm25, &all, 100)),
        None,
    );
}

fn measure_nearest(view: &View, synthetic: &SyntheticMemories) {
    let size = synthetic.texts.len();
    let all = view.filter(&Filter::default(), Moment(0));
    let queries: Vec<Vec<f32>> = (0..50).map(|nth| synthetic.query_vector(nth)).collect();
    let preparing = time_per_call(50, |nth| QueryVector::new(&queries[nth]));
    print_row(size, "quantise a query vector", preparing, None);
    let prepared: Vec<QueryVector> = queries.iter().map(|query| QueryVector::new(query)).collect();
    let nearest = time_per_call(50, |nth| view.nearest(&prepared[nth], &all, 100));
    let scan = time_per_call(5, |nth| naive_scan(&synthetic.vectors, &queries[nth]));
    print_row(size, "nearest", nearest, Some((scan, "a naive scan of the same vectors")));
    let narrow: DocSet = all.iter().step_by(100).collect();
    print_row(
        size,
        "nearest, 1% filter",
        time_per_call(50, |nth| view.nearest(&prepared[nth], &narrow, 100)),
        None,
    );
    if size > 20_000 {
        println!(
            "| {size} | nearest, recall of the exact best 20 | {:.4} | - | |",
            recall_at_20(view, &prepared, &all)
        );
    }
}

/// Returns the share of the exact best 20 that a search finds.
fn recall_at_20(view: &View, queries: &[QueryVector], all: &DocSet) -> f64 {
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
fn naive_scan(vectors: &[model::StoredVectors], query: &[f32]) -> (usize, i32) {
    let query: Vec<i8> = query.iter().map(|value| (value * 40.0) as i8).collect();
    let product = |vector: &model::StoredVectors| {
        let codes = vector.data[4..].iter().map(|&code| i32::from(code as i8));
        codes.zip(&query).map(|(code, &other)| code * i32::from(other)).sum::<i32>()
    };
    let best = vectors.iter().map(product).enumerate().max_by_key(|(_, product)| *product);
    best.unwrap_or_default()
}

fn measure_traversal(view: &View, size: usize) {
    let walk = Traversal {
        depth_max: 5,
        visits_max: 100,
        direction: Direction::Both,
        kinds: LinkKinds::ALL,
        within: None,
        versions: None,
    };
    let start = |nth: usize| MemoryId((nth * 7_919 % size) as i64 + 1);
    let visits: usize = (0..100).map(|nth| view.traverse(&[start(nth)], &walk).len()).sum();
    let cost = time_per_call(1_000, |nth| view.traverse(&[start(nth)], &walk));
    print_row(size, &format!("traversal to depth 5, {} memories", visits / 100), cost, None);
    let shallow = Traversal { direction: Direction::Out, ..walk };
    print_row(
        size,
        "traversal to depth 5, outgoing links",
        time_per_call(1_000, |nth| view.traverse(&[start(nth)], &shallow)),
        None,
    );
}

fn measure_snapshot(view: &mut View, size: usize) {
    let mut bytes = Vec::new();
    let rounds = if size > 50_000 { 5 } else { 20 };
    let writing = time_per_call(rounds, |_| {
        bytes.clear();
        view.write_snapshot(1, &mut bytes).is_ok()
    });
    let copying = time_per_call(rounds, |_| bytes.clone());
    print_row(size, "write a snapshot", writing, Some((copying, "copying its bytes")));
    let model: Option<VectorModel> = view.model().cloned();
    let key = SnapshotKey { database: 1, newest: view.seq(), model };
    let reading = time_per_call(rounds, |_| {
        View::read_snapshot(&bytes[..], bytes.len() as u64, &key).is_ok()
    });
    print_row(size, "read a snapshot", reading, Some((copying, "copying its bytes")));
    println!("| {size} | snapshot | {:.1} MB | - | |", bytes.len() as f64 / 1e6);
}

/// Returns the CPU time of one call: the best of three averages, each over a span that is long
/// enough for a coarse clock.
fn time_per_call<T>(rounds: usize, mut call: impl FnMut(usize) -> T) -> Duration {
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
