//! Replaces everything in the output that differs between runs: paths, dates, sizes, digests and
//! tokens.

use crate::test_env::TestEnv;

/// Replaces everything that differs between runs.
pub fn normalize_output(env: &TestEnv, text: &str) -> String {
    let text = text.replace(&env.root().display().to_string(), "ROOT");
    let text = replace_pattern(&text, "0000-00-00T00-00-00Z", "TIME");
    let text = replace_pattern(&text, "0000-00-00T00:00:00Z", "TIME");
    let text = replace_pattern(&text, "0000-00-00", "DATE");
    let text = replace_after(&text, "quipu-embed-2@", "DIGEST");
    let text = replace_after(&text, "qp_", "TOKEN");
    let text = replace_after(&text, "login?link=", "SECRET");
    replace_sizes(&text)
}

/// Replaces text that matches a pattern, in which `0` matches any digit.
fn replace_pattern(text: &str, shape: &str, name: &str) -> String {
    let fits = |at: usize| {
        let bytes = text.as_bytes().get(at..at + shape.len());
        bytes.is_some_and(|bytes| {
            bytes.iter().zip(shape.bytes()).all(|(byte, want)| {
                if want == b'0' { byte.is_ascii_digit() } else { *byte == want }
            })
        })
    };
    let mut out = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if fits(at) {
            out.push_str(name);
            at += shape.len();
        } else {
            out.push(c);
            at += c.len_utf8();
        }
    }
    out
}

/// Replaces the hexadecimal digits that follow a marker.
fn replace_after(text: &str, mark: &str, name: &str) -> String {
    let mut parts = text.split(mark);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(mark);
        out.push_str(name);
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    out
}

/// Replaces sizes such as `12.5 KiB`.
fn replace_sizes(text: &str) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    for at in 1..words.len() {
        let unit =
            ["KiB", "MiB", "GiB", "TiB"].into_iter().find(|unit| words[at].starts_with(unit));
        if let Some(unit) = unit {
            let number =
                words[at - 1].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
            words[at - 1] = format!("{number}SIZE");
            words[at] = words[at].replacen(unit, "", 1);
        }
    }
    words.join(" ").replace("SIZE ,", "SIZE,").replace("SIZE \n", "SIZE\n")
}

#[test]
fn only_variable_parts_are_replaced() {
    let env = TestEnv::new();
    let text = format!(
        "{}/x 2026-05-03T01:02:03Z 2026-05-03 1.5 KiB, left quipu-embed-2@ab12, 17",
        env.root().display()
    );
    assert_eq!(
        normalize_output(&env, &text),
        "ROOT/x TIME DATE SIZE, left quipu-embed-2@DIGEST, 17"
    );
}
