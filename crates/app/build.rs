//! Tells the program which commit it is built from, so that a measurement can be repeated.
//! Outside a checkout, as in an archive of the sources, it tells nothing.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let Some(log) =
        git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists())
    else {
        return;
    };
    println!("cargo:rerun-if-changed={log}");
    if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo:rustc-env=QUIPU_COMMIT={commit}");
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let said =
        Command::new("git").args(arguments).output().ok().filter(|said| said.status.success())?;
    Some(String::from_utf8(said.stdout).ok()?.trim().to_owned())
}
