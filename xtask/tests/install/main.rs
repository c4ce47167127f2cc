//! The install script with a release in a folder: it installs what the checksums confirm, and
//! nothing else.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a file that cannot be written fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A release in a folder, and the folder to install into.
struct LocalRelease {
    folder: TempDir,
    archive: String,
}

impl LocalRelease {
    /// Makes a release whose program is a script that prints a version.
    fn new() -> Self {
        let machine = if cfg!(target_arch = "aarch64") { "aarch64" } else { "x86_64" };
        let system = if cfg!(target_os = "macos") { "apple-darwin" } else { "unknown-linux-gnu" };
        let stem = format!("quipu-9.8.7-{machine}-{system}");
        let release =
            Self { folder: tempfile::tempdir().unwrap(), archive: format!("{stem}.tar.gz") };
        fs::create_dir_all(release.files()).unwrap();
        let bytes = packed(&stem, b"#!/bin/sh\necho quipu 9.8.7\n");
        fs::write(release.files().join(&release.archive), &bytes).unwrap();
        release.write_checksum(&bytes);
        release
    }

    fn write_checksum(&self, bytes: &[u8]) {
        let sum: String = Sha256::digest(bytes).iter().map(|it| format!("{it:02x}")).collect();
        let other = "0".repeat(64);
        let lines = format!("{other}  quipu-9.8.7-other.tar.gz\n{sum}  {}\n", self.archive);
        fs::write(self.files().join("SHA256SUMS"), lines).unwrap();
    }

    fn files(&self) -> PathBuf {
        self.folder.path().join("latest/download")
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("bin/quipu")
    }

    fn install(&self) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/install.sh");
        let mut sh = Command::new("sh");
        sh.arg(script).env("HOME", self.folder.path());
        sh.env("QUIPU_RELEASES", format!("file://{}", self.folder.path().display()));
        sh.env("QUIPU_INSTALL", self.folder.path().join("bin")).output().unwrap()
    }
}

fn packed(stem: &str, program: &[u8]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_size(program.len() as u64);
    header.set_mode(0o755);
    archive.append_data(&mut header, format!("{stem}/quipu"), program).unwrap();
    archive.into_inner().unwrap().finish().unwrap()
}

#[test]
fn an_archive_with_the_right_checksum_is_installed() {
    let release = LocalRelease::new();
    let output = release.install();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("installed quipu 9.8.7"));
    assert!(release.program().is_file());
}

#[test]
fn an_archive_with_another_checksum_is_refused() {
    let release = LocalRelease::new();
    release.write_checksum(b"something else");
    let output = release.install();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing was installed"));
    assert!(!release.program().exists());
}

#[test]
fn a_release_without_an_archive_for_this_machine_is_refused() {
    let release = LocalRelease::new();
    fs::write(release.files().join("SHA256SUMS"), "0  quipu-9.8.7-other.tar.gz\n").unwrap();
    let output = release.install();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no archive for"));
}
