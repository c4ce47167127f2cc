//! The result of one check: its state, the finding, and how to fix it.

use serde_json::{Value, json};

/// State of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ok,
    /// It works, but should be looked at.
    Warn,
    /// It does not work, or soon will not.
    Fail,
}

/// Result of one check.
#[derive(Debug)]
pub(super) struct Check {
    pub name: &'static str,
    pub state: State,
    pub found: String,
    /// Advice how to fix it.
    pub mend: Option<String>,
}

impl Check {
    pub fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, state: State::Ok, found: found.into(), mend: None }
    }

    pub fn warn(name: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name, state: State::Warn, found: found.into(), mend: Some(mend.into()) }
    }

    pub fn fail(name: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name, state: State::Fail, found: found.into(), mend: Some(mend.into()) }
    }

    pub fn as_json(&self) -> Value {
        let state = match self.state {
            State::Ok => "ok",
            State::Warn => "warn",
            State::Fail => "fail",
        };
        let mut output = json!({ "name": self.name, "state": state, "found": self.found });
        if let Some(mend) = &self.mend {
            output["mend"] = mend.as_str().into();
        }
        output
    }
}
