//! Operations on the members of a group: who is in it, and what each may do.

use super::json::MessageJson;
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::people::{AddMemberRequest, GroupMember};
use model::{ErrorCode, Failure, GroupRole, OwnerId, Permission};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A member.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemberJson {
    /// Name of the person.
    person: String,
    /// `admin`, `write`, `read`, or `grants` for a person with single grants only.
    part: &'static str,
}

impl From<GroupMember> for MemberJson {
    fn from(member: GroupMember) -> Self {
        Self { person: member.person.to_string(), part: part_name(&member) }
    }
}

/// Returns the name of a member's part.
pub(crate) fn part_name(member: &GroupMember) -> &'static str {
    match (member.role, member.permission) {
        (GroupRole::Admin, _) => "admin",
        (GroupRole::Member, Some(Permission::Write)) => "write",
        (GroupRole::Member, Some(Permission::Read)) => "read",
        (GroupRole::Member, _) => "grants",
    }
}

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<Vec<MemberJson>>, Failure> {
    let members = context.credentials.people().members(&context.caller).await?;
    ApiResponse::new(members.into_iter().map(MemberJson::from).collect())
}

/// A person to add, or a new part of a member.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PutMemberBody {
    /// Name of the person.
    person: String,
    /// `admin`: acts as the owner of the group; `write`: reads and writes; `read`: reads.
    part: String,
}

pub(super) async fn put(
    context: RequestContext,
    _: NoFields,
    input: PutMemberBody,
) -> Result<ApiResponse<MessageJson>, Failure> {
    let person = parse_person(&input.person)?;
    let (role, permission) = match input.part.as_str() {
        "admin" => (GroupRole::Admin, Permission::Write),
        "write" => (GroupRole::Member, Permission::Write),
        "read" => (GroupRole::Member, Permission::Read),
        _ => return Err(Failure::invalid("the part must be one of admin, write, read")),
    };
    if role != GroupRole::Admin {
        require_another_admin(&context, &person).await?;
    }
    let request = AddMemberRequest { person, role, permission };
    context.credentials.people().add_member(&context.caller, &request).await?;
    let said = match (role, permission) {
        (GroupRole::Admin, _) => format!("{} is an admin of this group", request.person),
        (_, Permission::Read) => format!("{} may read this memory", request.person),
        _ => format!("{} may read and write this memory", request.person),
    };
    ApiResponse::new(MessageJson { said })
}

/// A member to remove.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveMemberBody {
    /// Name of the person.
    person: String,
}

pub(super) async fn remove(
    context: RequestContext,
    _: NoFields,
    input: RemoveMemberBody,
) -> Result<ApiResponse<MessageJson>, Failure> {
    let person = parse_person(&input.person)?;
    require_another_admin(&context, &person).await?;
    context.credentials.people().remove_member(&context.caller, &person).await?;
    ApiResponse::new(MessageJson { said: format!("{person} is not in this group any more") })
}

fn parse_person(name: &str) -> Result<OwnerId, Failure> {
    OwnerId::new(name.trim()).map_err(|error| Failure::invalid(error.to_string()))
}

/// Refuses to take away the last admin, after whom nobody could open this page.
async fn require_another_admin(context: &RequestContext, person: &OwnerId) -> Result<(), Failure> {
    let members = context.credentials.people().members(&context.caller).await?;
    let mut admins = members.iter().filter(|member| member.role == GroupRole::Admin);
    let is_admin = admins.clone().any(|admin| admin.person == *person);
    if is_admin && !admins.any(|admin| admin.person != *person) {
        let message = format!("{person} is the only admin; make somebody else an admin first");
        return Err(Failure::new(ErrorCode::Conflict, message));
    }
    Ok(())
}
