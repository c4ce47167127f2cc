//! Generated keys of every shape. The keys come from a seeded generator, so that the repository
//! contains none.

use quipu_secrets::{redact, secrets};

const SAMPLES: usize = 200;
const RECALL_MIN: f64 = 0.99;

const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdef";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const DASHES: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
/// The same characters in the order of base64, where `-` comes before `_`.
const DASHES_IN_ORDER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Knuth's linear congruential generator; its high bits are random enough for test data.
pub(super) struct Lcg(pub(super) u64);

impl Lcg {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    pub(super) fn random_text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }
}

/// A rule, a prefix in two halves (so that no scanner takes this file for a leak), an alphabet and
/// a length.
type PrefixedTokenSample = (&'static str, [&'static str; 2], &'static str, usize);

const SHAPES: &[PrefixedTokenSample] = &[
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
    let contexts =
        ["use {} for now", "{}", "token={}", "key: \"{}\",", "(`{}`)", "https://x.org/?t={}&a=b"];
    for (rule, prefix, alphabet, length) in SHAPES {
        check(rule, |sample| {
            let value = format!("{}{}", prefix.concat(), lcg.random_text(alphabet, *length));
            (contexts[sample % contexts.len()].replace("{}", &value), value)
        });
    }
}

#[test]
fn private_keys_web_tokens_and_headers_are_found() {
    let mut lcg = Lcg(18);
    check("private-key", |_| {
        let kind = ["RSA ", "EC ", "OPENSSH ", ""][lcg.below(4)];
        let body: Vec<String> = (0..8).map(|_| lcg.random_text(BASE64, 64)).collect();
        let (dashes, label) = ("-----", format!("{kind}PRIVATE KEY"));
        let block = format!(
            "{dashes}BEGIN {label}{dashes}\n{}\n{dashes}END {label}{dashes}",
            body.join("\n")
        );
        (format!("server key:\n{block}\n"), block)
    });
    check("jwt", |_| {
        let parts =
            [lcg.random_text(DASHES, 33), lcg.random_text(DASHES, 80), lcg.random_text(DASHES, 43)];
        let value = format!("ey{}{}.ey{}{}.{}", 'J', parts[0], 'J', parts[1], parts[2]);
        (format!("session {value} expired"), value)
    });
    check("authorization-header", |sample| {
        let value = lcg.random_text(LETTERS, 20 + sample % 40);
        (format!("curl -H 'Authorization: Bearer {value}' https://api.example.com"), value)
    });
}

#[test]
fn tokens_of_chat_bots_are_found() {
    let mut lcg = Lcg(22);
    let forms =
        ["my bot is {}", "TOKEN={}", "https://api.telegram.org/bot{}/getMe", "\"{}\",", "({})"];
    check("telegram-token", |sample| {
        let number = format!("{}{}", 1 + lcg.below(9), lcg.random_text(DIGITS, 7 + sample % 3));
        let value = format!("{number}:A{}", lcg.random_text(DASHES, 34));
        (forms[sample % forms.len()].replace("{}", &value), value)
    });
    check("discord-token", |sample| {
        let number =
            base64(&format!("{}{}", 1 + lcg.below(9), lcg.random_text(DIGITS, 16 + sample % 3)));
        let value =
            format!("{number}.G{}.{}", lcg.random_text(DASHES, 5), lcg.random_text(DASHES, 38));
        (
            ["login {}", "TOKEN={}", "client.run('{}')", "{}"][sample % 4].replace("{}", &value),
            value,
        )
    });
    check("discord-webhook", |sample| {
        let host = ["discord.com", "ptb.discord.com", "discordapp.com"][sample % 3];
        let path =
            format!("{}/{}", lcg.random_text(DIGITS, 18 + sample % 2), lcg.random_text(DASHES, 68));
        (format!("curl https://{host}/api/webhooks/{path} -d hi"), path)
    });
}

#[test]
fn keys_of_azure_are_found() {
    let mut lcg = Lcg(23);
    check("azure-storage-key", |sample| {
        let value = format!("{}==", lcg.random_text(BASE64, 86));
        let account = lcg.random_text("abcdefgh", 3 + sample % 9);
        let text = format!(
            "DefaultEndpointsProtocol=https;AccountName={account};AccountKey={value};End=1"
        );
        (text, value)
    });
    check("azure-storage-key", |sample| {
        let value =
            format!("{}+{}{}==", lcg.random_text(BASE64, 76), "ASt", lcg.random_text(BASE64, 6));
        (["the storage: {}", "{}", "\"{}\"", "k={}"][sample % 4].replace("{}", &value), value)
    });
    check("azure-access-key", |_| {
        let value = format!("{}=", lcg.random_text(BASE64, 43));
        (format!("Endpoint=sb://x.example/;SharedAccessKeyName=all;SharedAccessKey={value}"), value)
    });
    check("azure-sas", |sample| {
        let value = format!(
            "{}%2B{}%3D",
            lcg.random_text(LETTERS, 20 + sample % 3),
            lcg.random_text(LETTERS, 22)
        );
        let query = format!(
            "sv=2024-11-04&ss=b&srt=sco&sp=rl&se=2027-01-01T00:00:00Z&spr=https&sig={value}"
        );
        (format!("get https://a.blob.core.windows.net/c/f.csv?{query} today"), value)
    });
    check("azure-client-secret", |sample| {
        let value = format!(
            "{}8{}{}",
            lcg.random_text(LETTERS, 3),
            "Q~",
            lcg.random_text(DASHES, 31 + sample % 4)
        );
        (["value {}", "\"{}\"", "AZURE={}"][sample % 3].replace("{}", &value), value)
    });
}

