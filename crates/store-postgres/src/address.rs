//! The address of a database: a `postgres://` URL with the parameters of libpq. The parameters of
//! TLS are read here, because the driver knows only some of them, and so is `schema`, which libpq
//! does not have; all others are the driver's.

use crate::Options;
use crate::tls::{TlsMode, TrustedRoots};
use std::path::PathBuf;
use std::str::FromStr;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// An address that was read.
#[derive(Debug, Clone)]
pub(crate) struct DatabaseAddress {
    pub(crate) config: Config,
    pub(crate) tls: TlsMode,
    /// The schema that the URL names.
    pub(crate) schema: Option<String>,
}

/// The error of an address that cannot be used, as a sentence for people.
#[derive(Debug)]
pub struct InvalidAddress(String);

impl std::fmt::Display for InvalidAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidAddress {}

/// Checks an address without connecting to it, and returns it as it may be shown: without a
/// password.
///
/// # Errors
/// Fails when it is not a `postgres://` URL, or a parameter is unknown or malformed.
pub fn check_address(url: &str) -> Result<String, InvalidAddress> {
    let address = DatabaseAddress::parse(url, &Options::new([0; 32]))?;
    Ok(address.shown())
}

impl DatabaseAddress {
    /// Reads a URL.
    pub(crate) fn parse(url: &str, options: &Options) -> Result<Self, InvalidAddress> {
        let known = ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme));
        if !known {
            return Err(invalid("the address of the store must begin with postgres://"));
        }
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut tls, mut passed) = (TlsParameters::from_environment(), Vec::new());
        let mut schema = None;
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if name == "schema" {
                schema = Some(check_schema_name(&value)?);
            } else if !tls.take(&name, &value) && !is_ignored(&name) {
                passed.push((name.into_owned(), value.into_owned()));
            }
        }
        // The driver decodes percent signs, but not the plus signs of form encoding.
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(passed).finish();
        let mut config = Config::from_str(&format!("{base}?{}", query.replace('+', "%20")))
            .map_err(|error| invalid(crate::error::describe(&error)))?;
        add_defaults(&mut config, options)?;
        let tls = tls.mode(options)?;
        config.ssl_mode(tls.driver_mode());
        Ok(Self { config, tls, schema })
    }

    /// Returns the address as it may be shown.
    pub(crate) fn shown(&self) -> String {
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            #[cfg(unix)]
            Some(Host::Unix(path)) => path.display().to_string(),
            None => "localhost".to_owned(),
        };
        let port = self.config.get_ports().first().map_or(String::new(), |port| format!(":{port}"));
        format!("postgres://{host}{port}/{}", self.config.get_dbname().unwrap_or("postgres"))
    }
}

/// Refuses a name of a schema that would need quotation.
fn check_schema_name(name: &str) -> Result<String, InvalidAddress> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if (1..=63).contains(&name.len()) && name.bytes().all(plain) {
        return Ok(name.to_owned());
    }
    Err(invalid(format!("schema={name} must be a name of lower-case letters, digits and `_`")))
}

/// Fills in what the URL leaves out, from the options and the variables of libpq.
fn add_defaults(config: &mut Config, options: &Options) -> Result<(), InvalidAddress> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        config.host(variable("PGHOST").as_deref().unwrap_or("localhost"));
    }
    if config.get_ports().is_empty() {
        let port = variable("PGPORT").map_or(Ok(5432), |port| port.parse());
        config.port(port.map_err(|_| invalid("PGPORT is not a port"))?);
    }
    if config.get_user().is_none() {
        let user = variable("PGUSER").or_else(|| variable("USER"));
        config.user(user.as_deref().unwrap_or("postgres"));
    }
    if config.get_dbname().is_none() {
        let name = variable("PGDATABASE").or_else(|| config.get_user().map(str::to_owned));
        config.dbname(name.unwrap_or_default());
    }
    if config.get_password().is_none() {
        let password = options.password.clone().or_else(|| variable("PGPASSWORD"));
        password.map(|password| config.password(password));
    }
    if config.get_application_name().is_none() {
        config.application_name("quipu");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(options.busy_timeout);
    }
    Ok(())
}

