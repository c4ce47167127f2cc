//! Writes of many owners and of one through two servers, beside bare inserts of the same bytes into
//! the same database in the same run; and a read, beside a bare point read. Needs a database that
//! syncs: `cargo xtask team-load` starts one.

#![allow(clippy::expect_used, reason = "a benchmark that cannot go on stops and says where")]

mod accounting;
mod bare;
mod floor;
mod writes;

use accounting::{Accounting, WriteRate};
use bare::BareTable;
use floor::{FloorConnections, Sent};
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
    for (clients, writes) in CLIENTS.into_iter().filter(|_| std::env::var("FLOORS").is_err()) {
        rows.push(measure(&servers, &bare, &filler, clients, writes).await);
    }
    print_table(
        "Writes through two servers",
        "Memories of 40 words with their vectors, one to a write, per second. A bare insert is one \
         row with as many bytes in one transaction, on as many connections.",
        &["clients", "bare inserts", "many owners", "of bare", "one owner", "of bare"],
        &rows,
    );
    if std::env::var("FLOORS").is_err() {
        writes::print_reads(&servers, &bare).await;
    }
    if std::env::var(CITUS_VARIABLE).is_err() {
        let store = open().await;
        let floor =
            FloorConnections::open(&address, &options.schema, &store, 2 * CONNECTIONS).await;
        print_floors(&Accounting::open(&address).await, &servers, &bare, &floor, &filler).await;
    }
}

/// Measures what the statements of a write cost without a server, beside the other two.
async fn print_floors(
    accounting: &Accounting,
    servers: &LoadServers,
    bare: &BareTable,
    floor: &FloorConnections,
    filler: &StoreFiller,
) {
    let (clients, writes) = (2 * CONNECTIONS, CLIENTS[2].1);
    let mut rates = [const { Vec::new() }; 7];
    for _ in 0..ROUNDS {
        let of = |work| accounting.measure(writes, work);
        rates[0].push(of(Box::pin(bare.insert(filler, clients, writes)) as Measured).await);
        rates[1].push(of(Box::pin(floor.write(filler, Sent::OneByOne, writes))).await);
        rates[2].push(of(Box::pin(floor.write(filler, Sent::InTwoTrips, writes))).await);
        rates[3].push(of(Box::pin(floor.write(filler, Sent::Merged, writes))).await);
        rates[4].push(of(Box::pin(floor.write(filler, Sent::MergedInOneTrip, writes))).await);
        rates[5].push(of(Box::pin(servers.write_many(filler, clients, writes))).await);
        rates[6].push(of(Box::pin(servers.write_one(filler, clients, writes))).await);
    }
    let names = [
        "bare insert",
        "statements of a write, one by one",
        "the same in two round trips",
        "merged, in two round trips",
        "merged, in one round trip",
        "many owners, through two servers",
        "one owner, through two servers",
    ];
    let medians = rates.map(median_rate);
    let row = |(name, rate): (&&str, &WriteRate)| {
        let part = 100.0 * rate.per_second / medians[0].per_second;
        vec![
            (*name).to_owned(),
            format!("{:.0}", rate.per_second),
            format!("{part:.0}%"),
            format!("{:.0}", rate.database_us),
            format!("{:.0}", rate.client_us),
        ]
    };
    let rows: Vec<Vec<String>> = names.iter().zip(&medians).map(row).collect();
    print_table(
        "What a write costs",
        "With 32 clients: per second, and microseconds of CPU for each of the database and of the \
         process that has the clients and the servers.",
        &["write", "per second", "of bare", "CPU of the database", "CPU of the rest"],
        &rows,
    );
}

/// Something that writes and returns its rate.
type Measured<'m> = std::pin::Pin<Box<dyn Future<Output = f64> + 'm>>;

fn median_rate(rates: Vec<WriteRate>) -> WriteRate {
    let of = |one: fn(&WriteRate) -> f64| median(rates.iter().map(one).collect());
    WriteRate {
        per_second: of(|rate| rate.per_second),
        client_us: of(|rate| rate.client_us),
        database_us: of(|rate| rate.database_us),
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
