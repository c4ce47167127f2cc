//! API keys: shown once, stored as a hash, valid until they expire or are revoked, and managed by
//! the owner only.

use crate::fixture::{EngineFixture, agent, owner, refused};
use engine::credentials::{CreateKeyRequest, Credential, Credentials, RotateKeyRequest};
use engine::{CallerAccess, KeyForm};
use model::{AgentName, ErrorCode, KeyId, OwnerId, Page, Permission, TokenFamilyId};
use std::sync::Arc;
use store::AuditQuery;

fn request() -> CreateKeyRequest {
    CreateKeyRequest {
        agent: AgentName::new("codex"),
        label: "laptop".into(),
        scope: Permission::Read,
        expires_at: None,
        form: KeyForm::Quipu,
    }
}

#[tokio::test]
async fn a_key_identifies_its_owner_agent_and_scope() {
    let fixture = EngineFixture::new().await;
    let keys = fixture.credentials();
    let created = keys.create_key(&owner(), &request()).await.unwrap();
    let identity = keys.identify(created.secret.reveal()).await.unwrap().unwrap();
    assert_eq!(identity.owner, OwnerId::me());
    assert_eq!((identity.agent.as_str(), identity.scope), ("codex", Permission::Read));
    assert_eq!(identity.credential, Credential::Key(created.id));
    let kept = &keys.keys(&owner()).await.unwrap()[0];
    assert_eq!(kept.last_used_at, Some(fixture.now()));
    assert!(!format!("{kept:?}").contains(created.secret.reveal()));
}

#[tokio::test]
async fn what_is_not_a_key_identifies_nobody() {
    let fixture = EngineFixture::new().await;
    let keys = fixture.credentials();
    let created = keys.create_key(&owner(), &request()).await.unwrap();
    let whole = created.secret.reveal();
    let stranger = engine::KeySecret::new(KeyForm::Quipu).unwrap();
    for shown in ["", "qp_", &whole[..whole.len() - 1], &whole.to_uppercase(), stranger.reveal()] {
        assert_eq!(keys.identify(shown).await.unwrap(), None, "{shown}");
    }
}

