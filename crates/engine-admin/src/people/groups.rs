//! Groups: owners whose memory several people share, each under their own name. Admins act as the
//! owner; members may do what grants to their name allow.

use super::{People, SettingsPlan, names_of, owners_in};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use model::{AgentName, Failure, Grant, GroupRole, OwnerId, Permission, limits};
use serde_json::{Value, json};
use store::Change;

/// Setting of a group, with its admins.
// It is stored and must not change; so must the next one.
const GROUP: &str = "group";
/// Setting of a person with the groups they were added to. Only a hint: the group decides.
const GROUPS: &str = "groups";
/// Key of the admins in the setting of a group.
const ADMINS: &str = "admins";
/// Resource that a new member gets.
const EVERYTHING: &str = "*";
/// Largest number of groups of a person.
const GROUPS_MAX: usize = 1_000;

/// Input of [`People::add_member`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddMemberRequest {
    pub person: OwnerId,
    pub role: GroupRole,
    /// Permission of a member on everything; grants refine it.
    pub permission: Permission,
}

/// A person in a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupMember {
    pub person: OwnerId,
    pub role: GroupRole,
    /// Permission on everything; `None` for an admin, and where only single grants exist.
    pub permission: Option<Permission>,
}

impl<'e> People<'e> {
    /// Returns true for an owner that is a group.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn is_group(self, owner: &'e OwnerId) -> UseCaseFuture<'e, bool> {
        Box::pin(async move { Ok(self.setting(owner, GROUP).await?.is_some()) })
    }

    /// Creates a group; the caller is its owner in person, at the command line.
    ///
    /// # Errors
    /// `invalid_argument` when there is a person of that name.
    pub fn create_group(self, caller: &'e Caller) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let group = &caller.owner;
            if self.is_group(group).await? {
                return Ok(());
            }
            if self.control.has_owner(group).await? {
                let message = format!("{group} is a person; choose another name for the group");
                return Err(Failure::invalid(message));
            }
            self.control.create_owner(group, self.core.now()).await?;
            let call = self.begin(caller, &"create a group").await?;
            let mut plan = SettingsPlan::default();
            plan.put(GROUP, None, json!({ ADMINS: [] }));
            call.write_plan("became a group", plan.0).await?;
            Ok(())
        })
    }

    /// Returns the part of a person in a group; `None` for anybody else.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn role(
        self,
        group: &'e OwnerId,
        person: &'e OwnerId,
    ) -> UseCaseFuture<'e, Option<GroupRole>> {
        Box::pin(async move {
            let Some(stored) = self.setting(group, GROUP).await? else { return Ok(None) };
            if owners_in(stored.get(ADMINS)).contains(person) {
                return Ok(Some(GroupRole::Admin));
            }
            let grants = self.core.store_of(group).grants().await?;
            let name = AgentName::of_person(person);
            let is_member =
                |grant: &Grant| grant.agent == name && grant.permission > Permission::None;
            Ok(grants.iter().any(is_member).then_some(GroupRole::Member))
        })
    }

    /// Returns the groups that a person is in, by name.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn groups_of(self, person: &'e OwnerId) -> UseCaseFuture<'e, Vec<OwnerId>> {
        Box::pin(async move {
            let mut groups = Vec::new();
            for group in owners_in(self.setting(person, GROUPS).await?.as_ref()) {
                if self.role(&group, person).await?.is_some() {
                    groups.push(group);
                }
            }
            groups.sort_by(|one, other| one.as_str().cmp(other.as_str()));
            Ok(groups)
        })
    }

    /// Returns the people in a group, by name; the caller is its owner in person.
    ///
    /// # Errors
    /// `consent_required` for anybody else.
    pub fn members(self, caller: &'e Caller) -> UseCaseFuture<'e, Vec<GroupMember>> {
        Box::pin(async move {
            let call = self.begin(caller, &"members").await?;
            let admins = self.admins(&call).await?.1;
            let mut members: Vec<GroupMember> =
                admins.into_iter().map(|person| member(person, GroupRole::Admin)).collect();
            for grant in call.store().grants().await? {
                let person = grant.agent.person().filter(|_| grant.permission > Permission::None);
                let Some(person) = person else { continue };
                add_grant(&mut members, person, &grant);
            }
            members.sort_by(|one, other| one.person.as_str().cmp(other.person.as_str()));
            call.note_shown(format!("listed {} members", members.len()), &[]).await;
            Ok(members)
        })
    }

    /// Adds a person to a group, or changes their part; the caller is its owner in person.
    ///
    /// # Errors
    /// `not_found` when there is no such person; `invalid_argument` when the owner is no group;
    /// `consent_required` for anybody else.
    pub fn add_member(
        self,
        caller: &'e Caller,
        input: &'e AddMemberRequest,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let AddMemberRequest { person, role, permission } = input;
            let call = self.begin(caller, input).await?;
            let (stored, mut admins) = self.admins(&call).await?;
            self.require_owner(person).await?;
            if self.is_group(person).await? {
                return Err(Failure::invalid(format!("{person} is a group itself")));
            }
            if *role == GroupRole::Member && *permission == Permission::None {
                return Err(Failure::invalid("a member needs the permission read or write"));
            }
            // First, so that a group that cannot be shown is never one that can be read.
            self.note_group(caller, person, true).await?;
            admins.retain(|admin| admin != person);
            let mut plan = SettingsPlan::default();
            match role {
                GroupRole::Admin => admins.push(person.clone()),
                GroupRole::Member => {
                    _ = plan.0.push(Change::PutGrant(Grant {
                        agent: AgentName::of_person(person),
                        resource: EVERYTHING.to_owned(),
                        permission: *permission,
                        granted_at: call.at,
                    }))
                }
            }
            plan.put(GROUP, Some(stored), json!({ ADMINS: names_of(&admins) }));
            call.write_plan(format!("added {person} as {}", role.name()), plan.0).await?;
            Ok(())
        })
    }

    /// Removes a person with all their grants; the caller is the group's owner in person.
    ///
    /// # Errors
    /// `not_found` when the person is not in the group; `consent_required` for anybody else.
    pub fn remove_member(self, caller: &'e Caller, person: &'e OwnerId) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = self.begin(caller, &("remove", person)).await?;
            let (stored, mut admins) = self.admins(&call).await?;
            let (name, before) = (AgentName::of_person(person), admins.len());
            admins.retain(|admin| admin != person);
            let mut plan = SettingsPlan::default();
            for grant in call.store().grants().await?.into_iter().filter(|one| one.agent == name) {
                let Grant { agent, resource, .. } = grant;
                plan.0.push(Change::RevokeGrant { agent, resource });
            }
            if plan.0.changes.is_empty() && admins.len() == before {
                return Err(Failure::not_found("member", person));
            }
            plan.put(GROUP, Some(stored), json!({ ADMINS: names_of(&admins) }));
            call.write_plan(format!("removed {person}"), plan.0).await?;
            self.note_group(caller, person, false).await
        })
    }

    /// Returns the setting of a group and its admins.
    async fn admins(&self, call: &Call<'_>) -> Result<(Value, Vec<OwnerId>), Failure> {
        let group = &call.caller.owner;
        let stored = self.setting(group, GROUP).await?;
        let stored = stored.ok_or_else(|| Failure::invalid(format!("{group} is not a group")))?;
        let admins = owners_in(stored.get(ADMINS));
        Ok((stored, admins))
    }

    /// Notes in a person's own settings that they are in a group. The person's audit log names
    /// whoever added them.
    async fn note_group(
        &self,
        caller: &Caller,
        person: &OwnerId,
        is_in: bool,
    ) -> Result<(), Failure> {
        if !self.control.has_owner(person).await? {
            return Ok(());
        }
        let group = &caller.owner;
        let theirs = Caller { owner: person.clone(), expected_version: None, ..caller.clone() };
        let call = self.begin(&theirs, &("groups", group)).await?;
        let stored = self.setting(person, GROUPS).await?;
        let mut groups = owners_in(stored.as_ref());
        groups.retain(|known| known != group);
        if is_in {
            groups.push(group.clone());
        }
        limits::count("groups", groups.len(), GROUPS_MAX)?;
        let mut plan = SettingsPlan::default();
        plan.put(GROUPS, stored, names_of(&groups));
        let note = if is_in { "was added to" } else { "was removed from" };
        call.write_plan(format!("{note} the group {group}"), plan.0).await?;
        Ok(())
    }
}

fn member(person: OwnerId, role: GroupRole) -> GroupMember {
    GroupMember { person, role, permission: None }
}

/// Adds a person with a grant to the members, and notes a permission on everything.
fn add_grant(members: &mut Vec<GroupMember>, person: OwnerId, grant: &Grant) {
    let known = members.iter().position(|known| known.person == person);
    let at = known.unwrap_or_else(|| {
        members.push(member(person, GroupRole::Member));
        members.len() - 1
    });
    let one = &mut members[at];
    if grant.resource == EVERYTHING && one.role == GroupRole::Member {
        one.permission = Some(grant.permission);
    }
}
