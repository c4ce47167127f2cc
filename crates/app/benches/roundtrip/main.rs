//! Cost of a call over stdio and HTTP, compared with the engine alone and with a plain echo tool;
//! start-up time of a process and of hooks; memory of idle processes; and writes of several
//! processes.
//! `cargo bench -p quipu --bench roundtrip -- 1000 10000` runs just those sizes.

#![allow(clippy::expect_used, reason = "a benchmark that cannot go on stops and says where")]

mod bench_client;
mod calls;
mod echo;
mod fixture;
mod hooks;
mod load_isolation;
mod processes;
mod server_runtime;
mod writers;

use fixture::RoundtripFixture;
use server_runtime::ServerRuntime;
use std::sync::Arc;
use testkit::bench::{MEMORY_WORDS, Xorshift, question, text};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const ROUNDS: usize = 200;

fn main() {
    let given: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if given.is_empty() { SIZES.to_vec() } else { given };
    let serve = ServerRuntime::new();
    let mut calls = Vec::new();
    let mut starts = Vec::new();
    let mut hooks = Vec::new();
    for size in sizes {
        let fixture = Arc::new(serve.run(RoundtripFixture::filled(size)));
        starts.push(processes::start(&fixture, size));
        hooks.extend(hooks::measure(&fixture, size));
        calls.extend(calls::measure(&fixture, &serve, size));
        if size == SIZES[0] {
            processes::print(&fixture);
            writers::print(&fixture);
            load_isolation::print(&fixture, &serve, size);
        }
    }
    calls::print(&calls);
    processes::print_starts(&starts);
    hooks::print(&hooks);
}

fn arguments(rng: &mut Xorshift, tool: &str) -> serde_json::Value {
    match tool {
        "recall" => serde_json::json!({"query": question(rng)}),
        "remember" => serde_json::json!({"text": text(rng, MEMORY_WORDS)}),
        _ => serde_json::json!({"text": question(rng)}),
    }
}
