//! The store itself: opens the database, checks that it keeps what the contract promises, and runs
//! reads and writes on threads that may block.

use crate::address::DatabaseAddress;
use crate::connect;
use crate::driver_runtime::{DriverRuntime, run_on};
use crate::error::{SqlResult, StatementError};
use crate::known_clocks::KnownClocks;
use crate::master_key::MasterKey;
use crate::migrate::{self, SchemaState};
use crate::owner_transaction::OwnerTransaction;
use crate::planned_queue::PlannedQueue;
use crate::start_checks;
use crate::transaction::PgTransaction;
use crate::write_queue::WriteQueues;
use crate::{InvalidAddress, Options};
use deadpool_postgres::Pool;
use metrics::TRACE_TARGET;
use metrics::catalogue::DATABASE_ERRORS;
use model::OwnerId;
use std::sync::Arc;
use store::StoreError;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::Span;

/// A store in a PostgreSQL database. Clones share the connections.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    pub(crate) inner: Arc<SharedState>,
}

pub(crate) struct SharedState {
    pub(crate) runtime: DriverRuntime,
    pub(crate) pool: Pool,
    pub(crate) master_key: MasterKey,
    pub(crate) queues: WriteQueues,
    pub(crate) clocks: KnownClocks,
    pub(crate) planned: PlannedQueue,
    /// The address without a password.
    pub(crate) shown: String,
}

impl std::fmt::Debug for SharedState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedState").field("address", &self.shown).finish_non_exhaustive()
    }
}

/// The reason why a store could not be opened.
#[derive(Debug)]
pub enum OpenError {
    Address(InvalidAddress),
    Store(StoreError),
    /// The database does not keep what the contract promises, as a sentence for people.
    Unfit(String),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Address(error) => error.fmt(f),
            Self::Store(error) => match error.cause() {
                Some(cause) => write!(f, "{error}: {cause}"),
                None => error.fmt(f),
            },
            Self::Unfit(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<InvalidAddress> for OpenError {
    fn from(error: InvalidAddress) -> Self {
        Self::Address(error)
    }
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<StatementError> for OpenError {
    fn from(error: StatementError) -> Self {
        Self::Store(error.into())
    }
}

impl PostgresStore {
    /// Opens the store at an address, creating or updating its schema.
    ///
    /// # Errors
    /// Fails when the address is invalid, the server cannot be reached, its schema is newer than
    /// this program, or the database does not keep what the contract promises.
    pub async fn open(url: &str, options: &Options) -> Result<Self, OpenError> {
        let (address, options) = parse(url, options)?;
        let runtime = DriverRuntime::start(options.connections_max)?;
        let master_key = MasterKey::new(options.audit_key);
        let (shown, busy_timeout) = (address.shown(), options.busy_timeout);
        let prepared = prepare(address, options, master_key.clone());
        let (pool, is_distributed) = run_on(runtime.handle(), prepared).await??;
        let (queues, clocks) = (WriteQueues::default(), KnownClocks::default());
        // Where owners are on different nodes, a commit of several would take a vote of the nodes.
        let planned = PlannedQueue::new(!is_distributed, busy_timeout);
        let state = SharedState { runtime, pool, master_key, queues, clocks, planned, shown };
        Ok(Self { inner: Arc::new(state) })
    }

    /// Reads the state of the schema at an address, without changing anything.
    ///
    /// # Errors
    /// Fails when the address is invalid, the server cannot be reached, or the schema is newer than
    /// this program or was edited.
    pub async fn schema_state(url: &str, options: &Options) -> Result<SchemaState, OpenError> {
        let (address, options) = parse(url, options)?;
        let runtime = DriverRuntime::start(1)?;
        let state = async move {
            let client = connect::single(&address, &options).await?;
            migrate::state(&client, &options.schema).await
        };
        Ok(run_on(runtime.handle(), state).await??)
    }

    /// Checks that the database answers.
    ///
    /// # Errors
    /// Fails when it cannot be reached in time.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let pool = self.inner.pool.clone();
        let ping = async move {
            let client = connect::take(&pool).await?;
            client.batch_execute("SELECT 1").await.map_err(StatementError::from)
        };
        Ok(run_on(self.inner.runtime.handle(), ping).await??)
    }

    /// Returns whether the database answers and has the schema of this program.
    pub async fn is_ready(&self) -> bool {
        const SQL: &str = "SELECT count(*) FROM migrations";
        let versions = self.control(|conn| conn.one(SQL, &[], |row| row.get::<i64>(0))).await;
        versions.is_ok_and(|found| found == i64::from(migrate::SCHEMA_VERSION))
    }

    /// Returns the role that the statements of the store run under.
    ///
    /// # Errors
    /// Fails when the database cannot be reached in time.
    pub async fn role(&self) -> Result<String, StoreError> {
        const SQL: &str = "SELECT current_user::text";
        self.control(|conn| conn.one(SQL, &[], |row| row.get(0))).await
    }

    /// Reads rows of one owner. All statements see the same state.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        owner: &OwnerId,
        work: impl Fn(&OwnerTransaction) -> SqlResult<T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let work = Arc::new(work);
        let first = self.try_read(owner, Arc::clone(&work)).await;
        match first {
            // A connection of the pool may have been cut while nobody used it.
            Err(error) if error.is_connection_loss() => {
                DATABASE_ERRORS.count(&[("kind", error.kind())]);
                Ok(self.try_read(owner, work).await?)
            }
            answer => Ok(answer?),
        }
    }

    async fn try_read<T: Send + 'static>(
        &self,
        owner: &OwnerId,
        work: Arc<impl Fn(&OwnerTransaction) -> SqlResult<T> + Send + Sync + 'static>,
    ) -> SqlResult<T> {
        const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        self.in_transaction(owner, BEGIN, move |conn| {
            let answer = work(&conn);
            conn.end();
            answer
        })
        .await
    }

