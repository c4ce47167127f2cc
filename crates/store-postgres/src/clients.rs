//! The `Clients` trait: OAuth clients and tokens, in the tables above the owners. Only hashes of
//! tokens are stored.

use crate::control::owner_from_row;
use crate::error::SqlResult;
use crate::postgres_store::PostgresStore;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use crate::transaction::PgTransaction;
use async_trait::async_trait;
use model::{
    Client, Consent, ContentHash, Moment, OwnerId, Permission, TokenFamily, TokenFamilyId,
    TokenInfo, TokenPair, TokenPurpose,
};
use store::{Clients, RotationResult, StoreError};

#[async_trait]
impl Clients for PostgresStore {
    async fn add_client(&self, client: Client, most: usize) -> Result<bool, StoreError> {
        // Racing registrations wait for each other, so that they stay in the limit.
        const LOCK: &str = "SELECT id FROM control WHERE id = 1 FOR UPDATE";
        const SQL: &str = "INSERT INTO clients (id, name, redirects, registered_at)
             SELECT $1::text, $2::text, $3::text, $4::bigint
             WHERE (SELECT count(*) FROM clients) < $5
                OR EXISTS (SELECT 1 FROM clients WHERE id = $1)
             ON CONFLICT (id) DO UPDATE SET name = excluded.name,
                redirects = excluded.redirects, registered_at = excluded.registered_at";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.control(move |conn| {
            conn.rows(LOCK, &[])?;
            let redirects = serde_json::Value::from(client.redirect_uris).to_string();
            let at = client.registered_at.0;
            Ok(conn.execute(SQL, &params![client.id, client.name, redirects, at, most])? > 0)
        })
        .await
    }

    async fn client(&self, id: &str) -> Result<Option<Client>, StoreError> {
        const SQL: &str = "SELECT id, name, redirects, registered_at FROM clients WHERE id = $1";
        let id = id.to_owned();
        self.control(move |conn| conn.first(SQL, &params![&id], client_from_row)).await
    }

    async fn create_family(
        &self,
        consent: Consent,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<TokenFamilyId, StoreError> {
        const NEXT: &str =
            "UPDATE control SET last_family = last_family + 1 WHERE id = 1 RETURNING last_family";
        const SQL: &str = "INSERT INTO families (id, owner, agent, client, resource, scope, since,
                renewed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7)";
        self.control(move |conn| {
            let id = conn.one(NEXT, &[], |row| row.get::<i64>(0))?;
            let values = params![
                id,
                consent.owner.as_str(),
                consent.agent.as_str(),
                &consent.client,
                &consent.resource,
                consent.scope.name(),
                at.0
            ];
            conn.execute(SQL, &values)?;
            insert_tokens(conn, TokenFamilyId(id), &tokens)?;
            Ok(TokenFamilyId(id))
        })
        .await
    }

    async fn rotate(
        &self,
        client: &str,
        refresh: ContentHash,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<RotationResult, StoreError> {
        let client = client.to_owned();
        self.control(move |conn| rotate_token(conn, &client, refresh, &tokens, at)).await
    }

    async fn token(&self, hash: ContentHash) -> Result<Option<TokenInfo>, StoreError> {
        self.control(move |conn| find_token(conn, hash)).await
    }

    async fn families(&self, owner: &OwnerId) -> Result<Vec<TokenFamily>, StoreError> {
        const SQL: &str = "SELECT owner, agent, client, resource, scope, id, since, renewed_at,
                revoked_at FROM families WHERE owner = $1 ORDER BY id DESC";
        let owner = owner.clone();
        self.control(move |conn| {
            conn.rows(SQL, &params![owner.as_str()])?.iter().map(family_from_row).collect()
        })
        .await
    }

    async fn revoke_family(
        &self,
        owner: &OwnerId,
        family: TokenFamilyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        const SQL: &str = "UPDATE families SET revoked_at = coalesce(revoked_at, $3)
             WHERE id = $1 AND owner = $2";
        let owner = owner.clone();
        self.control(move |conn| {
            Ok(conn.execute(SQL, &params![family.0, owner.as_str(), at.0])? > 0)
        })
        .await
    }

    async fn remove_expired(&self, before: Moment) -> Result<usize, StoreError> {
        self.control(move |conn| remove_expired(conn, before)).await
    }
}

