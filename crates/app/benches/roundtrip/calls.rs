//! Overhead of each transport: the same tools over stdio, over HTTP, and called directly on a
//! thread like those of the transport. In each round all of them get the same call, in an order
//! that rotates with the rounds, so that noise and expensive questions affect all of them equally.

use crate::bench_client::{BenchClient, BenchServer};
use crate::fixture::RoundtripFixture;
use crate::server_runtime::{CpuTime, ServerRuntime, measure_cpu};
use crate::{ROUNDS, arguments};
use dialects::DialectApi;
use serde_json::Value;
use std::sync::Arc;
use testkit::bench::{Xorshift, median_us, print_table};

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
struct TransportTimes {
    transport: &'static str,
    tool: &'static str,
    direct: Vec<CpuTime>,
    served: Vec<CpuTime>,
}

/// A transport to the tools of a dialect.
struct Transport {
    name: &'static str,
    /// Runtime for the direct calls, which does nothing else.
    alone: ServerRuntime,
    dialect: Arc<dyn DialectApi>,
    wire: BenchClient,
}

/// Measures all tools over all transports and returns the rows for one size.
pub fn measure(fixture: &RoundtripFixture, serve: &ServerRuntime, size: usize) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (tool, dialect) in
        [("echo", fixture.echo()), ("recall", fixture.quipu()), ("remember", fixture.quipu())]
    {
        let mcp = ServerRuntime::new();
        let pipe = BenchClient::pipe(fixture, &mcp, Arc::clone(&dialect));
        let http = BenchServer::start(fixture, serve, Arc::clone(&dialect)).connect_as_owner();
        let mut transports = [
            Transport {
                name: "stdio",
                alone: ServerRuntime::new(),
                dialect: Arc::clone(&dialect),
                wire: pipe,
            },
            Transport { name: "HTTP", alone: ServerRuntime::new(), dialect, wire: http },
        ];
        rows.extend(
            measure_in_turn(fixture, &mut transports, tool).into_iter().map(|one| row(size, &one)),
        );
    }
    rows
}

fn measure_in_turn(
    fixture: &RoundtripFixture,
    transports: &mut [Transport],
    tool: &'static str,
) -> Vec<TransportTimes> {
    let mut rng = Xorshift::new(17);
    let empty = |transport: &Transport| TransportTimes {
        transport: transport.name,
        tool,
        direct: Vec::new(),
        served: Vec::new(),
    };
    let mut all: Vec<TransportTimes> = transports.iter().map(empty).collect();
    for round in 0..ROUNDS {
        let arguments = arguments(&mut rng, tool);
        for nth in 0..2 * transports.len() {
            let (input, next) =
                (rotate_words(&arguments, nth), (round + nth) % (2 * transports.len()));
            let (transport, one) = (&mut transports[next / 2], &mut all[next / 2]);
            if next.is_multiple_of(2) {
                let direct = || fixture.call(&transport.alone, &transport.dialect, tool, input);
                one.direct.push(measure_cpu(direct));
            } else {
                one.served.push(measure_cpu(|| transport.wire.call(tool, input)));
            }
        }
    }
    all
}

/// Returns the arguments for the nth call of a round. The words of a text to remember are rotated,
/// because the same text would only be reported as a duplicate.
fn rotate_words(arguments: &Value, nth: usize) -> Value {
    let mut arguments = arguments.clone();
    if let Some(Value::String(text)) = arguments.get_mut("text") {
        let mut words: Vec<&str> = text.split(' ').collect();
        let count = words.len();
        words.rotate_left(nth * 7 % count);
        *text = words.join(" ");
    }
    arguments
}

fn row(size: usize, one: &TransportTimes) -> Vec<String> {
    let median = |all: &[CpuTime], side: fn(&CpuTime) -> std::time::Duration| {
        median_us(all.iter().map(side).collect())
    };
    let more = |(served, alone): (&CpuTime, &CpuTime)| {
        served.server.as_secs_f64() - alone.server.as_secs_f64()
    };
    let mut added: Vec<f64> = one.served.iter().zip(&one.direct).map(more).collect();
    added.sort_unstable_by(f64::total_cmp);
    let alone = median(&one.direct, |spent| spent.server);
    let server = median(&one.served, |spent| spent.server);
    let client = median(&one.served, |spent| spent.client);
    let both = median(&one.served, |spent| spent.server + spent.client);
    vec![
        size.to_string(),
        one.transport.to_owned(),
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
    print_table("Calls", &note, &HEAD, rows);
}
