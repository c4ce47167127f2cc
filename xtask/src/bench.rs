//! `cargo xtask bench`: runs every benchmark of the workspace in release mode and writes
//! `docs/benchmarks.md`.
//!
//! A benchmark is a `[[bench]]` program that prints markdown on stdout; this module only finds and
//! runs them and puts the machine, the commit and the date above their output.

mod machine;

use std::fmt::Write;
use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::checkout::RepoCheckout;
use crate::command;

const PAGE: &str = "docs/benchmarks.md";

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Benchmark {
    package: String,
    name: String,
}

/// Runs all benchmarks and writes the page. The page is unchanged when one of them fails.
pub fn run(checkout: &RepoCheckout) -> Result<()> {
    let benches = find_benchmarks(checkout)?;
    ensure!(!benches.is_empty(), "no crate has a benchmark");
    let mut page = heading(checkout)?;
    for bench in &benches {
        println!("\n== {} {}", bench.package, bench.name);
        write!(
            page,
            "\n## {}: {}\n\n{}\n",
            bench.package,
            bench.name,
            measure(checkout, bench)?.trim()
        )?;
    }
    fs::write(checkout.path(PAGE), page).with_context(|| format!("cannot write {PAGE}"))?;
    println!("\nwrote {PAGE}");
    Ok(())
}

fn find_benchmarks(checkout: &RepoCheckout) -> Result<Vec<Benchmark>> {
    let args = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
    let metadata = command::output(&mut checkout.cargo(&args)).context("cargo metadata failed")?;
    Ok(benches_in(&serde_json::from_str(&metadata)?))
}

fn benches_in(metadata: &Value) -> Vec<Benchmark> {
    let mut benches = Vec::new();
    for package in list(&metadata["packages"]) {
        for target in list(&package["targets"]) {
            if list(&target["kind"]).iter().any(|kind| kind == "bench") {
                benches.push(Benchmark {
                    package: text(&package["name"]),
                    name: text(&target["name"]),
                });
            }
        }
    }
    benches.sort();
    benches
}

fn measure(checkout: &RepoCheckout, bench: &Benchmark) -> Result<String> {
    let mut command =
        checkout.cargo(&["bench", "--quiet", "--locked", "--package", &bench.package]);
    let output = command.args(["--bench", &bench.name]).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{} {} failed: {}", bench.package, bench.name, output.status);
    let markdown = String::from_utf8(output.stdout).context("a benchmark printed invalid UTF-8")?;
    println!("{markdown}");
    Ok(markdown)
}

fn heading(checkout: &RepoCheckout) -> Result<String> {
    let mut page =
        String::from("# Benchmarks\n\nWritten by `cargo xtask bench`; not edited by hand.\n\n");
    for (what, value) in machine::facts(checkout) {
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
    fn only_bench_targets_are_found() {
        let metadata = json!({ "packages": [
            { "name": "b", "targets": [
                { "kind": ["lib"], "name": "b" }, { "kind": ["bench"], "name": "walk" },
            ] },
            { "name": "a", "targets": [
                { "kind": ["bench"], "name": "text" }, { "kind": ["test"], "name": "t" },
            ] },
        ]});
        let names: Vec<_> =
            benches_in(&metadata).into_iter().map(|bench| (bench.package, bench.name)).collect();
        assert_eq!(
            names,
            [("a".to_owned(), "text".to_owned()), ("b".to_owned(), "walk".to_owned())]
        );
    }

    #[test]
    fn the_page_starts_with_machine_commit_and_date() {
        let page = heading(&RepoCheckout::current().unwrap()).unwrap();
        for what in ["- machine: ", "- commit: ", "- date: "] {
            assert!(page.contains(what), "{page}");
        }
    }
}
