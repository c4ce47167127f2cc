//! Single cases of each rule. Values are put together here so that no file holds one that looks real; the
//! corpus that measures hits and false alarms is an integration test.

use super::*;

/// Letters and digits that repeat only after a while, as in a drawn key.
fn drawn(length: usize) -> String {
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
    let github = format!("gh{}_{}", 'p', drawn(36));
    check(&format!("push with {github}."), "github-token", &github);
    let anthropic = format!("sk-{}-api03-{}", "ant", drawn(80));
    check(&format!("ANTHROPIC_API_KEY={anthropic}"), "anthropic-key", &anthropic);
    let ours = format!("qp{}{}", '_', drawn(32));
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
    let block = format!("{header}\n{}\n{}\n-----END RSA PRIVATE KEY-----", drawn(64), drawn(40));
    check(&format!("key:\n{block}\nthanks"), "private-key", &block);
    let cut = format!("{header}\n{}", drawn(64));
    check(&format!("{cut} (…)"), "private-key", &cut);
    check_none(&[&header, &format!("{header}\n...\n-----END"), "-----BEGIN CERTIFICATE-----"]);
}

#[test]
fn web_tokens_need_their_three_parts() {
    let token = format!("eyJ{}.eyJ{}.{}", drawn(20), drawn(40), drawn(43));
    check(&format!("cookie {token};"), "jwt", &token);
    check_none(&[&format!("eyJ{}.notjson", drawn(20)), "eyJ alone", &format!("eyJ{}", drawn(60))]);
}

#[test]
fn only_the_password_of_an_address_is_secret() {
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
    let value = drawn(32);
    check(&format!("curl -H 'Authorization: Bearer {value}' x"), "authorization-header", &value);
    check(&format!("authorization: Basic {value}=="), "authorization-header", &format!("{value}=="));
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
fn high_entropy_behind_a_tell_tale_name_is_found_and_hashes_are_not() {
    let value = drawn(32);
    check(&format!("the token we got for prod, {value}, works"), "high-entropy", &value);
    check_none(&[
        &format!("commit {value} fixes it"),
        &format!("token hash {value}"),
        "secret santa list at the-very-long-name-of-a-page",
    ]);
}

#[test]
fn redacting_keeps_the_rest_and_is_done_once() {
    let (text, rules) = redact("user ana, password: hunter2, höflich");
    assert_eq!(
        (text.as_str(), rules.as_slice()),
        ("user ana, password: [secret:assignment], höflich", &["assignment"][..])
    );
    assert_eq!(redact(&text), (text.clone(), vec![]));
}
