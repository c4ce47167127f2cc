//! Tokens of chat bots, which have no prefix: Telegram's begin with the bot's number and a colon,
//! Discord's with the bot's number in base 64.

use crate::Secret;
use crate::placeholders::is_placeholder;
use crate::randomness::classes;

/// How long the drawn part of a Telegram token is.
const TELEGRAM: usize = 35;

/// Adds every token of a bot.
pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    text.match_indices(':')
        .filter_map(|(colon, _)| telegram(text, colon))
        .for_each(|one| found.push(one));
    let mut starts = true;
    for (at, byte) in text.bytes().enumerate() {
        if starts && matches!(byte, b'M'..=b'O') {
            found.extend(discord(text, at));
        }
        starts = !is_drawn(byte);
    }
}

/// `123456789:AAF…`, by itself or in an address behind `bot`.
fn telegram(text: &str, colon: usize) -> Option<Secret> {
    let before = text[..colon].bytes();
    let digits = before.rev().take(11).take_while(u8::is_ascii_digit).count();
    let start = colon - digits;
    let ahead = &text[..start];
    let alone = ahead.ends_with("bot") || !ahead.ends_with(|c: char| c.is_ascii_alphanumeric());
    let drawn = run(&text[colon + 1..], TELEGRAM + 1);
    let fits = (8..=10).contains(&digits) && alone && drawn.len() == TELEGRAM;
    let real = fits && classes(drawn) >= 2 && !is_placeholder(drawn);
    real.then(|| Secret { rule: "telegram-token", range: start..colon + 1 + TELEGRAM })
}

/// The number of the bot, the time and the proof, each in base 64, with points between them.
fn discord(text: &str, start: usize) -> Option<Secret> {
    let number = run(&text[start..], 29);
    let rest = text[start + number.len()..].strip_prefix('.')?;
    let time = run(rest, 8);
    let proof = run(rest[time.len()..].strip_prefix('.')?, 64);
    let end = start + number.len() + time.len() + proof.len() + 2;
    let fits = (5..=7).contains(&time.len()) && (27..=45).contains(&proof.len());
    let real = fits && is_number(number) && !is_placeholder(proof);
    real.then_some(Secret { rule: "discord-token", range: start..end })
}

/// Whether a text in base 64 is a number of 17 to 20 digits, as Discord numbers everything.
fn is_number(text: &str) -> bool {
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

/// The characters of URL-safe base 64 that a text begins with, no more than so many.
fn run(text: &str, most: usize) -> &str {
    let length = text.bytes().take(most).take_while(|byte| is_drawn(*byte)).count();
    &text[..length]
}

fn is_drawn(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
