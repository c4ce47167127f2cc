//! What a call costs on its way: stdio and HTTP beside the engine itself and beside a plain echo tool, all in one
//! run; how soon a new process answers; and what idle processes take.
//! `cargo bench -p quipu --bench roundtrip -- 1000 10000` runs just those sizes.

#![allow(clippy::expect_used, reason = "a benchmark that cannot go on stops and says where")]

mod echo;
mod flood;
mod house;
mod idle;
mod wire;

use house::House;
use std::hint::black_box;
use std::time::Duration;
use testkit::bench::{Dice, WORDS, cpu, median_us, question, table, text};
use wire::Wire;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const ROUNDS: usize = 200;

fn main() {
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if asked.is_empty() { SIZES.to_vec() } else { asked };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(server::places() + 1)
        .enable_all()
        .build()
        .expect("a runtime");
    let mut calls = Vec::new();
    let mut starts = Vec::new();
    for size in sizes {
        let house = runtime.block_on(House::filled(size));
        starts.push(idle::start(&house, size));
        runtime.block_on(measure(&house, size, &mut calls));
        if size == SIZES[0] {
            idle::print(&house);
            runtime.block_on(flood::print(&house, size));
        }
    }
    print_calls(&calls);
    idle::print_starts(&starts);
}

/// What a call cost, in microseconds of CPU, the client's own share included.
struct Calls {
    size: usize,
    way: &'static str,
    echo: f64,
    recall: f64,
    remember: f64,
}

async fn measure(house: &House, size: usize, calls: &mut Vec<Calls>) {
    let mut echoes =
        [Way::Wire(Wire::pipe(house, house.echo()).await), Way::Wire(Wire::http(house, house.echo()).await)];
    let mut ways = [
        Way::Direct,
        Way::Wire(Wire::pipe(house, house.quipu()).await),
        Way::Wire(Wire::http(house, house.quipu()).await),
    ];
    let echo = in_turn(house, &mut echoes, "echo").await;
    let recall = in_turn(house, &mut ways, "recall").await;
    let remember = in_turn(house, &mut ways, "remember").await;
    for (nth, way) in ["engine alone", "stdio", "HTTP"].into_iter().enumerate() {
        let echo = nth.checked_sub(1).map_or(0.0, |nth| echo[nth]);
        calls.push(Calls { size, way, echo, recall: recall[nth], remember: remember[nth] });
    }
}

/// A way to call a tool.
enum Way {
    Direct,
    Wire(Wire),
}

impl Way {
    async fn call(
        &mut self,
        house: &House,
        tool: &'static str,
        arguments: serde_json::Value,
    ) -> serde_json::Value {
        match self {
            Self::Direct => house.call(tool, arguments).await,
            Self::Wire(wire) => wire.call(tool, arguments).await,
        }
    }
}

/// The CPU of a call by each way, the ways in turn, so that all meet the same noise.
async fn in_turn(house: &House, ways: &mut [Way], tool: &'static str) -> Vec<f64> {
    let mut dice = Dice::new(17);
    let mut all: Vec<Vec<Duration>> = vec![Vec::new(); ways.len()];
    for _ in 0..ROUNDS {
        for (way, spent) in ways.iter_mut().zip(&mut all) {
            let arguments = arguments(&mut dice, tool);
            let before = cpu();
            black_box(way.call(house, tool, arguments).await);
            spent.push(cpu() - before);
        }
    }
    all.into_iter().map(median_us).collect()
}

fn arguments(dice: &mut Dice, tool: &str) -> serde_json::Value {
    match tool {
        "recall" => serde_json::json!({"query": question(dice)}),
        "remember" => serde_json::json!({"text": text(dice, WORDS)}),
        _ => serde_json::json!({"text": question(dice)}),
    }
}

fn print_calls(calls: &[Calls]) {
    let rows: Vec<Vec<String>> = calls
        .iter()
        .map(|one| {
            let alone = calls.iter().find(|other| other.size == one.size && other.way == "engine alone");
            let added = |value: f64, base: f64| format!("{value:.0} (+{:.0})", value - base);
            let (recall, remember) = alone.map_or((0.0, 0.0), |alone| (alone.recall, alone.remember));
            vec![
                one.size.to_string(),
                one.way.to_owned(),
                format!("{:.0}", one.echo),
                added(one.recall, recall),
                added(one.remember, remember),
            ]
        })
        .collect();
    let head = ["memories", "way", "echo (µs CPU)", "`recall` (µs CPU)", "`remember` (µs CPU)"];
    let note = "CPU of the whole process, client and server together; medians of 200, the ways in turn. In brackets what the way adds.";
    table("Calls", note, &head, &rows);
}
