//! The files that name artefacts by their checksums: `SHA256SUMS`, the Homebrew formula and the
//! entry for the MCP registry. Each is filled from its template below `packaging/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::VERSION;
use crate::checkout::RepoCheckout;

/// Endings of artefacts.
const ENDINGS: [&str; 4] = [".tar.gz", ".deb", ".rpm", ".mcpb"];
/// Address below which a release has its artefacts.
const RELEASES: &str = "https://github.com/quipu-memory/quipu/releases/download";
/// Checksum in templates, until the artefact is built.
const NO_CHECKSUM: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Writes the index of the artefacts in a folder.
pub fn write(checkout: &RepoCheckout, folder: &Path) -> Result<()> {
    let checksums = checksums(folder)?;
    let lines: String = checksums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    fs::write(folder.join("SHA256SUMS"), lines)?;
    let formula = fs::read_to_string(checkout.path("packaging/homebrew/quipu.rb"))?;
    fs::write(folder.join("quipu.rb"), fill_formula(&formula, &checksums))?;
    let entry = fs::read_to_string(checkout.path("packaging/registry/server.json"))?;
    let entry = fill_entry(serde_json::from_str(&entry)?, &checksums);
    fs::write(folder.join("server.json"), format!("{entry:#}\n"))?;
    println!("{} artefacts in {}", checksums.len(), folder.display());
    Ok(())
}

/// Returns the checksum of every artefact by its name.
fn checksums(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if ENDINGS.iter().any(|ending| name.ends_with(ending)) && name.contains(VERSION) {
            let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
            found.insert(name, hex(&Sha256::digest(&bytes)));
        }
    }
    Ok(found)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fills the checksum after each address of the formula. An artefact that is missing keeps the
/// placeholder, which no download matches.
fn fill_formula(formula: &str, checksums: &BTreeMap<String, String>) -> String {
    let mut current = None;
    let mut filled = String::new();
    for line in formula.lines() {
        if line.trim_start().starts_with("url ") {
            let target = line.rsplit("#{version}-").next().unwrap_or_default();
            let name = format!("quipu-{VERSION}-{}", target.trim_end_matches('"'));
            current = checksums.get(&name);
        }
        filled.push_str(&match current {
            Some(sum) if line.contains("sha256") => line.replace(NO_CHECKSUM, sum),
            _ => line.to_owned(),
        });
        filled.push('\n');
    }
    filled
}

/// Returns the entry for the registry with one package for each bundle.
fn fill_entry(mut entry: Value, checksums: &BTreeMap<String, String>) -> Value {
    let bundles = checksums.iter().filter(|(name, _)| name.ends_with(".mcpb"));
    let package = |(name, sum): (&String, &String)| {
        json!({
            "registryType": "mcpb",
            "identifier": format!("{RELEASES}/v{VERSION}/{name}"),
            "version": VERSION,
            "fileSha256": sum,
            "transport": { "type": "stdio" },
        })
    };
    let packages: Vec<Value> = bundles.map(package).collect();
    if !packages.is_empty() {
        let images = entry["packages"].as_array().cloned().unwrap_or_default();
        let images = images.into_iter().filter(|one| one["registryType"] != "mcpb");
        entry["packages"] = packages.into_iter().chain(images).collect();
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(names: &[&str]) -> BTreeMap<String, String> {
        names.iter().map(|name| ((*name).to_owned(), "ab".repeat(32))).collect()
    }

    #[test]
    fn the_formula_gets_the_checksum_of_each_archive() {
        let checkout = RepoCheckout::current().unwrap();
        let formula = fs::read_to_string(checkout.path("packaging/homebrew/quipu.rb")).unwrap();
        let archive = format!("quipu-{VERSION}-aarch64-apple-darwin.tar.gz");
        let filled = fill_formula(&formula, &sums(&[&archive]));
        assert_eq!(filled.matches(&"ab".repeat(32)).count(), 1, "{filled}");
        assert!(filled.contains(NO_CHECKSUM), "the others are not built yet");
    }

    #[test]
    fn the_registry_gets_one_package_for_each_bundle() {
        let entry = json!({ "packages": [
            { "registryType": "mcpb", "identifier": "old" }, { "registryType": "oci" }
        ]});
        let filled = fill_entry(entry, &sums(&["quipu-1-a.mcpb", "quipu-1-b.mcpb", "x.deb"]));
        let kinds: Vec<&Value> =
            filled["packages"].as_array().unwrap().iter().map(|one| &one["registryType"]).collect();
        assert_eq!(kinds, ["mcpb", "mcpb", "oci"]);
        assert_eq!(filled["packages"][0]["fileSha256"], "ab".repeat(32));
    }

    #[test]
    fn checksums_are_those_of_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("quipu-{VERSION}-x.tar.gz");
        fs::write(folder.path().join(&name), "abc").unwrap();
        fs::write(folder.path().join("other.txt"), "abc").unwrap();
        let found = checksums(folder.path()).unwrap();
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(found, BTreeMap::from([(name, expected.to_owned())]));
    }
}
