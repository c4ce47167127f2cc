//! The owner's access token for HTTP: generated once and stored in a file that only the owner can
//! read. It has the format of a key with its checksum, so that a truncated copy is detected.

use crate::exit::Problem;
use crate::files;
use engine::{KeyForm, KeySecret};
use std::path::Path;

/// Maximum size of the token file.
const BYTES_MAX: u64 = 1024;

/// Returns the token in a file, generating one if the file is missing.
///
/// # Errors
/// When the file cannot be read or written, or does not contain a valid token.
pub fn token_in(file: &Path) -> Result<String, Problem> {
    let stored = || {
        files::read_small(file, BYTES_MAX).map_err(|error| Problem::file("reading", file, &error))
    };
    if let Some(token) = stored()? {
        return checked(token.trim(), file);
    }
    let token = new_token()?;
    // Another process may have written its token meanwhile; the file that exists wins, so that both
    // processes accept the same one.
    if files::put_new(file, format!("{token}\n"))? {
        return Ok(token);
    }
    checked(stored()?.unwrap_or_default().trim(), file)
}

fn new_token() -> Result<String, Problem> {
    let secret = KeySecret::new(KeyForm::Quipu);
    let secret = secret.map_err(|error| {
        Problem::failed(error.to_string(), "Try again; if it keeps failing, report it.")
    })?;
    Ok(secret.reveal().to_owned())
}

fn checked(token: &str, file: &Path) -> Result<String, Problem> {
    if let Some((_, KeyForm::Quipu)) = KeySecret::read(token) {
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
    fn a_token_is_made_once_and_is_256_bits_of_chance() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("token");
        let token = token_in(&file).unwrap();
        assert_eq!(token.len(), "qp_".len() + 2 * 32 + 8);
        assert_eq!(token_in(&file).unwrap(), token);
        assert_ne!(token_in(&home.path().join("other")).unwrap(), token);
    }

    #[test]
    fn a_token_that_was_cut_off_or_changed_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("token");
        let token = token_in(&file).unwrap();
        for damaged in
            ["", "qp_", "é", &token[1..], &token[..token.len() - 1], &token.replace("qp_", "qp-")]
        {
            std::fs::write(&file, damaged).unwrap();
            assert!(token_in(&file).is_err(), "{damaged}");
        }
    }

    #[test]
    fn of_many_that_make_a_token_at_once_all_get_the_same() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("token");
        let tokens: Vec<String> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| token_in(&file).unwrap())).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(tokens.windows(2).all(|pair| pair[0] == pair[1]), "{tokens:?}");
    }
}
