//! Placeholders: values that represent a secret without being one, such as `<your-key>`, `***`,
//! `${TOKEN}`, `changeme`.

use crate::truncate_to;

/// Maximum number of bytes examined; placeholders are short, or recognisable at the beginning.
const VALUE_BYTES_MAX: usize = 256;

/// Returns true if a value is a placeholder, a reference, or a word of documentation.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = truncate_to(value, VALUE_BYTES_MAX).to_ascii_lowercase();
    starts_like_a_reference(&lower)
        || is_one_character(&lower)
        || PLACEHOLDER_WORDS.contains(&lower.as_str())
        || PLACEHOLDER_PARTS.iter().any(|part| lower.contains(part))
}

fn starts_like_a_reference(value: &str) -> bool {
    value.starts_with(['$', '%', '<', '{', '[', '(']) || value.starts_with("#{")
}

fn is_one_character(value: &str) -> bool {
    let mut chars = value.chars();
    let Some(first) = chars.next() else { return true };
    chars.all(|c| c == first)
}

#[rustfmt::skip]
const PLACEHOLDER_PARTS: &[&str] = &[
    "example", "placeholder", "changeme", "change-me", "change_me", "changeit", "your", "redacted",
    "dummy", "sample", "xxxx", "****", "...", "\u{2026}", "[secret:", "insert-", "insert_",
    "replace", "${", "{{", "<", "abcdef", "123456789", "process.env", "os.environ", "getenv",
    "env::var", "fake",
];

#[rustfmt::skip]
const PLACEHOLDER_WORDS: &[&str] = &[
    "password", "passwd", "pass", "pwd", "secret", "token", "apikey", "api_key", "api-key", "none",
    "null", "nil", "undefined", "true", "false", "string", "test", "testing", "test123", "demo",
    "foo", "bar", "hidden", "masked", "empty", "required", "optional", "unset", "default", "admin",
    "root", "user", "guest", "hash", "hashed", "sha256", "sha512", "sha1", "md5", "bcrypt",
    "scrypt", "argon2", "argon2id", "argon2i", "pbkdf2", "base64", "base32", "utf8", "utf16",
    "oauth2", "oauth", "basic", "bearer", "hmac", "hs256", "rs256", "es256", "ed25519", "rsa2048",
    "rsa4096", "aes256", "aes128", "x509", "p256", "auth0", "2fa", "totp", "pass1234", "passw0rd",
    "mypassword", "mysecret", "s3cret", "s3cr3t", "int32", "int64", "uint8", "uint32", "uint64",
    "float32", "float64", "varchar255",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_recognised() {
        for value in [
            "<your-key>",
            "***",
            "${TOKEN}",
            "changeme",
            "$DB_PASS",
            "xxxxxxxx",
            "{{ secret }}",
            "",
            "YOUR_KEY",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        assert!(!is_placeholder("hunter2"));
    }
}
