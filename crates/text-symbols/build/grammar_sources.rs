//! The folders of the grammar crates, by cargo's own account: a registry, a vendored folder or a
//! patched path.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::AnyError;

/// The folder of every package.
pub struct GrammarSources(HashMap<String, PathBuf>);

impl GrammarSources {
    /// Asks cargo for the packages of this host.
    pub fn locate() -> Result<Self, AnyError> {
        // Not `--offline`: cargo describes the whole workspace, of which a first build has only
        // downloaded what it needs itself.
        let output = Command::new(env::var("CARGO")?)
            .args(["metadata", "--format-version=1", "--locked", "--filter-platform"])
            .arg(env::var("HOST")?)
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        let packages = metadata["packages"].as_array().ok_or("cargo names no packages")?;
        let folder = |package: &Value| {
            let manifest = Path::new(package["manifest_path"].as_str()?);
            Some((package["name"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
        };
        Ok(Self(packages.iter().filter_map(folder).collect()))
    }

    /// Returns the folder of a package.
    pub fn folder(&self, package: &str) -> Result<&Path, AnyError> {
        Ok(self.0.get(package).ok_or_else(|| format!("no package {package}"))?)
    }
}
