//! Endings of names, in small letters and without separators.

#[rustfmt::skip]
pub(super) const PASSWORD_TAILS: &[&str] = &[
    "password", "passwd", "passcode", "pwd", "passwort", "kennwort", "contrasena", "senha",
    "wachtwoord", "userpass", "bindpw", "rootpw", "adminpw", "requirepass", "masterauth",
    "bindpass",
];

#[rustfmt::skip]
pub(super) const PHRASE_TAILS: &[&str] =
    &["passphrase", "mnemonic", "seedphrase", "recoveryphrase", "secretphrase", "seedwords"];

#[rustfmt::skip]
pub(super) const KEY_TAILS: &[&str] = &[
    "secret", "apikey", "credential", "secretkeybase", "keydata", "devopspat", "devopsextpat",
    "githubpat", "gitlabpat", "authorization", "bwsession", "connectionsecret",
];

/// Words that make a key a secret one when they precede it: `app_key`, `stripeKey`.
#[rustfmt::skip]
pub(super) const KEY_QUALIFIERS: &[&str] = &[
    "access", "secret", "private", "auth", "encryption", "decryption", "signing", "master",
    "account", "storage", "shared", "preshared", "service", "admin", "deploy", "app",
    "application", "consumer", "client", "license", "licence", "ingestion", "ingest", "integration",
    "routing", "registration", "sdk", "webhook", "server", "subscription", "jwt", "hmac", "aes",
    "merchant", "rest", "bot", "role", "recovery", "rsa", "ssh", "gpg", "pgp", "tls", "ssl", "user",
    "team", "project", "org", "live", "prod",
    "openai", "anthropic", "mistral", "cohere", "groq", "gemini", "assemblyai", "deepgram",
    "elevenlabs", "stripe", "algolia", "datadog", "twilio", "sendgrid", "mailgun", "mailchimp",
    "github", "gitlab", "azure", "aws", "gcp", "google", "maps", "firebase", "supabase",
    "cloudflare", "heroku", "vercel", "netlify", "newrelic", "sentry", "amplitude", "mixpanel",
    "intercom", "hubspot", "zendesk", "pagerduty", "opsgenie", "airtable", "notion", "linear",
    "asana", "trello", "slack", "discord", "telegram", "shopify", "paypal", "plaid", "square",
    "coinbase", "binance", "kraken", "alchemy", "infura", "etherscan", "mapbox", "rapidapi",
    "weather", "openweather", "polygon", "finnhub", "fastly", "linode", "vultr", "hetzner",
];

/// First words of names such as "api key".
#[rustfmt::skip]
pub(super) const KEY_FIRST_WORDS: &[&str] = &[
    "api", "access", "secret", "private", "auth", "encryption", "signing", "master", "account",
    "license", "licence", "deploy", "admin", "webhook", "service",
];

/// Tokens of paging, parsing and language models, which are no secrets.
#[rustfmt::skip]
pub(super) const HARMLESS_TOKENS: &[&str] = &[
    "pagetoken", "nexttoken", "continuationtoken", "padtoken", "eostoken", "bostoken", "unktoken",
    "septoken", "clstoken", "masktoken", "stoptoken", "cancellationtoken", "newtoken", "synctoken",
    "pertoken", "lasttoken", "firsttoken", "prevtoken", "specialtoken", "resumetoken",
    "changetoken", "inputtoken", "outputtoken", "maxtoken", "prompttoken", "completiontoken",
    "totaltoken", "tokentoken",
];

/// Names that are not ASCII, split before their first character that is not.
#[rustfmt::skip]
pub(super) const FOREIGN_NAMES: &[(&str, &str)] = &[
    ("contrase", "ña"), ("Contrase", "ña"), ("l", "ösenord"), ("L", "ösenord"), ("", "пароль"),
    ("", "Пароль"), ("has", "ło"), ("Has", "ło"), ("", "密码"), ("", "密碼"), ("", "パスワード"),
    ("", "비밀번호"),
];
