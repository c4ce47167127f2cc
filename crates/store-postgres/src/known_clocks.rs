//! Clocks as this server left them. A write of an owner whose clock is known, and to whom no other
//! server wrote meanwhile, needs no answer of the database before it is complete.

use crate::apply::ClockCounters;
use model::{AuditId, OwnerId};
use parking_lot::Mutex;
use std::collections::HashMap;
use store::Mac;

/// Maximum number of clocks; when there are more, all are forgotten.
const CLOCKS_MAX: usize = 8_192;

/// A clock after the last transaction of this server.
#[derive(Debug)]
pub(crate) struct KnownClock {
    pub(crate) counters: ClockCounters,
    /// True if that transaction found the clock as this server knew it, if it did. An owner to whom
    /// several servers write in turn would be planned for in vain.
    pub(crate) is_undisturbed: bool,
}

/// The clocks of owners to whom this server wrote.
#[derive(Debug, Default)]
pub(crate) struct KnownClocks {
    by_owner: Mutex<HashMap<OwnerId, KnownClock>>,
}

impl KnownClocks {
    /// Takes the clock of an owner. It is unknown until the transaction has put it back.
    pub(crate) fn take(&self, owner: &OwnerId) -> Option<KnownClock> {
        self.by_owner.lock().remove(owner)
    }

    /// Puts a clock back after a commit, with the newest event that this server knew before it.
    pub(crate) fn put(
        &self,
        owner: &OwnerId,
        counters: ClockCounters,
        known: Option<(AuditId, Mac)>,
    ) {
        let is_undisturbed = known.is_none_or(|newest| newest == counters.event_before());
        let known = KnownClock { counters: counters.after_commit(), is_undisturbed };
        let mut clocks = self.by_owner.lock();
        if clocks.len() >= CLOCKS_MAX {
            clocks.clear();
        }
        clocks.insert(owner.clone(), known);
    }
}
