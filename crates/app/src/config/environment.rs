//! The environment variables of the configuration.

use super::{ConfigFile, invalid_setting};
use crate::exit::Problem;
use std::path::PathBuf;

/// Reads the environment into the shape of the file.
///
/// # Errors
/// Fails when a variable cannot be parsed.
pub(super) fn read(variable: impl Fn(&str) -> Option<String>) -> Result<ConfigFile, Problem> {
    // A variable that is set but empty counts as unset.
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let seconds = set("QUIPU_BUSY_TIMEOUT_SECONDS").map(|text| text.trim().parse());
    let mib = set("QUIPU_VIEW_MEMORY").map(|text| text.trim().parse());
    let listen = set("QUIPU_LISTEN").map(|text| text.trim().parse());
    let switch = |name: &str| set(name).map(|text| parse_switch(name, &text)).transpose();
    Ok(ConfigFile {
        epitome_list_all_tools: switch("QUIPU_EPITOME_LIST_ALL_TOOLS")?,
        epitome_legacy_rest: switch("QUIPU_EPITOME_LEGACY_REST")?,
        owner: set("QUIPU_OWNER"),
        store: set("QUIPU_STORE"),
        store_password_file: set("QUIPU_STORE_PASSWORD_FILE").map(PathBuf::from),
        audit_key_file: set("QUIPU_AUDIT_KEY_FILE").map(PathBuf::from),
        proxies: set("QUIPU_PROXIES").map(|text| text.split(',').map(str::to_owned).collect()),
        listen: listen.transpose().map_err(|error| invalid_setting("QUIPU_LISTEN", &error))?,
        public_url: set("QUIPU_PUBLIC_URL"),
        client_documents: switch("QUIPU_CLIENT_DOCUMENTS")?,
        oidc_issuer: set("QUIPU_OIDC_ISSUER"),
        oidc_client_id: set("QUIPU_OIDC_CLIENT_ID"),
        oidc_client_secret_file: set("QUIPU_OIDC_CLIENT_SECRET_FILE").map(PathBuf::from),
        oidc_name: set("QUIPU_OIDC_NAME"),
        oidc_scopes: set("QUIPU_OIDC_SCOPES"),
        oidc_create_owners: switch("QUIPU_OIDC_CREATE_OWNERS")?,
        log: set("QUIPU_LOG"),
        traces: set("QUIPU_TRACES"),
        busy_timeout_seconds: seconds
            .transpose()
            .map_err(|error| invalid_setting("QUIPU_BUSY_TIMEOUT_SECONDS", &error))?,
        view_memory: mib
            .transpose()
            .map_err(|error| invalid_setting("QUIPU_VIEW_MEMORY", &error))?,
        secrets: set("QUIPU_SECRETS"),
        hook_prompt: set("QUIPU_HOOK_PROMPT"),
        hook_statements: set("QUIPU_HOOK_STATEMENTS"),
        transcript_days: set("QUIPU_TRANSCRIPT_DAYS")
            .map(|text| text.trim().parse())
            .transpose()
            .map_err(|error| invalid_setting("QUIPU_TRANSCRIPT_DAYS", &error))?,
        private_dirs: set("QUIPU_PRIVATE_DIRS").map(|text| std::env::split_paths(&text).collect()),
        workspace_dirs: set("QUIPU_WORKSPACE_DIRS")
            .map(|text| std::env::split_paths(&text).collect()),
        workspace_owners: set("QUIPU_WORKSPACE_OWNERS")
            .map(|text| text.split(',').map(str::to_owned).collect()),
        embedder: None,
        epitome_keys: switch("QUIPU_EPITOME_KEYS")?,
        codememory: None,
    })
}

/// Parses a switch, in any of the spellings that are common in the environment.
fn parse_switch(name: &str, text: &str) -> Result<bool, Problem> {
    match text.trim().to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        other => Err(invalid_setting(name, &format!("`{other}` is neither true nor false"))),
    }
}
