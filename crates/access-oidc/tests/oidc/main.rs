//! The sign-in against a provider on loopback, with real requests and real signatures.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod fixture;

use fixture::{SignInFixture, follow, now};
use quipu_oidc::{ProviderSettings, SignIn, SignInError};
use store::OwnerValues;
use testkit::fake_provider::{ProviderAlgorithm, TokenFault};

const ALGORITHMS: [ProviderAlgorithm; 3] =
    [ProviderAlgorithm::Rsa, ProviderAlgorithm::Ecdsa, ProviderAlgorithm::Ed25519];

#[tokio::test]
async fn a_person_signs_in_under_every_algorithm_and_comes_back_to_another_server() {
    for algorithm in ALGORITHMS {
        let fixture = SignInFixture::start(algorithm);
        let outcome = fixture.sign_in("/memories?q=a b").await.unwrap();
        assert_eq!(outcome.identity.issuer, fixture.provider.issuer(), "{algorithm:?}");
        assert_eq!(outcome.identity.subject, "subject-1");
        assert_eq!(outcome.identity.username.as_deref(), Some("Ada"));
        assert_eq!(outcome.next, "/memories?q=a b");
    }
}

#[tokio::test]
async fn a_token_with_any_defect_is_refused() {
    for algorithm in ALGORITHMS {
        let fixture = SignInFixture::start(algorithm);
        for (fault, reason) in [
            (TokenFault::WrongIssuer, "another issuer"),
            (TokenFault::WrongAudience, "another client"),
            (TokenFault::OtherParty, "issued to another client"),
            (TokenFault::SeveralAudiences, "whom it was issued to"),
            (TokenFault::WrongNonce, "not the answer to this sign-in"),
            (TokenFault::NoNonce, "not the answer to this sign-in"),
            (TokenFault::Expired, "expired"),
            (TokenFault::NotYetValid, "not valid yet"),
            (TokenFault::NoExpiry, "claim is missing"),
            (TokenFault::NoSubject, "names nobody"),
            (TokenFault::NoSignature, "not signed"),
            (TokenFault::SharedSecret, "algorithm is not accepted"),
            (TokenFault::UnknownKey, "key is not known"),
            (TokenFault::ForgedSignature, "signature is not valid"),
            (TokenFault::ChangedClaims, "signature is not valid"),
        ] {
            fixture.provider.set_fault(Some(fault));
            let refused = fixture.sign_in("/").await.unwrap_err();
            let is_token = matches!(refused, SignInError::Token(_));
            assert!(is_token && refused.to_string().contains(reason), "{fault:?}: {refused}");
        }
        fixture.provider.set_fault(None);
        assert!(fixture.sign_in("/").await.is_ok(), "only the defect was refused");
    }
}

#[tokio::test]
async fn a_sign_in_is_finished_once_and_by_the_browser_that_began_it() {
    let fixture = SignInFixture::start(ProviderAlgorithm::Ecdsa);
    let started = fixture.first.start("/", now()).await.unwrap();
    let other = fixture.first.start("/", now()).await.unwrap();
    let response = follow(&started.location);
    for stranger in [None, Some(""), Some(&*other.browser_secret)] {
        let response = follow(&fixture.first.start("/", now()).await.unwrap().location);
        let refused = fixture.second.finish(&response, stranger, now()).await;
        assert_eq!(refused, Err(SignInError::UnknownState), "{stranger:?}");
    }
    assert_eq!(fixture.provider.tokens_issued(), 0, "no code was exchanged for a stranger");
    let finish = || fixture.second.finish(&response, Some(&started.browser_secret), now());
    assert!(finish().await.is_ok());
    assert_eq!(finish().await, Err(SignInError::UnknownState));
}

#[tokio::test]
async fn a_sign_in_expires() {
    let fixture = SignInFixture::start(ProviderAlgorithm::Ecdsa);
    let started = fixture.first.start("/", now()).await.unwrap();
    let (response, later) = (follow(&started.location), now().plus_seconds(started.seconds));
    let late = fixture.second.finish(&response, Some(&started.browser_secret), later).await;
    assert_eq!(late, Err(SignInError::UnknownState));
}

#[tokio::test]
async fn an_answer_of_another_issuer_or_without_a_state_is_refused() {
    let fixture = SignInFixture::start(ProviderAlgorithm::Ecdsa);
    let started = fixture.first.start("/", now()).await.unwrap();
    let mut response = follow(&started.location);
    response.iss = Some("https://other.example".to_owned());
    let mixed_up = fixture.second.finish(&response, Some(&started.browser_secret), now()).await;
    assert!(matches!(mixed_up, Err(SignInError::Token(_))), "{mixed_up:?}");
    response.state = None;
    let stateless = fixture.second.finish(&response, Some(&started.browser_secret), now()).await;
    assert_eq!(stateless, Err(SignInError::UnknownState));
}

#[tokio::test]
async fn the_words_of_a_refusal_are_shown() {
    let fixture = SignInFixture::start(ProviderAlgorithm::Ecdsa);
    let started = fixture.first.start("/", now()).await.unwrap();
    let mut response = follow(&started.location);
    response.error = Some("access_denied".to_owned());
    response.error_description = Some("You said\nno".to_owned());
    let denied = fixture.second.finish(&response, Some(&started.browser_secret), now()).await;
    assert_eq!(denied, Err(SignInError::Refused("You saidno".to_owned())));
}

#[tokio::test]
async fn a_client_with_a_wrong_secret_gets_no_token() {
    let fixture = SignInFixture::start_with(ProviderAlgorithm::Ecdsa, "wrong");
    let refused = fixture.sign_in("/").await;
    assert_eq!(refused, Err(SignInError::Refused("invalid_client".to_owned())));
}

#[tokio::test]
async fn a_new_key_of_the_provider_is_found_after_a_minute() {
    let fixture = SignInFixture::start(ProviderAlgorithm::Rsa);
    fixture.sign_in("/").await.unwrap();
    fixture.provider.rotate_key(ProviderAlgorithm::Ecdsa);
    let soon = fixture.sign_in("/").await;
    assert_eq!(soon, Err(SignInError::Token("its key is not known")));
    let started = fixture.first.start("/", now()).await.unwrap();
    let (response, later) = (follow(&started.location), now().plus_seconds(61));
    let found = fixture.second.finish(&response, Some(&started.browser_secret), later).await;
    assert!(found.is_ok(), "{found:?}");
}

#[tokio::test]
async fn a_provider_under_another_name_is_not_used() {
    let fixture = SignInFixture::start(ProviderAlgorithm::Ecdsa);
    let issuer = format!("{}/", fixture.provider.issuer());
    let settings = ProviderSettings::new(&issuer, "quipu").unwrap();
    let values = OwnerValues::local(model::OwnerId::me());
    let server = SignIn::new(settings, "http://127.0.0.1:7717/back", values);
    let refused = server.start("/", now()).await.unwrap_err();
    assert!(refused.to_string().contains("its issuer is"), "{refused}");
}
