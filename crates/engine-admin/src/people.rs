//! The people of a server: who signed in, and the groups they are in.
//!
//! A person is an owner. The login of an identity provider is linked to a person in the settings of
//! the server's own owner. A group is an owner, too; its settings name its admins, and its grants
//! name its members. All of it is read for every request, so that a removal takes effect at once on
//! every server.

mod groups;
mod logins;

pub use groups::{AddMemberRequest, GroupMember};
pub use logins::LoginIdentity;

use engine_core::Core;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{Failure, OwnerId, Permission};
use serde_json::Value;
use store::{Change, Control, ExpectedVersion};

/// Use cases of people and groups.
#[derive(Clone, Copy)]
pub struct People<'e> {
    core: &'e Core,
    control: &'e dyn Control,
}

impl<'e> People<'e> {
    pub(crate) fn new(core: &'e Core, control: &'e dyn Control) -> Self {
        Self { core, control }
    }

    /// Begins a call of the owner in person, who may be another one than that of the memory.
    async fn begin<'c>(
        &'c self,
        caller: &'c Caller,
        arguments: &(dyn std::fmt::Debug + Sync),
    ) -> Result<Call<'c>, Failure> {
        self.require_owner(&caller.owner).await?;
        let (resource, permission) = (Resource::Administration, Permission::Write);
        Call::begin(self.core, caller, resource, permission, arguments).await
    }

    async fn require_owner(&self, owner: &OwnerId) -> Result<(), Failure> {
        if self.control.has_owner(owner).await? {
            Ok(())
        } else {
            Err(Failure::not_found("owner", owner))
        }
    }

    /// Returns a setting of an owner; nothing where there is no such owner.
    async fn setting(&self, owner: &OwnerId, name: &str) -> Result<Option<Value>, Failure> {
        if !self.control.has_owner(owner).await? {
            return Ok(None);
        }
        let found = self.core.store_of(owner).setting(name).await?;
        Ok(found.filter(|value| !value.is_null()))
    }
}

/// A planned batch that changes settings which nobody else changed meanwhile.
#[derive(Default)]
struct SettingsPlan(BatchPlan);

impl SettingsPlan {
    /// Adds a setting with its present and its new value.
    fn put(&mut self, name: &str, present: Option<Value>, new: Value) {
        let change = Change::PutSetting { name: name.to_owned(), value: new };
        self.0.push(change);
        self.0.expected_versions.push(ExpectedVersion::Setting(name.to_owned(), present));
    }
}

/// Returns the names in a list of texts.
fn owners_in(value: Option<&Value>) -> Vec<OwnerId> {
    let names = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.filter_map(|name| OwnerId::new(name).ok()).collect()
}

/// Returns a list of texts with these names.
fn names_of(owners: &[OwnerId]) -> Value {
    owners.iter().map(OwnerId::as_str).collect::<Vec<_>>().into()
}
