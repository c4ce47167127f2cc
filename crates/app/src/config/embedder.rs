//! The settings of the embedder: `[embedder]` in the file, `QUIPU_EMBEDDER_…` in the environment.
//! Each kind has its own keys; a key of another kind is rejected like any unknown one.

use serde::Deserialize;
use std::path::PathBuf;
use toml::{Table, Value};

/// List of the embedder settings for `quipu --help`.
pub const SETTINGS: &str = "\
Under `[embedder]`, or in the environment as QUIPU_EMBEDDER_<NAME>:
  kind              bundled, endpoint or local
  url               endpoint: base URL; `/embeddings` is appended
  model             endpoint: name of the model
  key_env           endpoint: variable that holds the API key
  key_file          endpoint: file that holds the API key (mode 600)
  timeout_seconds   endpoint: timeout of a request
  batch             endpoint: number of texts in one request
  window_chars      endpoint: number of characters per vector
  tokens_per_day    endpoint: daily token budget
  texts_per_day     endpoint: daily text budget
  dimensions        endpoint: length of the vectors to request
  allow_plain_http  endpoint: allow http to other machines
  revision          endpoint: a new value re-embeds everything
  directory         local: directory of the model files
  pooling           local: mean or cls, if the files do not specify it
  query_prefix      endpoint, local: text the model expects before a query
  document_prefix   endpoint, local: text it expects before a document";

/// Prefix of the environment variables, before the name of the key.
pub const VARIABLE_PREFIX: &str = "QUIPU_EMBEDDER_";

/// Every key of every kind, with the type of its environment variable.
const KEYS: [(&str, VariableType); 17] = [
    ("kind", VariableType::Text),
    ("url", VariableType::Text),
    ("model", VariableType::Text),
    ("key_env", VariableType::Text),
    ("key_file", VariableType::Text),
    ("timeout_seconds", VariableType::Number),
    ("batch", VariableType::Number),
    ("window_chars", VariableType::Number),
    ("tokens_per_day", VariableType::Number),
    ("texts_per_day", VariableType::Number),
    ("dimensions", VariableType::Number),
    ("allow_plain_http", VariableType::Switch),
    ("revision", VariableType::Text),
    ("directory", VariableType::Text),
    ("pooling", VariableType::Text),
    ("query_prefix", VariableType::Text),
    ("document_prefix", VariableType::Text),
];

/// Type of an environment variable. The file needs none, TOML values are typed.
#[derive(Clone, Copy)]
enum VariableType {
    Text,
    Number,
    Switch,
}

/// The configured embedder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum EmbedderConfig {
    /// The model compiled into the binary.
    Bundled {},
    /// An HTTP endpoint in OpenAI's format.
    Endpoint(EndpointConfig),
    /// A model loaded from a directory.
    Local(LocalConfig),
}

/// Settings of an embedding endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndpointConfig {
    /// Base URL; `/embeddings` is appended.
    pub url: String,
    pub model: String,
    /// Name of the environment variable that holds the API key.
    pub key_env: Option<String>,
    pub key_file: Option<PathBuf>,
    #[serde(default = "timeout_seconds")]
    pub timeout_seconds: u64,
    /// Number of texts in one request.
    #[serde(default = "batch")]
    pub batch: usize,
    /// Number of characters that share one vector.
    #[serde(default = "window_chars")]
    pub window_chars: usize,
    pub tokens_per_day: Option<u64>,
    pub texts_per_day: Option<u64>,
    pub dimensions: Option<usize>,
    /// Allows plain http to hosts other than this machine.
    #[serde(default)]
    pub allow_plain_http: bool,
    /// Free text; a new value re-embeds everything.
    pub revision: Option<String>,
    #[serde(default)]
    pub query_prefix: String,
    #[serde(default)]
    pub document_prefix: String,
}

/// Settings of a model in a directory. The optional ones override the model's own files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalConfig {
    pub directory: PathBuf,
    pub pooling: Option<PoolingConfig>,
    pub query_prefix: Option<String>,
    pub document_prefix: Option<String>,
}

/// Method that combines the token vectors into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PoolingConfig {
    Mean,
    /// The vector of the first token.
    Cls,
}

impl Default for EmbedderConfig {
    fn default() -> Self {
        Self::Bundled {}
    }
}

impl EmbedderConfig {
    /// Reads the table of the file and applies the environment on top. The error is a sentence.
    pub fn read(
        file: Option<Table>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let mut table = file.unwrap_or_default();
        for (key, read) in KEYS {
            let name = format!("{VARIABLE_PREFIX}{}", key.to_uppercase());
            if let Some(text) = variable(&name).filter(|text| !text.trim().is_empty()) {
                table.insert(key.to_owned(), parse_variable(&name, &text, read)?);
            }
        }
        table.entry("kind").or_insert_with(|| "bundled".into());
        table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
    }
}

fn parse_variable(name: &str, text: &str, read: VariableType) -> Result<Value, String> {
    let trimmed = text.trim();
    match read {
        // Not trimmed: model prefixes such as `query: ` end in a significant space.
        VariableType::Text => Ok(text.to_owned().into()),
        VariableType::Number => {
            trimmed.parse::<i64>().map(Value::from).map_err(|error| format!("{name}: {error}"))
        }
        VariableType::Switch => trimmed
            .parse::<bool>()
            .map(Value::from)
            .map_err(|_| format!("{name}: must be true or false")),
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
    fn the_default_is_the_bundled_model() {
        assert_eq!(read("", &[]).unwrap(), EmbedderConfig::Bundled {});
        assert_eq!(EmbedderConfig::read(None, |_| None).unwrap(), EmbedderConfig::default());
    }

    #[test]
    fn an_endpoint_needs_a_url_and_a_model_and_has_defaults_for_the_rest() {
        let EmbedderConfig::Endpoint(endpoint) = read(ENDPOINT, &[]).unwrap() else {
            panic!("an endpoint")
        };
        let defaults = (endpoint.timeout_seconds, endpoint.batch, endpoint.window_chars);
        assert_eq!(defaults, (10, 32, 2_000));
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
        let EmbedderConfig::Endpoint(set) = read(ENDPOINT, &variables).unwrap() else {
            panic!("an endpoint")
        };
        assert_eq!((set.model.as_str(), set.batch, set.allow_plain_http), ("n", 4, true));
        assert_eq!(set.query_prefix, "query: ", "the trailing space is kept");
        assert!(
            read(ENDPOINT, &[("QUIPU_EMBEDDER_BATCH", "many")])
                .unwrap_err()
                .contains("QUIPU_EMBEDDER_BATCH")
        );
    }

    #[test]
    fn an_unknown_key_or_one_of_another_kind_is_refused_by_name() {
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
    fn the_help_lists_every_key_and_every_key_belongs_to_a_kind() {
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