#[tokio::test]
async fn expired_and_revoked_keys_identify_nobody() {
    let fixture = EngineFixture::new().await;
    let keys = fixture.credentials();
    let end = fixture.now().plus_seconds(60);
    let short = keys
        .create_key(&owner(), &CreateKeyRequest { expires_at: Some(end), ..request() })
        .await
        .unwrap();
    let long = keys.create_key(&owner(), &request()).await.unwrap();
    fixture.clock.advance(61);
    assert_eq!(keys.identify(short.secret.reveal()).await.unwrap(), None);
    assert!(keys.identify(long.secret.reveal()).await.unwrap().is_some());
    keys.revoke_key(&owner(), long.id).await.unwrap();
    assert_eq!(keys.identify(long.secret.reveal()).await.unwrap(), None);
    refused(keys.revoke_key(&owner(), KeyId(987)).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_rotated_key_overlaps_and_then_ends() {
    let fixture = EngineFixture::new().await;
    let keys = fixture.credentials();
    let old = keys.create_key(&owner(), &request()).await.unwrap();
    let rotate = RotateKeyRequest { key: old.id, overlap_seconds: Some(600) };
    let new = keys.rotate_key(&owner(), &rotate).await.unwrap();
    assert_eq!((&new.key.agent, new.key.scope), (&old.key.agent, old.key.scope));
    for secret in [&old.secret, &new.secret] {
        assert!(keys.identify(secret.reveal()).await.unwrap().is_some());
    }
    fixture.clock.advance(601);
    assert_eq!(keys.identify(old.secret.reveal()).await.unwrap(), None);
    assert!(keys.identify(new.secret.reveal()).await.unwrap().is_some());
    refused(keys.rotate_key(&owner(), &rotate).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn no_agent_creates_lists_or_revokes_keys() {
    let fixture = EngineFixture::new().await;
    let keys = fixture.credentials();
    let key = keys.create_key(&owner(), &request()).await.unwrap().id;
    let rotate = RotateKeyRequest { key, overlap_seconds: None };
    for caller in [
        agent("codex"),
        agent("codex").with_reach(CallerAccess::OwnerToken),
        agent("codex").with_reach(CallerAccess::Credential(Permission::Write)),
    ] {
        refused(keys.create_key(&caller, &request()).await, ErrorCode::ConsentRequired);
        refused(keys.keys(&caller).await, ErrorCode::ConsentRequired);
        refused(keys.rotate_key(&caller, &rotate).await, ErrorCode::ConsentRequired);
        refused(keys.revoke_key(&caller, key).await, ErrorCode::ConsentRequired);
        refused(keys.connections(&caller).await, ErrorCode::ConsentRequired);
        refused(keys.note_owner_action(&caller, &(), "x").await, ErrorCode::ConsentRequired);
        refused(keys.disconnect(&caller, TokenFamilyId(1)).await, ErrorCode::ConsentRequired);
    }
    assert_eq!(keys.keys(&owner()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_gives_access_to_its_own_owner_only() {
    let fixture = EngineFixture::new().await;
    let other = OwnerId::new("other").unwrap();
    fixture.control().create_owner(&other, fixture.now()).await.unwrap();
    let keys = fixture.credentials();
    let mine = keys.create_key(&owner(), &request()).await.unwrap();
    let theirs = engine::Caller::person(other.clone());
    let created = keys.create_key(&theirs, &request()).await.unwrap();
    assert_eq!(keys.identify(created.secret.reveal()).await.unwrap().unwrap().owner, other);
    refused(keys.revoke_key(&theirs, mine.id).await, ErrorCode::NotFound);
    assert_eq!(keys.keys(&theirs).await.unwrap().len(), 1);
}

#[tokio::test]
async fn keys_in_epitomes_format_are_accepted_only_if_enabled() {
    let fixture = EngineFixture::new().await;
    let keys = fixture.credentials();
    let created = keys
        .create_key(&owner(), &CreateKeyRequest { form: KeyForm::Epitome, ..request() })
        .await
        .unwrap();
    assert!(created.secret.reveal().starts_with("epi_"));
    assert_eq!(keys.identify(created.secret.reveal()).await.unwrap(), None);
    let keys = fixture.credentials().with_epitome_keys(true);
    assert!(keys.identify(created.secret.reveal()).await.unwrap().is_some());
}

#[tokio::test]
async fn a_key_without_scope_or_validity_is_not_created() {
    let fixture = EngineFixture::new().await;
    let keys = fixture.credentials();
    let no_scope = CreateKeyRequest { scope: Permission::None, ..request() };
    refused(keys.create_key(&owner(), &no_scope).await, ErrorCode::InvalidArgument);
    let ended = CreateKeyRequest { expires_at: Some(fixture.now()), ..request() };
    refused(keys.create_key(&owner(), &ended).await, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn changes_of_keys_are_in_the_audit_log_without_their_secret() {
    let fixture = EngineFixture::new().await;
    let keys = fixture.credentials();
    let created = keys.create_key(&owner(), &request()).await.unwrap();
    keys.revoke_key(&owner(), created.id).await.unwrap();
    let log =
        fixture.store.audit(&OwnerId::me(), &AuditQuery::default(), Page::first(10)).await.unwrap();
    let notes: Vec<&str> = log.items.iter().map(|event| event.note.as_str()).collect();
    assert_eq!(
        notes,
        [format!("revoked key {}", created.id), format!("created key {} for codex", created.id)]
    );
    assert!(!format!("{log:?}").contains(&created.secret.reveal()[12..]));
}

impl EngineFixture {
    fn credentials(&self) -> Credentials {
        Credentials::new(self.control(), Arc::clone(self.engine.core()))
    }
}