#[test]
fn near_misses_of_bot_and_azure_tokens_raise_no_alarm() {
    let mut lcg = Lcg(24);
    let mut drawn = |length| lcg.random_text(LETTERS, length);
    for line in [
        format!("at 12:30:45 the build 12345678:{} ran", drawn(12)),
        format!("1234567:{}", drawn(35)),
        format!("\"integrity\": \"sha512-{}==\"", drawn(86)),
        format!("MTpart.{}.{}", drawn(6), drawn(30)),
        "MyClass.method.anotherMethodWithAVeryLongNameIndeedHere".to_owned(),
        format!("https://cdn.example.com/a.js?sig={}", drawn(44)),
        "telegram tokens look like 123456789:ABCdefGHIjklMNOpqrsTUVwxyz123456789".to_owned(),
        "AccountKey=<the key of your account>;".to_owned(),
        "config = bigsig=1; sv=2".to_owned(),
        format!("the answer: {}Q~", drawn(4)),
    ] {
        let alarms = secrets(&line);
        let new = ["telegram", "discord", "azure"];
        assert!(
            !alarms.iter().any(|one| new.iter().any(|rule| one.rule.starts_with(rule))),
            "{line}: {alarms:?}"
        );
    }
}

/// Encodes as URL-safe base64 without padding.
pub(super) fn base64(text: &str) -> String {
    let letters = DASHES_IN_ORDER.as_bytes();
    let six = |bits: u32| char::from(letters[bits as usize & 63]);
    let mut encoded = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        encoded.extend((0..=three.len()).map(|nth| six(bits >> (18 - 6 * nth))));
    }
    encoded
}

#[test]
fn passwords_in_urls_are_found() {
    let mut lcg = Lcg(19);
    check("connection-string", |sample| {
        let scheme = ["postgres", "mysql", "redis", "mongodb+srv", "amqps", "https"][sample % 6];
        let value = lcg.random_text(LETTERS, 8 + sample % 16);
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
    let forms = [
        "{n}={v}",
        "{n} = \"{v}\"",
        "\"{n}\": \"{v}\"",
        "{n}: '{v}'",
        "export {n}={v}",
        "{n} := `{v}`",
    ];
    check("assignment", |sample| {
        let value = lcg.random_text(LETTERS, 16 + sample % 48);
        let form = forms[sample % forms.len()].replace("{n}", keys[sample % keys.len()]);
        (form.replace("{v}", &value), value)
    });
    let names = ["password", "DB_PASSWORD", "passwd", "smtp_pass", "adminPassword"];
    check("assignment", |sample| {
        let value = format!(
            "{}{}{}",
            lcg.random_text(LETTERS, 6),
            lcg.random_text(DIGITS, 2),
            lcg.random_text("!@#%&*", 1)
        );
        let form = forms[sample % forms.len()].replace("{n}", names[sample % names.len()]);
        (form.replace("{v}", &value), value)
    });
}

#[test]
fn random_values_near_a_secret_name_are_found() {
    let mut lcg = Lcg(21);
    let forms =
        ["the token for staging, {v}", "api key we use now -> {v}", "secret (prod) {v} works"];
    check("high-entropy", |sample| {
        let value = lcg.random_text(LETTERS, 28 + sample % 30);
        (forms[sample % forms.len()].replace("{v}", &value), value)
    });
}

/// Generates samples of a text and the secret in it, and checks that `rule` finds nearly all of
/// them and that redaction leaves no trace of those found.
fn check(rule: &str, mut sample: impl FnMut(usize) -> (String, String)) {
    let mut hits = 0;
    let mut missed = Vec::new();
    for number in 0..SAMPLES {
        let (text, value) = sample(number);
        let start = text.find(&value).unwrap_or_default();
        let covers = |range: &std::ops::Range<usize>| {
            range.start <= start && range.end >= start + value.len()
        };
        let found = secrets(&text);
        if found.iter().any(|secret| secret.rule == rule && covers(&secret.range)) {
            assert!(!redact(&text).0.contains(&value));
            hits += 1;
        } else {
            missed.push((text, found));
        }
    }
    let share = hits as f64 / SAMPLES as f64;
    assert!(share >= RECALL_MIN, "{rule}: {share} {:#?}", &missed[..missed.len().min(5)]);
}
