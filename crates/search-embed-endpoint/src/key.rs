//! The API key and its source. The key is read again for every request, so that a new one takes
//! effect at once, and it is never shown: not in an error, not in the log, not by `Debug`.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum number of bytes read from a key file.
const BYTES_MAX: u64 = 8 * 1024;

/// Source of an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// No key is needed.
    None,
    /// Environment variable.
    Variable(String),
    /// File that only its owner may read.
    File(PathBuf),
}

/// An API key. Its `Debug` output does not contain the key.
pub(crate) struct ApiKey(String);

impl ApiKey {
    /// Returns the value of the `Authorization` header.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

impl KeySource {
    /// Reads the key, or returns advice on how to provide one.
    pub(crate) fn read(&self) -> Result<Option<ApiKey>, String> {
        let found = match self {
            Self::None => return Ok(None),
            Self::Variable(name) => std::env::var(name).map_err(|_| {
                format!("the environment variable {name} is not set; set it where quipu is started")
            })?,
            Self::File(path) => read_key_file(path)?,
        };
        let key = found.trim();
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_graphic()) {
            // Control characters could otherwise inject further headers.
            return Err(format!(
                "{self} contains no valid key; a key is one word of printable ASCII characters"
            ));
        }
        Ok(Some(ApiKey(key.to_owned())))
    }
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("nothing"),
            Self::Variable(name) => write!(f, "the environment variable {name}"),
            Self::File(path) => write!(f, "the file {}", path.display()),
        }
    }
}

fn read_key_file(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let unreadable = |error| format!("the key file {shown} cannot be read: {error}");
    let file = std::fs::File::open(path).map_err(unreadable)?;
    check_private(&file, path)?;
    let mut text = String::new();
    file.take(BYTES_MAX).read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

#[cfg(unix)]
fn check_private(file: &std::fs::File, path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let mode =
        file.metadata().map(|metadata| metadata.permissions().mode() & 0o777).unwrap_or(0o777);
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(format!(
        "the key file {0} is readable by others (mode {mode:o}); run: chmod 600 {0}",
        path.display()
    ))
}

#[cfg(not(unix))]
fn check_private(_file: &std::fs::File, _path: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str, mode: u32) -> (tempfile::TempDir, KeySource) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        std::fs::write(&path, text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        (directory, KeySource::File(path))
    }

    #[test]
    fn a_key_comes_from_a_private_file_without_its_line_end() {
        let (_directory, source) = file("sk-123\n", 0o600);
        assert_eq!(source.read().unwrap().unwrap().bearer(), "Bearer sk-123");
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_can_read_is_rejected_with_advice() {
        let (_directory, source) = file("sk-123", 0o644);
        let refused = source.read().unwrap_err();
        assert!(refused.contains("chmod 600") && !refused.contains("sk-123"), "{refused}");
    }

    #[test]
    fn an_invalid_key_is_rejected_without_being_shown() {
        for text in ["", "  \n", "two words", "sk-123\r\nX-Other: 1"] {
            let (_directory, source) = file(text, 0o600);
            let refused = source.read().unwrap_err();
            assert!(
                refused.contains("contains no valid key") && !refused.contains("sk-123"),
                "{refused}"
            );
        }
        let missing = KeySource::Variable("QUIPU_TEST_NO_SUCH_KEY".into());
        assert!(missing.read().unwrap_err().contains("QUIPU_TEST_NO_SUCH_KEY"));
        assert!(KeySource::None.read().unwrap().is_none());
    }

    #[test]
    fn debug_does_not_show_a_key() {
        assert!(!format!("{:?}", ApiKey("sk-123".into())).contains("123"));
    }
}
