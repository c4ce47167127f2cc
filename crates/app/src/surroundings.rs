//! Where we were started: the project, the session and the directory, from the environment and the
//! disk. Everything here is a default that an argument overrides; nothing here can fail.

mod checkout;
mod names;
mod remote;

use crate::home::Home;
use checkout::Checkout;
use engine::Surroundings;
use model::limits;
use names::project_name;
use std::path::{Path, PathBuf};

/// The variables that name the session, the first that is set: ours, a client's, and code-memory's.
const SESSIONS: [&str; 3] = ["QUIPU_SESSION", "CLAUDE_CODE_SESSION_ID", "CODE_MEMORY_SESSION_ID"];

/// What the environment tells. Coding agents set these for the servers they start.
pub fn around(home: &Home, variable: impl Fn(&str) -> Option<String>) -> Surroundings {
    let told = |name: &str| {
        variable(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let cwd = std::env::current_dir().ok();
    let fits = |name: &String| name.chars().count() <= limits::NAME_CHARS;
    let project = told("QUIPU_PROJECT").or_else(|| {
        let directory = told("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        project_around(home, directory.as_deref(), cwd.as_deref())
    });
    let session = SESSIONS.iter().find_map(|name| told(name));
    Surroundings {
        project: project.filter(fits),
        session: session.filter(fits),
        cwd: cwd.map(|path| path.display().to_string()),
    }
}

/// The name of the project that is worked on: the directory the client calls its project, whatever
/// it is, or the checkout that we stand in. A directory that is neither is no project.
fn project_around(home: &Home, told: Option<&Path>, cwd: Option<&Path>) -> Option<String> {
    let checkout = match told {
        Some(directory) => Checkout::around(directory).or_else(|| Checkout::plain(directory)),
        None => Checkout::around(cwd?),
    };
    checkout.map(|checkout| project_name(&home.projects(), &checkout))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around_with(variables: &[(&str, &str)]) -> Surroundings {
        let home = tempfile::tempdir().unwrap();
        let home = Home::find(Some(home.path()), |_| None).unwrap();
        around(&home, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn what_is_told_for_us_wins_over_what_a_client_tells() {
        let directory = tempfile::tempdir().unwrap();
        let told = directory.path().join("billing");
        std::fs::create_dir(&told).unwrap();
        let told = told.to_str().unwrap();
        let client = [("CLAUDE_PROJECT_DIR", told), ("CLAUDE_CODE_SESSION_ID", "s-1")];
        let seen = around_with(&client);
        assert_eq!(
            (seen.project.as_deref(), seen.session.as_deref()),
            (Some("billing"), Some("s-1"))
        );
        let older = around_with(&[("CODE_MEMORY_SESSION_ID", "s-2")]);
        assert_eq!(older.session.as_deref(), Some("s-2"));
        let ours = [client[0], client[1], ("QUIPU_PROJECT", "accounts"), ("QUIPU_SESSION", " ")];
        let seen = around_with(&ours);
        assert_eq!(
            (seen.project.as_deref(), seen.session.as_deref()),
            (Some("accounts"), Some("s-1"))
        );
    }

    #[test]
    fn a_name_that_no_field_could_hold_is_left_out() {
        let endless = "x".repeat(limits::NAME_CHARS + 1);
        assert_eq!(around_with(&[("QUIPU_PROJECT", &endless)]).project, None);
    }
}
