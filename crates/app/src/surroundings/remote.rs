//! Reads the remote of a repository from its Git configuration, normalized so that every URL form
//! gives the same result, without user name or password.

use crate::files::read_small;
use std::path::Path;

/// Maximum size of the Git configuration; the rest of a larger file is ignored.
const CONFIG_BYTES_MAX: u64 = 256 * 1024;

/// Returns the normalized remote `origin`, or the first remote if there is none of that name.
pub(super) fn remote_of(config: &Path) -> Option<String> {
    let text = read_small(config, CONFIG_BYTES_MAX).ok().flatten()?;
    let urls = urls(&text);
    let origin = urls.iter().find(|(name, _)| name == "origin");
    origin.or(urls.first()).and_then(|(_, url)| normalised(url))
}

/// Parses the remotes and their URLs, in the order of the file.
fn urls(config: &str) -> Vec<(String, String)> {
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
fn normalised(url: &str) -> Option<String> {
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
    fn every_way_to_reach_a_repository_has_one_spelling_and_no_secret() {
        for url in [
            "https://github.com/ada/billing.git",
            "https://ada:secret@GitHub.com/ada/billing/",
            "git@github.com:ada/billing.git",
            "ssh://git@github.com/ada/billing",
            "git://github.com/ada/billing.git",
        ] {
            assert_eq!(normalised(url).as_deref(), Some("github.com/ada/billing"), "{url}");
        }
        assert_eq!(normalised("/srv/git/billing.git").as_deref(), Some("/srv/git/billing"));
        assert_eq!(normalised("file:///srv/git/billing.git").as_deref(), Some("/srv/git/billing"));
        assert_eq!(normalised(r"C:\git\billing").as_deref(), Some(r"/C:\git\billing"));
        assert_eq!(normalised("https://github.com"), None);
    }

    #[test]
    fn origin_wins_wherever_it_stands() {
        let config = "[core]\n\turl = no\n[remote \"fork\"]\n\turl = git@one:b/c\n\
                      [remote \"origin\"]\n\tURL = two:e/f\n";
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config");
        std::fs::write(&file, config).unwrap();
        assert_eq!(remote_of(&file).as_deref(), Some("two/e/f"));
        std::fs::write(&file, config.replace("origin", "upstream")).unwrap();
        assert_eq!(remote_of(&file).as_deref(), Some("one/b/c"));
        assert_eq!(remote_of(&directory.path().join("missing")), None);
    }
}
