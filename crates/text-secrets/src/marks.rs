//! Fixed texts that several rules start from, found in one pass over a text. A pass for each of
//! them would cost more than all rules together.

use crate::SecretMatch;
use crate::prefixed_tokens::anchored;
use crate::{auth_headers, azure_credentials, credential_blocks, credential_lines, private_keys};
use crate::{connection_strings, jwts};

/// Function that adds the secrets at an offset where a mark is.
type MarkRule = fn(&str, usize, &mut Vec<SecretMatch>);

/// A fixed text, and the function that reads the text around it.
pub(super) struct RuleMark {
    mark: &'static str,
    rule: MarkRule,
}

const fn mark(mark: &'static str, rule: MarkRule) -> RuleMark {
    RuleMark { mark, rule }
}

#[rustfmt::skip]
const MARKS: &[RuleMark] = &[
    mark("AccountKey=", azure_credentials::storage_key),
    mark("SharedAccessKey=", azure_credentials::access_key),
    mark("+ASt", azure_credentials::signed_key),
    mark("+ABa", azure_credentials::signed_key),
    mark("ACDb", azure_credentials::signed_key),
    mark(".atlasv1.", anchored::token_around), mark("_mmk", anchored::token_around),
    mark("-us", anchored::token_around), mark("FFFFNRAL", anchored::token_around),
    mark("-NRMA", anchored::token_around), mark("AZDO", anchored::token_around),
    mark("+ACR", anchored::token_around),
    mark("sig=", azure_credentials::sas_signature),
    mark("-----BEGIN ", private_keys::armoured),
    mark("---- BEGIN ", private_keys::armoured),
    mark("Private-Lines: ", private_keys::putty_lines),
    mark("eyJ", jwts::token),
    mark("://", connection_strings::url),
    mark("earer ", auth_headers::header), mark("EARER ", auth_headers::header),
    mark("asic ", auth_headers::header), mark("ASIC ", auth_headers::header),
    mark("oken ", auth_headers::header), mark("OKEN ", auth_headers::header),
    mark("ookie: ", credential_blocks::cookies), mark("OOKIE: ", credential_blocks::cookies),
    mark("\"kty\"", credential_blocks::private_member),
    mark("\"auth\"", credential_blocks::docker_auth),
    mark("_auth", credential_blocks::npm_auth),
    mark("kind: Secret", credential_blocks::kubernetes_secret),
    mark("sqlplus ", credential_blocks::oracle), mark("oracle:thin:", credential_blocks::oracle),
    mark("sqlldr ", credential_blocks::oracle), mark("rman target ", credential_blocks::oracle),
    mark(" on >", credential_lines::directive),
    mark("snmp-server community ", credential_lines::directive),
    mark("enable secret ", credential_lines::directive),
    mark("enable password ", credential_lines::directive),
    mark("tacacs-server key ", credential_lines::directive),
    mark("radius-server key ", credential_lines::directive),
    mark("echo ", credential_lines::piped_password),
    mark(" codes:", credential_lines::recovery_codes),
];

/// Calls the rule of each mark in the text.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    for (at, window) in text.as_bytes().windows(3).enumerate() {
        if !STARTS.contains(window) {
            continue;
        }
        let rest = &text.as_bytes()[at..];
        for one in MARKS.iter().filter(|one| rest.starts_with(one.mark.as_bytes())) {
            (one.rule)(text, at, found);
        }
    }
}

/// Bit set of the hashes of three bytes.
pub(super) struct ByteStartSet([u64; 1024]);

impl ByteStartSet {
    pub(super) const fn new() -> Self {
        Self([0; 1024])
    }

    /// Adds the first three bytes of a text; after a text of two, any third byte.
    pub(super) const fn with(mut self, text: &[u8]) -> Self {
        let mut third = 0;
        while third < 256 {
            if text.len() < 3 || text[2] as usize == third {
                let hash = Self::hash(text[0], text[1], third as u8);
                self.0[hash / 64] |= 1 << (hash % 64);
            }
            third += 1;
        }
        self
    }

    pub(super) fn contains(&self, bytes: &[u8]) -> bool {
        let [first, second, third, ..] = bytes else { return false };
        let hash = Self::hash(*first, *second, *third);
        self.0[hash / 64] >> (hash % 64) & 1 == 1
    }

    const fn hash(first: u8, second: u8, third: u8) -> usize {
        let bytes = first as u32 | (second as u32) << 8 | (third as u32) << 16;
        (bytes.wrapping_mul(0x9e37_79b1) >> 16) as usize
    }
}

static STARTS: ByteStartSet = {
    let mut starts = ByteStartSet::new();
    let mut at = 0;
    while at < MARKS.len() {
        starts = starts.with(MARKS[at].mark.as_bytes());
        at += 1;
    }
    starts
};
