//! Writing and removing grants. Their meaning is up to the policy of the caller.

use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use model::{AgentName, Grant, limits};
use store::ChangeResult;

impl BatchTransaction<'_> {
    pub(super) fn put_grant(&mut self, grant: &Grant) -> ApplyOutcome<ChangeResult> {
        const SQL: &str =
            "INSERT INTO grants (owner, agent, resource, permission, granted_at) VALUES ($1, $2,
                 $3, $4, $5)
             ON CONFLICT (owner, agent, resource) DO UPDATE SET permission = excluded.permission,
                granted_at = excluded.granted_at";
        limits::chars("resource", &grant.resource, limits::REASON_CHARS)?;
        let permission = grant.permission.name();
        self.send(SQL, (grant.agent.as_str(), &grant.resource, permission, grant.granted_at.0))?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn revoke_grant(
        &mut self,
        agent: &AgentName,
        resource: &str,
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "DELETE FROM grants WHERE owner = $1 AND agent = $2 AND resource = $3";
        if self.execute(SQL, (agent.as_str(), resource))? == 0 {
            return Err(ChangeError::not_found("grant", format!("of {resource} to {agent}")));
        }
        Ok(ChangeResult::Done)
    }
}
