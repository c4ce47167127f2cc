//! Settings of `quipu hook`.

use super::invalid_setting;
use crate::exit::Problem;
use std::path::PathBuf;

/// Default number of days for which a turn of a transcript is kept.
const TRANSCRIPT_DAYS: u32 = 180;
/// Longest time that a turn can be kept, in days.
const TRANSCRIPT_DAYS_MAX: u32 = 36_500;

/// Treatment of a prompt by the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PromptMode {
    /// Nothing is recalled.
    Off,
    /// Only memories that very likely answer it are shown.
    Strict,
    /// Memories that answer it rather than only resemble it are shown.
    #[default]
    Normal,
}

/// Treatment of statements that the user makes in captured turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatementMode {
    /// They stay in the transcript only.
    Off,
    /// They wait for a decision before they count.
    #[default]
    Propose,
    /// They become memories at once.
    Remember,
}

/// Settings of the hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookConfig {
    pub prompt: PromptMode,
    /// Days for which turns are kept; 0 captures none.
    pub transcript_days: u32,
    pub statements: StatementMode,
    /// Directories in which hooks do nothing.
    pub private_dirs: Vec<PathBuf>,
}

impl Default for HookConfig {
    fn default() -> Self {
        Self {
            prompt: PromptMode::default(),
            transcript_days: TRANSCRIPT_DAYS,
            statements: StatementMode::default(),
            private_dirs: Vec::new(),
        }
    }
}

impl HookConfig {
    /// Applies settings that were given.
    ///
    /// # Errors
    /// Fails when a value is invalid.
    pub(super) fn apply(
        mut self,
        prompt: Option<&str>,
        transcript_days: Option<u32>,
        statements: Option<&str>,
        private_dirs: Option<Vec<PathBuf>>,
        name: &impl Fn(&str) -> String,
    ) -> Result<Self, Problem> {
        if let Some(mode) = prompt {
            self.prompt = match mode.trim() {
                "off" => PromptMode::Off,
                "strict" => PromptMode::Strict,
                "normal" => PromptMode::Normal,
                _ => {
                    let range = "it must be \"off\", \"strict\" or \"normal\"";
                    return Err(invalid_setting(&name("hook_prompt"), &range));
                }
            };
        }
        if let Some(mode) = statements {
            self.statements = match mode.trim() {
                "off" => StatementMode::Off,
                "propose" => StatementMode::Propose,
                "remember" => StatementMode::Remember,
                _ => {
                    let range = "it must be \"off\", \"propose\" or \"remember\"";
                    return Err(invalid_setting(&name("hook_statements"), &range));
                }
            };
        }
        if let Some(days) = transcript_days {
            if days > TRANSCRIPT_DAYS_MAX {
                let range = format!("it must be at most {TRANSCRIPT_DAYS_MAX}");
                return Err(invalid_setting(&name("transcript_days"), &range));
            }
            self.transcript_days = days;
        }
        if let Some(directories) = private_dirs {
            // A relative path would be private in some directories only, by accident.
            if !directories.iter().all(|directory| directory.is_absolute()) {
                let range = "every path must be absolute";
                return Err(invalid_setting(&name("private_dirs"), &range));
            }
            self.private_dirs = directories;
        }
        Ok(self)
    }
}
