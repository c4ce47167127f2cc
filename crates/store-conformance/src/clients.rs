//! OAuth clients and tokens: no refresh token is valid twice.

use super::builders::moment;
use super::fixture::StoreFixture;
use model::{
    AgentName, Client, Consent, ContentHash, Permission, TokenFamilyId, TokenPair, TokenPurpose,
};
use store::RotationResult;

fn client(id: &str) -> Client {
    let redirects = vec!["http://127.0.0.1:4711/callback".into(), "cursor://back?to=\"me\"".into()];
    Client {
        id: id.into(),
        name: "An \"editor\" ✎".into(),
        redirect_uris: redirects,
        registered_at: moment(1),
    }
}

fn consent(at: &StoreFixture) -> Consent {
    Consent {
        owner: at.owner.clone(),
        agent: AgentName::new("editor"),
        client: "c1".into(),
        resource: "https://memory.example/mcp".into(),
        scope: Permission::Write,
    }
}

fn hash(secret: &str) -> ContentHash {
    ContentHash::of_bytes(secret.as_bytes())
}

/// Builds a pair whose access token is valid until second 100 and its refresh token until 1000.
fn pair(name: &str) -> TokenPair {
    TokenPair {
        access: hash(&format!("access {name}")),
        access_expires_at: moment(100),
        refresh: hash(&format!("refresh {name}")),
        refresh_expires_at: moment(1000),
    }
}

async fn family(at: &StoreFixture) -> TokenFamilyId {
    assert!(at.store.add_client(client("c1"), 100).await.unwrap());
    at.store.create_family(consent(at), pair("1"), moment(10)).await.unwrap()
}

async fn rotate(at: &StoreFixture, shown: &str, next: &str) -> RotationResult {
    at.store.rotate("c1", hash(&format!("refresh {shown}")), pair(next), moment(20)).await.unwrap()
}

async fn is_good(at: &StoreFixture, secret: &str) -> bool {
    at.second_handle
        .token(hash(secret))
        .await
        .unwrap()
        .is_some_and(|token| token.is_valid(moment(50)))
}

pub async fn a_client_is_found_by_its_id_as_it_registered(at: &StoreFixture) {
    assert!(at.store.add_client(client("c1"), 100).await.unwrap());
    assert_eq!(at.second_handle.client("c1").await.unwrap(), Some(client("c1")));
    assert_eq!(at.store.client("c2").await.unwrap(), None);
}

pub async fn a_client_that_registers_again_is_updated(at: &StoreFixture) {
    assert!(at.store.add_client(client("c1"), 1).await.unwrap());
    let changed = Client {
        name: "Renamed".into(),
        redirect_uris: vec!["https://a.example/".into()],
        registered_at: moment(9),
        ..client("c1")
    };
    assert!(at.store.add_client(changed.clone(), 1).await.unwrap());
    assert_eq!(at.second_handle.client("c1").await.unwrap(), Some(changed));
}

pub async fn no_more_clients_are_registered_than_the_limit(at: &StoreFixture) {
    assert!(at.store.add_client(client("c1"), 2).await.unwrap());
    assert!(at.store.add_client(client("c2"), 2).await.unwrap());
    assert!(!at.store.add_client(client("c3"), 2).await.unwrap());
    assert_eq!(at.store.client("c3").await.unwrap(), None);
}

pub async fn a_token_is_found_by_its_hash_with_what_the_owner_agreed_to(at: &StoreFixture) {
    let family = family(at).await;
    let token = at.second_handle.token(hash("access 1")).await.unwrap().unwrap();
    assert_eq!(
        (token.family, token.purpose, token.expires_at),
        (family, TokenPurpose::Access, moment(100))
    );
    assert_eq!(token.consent, consent(at));
    assert!(token.is_valid(moment(99)) && !token.is_valid(moment(100)));
    let refresh = at.store.token(hash("refresh 1")).await.unwrap().unwrap();
    assert_eq!((refresh.purpose, refresh.expires_at), (TokenPurpose::Refresh, moment(1000)));
    assert_eq!(at.store.token(hash("another")).await.unwrap(), None);
    let families = at.store.families(&at.owner).await.unwrap();
    assert_eq!(
        (families.len(), families[0].granted_at, &families[0].consent),
        (1, moment(10), &consent(at))
    );
}

