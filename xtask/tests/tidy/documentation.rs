//! Consistency of the documentation and the CI script with the checkout.

use std::fs;

use crate::crate_layers::workspace_crates;
use crate::{expect_none, root};

#[test]
fn the_architecture_page_names_every_crate() {
    let map = read("ARCHITECTURE.md");
    let missing = workspace_crates().into_iter().filter(|name| !map.contains(&format!("`{name}`")));
    expect_none(missing.map(|name| format!("ARCHITECTURE.md does not describe {name}")).collect());
}

#[test]
fn ci_runs_the_check_and_nothing_else() {
    let script = read(".ci/run");
    let commands = script.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let commands: Vec<_> =
        commands.filter(|line| !line.starts_with("set ") && !line.starts_with("cd ")).collect();
    assert_eq!(commands, ["exec cargo xtask check"]);
}

#[test]
fn the_xtask_alias_never_changes_the_lock_file() {
    let alias = read(".cargo/config.toml");
    assert!(
        alias.lines().any(|line| line.starts_with("xtask = \"run ") && line.contains("--locked")),
        "{alias}"
    );
}

#[test]
fn decisions_are_numbered_without_gaps() {
    let folder = root().join("docs/decisions");
    let mut names: Vec<_> =
        fs::read_dir(&folder).expect("docs/decisions exists").map(file_name).collect();
    names.sort();
    for (at, name) in names.iter().enumerate() {
        assert!(name.starts_with(&format!("{:04}-", at + 1)), "{name} is not number {}", at + 1);
    }
}

#[test]
fn links_between_pages_resolve() {
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
    let mut broken = Vec::new();
    for page in pages {
        for target in links(&read(page)).filter(|target| !target.contains("://")) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !root().join(path).exists() {
                broken.push(format!("{page} links to {path}, which does not exist"));
            }
        }
    }
    expect_none(broken);
}

#[test]
fn the_page_of_every_client_has_a_picture_of_its_own() {
    let mut missing = Vec::new();
    for page in fs::read_dir(root().join("docs/clients")).expect("docs/clients exists") {
        let name = file_name(page).replace(".md", "");
        let picture = format!("screenshots/setup-{name}.svg");
        let is_shown = read(&format!("docs/clients/{name}.md")).contains(&format!("../{picture}"));
        if !is_shown || !root().join("docs").join(&picture).exists() {
            missing.push(format!("docs/clients/{name}.md does not show {picture}"));
        }
    }
    expect_none(missing);
}

#[test]
fn links_in_the_documentation_resolve() {
    let mut broken = Vec::new();
    for (page, text) in pages_of_documentation() {
        let folder = root().join(&page);
        let folder = folder.parent().unwrap_or(root());
        for target in links(&text).filter(|target| !target.contains("://")) {
            let (path, heading) = target.split_once('#').unwrap_or((&target, ""));
            let file = if path.is_empty() { root().join(&page) } else { folder.join(path) };
            if !file.exists() {
                broken.push(format!("{page} links to {path}, which does not exist"));
            } else if !heading.is_empty() && !headings(&file).contains(&heading.to_owned()) {
                broken.push(format!("{page} links to {target}, which has no such heading"));
            }
        }
    }
    expect_none(broken);
}

#[test]
fn the_site_lists_every_page_once() {
    let listed: Vec<String> = links(&read("docs/SUMMARY.md")).collect();
    let pages = pages_of_documentation().into_iter().map(|(page, _)| page);
    let mut wrong = Vec::new();
    // Decisions are added to the list when the site is built.
    let pages = pages.filter(|page| !page.starts_with("docs/decisions/"));
    for page in pages.filter(|page| page != "docs/SUMMARY.md") {
        let name = page.trim_start_matches("docs/");
        let count = listed.iter().filter(|target| *target == name).count();
        if count != 1 {
            wrong.push(format!("docs/SUMMARY.md lists {name} {count} times"));
        }
    }
    expect_none(wrong);
}

#[test]
fn the_pages_for_models_are_linked_from_llms_txt() {
    let text = read("docs/llms.txt");
    let missing = ["install-for-agents.md", "clients.md", "tour.md", "dialects.md"]
        .into_iter()
        .filter(|page| !text.contains(&format!("/docs/{page})")));
    expect_none(missing.map(|page| format!("docs/llms.txt does not name {page}")).collect());
    let repository = "https://github.com/quipu-memory/quipu/blob/main/";
    let broken = links(&text)
        .filter_map(|target| Some(target.strip_prefix(repository)?.to_owned()))
        .filter(|path| !root().join(path).exists());
    expect_none(broken.map(|path| format!("docs/llms.txt links to {path}")).collect());
}

/// Returns every page below `docs/` with its text.
fn pages_of_documentation() -> Vec<(String, String)> {
    let pages = crate::texts_below(&root().join("docs"));
    pages.into_iter().filter(|(page, _)| page.ends_with(".md")).collect()
}

/// Returns the headings of a page in the form of links to them.
fn headings(page: &std::path::Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap_or_default();
    let titles = text.lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(' '));
    let plain = |title: &str| {
        let kept = title.to_lowercase();
        let kept =
            kept.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.collect::<String>().trim().replace(' ', "-")
    };
    titles.map(plain).collect()
}

/// Returns the targets of the markdown links in `text`.
fn links(text: &str) -> impl Iterator<Item = String> {
    let after_bracket = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    after_bracket.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

fn file_name(entry: std::io::Result<fs::DirEntry>) -> String {
    entry.expect("docs/decisions can be read").file_name().to_string_lossy().into_owned()
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}
