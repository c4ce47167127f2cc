//! Tokens of several parts: a prefix, then runs of characters with fixed text between them.

use super::Alphabet::{self, Base64, Capitals, Dashes, Digits, Dots, Hex, Letters, Percents};
use crate::randomness::is_identifier;

/// A run of `min` to `max` characters of an alphabet, and the text after it.
pub(super) struct TokenPart(Alphabet, usize, usize, &'static str);

/// Structure of the tokens of one issuer.
pub(super) struct TokenStructure {
    pub(super) rule: &'static str,
    pub(super) prefix: &'static str,
    parts: &'static [TokenPart],
}

impl TokenStructure {
    /// Returns the length of the token at the beginning of `bytes`.
    pub(super) fn matches(&self, bytes: &[u8]) -> Option<usize> {
        let mut rest = bytes.strip_prefix(self.prefix.as_bytes())?;
        let mut last = None;
        for TokenPart(alphabet, min, max, after) in self.parts {
            let in_part = |byte: &&u8| alphabet.contains(**byte);
            let length = rest.iter().take(*max).take_while(in_part).count();
            rest = rest[length..].strip_prefix(after.as_bytes()).filter(|_| length >= *min)?;
            last = Some(alphabet);
        }
        let goes_on = last.zip(rest.first()).is_some_and(|(last, next)| last.contains(*next));
        let length = bytes.len() - rest.len();
        let token = str::from_utf8(&bytes[self.prefix.len()..length]).ok()?;
        (!goes_on && !is_identifier(token)).then_some(length)
    }
}

const fn structure(
    rule: &'static str,
    prefix: &'static str,
    parts: &'static [TokenPart],
) -> TokenStructure {
    TokenStructure { rule, prefix, parts }
}

const fn part(alphabet: Alphabet, min: usize, max: usize, after: &'static str) -> TokenPart {
    TokenPart(alphabet, min, max, after)
}

const UUID: &[TokenPart] = &[
    part(Hex, 8, 8, "-"),
    part(Hex, 4, 4, "-"),
    part(Hex, 4, 4, "-"),
    part(Hex, 4, 4, "-"),
    part(Hex, 12, 12, ""),
];

const HARNESS: &[TokenPart] =
    &[part(Dashes, 22, 22, "."), part(Letters, 24, 24, "."), part(Letters, 20, 20, "")];

const AUTHRESS: &[TokenPart] = &[
    part(Letters, 5, 30, "."),
    part(Letters, 4, 6, ".acc"),
    part(Dashes, 10, 40, "."),
    part(Base64, 30, 130, ""),
];

const ONE_PASSWORD: &[TokenPart] = &[
    part(Capitals, 6, 6, "-"),
    part(Capitals, 11, 11, "-"),
    part(Capitals, 5, 5, "-"),
    part(Capitals, 5, 5, "-"),
    part(Capitals, 5, 5, ""),
];

const ONE_PASSWORD_SPLIT: &[TokenPart] = &[
    part(Capitals, 6, 6, "-"),
    part(Capitals, 6, 6, "-"),
    part(Capitals, 5, 5, "-"),
    part(Capitals, 5, 5, "-"),
    part(Capitals, 5, 5, "-"),
    part(Capitals, 5, 5, ""),
];

const TWO_HEX: &[TokenPart] = &[part(Hex, 32, 32, "."), part(Hex, 32, 32, "")];

const INFISICAL: &[TokenPart] =
    &[part(Letters, 24, 36, "."), part(Hex, 32, 32, "."), part(Hex, 32, 32, "")];

const DYNATRACE: &[TokenPart] = &[part(Capitals, 24, 24, "."), part(Capitals, 64, 64, "")];

const VOICEFLOW: &[TokenPart] = &[part(Hex, 24, 24, "."), part(Letters, 16, 16, "")];

#[rustfmt::skip]
pub(super) const STRUCTURES: &[TokenStructure] = &[
    structure("airtable-token", "pat", &[part(Letters, 14, 14, "."), part(Hex, 64, 64, "")]),
    structure("harness-token", "pat.", HARNESS),
    structure("harness-token", "sat.", HARNESS),
    structure("resend-key", "re_", &[part(Letters, 8, 8, "_"), part(Letters, 24, 24, "")]),
    structure("fireworks-key", "fw_", &[part(Letters, 22, 24, "")]),
    structure("voyage-key", "pa-", &[part(Dashes, 43, 43, "")]),
    structure("infisical-token", "st.", INFISICAL),
    structure("stripe-key", "pi_", &[part(Letters, 20, 30, "_secret_"), part(Letters, 20, 30, "")]),
    structure("adyen-key", "AQE", &[part(Base64, 80, 200, "-"), part(Base64, 30, 120, "")]),
    structure("firebase-key", "AAAA", &[part(Dashes, 7, 7, ":APA91b"), part(Dashes, 130, 150, "")]),
    structure("twitter-token", "AAAAAAAAAAAAAAAAAAAAA", &[part(Percents, 70, 110, "")]),
    structure("salesforce-token", "00D", &[part(Letters, 12, 15, "!"), part(Dots, 80, 130, "")]),
    structure("clickup-token", "pk_", &[part(Digits, 6, 10, "_"), part(Capitals, 32, 32, "")]),
    structure("zoho-token", "1000.", TWO_HEX),
    structure("dynatrace-token", "dt0c01.", DYNATRACE),
    structure("dynatrace-token", "dt0s16.", DYNATRACE),
    structure("voiceflow-key", "VF.DM.", VOICEFLOW),
    structure("voiceflow-key", "VF.WS.", VOICEFLOW),
    structure("voiceflow-key", "VF.", VOICEFLOW),
    structure("authress-key", "sc_", AUTHRESS),
    structure("authress-key", "ext_", AUTHRESS),
    structure("authress-key", "authress_", AUTHRESS),
    structure("1password-key", "A3-", ONE_PASSWORD),
    structure("1password-key", "A3-", ONE_PASSWORD_SPLIT),
    structure("launchdarkly-key", "sdk-", UUID),
    structure("launchdarkly-key", "api-", UUID),
    structure("databricks-token", "dapi", &[part(Hex, 32, 32, "-"), part(Digits, 1, 2, "")]),
    structure("clickhouse-key", "4b1d", &[part(Letters, 38, 38, "")]),
];
