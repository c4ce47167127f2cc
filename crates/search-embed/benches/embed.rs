//! CPU time of an embedding, and of a pair of notes read together, for each kernel of this
//! processor, next to the processor's peak throughput, measured in the same run by loops that only
//! multiply and add in registers.

#[path = "embed/peak.rs"]
mod peak;

use std::hint::black_box;
use std::time::{Duration, Instant};

use peak::PeakLoop;
use quipu_embed::{BundledEmbedder, CrossEncoder, Embedder, Kernel, TextPair};

const QUESTION: &str = "which database did we choose for the billing service last spring?";
const MEMORY: &str = "We keep the invoices in PostgreSQL because the finance team already runs it, \
    and moved the nightly export from cron to the scheduler so that retries are visible; Maria \
    owns the migration, which should be finished before the end of March unless the vendor changes \
    the format of the files once again.";
/// Memory of 40 words in three sentences, which get vectors of their own.
const IMPORTED: &str = "The invoices moved to PostgreSQL in March because the finance team already \
    runs it. Maria owns the migration and wants the nightly export to be visible in the scheduler. \
    The vendor may change the format of the files once again.";
/// Two notes that are read together.
const EARLIER: &str = "The finance team runs the nightly export from cron on the old server.";
const LATER: &str = "Maria moved the export of the invoices to the scheduler in March.";
/// Number of pairs that are read together when a memory is written.
const PAIRS: usize = 4;
/// Number of texts per call, as in an import.
const BATCH: usize = 64;
/// Duration of one measurement. The best of [`SPANS`] counts, so that other work on the machine
/// does not.
const SPAN: Duration = Duration::from_millis(200);
const SPANS: usize = 4;
/// Operations per token in the matrix products of the layers: one multiplication and one addition
/// per weight. The last product of the last layer takes the mean of a text.
const OPERATIONS_A_TOKEN: f64 = 2.0 * (3.0 * (3.0 + 1.0 + 4.0 + 4.0) - 4.0) * 256.0 * 256.0;

fn main() {
    println!("| kernel | text | tokens | CPU µs per text | Gop/s | share of peak |");
    println!("|---|---|---:|---:|---:|---:|");
    let wanted = std::env::args().nth(1).filter(|name| !name.starts_with('-'));
    let is_wanted = |kernel: &Kernel| wanted.as_ref().is_none_or(|name| name == kernel.name());
    for kernel in Kernel::available().into_iter().filter(is_wanted) {
        print_kernel_rows(&BundledEmbedder::with_kernel(kernel), kernel);
        print_pair_row(kernel);
    }
    if wanted.is_some() {
        return;
    }
    println!();
    println!("| peak loop | Gop/s |");
    println!("|---|---:|");
    for peak in peak::available() {
        println!("| {} | {:.0} |", peak.name, gigaops(&peak));
    }
}

fn print_kernel_rows(embedder: &BundledEmbedder, kernel: Kernel) {
    let peak = peak::for_kernel(kernel.name()).map(|peak| gigaops(&peak));
    let sentences = IMPORTED.split_inclusive(". ").map(str::trim);
    let imported: Vec<&str> = std::iter::once(IMPORTED).chain(sentences).collect();
    let cases = [
        ("question", vec![QUESTION], 1),
        ("50-word memory", vec![MEMORY], 1),
        ("50-word memory, batched", vec![MEMORY], BATCH),
        ("40-word memory and its sentences, batched", imported, BATCH / 4),
    ];
    for (name, texts, count) in cases {
        let batch = texts.repeat(count);
        let seconds =
            cpu_seconds(|| drop(black_box(embedder.embed(black_box(&batch))))) / count as f64;
        let tokens: usize = texts.iter().map(|text| embedder.count_tokens(text)).sum();
        let reached = tokens as f64 * OPERATIONS_A_TOKEN / seconds / 1e9;
        let share = peak.map_or("-".to_owned(), |peak| format!("{:.0}%", 100.0 * reached / peak));
        println!(
            "| {} | {name} | {tokens} | {:.0} | {reached:.0} | {share} |",
            kernel.name(),
            seconds * 1e6
        );
    }
}

/// Prints the time of one of the pairs of a write.
fn print_pair_row(kernel: Kernel) {
    let (name, encoder) = (kernel.name(), CrossEncoder::with_kernel(kernel));
    let pair = TextPair { earlier: EARLIER.to_owned(), later: LATER.to_owned() };
    let pairs = vec![pair; PAIRS];
    let read = || drop(black_box(encoder.change_probabilities(black_box(&pairs))));
    let micros = cpu_seconds(read) / PAIRS as f64 * 1e6;
    let embedder = BundledEmbedder::with_kernel(kernel);
    let tokens = embedder.count_tokens(EARLIER) + embedder.count_tokens(LATER);
    println!("| {name} | pair of notes, four at once | {tokens} | {micros:.0} | - | - |");
}

fn gigaops(peak: &PeakLoop) -> f64 {
    peak.operations / cpu_seconds(|| peak.run()) / 1e9
}

/// Returns the CPU seconds of one call, averaged over many calls.
fn cpu_seconds(work: impl Fn()) -> f64 {
    work();
    (0..SPANS).map(|_| measure_span(&work)).fold(f64::INFINITY, f64::min)
}

fn measure_span(work: impl Fn()) -> f64 {
    let (begin, start) = (Instant::now(), cpu_time());
    let mut calls = 0;
    while begin.elapsed() < SPAN {
        work();
        calls += 1;
    }
    let spent = match (start, cpu_time()) {
        (Some(start), Some(end)) => end - start,
        _ => begin.elapsed(),
    };
    spent.as_secs_f64() / f64::from(calls)
}

/// Returns the CPU time of this thread on Linux; elsewhere the caller uses wall time.
fn cpu_time() -> Option<Duration> {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(spent.split(' ').next()?.parse().ok()?))
}
