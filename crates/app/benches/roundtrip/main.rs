//! Cost of a call over stdio and HTTP, compared with the engine alone and with a plain echo tool;
//! start-up time of a process; and memory of idle processes. `cargo bench -p quipu --bench
//! roundtrip -- 1000 10000` runs just those sizes.

#![allow(clippy::expect_used, reason = "a benchmark that cannot go on stops and says where")]

mod calls;
mod echo;
mod flood;
mod house;
mod idle;
mod stage;
mod wire;

use house::House;
use stage::Stage;
use std::sync::Arc;
use testkit::bench::{Dice, WORDS, question, text};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const ROUNDS: usize = 200;

fn main() {
    let given: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if given.is_empty() { SIZES.to_vec() } else { given };
    let serve = Stage::new();
    let mut calls = Vec::new();
    let mut starts = Vec::new();
    for size in sizes {
        let fixture = Arc::new(serve.run(House::filled(size)));
        starts.push(idle::start(&fixture, size));
        calls.extend(calls::measure(&fixture, &serve, size));
        if size == SIZES[0] {
            idle::print(&fixture);
            flood::print(&fixture, &serve, size);
        }
    }
    calls::print(&calls);
    idle::print_starts(&starts);
}

fn arguments(rng: &mut Dice, tool: &str) -> serde_json::Value {
    match tool {
        "recall" => serde_json::json!({"query": question(rng)}),
        "remember" => serde_json::json!({"text": text(rng, WORDS)}),
        _ => serde_json::json!({"text": question(rng)}),
    }
}
