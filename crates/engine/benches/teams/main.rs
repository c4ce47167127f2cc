//! Recalls and writes of many owners through two servers over one PostgreSQL, beside the same on
//! SQLite in the same run. `cargo xtask team-load OWNERS MEMORIES` starts the database.

#![allow(clippy::expect_used, reason = "a benchmark that cannot go on stops and says where")]

extern crate quipu_engine as engine;

mod calls;
mod cold;
mod fixture;

use calls::{RecallTimes, measure_recalls, throughput};
use fixture::TeamFixture;
use testkit::bench::{print_table, resident_mib};

/// Variable with the address of the database.
const ADDRESS_VARIABLE: &str = "QUIPU_TEST_POSTGRES";
/// Variable with the number of owners and of the memories of each.
const SIZE_VARIABLE: &str = "QUIPU_TEAM_LOAD";
/// Numbers of clients that call at the same time.
const CLIENTS: [usize; 2] = [1, 8];

fn main() {
    let Ok(address) = std::env::var(ADDRESS_VARIABLE) else {
        println!("Not measured: {ADDRESS_VARIABLE} is not set; use `cargo xtask team-load`.");
        return;
    };
    let size = std::env::var(SIZE_VARIABLE).unwrap_or_else(|_| "20 1000".to_owned());
    let mut sizes = size.split(' ').filter_map(|number| number.parse::<usize>().ok());
    let (owners, memories) = (sizes.next().unwrap_or(20), sizes.next().unwrap_or(1_000));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let fixture = TeamFixture::filled(&address, owners, memories).await;
        println!("{}", fixture.filling());
        print_recalls(&fixture).await;
        cold::print(&fixture).await;
        print_throughput(&fixture).await;
        println!(
            "Memory of this process, which is both servers and SQLite: {:.0} MiB.",
            resident_mib()
        );
    });
}

async fn print_recalls(fixture: &TeamFixture) {
    let cold = measure_recalls(fixture, &fixture.teams[0], true).await;
    let sqlite = measure_recalls(fixture, &fixture.sqlite, false).await;
    let first = measure_recalls(fixture, &fixture.teams[0], false).await;
    let second = measure_recalls(fixture, &fixture.teams[1], false).await;
    let trip = fixture.round_trip().await;
    let row = |name: &str, times: &RecallTimes| {
        let shown = |spent: f64| format!("{spent:.2}");
        vec![name.to_owned(), shown(times.p50), shown(times.p99), shown(times.cpu)]
    };
    print_table(
        "Recalls, one client",
        "Milliseconds; owners in turn. CPU is that of the server, without the database.",
        &["store", "p50", "p99", "CPU of one"],
        &[
            row("SQLite", &sqlite),
            row("PostgreSQL, first server", &first),
            row("PostgreSQL, second server", &second),
            row("PostgreSQL, first recall of an owner", &cold),
        ],
    );
    let limit = 2.0 * sqlite.cpu + trip;
    println!(
        "One round trip to the database: {trip:.2} ms (p50). Twice SQLite's CPU and one round \
         trip: {limit:.2} ms.\n"
    );
}

async fn print_throughput(fixture: &TeamFixture) {
    let mut rows = Vec::new();
    for clients in CLIENTS {
        let mut row = vec![clients.to_string()];
        for writes in [false, true] {
            row.push(format!(
                "{:.0}",
                throughput(fixture, &[&fixture.sqlite], clients, writes).await
            ));
            let one = [&fixture.teams[0]];
            row.push(format!("{:.0}", throughput(fixture, &one, clients, writes).await));
            let both = [&fixture.teams[0], &fixture.teams[1]];
            row.push(format!("{:.0}", throughput(fixture, &both, clients, writes).await));
        }
        rows.push(row);
    }
    print_table(
        "Calls per second",
        "Whole calls with embedding, permissions and audit; each client takes owners in turn.",
        &[
            "clients",
            "recall, SQLite",
            "recall, 1 server",
            "recall, 2 servers",
            "remember, SQLite",
            "remember, 1 server",
            "remember, 2 servers",
        ],
        &rows,
    );
}
