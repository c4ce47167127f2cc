//! OAuth clients and tokens: no refresh token is valid twice.

use super::build::moment;
use super::fixture::Fixture;
use model::{AgentName, Client, Consent, ContentHash, FamilyId, Permission, TokenPair, TokenUse};
use store::Rotated;

fn client(id: &str) -> Client {
    let redirects = vec!["http://127.0.0.1:4711/callback".into(), "cursor://back?to=\"me\"".into()];
    Client { id: id.into(), name: "An \"editor\" ✎".into(), redirects, registered_at: moment(1) }
}

fn consent(at: &Fixture) -> Consent {
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
        access_until: moment(100),
        refresh: hash(&format!("refresh {name}")),
        refresh_until: moment(1000),
    }
}

async fn family(at: &Fixture) -> FamilyId {
    assert!(at.store.add_client(client("c1"), 100).await.unwrap());
    at.store.begin_family(consent(at), pair("1"), moment(10)).await.unwrap()
}

async fn rotate(at: &Fixture, shown: &str, next: &str) -> Rotated {
    at.store.rotate("c1", hash(&format!("refresh {shown}")), pair(next), moment(20)).await.unwrap()
}

async fn is_good(at: &Fixture, secret: &str) -> bool {
    at.twin.token(hash(secret)).await.unwrap().is_some_and(|token| token.is_good(moment(50)))
}

pub async fn a_client_is_found_by_its_id_as_it_registered(at: &Fixture) {
    assert!(at.store.add_client(client("c1"), 100).await.unwrap());
    assert_eq!(at.twin.client("c1").await.unwrap(), Some(client("c1")));
    assert_eq!(at.store.client("c2").await.unwrap(), None);
}

pub async fn a_client_that_comes_again_is_kept_as_it_is_now(at: &Fixture) {
    assert!(at.store.add_client(client("c1"), 1).await.unwrap());
    let changed = Client {
        name: "Renamed".into(),
        redirects: vec!["https://a.example/".into()],
        registered_at: moment(9),
        ..client("c1")
    };
    assert!(at.store.add_client(changed.clone(), 1).await.unwrap());
    assert_eq!(at.twin.client("c1").await.unwrap(), Some(changed));
}

pub async fn no_more_clients_are_kept_than_there_is_room_for(at: &Fixture) {
    assert!(at.store.add_client(client("c1"), 2).await.unwrap());
    assert!(at.store.add_client(client("c2"), 2).await.unwrap());
    assert!(!at.store.add_client(client("c3"), 2).await.unwrap());
    assert_eq!(at.store.client("c3").await.unwrap(), None);
}

pub async fn a_token_is_found_by_its_hash_with_what_the_owner_agreed_to(at: &Fixture) {
    let family = family(at).await;
    let token = at.twin.token(hash("access 1")).await.unwrap().unwrap();
    assert_eq!((token.family, token.purpose, token.until), (family, TokenUse::Access, moment(100)));
    assert_eq!(token.consent, consent(at));
    assert!(token.is_good(moment(99)) && !token.is_good(moment(100)));
    let refresh = at.store.token(hash("refresh 1")).await.unwrap().unwrap();
    assert_eq!((refresh.purpose, refresh.until), (TokenUse::Refresh, moment(1000)));
    assert_eq!(at.store.token(hash("another")).await.unwrap(), None);
    let families = at.store.families(&at.owner).await.unwrap();
    assert_eq!(
        (families.len(), families[0].since, &families[0].consent),
        (1, moment(10), &consent(at))
    );
}

pub async fn a_refresh_token_gives_a_new_pair_and_ends_the_old_one(at: &Fixture) {
    family(at).await;
    assert_eq!(rotate(at, "1", "2").await, Rotated::Done(consent(at)));
    assert!(is_good(at, "access 2").await && is_good(at, "refresh 2").await);
    assert!(!is_good(at, "access 1").await && !is_good(at, "refresh 1").await);
    assert_eq!(at.store.families(&at.owner).await.unwrap()[0].renewed_at, moment(20));
}

