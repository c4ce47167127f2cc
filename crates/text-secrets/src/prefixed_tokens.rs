//! Tokens that are recognised by their prefix. One pass over the text: a shape is tried only where
//! a word starts with two bytes that some prefix starts with.

use crate::placeholders::is_placeholder;
use crate::randomness::character_classes;
use crate::{SecretMatch, prefixed_tokens::Alphabet::*};

/// Adds every token of a known shape.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut inside = false;
    while let Some(byte) = bytes.get(at) {
        let starts =
            !inside && FIRST_PAIRS.contains(*byte, bytes.get(at + 1).copied().unwrap_or(0));
        inside = byte.is_ascii_alphanumeric() || *byte == b'_';
        let shaped = starts.then(|| token_at(&bytes[at..])).flatten();
        let Some((shape, length)) = shaped else {
            at += 1;
            continue;
        };
        let tail = &text[at + shape.prefix.len()..at + length];
        if (shape.is_exact() || character_classes(tail) >= 2) && !is_placeholder(tail) {
            found.push(SecretMatch { rule: shape.rule, range: at..at + length });
        }
        at += length;
    }
}

fn token_at(bytes: &[u8]) -> Option<(&'static TokenShape, usize)> {
    SHAPES.iter().find_map(|shape| Some((shape, shape.matches(bytes)?)))
}

/// Shape of the tokens of one issuer: a prefix, then a number of characters of an alphabet.
pub(super) struct TokenShape {
    pub(super) rule: &'static str,
    pub(super) prefix: &'static str,
    alphabet: Alphabet,
    pub(super) min: usize,
    pub(super) max: usize,
}

#[derive(Clone, Copy)]
pub(super) enum Alphabet {
    Hex,
    Capitals,
    Letters,
    /// Letters, digits and `_`.
    Words,
    /// Letters, digits, `_` and `-`, as in URL-safe base64.
    Dashes,
    /// Letters, digits, `_`, `-`, `.` and `=`.
    Dots,
    /// Letters, digits, `_`, `-` and `/`.
    Paths,
}

impl Alphabet {
    fn contains(self, byte: u8) -> bool {
        match self {
            Hex => byte.is_ascii_hexdigit(),
            Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Letters => byte.is_ascii_alphanumeric(),
            Words => byte.is_ascii_alphanumeric() || byte == b'_',
            Dashes => Words.contains(byte) || byte == b'-',
            Dots => Dashes.contains(byte) || matches!(byte, b'.' | b'='),
            Paths => Dashes.contains(byte) || byte == b'/',
        }
    }
}

impl TokenShape {
    /// Returns true if the length is fixed, which is proof enough. Where it varies, a word of small
    /// letters may only resemble a token.
    fn is_exact(&self) -> bool {
        self.min == self.max
    }

    /// Returns the characters that may follow the prefix.
    #[cfg(test)]
    pub(super) fn alphabet_bytes(&self) -> Vec<u8> {
        (0..=u8::MAX)
            .filter(|byte| self.alphabet.contains(*byte) && !byte.is_ascii_punctuation())
            .collect()
    }

    /// Returns the length of the token at the beginning of `bytes`.
    fn matches(&self, bytes: &[u8]) -> Option<usize> {
        let tail = bytes.strip_prefix(self.prefix.as_bytes())?;
        // A run of letters may be as long as the text, but no token exceeds a few kilobytes.
        let bounded = &tail[..tail.len().min(4_096)];
        let length = bounded.iter().take_while(|byte| self.alphabet.contains(**byte)).count();
        (self.min..=self.max).contains(&length).then_some(self.prefix.len() + length)
    }
}

const fn shape(
    rule: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    min: usize,
    max: usize,
) -> TokenShape {
    TokenShape { rule, prefix, alphabet, min, max }
}

const LENGTH_MAX: usize = 4_096;