fn rotate_token(
    conn: &PgTransaction,
    client: &str,
    refresh: ContentHash,
    tokens: &TokenPair,
    at: Moment,
) -> SqlResult<RotationResult> {
    const REVOKE: &str = "UPDATE families SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1";
    // The old pair is ended and not deleted, so that its refresh token is recognized when it is
    // presented again.
    const END: &str = "UPDATE tokens SET ended = 1 WHERE family = $1";
    const RENEW: &str = "UPDATE families SET renewed_at = $2 WHERE id = $1";
    // Of several servers that present the same token at once, one comes first.
    const LOCK: &str = "SELECT f.id FROM families f JOIN tokens t ON t.family = f.id
         WHERE t.hash = $1 FOR UPDATE OF f";
    conn.rows(LOCK, &params![refresh.0])?;
    let presented = find_token(conn, refresh)?
        .filter(|token| token.purpose == TokenPurpose::Refresh && token.consent.client == client);
    let Some(presented) = presented else { return Ok(RotationResult::Invalid) };
    // Reuse means that the token or its successor was stolen, and nobody can tell which of the two
    // clients is the thief: all tokens of the family are revoked (OAuth 2.1, refresh token
    // rotation).
    if presented.invalidated {
        conn.execute(REVOKE, &params![presented.family.0, at.0])?;
        return Ok(RotationResult::Reused(presented.consent));
    }
    if !presented.is_valid(at) {
        return Ok(RotationResult::Invalid);
    }
    conn.execute(END, &params![presented.family.0])?;
    conn.execute(RENEW, &params![presented.family.0, at.0])?;
    insert_tokens(conn, presented.family, tokens)?;
    Ok(RotationResult::Rotated(presented.consent))
}

fn insert_tokens(conn: &PgTransaction, family: TokenFamilyId, tokens: &TokenPair) -> SqlResult<()> {
    const SQL: &str = "INSERT INTO tokens (hash, family, purpose, until, ended)
         VALUES ($1, $2, $3, $4, 0)";
    let (access, refresh) = (tokens.access.0, tokens.refresh.0);
    let until = (tokens.access_expires_at.0, tokens.refresh_expires_at.0);
    conn.execute(SQL, &params![access, family.0, "access", until.0])?;
    conn.execute(SQL, &params![refresh, family.0, "refresh", until.1])?;
    Ok(())
}

fn find_token(conn: &PgTransaction, hash: ContentHash) -> SqlResult<Option<TokenInfo>> {
    const SQL: &str = "SELECT owner, agent, client, resource, scope, family, purpose, until,
                              ended = 1 OR revoked_at IS NOT NULL
                       FROM tokens JOIN families ON families.id = tokens.family WHERE hash = $1";
    let info = |row: &StoredRow| {
        Ok(TokenInfo {
            consent: consent_from_row(row)?,
            family: TokenFamilyId(row.get(5)?),
            purpose: row::parse_word(row, 6, parse_purpose)?,
            expires_at: row::moment(row, 7)?,
            invalidated: row.get(8)?,
        })
    };
    conn.first(SQL, &params![hash.0], info)
}

fn remove_expired(conn: &PgTransaction, before: Moment) -> SqlResult<usize> {
    // In this order: a family is abandoned once its tokens are gone, a client once its families
    // are.
    const TOKENS: &str = "DELETE FROM tokens WHERE until < $1";
    const FAMILIES: &str = "DELETE FROM families
         WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE family = families.id)";
    const CLIENTS: &str = "DELETE FROM clients WHERE registered_at < $1
         AND NOT EXISTS (SELECT 1 FROM families WHERE client = clients.id)";
    conn.execute(TOKENS, &params![before.0])?;
    conn.execute(FAMILIES, &[])?;
    conn.execute(CLIENTS, &params![before.0])
}

fn parse_purpose(word: &str) -> Option<TokenPurpose> {
    match word {
        "access" => Some(TokenPurpose::Access),
        "refresh" => Some(TokenPurpose::Refresh),
        _ => None,
    }
}

fn client_from_row(row: &StoredRow) -> SqlResult<Client> {
    Ok(Client {
        id: row.get(0)?,
        name: row.get(1)?,
        redirect_uris: row::parse_word(row, 2, |json| serde_json::from_str(json).ok())?,
        registered_at: row::moment(row, 3)?,
    })
}

/// Reads a consent from the first five columns.
fn consent_from_row(row: &StoredRow) -> SqlResult<Consent> {
    Ok(Consent {
        owner: owner_from_row(row, 0)?,
        agent: row::agent(row, 1)?,
        client: row.get(2)?,
        resource: row.get(3)?,
        scope: row::parse_word(row, 4, Permission::parse)?,
    })
}

fn family_from_row(row: &StoredRow) -> SqlResult<TokenFamily> {
    Ok(TokenFamily {
        consent: consent_from_row(row)?,
        id: TokenFamilyId(row.get(5)?),
        granted_at: row::moment(row, 6)?,
        renewed_at: row::moment(row, 7)?,
        revoked_at: row::optional_moment(row, 8)?,
    })
}
