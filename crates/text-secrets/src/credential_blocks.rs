//! Secrets in blocks of known files: cookies of a request, a `Secret` of Kubernetes, a JSON web
//! key, the base64 of user and password in a Docker configuration, and Oracle's `user/password@`.

use crate::placeholders::is_placeholder;
use crate::randomness::{character_classes, has_digit, has_letter, is_identifier};
use crate::{SecretMatch, offset_in, truncate_to, window_before};

const BLOCK_BYTES_MAX: usize = 4_096;
/// Maximum distance between the members of a JSON web key.
const KEY_BYTES_MAX: usize = 1_024;

/// Adds the long random values of a cookie header.
pub(super) fn cookies(text: &str, mark: usize, found: &mut Vec<SecretMatch>) {
    let from = mark + "ookie: ".len();
    let header = truncate_to(&text[from..], BLOCK_BYTES_MAX).lines().next().unwrap_or_default();
    let header = header.split("ookie: ").next().unwrap_or_default();
    let mut at = from;
    for pair in header.split_inclusive(';') {
        let start = at;
        at += pair.len();
        let Some((name, value)) = pair.trim_end_matches([';', '"', '\'']).split_once('=') else {
            continue;
        };
        let value_start = start + name.len() + 1;
        let is_tracking =
            ["_ga", "_gid", "_fbp", "_utm"].iter().any(|one| name.trim().starts_with(one));
        let random = value.len() >= 16 && has_digit(value) && has_letter(value);
        if random
            && !is_tracking
            && !is_identifier(value)
            && !is_placeholder(value)
            && !value.contains(' ')
        {
            let range = value_start..value_start + value.len();
            found.push(SecretMatch { rule: "cookie", range });
        }
    }
}

/// Adds the private member of a JSON web key.
pub(super) fn private_member(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    found.extend(json_web_key(text, at));
}

fn json_web_key(text: &str, at: usize) -> Option<SecretMatch> {
    let before = window_before(text, at, KEY_BYTES_MAX);
    let open = at - before.len() + before.rfind('{')?;
    let object = truncate_to(&text[open..], KEY_BYTES_MAX * 4);
    let object = &object[..object.find('}')?];
    ["\"d\"", "\"k\""].into_iter().find_map(|member| {
        let after = object.find(member)? + member.len();
        let value = object[after..].trim_start_matches([':', ' ']).strip_prefix('"')?;
        let length = value.find('"').filter(|length| *length >= 16)?;
        let start = open + object.len() - value.len();
        Some(SecretMatch { rule: "json-web-key", range: start..start + length })
    })
}

/// Adds the base64 of user and password in a Docker configuration.
pub(super) fn docker_auth(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    found.extend(basic_auth(text, at, "\"auth\""));
}

/// Adds the base64 of user and password in an npm configuration.
pub(super) fn npm_auth(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    found.extend(basic_auth(text, at, "_auth"));
}

/// Returns the base64 of user and password after `"auth"` or `_auth`.
fn basic_auth(text: &str, at: usize, mark: &str) -> Option<SecretMatch> {
    let after = text[at + mark.len()..].trim_start_matches(' ').strip_prefix([':', '='])?;
    let value = after.trim_start_matches([' ', '"']);
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(byte);
    let length = value.bytes().take(BLOCK_BYTES_MAX).take_while(is_base64).count();
    let value = &value[..length];
    let start = offset_in(text, value);
    let is_npm = mark == "_auth" && length >= 16 && character_classes(value) >= 2;
    let real = (is_npm && !is_identifier(value)) || is_encoded_pair(value);
    (real && !is_placeholder(value))
        .then(|| SecretMatch { rule: "basic-auth", range: start..start + length })
}

/// Returns true if a base64 text decodes to `user:password`.
fn is_encoded_pair(value: &str) -> bool {
    let (mut bits, mut held, mut colon, mut count) = (0_u32, 0, false, 0);
    for byte in value.trim_end_matches('=').bytes() {
        let Some(six) = six_bits(byte) else { return false };
        (bits, held) = (bits << 6 | six, held + 6);
        if held >= 8 {
            held -= 8;
            let decoded = (bits >> held & 0xff) as u8;
            if !(b' '..=b'~').contains(&decoded) {
                return false;
            }
            colon |= decoded == b':';
            count += 1;
        }
    }
    colon && count >= 6
}

fn six_bits(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}

/// Adds every value below `data:` and `stringData:` of a manifest.
pub(super) fn kubernetes_secret(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    let block = truncate_to(&text[at..], BLOCK_BYTES_MAX);
    let block = block.split("\n---").next().unwrap_or_default();
    let other = block[1..].find("kind: ").map_or(block.len(), |offset| offset + 1);
    let block = &block[..other];
    let (mut offset, mut inside) = (at, None);
    for line in block.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if matches!(content, "data:" | "stringData:") {
            inside = Some(indent);
        } else if inside.is_some_and(|data| indent <= data && !content.is_empty()) {
            inside = None;
        } else if let Some((_, value)) = content.split_once(": ").filter(|_| inside.is_some()) {
            let value = value.trim_matches(['"', '\'', ' ']);
            let real = value.len() >= 6 && !is_placeholder(value) && has_digit(value);
            let from = start + line.rfind(value).unwrap_or_default();
            if real && !is_identifier(value) {
                found.push(SecretMatch {
                    rule: "kubernetes-secret",
                    range: from..from + value.len(),
                });
            }
        }
    }
}

/// Adds the password of `user/password@database` after the name of a program.
pub(super) fn oracle(text: &str, mark: usize, found: &mut Vec<SecretMatch>) {
    found.extend(oracle_password(text, mark));
}

fn oracle_password(text: &str, mark: usize) -> Option<SecretMatch> {
    let rest = truncate_to(&text[mark..], 256).lines().next()?;
    let word =
        rest.split([' ', '"', '\'']).find(|word| word.contains('/') && word.contains('@'))?;
    let word = word.rsplit_once("thin:").map_or(word, |(_, word)| word);
    let start = offset_in(text, word);
    let (user, rest) = word.split_once('/')?;
    let (password, _) = rest.rsplit_once('@')?;
    let fits = !user.is_empty() && password.len() >= 4 && !is_placeholder(password);
    let from = start + user.len() + 1;
    fits.then(|| SecretMatch { rule: "connection-string", range: from..from + password.len() })
}
