//! The MCP bundle of a target: the manifest and the binary, packed by `mcpb`. It is left out with a
//! message where `mcpb` cannot be installed.

use std::fs;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::TargetPackage;
use crate::{command, tools};

/// Writes the bundle.
pub fn write(package: &TargetPackage<'_>) -> Result<()> {
    let programs = match tools::coding_agents(package.checkout) {
        Ok(programs) => programs,
        Err(error) => {
            println!("no MCP bundle: {error:#}");
            return Ok(());
        }
    };
    let folder = tempfile::tempdir()?;
    let manifest = fs::read_to_string(package.checkout.path("packaging/mcpb/manifest.json"))?;
    let manifest = for_target(&serde_json::from_str(&manifest)?, package);
    fs::write(folder.path().join("manifest.json"), format!("{manifest:#}\n"))?;
    let server = folder.path().join("server");
    fs::create_dir(&server)?;
    fs::copy(&package.binary.path, server.join(package.binary.program_name()))
        .context("the binary is copied into the bundle")?;
    let file = package.folder.join(format!("{}.mcpb", package.stem()));
    let mut mcpb = package.checkout.command(programs.join("mcpb"));
    command::run(mcpb.arg("pack").arg(folder.path()).arg(file))
}

/// Returns the manifest for the one platform that the binary is for.
fn for_target(manifest: &Value, package: &TargetPackage<'_>) -> Value {
    let platform = match &package.binary.target {
        target if target.contains("-apple-") => "darwin",
        target if target.contains("-windows-") => "win32",
        _ => "linux",
    };
    let mut manifest = manifest.clone();
    manifest["compatibility"]["platforms"] = json!([platform]);
    manifest["server"]["entry_point"] = format!("server/{}", package.binary.program_name()).into();
    manifest
}