/// Known shapes. A prefix that extends another one must come before it, since the first match wins.
#[rustfmt::skip]
pub(super) const SHAPES: &[TokenShape] = &[
    shape("quipu-key", "qp_", Dashes, 16, LENGTH_MAX),
    shape("aws-access-key", "AKIA", Capitals, 16, 16),
    shape("aws-access-key", "ASIA", Capitals, 16, 16),
    shape("aws-access-key", "ABIA", Capitals, 16, 16),
    shape("aws-access-key", "ACCA", Capitals, 16, 16),
    shape("github-token", "ghp_", Letters, 36, 255),
    shape("github-token", "gho_", Letters, 36, 255),
    shape("github-token", "ghu_", Letters, 36, 255),
    shape("github-token", "ghs_", Letters, 36, 255),
    shape("github-token", "ghr_", Letters, 36, 255),
    shape("github-token", "github_pat_", Words, 40, 255),
    shape("gitlab-token", "glpat-", Dots, 20, LENGTH_MAX),
    shape("gitlab-token", "gldt-", Dashes, 20, LENGTH_MAX),
    shape("gitlab-token", "glrt-", Dots, 20, LENGTH_MAX),
    shape("gitlab-token", "glcbt-", Dashes, 20, LENGTH_MAX),
    shape("gitlab-token", "glptt-", Dashes, 20, LENGTH_MAX),
    shape("gitlab-token", "glft-", Dashes, 20, LENGTH_MAX),
    shape("gitlab-token", "glsoat-", Dashes, 20, LENGTH_MAX),
    shape("slack-token", "xoxb-", Dashes, 20, LENGTH_MAX),
    shape("slack-token", "xoxp-", Dashes, 20, LENGTH_MAX),
    shape("slack-token", "xoxa-", Dashes, 20, LENGTH_MAX),
    shape("slack-token", "xoxr-", Dashes, 20, LENGTH_MAX),
    shape("slack-token", "xoxs-", Dashes, 20, LENGTH_MAX),
    shape("slack-token", "xoxe-", Dashes, 20, LENGTH_MAX),
    shape("slack-token", "xapp-", Dashes, 20, LENGTH_MAX),
    shape("stripe-key", "sk_live_", Letters, 16, LENGTH_MAX),
    shape("stripe-key", "sk_test_", Letters, 16, LENGTH_MAX),
    shape("stripe-key", "rk_live_", Letters, 16, LENGTH_MAX),
    shape("stripe-key", "rk_test_", Letters, 16, LENGTH_MAX),
    shape("stripe-key", "whsec_", Letters, 24, LENGTH_MAX),
    shape("anthropic-key", "sk-ant-", Dashes, 24, LENGTH_MAX),
    shape("openrouter-key", "sk-or-v1-", Hex, 32, LENGTH_MAX),
    shape("openai-key", "sk-proj-", Dashes, 24, LENGTH_MAX),
    shape("openai-key", "sk-svcacct-", Dashes, 24, LENGTH_MAX),
    shape("openai-key", "sk-admin-", Dashes, 24, LENGTH_MAX),
    shape("openai-key", "sk-", Letters, 32, LENGTH_MAX),
    shape("google-key", "AIza", Dashes, 35, 35),
    shape("google-key", "ya29.", Dashes, 20, LENGTH_MAX),
    shape("google-key", "GOCSPX-", Dashes, 24, LENGTH_MAX),
    shape("npm-token", "npm_", Letters, 36, 36),
    shape("pypi-token", "pypi-", Dashes, 50, LENGTH_MAX),
    shape("crates-token", "cio", Letters, 32, 32),
    shape("rubygems-token", "rubygems_", Hex, 48, 48),
    shape("huggingface-token", "hf_", Letters, 30, 60),
    shape("replicate-token", "r8_", Letters, 37, 40),
    shape("groq-key", "gsk_", Letters, 40, 60),
    shape("xai-key", "xai-", Letters, 60, 100),
    shape("perplexity-key", "pplx-", Letters, 40, 64),
    shape("digitalocean-token", "dop_v1_", Hex, 64, 64),
    shape("digitalocean-token", "doo_v1_", Hex, 64, 64),
    shape("databricks-token", "dapi", Hex, 32, 34),
    shape("docker-token", "dckr_pat_", Dashes, 20, LENGTH_MAX),
    shape("linear-key", "lin_api_", Letters, 32, 64),
    shape("notion-token", "ntn_", Letters, 40, 60),
    shape("notion-token", "secret_", Letters, 43, 43),
    shape("shopify-token", "shpat_", Hex, 32, 32),
    shape("shopify-token", "shpss_", Hex, 32, 32),
    shape("sendgrid-key", "SG.", Dots, 60, 80),
    shape("twilio-key", "SK", Hex, 32, 32),
    shape("mailgun-key", "key-", Hex, 32, 32),
    shape("newrelic-key", "NRAK-", Capitals, 27, 27),
    shape("grafana-token", "glsa_", Words, 32, 60),
    shape("sentry-token", "sntrys_", Dots, 40, LENGTH_MAX),
    shape("atlassian-token", "ATATT3", Dots, 50, LENGTH_MAX),
    shape("supabase-token", "sbp_", Hex, 40, 40),
    shape("figma-token", "figd_", Dashes, 30, 60),
    shape("tailscale-key", "tskey-", Dashes, 20, LENGTH_MAX),
    shape("vault-token", "hvs.", Dashes, 24, LENGTH_MAX),
    shape("vault-token", "hvb.", Dashes, 24, LENGTH_MAX),
    shape("alibaba-key", "LTAI", Letters, 20, 20),
    shape("tencent-key", "AKID", Letters, 32, 32),
    shape("heroku-key", "HRKU-", Dashes, 36, 64),
    shape("netlify-token", "nfp_", Letters, 36, 40),
    shape("planetscale-token", "pscale_tkn_", Dashes, 32, 64),
    shape("planetscale-token", "pscale_pw_", Dashes, 32, 64),
    shape("pulumi-token", "pul-", Hex, 40, 40),
    shape("postman-key", "PMAK-", Dashes, 59, 59),
    shape("doppler-token", "dp.pt.", Letters, 40, 44),
    shape("fly-token", "fo1_", Dashes, 43, 43),
    shape("tavily-key", "tvly-", Dashes, 32, 64),
    shape("pinecone-key", "pcsk_", Words, 60, 80),
    shape("langsmith-key", "lsv2_pt_", Words, 40, 60),
    shape("square-token", "sq0atp-", Dashes, 22, 22),
    shape("square-token", "sq0csp-", Dashes, 43, 43),
    shape("elevenlabs-key", "sk_", Hex, 48, 48),
    shape("mapbox-token", "sk.eyJ", Dots, 60, LENGTH_MAX),
    shape("epitome-key", "epi_", Dashes, 24, LENGTH_MAX),
    shape("slack-webhook", "hooks.slack.com/services/", Paths, 40, 60),
    shape("discord-webhook", "discord.com/api/webhooks/", Paths, 80, 100),
    shape("discord-webhook", "discordapp.com/api/webhooks/", Paths, 80, 100),
    shape("age-key", "AGE-SECRET-KEY-1", Capitals, 58, 58),
];

/// Bit set of the byte pairs that prefixes start with. A set of single bytes would let every third
/// word through.
struct BytePairSet([u64; 1024]);

impl BytePairSet {
    const fn from_shapes(shapes: &[TokenShape]) -> Self {
        let mut bits = [0; 1024];
        let mut at = 0;
        while at < shapes.len() {
            let prefix = shapes[at].prefix.as_bytes();
            let (word, bit) = Self::bit_position(prefix[0], prefix[1]);
            bits[word] |= 1 << bit;
            at += 1;
        }
        Self(bits)
    }

    fn contains(&self, first: u8, second: u8) -> bool {
        let (word, bit) = Self::bit_position(first, second);
        self.0[word] >> bit & 1 == 1
    }

    const fn bit_position(first: u8, second: u8) -> (usize, usize) {
        let pair = (first as usize) << 8 | second as usize;
        (pair / 64, pair % 64)
    }
}

static FIRST_PAIRS: BytePairSet = BytePairSet::from_shapes(SHAPES);
