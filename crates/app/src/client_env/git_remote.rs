//! Reads the remote of a repository from its Git configuration, normalized so that every URL form
//! gives the same result, without user name or password.

use crate::files::read_small;
use std::path::Path;

/// Maximum size of the Git configuration; the rest of a larger file is ignored.
const CONFIG_BYTES_MAX: u64 = 256 * 1024;

/// Returns the normalized remote `origin`, or the first remote if there is none of that name.
pub(super) fn read_remote(config: &Path) -> Option<String> {
    let text = read_small(config, CONFIG_BYTES_MAX).ok().flatten()?;
    let urls = parse_remote_urls(&text);
    let origin = urls.iter().find(|(name, _)| name == "origin");
    origin.or(urls.first()).and_then(|(_, url)| normalize_url(url))
}

/// Parses the remotes and their URLs, in the order of the file.
fn parse_remote_urls(config: &str) -> Vec<(String, String)> {
    let mut remote = None;
    let mut urls = Vec::new();
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let name = section.strip_prefix("remote \"").and_then(|rest| rest.split('"').next());
            remote = name.map(str::to_owned);
        } else if let (Some(name), Some((key, value))) = (&remote, line.split_once('='))
            && key.trim().eq_ignore_ascii_case("url")
        {
            urls.push((name.clone(), value.trim().trim_matches('"').to_owned()));
        }
    }
    urls
}

/// Normalizes a URL: `github.com/ada/billing` for `https://ada@github.com/ada/billing.git` and for
/// `git@github.com:ada/billing`.
fn normalize_url(url: &str) -> Option<String> {
    let (host, path) = match url.split_once("://") {
        Some(("file", path)) => ("", path),
        Some((_, rest)) => rest.split_once('/')?,
        None => match url.split_once(':') {
            // A single letter before the colon is a Windows drive, not a host.
            Some((host, path)) if host.len() > 1 && !host.contains('/') => (host, path),
            _ => ("", url),
        },
    };
    let host = host.rsplit('@').next().unwrap_or(host).to_lowercase();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    (!path.is_empty()).then(|| format!("{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_url_forms_of_a_repository_normalize_to_one_without_secrets() {
        for url in [
            "https://github.com/ada/billing.git",
            "https://ada:secret@GitHub.com/ada/billing/",
            "git@github.com:ada/billing.git",
            "ssh://git@github.com/ada/billing",
            "git://github.com/ada/billing.git",
        ] {
            assert_eq!(normalize_url(url).as_deref(), Some("github.com/ada/billing"), "{url}");
        }
        assert_eq!(normalize_url("/srv/git/billing.git").as_deref(), Some("/srv/git/billing"));
        assert_eq!(
            normalize_url("file:///srv/git/billing.git").as_deref(),
            Some("/srv/git/billing")
        );
        assert_eq!(normalize_url(r"C:\git\billing").as_deref(), Some(r"/C:\git\billing"));
        assert_eq!(normalize_url("https://github.com"), None);
    }

    #[test]
    fn origin_wins_whatever_its_position() {
        let config = "[core]\n\turl = no\n[remote \"fork\"]\n\turl = git@one:b/c\n\
                      [remote \"origin\"]\n\tURL = two:e/f\n";
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config");
        std::fs::write(&file, config).unwrap();
        assert_eq!(read_remote(&file).as_deref(), Some("two/e/f"));
        std::fs::write(&file, config.replace("origin", "upstream")).unwrap();
        assert_eq!(read_remote(&file).as_deref(), Some("one/b/c"));
        assert_eq!(read_remote(&directory.path().join("missing")), None);
    }
}
