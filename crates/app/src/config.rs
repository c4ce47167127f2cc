//! The configuration: defaults, overridden by the file, then by the environment; flags are applied
//! by the commands. An unknown key is an error, because a setting that is silently ignored is worse
//! than none.

mod embedder;
mod environment;
mod hooks;
mod oidc;

pub use self::oidc::OidcConfig;
#[cfg(feature = "local-models")]
pub use embedder::PoolingConfig;
pub use embedder::{EmbedderConfig, EndpointConfig, LocalConfig, SETTINGS as EMBEDDER_SETTINGS};
pub use hooks::{HookConfig, PromptMode, StatementMode};

use crate::exit::Problem;
use crate::files;
use dialects::{CodeMemorySettings, WorkspaceAllowlist};
use engine::SecretPolicy;
use model::OwnerId;
use serde::Deserialize;
use server::{BadNetwork, ProxyNetwork, PublicUrl};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// List of the settings for `quipu --help`.
pub const SETTINGS: &str = "\
Settings, in `config.toml` in the home directory or in the environment:
  owner                   QUIPU_OWNER                   owner of the memory
  store                   QUIPU_STORE                   postgres:// URL
  store_password_file     QUIPU_STORE_PASSWORD_FILE     password of the store
  audit_key_file          QUIPU_AUDIT_KEY_FILE          key of a store's logs
  listen                  QUIPU_LISTEN                  address of `serve`
  public_url              QUIPU_PUBLIC_URL              URL behind a proxy
  proxies                 QUIPU_PROXIES                 networks of proxies
  client_documents        QUIPU_CLIENT_DOCUMENTS        fetch OAuth metadata
  oidc_issuer             QUIPU_OIDC_ISSUER             provider for logging in
  oidc_client_id          QUIPU_OIDC_CLIENT_ID          client at the provider
  oidc_client_secret_file QUIPU_OIDC_CLIENT_SECRET_FILE its secret
  oidc_name               QUIPU_OIDC_NAME               provider on the login page
  oidc_scopes             QUIPU_OIDC_SCOPES             scopes besides openid
  oidc_create_owners      QUIPU_OIDC_CREATE_OWNERS      let everybody in
  log                     QUIPU_LOG                     error, warn, info, debug
  traces                  QUIPU_TRACES                  OpenTelemetry collector
  busy_timeout_seconds    QUIPU_BUSY_TIMEOUT_SECONDS    wait for the write lock
  view_memory             QUIPU_VIEW_MEMORY             MiB for search indexes
  epitome_list_all_tools  QUIPU_EPITOME_LIST_ALL_TOOLS  list older Epitome tools
  epitome_legacy_rest     QUIPU_EPITOME_LEGACY_REST     serve Epitome's REST API
  epitome_keys            QUIPU_EPITOME_KEYS            accept Epitome keys
  secrets                 QUIPU_SECRETS                 refuse or redact secrets
  hook_prompt             QUIPU_HOOK_PROMPT             off, strict or normal
  hook_statements         QUIPU_HOOK_STATEMENTS         off, propose, remember
  transcript_days         QUIPU_TRANSCRIPT_DAYS         keep turns; 0: none
  private_dirs            QUIPU_PRIVATE_DIRS            dirs without hooks
  workspace_dirs          QUIPU_WORKSPACE_DIRS          dirs of .amem files
  workspace_owners        QUIPU_WORKSPACE_OWNERS        other owners to read
  [codememory]            CODE_MEMORY_*                 ranking of code-memory";

/// Default log filter.
const DEFAULT_LOG_FILTER: &str = "warn";
/// Maximum size of the configuration file; anything beyond it is not read.
const CONFIG_BYTES_MAX: u64 = 64 * 1024;
/// Longest configurable wait for the write lock of another process.
const BUSY_TIMEOUT_SECONDS_MAX: u64 = 600;
/// Least configurable memory for the search indexes of all owners, in MiB.
const VIEW_MEMORY_MIN: usize = 16;

