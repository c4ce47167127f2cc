//! The first recall of an owner on a server: with the view built from the rows, and with the one
//! that is stored in the database. Embedder and connections are warm, as on a server in use.

use crate::calls::recall;
use crate::fixture::TeamFixture;
use engine::Engine;
use model::OwnerId;
use std::time::Instant;
use testkit::bench::{Xorshift, print_table, process_cpu_time};

/// Repetitions of which the median is taken.
const ROUNDS: usize = 5;

/// Wall and CPU time in milliseconds.
type WallAndCpu = (f64, f64);

/// Measures the first owner and prints the result.
pub async fn print(fixture: &TeamFixture) {
    let owner = &fixture.owners[0];
    let (mut built, mut loaded, mut warm) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        built.push(time_recall(&fixture.cold_server(false), owner).await);
    }
    let server = fixture.cold_server(true);
    time_recall(&server, owner).await;
    let stored = time(server.flush()).await;
    drop(server);
    for _ in 0..ROUNDS {
        let server = fixture.cold_server(true);
        loaded.push(time_recall(&server, owner).await);
        warm.push(time_recall(&server, owner).await);
    }
    let row = |name: &str, (wall, cpu): WallAndCpu| {
        vec![name.to_owned(), format!("{wall:.0}"), format!("{cpu:.0}")]
    };
    let size = format!("storing it, {:.1} MB, once", fixture.stored_mb(owner).await);
    print_table(
        "The first recall of an owner on a server",
        &format!("Milliseconds, medians of {ROUNDS}. CPU is that of the server alone."),
        &["view", "wall", "CPU"],
        &[
            row("built from the rows", median(built)),
            row("loaded from the database", median(loaded)),
            row("in memory already", median(warm)),
            row(&size, stored),
        ],
    );
}

async fn time_recall(engine: &Engine, owner: &OwnerId) -> WallAndCpu {
    time(recall(engine, owner, &mut Xorshift::new(11))).await
}

async fn time(work: impl Future<Output = ()>) -> WallAndCpu {
    let (begun, before) = (Instant::now(), process_cpu_time());
    work.await;
    let cpu = process_cpu_time() - before;
    (begun.elapsed().as_secs_f64() * 1e3, cpu.as_secs_f64() * 1e3)
}

/// Returns the medians of both times.
fn median(all: Vec<WallAndCpu>) -> WallAndCpu {
    let (mut wall, mut cpu): (Vec<f64>, Vec<f64>) = all.into_iter().unzip();
    wall.sort_unstable_by(f64::total_cmp);
    cpu.sort_unstable_by(f64::total_cmp);
    (wall[ROUNDS / 2], cpu[ROUNDS / 2])
}
