//! Checks of a database before it is used: that an acknowledged write is on disk, that owners are
//! separated twice, and that all servers sign the audit logs with the same key.

use crate::error::StatementError;
use crate::master_key::MasterKey;
use crate::migrate::SERVER_ROLE;
use crate::postgres_store::OpenError;
use tokio_postgres::Client;

/// Refuses a database that acknowledges a write before it is on disk.
pub(crate) async fn check_durability(client: &Client) -> Result<(), OpenError> {
    let shown = "SELECT current_setting('synchronous_commit'), current_setting('fsync')";
    let row = client.query_one(shown, &[]).await.map_err(StatementError::from)?;
    let (mode, fsync): (&str, &str) = (row.get(0), row.get(1));
    if !matches!(mode, "on" | "remote_apply") {
        return Err(OpenError::Unfit(format!(
            "synchronous_commit is {mode} for this user and database, so that a server crash would \
             lose writes that were acknowledged; set it to on"
        )));
    }
    if fsync != "on" {
        tracing::warn!("fsync is off in the database: a power cut can destroy everything");
    }
    Ok(())
}

/// Refuses a role that sees the rows of all owners.
pub(crate) async fn check_row_security(client: &Client) -> Result<(), OpenError> {
    let active = "SELECT row_security_active('memories'), current_user::text";
    let row = client.query_one(active, &[]).await.map_err(StatementError::from)?;
    if row.get::<_, bool>(0) {
        return Ok(());
    }
    Err(OpenError::Unfit(format!(
        "row-level security does not hold for {}, a superuser or a role with BYPASSRLS; let an \
         administrator run `GRANT {SERVER_ROLE} TO` this user, or use another one",
        row.get::<_, &str>(1)
    )))
}

/// Returns whether the database is Citus, on which the owners of a transaction may be on different
/// nodes.
pub(crate) async fn is_distributed(client: &Client) -> Result<bool, OpenError> {
    let installed = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')";
    let row = client.query_one(installed, &[]).await.map_err(StatementError::from)?;
    Ok(row.get(0))
}

/// Refuses a server whose audit key is not that of the others; the first one sets it.
pub(crate) async fn check_audit_key(client: &Client, key: &MasterKey) -> Result<(), OpenError> {
    let set = "UPDATE control SET audit_proof = coalesce(audit_proof, $1) WHERE id = 1
        RETURNING audit_proof";
    let read = "SELECT audit_proof FROM control WHERE id = 1";
    let proof = key.proof().to_vec();
    let row = client.query_one(read, &[]).await.map_err(StatementError::from)?;
    let stored: Option<Vec<u8>> = row.get(0);
    let stored = match stored {
        Some(stored) => stored,
        None => client.query_one(set, &[&proof]).await.map_err(StatementError::from)?.get(0),
    };
    if stored == proof {
        return Ok(());
    }
    Err(OpenError::Unfit(
        "the audit logs of this database are signed with another key; copy the file audit.key of \
         the first server to this one"
            .to_owned(),
    ))
}
