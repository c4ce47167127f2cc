//! The schema and its numbered migrations. Whoever comes first applies those that are missing,
//! under a lock on the table that lists them; an edited or unknown one is refused.

use crate::error::{SqlResult, StatementError};
use sha2::{Digest, Sha256};
use store::StoreError;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

/// The migrations in order; the number of one is its place, from 1.
const MIGRATIONS: [&str; 7] = [
    include_str!("../migrations/0001_store.sql"),
    include_str!("../migrations/0002_row_security.sql"),
    include_str!("../migrations/0003_expiring.sql"),
    include_str!("../migrations/0004_merges.sql"),
    include_str!("../migrations/0005_recent_questions.sql"),
    include_str!("../migrations/0006_view_segments.sql"),
    include_str!("../migrations/0007_job_parts.sql"),
];

/// The newest version of the schema.
pub(crate) const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// The role that servers take on: it may read and write the rows, and does not own the tables.
pub(crate) const SERVER_ROLE: &str = "quipu_server";

/// Attempts to create the list of migrations while others do the same.
const ATTEMPTS_MAX: usize = 10;

/// The state of a database's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaState {
    /// The version of the schema; 0 when there is none yet.
    pub found: u32,
    /// The newest version that this program knows.
    pub known: u32,
}

/// Reads the state of a schema without changing it.
pub(crate) async fn state(client: &Client, schema: &str) -> Result<SchemaState, StoreError> {
    let found = if has_list(client, schema).await? { applied(client).await? } else { Vec::new() };
    check_history(&found)?;
    Ok(SchemaState { found: found.len() as u32, known: SCHEMA_VERSION })
}

/// Brings a schema to the newest version, creating it if there is none.
pub(crate) async fn migrate(client: &Client, schema: &str) -> Result<(), StoreError> {
    if state(client, schema).await? == up_to_date() {
        return Ok(());
    }
    create_list(client, schema).await?;
    apply_missing(client, schema).await
}

fn up_to_date() -> SchemaState {
    SchemaState { found: SCHEMA_VERSION, known: SCHEMA_VERSION }
}

async fn has_list(client: &Client, schema: &str) -> SqlResult<bool> {
    let table = format!("\"{schema}\".migrations");
    let row = client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&table]).await?;
    Ok(row.try_get(0)?)
}

/// Creates the schema and the list of its migrations.
async fn create_list(client: &Client, schema: &str) -> Result<(), StoreError> {
    let sql = format!(
        "CREATE SCHEMA IF NOT EXISTS \"{schema}\";
         CREATE TABLE IF NOT EXISTS \"{schema}\".migrations
            (version bigint PRIMARY KEY, checksum bytea NOT NULL);"
    );
    for _ in 0..ATTEMPTS_MAX {
        if has_list(client, schema).await? {
            return Ok(());
        }
        match client.batch_execute(&sql).await {
            Ok(()) => return Ok(()),
            // IF NOT EXISTS does not hold against somebody who creates it at the same moment.
            Err(error) if is_race(&error) => {}
            Err(error) => return Err(StatementError::from(error).into()),
        }
    }
    Err(StoreError::Busy)
}

fn is_race(error: &tokio_postgres::Error) -> bool {
    let states = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_SCHEMA,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_OBJECT,
    ];
    // XX000 is "tuple concurrently updated", which has no code of its own.
    error.code().is_some_and(|code| states.contains(code) || code.code() == "XX000")
}

async fn apply_missing(client: &Client, schema: &str) -> Result<(), StoreError> {
    let run = async |sql: &str| client.batch_execute(sql).await.map_err(StatementError::from);
    run("BEGIN; LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE").await?;
    let found = applied(client).await?;
    check_history(&found)?;
    for (number, sql) in (1_i64..).zip(MIGRATIONS).skip(found.len()) {
        run(sql).await?;
        let listed = "INSERT INTO migrations (version, checksum) VALUES ($1, $2)";
        let checksum = checksum(sql).to_vec();
        client.execute(listed, &[&number, &checksum]).await.map_err(StatementError::from)?;
    }
    run(&grants(schema)).await?;
    run("COMMIT").await?;
    Ok(())
}

/// Creates the role of the servers and takes part in it, unless this user may not.
pub(crate) async fn create_role(client: &Client) -> Result<(), StoreError> {
    let exists = "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)";
    if !holds(client, exists).await? {
        try_as_administrator(client, &format!("CREATE ROLE {SERVER_ROLE} NOLOGIN")).await?;
    }
    if !holds(client, MEMBER).await? {
        try_as_administrator(client, &format!("GRANT {SERVER_ROLE} TO CURRENT_USER")).await?;
    }
    Ok(())
}

