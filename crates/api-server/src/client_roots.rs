//! The directory that a client over a pipe works in, as its roots tell it. It is asked for once,
//! after the handshake, and names the project where the environment of the process does not:
//! programs of the desktop start their servers in no directory of their own.
//! Newer versions of the protocol have no roots; a client that offers them gets no other question.

use crate::sent_environment::project_name;
use engine::ClientEnvironment;
use percent_encoding::percent_decode_str;
use rmcp::service::{Peer, RoleServer};
use std::sync::OnceLock;
use std::time::Duration;

/// Longest wait for the answer. A client may show the question to a person.
const ANSWER_WAIT: Duration = Duration::from_secs(10);
/// Scheme of the roots that are directories.
const FILE_SCHEME: &str = "file://";

/// Project of the first root of a client, once it is known.
#[derive(Debug, Default)]
pub(crate) struct ClientRoots {
    project: OnceLock<String>,
}

impl ClientRoots {
    /// Asks a client that offers roots for them. Without an answer, nothing is known.
    #[expect(deprecated, reason = "clients of the older protocol have roots and nothing else")]
    pub async fn ask(&self, peer: &Peer<RoleServer>) {
        if peer.peer_info().is_none_or(|info| info.capabilities.roots.is_none()) {
            return;
        }
        let asked = tokio::time::timeout(ANSWER_WAIT, peer.list_roots()).await;
        let Ok(Ok(answer)) = asked else { return };
        let project = answer.roots.iter().find_map(|root| root_project(&root.uri));
        if let Some(project) = project {
            // Only the first handshake of a connection counts.
            let _ = self.project.set(project);
        }
    }

    /// Adds the project to an environment that has none.
    pub fn add_to(&self, environment: &mut ClientEnvironment) {
        if environment.project.is_none() {
            environment.project = self.project.get().cloned();
        }
    }
}

/// Returns the name of the project in the directory that a root stands for.
fn root_project(uri: &str) -> Option<String> {
    let path = uri.strip_prefix(FILE_SCHEME)?;
    project_name(&percent_decode_str(path).decode_utf8_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_names_the_project_by_its_last_part() {
        for (uri, project) in [
            ("file:///home/ada/shop", Some("shop")),
            ("file:///home/ada/my%20shop/", Some("my shop")),
            ("file:///c%3A/work/caf%C3%A9", Some("café")),
            ("file:///100%/a%2", Some("a%2")),
            ("file:///", None),
            ("https://example.org/shop", None),
        ] {
            assert_eq!(root_project(uri).as_deref(), project, "{uri}");
        }
    }

    #[test]
    fn a_project_that_is_known_already_is_kept() {
        let roots = ClientRoots::default();
        roots.project.set("shop".into()).unwrap();
        let mut known = ClientEnvironment { project: Some("api".into()), ..Default::default() };
        roots.add_to(&mut known);
        assert_eq!(known.project.as_deref(), Some("api"));
        let mut unknown = ClientEnvironment::default();
        roots.add_to(&mut unknown);
        assert_eq!(unknown.project.as_deref(), Some("shop"));
    }
}
