//! Switches and weights of the contract, named like the environment variables of the original
//! without their prefix `CODE_MEMORY_`. The environment, the configuration file and `diagnostics`
//! share these names.

use engine::SearchModes;
use model::{Failure, limits};
use serde_json::{Value, json};

/// Settings for searching and ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CodeMemorySettings {
    /// Search by meaning.
    pub enable_vec: bool,
    /// Search by words.
    pub enable_fts: bool,
    /// Enables the graph tools.
    pub enable_graph: bool,
    /// Limits a search to its session.
    pub enable_session_scope: bool,
    /// Default number of search results.
    pub top_k: usize,
    /// Default share of the newest matches that a search keeps.
    pub top_p: f64,
    /// Number of candidates ranked per search result.
    pub oversample_k: usize,
    /// Penalty of the lowest priority, 5.
    pub priority_weight: f64,
    /// Upper bound of the penalty for age.
    pub recency_weight: f64,
    /// Bonus for words shared with the query.
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
    /// Names of all settings.
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
    /// Maximum number of search results.
    pub const TOP_K_MAX: usize = 100;

    /// Sets one setting from text, as read from the environment.
    ///
    /// # Errors
    /// `invalid_argument` if the name is unknown or the value is invalid.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        match name {
            "enable_vec" => self.enable_vec = parse_switch(name, value)?,
            "enable_fts" => self.enable_fts = parse_switch(name, value)?,
            "enable_graph" => self.enable_graph = parse_switch(name, value)?,
            "enable_session_scope" => self.enable_session_scope = parse_switch(name, value)?,
            "top_k" => {
                self.top_k = parse_number(name, value, 1.0, Self::TOP_K_MAX as f64)? as usize
            }
            "top_p" => self.top_p = check_share(name, parse_float(name, value)?)?,
            "oversample_k" => self.oversample_k = parse_number(name, value, 1.0, 100.0)? as usize,
            "priority_weight" => self.priority_weight = parse_number(name, value, 0.0, 10.0)?,
            "recency_weight" => self.recency_weight = parse_number(name, value, 0.0, 10.0)?,
            "fts_bonus" => self.fts_bonus = parse_number(name, value, 0.0, 10.0)?,
            other => {
                let known = Self::NAMES.join(", ");
                return Err(Failure::invalid(format!(
                    "`{other}` is not a setting of code-memory; use one of {known}"
                )));
            }
        }
        Ok(())
    }

    /// Search modes that are switched on.
    pub(super) fn search_modes(&self) -> SearchModes {
        SearchModes { words: self.enable_fts, embedding: self.enable_vec }
    }

    /// Renders the switches for `diagnostics` and `health`.
    pub(super) fn flags(&self) -> Value {
        json!({
            "vec": self.enable_vec,
            "fts": self.enable_fts,
            "graph": self.enable_graph,
            "session_scope": self.enable_session_scope,
        })
    }
}

fn parse_switch(name: &str, value: &str) -> Result<bool, Failure> {
    match value.trim().to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        other => Err(Failure::invalid(format!("{name} must be 1 or 0, not `{other}`"))),
    }
}

fn parse_number(name: &str, value: &str, low: f64, high: f64) -> Result<f64, Failure> {
    let number = parse_float(name, value)?;
    limits::range(name, number, low, high)?;
    Ok(number)
}

fn parse_float(name: &str, value: &str) -> Result<f64, Failure> {
    value
        .trim()
        .parse()
        .map_err(|_| Failure::invalid(format!("{name} must be a number, not `{value}`")))
}

/// Checks that a share is greater than 0 and at most 1.
pub(super) fn check_share(name: &str, value: f64) -> Result<f64, Failure> {
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
