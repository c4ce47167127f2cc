//! Writing and removing grants. Their meaning is up to the policy of the caller.

use super::{Applied, Applying};
use crate::fault::Fault;
use model::{AgentName, Grant, limits};
use store::Made;

impl Applying<'_, '_> {
    pub(super) fn put_grant(&mut self, grant: &Grant) -> Applied<Made> {
        const SQL: &str =
            "INSERT INTO grants (agent, resource, permission, granted_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (agent, resource) DO UPDATE SET permission = excluded.permission,
                granted_at = excluded.granted_at";
        limits::chars("resource", &grant.resource, limits::REASON_CHARS)?;
        let permission = grant.permission.name();
        self.run(SQL, (grant.agent.as_str(), &grant.resource, permission, grant.granted_at.0))?;
        Ok(Made::Nothing)
    }

    pub(super) fn revoke_grant(&mut self, agent: &AgentName, resource: &str) -> Applied<Made> {
        const SQL: &str = "DELETE FROM grants WHERE agent = ?1 AND resource = ?2";
        if self.run(SQL, (agent.as_str(), resource))? == 0 {
            return Err(Fault::not_found("grant", format!("of {resource} to {agent}")));
        }
        Ok(Made::Nothing)
    }
}