/// The effective configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    pub owner: OwnerId,
    /// Address of the database that holds the memory, instead of files in the home directory.
    pub store: Option<String>,
    /// File with the password of the database.
    pub store_password_file: Option<PathBuf>,
    /// File with the key of the audit logs of the database, instead of one in the home directory.
    pub audit_key_file: Option<PathBuf>,
    /// Address that `serve` listens on.
    pub listen: SocketAddr,
    /// URL that clients and browsers use when a proxy is in front of `serve`.
    pub public_url: Option<PublicUrl>,
    /// Networks of proxies that name the addresses of clients.
    pub proxies: Vec<ProxyNetwork>,
    /// Accepts OAuth clients identified by the URL of a metadata document, which is fetched.
    pub client_documents: bool,
    /// Identity provider at which people sign in.
    pub oidc: OidcConfig,
    /// Filter of the log, as in `info` or `warn,rmcp=debug`.
    pub log: String,
    /// Address of the collector that `serve` sends traces to, or `off`; the variables of
    /// OpenTelemetry apply when missing.
    pub traces: Option<String>,
    /// Longest wait of a write for the lock of another process.
    pub busy_timeout: Duration,
    /// MiB that the search indexes of all owners may take; a quarter of the machine's memory when
    /// missing.
    pub view_memory: Option<usize>,
    /// Treatment of a secret found in text to be stored.
    pub secrets: SecretPolicy,
    /// Settings of hooks: prompts, the days that turns are kept, and private directories.
    pub hooks: HookConfig,
    pub embedder: EmbedderConfig,
    /// Accepts keys in Epitome's format.
    pub epitome_keys: bool,
    /// Memories that a workspace may read besides the owner's own.
    pub workspaces: WorkspaceAllowlist,
    /// Lists the nine older tools of the epitome dialect along with the three current ones.
    pub epitome_list_all_tools: bool,
    /// Makes `serve` answer the REST requests of Epitome's older document.
    pub epitome_legacy_rest: bool,
    pub codememory: CodeMemorySettings,
    /// Invalid variable of code-memory. It concerns only that dialect, so nothing else fails.
    pub codememory_problem: Option<String>,
}

/// The keys of `config.toml`; the environment is read into the same shape.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    owner: Option<String>,
    store: Option<String>,
    store_password_file: Option<PathBuf>,
    audit_key_file: Option<PathBuf>,
    listen: Option<SocketAddr>,
    public_url: Option<String>,
    proxies: Option<Vec<String>>,
    client_documents: Option<bool>,
    oidc_issuer: Option<String>,
    oidc_client_id: Option<String>,
    oidc_client_secret_file: Option<PathBuf>,
    oidc_name: Option<String>,
    oidc_scopes: Option<String>,
    oidc_create_owners: Option<bool>,
    log: Option<String>,
    traces: Option<String>,
    busy_timeout_seconds: Option<u64>,
    view_memory: Option<usize>,
    secrets: Option<String>,
    hook_prompt: Option<String>,
    hook_statements: Option<String>,
    transcript_days: Option<u32>,
    private_dirs: Option<Vec<PathBuf>>,
    workspace_dirs: Option<Vec<PathBuf>>,
    workspace_owners: Option<Vec<String>>,
    embedder: Option<toml::Table>,
    epitome_keys: Option<bool>,
    epitome_list_all_tools: Option<bool>,
    epitome_legacy_rest: Option<bool>,
    codememory: Option<BTreeMap<String, ConfigScalar>>,
}

/// A value of `[codememory]`. The dialect parses it, because it alone knows the type of each key.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ConfigScalar {
    Switch(bool),
    Number(f64),
    Text(String),
}

