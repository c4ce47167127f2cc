//! The switches and weights of the contract, under the names of the original's environment
//! variables without their `CODE_MEMORY_`. One table serves the environment, the configuration file
//! and what `diagnostics` shows.

use engine::SearchModes;
use model::{Failure, limits};
use serde_json::{Value, json};

/// How the dialect searches and ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CodeMemorySettings {
    /// Whether meaning counts in a search.
    pub enable_vec: bool,
    /// Whether words count in a search.
    pub enable_fts: bool,
    /// Whether the graph tools answer.
    pub enable_graph: bool,
    /// Whether a search keeps to its session.
    pub enable_session_scope: bool,
    /// How many memories a search gives unless told otherwise.
    pub top_k: usize,
    /// Which share of what was found, newest first, a search keeps unless told otherwise.
    pub top_p: f64,
    /// How many times as many candidates are ranked as are given.
    pub oversample_k: usize,
    /// What the least important of five priorities adds to a score.
    pub priority_weight: f64,
    /// What great age adds to a score.
    pub recency_weight: f64,
    /// What words in common take off a score.
    pub fts_bonus: f64,
}

impl Default for CodeMemorySettings {
    fn default() -> Self {
        Self {
            enable_vec: true,
            enable_fts: true,
            enable_graph: true,
            enable_session_scope: true,
            top_k: 12,
            top_p: 0.6,
            oversample_k: 4,
            priority_weight: 0.15,
            recency_weight: 0.2,
            fts_bonus: 0.1,
        }
    }
}

impl CodeMemorySettings {
    /// Every name that can be set.
    pub const NAMES: [&'static str; 10] = [
        "enable_vec",
        "enable_fts",
        "enable_graph",
        "enable_session_scope",
        "top_k",
        "top_p",
        "oversample_k",
        "priority_weight",
        "recency_weight",
        "fts_bonus",
    ];
    /// Most memories that one search gives.
    pub const TOP_K_MAX: usize = 100;

    /// Sets one of them from text, as the environment has it.
    ///
    /// # Errors
    /// When the name is not known, or the value makes no sense for it.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        match name {
            "enable_vec" => self.enable_vec = switch(name, value)?,
            "enable_fts" => self.enable_fts = switch(name, value)?,
            "enable_graph" => self.enable_graph = switch(name, value)?,
            "enable_session_scope" => self.enable_session_scope = switch(name, value)?,
            "top_k" => self.top_k = number(name, value, 1.0, Self::TOP_K_MAX as f64)? as usize,
            "top_p" => self.top_p = share(name, parsed(name, value)?)?,
            "oversample_k" => self.oversample_k = number(name, value, 1.0, 100.0)? as usize,
            "priority_weight" => self.priority_weight = number(name, value, 0.0, 10.0)?,
            "recency_weight" => self.recency_weight = number(name, value, 0.0, 10.0)?,
            "fts_bonus" => self.fts_bonus = number(name, value, 0.0, 10.0)?,
            other => {
                let known = Self::NAMES.join(", ");
                return Err(Failure::invalid(format!(
                    "`{other}` is no setting of code-memory; there are {known}"
                )));
            }
        }
        Ok(())
    }

    /// By what a search goes.
    pub(super) fn senses(&self) -> SearchModes {
        SearchModes { words: self.enable_fts, meaning: self.enable_vec }
    }

    /// The switches, as `diagnostics` and `health` show them.
    pub(super) fn flags(&self) -> Value {
        json!({
            "vec": self.enable_vec,
            "fts": self.enable_fts,
            "graph": self.enable_graph,
            "session_scope": self.enable_session_scope,
        })
    }
}

fn switch(name: &str, value: &str) -> Result<bool, Failure> {
    match value.trim().to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        other => Err(Failure::invalid(format!("{name} is 1 or 0, not `{other}`"))),
    }
}

fn number(name: &str, value: &str, low: f64, high: f64) -> Result<f64, Failure> {
    let number = parsed(name, value)?;
    limits::range(name, number, low, high)?;
    Ok(number)
}

fn parsed(name: &str, value: &str) -> Result<f64, Failure> {
    value.trim().parse().map_err(|_| Failure::invalid(format!("{name} is a number, not `{value}`")))
}

/// A share of something: some of it, at most all.
pub(super) fn share(name: &str, value: f64) -> Result<f64, Failure> {
    if value > 0.0 && value <= 1.0 {
        return Ok(value);
    }
    Err(Failure::invalid(format!("{name} must be greater than 0 and at most 1; got {value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_can_be_set_and_no_other() {
        let mut settings = CodeMemorySettings::default();
        for name in CodeMemorySettings::NAMES {
            settings.set(name, "1").unwrap();
        }
        assert_eq!((settings.top_k, settings.oversample_k, settings.fts_bonus), (1, 1, 1.0));
        assert!(settings.set("db_path", "1").unwrap_err().message.contains("enable_vec"));
    }

    #[test]
    fn a_switch_is_read_however_it_is_written_and_nonsense_is_refused() {
        let mut settings = CodeMemorySettings::default();
        for (value, on) in [("0", false), ("Yes", true), ("FALSE", false), ("on", true)] {
            settings.set("enable_vec", value).unwrap();
            assert_eq!(settings.enable_vec, on, "{value}");
        }
        for (name, value) in [
            ("enable_vec", "maybe"),
            ("top_k", "0"),
            ("top_k", "101"),
            ("top_p", "0"),
            ("top_p", "1.5"),
            ("fts_bonus", "NaN"),
        ] {
            assert!(settings.set(name, value).is_err(), "{name}={value}");
        }
    }
}
