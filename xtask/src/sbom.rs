//! `cargo xtask sbom [FILE]`: writes the bill of materials of the binary in the CycloneDX format,
//! from `cargo metadata` and the checksums in `Cargo.lock`. Two runs on the same lock file give the
//! same bytes, so it contains neither a time nor a random serial number.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::checkout::RepoCheckout;
use crate::command;

/// Path of the file below the checkout, if none is given.
const FILE_DEFAULT: &str = "target/quipu.cdx.json";
/// Package of the binary.
const BINARY: &str = "quipu";

/// Writes the bill of materials.
pub fn run(checkout: &RepoCheckout, file: Option<&str>) -> Result<()> {
    let arguments = ["metadata", "--format-version", "1", "--locked", "--all-features"];
    let metadata =
        command::output(&mut checkout.cargo(&arguments)).context("cargo metadata failed")?;
    let lock = std::fs::read_to_string(checkout.path("Cargo.lock"))?;
    let bom = bill_of_materials(&serde_json::from_str(&metadata)?, &lock)?;
    let path = checkout.path(file.unwrap_or(FILE_DEFAULT));
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    std::fs::write(&path, format!("{bom:#}\n"))?;
    let count = bom["components"].as_array().map_or(0, Vec::len);
    println!("{count} components in {}", path.display());
    Ok(())
}

/// Returns the bill of materials of the binary.
fn bill_of_materials(metadata: &Value, lock: &str) -> Result<Value> {
    let packages = by_id(&metadata["packages"]);
    let nodes = by_id(&metadata["resolve"]["nodes"]);
    let root = packages
        .iter()
        .find(|(_, package)| package["name"] == BINARY && package["source"].is_null())
        .map(|(id, _)| *id)
        .context("the package of the binary is missing")?;
    let reached = reachable(&nodes, root);
    let checksums = checksums(lock);
    let components: Vec<Value> = reached
        .iter()
        .filter(|id| **id != root)
        .filter_map(|id| packages.get(id))
        .map(|package| component(package, "library", &checksums))
        .collect();
    let dependencies: Vec<Value> = reached
        .iter()
        .filter_map(|id| Some(dependency(packages.get(id)?, nodes.get(id)?, &packages)))
        .collect();
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component(packages[root], "application", &checksums) },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn by_id(items: &Value) -> BTreeMap<&str, &Value> {
    let items = items.as_array().into_iter().flatten();
    items.filter_map(|item| Some((item["id"].as_str()?, item))).collect()
}

/// Returns the packages that the binary is built from. Dependencies of tests are left out.
fn reachable<'m>(nodes: &BTreeMap<&'m str, &'m Value>, root: &'m str) -> BTreeSet<&'m str> {
    let (mut reached, mut waiting) = (BTreeSet::new(), vec![root]);
    while let Some(id) = waiting.pop() {
        if reached.insert(id) {
            waiting.extend(nodes.get(id).into_iter().flat_map(|node| built_with(node)));
        }
    }
    reached
}

/// Returns the packages that a package needs to be built, itself or its build script.
fn built_with(node: &Value) -> Vec<&str> {
    let is_dev = |dependency: &Value| {
        let kinds = dependency["dep_kinds"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().all(|kind| kind["kind"] == "dev"))
    };
    let needed = node["deps"].as_array().into_iter().flatten().filter(|one| !is_dev(one));
    needed.filter_map(|dependency| dependency["pkg"].as_str()).collect()
}

fn component(package: &Value, kind: &str, checksums: &BTreeMap<String, String>) -> Value {
    let (name, version) = (text(package, "name"), text(package, "version"));
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(package),
        "name": name,
        "version": version,
        "purl": reference(package),
    });
    if let Some(license) = package["license"].as_str() {
        // The older separator of crates is no valid expression.
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
    }
    if let Some(checksum) = checksums.get(&format!("{name} {version}")) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if let Some(repository) = package["repository"].as_str() {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    component
}

fn dependency(package: &Value, node: &Value, packages: &BTreeMap<&str, &Value>) -> Value {
    let on: BTreeSet<String> = built_with(node)
        .into_iter()
        .filter_map(|id| packages.get(id).map(|package| reference(package)))
        .collect();
    json!({ "ref": reference(package), "dependsOn": on })
}

fn reference(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(package, "name"), text(package, "version"))
}

fn text<'p>(package: &'p Value, field: &str) -> &'p str {
    package[field].as_str().unwrap_or_default()
}

/// Returns the checksums of a lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<String, String> {
    let value = |block: &str, field: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(&format!("{field} = \"")))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]").skip(1);
    packages
        .filter_map(|block| {
            let key = format!("{} {}", value(block, "name")?, value(block, "version")?);
            Some((key, value(block, "checksum")?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "[[package]]\nname = \"one\"\nversion = \"1.0.0\"\nchecksum = \"abc\"\n";

    fn metadata() -> Value {
        let package = |name: &str, source: Option<&str>| {
            json!({
                "id": name, "name": name, "version": "1.0.0", "source": source,
                "license": "MIT/Apache-2.0", "repository": null,
            })
        };
        let needs =
            |id: &str, kind: Option<&str>| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        json!({
            "packages": [
                package("quipu", None), package("one", Some("registry")),
                package("builder", Some("registry")), package("tester", Some("registry")),
            ],
            "resolve": { "nodes": [
                { "id": "quipu", "deps": [needs("one", None), needs("tester", Some("dev"))] },
                { "id": "one", "deps": [needs("builder", Some("build"))] },
                { "id": "builder", "deps": [] },
                { "id": "tester", "deps": [] },
            ] },
        })
    }

    #[test]
    fn everything_that_the_binary_is_built_from_is_listed_and_no_test_dependency() {
        let bom = bill_of_materials(&metadata(), LOCK).unwrap();
        let names: Vec<&str> = bom["components"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|component| component["name"].as_str())
            .collect();
        assert_eq!(names, ["builder", "one"]);
        let one = &bom["components"][1];
        assert_eq!(one["hashes"][0]["content"], "abc");
        assert_eq!(one["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bom["metadata"]["component"]["purl"], "pkg:cargo/quipu@1.0.0");
        let one = bom["dependencies"].as_array().unwrap().iter();
        let one = one.clone().find(|it| it["ref"] == "pkg:cargo/one@1.0.0").unwrap();
        assert_eq!(one["dependsOn"], json!(["pkg:cargo/builder@1.0.0"]));
    }

    #[test]
    fn the_binary_of_this_checkout_has_a_bill_of_materials_with_checksums() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().display().to_string();
        run(&RepoCheckout::current().unwrap(), Some(&path)).unwrap();
        let bom: Value = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
        let components = bom["components"].as_array().unwrap();
        let from_elsewhere = |component: &&Value| {
            !component["name"].as_str().unwrap_or_default().starts_with("quipu-")
        };
        let foreign: Vec<&Value> = components.iter().filter(from_elsewhere).collect();
        assert!(foreign.iter().any(|component| component["name"] == "rusqlite"));
        assert!(foreign.iter().all(|component| component["hashes"].is_array()));
        assert!(!foreign.iter().any(|component| component["name"] == "proptest"));
    }
}
