//! The token that lets clients in over HTTP: made once, kept in a file that only the owner can
//! read. It is written like a key, so that one that was cut off while copying is told from one that
//! is wrong.

use crate::exit::Problem;
use crate::files;
use engine::{KeyForm, KeySecret};
use std::path::Path;

/// No token is longer than this.
const BYTES_MAX: u64 = 1024;

/// The token in a file; a new one is made when there is none.
///
/// # Errors
/// When the file cannot be read or written, or holds something else.
pub fn token_in(file: &Path) -> Result<String, Problem> {
    let kept = || {
        files::read_small(file, BYTES_MAX).map_err(|error| Problem::file("reading", file, &error))
    };
    if let Some(token) = kept()? {
        return checked(token.trim(), file);
    }
    let made = new_token()?;
    // Whoever was first while we made ours wins.
    if files::put_new(file, format!("{made}\n"))? {
        return Ok(made);
    }
    checked(kept()?.unwrap_or_default().trim(), file)
}

fn new_token() -> Result<String, Problem> {
    let made = KeySecret::new(KeyForm::Quipu);
    let made = made.map_err(|error| {
        Problem::failed(error.to_string(), "Try again; if it stays, report it.")
    })?;
    Ok(made.reveal().to_owned())
}

fn checked(token: &str, file: &Path) -> Result<String, Problem> {
    if let Some((_, KeyForm::Quipu)) = KeySecret::read(token) {
        return Ok(token.to_owned());
    }
    let message = format!("the token in {} is not whole", file.display());
    Err(Problem::failed(
        message,
        "Delete the file to have a new token made, then tell it to your clients.",
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
