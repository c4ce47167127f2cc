//! Tokens of chat bots, which have no prefix: Telegram tokens begin with the bot id and a colon,
//! Discord tokens with the bot id in base64.

use crate::SecretMatch;
use crate::placeholders::is_placeholder;
use crate::randomness::character_classes;

/// Length of the random part of a Telegram token.
const TELEGRAM_RANDOM_BYTES: usize = 35;

/// Adds every bot token.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    text.match_indices(':')
        .filter_map(|(colon, _)| telegram(text, colon))
        .for_each(|one| found.push(one));
    let mut starts = true;
    for (at, byte) in text.bytes().enumerate() {
        // The first digit of an id is 1 to 9, which base64 encodes as a first letter from M to O.
        if starts && matches!(byte, b'M'..=b'O') {
            found.extend(discord(text, at));
        }
        starts = !is_base64url(byte);
    }
}

/// Matches `123456789:AAF…`, by itself or in a URL after `bot`.
fn telegram(text: &str, colon: usize) -> Option<SecretMatch> {
    let before = text[..colon].bytes();
    let digits = before.rev().take(11).take_while(u8::is_ascii_digit).count();
    let start = colon - digits;
    let ahead = &text[..start];
    let alone = ahead.ends_with("bot") || !ahead.ends_with(|c: char| c.is_ascii_alphanumeric());
    let random = base64url_prefix(&text[colon + 1..], TELEGRAM_RANDOM_BYTES + 1);
    let fits = (8..=10).contains(&digits) && alone && random.len() == TELEGRAM_RANDOM_BYTES;
    let real = fits && character_classes(random) >= 2 && !is_placeholder(random);
    real.then(|| SecretMatch {
        rule: "telegram-token",
        range: start..colon + 1 + TELEGRAM_RANDOM_BYTES,
    })
}

/// Matches the bot id, the timestamp and the signature, each in base64, separated by full stops.
fn discord(text: &str, start: usize) -> Option<SecretMatch> {
    let number = base64url_prefix(&text[start..], 29);
    let rest = text[start + number.len()..].strip_prefix('.')?;
    let time = base64url_prefix(rest, 8);
    let proof = base64url_prefix(rest[time.len()..].strip_prefix('.')?, 64);
    let end = start + number.len() + time.len() + proof.len() + 2;
    let fits = (5..=7).contains(&time.len()) && (27..=45).contains(&proof.len());
    let real = fits && is_encoded_id(number) && !is_placeholder(proof);
    real.then_some(SecretMatch { rule: "discord-token", range: start..end })
}

/// Returns true if a base64 text decodes to a number of 17 to 20 digits, like every Discord id.
fn is_encoded_id(text: &str) -> bool {
    let (mut bits, mut held, mut digits) = (0_u32, 0, 0);
    for byte in text.bytes() {
        let Some(value) = six_bits(byte) else { return false };
        (bits, held) = (bits << 6 | value, held + 6);
        if held >= 8 {
            held -= 8;
            let decoded = (bits >> held & 0xff) as u8;
            if !decoded.is_ascii_digit() {
                return false;
            }
            digits += 1;
        }
    }
    (17..=20).contains(&digits)
}

fn six_bits(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}

/// Returns the leading characters of URL-safe base64, at most so many.
fn base64url_prefix(text: &str, most: usize) -> &str {
    let length = text.bytes().take(most).take_while(|byte| is_base64url(*byte)).count();
    &text[..length]
}

fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
