//! The screening of texts, on samples that are changed at random and on long repetitions.

use crate::{redact, remove_invisible, secrets};
use fuzz::FuzzTarget;

#[test]
fn no_text_makes_screening_fail() {
    FuzzTarget::new("screening", env!("CARGO_MANIFEST_DIR"), 200).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let found = secrets(&text);
        let is_whole = |at: usize| text.is_char_boundary(at);
        assert!(found.iter().all(|one| is_whole(one.range.start) && is_whole(one.range.end)));
        let (redacted, rules) = redact(&text);
        assert!(found.is_empty() == rules.is_empty(), "{redacted}");
        let rules: Vec<&str> = found.iter().map(|one| one.rule).collect();
        (rules, remove_invisible(&text).1.len())
    });
}

/// Beginnings of rules that read on, each of which once took seconds when it was repeated.
const REPEATED: [&str; 12] = [
    "token=",
    "AccountKey=",
    "password,a\n",
    "sig=",
    "curl -u ",
    "password: ",
    "passphrase is ",
    "eyJ",
    "token={",
    "{\"password\":[",
    "kind: Secret\n",
    "-----BEGIN ",
];

#[test]
fn long_repetitions_are_read_once() {
    for piece in REPEATED {
        let text = piece.repeat(50_000 / piece.len());
        // The runner of changed samples reports a text that takes too long.
        FuzzTarget::check(piece, text.as_bytes(), |bytes| {
            secrets(&String::from_utf8_lossy(bytes)).len()
        });
    }
}