    /// Changes rows of one owner, outside of the queue of its batches.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        owner: &OwnerId,
        work: impl FnOnce(&OwnerTransaction) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let changed = self.in_transaction(owner, "BEGIN", move |conn| match work(&conn) {
            Ok(changed) => conn.commit().map(|()| changed),
            Err(error) => {
                conn.end();
                Err(error)
            }
        });
        Ok(changed.await?)
    }

    /// Runs something in a transaction of one owner, which it ends itself.
    pub(crate) async fn in_transaction<T: Send + 'static>(
        &self,
        owner: &OwnerId,
        begin: &str,
        work: impl FnOnce(OwnerTransaction) -> SqlResult<T> + Send + 'static,
    ) -> SqlResult<T> {
        let begin = self::begin(owner, begin);
        let owner = owner.to_string();
        self.blocking(begin, move |inner| work(OwnerTransaction::new(inner, &owner))).await
    }

    /// Changes the tables above the owners.
    pub(crate) async fn control<T: Send + 'static>(
        &self,
        work: impl FnOnce(&PgTransaction) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let changed = self.blocking("BEGIN".to_owned(), move |conn| match work(&conn) {
            Ok(changed) => conn.commit().map(|()| changed),
            Err(error) => {
                conn.end();
                Err(error)
            }
        });
        Ok(changed.await?)
    }

    async fn blocking<T: Send + 'static>(
        &self,
        begin: String,
        work: impl FnOnce(PgTransaction) -> SqlResult<T> + Send + 'static,
    ) -> SqlResult<T> {
        let (sender, receiver) = oneshot::channel();
        // Boxed, so that the task of the runtime is compiled once and not again for each statement.
        // The receiver is gone when the caller gave up waiting.
        let work: BoxedWork = Box::new(move |conn| drop(sender.send(work(conn))));
        let span = tracing::info_span!(
            target: TRACE_TARGET, "store.transaction", round_trips = tracing::field::Empty,
        );
        let run = run_in_transaction(self.inner.pool.clone(), begin, work, span);
        let task = self.inner.runtime.handle().spawn(run);
        // The answer comes from the thread of the work; only the task knows why there is none.
        if let Ok(answer) = receiver.await {
            return answer;
        }
        let failed = |cause| StatementError::Refused(StoreError::Failed { cause });
        task.await.map_err(|error| failed(error.to_string()))??;
        Err(failed("a statement ended early".to_owned()))
    }
}

/// Returns the statements that begin a transaction of an owner.
pub(crate) fn begin(owner: &OwnerId, begin: &str) -> String {
    // The name of an owner has no character that could end the quotation.
    format!("{begin}; SET LOCAL quipu.owner = '{owner}'")
}

/// Work of one transaction.
type BoxedWork = Box<dyn FnOnce(PgTransaction) + Send>;

/// Runs work on a connection of the pool, on a thread that is allowed to block.
async fn run_in_transaction(
    pool: Pool,
    begin: String,
    work: BoxedWork,
    span: Span,
) -> SqlResult<()> {
    // The connection comes first, so that no more threads are used than connections.
    let (client, runtime) = (connect::take(&pool).await?, Handle::current());
    let blocking = runtime.clone();
    let begun = PgTransaction::begin(client, runtime, begin, span);
    let task = blocking.spawn_blocking(move || work(begun));
    task.await
        .map_err(|panic| StatementError::Refused(StoreError::Failed { cause: panic.to_string() }))
}

/// Brings the database to the newest schema, checks it, and returns the pool of its connections,
/// and whether owners may be on different nodes.
async fn prepare(
    address: DatabaseAddress,
    options: Options,
    master_key: MasterKey,
) -> Result<(Pool, bool), OpenError> {
    let client = connect::single(&address, &options).await?;
    migrate::create_role(&client).await?;
    migrate::migrate(&client, &options.schema).await?;
    start_checks::check_durability(&client).await?;
    let take_role = options.row_security && migrate::holds(&client, migrate::MEMBER).await?;
    let pool = connect::pool(&address, &options, take_role)?;
    if options.row_security {
        let client = connect::take(&pool).await?;
        start_checks::check_row_security(&client).await?;
    }
    start_checks::check_audit_key(&client, &master_key).await?;
    Ok((pool, start_checks::is_distributed(&client).await?))
}

/// Reads an address, with the schema that it names.
fn parse(url: &str, options: &Options) -> Result<(DatabaseAddress, Options), OpenError> {
    let address = DatabaseAddress::parse(url, options)?;
    let schema = address.schema.clone().unwrap_or_else(|| options.schema.clone());
    Ok((address, Options { schema, ..options.clone() }))
}
