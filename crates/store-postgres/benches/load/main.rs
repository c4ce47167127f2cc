//! Writes of many owners and of one through two servers, beside bare inserts of the same bytes into
//! the same database in the same run; and a read, beside a bare point read. Needs a database that
//! syncs: `cargo xtask team-load` starts one.

#![allow(clippy::expect_used, reason = "a benchmark that cannot go on stops and says where")]

mod accounting;
mod bare;
mod costs;
mod floor;
mod writes;

use accounting::Accounting;
use bare::BareTable;
use costs::Floors;
use floor::FloorConnections;
use quipu_store_postgres::{Options, PostgresStore};
use testkit::bench::{StoreFiller, print_table};
use writes::LoadServers;

/// Variable with the address of the database.
const ADDRESS_VARIABLE: &str = "QUIPU_TEST_POSTGRES";
/// Variable that says that the database is Citus, with the number of shards of a table.
const CITUS_VARIABLE: &str = "QUIPU_TEST_CITUS";
/// Numbers of clients that write at the same time, with their writes in all.
const CLIENTS: [(usize, usize); 3] = [(1, 300), (8, 1_200), (32, 3_200)];
/// Connections of each server.
const CONNECTIONS: usize = 16;
/// Times that each measurement is repeated in turn; the table has the medians.
const ROUNDS: usize = 3;

#[tokio::main]
async fn main() {
    let Ok(address) = std::env::var(ADDRESS_VARIABLE) else {
        println!("Not measured: {ADDRESS_VARIABLE} is not set; use `cargo xtask team-load`.");
        return;
    };
    let filler = StoreFiller::new();
    let schema = format!("load_{}", std::process::id());
    let options = Options { schema, connections_max: CONNECTIONS, ..Options::new([7; 32]) };
    let open = async || PostgresStore::open(&address, &options).await.expect("the store opens");
    drop(open().await);
    let bare = BareTable::create(&address, &options.schema, 2 * CONNECTIONS).await;
    if let Ok(shards) = std::env::var(CITUS_VARIABLE) {
        bare.distribute(&shards).await;
    }
    let servers = LoadServers::new([open().await, open().await]);
    let mut rows = Vec::new();
    for (clients, writes) in CLIENTS {
        rows.push(measure(&servers, &bare, &filler, clients, writes).await);
    }
    print_table(
        "Writes through two servers",
        "Memories of 40 words with their vectors, one to a write, per second. A bare insert is one \
         row with as many bytes in one transaction, on as many connections.",
        &["clients", "bare inserts", "many owners", "of bare", "one owner", "of bare"],
        &rows,
    );
    writes::print_reads(&servers, &bare).await;
    if std::env::var(CITUS_VARIABLE).is_err() {
        let store = open().await;
        let schema = &options.schema;
        let connect = async |session| {
            FloorConnections::open(&address, schema, &store, 2 * CONNECTIONS, session).await
        };
        let floors = Floors { checked: connect("origin").await, free: connect("replica").await };
        let accounting = Accounting::open(&address).await;
        costs::print(&accounting, &servers, &bare, &floors, &filler).await;
    }
}

async fn measure(
    servers: &LoadServers,
    bare: &BareTable,
    filler: &StoreFiller,
    clients: usize,
    writes: usize,
) -> Vec<String> {
    let mut rates = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        rates[0].push(bare.insert(filler, clients, writes).await);
        rates[1].push(servers.write_many(filler, clients, writes).await);
        rates[2].push(servers.write_one(filler, clients, writes).await);
    }
    let [bare, many, one] = rates.map(median);
    let part = |rate: f64| format!("{:.0}%", 100.0 * rate / bare);
    let shown = |rate: f64| format!("{rate:.0}");
    vec![clients.to_string(), shown(bare), shown(many), part(many), shown(one), part(one)]
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_unstable_by(f64::total_cmp);
    rates[rates.len() / 2]
}
