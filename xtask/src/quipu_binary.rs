//! The binary `quipu` for this machine, as trials and generated documents need it: the one that
//! `QUIPU_BIN` names, or a build of the development profile.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::checkout::RepoCheckout;
use crate::command;

/// Returns the named binary, or builds one.
pub fn obtain(checkout: &RepoCheckout) -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("QUIPU_BIN") {
        return PathBuf::from(&path).canonicalize().context("QUIPU_BIN names no file");
    }
    command::run(&mut checkout.cargo(&["build", "--locked", "--package", "quipu"]))?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout.path("target"), PathBuf::from);
    Ok(target.join("debug/quipu"))
}
