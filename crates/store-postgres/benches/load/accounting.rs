//! CPU time of a write, by who spent it: this process, and the processes of the database.

use std::time::Duration;
use testkit::bench::{cpu_time_of, process_cpu_time};
use tokio_postgres::{Client, NoTls};

/// A connection that asks for the processes of the database, which are on this machine.
pub struct Accounting {
    client: Client,
}

/// The rate of a measurement, and the CPU time that it took.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteRate {
    pub per_second: f64,
    /// Microseconds of this process for each write.
    pub client_us: f64,
    /// Microseconds of the database for each write.
    pub database_us: f64,
}

impl Accounting {
    /// Connects to the database.
    pub async fn open(address: &str) -> Self {
        let (client, connection) =
            tokio_postgres::connect(address, NoTls).await.expect("a connection");
        tokio::spawn(connection);
        Self { client }
    }

    /// Measures something that writes so many times and returns its rate.
    pub async fn measure(&self, writes: usize, work: impl Future<Output = f64>) -> WriteRate {
        let (database, client) = (self.database_time().await, process_cpu_time());
        let per_second = work.await;
        let client = process_cpu_time() - client;
        let database = self.database_time().await.saturating_sub(database);
        let each = |spent: Duration| spent.as_secs_f64() * 1e6 / writes as f64;
        WriteRate { per_second, client_us: each(client), database_us: each(database) }
    }

    async fn database_time(&self) -> Duration {
        let sql = "SELECT pid FROM pg_stat_activity";
        let rows = self.client.query(sql, &[]).await.expect("the processes");
        rows.iter().map(|row| cpu_time_of(row.get::<_, i32>(0).unsigned_abs())).sum()
    }
}
