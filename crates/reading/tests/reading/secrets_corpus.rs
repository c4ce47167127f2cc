//! Generated keys of every shape against a few hundred ordinary lines. The keys come from a seeded generator,
//! so that the repository holds none.

use quipu_reading::{redact, secrets};

const SAMPLES: usize = 200;
const HITS_MIN: f64 = 0.99;
const FALSE_ALARMS_MAX: f64 = 0.01;

const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdef";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const DASHES: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Knuth's linear congruential generator; its high bits are good enough to draw letters.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn draw(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }
}

/// A prefix in two halves (so that no scanner takes this file for a leak), an alphabet and a length.
type Shape = (&'static str, [&'static str; 2], &'static str, usize);

const SHAPES: &[Shape] = &[
    ("aws-access-key", ["AK", "IA"], CAPITALS, 16),
    ("aws-access-key", ["AS", "IA"], CAPITALS, 16),
    ("github-token", ["gh", "p_"], LETTERS, 36),
    ("github-token", ["gh", "s_"], LETTERS, 36),
    ("github-token", ["github", "_pat_"], LETTERS, 82),
    ("gitlab-token", ["gl", "pat-"], DASHES, 20),
    ("slack-token", ["xo", "xb-"], LETTERS, 40),
    ("slack-token", ["xo", "xp-"], LETTERS, 60),
    ("stripe-key", ["sk_", "live_"], LETTERS, 24),
    ("stripe-key", ["rk_", "test_"], LETTERS, 24),
    ("openai-key", ["sk-", "proj-"], DASHES, 120),
    ("openai-key", ["s", "k-"], LETTERS, 48),
    ("anthropic-key", ["sk-", "ant-api03-"], DASHES, 93),
    ("google-key", ["AI", "za"], DASHES, 35),
    ("google-key", ["GOC", "SPX-"], DASHES, 28),
    ("npm-token", ["np", "m_"], LETTERS, 36),
    ("pypi-token", ["py", "pi-AgEIcHlwaS5vcmc"], DASHES, 120),
    ("huggingface-token", ["h", "f_"], LETTERS, 34),
    ("digitalocean-token", ["dop", "_v1_"], HEX, 64),
    ("quipu-key", ["q", "p_"], LETTERS, 32),
    ("quipu-key", ["q", "p_"], DASHES, 43),
];

#[test]
fn tokens_with_a_prefix_are_found_by_their_own_rule() {
    let mut lcg = Lcg(17);
    let surroundings =
        ["use {} for now", "{}", "token={}", "key: \"{}\",", "(`{}`)", "https://x.org/?t={}&a=b"];
    for (rule, prefix, alphabet, length) in SHAPES {
        check(rule, |sample| {
            let value = format!("{}{}", prefix.concat(), lcg.draw(alphabet, *length));
            (surroundings[sample % surroundings.len()].replace("{}", &value), value)
        });
    }
}

#[test]
fn private_keys_web_tokens_and_headers_are_found() {
    let mut lcg = Lcg(18);
    check("private-key", |_| {
        let kind = ["RSA ", "EC ", "OPENSSH ", ""][lcg.below(4)];
        let body: Vec<String> = (0..8).map(|_| lcg.draw(BASE64, 64)).collect();
        let (dashes, label) = ("-----", format!("{kind}PRIVATE KEY"));
        let block =
            format!("{dashes}BEGIN {label}{dashes}\n{}\n{dashes}END {label}{dashes}", body.join("\n"));
        (format!("server key:\n{block}\n"), block)
    });
    check("jwt", |_| {
        let parts = [lcg.draw(DASHES, 33), lcg.draw(DASHES, 80), lcg.draw(DASHES, 43)];
        let value = format!("ey{}{}.ey{}{}.{}", 'J', parts[0], 'J', parts[1], parts[2]);
        (format!("session {value} expired"), value)
    });
    check("authorization-header", |sample| {
        let value = lcg.draw(LETTERS, 20 + sample % 40);
        (format!("curl -H 'Authorization: Bearer {value}' https://api.example.com"), value)
    });
}

