//! Which dialects answer over HTTP: all of them, until the owner turns one off. Asked anew for every request.

use crate::call::{Call, read_failure};
use crate::{Caller, Engine};
use guard::Resource;
use model::{Dialect, Failure, OwnerId, Permission};
use serde_json::Value;
use store::Change;

/// The setting that names the dialects that are turned off.
const TURNED_OFF: &str = "dialects_off";

impl Engine {
    /// Whether a dialect answers for an owner. What cannot be read turns nothing off: the call itself will say why.
    pub async fn speaks(&self, owner: &OwnerId, dialect: Dialect) -> bool {
        let kept = self.store.setting(owner, TURNED_OFF).await.ok().flatten();
        !names(kept.as_ref()).any(|name| name == dialect.name())
    }

    /// Turns a dialect on or off, for every client that comes over HTTP.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn switch_dialect(&self, caller: &Caller, dialect: Dialect, on: bool) -> Result<(), Failure> {
        let input = (dialect, on);
        let call = Call::begin(self, caller, Resource::Administration, Permission::Write, &input).await?;
        let kept = self.store.setting(&caller.owner, TURNED_OFF).await.map_err(read_failure)?;
        let others = names(kept.as_ref()).filter(|name| *name != dialect.name());
        let off: Vec<&str> = others.chain((!on).then_some(dialect.name())).collect();
        let change = Change::PutSetting { name: TURNED_OFF.to_owned(), value: off.into() };
        let told = if on { "on" } else { "off" };
        call.write(format!("turned the dialect {} {told}", dialect.name()), vec![change]).await?;
        Ok(())
    }
}

fn names(kept: Option<&Value>) -> impl Iterator<Item = &str> {
    kept.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
