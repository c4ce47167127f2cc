//! The owner's access token for HTTP: generated once and stored in a file that only the owner can
//! read. It has the format of a key with its checksum, so that a truncated copy is detected.

use crate::exit::Problem;
use crate::files;
use engine::{KeyForm, KeySecret};
use std::path::Path;

/// Maximum size of the token file.
const TOKEN_FILE_BYTES_MAX: u64 = 1024;

/// Returns the token in a file, generating one if the file is missing.
///
/// # Errors
/// Fails when the file cannot be read or written, or does not contain a valid token.
pub fn load_or_create_token(file: &Path) -> Result<String, Problem> {
    let stored = || {
        files::read_small(file, TOKEN_FILE_BYTES_MAX)
            .map_err(|error| Problem::file("reading", file, &error))
    };
    if let Some(token) = stored()? {
        return validate(token.trim(), file);
    }
    let token = generate_token()?;
    // Another process may have written its token meanwhile; the file that exists wins, so that both
    // processes accept the same one.
    if files::write_new(file, format!("{token}\n"))? {
        return Ok(token);
    }
    validate(stored()?.unwrap_or_default().trim(), file)
}

fn generate_token() -> Result<String, Problem> {
    let secret = KeySecret::new(KeyForm::Quipu);
    let secret = secret.map_err(|error| {
        Problem::failed(error.to_string(), "Try again; if it keeps failing, report it.")
    })?;
    Ok(secret.reveal().to_owned())
}

fn validate(token: &str, file: &Path) -> Result<String, Problem> {
    if let Some((_, KeyForm::Quipu)) = KeySecret::parse(token) {
        return Ok(token.to_owned());
    }
    let message = format!("the token in {} is damaged", file.display());
    Err(Problem::failed(
        message,
        "Delete the file to get a new token, then update your clients with it.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_generated_once_with_256_random_bits() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("token");
        let token = load_or_create_token(&file).unwrap();
        assert_eq!(token.len(), "qp_".len() + 2 * 32 + 8);
        assert_eq!(load_or_create_token(&file).unwrap(), token);
        assert_ne!(load_or_create_token(&home.path().join("other")).unwrap(), token);
    }

    #[test]
    fn a_truncated_or_changed_token_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("token");
        let token = load_or_create_token(&file).unwrap();
        for damaged in
            ["", "qp_", "é", &token[1..], &token[..token.len() - 1], &token.replace("qp_", "qp-")]
        {
            std::fs::write(&file, damaged).unwrap();
            assert!(load_or_create_token(&file).is_err(), "{damaged}");
        }
    }

    #[test]
    fn concurrent_processes_get_the_same_token() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("token");
        let tokens: Vec<String> = std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..8).map(|_| scope.spawn(|| load_or_create_token(&file).unwrap())).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(tokens.windows(2).all(|pair| pair[0] == pair[1]), "{tokens:?}");
    }
}
