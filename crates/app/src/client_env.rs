//! Detects the project, the session and the working directory of the client that started the
//! process, from environment variables and the file system. Arguments override all of it, and
//! nothing here can fail.

mod checkout;
mod git_remote;
mod project_names;

use crate::home_dir::HomeDir;
use checkout::Checkout;
use engine::ClientEnvironment;
use model::limits;
use project_names::project_name;
use std::path::{Path, PathBuf};

/// Variables that name the session, in order of precedence: Quipu's own and Claude Code's.
const SESSION_VARIABLES: [&str; 2] = ["QUIPU_SESSION", "CLAUDE_CODE_SESSION_ID"];

/// Detects the client environment. Coding agents set these variables for the servers they start.
pub fn detect_client_env(
    home: &HomeDir,
    variable: impl Fn(&str) -> Option<String>,
) -> ClientEnvironment {
    let set = |name: &str| {
        variable(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let cwd = std::env::current_dir().ok();
    let fits = |name: &String| name.chars().count() <= limits::NAME_CHARS;
    let project = set("QUIPU_PROJECT").or_else(|| {
        let directory = set("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        detect_project(home, directory.as_deref(), cwd.as_deref())
    });
    let session = SESSION_VARIABLES.iter().find_map(|name| set(name));
    ClientEnvironment {
        project: project.filter(fits),
        session: session.filter(fits),
        cwd: cwd.map(|path| path.display().to_string()),
    }
}

/// Returns the name of the project of a directory; `None` if it is in no checkout.
pub fn project_of(home: &HomeDir, directory: &Path) -> Option<String> {
    let checkout = Checkout::containing(directory)?;
    Some(project_name(&home.projects_dir(), &checkout))
}

/// Returns the name of the current project: that of the directory which the client declares as its
/// project, or of the checkout that contains the working directory. Any other directory is not a
/// project.
fn detect_project(home: &HomeDir, declared: Option<&Path>, cwd: Option<&Path>) -> Option<String> {
    let checkout = match declared {
        Some(directory) => {
            Checkout::containing(directory).or_else(|| Checkout::without_repository(directory))
        }
        None => Checkout::containing(cwd?),
    };
    checkout.map(|checkout| project_name(&home.projects_dir(), &checkout))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect_with(variables: &[(&str, &str)]) -> ClientEnvironment {
        let home = tempfile::tempdir().unwrap();
        let home = HomeDir::find(Some(home.path()), |_| None).unwrap();
        detect_client_env(&home, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn quipus_own_variables_win_over_those_of_a_client() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().join("billing");
        std::fs::create_dir(&project).unwrap();
        let project = project.to_str().unwrap();
        let client = [("CLAUDE_PROJECT_DIR", project), ("CLAUDE_CODE_SESSION_ID", "s-1")];
        let seen = detect_with(&client);
        assert_eq!(
            (seen.project.as_deref(), seen.session.as_deref()),
            (Some("billing"), Some("s-1"))
        );
        let of_one_dialect = detect_with(&[("CODE_MEMORY_SESSION_ID", "s-2")]);
        assert_eq!(of_one_dialect.session, None);
        let ours = [client[0], client[1], ("QUIPU_PROJECT", "accounts"), ("QUIPU_SESSION", " ")];
        let seen = detect_with(&ours);
        assert_eq!(
            (seen.project.as_deref(), seen.session.as_deref()),
            (Some("accounts"), Some("s-1"))
        );
    }

    #[test]
    fn a_name_that_is_too_long_is_ignored() {
        let endless = "x".repeat(limits::NAME_CHARS + 1);
        assert_eq!(detect_with(&[("QUIPU_PROJECT", &endless)]).project, None);
    }
}