#[test]
fn passwords_in_addresses_are_found() {
    let mut lcg = Lcg(19);
    check("connection-string", |sample| {
        let scheme = ["postgres", "mysql", "redis", "mongodb+srv", "amqps", "https"][sample % 6];
        let value = lcg.draw(LETTERS, 8 + sample % 16);
        (format!("{scheme}://app:{value}@db.example.com:5432/app"), value)
    });
}

#[test]
fn assigned_values_are_found_however_they_are_written() {
    let mut lcg = Lcg(20);
    let keys = [
        "api_key",
        "API_KEY",
        "apiKey",
        "client_secret",
        "SECRET_KEY",
        "auth_token",
        "access-token",
        "secret",
    ];
    let forms =
        ["{n}={v}", "{n} = \"{v}\"", "\"{n}\": \"{v}\"", "{n}: '{v}'", "export {n}={v}", "{n} := `{v}`"];
    check("assignment", |sample| {
        let value = lcg.draw(LETTERS, 16 + sample % 48);
        let form = forms[sample % forms.len()].replace("{n}", keys[sample % keys.len()]);
        (form.replace("{v}", &value), value)
    });
    let names = ["password", "DB_PASSWORD", "passwd", "smtp_pass", "adminPassword"];
    check("assignment", |sample| {
        let value = format!("{}{}{}", lcg.draw(LETTERS, 6), lcg.draw(DIGITS, 2), lcg.draw("!@#%&*", 1));
        let form = forms[sample % forms.len()].replace("{n}", names[sample % names.len()]);
        (form.replace("{v}", &value), value)
    });
}

#[test]
fn drawn_values_near_a_tell_tale_name_are_found() {
    let mut lcg = Lcg(21);
    let forms = ["the token for staging, {v}", "api key we use now -> {v}", "secret (prod) {v} works"];
    check("high-entropy", |sample| {
        let value = lcg.draw(LETTERS, 28 + sample % 30);
        (forms[sample % forms.len()].replace("{v}", &value), value)
    });
}

#[test]
fn ordinary_lines_raise_hardly_any_alarm() {
    let lines: Vec<&str> = include_str!("ordinary.txt").lines().collect();
    let alarms: Vec<_> = lines.iter().filter(|line| !secrets(line).is_empty()).collect();
    let share = alarms.len() as f64 / lines.len() as f64;
    assert!(lines.len() >= 300, "{} lines are too few to measure with", lines.len());
    assert!(share <= FALSE_ALARMS_MAX, "{share:.3}: {alarms:#?}");
}

#[test]
fn ordinary_lines_read_together_raise_no_more_alarms_than_apart() {
    let text = include_str!("ordinary.txt");
    let apart: usize = text.lines().map(|line| secrets(line).len()).sum();
    assert!(secrets(text).len() <= apart, "{:?}", redact(text).1);
}

/// Draws samples of a text and the secret in it, and asks that nearly all are covered by `rule`, and that
/// no trace of a found one is left after redacting.
fn check(rule: &str, mut sample: impl FnMut(usize) -> (String, String)) {
    let mut hits = 0;
    let mut missed = Vec::new();
    for number in 0..SAMPLES {
        let (text, value) = sample(number);
        let start = text.find(&value).unwrap_or_default();
        let covers =
            |range: &std::ops::Range<usize>| range.start <= start && range.end >= start + value.len();
        let found = secrets(&text);
        if found.iter().any(|secret| secret.rule == rule && covers(&secret.range)) {
            assert!(!redact(&text).0.contains(&value));
            hits += 1;
        } else {
            missed.push((text, found));
        }
    }
    let share = hits as f64 / SAMPLES as f64;
    assert!(share >= HITS_MIN, "{rule}: {share} {:#?}", &missed[..missed.len().min(5)]);
}
