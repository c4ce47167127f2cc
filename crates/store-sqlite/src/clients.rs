//! The `Clients` trait: OAuth clients and tokens, in the file of owners and keys. Only hashes of
//! tokens are stored.

use crate::control::owner_from_row;
use crate::{SqliteStore, row};
use async_trait::async_trait;
use model::{
    Client, Consent, ContentHash, Moment, OwnerId, Permission, TokenFamily, TokenFamilyId,
    TokenInfo, TokenPair, TokenPurpose,
};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use store::{Clients, RotationResult, StoreError};

#[async_trait]
impl Clients for SqliteStore {
    async fn add_client(&self, client: Client, most: usize) -> Result<bool, StoreError> {
        // Counted and inserted in one statement, so that racing registrations stay in the limit.
        const SQL: &str = "INSERT INTO clients (id, name, redirects, registered_at)
                           SELECT ?1, ?2, ?3, ?4 WHERE (SELECT count(*) FROM clients) < ?5
                               OR EXISTS (SELECT 1 FROM clients WHERE id = ?1)
                           ON CONFLICT (id) DO UPDATE
                               SET name = excluded.name, redirects = excluded.redirects,
                                   registered_at = excluded.registered_at";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let add = move |conn: &Connection| {
            let redirects = serde_json::Value::from(client.redirect_uris).to_string();
            let params = params![client.id, client.name, redirects, client.registered_at.0, most];
            conn.prepare_cached(SQL)?.execute(params)
        };
        Ok(self.control().write_statement(add).await? > 0)
    }

    async fn client(&self, id: &str) -> Result<Option<Client>, StoreError> {
        const SQL: &str = "SELECT id, name, redirects, registered_at FROM clients WHERE id = ?1";
        let id = id.to_owned();
        self.control()
            .read_snapshot(move |conn| {
                conn.prepare_cached(SQL)?.query_row([&id], client_from_row).optional()
            })
            .await
    }

    async fn create_family(
        &self,
        consent: Consent,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<TokenFamilyId, StoreError> {
        const SQL: &str =
            "INSERT INTO families (owner, agent, client, resource, scope, since, renewed_at)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
        let begin = move |transaction: &Transaction<'_>| {
            let (owner, agent) = (consent.owner.as_str(), consent.agent.as_str());
            let params =
                params![owner, agent, consent.client, consent.resource, consent.scope.name(), at.0];
            let family = TokenFamilyId(transaction.prepare_cached(SQL)?.insert(params)?);
            insert_tokens(transaction, family, &tokens)?;
            Ok(family)
        };
        self.control().write_transaction(begin).await
    }

    async fn rotate(
        &self,
        client: &str,
        refresh: ContentHash,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<RotationResult, StoreError> {
        let client = client.to_owned();
        let rotate = move |transaction: &Transaction<'_>| {
            rotate_token(transaction, &client, refresh, &tokens, at)
        };
        self.control().write_transaction(rotate).await
    }

    async fn token(&self, hash: ContentHash) -> Result<Option<TokenInfo>, StoreError> {
        self.control().read_snapshot(move |conn| find_token(conn, hash)).await
    }

    async fn families(&self, owner: &OwnerId) -> Result<Vec<TokenFamily>, StoreError> {
        const SQL: &str =
            "SELECT owner, agent, client, resource, scope, id, since, renewed_at, revoked_at
                           FROM families WHERE owner = ?1 ORDER BY id DESC";
        let owner = owner.clone();
        let read = move |conn: &Connection| {
            conn.prepare_cached(SQL)?.query_map([owner.as_str()], family_from_row)?.collect()
        };
        self.control().read_snapshot(read).await
    }

    async fn revoke_family(
        &self,
        owner: &OwnerId,
        family: TokenFamilyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        const SQL: &str = "UPDATE families SET revoked_at = coalesce(revoked_at, ?3) \
            WHERE id = ?1 AND owner = ?2";
        let owner = owner.clone();
        let revoke = move |conn: &Connection| {
            conn.prepare_cached(SQL)?.execute((family.0, owner.as_str(), at.0))
        };
        Ok(self.control().write_statement(revoke).await? > 0)
    }

    async fn remove_expired(&self, before: Moment) -> Result<usize, StoreError> {
        self.control()
            .write_transaction(move |transaction| remove_expired(transaction, before))
            .await
    }
}