/// Tells whether this user may take on a role; false where there is no such role.
// Since PostgreSQL 16 a member need not be allowed to take the role on: who creates a role becomes
// a member of it who may only let others in, and themselves.
pub(crate) const MEMBER: &str = "SELECT coalesce(
    (SELECT pg_has_role(current_user, oid,
        CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
     FROM pg_roles WHERE rolname = $1), false)";

/// Returns the answer of a statement about the role of the servers.
pub(crate) async fn holds(client: &Client, sql: &str) -> SqlResult<bool> {
    Ok(client.query_one(sql, &[&SERVER_ROLE]).await?.try_get(0)?)
}

/// Runs a statement that an administrator may have to run instead.
async fn try_as_administrator(client: &Client, sql: &str) -> Result<(), StoreError> {
    match client.batch_execute(sql).await {
        Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
            tracing::warn!(sql, "this user may not do so; see docs/teams.md");
            Ok(())
        }
        Err(error) if !is_race(&error) => Err(StatementError::from(error).into()),
        _ => Ok(()),
    }
}

/// Returns the statements that let the role of the servers use the schema, if there is the role.
fn grants(schema: &str) -> String {
    format!(
        "DO $$ BEGIN
            IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{SERVER_ROLE}') THEN
                GRANT USAGE ON SCHEMA \"{schema}\" TO {SERVER_ROLE};
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \"{schema}\"
                    TO {SERVER_ROLE};
                REVOKE INSERT, UPDATE, DELETE ON \"{schema}\".migrations FROM {SERVER_ROLE};
            END IF;
        END $$"
    )
}

async fn applied(client: &Client) -> SqlResult<Vec<Vec<u8>>> {
    let rows = client.query("SELECT checksum FROM migrations ORDER BY version", &[]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Compares the migrations that were applied with those that this program knows.
fn check_history(found: &[Vec<u8>]) -> Result<(), StoreError> {
    if found.len() > MIGRATIONS.len() {
        let (found, known) = (found.len() as u32, SCHEMA_VERSION);
        return Err(StoreError::TooNew { found, known });
    }
    for (number, (stored, sql)) in (1..).zip(found.iter().zip(MIGRATIONS)) {
        if *stored != checksum(sql) {
            let cause =
                format!("migration {number} of the database is not the one of this program");
            return Err(StoreError::Damaged { cause });
        }
    }
    Ok(())
}

fn checksum(sql: &str) -> [u8; 32] {
    Sha256::digest(sql.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_below_the_owners_is_under_row_level_security() {
        let (_, below) = MIGRATIONS[0].split_once("-- Below the owners.").unwrap();
        let later = MIGRATIONS[1..].concat();
        let tables: Vec<&str> = below
            .lines()
            .chain(later.lines())
            .filter_map(|line| line.strip_prefix("CREATE TABLE ")?.split(' ').next())
            .collect();
        assert!(tables.len() > 30);
        for table in tables {
            let policy = format!("CREATE POLICY one_owner ON {table} ");
            assert!(later.contains(&policy), "{table}");
        }
    }

    #[test]
    fn the_owner_is_the_first_column_of_every_key_and_index_below_the_owners() {
        let (_, below) = MIGRATIONS[0].split_once("-- Below the owners.").unwrap();
        let keys = ["PRIMARY KEY (", "UNIQUE (", "FOREIGN KEY ("];
        let later = MIGRATIONS[1..].concat();
        for line in below.lines().chain(later.lines()).map(str::trim) {
            for key in keys {
                if let Some(columns) = line.split(key).nth(1) {
                    assert!(columns.starts_with("owner, "), "{line}");
                }
            }
            if line.starts_with("CREATE INDEX") {
                assert!(line.contains(" (owner, "), "{line}");
            }
        }
    }

    #[test]
    fn an_unknown_or_edited_history_is_refused() {
        let known: Vec<Vec<u8>> = MIGRATIONS.iter().map(|sql| checksum(sql).to_vec()).collect();
        assert!(check_history(&known).is_ok());
        assert!(check_history(&known[..1]).is_ok());
        let newer = [known.clone(), vec![vec![0; 32]]].concat();
        assert!(matches!(check_history(&newer), Err(StoreError::TooNew { .. })));
        let edited = [vec![0; 32], known[1].clone()];
        assert!(matches!(check_history(&edited), Err(StoreError::Damaged { .. })));
    }
}
