//! The ID token: its signature under a key of the provider, and every claim that OpenID Connect
//! requires a client to check. The time comes in as an argument.

use crate::ring_verifier::{self, ALGORITHMS};
use crate::{ProviderIdentity, ProviderSettings, SignInError};
use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation};
use model::Moment;
use serde::Deserialize;
use subtle::ConstantTimeEq;

/// Difference that the clocks of two machines may have.
const LEEWAY_SECONDS: i64 = 60;
/// Maximum number of characters of a subject by the standard.
const SUBJECT_CHARS: usize = 255;
/// Maximum number of bytes of a token.
const TOKEN_BYTES: usize = 64 << 10;
/// Number of microseconds in a second.
const MICROS: i64 = 1_000_000;

/// The claims that are checked or used.
#[derive(Debug, Deserialize)]
struct IdClaims {
    iss: String,
    sub: String,
    aud: Audience,
    azp: Option<String>,
    exp: i64,
    iat: i64,
    nbf: Option<i64>,
    nonce: Option<String>,
    preferred_username: Option<String>,
}

/// The audience: one client or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

/// An ID token whose signature is not verified yet.
pub(crate) struct UnverifiedToken<'t> {
    text: &'t str,
    header: Header,
}

impl<'t> UnverifiedToken<'t> {
    /// Reads the header. A token without a signature, or under a shared secret, is refused here.
    pub fn parse(text: &'t str) -> Result<Self, SignInError> {
        if text.len() > TOKEN_BYTES {
            return Err(SignInError::Token("it is too long"));
        }
        let header = jsonwebtoken::decode_header(text)
            .map_err(|_| SignInError::Token("its header is not readable, or it is not signed"))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(SignInError::Token("its algorithm is not accepted"));
        }
        Ok(Self { text, header })
    }

    /// Returns the key that the token names; one that names none needs the only key there is.
    pub fn key<'k>(&self, keys: &'k JwkSet) -> Option<&'k Jwk> {
        let fits = |key: &&Jwk| {
            !matches!(key.common.public_key_use, Some(PublicKeyUse::Encryption))
                && fits_algorithm(key, self.header.alg)
        };
        match &self.header.kid {
            Some(kid) => {
                keys.keys.iter().filter(fits).find(|key| key.common.key_id.as_ref() == Some(kid))
            }
            None => {
                let mut fitting = keys.keys.iter().filter(fits);
                fitting.next().filter(|_| fitting.next().is_none())
            }
        }
    }

    /// Verifies the signature and the claims, and returns the person.
    pub fn verify(
        &self,
        key: &Jwk,
        settings: &ProviderSettings,
        nonce: &str,
        now: Moment,
    ) -> Result<ProviderIdentity, SignInError> {
        ring_verifier::install();
        let claims = self.signed_claims(key)?;
        check_addressing(&claims, settings)?;
        check_times(&claims, now)?;
        let repeated = claims.nonce.as_deref().unwrap_or_default();
        if !bool::from(repeated.as_bytes().ct_eq(nonce.as_bytes())) {
            return Err(SignInError::Token("it is not the answer to this sign-in"));
        }
        if claims.sub.is_empty() || claims.sub.chars().count() > SUBJECT_CHARS {
            return Err(SignInError::Token("it names nobody"));
        }
        let IdClaims { iss, sub, preferred_username, .. } = claims;
        Ok(ProviderIdentity { issuer: iss, subject: sub, username: preferred_username })
    }

    fn signed_claims(&self, key: &Jwk) -> Result<IdClaims, SignInError> {
        let key = DecodingKey::from_jwk(key)
            .map_err(|_| SignInError::Token("its key is of an unknown kind"))?;
        // The claims are checked here, with the time of the caller; only the signature is theirs.
        let mut validation = Validation::new(self.header.alg);
        validation.validate_exp = false;
        validation.validate_nbf = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        let decoded = jsonwebtoken::decode::<IdClaims>(self.text, &key, &validation);
        let decoded = decoded.map_err(|error| match error.kind() {
            jsonwebtoken::errors::ErrorKind::Json(_) => {
                SignInError::Token("a required claim is missing")
            }
            _ => SignInError::Token("its signature is not valid"),
        })?;
        Ok(decoded.claims)
    }
}

/// Returns true unless the key says that it is for another algorithm.
fn fits_algorithm(key: &Jwk, algorithm: Algorithm) -> bool {
    let name = format!("{algorithm:?}");
    key.common.key_algorithm.is_none_or(|known| known.to_string() == name)
}

fn check_addressing(claims: &IdClaims, settings: &ProviderSettings) -> Result<(), SignInError> {
    if claims.iss != settings.issuer {
        return Err(SignInError::Token("it is of another issuer"));
    }
    let client = &settings.client_id;
    let (is_ours, is_only_ours) = match &claims.aud {
        Audience::One(one) => (one == client, true),
        Audience::Several(all) => (all.contains(client), all.len() == 1),
    };
    if !is_ours {
        return Err(SignInError::Token("it is for another client"));
    }
    match &claims.azp {
        Some(party) if party != client => {
            Err(SignInError::Token("it was issued to another client"))
        }
        None if !is_only_ours => Err(SignInError::Token("it does not say whom it was issued to")),
        _ => Ok(()),
    }
}

fn check_times(claims: &IdClaims, now: Moment) -> Result<(), SignInError> {
    let now = now.0.div_euclid(MICROS);
    if claims.exp.saturating_add(LEEWAY_SECONDS) <= now {
        return Err(SignInError::Token("it has expired"));
    }
    let latest = now.saturating_add(LEEWAY_SECONDS);
    if claims.iat > latest || claims.nbf.is_some_and(|start| start > latest) {
        return Err(SignInError::Token("it is not valid yet; compare the clocks"));
    }
    Ok(())
}
