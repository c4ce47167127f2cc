//! The commands, one file each. A command that matches an MCP tool calls that tool of Quipu's own
//! dialect, so that `--json` prints exactly what an agent would read; the others call the engine.

mod agent_argument;
mod audit;
mod backup;
mod capture;
pub mod completions;
mod correct;
mod demo;
mod doctor;
mod eval;
mod export;
mod forget;
mod grants;
mod groups;
mod handoff;
pub mod hook;
mod import;
mod keys;
mod kind_argument;
mod list;
mod login;
pub mod man;
mod mcp;
mod migrate;
mod move_store;
mod owners;
mod password;
mod private;
mod ready;
mod recall;
mod reference;
mod remember;
mod restore;
mod retire;
mod review;
mod serve;
mod service;
mod session;
mod setup;
mod show;
mod status;
mod tables;
mod verify;

pub(crate) use reference::{DocumentFile, documents_below};

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::setup::Setup;
use clap::Subcommand;
use tokio::runtime::Builder;

/// Every subcommand of `quipu`.
#[derive(Debug, Subcommand)]
pub enum Command {
    Remember(remember::RememberArgs),
    Recall(recall::RecallArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Correct(correct::CorrectArgs),
    Forget(forget::ForgetArgs),
    Verify(verify::VerifyArgs),
    Review(review::ReviewArgs),
    Tables(tables::TablesArgs),
    Handoff(handoff::HandoffArgs),
    Session(session::SessionArgs),
    Reference(reference::ReferenceArgs),
    Setup(setup::SetupArgs),
    Hook(hook::HookArgs),
    Capture(capture::CaptureArgs),
    Private(private::PrivateArgs),
    Mcp(mcp::McpArgs),
    Serve(serve::ServeArgs),
    Service(service::ServiceArgs),
    Login(login::LoginArgs),
    Ready(ready::ReadyArgs),
    Owners(owners::OwnersArgs),
    Keys(keys::KeysArgs),
    Grants(grants::GrantsArgs),
    Groups(groups::GroupsArgs),
    Password(password::PasswordArgs),
    Audit(audit::AuditArgs),
    Retire(retire::RetireArgs),
    Status(status::StatusArgs),
    Doctor(doctor::DoctorArgs),
    Import(import::ImportArgs),
    Export(export::ExportArgs),
    Backup(backup::BackupArgs),
    Restore(restore::RestoreArgs),
    Migrate(migrate::MigrateArgs),
    Move(move_store::MoveArgs),
    Demo(demo::DemoArgs),
    Eval(eval::EvalArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Command {
    /// Returns the builder of the runtime that the command needs. One thread is enough for one
    /// caller and cheap to start.
    pub fn runtime_builder(&self) -> Builder {
        match self {
            // Requests are answered on worker threads of the server. This runtime accepts
            // connections and runs the background tasks; with two threads neither waits for the
            // other.
            Self::Serve(_) => {
                let mut builder = Builder::new_multi_thread();
                builder.worker_threads(2);
                builder
            }
            _ => Builder::new_current_thread(),
        }
    }

    /// Returns true for a server that many clients share.
    pub fn serves(&self) -> bool {
        matches!(self, Self::Serve(_))
    }

    /// Returns the address of the store that the command names.
    pub fn store(&self) -> Option<&str> {
        match self {
            Self::Serve(serve) => serve.store.as_deref(),
            Self::Migrate(migrate) => migrate.store.as_deref(),
            _ => None,
        }
    }

    /// Runs the command.
    ///
    /// # Errors
    /// Fails when the command fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        match self {
            Self::Remember(command) => command.run(setup).await,
            Self::Recall(command) => command.run(setup).await,
            Self::List(command) => command.run(setup).await,
            Self::Show(command) => command.run(setup).await,
            Self::Correct(command) => command.run(setup).await,
            Self::Forget(command) => command.run(setup).await,
            Self::Verify(command) => command.run(setup).await,
            Self::Review(command) => command.run(setup).await,
            Self::Tables(command) => command.run(setup).await,
            Self::Handoff(command) => command.run(setup).await,
            Self::Session(command) => command.run(setup).await,
            Self::Reference(command) => command.run(setup).await,
            Self::Setup(command) => command.run(setup),
            Self::Hook(command) => command.run(setup).await,
            Self::Capture(command) => command.run(setup).await,
            Self::Private(command) => command.run(setup),
            Self::Mcp(command) => command.run(setup).await,
            Self::Serve(command) => command.run(setup).await,
            Self::Service(command) => command.run(setup),
            Self::Login(command) => command.run(setup),
            Self::Ready(command) => command.run(setup),
            Self::Owners(command) => command.run(setup).await,
            Self::Keys(command) => command.run(setup).await,
            Self::Grants(command) => command.run(setup).await,
            Self::Groups(command) => command.run(setup).await,
            Self::Password(command) => command.run(setup).await,
            Self::Audit(command) => command.run(setup).await,
            Self::Retire(command) => command.run(setup).await,
            Self::Status(command) => command.run(setup).await,
            Self::Doctor(command) => command.run(setup).await,
            Self::Import(command) => command.run(setup).await,
            Self::Export(command) => command.run(setup).await,
            Self::Backup(command) => command.run(setup).await,
            Self::Restore(command) => command.run(setup).await,
            Self::Migrate(command) => command.run(setup).await,
            Self::Move(command) => command.run(setup).await,
            Self::Demo(command) => command.run(setup).await,
            Self::Eval(command) => command.run(setup).await,
            Self::Completions(command) => command.run(),
            Self::Man(command) => command.run(),
        }
    }
}
