//! Any text at all: nothing panics, every range lies on character boundaries, and what was done
//! once is done.

use proptest::prelude::*;
use quipu_secrets as secrets;

/// Texts made of pieces that the rules look for, glued in every way, and of arbitrary characters.
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
    " ", " ", " ", "\n", "\r\n", "```", "`", "the ", ", ", "; ", ". ", "port: ", "password", "token", "secret", "=",
    ":", "\"", "'", "Bearer ", "eyJ", "sk-ant-", "ghp_", "qp_", "://", "@", "a:b@c", "-----BEGIN ",
    "PRIVATE KEY-----", "-----END ", "AKIA", "x9K2mP7qR4tV8wYzB3nD6fG1hJ5", "foo_bar", "https://", "É", "\u{200b}",
    "\u{200d}", "👩", "\u{fe0f}", "\u{202e}", "\u{e0041}", "日本語。", "ñ", "ß", "İ",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn secrets_are_total_and_redacting_once_is_enough(text in texts()) {
        let mut last = 0;
        for secret in secrets::secrets(&text) {
            prop_assert!(text.get(secret.range.clone()).is_some() && secret.range.start >= last, "{secret:?}");
            last = secret.range.end;
        }
        let (redacted, _) = secrets::redact(&text);
        prop_assert_eq!(secrets::redact(&redacted).0, redacted);
    }

    #[test]
    fn cleaning_is_total_and_done_once(text in texts()) {
        let (cleaned, _) = secrets::clean(&text);
        let (again, found) = secrets::clean(&cleaned);
        prop_assert_eq!(&again, &cleaned);
        prop_assert!(found.is_empty(), "{:?}", found);
    }

    #[test]
    fn what_was_screened_needs_no_second_look(text in texts()) {
        let kept = secrets::redact(&secrets::clean(&text).0).0;
        prop_assert_eq!(secrets::redact(&secrets::clean(&kept).0).0, kept);
    }
}
