//! Settings of the identity provider at which people sign in.

use super::invalid_setting;
use crate::exit::Problem;
use crate::files;
use oidc::ProviderSettings;
use std::path::{Path, PathBuf};

/// Maximum size of the file with the secret.
const SECRET_BYTES_MAX: u64 = 4 * 1024;

/// The settings as they were given; nothing is on without an issuer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OidcConfig {
    pub issuer: Option<String>,
    pub client_id: Option<String>,
    /// File with the secret of the client.
    pub client_secret_file: Option<PathBuf>,
    /// Name on the login page.
    pub name: Option<String>,
    pub scopes: Option<String>,
    /// Creates an owner for whoever signs in for the first time.
    pub create_owners: bool,
}

impl OidcConfig {
    /// Returns the validated provider; `None` when no issuer is set.
    ///
    /// # Errors
    /// Fails when a setting is invalid or missing, or the secret cannot be read.
    pub fn provider(&self) -> Result<Option<ProviderSettings>, Problem> {
        let Some(issuer) = &self.issuer else { return Ok(None) };
        let client_id = self.client_id.as_deref().unwrap_or_default();
        let mut settings = ProviderSettings::new(issuer, client_id)
            .map_err(|error| invalid_setting("oidc_issuer or oidc_client_id", &error))?;
        settings.client_secret = self.client_secret_file.as_deref().map(read_secret).transpose()?;
        settings.name = self.name.clone().unwrap_or(settings.name);
        settings.scopes = self.scopes.clone().unwrap_or(settings.scopes);
        Ok(Some(settings))
    }
}

fn read_secret(file: &Path) -> Result<String, Problem> {
    let text = files::read_small(file, SECRET_BYTES_MAX)
        .map_err(|error| Problem::file("reading", file, &error))?;
    let missing = || {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        Problem::file("reading", file, &missing)
    };
    Ok(text.ok_or_else(missing)?.trim_end_matches(['\r', '\n']).to_owned())
}
