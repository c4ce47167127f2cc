//! `quipu move`: moves every owner from files to a database, or from a database to files. Each
//! owner is moved whole or not at all; repeated after an interruption, it goes on with those that
//! are missing. The counts and the audit logs of both sides are compared.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::files;
use crate::home_dir::HomeDir;
use crate::setup::Setup;
use crate::store_choice::{AnyStore, open_postgres};
use crate::text_page::TextPage;
use clap::Args;
use engine::{Clock, SystemClock};
use model::{ErrorCode, OwnerId};
use serde_json::json;
use std::path::{Path, PathBuf};
use store::{Control, Counts};
use store_postgres::PostgresStore;
use store_sqlite::{Options, RestoreRequest, SqliteStore};

const EXAMPLES: &str = "\
Examples:
  quipu move --to postgres://quipu@db.example/quipu
  QUIPU_STORE=postgres://quipu@db.example/quipu quipu move --to /srv/quipu";

/// Move every owner to a database, or from one to files
///
/// Moves memories with their ids and history, grants, settings, keys and the audit log. OAuth
/// clients authorize again, and the password is set again. Stop the servers and agents first: what
/// they write meanwhile is not moved, and is reported. Nothing is removed from where it was.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MoveArgs {
    /// Address of a PostgreSQL database, or a home directory
    #[arg(long, value_name = "URL|DIRECTORY")]
    to: String,
}

impl MoveArgs {
    /// Moves all owners.
    ///
    /// # Errors
    /// Fails when a store cannot be used, an audit log does not verify, the target has another
    /// memory of an owner, or both sides differ in the end.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let scratch = setup.home.path().join("move");
        files::create_private_dir(&scratch)?;
        let is_address = self.to.starts_with("postgres");
        let moved = match (&setup.config.store, is_address) {
            (None, true) => to_database(setup, &self.to, &scratch).await,
            (Some(url), false) => to_files(setup, url, &PathBuf::from(&self.to), &scratch).await,
            _ => Err(Problem::usage(
                "the memory is moved from files to a database, or from a database to files",
                "Leave QUIPU_STORE empty to move files; set it to move a database.",
            )),
        };
        // Each copy is removed when its owner is moved; an error may have left one.
        let _ = std::fs::remove_dir_all(&scratch);
        let moved = moved?;
        let mut page = TextPage::new(setup.terminal);
        for owner in &moved {
            page.add_text(&format!("{}: {} memories, {} events", owner.0, owner.1, owner.2));
        }
        page.add_text(&format!("Moved {} owners. Counts and audit logs agree.", moved.len()));
        let owners: Vec<_> = moved
            .iter()
            .map(|(name, memories, events)| {
                json!({ "name": name.as_str(), "memories": memories, "events": events })
            })
            .collect();
        Ok(CommandOutput::new(json!({ "owners": owners }), page))
    }
}

/// An owner that was moved, with the numbers of memories and events.
type MovedOwner = (OwnerId, usize, usize);

async fn to_database(setup: &Setup, url: &str, scratch: &Path) -> Result<Vec<MovedOwner>, Problem> {
    let from = SqliteStore::open(setup.home.path(), options(setup))?;
    let to = open_postgres(&setup.home, &setup.config, url).await?;
    let mut moved = Vec::new();
    for owner in from.owners().await? {
        let copy = copy_of(&from, &owner, scratch).await?;
        to.load_owner(&owner, &copy, SystemClock.now()).await?;
        to.load_keys(from.keys(&owner).await?).await?;
        remove(&copy)?;
        moved.push(compare(&from, &to, &owner).await?);
    }
    Ok(moved)
}

async fn to_files(
    setup: &Setup,
    url: &str,
    home: &Path,
    scratch: &Path,
) -> Result<Vec<MovedOwner>, Problem> {
    let from: PostgresStore = open_postgres(&setup.home, &setup.config, url).await?;
    HomeDir::find(Some(home), |_| None)?.create()?;
    let mut moved = Vec::new();
    for owner in from.owners().await? {
        let to = SqliteStore::open(home, options(setup))?;
        if !to.owners().await?.contains(&owner) {
            let copy = copy_of(&from, &owner, scratch).await?;
            restore(setup, home, &owner, &copy)?;
            remove(&copy)?;
            load_keys(&from, &to, &owner).await?;
        }
        moved.push(compare(&from, &to, &owner).await?);
    }
    Ok(moved)
}

fn options(setup: &Setup) -> Options {
    Options { busy_timeout: setup.config.busy_timeout, ..Options::default() }
}

/// Verifies the audit log of an owner, and copies the memory to a file.
pub(super) async fn copy_of(
    from: &impl AnyStore,
    owner: &OwnerId,
    scratch: &Path,
) -> Result<PathBuf, Problem> {
    let report = from.verify_audit(owner).await?;
    if let Some(fault) = report.faults.first() {
        return Err(Problem::refused(
            format!("the audit log of {owner} is not intact: {fault}"),
            "See `quipu audit verify`; `quipu audit restart` accepts the fault.",
        ));
    }
    let copy = scratch.join(format!("{owner}.db"));
    remove(&copy)?;
    from.backup(owner, &copy).await?;
    Ok(copy)
}

fn remove(file: &Path) -> Result<(), Problem> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Problem::file("removing", file, &error))
        }
        _ => Ok(()),
    }
}

fn restore(setup: &Setup, home: &Path, owner: &OwnerId, copy: &Path) -> Result<(), Problem> {
    let request = RestoreRequest {
        home,
        owner,
        backup: copy,
        kept: &home.join("backups").join(format!("{owner}-replaced-by-move")),
        at: SystemClock.now(),
        replace: false,
        reset_credentials: false,
    };
    store_sqlite::restore(&request, &options(setup)).map(|_| ()).map_err(|error| {
        Problem::failed(format!("{owner} cannot be moved: {error}"), "Choose another directory.")
    })
}

async fn load_keys(from: &PostgresStore, to: &SqliteStore, owner: &OwnerId) -> Result<(), Problem> {
    // The oldest first, so that the order stays the same.
    for key in from.keys(owner).await?.into_iter().rev() {
        let id = to.add_key(key.key, key.created_at).await?;
        if let Some(at) = key.last_used_at {
            to.touch_key(id, at).await?;
        }
        if let Some(at) = key.revoked_at {
            to.revoke_key(owner, id, at).await?;
        }
    }
    Ok(())
}

/// Compares the counts of both sides, and verifies the audit log of the new one.
async fn compare(
    from: &impl AnyStore,
    to: &impl AnyStore,
    owner: &OwnerId,
) -> Result<MovedOwner, Problem> {
    let (left, right) = (from.counts(owner).await?, to.counts(owner).await?);
    let differ = |what: &str| {
        Problem::new(
            ErrorCode::Conflict,
            format!("{owner} was moved, but {what}"),
            "Something wrote meanwhile: stop servers and agents. Erase the owner where it was \
             moved to, and repeat the command.",
        )
    };
    if (Counts { bytes: 0, ..left.clone() }) != (Counts { bytes: 0, ..right }) {
        return Err(differ("the numbers of both sides differ"));
    }
    if from.seq(owner).await? != to.seq(owner).await? {
        return Err(differ("the last changes of both sides differ"));
    }
    let report = to.verify_audit(owner).await?;
    if !report.is_intact() {
        return Err(differ("the audit log does not verify where it was moved to"));
    }
    let memories = left.memories.iter().map(|(_, count)| count).sum();
    Ok((owner.clone(), memories, left.events))
}
