//! `cargo xtask dist [TARGET…] [--binary FILE]`: builds the binary for each target and packs it:
//! an archive, a Debian package, an RPM package and an MCP bundle, each where its tool is
//! installed; then checksums and the files that name them. `dist --index` does only the last step,
//! for artefacts that were built elsewhere and put into the same folder.

mod archive;
mod artefact_index;
mod documents;
mod linux_packages;
mod mcp_bundle;
mod target_binary;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::checkout::RepoCheckout;
use crate::tools;
use documents::Documents;
use target_binary::TargetBinary;

/// Folder of the artefacts, below the checkout.
pub const FOLDER: &str = "target/distrib";

/// A version of the product, in the form of `Cargo.toml`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Arguments of the command.
#[derive(Debug, Default, PartialEq, Eq)]
struct DistArgs<'a> {
    targets: Vec<&'a str>,
    /// A binary that is packed instead of a built one.
    binary: Option<&'a str>,
    index_only: bool,
}

/// What packing one target needs.
pub struct TargetPackage<'a> {
    pub checkout: &'a RepoCheckout,
    pub binary: &'a TargetBinary,
    pub documents: &'a Documents,
    /// Folder of the artefacts.
    pub folder: PathBuf,
}

/// Builds and packs every target.
pub fn run(checkout: &RepoCheckout, words: &[&str]) -> Result<()> {
    let args = DistArgs::parse(words)?;
    let folder = checkout.path(FOLDER);
    fs::create_dir_all(&folder)?;
    if !args.index_only {
        let host = target_binary::host_target(checkout)?;
        let targets = if args.targets.is_empty() { vec![host.as_str()] } else { args.targets };
        for target in targets {
            let binary = TargetBinary::obtain(checkout, target, args.binary.map(Path::new))?;
            pack(checkout, &binary, &folder)?;
        }
    }
    artefact_index::write(checkout, &folder)
}

fn pack(checkout: &RepoCheckout, binary: &TargetBinary, folder: &Path) -> Result<()> {
    let documents = Documents::generate(checkout, binary)?;
    let package =
        TargetPackage { checkout, binary, documents: &documents, folder: folder.to_owned() };
    archive::write(&package)?;
    if binary.is_linux() {
        tools::linux_packagers(checkout);
        linux_packages::write_deb(&package)?;
        linux_packages::write_rpm(&package)?;
    }
    mcp_bundle::write(&package)
}

impl<'a> DistArgs<'a> {
    fn parse(words: &[&'a str]) -> Result<Self> {
        let mut args = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            match *word {
                "--index" => args.index_only = true,
                "--binary" => args.binary = Some(rest.next().context("--binary needs a file")?),
                option if option.starts_with('-') => bail!("unknown option {option}"),
                target => args.targets.push(target),
            }
        }
        if args.binary.is_some() && args.targets.len() > 1 {
            bail!("one binary is for one target");
        }
        Ok(args)
    }
}

impl TargetPackage<'_> {
    /// Returns the name of an artefact without its ending.
    pub fn stem(&self) -> String {
        format!("quipu-{VERSION}-{}", self.binary.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_a_binary_are_read() {
        let args =
            DistArgs::parse(&["aarch64-unknown-linux-gnu", "--binary", "target/quipu"]).unwrap();
        assert_eq!(args.targets, ["aarch64-unknown-linux-gnu"]);
        assert_eq!(args.binary, Some("target/quipu"));
        assert!(DistArgs::parse(&["--index"]).unwrap().index_only);
    }

    #[test]
    fn one_binary_is_not_packed_for_two_targets() {
        assert!(DistArgs::parse(&["a", "b", "--binary", "x"]).is_err());
        assert!(DistArgs::parse(&["--binary"]).is_err());
        assert!(DistArgs::parse(&["--unknown"]).is_err());
    }
}
