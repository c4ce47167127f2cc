//! What a call costs on its way: stdio and HTTP beside the engine itself and beside a plain echo
//! tool, all in one run; how soon a new process answers; and what idle processes take. `cargo bench
//! -p quipu --bench roundtrip -- 1000 10000` runs just those sizes.

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
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if asked.is_empty() { SIZES.to_vec() } else { asked };
    let serve = Stage::new();
    let mut calls = Vec::new();
    let mut starts = Vec::new();
    for size in sizes {
        let house = Arc::new(serve.run(House::filled(size)));
        starts.push(idle::start(&house, size));
        calls.extend(calls::measure(&house, &serve, size));
        if size == SIZES[0] {
            idle::print(&house);
            flood::print(&house, &serve, size);
        }
    }
    calls::print(&calls);
    idle::print_starts(&starts);
}

fn arguments(dice: &mut Dice, tool: &str) -> serde_json::Value {
    match tool {
        "recall" => serde_json::json!({"query": question(dice)}),
        "remember" => serde_json::json!({"text": text(dice, WORDS)}),
        _ => serde_json::json!({"text": question(dice)}),
    }
}
