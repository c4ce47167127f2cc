//! Packages of Linux distributions: a Debian package with `dpkg-deb`, checked by `lintian`, and an
//! RPM package with `rpmbuild`, checked by `rpm` and `rpmlint`. Each is left out with a message
//! where its tool is missing.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};

use super::{TargetPackage, VERSION};
use crate::command;
use crate::packaging::on_path;

/// Oldest version of the C library that is named if the binary cannot be read.
const GLIBC_DEFAULT: &str = "2.34";

/// Release of the RPM package, as its specification says.
const RELEASE: &str = "1";

/// Licences, which an RPM package has as files. A Debian package has them in `copyright`.
const LICENSES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// Places of documents in a distribution: the document, and its path below the root.
const PLACES: [(&str, &str); 3] = [
    ("completions/quipu.bash", "usr/share/bash-completion/completions/quipu"),
    ("completions/_quipu", "usr/share/zsh/vendor-completions/_quipu"),
    ("completions/quipu.fish", "usr/share/fish/vendor_completions.d/quipu.fish"),
];

/// Writes the Debian package.
pub fn write_deb(package: &TargetPackage<'_>) -> Result<()> {
    if on_path("dpkg-deb").is_none() {
        println!("no Debian package: dpkg-deb is not installed");
        return Ok(());
    }
    let root = tempfile::tempdir()?;
    let root = root.path();
    fill_root(package, root)?;
    let documents = root.join("usr/share/doc/quipu");
    fs::create_dir_all(&documents)?;
    fs::copy(package.checkout.path("packaging/debian/copyright"), documents.join("copyright"))?;
    let changelog = fs::read(package.checkout.path("packaging/debian/changelog"))?;
    write_gzip(&documents.join("changelog.gz"), &changelog)?;
    fs::create_dir_all(root.join("DEBIAN"))?;
    fs::write(root.join("DEBIAN/control"), control(package)?)?;
    let file = package.folder.join(format!("quipu_{VERSION}_{}.deb", architecture(package)));
    let mut dpkg = package.checkout.command("dpkg-deb");
    dpkg.args(["--root-owner-group", "-Zxz", "--build"]).arg(root).arg(&file);
    command::run(&mut dpkg)?;
    check(package, &["lintian", "--fail-on", "error,warning"], &file)
}

/// Writes the RPM package.
pub fn write_rpm(package: &TargetPackage<'_>) -> Result<()> {
    if on_path("rpmbuild").is_none() {
        println!("no RPM package: rpmbuild is not installed");
        return Ok(());
    }
    let (top, root) = (tempfile::tempdir()?, tempfile::tempdir()?);
    fill_root(package, root.path())?;
    for name in LICENSES {
        let licence = root.path().join("usr/share/licenses/quipu").join(name);
        put(&package.checkout.path(name), &licence, 0o644)?;
    }
    let machine = if package.binary.is_arm() { "aarch64" } else { "x86_64" };
    let define = |name: &str, value: &Path| format!("{name} {}", value.display());
    let mut rpmbuild = package.checkout.command("rpmbuild");
    rpmbuild.args(["-bb", "--quiet", "--target", machine]);
    rpmbuild.arg("--define").arg(define("_topdir", top.path()));
    rpmbuild.arg("--define").arg(define("_rpmdir", &package.folder));
    rpmbuild.arg("--define").arg("_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm");
    rpmbuild.arg("--define").arg(define("quipu_files", root.path()));
    command::run(rpmbuild.arg(package.checkout.path("packaging/rpm/quipu.spec")))?;
    let file = package.folder.join(format!("quipu-{VERSION}-{RELEASE}.{machine}.rpm"));
    check(package, &["rpm", "--checksig", "--nosignature"], &file)?;
    check(package, &["rpmlint", "--config", "packaging/rpm/rpmlint.toml"], &file)
}

/// Lets a tool check a package. One that is missing is named.
fn check(package: &TargetPackage<'_>, words: &[&str], file: &Path) -> Result<()> {
    if on_path(words[0]).is_none() {
        println!("{} is not checked: {} is not installed", file.display(), words[0]);
        return Ok(());
    }
    command::run(package.checkout.command(words[0]).args(&words[1..]).arg(file))
}

/// Puts the binary and its documents where distributions keep them.
fn fill_root(package: &TargetPackage<'_>, root: &Path) -> Result<()> {
    put(&package.binary.path, &root.join("usr/bin/quipu"), 0o755)?;
    for (document, place) in PLACES {
        put(&package.documents.path(document), &root.join(place), 0o644)?;
    }
    for (name, file) in package.documents.files()? {
        if let Some(page) = name.strip_prefix("man/") {
            let folder = root.join("usr/share/man/man1");
            fs::create_dir_all(&folder)?;
            write_gzip(&folder.join(format!("{page}.gz")), &fs::read(file)?)?;
        }
    }
    Ok(())
}

fn put(from: &Path, to: &Path, mode: u32) -> Result<()> {
    fs::create_dir_all(to.parent().context("a file is in a folder")?)?;
    fs::copy(from, to).with_context(|| from.display().to_string())?;
    set_mode(to, mode)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> Result<()> {
    Ok(())
}

fn write_gzip(path: &PathBuf, bytes: &[u8]) -> Result<()> {
    let mut stream = GzBuilder::new().mtime(0).write(fs::File::create(path)?, Compression::best());
    stream.write_all(bytes)?;
    stream.finish()?;
    set_mode(path, 0o644)
}

fn architecture(package: &TargetPackage<'_>) -> &'static str {
    if package.binary.is_arm() { "arm64" } else { "amd64" }
}

/// Returns the control file, from its template.
fn control(package: &TargetPackage<'_>) -> Result<String> {
    let template = fs::read_to_string(package.checkout.path("packaging/debian/control"))?;
    let size = fs::metadata(&package.binary.path)?.len() / 1024;
    let symbols =
        command::output(package.checkout.command("readelf").arg("-V").arg(&package.binary.path));
    let glibc = symbols.as_deref().and_then(newest_glibc);
    Ok(template
        .replace("@VERSION@", VERSION)
        .replace("@ARCHITECTURE@", architecture(package))
        .replace("@GLIBC@", glibc.as_deref().unwrap_or(GLIBC_DEFAULT))
        .replace("@SIZE@", &size.to_string()))
}

/// Returns the newest version of the C library whose symbols a binary uses, from `readelf -V`.
fn newest_glibc(symbols: &str) -> Option<String> {
    let number = |text: &str| -> Option<(u32, u32)> {
        let (major, minor) = text.split_once('.')?;
        let minor = minor.split('.').next()?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        number(&rest[..end.unwrap_or(rest.len())])
    });
    versions.max().map(|(major, minor)| format!("{major}.{minor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_the_c_library_is_found() {
        let symbols = "Name: GLIBC_2.2.5  Flags\n Name: GLIBC_2.34 Flags\n Name: GLIBC_2.9 x";
        assert_eq!(newest_glibc(symbols).as_deref(), Some("2.34"));
        assert_eq!(newest_glibc("Name: GLIBC_PRIVATE"), None);
    }
}
