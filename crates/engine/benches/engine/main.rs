//! Speed of the whole engine on SQLite: durable writes, recall, opening, memory and disk, at three
//! sizes. Each figure is compared with a floor measured in the same run, because machines are
//! shared and noisy. `cargo bench -p quipu-engine -- 1000 10000` runs only those sizes.

#![allow(clippy::expect_used, reason = "a benchmark that cannot go on stops and says where")]

extern crate quipu_engine as engine;

mod fixture;
mod prepared_embedder;
mod reads;
mod writes;

use fixture::BenchFixture;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn main() {
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if asked.is_empty() { SIZES.to_vec() } else { asked };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut reads = Vec::new();
        let mut writes = Vec::new();
        for size in sizes {
            let fixture = BenchFixture::filled(size).await;
            reads.push(reads::measure(&fixture, size).await);
            writes.push(writes::measure(&fixture, size).await);
        }
        reads::print(&reads);
        writes::print(&writes);
    });
}
