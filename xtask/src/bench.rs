//! `cargo xtask bench`: runs every benchmark of the workspace in release and writes
//! `docs/benchmarks.md`.
//!
//! A benchmark is a `[[bench]]` program that prints markdown on stdout; this file only finds them,
//! runs them and puts machine, commit and date above what they say.

mod machine;

use std::fmt::Write;
use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::command;
use crate::house::House;

const PAGE: &str = "docs/benchmarks.md";

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Bench {
    package: String,
    name: String,
}

/// Runs all benchmarks, then writes the page; when one fails, the page stays as it was.
pub fn run(house: &House) -> Result<()> {
    let benches = find(house)?;
    ensure!(!benches.is_empty(), "no room has a benchmark");
    let mut page = heading(house)?;
    for bench in &benches {
        println!("\n== {} {}", bench.package, bench.name);
        write!(
            page,
            "\n## {}: {}\n\n{}\n",
            bench.package,
            bench.name,
            measure(house, bench)?.trim()
        )?;
    }
    fs::write(house.path(PAGE), page).with_context(|| format!("cannot write {PAGE}"))?;
    println!("\nwrote {PAGE}");
    Ok(())
}

fn find(house: &House) -> Result<Vec<Bench>> {
    let args = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
    let metadata = command::output(&mut house.cargo(&args)).context("cargo metadata failed")?;
    Ok(benches_in(&serde_json::from_str(&metadata)?))
}

fn benches_in(metadata: &Value) -> Vec<Bench> {
    let mut found = Vec::new();
    for package in list(&metadata["packages"]) {
        for target in list(&package["targets"]) {
            if list(&target["kind"]).iter().any(|kind| kind == "bench") {
                found.push(Bench { package: text(&package["name"]), name: text(&target["name"]) });
            }
        }
    }
    found.sort();
    found
}

fn measure(house: &House, bench: &Bench) -> Result<String> {
    let mut command = house.cargo(&["bench", "--quiet", "--locked", "--package", &bench.package]);
    let output = command.args(["--bench", &bench.name]).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{} {} failed: {}", bench.package, bench.name, output.status);
    let markdown =
        String::from_utf8(output.stdout).context("a benchmark printed what is not text")?;
    println!("{markdown}");
    Ok(markdown)
}

fn heading(house: &House) -> Result<String> {
    let mut page =
        String::from("# Benchmarks\n\nWritten by `cargo xtask bench`; not edited by hand.\n\n");
    for (what, value) in machine::facts(house) {
        writeln!(page, "- {what}: {value}")?;
    }
    Ok(page)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_bench_target_is_found_and_nothing_else_is() {
        let metadata = json!({ "packages": [
            { "name": "b", "targets": [{ "kind": ["lib"], "name": "b" }, { "kind": ["bench"], "name": "walk" }] },
            { "name": "a", "targets": [{ "kind": ["bench"], "name": "text" }, { "kind": ["test"], "name": "t" }] },
        ]});
        let names: Vec<_> =
            benches_in(&metadata).into_iter().map(|bench| (bench.package, bench.name)).collect();
        assert_eq!(
            names,
            [("a".to_owned(), "text".to_owned()), ("b".to_owned(), "walk".to_owned())]
        );
    }

    #[test]
    fn the_page_opens_with_machine_commit_and_date() {
        let page = heading(&House::of_this_checkout().unwrap()).unwrap();
        for what in ["- machine: ", "- commit: ", "- date: "] {
            assert!(page.contains(what), "{page}");
        }
    }
}