impl ConfigScalar {
    /// Returns the value in the form in which an environment variable would give it.
    fn to_text(&self) -> String {
        match self {
            Self::Switch(on) => on.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        let busy_timeout = store_sqlite::Options::default().busy_timeout;
        Self {
            owner: OwnerId::me(),
            store: None,
            store_password_file: None,
            audit_key_file: None,
            listen: server::DEFAULT_ADDRESS,
            public_url: None,
            proxies: Vec::new(),
            client_documents: false,
            oidc: OidcConfig::default(),
            log: DEFAULT_LOG_FILTER.to_owned(),
            traces: None,
            busy_timeout,
            view_memory: None,
            secrets: SecretPolicy::default(),
            hooks: HookConfig::default(),
            embedder: EmbedderConfig::default(),
            epitome_keys: false,
            workspaces: WorkspaceAllowlist::default(),
            epitome_list_all_tools: false,
            epitome_legacy_rest: false,
            codememory: CodeMemorySettings::default(),
            codememory_problem: None,
        }
    }
}

impl Config {
    /// Reads the file, if it exists, and applies the environment on top.
    ///
    /// # Errors
    /// Fails when a key is unknown or its value is invalid; the message names the key.
    pub fn load(file: &Path, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Problem> {
        let text = files::read_small(file, CONFIG_BYTES_MAX)
            .map_err(|error| Problem::file("reading", file, &error))?;
        let mut settings: ConfigFile = toml::from_str(text.as_deref().unwrap_or_default())
            .map_err(|error| {
                let advice = "Correct the file, or delete it to go back to the defaults.";
                Problem::usage(
                    format!("{} is invalid: {}", file.display(), error.to_string().trim()),
                    advice,
                )
            })?;
        let path = file.display().to_string();
        let embedder = EmbedderConfig::read(settings.embedder.take(), &variable)
            .map_err(|error| invalid_setting(&format!("embedder in {path}"), &error))?;
        let config = Self { embedder, ..Self::default() }
            .apply(settings, |key| format!("{key} in {path}"))?;
        let config = config.apply_code_memory_env(&variable);
        config.apply(environment::read(variable)?, |key| format!("QUIPU_{}", key.to_uppercase()))
    }

    /// Sets the address of the database; `name` is the name of the setting in an error message.
    ///
    /// # Errors
    /// Fails when it is not a `postgres://` URL, or a parameter of it is invalid.
    pub fn set_store(&mut self, url: &str, name: &str) -> Result<(), Problem> {
        store_postgres::check_address(url).map_err(|error| invalid_setting(name, &error))?;
        self.store = Some(url.to_owned());
        Ok(())
    }

    /// Applies the environment variables of the original code-memory server, so that an existing
    /// client setup works unchanged.
    fn apply_code_memory_env(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        for name in CodeMemorySettings::NAMES {
            let key = format!("CODE_MEMORY_{}", name.to_uppercase());
            let value = variable(&key).filter(|value| !value.trim().is_empty());
            let set = value.map_or(Ok(()), |value| self.codememory.set(name, &value));
            if let Err(failure) = set {
                self.codememory_problem = Some(format!("{key} is invalid: {}", failure.message));
            }
        }
        self
    }

    /// Applies settings on top of the configuration; `name` turns a key into the name that an error
    /// message uses for it.
    fn apply(
        mut self,
        settings: ConfigFile,
        name: impl Fn(&str) -> String,
    ) -> Result<Self, Problem> {
        if let Some(owner) = settings.owner {
            self.owner =
                OwnerId::new(&owner).map_err(|error| invalid_setting(&name("owner"), &error))?;
        }
        if let Some(store) = settings.store {
            self.set_store(&store, &name("store"))?;
        }
        self.store_password_file = settings.store_password_file.or(self.store_password_file);
        self.audit_key_file = settings.audit_key_file.or(self.audit_key_file);
        if let Some(networks) = settings.proxies {
            let proxies: Result<_, _> = networks.iter().map(|network| network.parse()).collect();
            self.proxies =
                proxies.map_err(|error: BadNetwork| invalid_setting(&name("proxies"), &error))?;
        }
        if let Some(seconds) = settings.busy_timeout_seconds {
            if !(1..=BUSY_TIMEOUT_SECONDS_MAX).contains(&seconds) {
                let range = format!("it must be between 1 and {BUSY_TIMEOUT_SECONDS_MAX}");
                return Err(invalid_setting(&name("busy_timeout_seconds"), &range));
            }
            self.busy_timeout = Duration::from_secs(seconds);
        }
        if let Some(mib) = settings.view_memory {
            if mib < VIEW_MEMORY_MIN {
                let range = format!("it must be {VIEW_MEMORY_MIN} MiB or more");
                return Err(invalid_setting(&name("view_memory"), &range));
            }
            self.view_memory = Some(mib);
        }
        if let Some(secrets) = settings.secrets {
            let known = SecretPolicy::parse(secrets.trim());
            self.secrets = known.ok_or_else(|| {
                invalid_setting(&name("secrets"), &"it must be \"refuse\" or \"redact\"")
            })?;
        }
        self.hooks = self.hooks.apply(
            settings.hook_prompt.as_deref(),
            settings.transcript_days,
            settings.hook_statements.as_deref(),
            settings.private_dirs,
            &name,
        )?;
        if let Some(directories) = settings.workspace_dirs {
            if !directories.iter().all(|directory| directory.is_absolute()) {
                return Err(invalid_setting(
                    &name("workspace_dirs"),
                    &"every path must be absolute",
                ));
            }
            self.workspaces.directories = directories;
        }
        if let Some(names) = settings.workspace_owners {
            let owners: Result<_, _> =
                names.iter().map(|owner| OwnerId::new(owner.trim())).collect();
            self.workspaces.owners =
                owners.map_err(|error| invalid_setting(&name("workspace_owners"), &error))?;
        }
        for (key, value) in settings.codememory.into_iter().flatten() {
            let set = self.codememory.set(&key, &value.to_text());
            set.map_err(|failure| {
                invalid_setting(&name(&format!("codememory.{key}")), &failure.message)
            })?;
        }
        if let Some(url) = settings.public_url {
            let url = PublicUrl::new(&url)
                .map_err(|error| invalid_setting(&name("public_url"), &error))?;
            self.public_url = Some(url);
        }
        let oidc = self.oidc;
        self.oidc = OidcConfig {
            issuer: settings.oidc_issuer.or(oidc.issuer),
            client_id: settings.oidc_client_id.or(oidc.client_id),
            client_secret_file: settings.oidc_client_secret_file.or(oidc.client_secret_file),
            name: settings.oidc_name.or(oidc.name),
            scopes: settings.oidc_scopes.or(oidc.scopes),
            create_owners: settings.oidc_create_owners.unwrap_or(oidc.create_owners),
        };
        self.client_documents = settings.client_documents.unwrap_or(self.client_documents);
        self.listen = settings.listen.unwrap_or(self.listen);
        self.log = settings.log.unwrap_or(self.log);
        self.traces = settings.traces.or(self.traces);
        self.epitome_keys = settings.epitome_keys.unwrap_or(self.epitome_keys);
        self.epitome_list_all_tools =
            settings.epitome_list_all_tools.unwrap_or(self.epitome_list_all_tools);
        self.epitome_legacy_rest = settings.epitome_legacy_rest.unwrap_or(self.epitome_legacy_rest);
        Ok(self)
    }
}

fn invalid_setting(key: &str, why: &impl std::fmt::Display) -> Problem {
    Problem::usage(
        format!("{key} is invalid: {why}"),
        "Correct it, or remove it to use the default.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str, variables: &[(&str, &str)]) -> Result<Config, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        std::fs::write(&path, file).unwrap();
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Config::load(&path, variable).map_err(|problem| problem.render(false).unwrap_or_default())
    }

    #[test]
    fn the_environment_wins_over_the_file_and_the_file_over_the_defaults() {
        assert_eq!(load("", &[]).unwrap(), Config::default());
        let file = "listen = \"127.0.0.1:1\"\nowner = \"ada\"\nbusy_timeout_seconds = 3\n";
        let config = load(file, &[("QUIPU_LISTEN", "127.0.0.1:2"), ("QUIPU_OWNER", "")]).unwrap();
        assert_eq!(config.listen.port(), 2);
        assert_eq!((config.owner.as_str(), config.busy_timeout), ("ada", Duration::from_secs(3)));
    }

    #[test]
    fn the_memory_of_the_indexes_has_a_least_size() {
        assert_eq!(load("view_memory = 64", &[]).unwrap().view_memory, Some(64));
        assert_eq!(load("", &[("QUIPU_VIEW_MEMORY", "99")]).unwrap().view_memory, Some(99));
        let refusal = load("view_memory = 1", &[]).unwrap_err();
        assert!(refusal.contains("view_memory") && refusal.contains("16 MiB"), "{refusal}");
    }

    #[test]
    fn workspace_directories_and_owners_are_lists() {
        let file = "workspace_dirs = [\"/brains\", \"/more\"]\nworkspace_owners = [\"ada\"]\n";
        let config = load(file, &[]).unwrap();
        assert_eq!(config.workspaces.directories.len(), 2);
        assert_eq!(config.workspaces.owners[0].as_str(), "ada");
        let config = load(file, &[("QUIPU_WORKSPACE_DIRS", "/only")]).unwrap();
        assert_eq!(config.workspaces.directories, [PathBuf::from("/only")]);
    }

    #[test]
    fn an_unknown_key_is_refused_and_the_known_ones_are_listed() {
        let refusal = load("lisen = \"127.0.0.1:1\"\n", &[]).unwrap_err();
        for part in
            ["config.toml", "`lisen`", "`listen`", "`owner`", "`log`", "`busy_timeout_seconds`"]
        {
            assert!(refusal.contains(part), "{part} in {refusal}");
        }
    }

    #[test]
    fn the_help_lists_every_setting() {
        let refusal = load("nothing = 1", &[]).unwrap_err();
        let known = refusal.split("expected one of").nth(1).unwrap();
        // The keys of these two tables are listed separately.
        let tables = ["embedder", "codememory"];
        for key in known.split('`').skip(1).step_by(2).filter(|key| !tables.contains(key)) {
            assert!(SETTINGS.contains(&format!("\n  {key} ")), "{key}");
            assert!(SETTINGS.contains(&format!(" QUIPU_{} ", key.to_uppercase())), "{key}");
        }
    }

    #[test]
    fn a_switch_is_off_until_the_file_or_the_environment_turns_it_on() {
        assert!(!load("", &[]).unwrap().epitome_list_all_tools);
        assert!(load("epitome_list_all_tools = true", &[]).unwrap().epitome_list_all_tools);
        let off =
            load("epitome_legacy_rest = true", &[("QUIPU_EPITOME_LEGACY_REST", "off")]).unwrap();
        assert!(!off.epitome_legacy_rest, "the environment wins");
        assert!(load("", &[("QUIPU_EPITOME_LEGACY_REST", "1")]).unwrap().epitome_legacy_rest);
        assert!(
            load("", &[("QUIPU_EPITOME_LEGACY_REST", "maybe")]).unwrap_err().contains("`maybe`")
        );
    }

    #[test]
    fn code_memory_settings_come_from_the_file_and_from_its_original_variables() {
        let file = "[codememory]\nenable_graph = false\ntop_k = 5\ntop_p = 0.9\n";
        let set = load(file, &[("CODE_MEMORY_TOP_K", "7"), ("CODE_MEMORY_ENABLE_VEC", "no")])
            .unwrap()
            .codememory;
        assert_eq!(
            (set.enable_graph, set.enable_vec, set.top_k, set.top_p),
            (false, false, 7, 0.9)
        );
        assert!(load("[codememory]\ntopk = 5\n", &[]).unwrap_err().contains("codememory.topk in "));
        let other = load("", &[("CODE_MEMORY_TOP_P", "2")]).unwrap();
        assert!(other.codememory_problem.unwrap().contains("CODE_MEMORY_TOP_P"));
    }

    #[test]
    fn an_invalid_value_is_refused_with_the_name_of_its_key() {
        assert!(load("owner = \"../x\"", &[]).unwrap_err().contains("owner in "));
        assert!(load("store = \"mysql://h/d\"", &[]).unwrap_err().contains("store in "));
        let odd = load("", &[("QUIPU_STORE", "postgres://h/d?sslmode=maybe")]).unwrap_err();
        assert!(odd.contains("QUIPU_STORE") && odd.contains("verify-full"), "{odd}");
        assert!(load("", &[("QUIPU_LISTEN", "here")]).unwrap_err().contains("QUIPU_LISTEN"));
        assert!(load("busy_timeout_seconds = 0", &[]).unwrap_err().contains("between 1 and"));
        assert!(
            load("public_url = \"http://memory.example\"", &[])
                .unwrap_err()
                .contains("public_url in ")
        );
        assert!(load("secrets = \"keep\"", &[]).unwrap_err().contains("\"redact\""));
        assert!(load("workspace_dirs = [\"brains\"]", &[]).unwrap_err().contains("workspace_dirs"));
        assert!(
            load("", &[("QUIPU_WORKSPACE_OWNERS", "../x")])
                .unwrap_err()
                .contains("WORKSPACE_OWNERS")
        );
    }
}