/// Parameters of libpq that change nothing here.
fn is_ignored(name: &str) -> bool {
    matches!(name, "client_encoding" | "gssencmode" | "krbsrvname" | "fallback_application_name")
}

/// The parameters of TLS, as libpq names them.
#[derive(Default)]
struct TlsParameters {
    mode: Option<String>,
    root_certificate: Option<PathBuf>,
}

impl TlsParameters {
    fn from_environment() -> Self {
        Self {
            mode: std::env::var("PGSSLMODE").ok(),
            root_certificate: std::env::var_os("PGSSLROOTCERT").map(PathBuf::from),
        }
    }

    /// Takes a parameter of the URL; false when it is not one of TLS.
    fn take(&mut self, name: &str, value: &str) -> bool {
        match name {
            "sslmode" => self.mode = Some(value.to_owned()),
            "sslrootcert" => self.root_certificate = Some(PathBuf::from(value)),
            _ => return false,
        }
        true
    }

    fn mode(self, options: &Options) -> Result<TlsMode, InvalidAddress> {
        let file = self.root_certificate.or_else(|| options.root_certificate.clone());
        let roots = match file {
            Some(file) if file.as_os_str() == "system" => TrustedRoots::Public,
            Some(file) => TrustedRoots::File(file),
            None => TrustedRoots::Public,
        };
        match self.mode.as_deref().unwrap_or("prefer") {
            "disable" => Ok(TlsMode::Disable),
            "allow" | "prefer" => Ok(TlsMode::Prefer),
            "require" => Ok(TlsMode::Require),
            "verify-ca" => Ok(TlsMode::VerifyAuthority(roots)),
            "verify-full" => Ok(TlsMode::VerifyFull(roots)),
            other => Err(invalid(format!(
                "sslmode={other} is unknown; use disable, prefer, require, verify-ca or verify-full"
            ))),
        }
    }
}

impl TlsMode {
    fn driver_mode(&self) -> SslMode {
        match self {
            Self::Disable => SslMode::Disable,
            Self::Prefer => SslMode::Prefer,
            _ => SslMode::Require,
        }
    }
}

fn invalid(problem: impl Into<String>) -> InvalidAddress {
    InvalidAddress(problem.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Result<DatabaseAddress, InvalidAddress> {
        DatabaseAddress::parse(url, &Options::new([0; 32]))
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let shown = check_address("postgres://ada:secret@db.example:6432/memory").unwrap();
        assert_eq!(shown, "postgres://db.example:6432/memory");
    }

    #[test]
    fn the_modes_of_tls_are_those_of_libpq() {
        let mode = |mode: &str| parse(&format!("postgres://h/d?sslmode={mode}")).map(|at| at.tls);
        assert!(matches!(mode("disable"), Ok(TlsMode::Disable)));
        assert!(matches!(mode("require"), Ok(TlsMode::Require)));
        assert!(matches!(mode("verify-full"), Ok(TlsMode::VerifyFull(TrustedRoots::Public))));
        assert!(mode("sometimes").unwrap_err().to_string().contains("verify-full"));
        let file = parse("postgresql://h/d?sslmode=verify-ca&sslrootcert=/etc/ca.pem").unwrap();
        assert!(matches!(file.tls, TlsMode::VerifyAuthority(TrustedRoots::File(_))));
    }

    #[test]
    fn parameters_of_the_driver_are_passed_on_and_unknown_ones_are_refused() {
        let address = parse("postgres://h/d?application_name=my%20server&connect_timeout=3");
        let address = address.unwrap();
        assert_eq!(address.config.get_application_name(), Some("my server"));
        assert!(parse("postgres://h/d?no_such_parameter=1").is_err());
        assert!(parse("mysql://h/d").is_err());
    }

    #[test]
    fn a_schema_can_be_named() {
        let address = parse("postgres://h/d?schema=team_x&sslmode=disable").unwrap();
        assert_eq!(address.schema.as_deref(), Some("team_x"));
        assert!(parse("postgres://h/d?schema=x%22;drop").is_err());
    }

    #[test]
    fn a_socket_directory_can_be_named() {
        let address = parse("postgres:///memory?host=/run/postgresql").unwrap();
        assert_eq!(address.shown(), "postgres:///run/postgresql:5432/memory");
    }
}
