//! Web addresses, e-mail addresses and handles.

use super::{MentionKind, MentionSource, TextMention};

/// Returns the URL or e-mail address in `word`.
pub(super) fn find(word: &str) -> Option<TextMention> {
    if let Some(url) = url(word) {
        return Some(TextMention::new(MentionKind::Url, MentionSource::Address, url));
    }
    if is_git_remote(word) {
        return Some(TextMention::new(MentionKind::Url, MentionSource::Address, word));
    }
    is_email(word).then(|| TextMention::new(MentionKind::Email, MentionSource::Address, word))
}

/// Returns the user handle in a word of prose; in code an `@` opens a decorator.
pub(super) fn handle(word: &str) -> Option<TextMention> {
    is_handle(word).then(|| TextMention::new(MentionKind::Handle, MentionSource::Address, word))
}

/// Returns the URL without the credentials it may contain: a name must not store a password.
fn url(word: &str) -> Option<String> {
    let schemes =
        ["https://", "http://", "ftp://", "ssh://", "git://", "wss://", "ws://", "file://"];
    let scheme = schemes.into_iter().find(|scheme| word.starts_with(scheme)).unwrap_or("");
    let rest = &word[scheme.len()..];
    let rest = if rest.contains('(') { rest } else { rest.trim_end_matches(')') };
    let plain = rest.starts_with("www.") || (scheme.is_empty() && is_domain_path(rest));
    if (scheme.is_empty() && !plain) || rest.contains(char::is_whitespace) {
        return None;
    }
    let host = rest.find('/').unwrap_or(rest.len());
    let open = rest[..host].rfind('@').map_or(rest, |at| &rest[at + 1..]);
    (open.len() >= 3).then(|| format!("{scheme}{open}"))
}

/// `example.com/page`: a host with a well-known top-level domain, and a path.
fn is_domain_path(word: &str) -> bool {
    let Some((host, _)) = word.split_once('/') else { return false };
    let Some((name, ending)) = host.rsplit_once('.') else { return false };
    let known =
        matches!(ending, "com" | "org" | "net" | "io" | "dev" | "edu" | "gov" | "app" | "ai");
    known
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
}

/// Returns true for an SSH remote of git, such as `git@host:owner/project.git`.
fn is_git_remote(word: &str) -> bool {
    word.strip_prefix("git@")
        .and_then(|rest| rest.split_once(':'))
        .is_some_and(|(host, path)| host.contains('.') && path.contains('/'))
}

fn is_email(word: &str) -> bool {
    let Some((local, domain)) = word.split_once('@') else { return false };
    let Some((host, ending)) = domain.rsplit_once('.') else { return false };
    let in_local = |c: char| c.is_alphanumeric() || "._%+-".contains(c);
    let in_host = |c: char| c.is_alphanumeric() || ".-".contains(c);
    let ending_fits = ending.len() >= 2 && ending.chars().all(char::is_alphabetic);
    !local.is_empty()
        && local.chars().all(in_local)
        && !host.is_empty()
        && host.chars().all(in_host)
        && ending_fits
}

fn is_handle(word: &str) -> bool {
    let Some(name) = word.strip_prefix('@') else { return false };
    // 39 characters is the longest user name on GitHub.
    let shape = (2..=39).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    shape && name.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_annotation(name)
}

/// Returns true for decorators, annotations and at-rules.
fn is_annotation(name: &str) -> bool {
    #[rustfmt::skip]
    const ANNOTATIONS: &[&str] = &[
        "override", "param", "params", "return", "returns", "media", "import", "deprecated",
        "property", "staticmethod", "classmethod", "dataclass", "test", "todo", "see", "since",
        "throws", "type", "typedef", "autowired", "bean", "component", "service", "entity",
        "nullable", "nonnull", "before", "after", "mock", "inject", "keyframes", "abstractmethod",
        "decorator", "example", "latest", "main", "next",
    ];
    ANNOTATIONS.iter().any(|known| known.eq_ignore_ascii_case(name))
}
