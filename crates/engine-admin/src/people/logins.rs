//! Logins of an identity provider, and the people they belong to.

use super::{People, SettingsPlan};
use engine_core::UseCaseFuture;
use engine_core::caller::Caller;
use model::{ContentHash, ErrorCode, Failure, OwnerId, limits};
use serde_json::Value;

/// A person at an identity provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginIdentity {
    pub issuer: String,
    /// Name at the provider, which never changes.
    pub subject: String,
}

impl LoginIdentity {
    /// Returns the hash by which the login is stored.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        ContentHash::of_bytes(format!("{}\n{}", self.issuer, self.subject).as_bytes())
    }
}

/// Returns the setting of the person whom a login belongs to.
// It is stored and must not change; so must the next one.
fn person_setting(identity: ContentHash) -> String {
    format!("login {identity}")
}

/// Returns the setting of the login of a person.
fn login_setting(person: &OwnerId) -> String {
    format!("login of {person}")
}

impl<'e> People<'e> {
    /// Returns the person whom a login belongs to; `server` is the owner of the server.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn person_with_login(
        self,
        server: &'e OwnerId,
        identity: ContentHash,
    ) -> UseCaseFuture<'e, Option<OwnerId>> {
        Box::pin(async move {
            let linked = self.setting(server, &person_setting(identity)).await?;
            let name = linked.as_ref().and_then(Value::as_str);
            Ok(name.and_then(|name| OwnerId::new(name).ok()))
        })
    }

    /// Links a login to a person, who is created if there is none of the name. The caller is the
    /// owner of the server.
    ///
    /// # Errors
    /// `conflict` when the login or the person is linked otherwise; `invalid_argument` for a group;
    /// `consent_required` for anybody but the owner in person.
    pub fn link_login(
        self,
        caller: &'e Caller,
        identity: &'e LoginIdentity,
        person: &'e OwnerId,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            limits::chars("subject", &identity.subject, limits::NAME_CHARS)?;
            let call = self.begin(caller, &(identity, person)).await?;
            let (hash, server) = (identity.hash(), &caller.owner);
            if self.is_group(person).await? {
                return Err(Failure::invalid(format!("{person} is a group; people log in")));
            }
            let by_login = self.setting(server, &person_setting(hash)).await?;
            let by_person = self.setting(server, &login_setting(person)).await?;
            let (name, login) = (Value::from(person.as_str()), Value::from(hash.to_string()));
            if by_login.as_ref() == Some(&name) && by_person.as_ref() == Some(&login) {
                return Ok(());
            }
            if by_login.is_some() || by_person.is_some() {
                let message =
                    format!("this login or {person} is linked otherwise; unlink it first");
                return Err(Failure::new(ErrorCode::Conflict, message));
            }
            self.control.create_owner(person, call.at).await?;
            let mut plan = SettingsPlan::default();
            plan.put(&person_setting(hash), None, name);
            plan.put(&login_setting(person), None, login);
            let note = format!("linked a login of {} to {person}", identity.issuer);
            call.write_plan(note, plan.0).await?;
            Ok(())
        })
    }

    /// Unlinks the login of a person; their sessions end with it, on every server.
    ///
    /// # Errors
    /// `not_found` when the person has no login; `consent_required` for anybody but the owner in
    /// person.
    pub fn unlink_login(self, caller: &'e Caller, person: &'e OwnerId) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = self.begin(caller, &("unlink", person)).await?;
            let login = self.setting(&caller.owner, &login_setting(person)).await?;
            let hash = login.as_ref().and_then(Value::as_str).and_then(ContentHash::parse);
            let hash = hash.ok_or_else(|| Failure::not_found("login", person))?;
            let mut plan = SettingsPlan::default();
            plan.put(&person_setting(hash), Some(person.as_str().into()), Value::Null);
            plan.put(&login_setting(person), login, Value::Null);
            call.write_plan(format!("unlinked the login of {person}"), plan.0).await?;
            Ok(())
        })
    }

    /// Creates the person of a login that is seen for the first time, under the name that they
    /// chose at the provider. The caller is the owner of the server.
    ///
    /// # Errors
    /// `conflict` when there is an owner of that name; `invalid_argument` when it cannot be one.
    pub fn create_person(
        self,
        caller: &'e Caller,
        identity: &'e LoginIdentity,
        username: Option<&'e str>,
    ) -> UseCaseFuture<'e, OwnerId> {
        Box::pin(async move {
            let name = owner_name(username.unwrap_or_default());
            let person =
                OwnerId::new(&name).map_err(|error| Failure::invalid(error.to_string()))?;
            // An existing memory is never handed to a name that anybody may choose elsewhere.
            if self.control.has_owner(&person).await? {
                let message = format!("there is an owner {person} already; an admin can link them");
                return Err(Failure::new(ErrorCode::Conflict, message));
            }
            self.link_login(caller, identity, &person).await?;
            Ok(person)
        })
    }
}

/// Returns a name in the form of an owner's: lower case, and hyphens for all other signs.
fn owner_name(username: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = username.trim().chars().map(|c| plain(c.to_ascii_lowercase())).collect();
    let name = name.trim_matches(['-', '_']);
    name.chars().take(OwnerId::LENGTH_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_name_becomes_a_valid_one() {
        for (chosen, name) in [
            ("Ada", "ada"),
            ("ada.lovelace@example.org", "ada-lovelace-example-org"),
            ("_x_", "x"),
            ("../me", "me"),
            ("Ünal", "nal"),
        ] {
            assert_eq!(owner_name(chosen), name);
            assert!(OwnerId::new(name).is_ok());
        }
        assert!(OwnerId::new(&owner_name("日本")).is_err());
        assert!(OwnerId::new(&owner_name(&"a".repeat(500))).is_ok());
    }
}
