//! Writing and removing grants. Their meaning is up to the policy of the caller.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use model::{AgentName, Grant, limits};
use store::ChangeResult;

impl BatchContext<'_, '_> {
    pub(super) fn put_grant(&mut self, grant: &Grant) -> ApplyResult<ChangeResult> {
        const SQL: &str =
            "INSERT INTO grants (agent, resource, permission, granted_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (agent, resource) DO UPDATE SET permission = excluded.permission,
                granted_at = excluded.granted_at";
        limits::chars("resource", &grant.resource, limits::REASON_CHARS)?;
        let permission = grant.permission.name();
        self.execute(SQL, (grant.agent.as_str(), &grant.resource, permission, grant.granted_at.0))?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn revoke_grant(
        &mut self,
        agent: &AgentName,
        resource: &str,
    ) -> ApplyResult<ChangeResult> {
        const SQL: &str = "DELETE FROM grants WHERE agent = ?1 AND resource = ?2";
        if self.execute(SQL, (agent.as_str(), resource))? == 0 {
            return Err(ApplyError::not_found("grant", format!("of {resource} to {agent}")));
        }
        Ok(ChangeResult::Done)
    }
}
