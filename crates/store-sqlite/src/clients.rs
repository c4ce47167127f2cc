//! The `Clients` trait: OAuth clients and tokens, in the file of owners and keys. Only hashes of
//! tokens are stored.

use crate::control::owner;
use crate::{SqliteStore, row};
use async_trait::async_trait;
use model::{
    Client, Consent, ContentHash, Family, FamilyId, Moment, OwnerId, Permission, TokenInfo,
    TokenPair, TokenUse,
};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use store::{Clients, Rotated, StoreError};

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
            let redirects = serde_json::Value::from(client.redirects).to_string();
            let params = params![client.id, client.name, redirects, client.registered_at.0, most];
            conn.prepare_cached(SQL)?.execute(params)
        };
        Ok(self.control().write_soon(add).await? > 0)
    }

    async fn client(&self, id: &str) -> Result<Option<Client>, StoreError> {
        const SQL: &str = "SELECT id, name, redirects, registered_at FROM clients WHERE id = ?1";
        let id = id.to_owned();
        self.control()
            .read(move |conn| conn.prepare_cached(SQL)?.query_row([&id], client).optional())
            .await
    }

    async fn begin_family(
        &self,
        consent: Consent,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<FamilyId, StoreError> {
        const SQL: &str =
            "INSERT INTO families (owner, agent, client, resource, scope, since, renewed_at)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
        let begin = move |transaction: &Transaction<'_>| {
            let (owner, agent) = (consent.owner.as_str(), consent.agent.as_str());
            let params =
                params![owner, agent, consent.client, consent.resource, consent.scope.name(), at.0];
            let family = FamilyId(transaction.prepare_cached(SQL)?.insert(params)?);
            keep(transaction, family, &tokens)?;
            Ok(family)
        };
        self.control().write_whole(begin).await
    }

    async fn rotate(
        &self,
        client: &str,
        refresh: ContentHash,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<Rotated, StoreError> {
        let client = client.to_owned();
        let rotate = move |transaction: &Transaction<'_>| {
            rotated(transaction, &client, refresh, &tokens, at)
        };
        self.control().write_whole(rotate).await
    }

    async fn token(&self, hash: ContentHash) -> Result<Option<TokenInfo>, StoreError> {
        self.control().read(move |conn| token(conn, hash)).await
    }

    async fn families(&self, owner: &OwnerId) -> Result<Vec<Family>, StoreError> {
        const SQL: &str =
            "SELECT owner, agent, client, resource, scope, id, since, renewed_at, revoked_at
                           FROM families WHERE owner = ?1 ORDER BY id DESC";
        let owner = owner.clone();
        let read = move |conn: &Connection| {
            conn.prepare_cached(SQL)?.query_map([owner.as_str()], family)?.collect()
        };
        self.control().read(read).await
    }

    async fn revoke_family(
        &self,
        owner: &OwnerId,
        family: FamilyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        const SQL: &str = "UPDATE families SET revoked_at = coalesce(revoked_at, ?3) \
            WHERE id = ?1 AND owner = ?2";
        let owner = owner.clone();
        let revoke = move |conn: &Connection| {
            conn.prepare_cached(SQL)?.execute((family.0, owner.as_str(), at.0))
        };
        Ok(self.control().write_soon(revoke).await? > 0)
    }

    async fn sweep(&self, before: Moment) -> Result<usize, StoreError> {
        self.control().write_whole(move |transaction| swept(transaction, before)).await
    }
}

fn rotated(
    transaction: &Transaction<'_>,
    client: &str,
    refresh: ContentHash,
    tokens: &TokenPair,
    at: Moment,
) -> rusqlite::Result<Rotated> {
    const REVOKE: &str = "UPDATE families SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1";
    // The old pair is ended and not deleted, so that its refresh token is recognized when it is
    // presented again.
    const END: &str = "UPDATE tokens SET ended = 1 WHERE family = ?1";
    const RENEW: &str = "UPDATE families SET renewed_at = ?2 WHERE id = ?1";
    let presented = token(transaction, refresh)?
        .filter(|token| token.purpose == TokenUse::Refresh && token.consent.client == client);
    let Some(presented) = presented else { return Ok(Rotated::Nothing) };
    // Reuse means that the token or its successor was stolen, and nobody can tell which of the two
    // clients is the thief: all tokens of the family are revoked (OAuth 2.1, refresh token
    // rotation).
    if presented.ended {
        transaction.execute(REVOKE, (presented.family.0, at.0))?;
        return Ok(Rotated::UsedBefore(presented.consent));
    }
    if !presented.is_good(at) {
        return Ok(Rotated::Nothing);
    }
    transaction.execute(END, [presented.family.0])?;
    transaction.execute(RENEW, (presented.family.0, at.0))?;
    keep(transaction, presented.family, tokens)?;
    Ok(Rotated::Done(presented.consent))
}

fn keep(
    transaction: &Transaction<'_>,
    family: FamilyId,
    tokens: &TokenPair,
) -> rusqlite::Result<()> {
    const SQL: &str = "INSERT INTO tokens (hash, family, purpose, until) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = transaction.prepare_cached(SQL)?;
    insert.execute(params![tokens.access.0, family.0, "access", tokens.access_until.0])?;
    insert.execute(params![tokens.refresh.0, family.0, "refresh", tokens.refresh_until.0])?;
    Ok(())
}

fn token(conn: &Connection, hash: ContentHash) -> rusqlite::Result<Option<TokenInfo>> {
    const SQL: &str = "SELECT owner, agent, client, resource, scope, family, purpose, until,
                              ended OR revoked_at IS NOT NULL
                       FROM tokens JOIN families ON families.id = tokens.family WHERE hash = ?1";
    let info = |row: &Row<'_>| {
        Ok(TokenInfo {
            consent: consent(row)?,
            family: FamilyId(row.get(5)?),
            purpose: row::word(row, 6, purpose)?,
            until: row::moment(row, 7)?,
            ended: row.get(8)?,
        })
    };
    conn.prepare_cached(SQL)?.query_row([hash.0], info).optional()
}

fn swept(transaction: &Transaction<'_>, before: Moment) -> rusqlite::Result<usize> {
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

fn purpose(word: &str) -> Option<TokenUse> {
    match word {
        "access" => Some(TokenUse::Access),
        "refresh" => Some(TokenUse::Refresh),
        _ => None,
    }
}

fn client(row: &Row<'_>) -> rusqlite::Result<Client> {
    Ok(Client {
        id: row.get(0)?,
        name: row.get(1)?,
        redirects: row::word(row, 2, |json| serde_json::from_str(json).ok())?,
        registered_at: row::moment(row, 3)?,
    })
}

/// Reads a consent from the first five columns.
fn consent(row: &Row<'_>) -> rusqlite::Result<Consent> {
    Ok(Consent {
        owner: owner(row, 0)?,
        agent: row::agent(row, 1)?,
        client: row.get(2)?,
        resource: row.get(3)?,
        scope: row::word(row, 4, Permission::parse)?,
    })
}

fn family(row: &Row<'_>) -> rusqlite::Result<Family> {
    Ok(Family {
        consent: consent(row)?,
        id: FamilyId(row.get(5)?),
        since: row::moment(row, 6)?,
        renewed_at: row::moment(row, 7)?,
        revoked_at: row::maybe_moment(row, 8)?,
    })
}
