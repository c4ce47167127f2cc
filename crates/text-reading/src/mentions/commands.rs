//! Shell commands between backticks: a known program with arguments, anything with an option, or
//! the text after a `$` prompt.

use super::{MentionKind, MentionSource, TextMention};

/// Returns the command in `code`.
pub(super) fn find(code: &str) -> Option<TextMention> {
    let prompt = code.strip_prefix("$ ");
    let command = prompt.unwrap_or(code).trim();
    let mut words = command.split_whitespace();
    let program = words.next()?;
    let is_program = program
        .starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/'))
        && program.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/+-".contains(&byte));
    let arguments: Vec<&str> = words.collect();
    let has_option = arguments
        .iter()
        .any(|word| word.len() > 1 && word.starts_with('-') && !word.starts_with("->"));
    let known = PROGRAMS.contains(&program) && !arguments.is_empty();
    (is_program && (prompt.is_some() || known || has_option))
        .then(|| TextMention::new(MentionKind::Command, MentionSource::Command, command))
}

#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "apt", "apt-get", "aws", "az", "bash", "brew", "bun", "cargo", "cat", "cd", "chmod", "chown",
    "cmake", "cp", "curl", "deno", "dig", "dnf", "docker", "docker-compose", "dotnet", "find",
    "flyctl", "gcloud", "gem", "gh", "git", "go", "gradle", "grep", "helm", "jq", "just", "kill",
    "kubectl", "launchctl", "ln", "ls", "make", "mkdir", "mvn", "mv", "mysql", "nix", "node", "npm",
    "npx", "openssl", "pacman", "pip", "pip3", "pipx", "pnpm", "podman", "poetry", "psql", "pytest",
    "python", "python3", "quipu", "rails", "redis-cli", "rg", "rm", "rsync", "ruby", "rustc",
    "rustup", "scp", "sed", "sqlite3", "ssh", "sudo", "systemctl", "tail", "tar", "terraform",
    "tmux", "touch", "uv", "uvx", "vim", "wget", "yarn", "zsh",
];
