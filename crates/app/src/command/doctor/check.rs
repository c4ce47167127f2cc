//! The result of one check: its state, the finding, and how to fix it.

use serde_json::{Value, json};

/// State of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckState {
    Ok,
    /// It works, but should be looked at.
    Warn,
    /// It does not work, or soon will not.
    Fail,
}

/// Result of one check.
#[derive(Debug)]
pub(super) struct DoctorCheck {
    pub name: &'static str,
    pub state: CheckState,
    pub finding: String,
    /// Advice on how to fix it.
    pub advice: Option<String>,
}

impl DoctorCheck {
    pub fn ok(name: &'static str, finding: impl Into<String>) -> Self {
        Self { name, state: CheckState::Ok, finding: finding.into(), advice: None }
    }

    pub fn warn(name: &'static str, finding: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, state: CheckState::Warn, finding: finding.into(), advice: Some(advice.into()) }
    }

    pub fn fail(name: &'static str, finding: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, state: CheckState::Fail, finding: finding.into(), advice: Some(advice.into()) }
    }

    pub fn to_json(&self) -> Value {
        let state = match self.state {
            CheckState::Ok => "ok",
            CheckState::Warn => "warn",
            CheckState::Fail => "fail",
        };
        let mut output = json!({ "name": self.name, "state": state, "found": self.finding });
        if let Some(advice) = &self.advice {
            output["mend"] = advice.as_str().into();
        }
        output
    }
}