pub async fn a_refresh_token_that_is_shown_twice_takes_its_family_back(at: &Fixture) {
    family(at).await;
    rotate(at, "1", "2").await;
    assert_eq!(rotate(at, "1", "3").await, Rotated::UsedBefore(consent(at)));
    for secret in ["access 1", "refresh 1", "access 2", "refresh 2", "access 3"] {
        assert!(!is_good(at, secret).await, "{secret}");
    }
    assert_eq!(at.store.families(&at.owner).await.unwrap()[0].revoked_at, Some(moment(20)));
}

pub async fn a_refresh_token_gives_nothing_to_another_client_or_after_its_end(at: &Fixture) {
    family(at).await;
    let stolen = at.store.rotate("c2", hash("refresh 1"), pair("2"), moment(20)).await.unwrap();
    let late = at.store.rotate("c1", hash("refresh 1"), pair("2"), moment(1000)).await.unwrap();
    assert_eq!((stolen, late), (Rotated::Nothing, Rotated::Nothing));
    assert_eq!(rotate(at, "unknown", "2").await, Rotated::Nothing);
    assert!(is_good(at, "access 1").await, "none of them has changed anything");
}

pub async fn an_access_token_never_refreshes(at: &Fixture) {
    family(at).await;
    let tried = at.store.rotate("c1", hash("access 1"), pair("2"), moment(20)).await.unwrap();
    assert_eq!(tried, Rotated::Nothing);
}

pub async fn of_many_that_show_one_refresh_token_at_once_one_gets_a_pair(at: &Fixture) {
    family(at).await;
    let (one, two, three, four) = tokio::join!(
        rotate(at, "1", "a"),
        rotate(at, "1", "b"),
        rotate(at, "1", "c"),
        rotate(at, "1", "d")
    );
    let done = [one, two, three, four]
        .iter()
        .filter(|outcome| matches!(outcome, Rotated::Done(_)))
        .count();
    assert_eq!(done, 1);
}

pub async fn a_family_is_taken_back_only_by_its_owner(at: &Fixture) {
    let other = at.another_owner("other").await;
    let family = family(at).await;
    assert!(!at.store.revoke_family(&other, family, moment(20)).await.unwrap());
    assert!(is_good(at, "access 1").await);
    assert!(at.store.revoke_family(&at.owner, family, moment(20)).await.unwrap());
    assert!(!is_good(at, "access 1").await);
    assert_eq!(at.store.rotate("c1", hash("refresh 1"), pair("2"), moment(20)).await.unwrap(), {
        Rotated::UsedBefore(consent(at))
    });
    assert!(!is_good(at, "access 2").await);
}

pub async fn erasing_an_owner_ends_every_token_of_theirs(at: &Fixture) {
    family(at).await;
    assert!(at.store.erase_owner(&at.owner).await.unwrap());
    assert_eq!(at.store.token(hash("access 1")).await.unwrap(), None);
    assert_eq!(at.store.token(hash("refresh 1")).await.unwrap(), None);
}

pub async fn sweeping_removes_what_ended_and_clients_that_never_got_anything(at: &Fixture) {
    family(at).await;
    assert!(at.store.add_client(client("c2"), 100).await.unwrap());
    assert_eq!(at.store.sweep(moment(500)).await.unwrap(), 1);
    assert_eq!(at.store.client("c2").await.unwrap(), None);
    assert_eq!(at.store.token(hash("access 1")).await.unwrap(), None);
    assert!(is_good(at, "refresh 1").await);
    assert_eq!(at.store.sweep(moment(2000)).await.unwrap(), 1);
    assert_eq!(at.store.client("c1").await.unwrap(), None);
    assert!(at.store.families(&at.owner).await.unwrap().is_empty());
}
