//! The settings of the embedder: `[embedder]` in the file, `QUIPU_EMBEDDER_…` in the environment.
//! Which keys there are depends on the kind; a key of another kind is as unknown as one that nobody
//! knows.

use serde::Deserialize;
use std::path::PathBuf;
use toml::{Table, Value};

/// The settings, for the reader of `quipu --help`.
pub const SETTINGS: &str = "\
Under `[embedder]`, or in the environment as QUIPU_EMBEDDER_ and the name in capitals:
  kind              bundled, endpoint or local
  url               endpoint: what `/embeddings` is put behind
  model             endpoint: the model's name there
  key_env           endpoint: the variable that holds the key
  key_file          endpoint: the file that holds the key (mode 600)
  timeout_seconds   endpoint: how long a request may take
  batch             endpoint: how many texts go into one request
  window_chars      endpoint: how many characters share one vector
  tokens_per_day    endpoint: how many tokens may be asked for in a day
  texts_per_day     endpoint: how many texts may be asked for in a day
  dimensions        endpoint: how many numbers a vector shall have
  allow_plain_http  endpoint: whether http may leave this machine
  revision          endpoint: anything new embeds everything anew
  directory         local: where the model's files lie
  pooling           local: mean or cls, where the files do not say
  query_prefix      endpoint, local: what the model wants before a question
  document_prefix   endpoint, local: what it wants before a memory";

/// What every setting is called in the environment, before its name.
pub const VARIABLE_PREFIX: &str = "QUIPU_EMBEDDER_";

/// Every key of every kind, with how its variable is read.
const KEYS: [(&str, Read); 17] = [
    ("kind", Read::Text),
    ("url", Read::Text),
    ("model", Read::Text),
    ("key_env", Read::Text),
    ("key_file", Read::Text),
    ("timeout_seconds", Read::Number),
    ("batch", Read::Number),
    ("window_chars", Read::Number),
    ("tokens_per_day", Read::Number),
    ("texts_per_day", Read::Number),
    ("dimensions", Read::Number),
    ("allow_plain_http", Read::YesOrNo),
    ("revision", Read::Text),
    ("directory", Read::Text),
    ("pooling", Read::Text),
    ("query_prefix", Read::Text),
    ("document_prefix", Read::Text),
];

/// How a variable is read.
#[derive(Clone, Copy)]
enum Read {
    Text,
    Number,
    YesOrNo,
}

/// Which embedder is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum EmbedderConfig {
    /// The one inside the binary.
    Bundled {},
    /// One that is asked over HTTP.
    Endpoint(EndpointConfig),
    /// A model from a directory.
    Local(LocalConfig),
}

/// An endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndpointConfig {
    /// What `/embeddings` is put behind.
    pub url: String,
    /// The model's name.
    pub model: String,
    /// The variable that holds the key.
    pub key_env: Option<String>,
    /// The file that holds the key.
    pub key_file: Option<PathBuf>,
    /// How long a request may take.
    #[serde(default = "timeout_seconds")]
    pub timeout_seconds: u64,
    /// How many texts go into one request.
    #[serde(default = "batch")]
    pub batch: usize,
    /// How many characters share one vector.
    #[serde(default = "window_chars")]
    pub window_chars: usize,
    /// How many tokens may be asked for in a day.
    pub tokens_per_day: Option<u64>,
    /// How many texts may be asked for in a day.
    pub texts_per_day: Option<u64>,
    /// How many numbers a vector shall have.
    pub dimensions: Option<usize>,
    /// Whether plain http may leave this machine.
    #[serde(default)]
    pub allow_plain_http: bool,
    /// Anything new embeds everything anew.
    pub revision: Option<String>,
    /// What the model wants before a question.
    #[serde(default)]
    pub query_prefix: String,
    /// What it wants before a memory.
    #[serde(default)]
    pub document_prefix: String,
}

/// A model from a directory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalConfig {
    /// Where its files lie.
    pub directory: PathBuf,
    /// How the vectors of tokens become one, where the files do not say.
    pub pooling: Option<PoolingConfig>,
    /// What the model wants before a question, where the files do not say or say it wrongly.
    pub query_prefix: Option<String>,
    /// What it wants before a memory, where the files do not say or say it wrongly.
    pub document_prefix: Option<String>,
}

/// How the vectors of tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PoolingConfig {
    /// Their mean.
    Mean,
    /// The first one's.
    Cls,
}

impl Default for EmbedderConfig {
    fn default() -> Self {
        Self::Bundled {}
    }
}

