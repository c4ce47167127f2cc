//! `cargo xtask site`: the documentation as a site in `target/site`, built by mdBook from a copy of
//! `docs/` in the order of `docs/SUMMARY.md`. The decisions are added to the list, and links to
//! files outside of `docs/` lead to the repository.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::checkout::RepoCheckout;
use crate::{command, tools};

/// Folder of the site, below the checkout.
const FOLDER: &str = "target/site";
/// Address of the files of the repository.
const REPOSITORY: &str = "https://github.com/quipu-memory/quipu/blob/main/";

/// Builds the site.
pub fn run(checkout: &RepoCheckout) -> Result<()> {
    let mdbook = tools::mdbook(checkout)?;
    let source = tempfile::tempdir()?;
    copy_pages(&checkout.path("docs"), source.path(), 0)?;
    let summary = source.path().join("SUMMARY.md");
    let list = fs::read_to_string(&summary)? + &decisions(&checkout.path("docs/decisions"))?;
    fs::write(&summary, list)?;
    let folder = checkout.path(FOLDER);
    let mut build = checkout.command(mdbook);
    command::run(build.arg("build").arg(source.path()).arg("--dest-dir").arg(&folder))?;
    println!("the site is in {}", folder.display());
    Ok(())
}

/// Copies the pages and pictures below a folder.
fn copy_pages(from: &Path, to: &Path, depth: usize) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().context("an entry has a name")?);
        if path.is_dir() {
            copy_pages(&path, &target, depth + 1)?;
        } else if path.extension().is_some_and(|ending| ending == "md") {
            fs::write(&target, with_outside_links(&fs::read_to_string(&path)?, depth))?;
        } else {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

/// Lets links that leave `docs/` lead to the repository.
fn with_outside_links(text: &str, depth: usize) -> String {
    let outside = format!("]({}", "../".repeat(depth + 1));
    text.replace(&outside, &format!("]({REPOSITORY}"))
}

/// Returns the list of the decisions, by their titles.
fn decisions(folder: &Path) -> Result<String> {
    let mut names: Vec<String> = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    let line = |name: &String| -> Result<String> {
        let text = fs::read_to_string(folder.join(name))?;
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        Ok(format!("- [{title}](decisions/{name})\n"))
    };
    names.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_leave_the_documentation_lead_to_the_repository() {
        let text = "[a](../README.md) [b](tour.md)";
        let expected = format!("[a]({REPOSITORY}README.md) [b](tour.md)");
        assert_eq!(with_outside_links(text, 0), expected);
        let text = "[a](../clients.md) [b](../../SECURITY.md)";
        let expected = format!("[a](../clients.md) [b]({REPOSITORY}SECURITY.md)");
        assert_eq!(with_outside_links(text, 1), expected);
    }

    #[test]
    fn decisions_are_listed_by_their_titles() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("0002-b.md"), "# 2. Second\n").unwrap();
        fs::write(folder.path().join("0001-a.md"), "# 1. First\n").unwrap();
        let list = decisions(folder.path()).unwrap();
        assert_eq!(list, "- [1. First](decisions/0001-a.md)\n- [2. Second](decisions/0002-b.md)\n");
    }
}
