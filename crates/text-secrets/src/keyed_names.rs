//! Names behind which a secret is written: `password`, `DB_PASS`, `apiKey`, "secret key".

/// What sort of value a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// Chosen by a person: short and of any look.
    Password,
    /// Drawn by a machine: long and mixed.
    Key,
}

/// A name that promises a secret, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyedName {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) promise: Promise,
}

/// The names in `text` that promise a secret, in order.
pub(super) fn keyed_names(text: &str) -> impl Iterator<Item = KeyedName> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut before: &[u8] = b"";
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at + bytes[at..].iter().position(|byte| in_name(*byte))?;
            let end = start + bytes[start..].iter().take_while(|byte| in_name(**byte)).count();
            let name = &bytes[start..end];
            at = end;
            let promise = promise(name).or_else(|| spaced(before, name));
            before = name;
            if let Some(promise) = promise {
                return Some(KeyedName { start, end, promise });
            }
        }
        None
    })
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// What a name promises, by how it ends: `token_count` promises nothing, `count_token` does.
fn promise(name: &[u8]) -> Option<Promise> {
    let name = name.trim_ascii_end();
    let name = name.strip_suffix(b"-").unwrap_or(name);
    let ends = |tail: &str| ends_with(name, tail.as_bytes());
    if ["password", "passwd", "passphrase", "passcode", "pwd", "_pass", "-pass"]
        .iter()
        .any(|tail| ends(tail))
    {
        return Some(Promise::Password);
    }
    let kept = ["secret", "apikey", "api_key", "api-key", "credential", "credentials"]
        .iter()
        .any(|tail| ends(tail));
    let token = ends("token") && !NO_SECRET_TOKENS.iter().any(|head| ends(head));
    (kept || token || (ends("key") && KEYS.iter().any(|tail| ends(tail)))).then_some(Promise::Key)
}

/// "api key", "access token": the words of a name written apart.
fn spaced(before: &[u8], name: &[u8]) -> Option<Promise> {
    let is_key = name.eq_ignore_ascii_case(b"key");
    let kinds: [&[u8]; 9] = [
        b"api",
        b"access",
        b"secret",
        b"private",
        b"auth",
        b"encryption",
        b"signing",
        b"master",
        b"account",
    ];
    (is_key && kinds.iter().any(|kind| before.eq_ignore_ascii_case(kind))).then_some(Promise::Key)
}

fn ends_with(name: &[u8], tail: &[u8]) -> bool {
    name.len().checked_sub(tail.len()).is_some_and(|cut| name[cut..].eq_ignore_ascii_case(tail))
}

#[rustfmt::skip]
const KEYS: &[&str] = &[
    "access_key", "accesskey", "access-key", "secret_key", "secretkey", "secret-key", "private_key",
    "privatekey", "auth_key", "authkey", "encryption_key", "encryptionkey", "signing_key", "signingkey",
    "master_key", "masterkey", "account_key", "accountkey", "storage_key", "shared_key", "sharedkey",
    "service_key", "admin_key", "deploy_key",
];

/// Tokens of paging, parsing and language models.
#[rustfmt::skip]
const NO_SECRET_TOKENS: &[&str] = &[
    "page_token", "pagetoken", "next_token", "nexttoken", "continuation_token", "continuationtoken",
    "pad_token", "eos_token", "bos_token", "unk_token", "sep_token", "cls_token", "mask_token", "stop_token",
    "cancellationtoken", "cancellation_token", "new_token", "sync_token", "per_token", "per-token",
];
