//! Files by their path: with a known extension when bare (`main.rs`), with any extension after a
//! folder.

use super::lexicons::FILE_EXTENSIONS;
use super::{MentionKind, MentionSource, TextMention};

/// Returns the file that `word` names.
pub(super) fn find(word: &str) -> Option<TextMention> {
    let path = strip_line_number(word);
    let (folders, file) =
        path.rfind(['/', '\\']).map_or(("", path), |at| (&path[..at], &path[at + 1..]));
    if FILES_WITHOUT_ENDING.contains(&file) && path.chars().all(is_path_char) {
        return Some(mention(path));
    }
    let (stem, ending) = file.rsplit_once('.')?;
    let in_folder = path.len() > file.len();
    let known = FILE_EXTENSIONS.contains(&ending.to_ascii_lowercase().as_str());
    let plausible = in_folder
        && (1..=8).contains(&ending.len())
        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        && !ending.bytes().all(|b| b.is_ascii_digit());
    // A bare name such as `.gitignore` has no stem, so its extension must be known.
    let named = (!stem.is_empty() || known) && !is_library(file, in_folder);
    if !named || !(known || plausible) || !path.chars().all(is_path_char) || folders.contains("://")
    {
        return None;
    }
    Some(mention(path))
}

fn mention(path: &str) -> TextMention {
    TextMention {
        path: Some(path.to_owned()),
        ..TextMention::new(MentionKind::File, MentionSource::Path, path)
    }
}

/// Strips line and column: `lib.rs:42:7` names `lib.rs`.
fn strip_line_number(word: &str) -> &str {
    let mut path = word.trim_end_matches(')');
    while let Some((head, line)) = path.rsplit_once(':') {
        if line.is_empty() || !line.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
            break;
        }
        path = head;
    }
    path
}

fn is_path_char(c: char) -> bool {
    c.is_alphanumeric() || "/\\._-+~@:$#[]".contains(c)
}

/// Returns true for libraries (`Node.js`) and abbreviations (`e.g`) that look like file names.
fn is_library(file: &str, in_folder: bool) -> bool {
    let capital = file.starts_with(|c: char| c.is_uppercase());
    !in_folder
        && (capital && file.ends_with(".js")
            || matches!(file, "socket.io" | "asp.net" | "e.g" | "i.e"))
}

const FILES_WITHOUT_ENDING: &[&str] = &[
    "Dockerfile",
    "Makefile",
    "Justfile",
    "Procfile",
    "Gemfile",
    "Rakefile",
    "Vagrantfile",
    "Jenkinsfile",
    "CODEOWNERS",
];
