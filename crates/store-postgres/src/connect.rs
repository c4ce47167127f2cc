//! Connections: one to prepare the database with, and the pool that all calls share. Every
//! connection of the pool has the role of the servers, the schema and the time limits set.

use crate::Options;
use crate::address::DatabaseAddress;
use crate::error::StatementError;
use crate::migrate::SERVER_ROLE;
use crate::tls::RustlsFactory;
use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use metrics::Stopwatch;
use metrics::catalogue::{DATABASE_ERRORS, POOL_WAIT_SECONDS};
use std::time::Duration;
use store::StoreError;
use tokio_postgres::Client;

/// Time after which the database ends a transaction of a server that does not answer any more.
const IDLE_TRANSACTION_MAX: Duration = Duration::from_secs(60);

/// Opens a single connection, with the rights of the user of the address.
pub(crate) async fn single(
    address: &DatabaseAddress,
    options: &Options,
) -> Result<Client, StoreError> {
    let factory = RustlsFactory::new(&address.tls)?;
    let (client, connection) =
        address.config.connect(factory).await.map_err(StatementError::from)?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::warn!(%error, "a connection to the database ended");
        }
    });
    client.batch_execute(&session_settings(options, false)).await.map_err(StatementError::from)?;
    Ok(client)
}

/// Builds the pool, which connects on first use.
pub(crate) fn pool(
    address: &DatabaseAddress,
    options: &Options,
    take_role: bool,
) -> Result<Pool, StoreError> {
    let factory = RustlsFactory::new(&address.tls)?;
    let config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(address.config.clone(), factory, config);
    let settings = session_settings(options, take_role);
    let prepare = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
        let settings = settings.clone();
        Box::pin(async move { client.batch_execute(&settings).await.map_err(HookError::Backend) })
    });
    Pool::builder(manager)
        .max_size(options.connections_max)
        .wait_timeout(Some(options.busy_timeout))
        .create_timeout(Some(options.busy_timeout))
        .runtime(Runtime::Tokio1)
        .post_create(prepare)
        .build()
        .map_err(|error| StoreError::Failed { cause: error.to_string() })
}

/// Takes a connection of the pool.
pub(crate) async fn take(pool: &Pool) -> Result<Object, StatementError> {
    let waiting = Stopwatch::start();
    let taken = pool.get().await;
    waiting.observe(&POOL_WAIT_SECONDS, &[]);
    taken.map_err(|error| match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
            StatementError::Driver(error)
        }
        PoolError::Timeout(_) => {
            DATABASE_ERRORS.count(&[("kind", "busy")]);
            StatementError::Refused(StoreError::Busy)
        }
        other => StatementError::Refused(StoreError::Failed { cause: other.to_string() }),
    })
}

/// Ends the transaction of a connection before that goes back to the pool.
pub(crate) async fn roll_back(client: Object) {
    if client.batch_execute("ROLLBACK").await.is_err() {
        drop(Object::take(client));
    }
}

fn session_settings(options: &Options, take_role: bool) -> String {
    let role = if take_role { format!("SET ROLE {SERVER_ROLE};") } else { String::new() };
    format!(
        "{role} SET search_path TO \"{}\"; SET lock_timeout = {};
         SET idle_in_transaction_session_timeout = {}; SET client_min_messages = warning",
        options.schema,
        options.busy_timeout.as_millis(),
        IDLE_TRANSACTION_MAX.as_millis()
    )
}
