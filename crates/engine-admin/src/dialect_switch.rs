//! Dialect switches: which dialects answer over HTTP. All do until the owner turns one off. A
//! switch takes effect at once in this process, and within a second in others.

use crate::Admin;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Dialect, Moment, OwnerId, Permission};
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use std::collections::HashMap;
use store::Change;

// Stored as a setting and must not change.
const TURNED_OFF: &str = "dialects_off";
// Every request asks, and reading the setting costs a tenth of what HTTP adds to a call.
const HOLDS_MICROS: i64 = 1_000_000;

/// Cache of each owner's switches.
#[derive(Debug, Default)]
pub(crate) struct DialectSwitches(Mutex<SwitchCache>);

#[derive(Debug, Default)]
struct SwitchCache {
    read: HashMap<OwnerId, CachedSwitches>,
    /// Number of switches made in this process; a read that began before the last one is outdated.
    switched: u64,
}

#[derive(Debug)]
struct CachedSwitches {
    at: Moment,
    off: Vec<String>,
}

impl DialectSwitches {
    /// Returns whether a dialect is off, if that was read within the last second.
    fn is_off(&self, owner: &OwnerId, dialect: Dialect, now: Moment) -> Option<bool> {
        let known = self.lock();
        let read = known
            .read
            .get(owner)
            // A clock that was set back gives a negative age, which does not count as recent
            // either.
            .filter(|read| (0..HOLDS_MICROS).contains(&now.0.saturating_sub(read.at.0)))?;
        Some(read.off.iter().any(|name| name == dialect.name()))
    }

    fn lock(&self) -> MutexGuard<'_, SwitchCache> {
        self.0.lock()
    }
}

impl<'e> Admin<'e> {
    /// Returns whether a dialect answers for an owner. An unreadable setting turns nothing off: the
    /// call itself will report the error.
    pub async fn is_dialect_enabled(self, owner: &OwnerId, dialect: Dialect) -> bool {
        let at = self.core.now();
        if let Some(off) = self.state.switches.is_off(owner, dialect, at) {
            return !off;
        }
        let switched = self.state.switches.lock().switched;
        let Ok(stored) = self.core.store_of(owner).setting(TURNED_OFF).await else { return true };
        let off: Vec<String> = names(stored.as_ref()).map(str::to_owned).collect();
        let is_enabled = off.iter().all(|name| name != dialect.name());
        let mut known = self.state.switches.lock();
        // A switch made while the setting was being read must not be hidden by the old value.
        if known.switched == switched {
            known.read.insert(owner.clone(), CachedSwitches { at, off });
        }
        is_enabled
    }

    /// Turns a dialect on or off for every client over HTTP.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn switch_dialect(
        self,
        caller: &'e Caller,
        dialect: Dialect,
        on: bool,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let input = (dialect, on);
            let call =
                Call::begin(self.core, caller, Resource::Administration, Permission::Write, &input)
                    .await?;
            let stored = call.store().setting(TURNED_OFF).await?;
            let others = names(stored.as_ref()).filter(|name| *name != dialect.name());
            let off: Vec<&str> = others.chain((!on).then_some(dialect.name())).collect();
            let change = Change::PutSetting { name: TURNED_OFF.to_owned(), value: off.into() };
            let state = if on { "on" } else { "off" };
            call.write(format!("turned the dialect {} {state}", dialect.name()), vec![change])
                .await?;
            let mut known = self.state.switches.lock();
            known.switched += 1;
            known.read.remove(&caller.owner);
            Ok(())
        })
    }
}

fn names(stored: Option<&Value>) -> impl Iterator<Item = &str> {
    stored.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
