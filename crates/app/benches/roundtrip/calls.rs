//! Overhead of each transport: the same tools over stdio, over HTTP, and called directly on a
//! thread like those of the transport. In each round all of them get the same call, in an order
//! that rotates with the rounds, so that noise and expensive questions affect all of them equally.

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
    "transport",
    "call",
    "engine alone (µs CPU)",
    "server (µs CPU)",
    "transport overhead (µs CPU)",
    "client (µs CPU)",
    "total (µs CPU)",
];

/// Measurements of one tool over one transport, and called directly.
struct Measured {
    way: &'static str,
    tool: &'static str,
    alone: Vec<Spent>,
    served: Vec<Spent>,
}

/// A transport to the tools of a dialect.
struct Way {
    name: &'static str,
    /// Runtime for the direct calls, which does nothing else.
    alone: Stage,
    dialect: Arc<dyn Dialect>,
    wire: Wire,
}

/// Measures all tools over all transports and returns the rows for one size.
pub fn measure(fixture: &House, serve: &Stage, size: usize) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (tool, dialect) in
        [("echo", fixture.echo()), ("recall", fixture.quipu()), ("remember", fixture.quipu())]
    {
        let mcp = Stage::new();
        let pipe = Wire::pipe(fixture, &mcp, Arc::clone(&dialect));
        let http = Server::start(fixture, serve, Arc::clone(&dialect)).connect_as_owner();
        let mut transports = [
            Way { name: "stdio", alone: Stage::new(), dialect: Arc::clone(&dialect), wire: pipe },
            Way { name: "HTTP", alone: Stage::new(), dialect, wire: http },
        ];
        rows.extend(in_turn(fixture, &mut transports, tool).into_iter().map(|one| row(size, &one)));
    }
    rows
}

fn in_turn(fixture: &House, transports: &mut [Way], tool: &'static str) -> Vec<Measured> {
    let mut rng = Dice::new(17);
    let empty = |transport: &Way| Measured {
        way: transport.name,
        tool,
        alone: Vec::new(),
        served: Vec::new(),
    };
    let mut all: Vec<Measured> = transports.iter().map(empty).collect();
    for round in 0..ROUNDS {
        let arguments = arguments(&mut rng, tool);
        for nth in 0..2 * transports.len() {
            let (input, next) = (turned(&arguments, nth), (round + nth) % (2 * transports.len()));
            let (transport, one) = (&mut transports[next / 2], &mut all[next / 2]);
            if next.is_multiple_of(2) {
                let direct = || fixture.call(&transport.alone, &transport.dialect, tool, input);
                one.alone.push(spent(direct));
            } else {
                one.served.push(spent(|| transport.wire.call(tool, input)));
            }
        }
    }
    all
}

/// Returns the arguments for the nth call of a round. The words of a text to remember are rotated,
/// because the same text would only be reported as a duplicate.
fn turned(arguments: &Value, nth: usize) -> Value {
    let mut arguments = arguments.clone();
    if let Some(Value::String(text)) = arguments.get_mut("text") {
        let mut words: Vec<&str> = text.split(' ').collect();
        let count = words.len();
        words.rotate_left(nth * 7 % count);
        *text = words.join(" ");
    }
    arguments
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

/// Prints the rows of all sizes as a table.
pub fn print(rows: &[Vec<String>]) {
    let note = format!(
        "CPU time of a call, medians of {ROUNDS} rounds; the overhead is the median of the \
         differences within a round, in which all get the same call. The client is a thread of its \
         own; the server is every other thread of the process, including its work after the \
         answer. \"Engine alone\" is the dialect called directly, on a thread like those that \
         answer."
    );
    table("Calls", &note, &HEAD, rows);
}
