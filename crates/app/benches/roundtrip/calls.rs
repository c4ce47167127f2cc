//! What each way adds to a call: the same tools over stdio, over HTTP, and called without any way
//! on a thread like those of the way. In each round all of them are asked the same, in an order
//! that moves on with the rounds, so that all meet the same noise and questions that cost more tell
//! nothing about a way.

use crate::house::House;
use crate::stage::{Spent, Stage, spent};
use crate::wire::{Server, Wire};
use crate::{ROUNDS, arguments};
use dialects::Dialect;
use serde_json::Value;
use std::sync::Arc;
use testkit::bench::{Dice, median_us, table};

const HEAD: [&str; 8] = [
    "memories",
    "way",
    "call",
    "engine alone (µs CPU)",
    "server's side (µs CPU)",
    "of it added by the way",
    "client's side (µs CPU)",
    "both sides (µs CPU)",
];

/// One call by one way: the way itself, and the same without it.
struct Measured {
    way: &'static str,
    tool: &'static str,
    alone: Vec<Spent>,
    served: Vec<Spent>,
}

/// A way to the tools of a dialect.
struct Way {
    name: &'static str,
    /// Where the tools are called without it: a thread that does nothing else, as none of the
    /// others does.
    alone: Stage,
    dialect: Arc<dyn Dialect>,
    wire: Wire,
}

/// The rows of one size.
pub fn measure(house: &House, serve: &Stage, size: usize) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (tool, dialect) in
        [("echo", house.echo()), ("recall", house.quipu()), ("remember", house.quipu())]
    {
        let mcp = Stage::new();
        let pipe = Wire::pipe(house, &mcp, Arc::clone(&dialect));
        let http = Server::start(house, serve, Arc::clone(&dialect)).connect_as_owner();
        let mut ways = [
            Way { name: "stdio", alone: Stage::new(), dialect: Arc::clone(&dialect), wire: pipe },
            Way { name: "HTTP", alone: Stage::new(), dialect, wire: http },
        ];
        rows.extend(in_turn(house, &mut ways, tool).into_iter().map(|one| row(size, &one)));
    }
    rows
}

fn in_turn(house: &House, ways: &mut [Way], tool: &'static str) -> Vec<Measured> {
    let mut dice = Dice::new(17);
    let fresh = |way: &Way| Measured { way: way.name, tool, alone: Vec::new(), served: Vec::new() };
    let mut all: Vec<Measured> = ways.iter().map(fresh).collect();
    for round in 0..ROUNDS {
        let asked = arguments(&mut dice, tool);
        for nth in 0..2 * ways.len() {
            let (asked, next) = (turned(&asked, nth), (round + nth) % (2 * ways.len()));
            let (way, one) = (&mut ways[next / 2], &mut all[next / 2]);
            if next.is_multiple_of(2) {
                one.alone.push(spent(|| house.call(&way.alone, &way.dialect, tool, asked)));
            } else {
                one.served.push(spent(|| way.wire.call(tool, asked)));
            }
        }
    }
    all
}

/// The same once more. A text to remember has its words in another order each time, since the same
/// text would only be told to be there already.
fn turned(asked: &Value, nth: usize) -> Value {
    let mut asked = asked.clone();
    if let Some(Value::String(text)) = asked.get_mut("text") {
        let mut words: Vec<&str> = text.split(' ').collect();
        let count = words.len();
        words.rotate_left(nth * 7 % count);
        *text = words.join(" ");
    }
    asked
}

fn row(size: usize, one: &Measured) -> Vec<String> {
    let median = |all: &[Spent], side: fn(&Spent) -> std::time::Duration| {
        median_us(all.iter().map(side).collect())
    };
    let more = |(served, alone): (&Spent, &Spent)| {
        served.server.as_secs_f64() - alone.server.as_secs_f64()
    };
    let mut added: Vec<f64> = one.served.iter().zip(&one.alone).map(more).collect();
    added.sort_unstable_by(f64::total_cmp);
    let alone = median(&one.alone, |spent| spent.server);
    let server = median(&one.served, |spent| spent.server);
    let client = median(&one.served, |spent| spent.client);
    let both = median(&one.served, |spent| spent.server + spent.client);
    vec![
        size.to_string(),
        one.way.to_owned(),
        format!("`{}`", one.tool),
        format!("{alone:.0}"),
        format!("{server:.0}"),
        format!("{:+.0}", added[added.len() / 2] * 1e6),
        format!("{client:.0}"),
        format!("{both:.0}"),
    ]
}

/// Prints the rows of all sizes.
pub fn print(rows: &[Vec<String>]) {
    let note = format!(
        "CPU of a call, medians of {ROUNDS} rounds; what is added is the median of the differences within a round, in \
         which all are asked the same. The client is a thread of its own; the server's side is every other thread of \
         the process, with what it still does after the answer. \"Engine alone\" is the dialect called without a way \
         on a thread like those that answer."
    );
    table("Calls", &note, &HEAD, rows);
}
