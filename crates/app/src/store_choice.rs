//! The store of a run: files in the home directory, or a PostgreSQL database that several servers
//! share. The key of the audit logs of a database is a file in the home directory.

use crate::config::Config;
use crate::exit::Problem;
use crate::files;
use crate::home_dir::HomeDir;
use std::path::Path;
use store::{Clients, Control, Store};
use store_postgres::{OpenError, Options, PostgresStore, new_audit_key};

/// Maximum size of the files with the audit key and with the password.
const SECRET_BYTES_MAX: u64 = 4 * 1024;

/// A store with everything that a server needs of it.
pub trait AnyStore: Store + Control + Clients {}

impl<S: Store + Control + Clients> AnyStore for S {}

/// Opens the database of a server, creating or updating its schema.
///
/// # Errors
/// Fails when the database cannot be reached or used, or the key of its audit logs is another one.
pub async fn open_postgres(
    home: &HomeDir,
    config: &Config,
    url: &str,
) -> Result<PostgresStore, Problem> {
    let key = AuditKeyFile::of(home, config)?;
    let options = postgres_options(config, key.key)?;
    let store = PostgresStore::open(url, &options).await.map_err(open_problem)?;
    key.keep(home)?;
    Ok(store)
}

/// Returns the options of a database.
///
/// # Errors
/// Fails when the file with its password cannot be read.
pub fn postgres_options(config: &Config, audit_key: [u8; 32]) -> Result<Options, Problem> {
    let password = config.store_password_file.as_deref().map(read_secret).transpose()?;
    Ok(Options {
        busy_timeout: config.busy_timeout,
        password: password.map(|text| text.trim_end_matches(['\r', '\n']).to_owned()),
        ..Options::new(audit_key)
    })
}

/// Creates the problem of a database that cannot be used.
pub fn open_problem(error: OpenError) -> Problem {
    let advice = match &error {
        OpenError::Address(_) => "Correct `store` in config.toml, QUIPU_STORE or --store.",
        OpenError::Store(_) => "Check the address and that the database server is running.",
        OpenError::Unfit(_) => "docs/teams.md says how a database is prepared.",
    };
    match error {
        OpenError::Address(_) => Problem::usage(error.to_string(), advice),
        _ => Problem::failed(error.to_string(), advice),
    }
}

/// Creates the problem of a command that works on files only.
pub fn files_only(command: &str) -> Problem {
    Problem::refused(
        format!("`quipu {command}` works on files, and the store is a PostgreSQL database"),
        "docs/teams.md says what to use instead.",
    )
}

fn read_secret(file: &Path) -> Result<String, Problem> {
    let text = files::read_small(file, SECRET_BYTES_MAX)
        .map_err(|error| Problem::file("reading", file, &error))?;
    text.ok_or_else(|| {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        Problem::file("reading", file, &missing)
    })
}

/// The key of the audit logs.
struct AuditKeyFile {
    key: [u8; 32],
    is_new: bool,
}

impl AuditKeyFile {
    /// Reads the key from the configured file, or else from the home directory.
    fn of(home: &HomeDir, config: &Config) -> Result<Self, Problem> {
        let Some(file) = &config.audit_key_file else { return Self::read_or_create(home) };
        let key = parse_key(&read_secret(file)?).ok_or_else(|| damaged(file))?;
        Ok(Self { key, is_new: false })
    }

    /// Reads the key; without one, creates a candidate that is kept once the database accepts it.
    fn read_or_create(home: &HomeDir) -> Result<Self, Problem> {
        for (file, is_new) in [(home.audit_key_file(), false), (home.audit_key_candidate(), true)] {
            if file.exists() {
                let key = parse_key(&read_secret(&file)?).ok_or_else(|| damaged(&file))?;
                return Ok(Self { key, is_new });
            }
        }
        let key = new_audit_key()?;
        // On disk before the database knows it: a key that only the database knew would be lost.
        files::write_new(&home.audit_key_candidate(), format!("{}\n", hex(&key)))?;
        Ok(Self { key, is_new: true })
    }

    /// Gives a candidate that the database accepted its name.
    fn keep(&self, home: &HomeDir) -> Result<(), Problem> {
        if !self.is_new {
            return Ok(());
        }
        let file = home.audit_key_file();
        std::fs::rename(home.audit_key_candidate(), &file)
            .map_err(|error| Problem::file("naming", &file, &error))
    }
}

fn damaged(file: &Path) -> Problem {
    Problem::failed(
        format!("{} is not a key: 64 hexadecimal digits", file.display()),
        "Copy the file of another server.",
    )
}

fn hex(key: &[u8; 32]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse_key(text: &str) -> Option<[u8; 32]> {
    let digits = text.trim();
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    let mut key = [0; 32];
    for (byte, pair) in key.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_as_it_was_written() {
        let key: [u8; 32] = std::array::from_fn(|place| place as u8 * 7);
        assert_eq!(parse_key(&format!("{}\n", hex(&key))), Some(key));
        assert_eq!(parse_key("abc"), None);
        assert_eq!(parse_key(&"x".repeat(64)), None);
    }
}