impl EmbedderConfig {
    /// Reads what the file says, and the environment over it. The refusal is a sentence.
    pub fn read(
        file: Option<Table>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let mut told = file.unwrap_or_default();
        for (key, read) in KEYS {
            let name = format!("{VARIABLE_PREFIX}{}", key.to_uppercase());
            if let Some(text) = variable(&name).filter(|text| !text.trim().is_empty()) {
                told.insert(key.to_owned(), value(&name, &text, read)?);
            }
        }
        told.entry("kind").or_insert_with(|| "bundled".into());
        told.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
    }
}

fn value(name: &str, text: &str, read: Read) -> Result<Value, String> {
    let trimmed = text.trim();
    match read {
        // Prefixes end in a space that counts.
        Read::Text => Ok(text.to_owned().into()),
        Read::Number => {
            trimmed.parse::<i64>().map(Value::from).map_err(|error| format!("{name}: {error}"))
        }
        Read::YesOrNo => trimmed
            .parse::<bool>()
            .map(Value::from)
            .map_err(|_| format!("{name}: write true or false")),
    }
}

fn timeout_seconds() -> u64 {
    10
}

fn batch() -> usize {
    32
}

fn window_chars() -> usize {
    2_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str, variables: &[(&str, &str)]) -> Result<EmbedderConfig, String> {
        let table: Table = toml::from_str(file).unwrap();
        EmbedderConfig::read(Some(table), |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    const ENDPOINT: &str = "kind = \"endpoint\"\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n";

    #[test]
    fn without_a_word_it_is_the_bundled_one() {
        assert_eq!(read("", &[]).unwrap(), EmbedderConfig::Bundled {});
        assert_eq!(EmbedderConfig::read(None, |_| None).unwrap(), EmbedderConfig::default());
    }

    #[test]
    fn an_endpoint_needs_a_url_and_a_model_and_has_defaults_for_the_rest() {
        let EmbedderConfig::Endpoint(told) = read(ENDPOINT, &[]).unwrap() else {
            panic!("an endpoint")
        };
        assert_eq!((told.timeout_seconds, told.batch, told.window_chars), (10, 32, 2_000));
        assert!(read("kind = \"endpoint\"\nmodel = \"m\"", &[]).unwrap_err().contains("url"));
    }

    #[test]
    fn the_environment_wins_over_the_file() {
        let variables = [
            ("QUIPU_EMBEDDER_MODEL", "n"),
            ("QUIPU_EMBEDDER_BATCH", " 4 "),
            ("QUIPU_EMBEDDER_ALLOW_PLAIN_HTTP", "true"),
            ("QUIPU_EMBEDDER_QUERY_PREFIX", "query: "),
        ];
        let EmbedderConfig::Endpoint(told) = read(ENDPOINT, &variables).unwrap() else {
            panic!("an endpoint")
        };
        assert_eq!((told.model.as_str(), told.batch, told.allow_plain_http), ("n", 4, true));
        assert_eq!(told.query_prefix, "query: ", "the space at its end counts");
        assert!(
            read(ENDPOINT, &[("QUIPU_EMBEDDER_BATCH", "many")])
                .unwrap_err()
                .contains("QUIPU_EMBEDDER_BATCH")
        );
    }

    #[test]
    fn a_key_that_nobody_knows_or_of_another_kind_is_refused_by_name() {
        for (file, part) in [
            (format!("{ENDPOINT}modl = \"x\""), "`modl`"),
            (format!("{ENDPOINT}directory = \"x\""), "`directory`"),
            ("model = \"m\"".to_owned(), "`model`"),
            ("kind = \"cloud\"".to_owned(), "`cloud`"),
        ] {
            let refusal = read(&file, &[]).unwrap_err();
            assert!(refusal.contains(part), "{refusal}");
        }
    }

    #[test]
    fn the_list_of_settings_names_each_key_and_each_key_is_known_to_a_kind() {
        let known = |kind: &str, more: &str| {
            read(&format!("kind = \"{kind}\"\n{more}\nnobody = 1"), &[]).unwrap_err()
        };
        let endpoint = known("endpoint", "url = \"u\"\nmodel = \"m\"");
        let local = known("local", "directory = \"d\"");
        for (key, _) in KEYS {
            assert!(SETTINGS.contains(&format!("\n  {key} ")), "{key}");
            let quoted = format!("`{key}`");
            assert!(
                key == "kind" || endpoint.contains(&quoted) || local.contains(&quoted),
                "{key}"
            );
        }
        for refusal in [endpoint, local] {
            let listed = refusal.split("expected one of").nth(1).unwrap().to_owned();
            for key in listed.split('`').skip(1).step_by(2) {
                assert!(KEYS.iter().any(|(known, _)| *known == key), "{key} has no variable");
            }
        }
    }
}
