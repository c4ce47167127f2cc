//! Detects the project, the session and the working directory of the client that started the
//! process, from environment variables and the file system. Arguments override all of it, and
//! nothing here can fail.

mod checkout;
mod names;
mod remote;

use crate::home::Home;
use checkout::Checkout;
use engine::Surroundings;
use model::limits;
use names::project_name;
use std::path::{Path, PathBuf};

/// Variables that name the session, in order of precedence: Quipu's own, Claude Code's, and that of
/// the original code-memory server.
const SESSIONS: [&str; 3] = ["QUIPU_SESSION", "CLAUDE_CODE_SESSION_ID", "CODE_MEMORY_SESSION_ID"];

/// Detects the client environment. Coding agents set these variables for the servers they start.
pub fn around(home: &Home, variable: impl Fn(&str) -> Option<String>) -> Surroundings {
    let set = |name: &str| {
        variable(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let cwd = std::env::current_dir().ok();
    let fits = |name: &String| name.chars().count() <= limits::NAME_CHARS;
    let project = set("QUIPU_PROJECT").or_else(|| {
        let directory = set("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        project_around(home, directory.as_deref(), cwd.as_deref())
    });
    let session = SESSIONS.iter().find_map(|name| set(name));
    Surroundings {
        project: project.filter(fits),
        session: session.filter(fits),
        cwd: cwd.map(|path| path.display().to_string()),
    }
}

/// Returns the name of the current project: that of the directory which the client declares as its
/// project, or of the checkout that contains the working directory. Any other directory is not a
/// project.
fn project_around(home: &Home, declared: Option<&Path>, cwd: Option<&Path>) -> Option<String> {
    let checkout = match declared {
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
        let project = directory.path().join("billing");
        std::fs::create_dir(&project).unwrap();
        let project = project.to_str().unwrap();
        let client = [("CLAUDE_PROJECT_DIR", project), ("CLAUDE_CODE_SESSION_ID", "s-1")];
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
