//! The configuration files of MCP clients: where they are, what Quipu adds to them, and how to
//! remove it again. Everything about contents is a function from text to text that keeps the rest
//! of a file byte for byte; one module reads and writes files.
//! It knows neither the memory nor the command line.

mod change;
mod client;
mod client_files;
mod codex_trust;
mod edit;
mod files;
mod hooks;
mod instructions;
mod journal;
mod places;
mod plan;
mod plugin;
mod presence;
mod server_entry;
mod slash_command;
mod undo;

pub use change::{ClientFileChange, apply_plan, preview_plan};
pub use client::ClientKind;
pub use codex_trust::HookTrust;
pub use files::SetupError;
pub use hooks::HookEvent;
pub use journal::SetupJournal;
pub use places::{Places, Platform};
pub use plan::{ClientFilePlan, SetupPlan, SetupRequest, SetupScope, SetupSwitches, plan_setup};
pub use plugin::{PluginFile, plugin_files};
pub use presence::{ClientPresence, find_presence};
pub use server_entry::ServerEntry;
pub use undo::{preview_undo, undo_setup};
