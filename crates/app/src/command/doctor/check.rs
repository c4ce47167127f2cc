//! One check: what was looked at, what was found, and how to mend it.

use serde_json::{Value, json};

/// How it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It is well.
    Ok,
    /// It works, and could be better.
    Warn,
    /// It does not work, or will not for long.
    Fail,
}

/// One check.
#[derive(Debug)]
pub(super) struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// How it stands.
    pub state: State,
    /// What was found.
    pub found: String,
    /// How to mend it.
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
        let mut told = json!({ "name": self.name, "state": state, "found": self.found });
        if let Some(mend) = &self.mend {
            told["mend"] = mend.as_str().into();
        }
        told
    }
}
