//! Project names. A project is named after its directory, which is what people call it; if two
//! projects share a name, the second one gets a longer name. A small file per name, in the home
//! directory, records which project has it.

use super::checkout::Checkout;
use crate::files::{create_private_dir, read_small, write_new};
use model::{ContentHash, limits};
use std::path::Path;

/// Maximum size of the file of a name.
const NAME_FILE_BYTES_MAX: u64 = 16 * 1024;

/// Returns the name of a project: that of its directory, unless another project has taken it.
pub(super) fn project_name(names: &Path, checkout: &Checkout) -> String {
    let identity = ProjectIdentity::from_checkout(checkout);
    let [short, longer, longest] = candidate_names(checkout);
    for name in [&short, &longer] {
        match claim_name(names, name, &identity) {
            Ok(true) => return name.clone(),
            Ok(false) => {}
            Err(error) => {
                // If names cannot be recorded, the short one is the best guess.
                tracing::warn!(error, "cannot record project names");
                return short.clone();
            }
        }
    }
    longest
}

/// Identity of a project: the paths of its repository, and its remote.
#[derive(Debug, PartialEq, Eq)]
struct ProjectIdentity {
    locations: Vec<String>,
    remote: Option<String>,
}

impl ProjectIdentity {
    fn from_checkout(checkout: &Checkout) -> Self {
        Self {
            locations: vec![checkout.location.display().to_string()],
            remote: checkout.remote.clone(),
        }
    }

    fn parse(text: &str) -> Self {
        let field =
            |name: &'static str| text.lines().filter_map(move |line| line.strip_prefix(name));
        let locations = field("place ").map(str::to_owned).collect();
        Self { locations, remote: field("remote ").next().map(str::to_owned) }
    }

    fn encode(&self) -> String {
        let locations = self.locations.iter().map(|location| format!("place {location}\n"));
        locations.chain(self.remote.iter().map(|remote| format!("remote {remote}\n"))).collect()
    }

    /// Compares two identities. Two projects with remotes are the same if the remotes are, wherever
    /// they are on disk. If one has none, or had none when it got its name, the path decides.
    fn is_same_project(&self, other: &Self) -> bool {
        match (&self.remote, &other.remote) {
            (Some(one), Some(two)) => one == two,
            _ => self.locations.iter().any(|location| other.locations.contains(location)),
        }
    }
}

/// Returns true if the project has this name, or takes it now because it is free.
fn claim_name(names: &Path, name: &str, identity: &ProjectIdentity) -> Result<bool, String> {
    let file = names.join(name_to_file_name(name));
    let read = || read_small(&file, NAME_FILE_BYTES_MAX).map_err(|error| error.to_string());
    if let Some(text) = read()? {
        let other = ProjectIdentity::parse(&text);
        if identity.is_same_project(&other) && other.remote.is_none() && identity.remote.is_some() {
            record_remote(&file, &other, identity);
        }
        return Ok(identity.is_same_project(&other));
    }
    let render = |problem: crate::exit::Problem| problem.render(false).unwrap_or_default();
    create_private_dir(names).map_err(render)?;
    if write_new(&file, identity.encode()).map_err(render)? {
        return Ok(true);
    }
    // Another process took the name between the read and the write.
    Ok(read()?.is_some_and(|text| identity.is_same_project(&ProjectIdentity::parse(&text))))
}

/// Adds the remote to a project that had none when it got its name.
fn record_remote(file: &Path, before: &ProjectIdentity, now: &ProjectIdentity) {
    let both = ProjectIdentity { locations: before.locations.clone(), remote: now.remote.clone() };
    // A failure costs nothing: the path still identifies the project, and the next start retries.
    let _ = std::fs::write(file, both.encode());
}

/// Returns the possible names, shortest first: the directory's name, the same after the owner of
/// the remote, and the same with a hash that no other project has.
fn candidate_names(checkout: &Checkout) -> [String; 3] {
    let remote_owner = checkout.remote.as_deref().and_then(|remote| remote.rsplit('/').nth(1));
    let identity =
        checkout.remote.clone().unwrap_or_else(|| checkout.location.display().to_string());
    let hash: String =
        ContentHash::of_bytes(identity.as_bytes()).to_string().chars().take(8).collect();
    let name = &checkout.name;
    let hashed = format!("{name}-{hash}");
    let longer = remote_owner
        .filter(|owner| !owner.is_empty())
        .map_or_else(|| hashed.clone(), |owner| format!("{owner}/{name}"));
    [name.clone(), longer, hashed].map(|name| name.chars().take(limits::NAME_CHARS).collect())
}

/// Returns a file name for a project name, with every character escaped that a file system could
/// interpret.
fn name_to_file_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || "-_.".contains(c) {
            c.to_string()
        } else {
            format!("%{:x}", c as u32)
        }
    };
    let plain: String = name.chars().map(plain).take(80).collect();
    // Long names could collide once truncated, and a leading dot could be `..`: these are hashed.
    if plain.starts_with('.') || name.chars().count() > 40 {
        return format!("%{}", ContentHash::of_bytes(name.as_bytes()));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkout(name: &str, place: &str, remote: Option<&str>) -> Checkout {
        Checkout { name: name.into(), location: place.into(), remote: remote.map(str::to_owned) }
    }

    #[test]
    fn two_projects_with_one_name_never_share_a_memory() {
        let names = tempfile::tempdir().unwrap();
        let name = |checkout: &Checkout| project_name(names.path(), checkout);
        let first = checkout("app", "/a/app/.git", Some("github.com/ada/app"));
        let second = checkout("app", "/b/app/.git", Some("github.com/bo/app"));
        let third = checkout("app", "/c/app/.git", None);
        assert_eq!((name(&first), name(&second)), ("app".into(), "bo/app".into()));
        let third_name = name(&third);
        assert!(third_name.starts_with("app-"), "{third_name}");
        for (checkout, expected) in
            [(&first, "app"), (&second, "bo/app"), (&third, third_name.as_str())]
        {
            assert_eq!(name(checkout), expected);
        }
    }

    #[test]
    fn a_project_that_moves_or_gets_a_remote_later_keeps_its_name() {
        let names = tempfile::tempdir().unwrap();
        let name = |checkout: &Checkout| project_name(names.path(), checkout);
        assert_eq!(name(&checkout("app", "/a/app/.git", None)), "app");
        assert_eq!(name(&checkout("app", "/a/app/.git", Some("github.com/ada/app"))), "app");
        assert_eq!(name(&checkout("app", "/moved/app/.git", Some("github.com/ada/app"))), "app");
    }

    #[test]
    fn another_project_at_the_path_of_an_old_one_gets_its_own_name() {
        let names = tempfile::tempdir().unwrap();
        let name = |checkout: &Checkout| project_name(names.path(), checkout);
        assert_eq!(name(&checkout("app", "/a/app/.git", Some("github.com/ada/app"))), "app");
        assert_eq!(name(&checkout("app", "/a/app/.git", Some("github.com/bo/app"))), "bo/app");
    }

    #[test]
    fn without_a_names_directory_the_directory_name_is_used() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("names");
        std::fs::write(&file, "in the way").unwrap();
        assert_eq!(project_name(&file, &checkout("app", "/a/app/.git", None)), "app");
    }

    #[test]
    fn no_file_name_escapes_the_names_directory() {
        for name in ["..", ".", "a/b", "a\\b", &"é".repeat(200)] {
            let file = name_to_file_name(name);
            assert!(
                !file.starts_with('.') && !file.contains(['/', '\\']) && file.len() <= 240,
                "{file}"
            );
        }
    }
}
