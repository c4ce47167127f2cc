//! Single cases of each rule. Values are assembled at run time, so that no file contains one that
//! looks real; the corpus that measures recall and false positives is an integration test.

use super::*;

/// Letters and digits that repeat only after a while, as in a generated key.
fn random_value(length: usize) -> String {
    let alphabet = b"k7QzX2mR9vLpT4wYsB6nHdJ3gFcA8eUo5tKiV1xZrMqP0yWaS";
    (0..length).map(|at| char::from(alphabet[(at * 29 + at / 49) % alphabet.len()])).collect()
}

fn check(text: &str, rule: &'static str, value: &str) {
    let found = secrets(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    assert_eq!((found[0].rule, &text[found[0].range.clone()]), (rule, value), "{text}");
}

fn check_none(lines: &[&str]) {
    for line in lines {
        assert_eq!(secrets(line), [], "{line}");
    }
}

#[test]
fn a_prefix_names_the_issuer() {
    let github = format!("gh{}_{}", 'p', random_value(36));
    check(&format!("push with {github}."), "github-token", &github);
    let anthropic = format!("sk-{}-api03-{}", "ant", random_value(80));
    check(&format!("ANTHROPIC_API_KEY={anthropic}"), "anthropic-key", &anthropic);
    let ours = format!("qp{}{}", '_', random_value(32));
    check(&format!("key: `{ours}`"), "quipu-key", &ours);
    check_none(&[
        "the ghp_ prefix",
        "risk-ant-farm",
        "sk-learn is fine",
        "npm_config_registry",
        "hf_hub_download",
    ]);
}

#[test]
fn a_private_key_is_found_whole_even_when_cut_off() {
    let header = format!("-----BEGIN {} KEY-----", "RSA PRIVATE");
    let block = format!(
        "{header}\n{}\n{}\n-----END RSA PRIVATE KEY-----",
        random_value(64),
        random_value(40)
    );
    check(&format!("key:\n{block}\nthanks"), "private-key", &block);
    let cut = format!("{header}\n{}", random_value(64));
    check(&format!("{cut} (…)"), "private-key", &cut);
    check_none(&[&header, &format!("{header}\n...\n-----END"), "-----BEGIN CERTIFICATE-----"]);
}

#[test]
fn json_web_tokens_need_three_parts() {
    let token = format!("eyJ{}.eyJ{}.{}", random_value(20), random_value(40), random_value(43));
    check(&format!("cookie {token};"), "jwt", &token);
    check_none(&[
        &format!("eyJ{}.notjson", random_value(20)),
        "eyJ alone",
        &format!("eyJ{}", random_value(60)),
    ]);
}

#[test]
fn only_the_password_of_a_url_is_secret() {
    check("postgres://app:h4rd&w0rd@db:5432/app", "connection-string", "h4rd&w0rd");
    check_none(&[
        "postgres://user:password@localhost/db",
        "postgres://postgres:postgres@db",
        "redis://:@host",
        "see https://a.b/c:d@e",
        "postgres://app:${DB_PASS}@db/app",
        "https://example.com/@user:name",
    ]);
}

#[test]
fn credentials_in_headers_are_found() {
    let value = random_value(32);
    check(&format!("curl -H 'Authorization: Bearer {value}' x"), "authorization-header", &value);
    check(
        &format!("authorization: Basic {value}=="),
        "authorization-header",
        &format!("{value}=="),
    );
    check_none(&[
        "Authorization: Bearer <token>",
        "a bearer of news and responsibilities",
        "Bearer $TOKEN",
        "basic arithmetic",
    ]);
}

#[test]
fn assignments_need_a_value_on_the_right() {
    check("password: hunter2", "assignment", "hunter2");
    check("DB_PASS='tr0ub4dor&3'", "assignment", "tr0ub4dor&3");
    check("the password is Winter2019.", "assignment", "Winter2019");
    check("{\"apiKey\": \"k3J9x0QpZ\"}", "assignment", "k3J9x0QpZ");
    check("deploy --token 9xK2mP7qR4 now", "assignment", "9xK2mP7qR4");
    check("let password: &str = \"c0rrect-h0rse\";", "assignment", "c0rrect-h0rse");
    check_none(&[
        "password: see policy",
        "password: <your-password>",
        "token = ${TOKEN}",
        "api_key: YOUR_API_KEY",
        "password = getpass()",
        "token = next_token(2)",
        "secret: my-app-secret-v2",
        "password hashing uses argon2id",
        "password: bcrypt",
        "token: string;",
        "self.token = token2",
        "the token is 4 bytes",
        "password=***",
        "secret = changeme",
        "token_count = 4096abc8",
        "password is required",
        "api key: see 1Password",
        "private_key = ~/.ssh/id_ed25519",
    ]);
}

#[test]
fn high_entropy_after_a_secret_name_is_found_and_hashes_are_not() {
    let value = random_value(32);
    check(&format!("the token we got for prod, {value}, works"), "high-entropy", &value);
    check_none(&[
        &format!("commit {value} fixes it"),
        &format!("token hash {value}"),
        "secret santa list at the-very-long-name-of-a-page",
    ]);
}

#[test]
fn redaction_preserves_the_rest_and_is_idempotent() {
    let (text, rules) = redact("user ana, password: hunter2, höflich");
    assert_eq!(
        (text.as_str(), rules.as_slice()),
        ("user ana, password: [secret:assignment], höflich", &["assignment"][..])
    );
    assert_eq!(redact(&text), (text.clone(), vec![]));
}

#[test]
fn a_token_in_a_badge_takes_out_its_line_and_not_the_document() {
    let badge = format!("[![cov](https://x.example/badge.svg?token={})](x)", "Z92NHFQ7");
    let document = format!("# Title\n\n{badge}\n\nWhat it does.\n");
    let (cleaned, rules) = redact_lines(&document);
    assert_eq!(cleaned, "# Title\n\n[secret:assignment]\n\nWhat it does.\n");
    assert_eq!(rules, ["assignment"]);
    assert_eq!(redact_lines(&cleaned), (cleaned.clone(), vec![]));
    assert_eq!(redact_lines("password: hunter2").0, "[secret:assignment]");
}

#[test]
fn a_second_secret_after_the_first_is_redacted_too() {
    let (one, other) = (random_value(27), random_value(27));
    let (redacted, rules) = redact(&format!("password {one}:{other}"));
    assert_eq!(redacted, "password [secret:high-entropy]:[secret:high-entropy]");
    assert_eq!(rules, ["high-entropy"; 2]);
}

#[test]
fn a_redacted_secret_in_a_url_is_not_taken_for_its_password() {
    for redacted in
        ["https://password[secret:high-entropy]@host", "ftp://[secret:high-entropy]@host"]
    {
        assert_eq!(redact(redacted), (redacted.to_owned(), vec![]));
    }
    check("ftp://[secret:high-entropy]:h4rd&w0rd@host", "connection-string", "h4rd&w0rd");
    check("ftp://ana[secret:h4rd&w0rd@host", "connection-string", "h4rd&w0rd");
}

/// Pseudo-random characters of an alphabet, different for each salt.
fn random_from(alphabet: &[u8], length: usize, salt: usize) -> String {
    let mut state = (salt as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    (0..length).map(|_| char::from(alphabet[next() % alphabet.len()])).collect()
}

#[test]
fn every_known_prefix_is_found_and_near_misses_are_not() {
    let (mut drawn, mut found, mut alarms) = (0, 0, Vec::new());
    for shape in prefixed_tokens::SHAPES {
        for salt in 0..25 {
            let tail = random_from(&shape.alphabet_bytes(), shape.min + salt % 3, salt);
            let tail = &tail[..tail.len().min(shape.max)];
            let value = format!("{}{tail}", shape.prefix);
            drawn += 1;
            found += usize::from(
                secrets(&format!("use {value} there"))
                    .iter()
                    .any(|secret| secret.rule == shape.rule),
            );
        }
        let tail = random_from(&shape.alphabet_bytes(), shape.min, 7);
        let near = [
            format!("the prefix {} alone", shape.prefix),
            format!("cut off: {}{}", shape.prefix, &tail[..shape.min.min(8) - 1]),
            format!("inside x{}{tail} a word", shape.prefix),
            format!("a stand-in: {}{}", shape.prefix, "x".repeat(shape.min)),
        ];
        alarms.extend(
            near.into_iter().filter(|text| secrets(text).iter().any(|one| one.rule == shape.rule)),
        );
    }
    assert!(found * 100 >= drawn * 99, "{found} of {drawn}");
    assert!(alarms.is_empty(), "{alarms:#?}");
}

#[test]
fn keys_of_clouds_are_found_where_they_are_usually_written() {
    let (long, key) = (random_value(88), random_value(40));
    for (text, rule) in [
        (format!("aws_secret_access_key = {key}"), "assignment"),
        (format!("AWS_SECRET_ACCESS_KEY={key}"), "assignment"),
        (
            format!("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={long};"),
            "azure-storage-key",
        ),
        (
            format!("{{\"private_key\": \"-----BEGIN {} KEY-----\\n{long}\\n\"}}", "PRIVATE"),
            "private-key",
        ),
        (
            format!(
                "post to https://hooks.{}.com/services/T0{}/B0{}/{}",
                "slack",
                random_value(8),
                random_value(8),
                random_value(24)
            ),
            "slack-webhook",
        ),
    ] {
        assert!(
            secrets(&text).iter().any(|secret| secret.rule == rule),
            "{text}: {:?}",
            secrets(&text)
        );
    }
}
