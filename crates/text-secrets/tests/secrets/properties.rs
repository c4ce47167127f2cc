//! Properties for arbitrary text: nothing panics, every range is on character boundaries, and each
//! operation is idempotent.

use proptest::prelude::*;
use quipu_secrets as secrets;

/// Texts of fragments that the rules look for, in any order, and of arbitrary characters.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[ -~]{0,12}",
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[rustfmt::skip]
const PIECES: &[&str] = &[
    " ", " ", " ", "\n", "\r\n", "```", "`", "the ", ", ", "; ", ". ", "port: ", "password",
    "token", "secret", "=", ":", "\"", "'", "Bearer ", "eyJ", "sk-ant-", "ghp_", "qp_", "://", "@",
    "a:b@c", "-----BEGIN ", "PRIVATE KEY-----", "-----END ", "AKIA", "x9K2mP7qR4tV8wYzB3nD6fG1hJ5",
    "foo_bar", "https://", "É", "\u{200b}", "\u{200d}", "👩", "\u{fe0f}", "\u{202e}", "\u{e0041}",
    "日本語。", "ñ", "ß", "İ", "passwords:\n- ", "{", "}", "[", "]", "value", "name: ", "<", ">", "|",
    "curl -u ", "mysql -p", "echo ", " codes:\n", "Cookie: ", "\"kty\"", "\"d\":", "_auth=",
    "kind: Secret\ndata:\n  a: ", "passphrase: ", "anchor basket candle donkey ", "login ana ",
    "Private-Lines: 2\n", "vault login ", "\u{a0}", "\t", ",", "/", "-us", ".atlasv1.", "\u{2800}",
    "contraseña", "密码: ", "?code=", "&",
];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn secrets_are_in_order_and_redaction_is_idempotent(text in texts()) {
        let mut last = 0;
        for secret in secrets::secrets(&text) {
            prop_assert!(text.get(secret.range.clone()).is_some(), "{secret:?}");
            prop_assert!(secret.range.start >= last, "{secret:?}");
            last = secret.range.end;
        }
        let (redacted, _) = secrets::redact(&text);
        prop_assert_eq!(secrets::redact(&redacted).0, redacted);
    }

    #[test]
    fn cleaning_is_idempotent(text in texts()) {
        let (cleaned, _) = secrets::remove_invisible(&text);
        let (again, found) = secrets::remove_invisible(&cleaned);
        prop_assert_eq!(&again, &cleaned);
        prop_assert!(found.is_empty(), "{:?}", found);
    }

    #[test]
    fn cleaning_and_redaction_together_are_idempotent(text in texts()) {
        let screened = secrets::redact(&secrets::remove_invisible(&text).0).0;
        prop_assert_eq!(secrets::redact(&secrets::remove_invisible(&screened).0).0, screened);
    }
}
