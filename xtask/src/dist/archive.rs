//! The archive of a target: `quipu-VERSION-TARGET.tar.gz` with the binary and its documents. Two
//! runs on the same files give the same bytes, so it holds neither times nor names of users.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use tar::{Builder, Header};

use super::TargetPackage;

const MODE_PROGRAM: u32 = 0o755;
const MODE_DOCUMENT: u32 = 0o644;

/// Writes the archive.
pub fn write(package: &TargetPackage<'_>) -> Result<()> {
    let stem = package.stem();
    let path = package.folder.join(format!("{stem}.tar.gz"));
    // No name and no time in the header of the compressed stream.
    let stream = GzBuilder::new().mtime(0).write(File::create(&path)?, Compression::best());
    let mut archive = Builder::new(stream);
    let program = format!("{stem}/{}", package.binary.program_name());
    append(&mut archive, &program, &package.binary.path, MODE_PROGRAM)?;
    for (name, file) in package.documents.files()? {
        append(&mut archive, &format!("{stem}/{name}"), &file, MODE_DOCUMENT)?;
    }
    archive.into_inner()?.finish()?;
    println!("wrote {}", path.display());
    Ok(())
}

fn append<W: Write>(archive: &mut Builder<W>, name: &str, file: &Path, mode: u32) -> Result<()> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    let mut header = Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(mode);
    header.set_mtime(0);
    header.set_cksum();
    Ok(archive.append_data(&mut header, name, bytes.as_slice())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(folder: &Path) -> Vec<u8> {
        let mut archive = Builder::new(Vec::new());
        append(&mut archive, "quipu-1/quipu", &folder.join("quipu"), MODE_PROGRAM).unwrap();
        archive.into_inner().unwrap()
    }

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("quipu"), "binary").unwrap();
        let first = packed(folder.path());
        fs::write(folder.path().join("quipu"), "binary").unwrap();
        assert_eq!(first, packed(folder.path()));
        let mut read = tar::Archive::new(first.as_slice());
        let entry = read.entries().unwrap().next().unwrap().unwrap();
        assert_eq!(entry.header().mode().unwrap(), MODE_PROGRAM);
    }
}