fn rotate_token(
    transaction: &Transaction<'_>,
    client: &str,
    refresh: ContentHash,
    tokens: &TokenPair,
    at: Moment,
) -> rusqlite::Result<RotationResult> {
    const REVOKE: &str = "UPDATE families SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1";
    // The old pair is ended and not deleted, so that its refresh token is recognized when it is
    // presented again.
    const END: &str = "UPDATE tokens SET ended = 1 WHERE family = ?1";
    const RENEW: &str = "UPDATE families SET renewed_at = ?2 WHERE id = ?1";
    let presented = find_token(transaction, refresh)?
        .filter(|token| token.purpose == TokenPurpose::Refresh && token.consent.client == client);
    let Some(presented) = presented else { return Ok(RotationResult::Invalid) };
    // Reuse means that the token or its successor was stolen, and nobody can tell which of the two
    // clients is the thief: all tokens of the family are revoked (OAuth 2.1, refresh token
    // rotation).
    if presented.invalidated {
        transaction.execute(REVOKE, (presented.family.0, at.0))?;
        return Ok(RotationResult::Reused(presented.consent));
    }
    if !presented.is_valid(at) {
        return Ok(RotationResult::Invalid);
    }
    transaction.execute(END, [presented.family.0])?;
    transaction.execute(RENEW, (presented.family.0, at.0))?;
    insert_tokens(transaction, presented.family, tokens)?;
    Ok(RotationResult::Rotated(presented.consent))
}

fn insert_tokens(
    transaction: &Transaction<'_>,
    family: TokenFamilyId,
    tokens: &TokenPair,
) -> rusqlite::Result<()> {
    const SQL: &str = "INSERT INTO tokens (hash, family, purpose, until) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = transaction.prepare_cached(SQL)?;
    insert.execute(params![tokens.access.0, family.0, "access", tokens.access_expires_at.0])?;
    insert.execute(params![tokens.refresh.0, family.0, "refresh", tokens.refresh_expires_at.0])?;
    Ok(())
}

fn find_token(conn: &Connection, hash: ContentHash) -> rusqlite::Result<Option<TokenInfo>> {
    const SQL: &str = "SELECT owner, agent, client, resource, scope, family, purpose, until,
                              ended OR revoked_at IS NOT NULL
                       FROM tokens JOIN families ON families.id = tokens.family WHERE hash = ?1";
    let info = |row: &Row<'_>| {
        Ok(TokenInfo {
            consent: consent_from_row(row)?,
            family: TokenFamilyId(row.get(5)?),
            purpose: row::parse_word(row, 6, parse_purpose)?,
            expires_at: row::moment(row, 7)?,
            invalidated: row.get(8)?,
        })
    };
    conn.prepare_cached(SQL)?.query_row([hash.0], info).optional()
}

fn remove_expired(transaction: &Transaction<'_>, before: Moment) -> rusqlite::Result<usize> {
    // In this order: a family is abandoned once its tokens are gone, a client once its families
    // are.
    transaction.execute("DELETE FROM tokens WHERE until < ?1", [before.0])?;
    let abandoned =
        "DELETE FROM families WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE family = families.id)";
    transaction.execute(abandoned, [])?;
    let unused = "DELETE FROM clients WHERE registered_at < ?1
                  AND NOT EXISTS (SELECT 1 FROM families WHERE client = clients.id)";
    transaction.execute(unused, [before.0])
}

fn parse_purpose(word: &str) -> Option<TokenPurpose> {
    match word {
        "access" => Some(TokenPurpose::Access),
        "refresh" => Some(TokenPurpose::Refresh),
        _ => None,
    }
}

fn client_from_row(row: &Row<'_>) -> rusqlite::Result<Client> {
    Ok(Client {
        id: row.get(0)?,
        name: row.get(1)?,
        redirect_uris: row::parse_word(row, 2, |json| serde_json::from_str(json).ok())?,
        registered_at: row::moment(row, 3)?,
    })
}

/// Reads a consent from the first five columns.
fn consent_from_row(row: &Row<'_>) -> rusqlite::Result<Consent> {
    Ok(Consent {
        owner: owner_from_row(row, 0)?,
        agent: row::agent(row, 1)?,
        client: row.get(2)?,
        resource: row.get(3)?,
        scope: row::parse_word(row, 4, Permission::parse)?,
    })
}

fn family_from_row(row: &Row<'_>) -> rusqlite::Result<TokenFamily> {
    Ok(TokenFamily {
        consent: consent_from_row(row)?,
        id: TokenFamilyId(row.get(5)?),
        granted_at: row::moment(row, 6)?,
        renewed_at: row::moment(row, 7)?,
        revoked_at: row::optional_moment(row, 8)?,
    })
}