pub async fn a_refresh_token_gives_a_new_pair_and_ends_the_old_one(at: &StoreFixture) {
    family(at).await;
    assert_eq!(rotate(at, "1", "2").await, RotationResult::Rotated(consent(at)));
    assert!(is_good(at, "access 2").await && is_good(at, "refresh 2").await);
    assert!(!is_good(at, "access 1").await && !is_good(at, "refresh 1").await);
    assert_eq!(at.store.families(&at.owner).await.unwrap()[0].renewed_at, moment(20));
}

pub async fn a_refresh_token_that_is_used_twice_revokes_its_family(at: &StoreFixture) {
    family(at).await;
    rotate(at, "1", "2").await;
    assert_eq!(rotate(at, "1", "3").await, RotationResult::Reused(consent(at)));
    for secret in ["access 1", "refresh 1", "access 2", "refresh 2", "access 3"] {
        assert!(!is_good(at, secret).await, "{secret}");
    }
    assert_eq!(at.store.families(&at.owner).await.unwrap()[0].revoked_at, Some(moment(20)));
}

pub async fn a_refresh_token_gives_nothing_to_another_client_or_after_its_end(at: &StoreFixture) {
    family(at).await;
    let stolen = at.store.rotate("c2", hash("refresh 1"), pair("2"), moment(20)).await.unwrap();
    let late = at.store.rotate("c1", hash("refresh 1"), pair("2"), moment(1000)).await.unwrap();
    assert_eq!((stolen, late), (RotationResult::Invalid, RotationResult::Invalid));
    assert_eq!(rotate(at, "unknown", "2").await, RotationResult::Invalid);
    assert!(is_good(at, "access 1").await, "none of them has changed anything");
}

pub async fn an_access_token_never_refreshes(at: &StoreFixture) {
    family(at).await;
    let tried = at.store.rotate("c1", hash("access 1"), pair("2"), moment(20)).await.unwrap();
    assert_eq!(tried, RotationResult::Invalid);
}

pub async fn of_many_concurrent_uses_of_a_refresh_token_one_gets_a_pair(at: &StoreFixture) {
    family(at).await;
    let (one, two, three, four) = tokio::join!(
        rotate(at, "1", "a"),
        rotate(at, "1", "b"),
        rotate(at, "1", "c"),
        rotate(at, "1", "d")
    );
    let done = [one, two, three, four]
        .iter()
        .filter(|outcome| matches!(outcome, RotationResult::Rotated(_)))
        .count();
    assert_eq!(done, 1);
}

pub async fn a_family_is_revoked_only_by_its_owner(at: &StoreFixture) {
    let other = at.another_owner("other").await;
    let family = family(at).await;
    assert!(!at.store.revoke_family(&other, family, moment(20)).await.unwrap());
    assert!(is_good(at, "access 1").await);
    assert!(at.store.revoke_family(&at.owner, family, moment(20)).await.unwrap());
    assert!(!is_good(at, "access 1").await);
    assert_eq!(at.store.rotate("c1", hash("refresh 1"), pair("2"), moment(20)).await.unwrap(), {
        RotationResult::Reused(consent(at))
    });
    assert!(!is_good(at, "access 2").await);
}

pub async fn erasing_an_owner_ends_every_token_of_theirs(at: &StoreFixture) {
    family(at).await;
    assert!(at.store.erase_owner(&at.owner).await.unwrap());
    assert_eq!(at.store.token(hash("access 1")).await.unwrap(), None);
    assert_eq!(at.store.token(hash("refresh 1")).await.unwrap(), None);
}

pub async fn cleanup_removes_expired_tokens_and_clients_without_tokens(at: &StoreFixture) {
    family(at).await;
    assert!(at.store.add_client(client("c2"), 100).await.unwrap());
    assert_eq!(at.store.remove_expired(moment(500)).await.unwrap(), 1);
    assert_eq!(at.store.client("c2").await.unwrap(), None);
    assert_eq!(at.store.token(hash("access 1")).await.unwrap(), None);
    assert!(is_good(at, "refresh 1").await);
    assert_eq!(at.store.remove_expired(moment(2000)).await.unwrap(), 1);
    assert_eq!(at.store.client("c1").await.unwrap(), None);
    assert!(at.store.families(&at.owner).await.unwrap().is_empty());
}
