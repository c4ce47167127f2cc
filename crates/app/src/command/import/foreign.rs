//! Imports memories of other programs: reads the file, the directory or the tables, and lets the
//! content tell the format.

use crate::command::documents_below;
use crate::exit::Problem;
use crate::files;
use crate::progress::Progress;
use crate::setup::Setup;
use interchange::transfer::ImportOutcome;
use interchange::{
    FileKind, ForeignMemory, ForeignOptions, ForeignSource, VaultFile, import_foreign,
};
use model::limits;
use std::path::Path;

/// Formats that are known, for messages.
pub(super) const KNOWN: &str = "`quipu import --help` lists the formats that are known.";

/// Reads a file or directory and recognizes its program.
///
/// # Errors
/// Fails when it cannot be read, or is of no known format.
pub(super) fn read(path: &Path) -> Result<Box<dyn ForeignMemory>, Problem> {
    let source = if path.is_dir() {
        ForeignSource::Directory(read_directory(path)?)
    } else {
        read_file(path)?
    };
    source.recognize().map_err(|error| unknown(path, &error.to_string()))
}

fn unknown(path: &Path, why: &str) -> Problem {
    Problem::usage(format!("{}: {why}", path.display()), format!("Nothing was imported. {KNOWN}"))
}

fn read_file(path: &Path) -> Result<ForeignSource, Problem> {
    let bytes = files::read_bounded(path, limits::IMPORT_BYTES as u64)
        .map_err(|error| Problem::file("reading", path, &error))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let kind = FileKind::detect(name.as_deref().unwrap_or_default(), &bytes);
    if kind == FileKind::Sqlite {
        let tables =
            store_sqlite::read_foreign_tables(path, &ForeignSource::TABLES, limits::IMPORT_BYTES);
        let tables = tables.map_err(|error| unknown(path, &error.to_string()))?;
        return Ok(ForeignSource::Tables(tables));
    }
    if kind == FileKind::Zip {
        let advice = "Unpack it, and import the directory.";
        return Err(Problem::usage(format!("{}: a ZIP archive", path.display()), advice));
    }
    let text = String::from_utf8(bytes).map_err(|_| unknown(path, "not UTF-8 text"))?;
    Ok(ForeignSource::File { name: name.unwrap_or_default(), text })
}

/// Reads the JSON files of a data export, or the Markdown files of a vault.
fn read_directory(directory: &Path) -> Result<Vec<VaultFile>, Problem> {
    let mut found = Vec::new();
    for name in ForeignSource::JSON_FILES {
        let file = directory.join(name);
        if file.is_file() {
            found.push(read_one(&file, name.to_owned(), limits::IMPORT_BYTES as u64)?);
        }
    }
    if found.is_empty() {
        for document in documents_below(directory)? {
            let below = document.file.strip_prefix(directory).unwrap_or(&document.file);
            let path = below.to_string_lossy().replace('\\', "/");
            if path.ends_with(".md") {
                found.push(read_one(&document.file, path, limits::REFERENCE_BYTES as u64)?);
            }
        }
    }
    Ok(found)
}

fn read_one(file: &Path, path: String, bytes_max: u64) -> Result<VaultFile, Problem> {
    let bytes = files::read_bounded(file, bytes_max)
        .map_err(|error| Problem::file("reading", file, &error))?;
    Ok(VaultFile { path, text: String::from_utf8_lossy(&bytes).into_owned() })
}

/// Imports the content.
///
/// # Errors
/// Fails when the memory cannot be written.
pub(super) async fn import(
    content: &dyn ForeignMemory,
    options: ForeignOptions,
    setup: &Setup,
) -> Result<ImportOutcome, Problem> {
    let mut progress = Progress::new("importing", 0);
    let imported = setup.with_memory(async |memory| {
        let step =
            |step: interchange::TransferProgress| progress.set_done_of(step.done, step.total);
        let caller = memory.outside_projects().caller;
        let outcome = import_foreign(&memory.engine, &caller, content, options, step).await?;
        super::load_view(memory, &outcome).await;
        Ok(outcome)
    });
    imported.await
}
