//! The cost of a write: through two servers, and sent by a client that does nothing else, beside a
//! bare insert of the same bytes in the same run.

use crate::accounting::{Accounting, WriteRate};
use crate::bare::BareTable;
use crate::floor::{FloorConnections, Sent};
use crate::writes::LoadServers;
use crate::{CLIENTS, CONNECTIONS, ROUNDS, median};
use testkit::bench::{StoreFiller, print_table};

/// Connections that send the statements of a write.
pub struct Floors {
    pub checked: FloorConnections,
    /// Of a session in which no foreign keys are checked.
    pub free: FloorConnections,
}

const NAMES: [&str; 9] = [
    "bare insert",
    "the same in a transaction of its owner",
    "statements of a write, one by one",
    "the same in two round trips",
    "merged, in two round trips",
    "merged, in one round trip",
    "the same without foreign keys",
    "many owners, through two servers",
    "one owner, through two servers",
];

/// Measures the CPU time of writes by 32 clients.
pub async fn print(
    accounting: &Accounting,
    servers: &LoadServers,
    bare: &BareTable,
    floors: &Floors,
    filler: &StoreFiller,
) {
    let (clients, writes) = (2 * CONNECTIONS, CLIENTS[2].1);
    let mut rates = [const { Vec::new() }; NAMES.len()];
    for _ in 0..ROUNDS {
        let floor = |sent| floors.checked.write(filler, sent, writes);
        let round = [
            accounting.measure(writes, bare.insert(filler, clients, writes)).await,
            accounting.measure(writes, floor(Sent::Bare)).await,
            accounting.measure(writes, floor(Sent::OneByOne)).await,
            accounting.measure(writes, floor(Sent::InTwoTrips)).await,
            accounting.measure(writes, floor(Sent::Merged)).await,
            accounting.measure(writes, floor(Sent::MergedInOneTrip)).await,
            accounting
                .measure(writes, floors.free.write(filler, Sent::MergedInOneTrip, writes))
                .await,
            accounting.measure(writes, servers.write_many(filler, clients, writes)).await,
            accounting.measure(writes, servers.write_one(filler, clients, writes)).await,
        ];
        rates.iter_mut().zip(round).for_each(|(all, one)| all.push(one));
    }
    let medians = rates.map(|rates| median_rate(&rates));
    let rows: Vec<Vec<String>> =
        NAMES.iter().zip(&medians).map(|(name, rate)| row(name, rate, &medians[0])).collect();
    print_table(
        "What a write costs",
        "With 32 clients: per second, and microseconds of CPU for each, of the database and of the \
         process that has the clients and the servers.",
        &["write", "per second", "of bare", "CPU of the database", "CPU of the rest"],
        &rows,
    );
}

fn row(name: &str, rate: &WriteRate, bare: &WriteRate) -> Vec<String> {
    let part = 100.0 * rate.per_second / bare.per_second;
    vec![
        name.to_owned(),
        format!("{:.0}", rate.per_second),
        format!("{part:.0}%"),
        format!("{:.0}", rate.database_us),
        format!("{:.0}", rate.client_us),
    ]
}

fn median_rate(rates: &[WriteRate]) -> WriteRate {
    let of = |one: fn(&WriteRate) -> f64| median(rates.iter().map(one).collect());
    WriteRate {
        per_second: of(|rate| rate.per_second),
        client_us: of(|rate| rate.client_us),
        database_us: of(|rate| rate.database_us),
    }
}
