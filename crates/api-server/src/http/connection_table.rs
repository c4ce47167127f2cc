//! The open connections, bounded per address and in all. When there are too many, the one that is
//! needed least makes room for the new one; a connection that answers an owner or an agent never
//! does.

use super::client_address::ClientAddress;
use super::connection_activity::{ConnectionActivity, ShedRank};
use super::connection_limits::{CONNECTIONS_PER_ADDRESS, connections_max};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::time::Instant;

/// Open connections of one server.
#[derive(Debug)]
pub(super) struct ConnectionTable {
    per_address: usize,
    in_all: usize,
    entries: Mutex<ConnectionEntries>,
}

#[derive(Debug, Default)]
struct ConnectionEntries {
    open: HashMap<u64, (ClientAddress, Arc<ConnectionActivity>)>,
    next: u64,
}

/// An admitted connection; dropping it makes room for another.
#[derive(Debug)]
pub(super) struct AdmittedConnection {
    pub activity: Arc<ConnectionActivity>,
    pub address: ClientAddress,
    number: u64,
    table: Arc<ConnectionTable>,
}

impl ConnectionTable {
    /// Creates the table of a server.
    pub fn new() -> Arc<Self> {
        Self::with_limits(CONNECTIONS_PER_ADDRESS, connections_max())
    }

    fn with_limits(per_address: usize, in_all: usize) -> Arc<Self> {
        Arc::new(Self { per_address, in_all, entries: Mutex::default() })
    }

    /// Admits a new connection. Returns `None` when there are too many and all are in use.
    pub fn admit(self: &Arc<Self>, address: ClientAddress) -> Option<AdmittedConnection> {
        let mut entries = self.entries.lock();
        let of_address = entries.open.values().filter(|(other, _)| *other == address).count();
        if of_address >= self.per_address {
            entries.shed(|other| other == address)?;
        } else if entries.open.len() >= self.in_all {
            entries.shed(|_| true)?;
        }
        let activity = Arc::new(ConnectionActivity::new(Instant::now()));
        let number = entries.next;
        entries.next += 1;
        entries.open.insert(number, (address, Arc::clone(&activity)));
        Some(AdmittedConnection { activity, address, number, table: Arc::clone(self) })
    }
}

impl ConnectionEntries {
    /// Removes the connection that is needed least among some, and has it closed.
    fn shed(&mut self, among: impl Fn(ClientAddress) -> bool) -> Option<()> {
        let ranked = self.open.iter().filter(|(_, (address, _))| among(*address));
        let ranks = ranked.filter_map(|(number, (_, activity))| {
            Some((activity.shed_rank()?, *number)) as Option<(ShedRank, u64)>
        });
        let (_, number) = ranks.min()?;
        let (_, activity) = self.open.remove(&number)?;
        // A permit is stored for a connection that is not waiting for it yet.
        activity.shed.notify_one();
        Some(())
    }
}

impl Drop for AdmittedConnection {
    fn drop(&mut self) {
        self.table.entries.lock().open.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::net::IpAddr;

    fn address(last: u8) -> ClientAddress {
        ClientAddress::from(IpAddr::from([192, 0, 2, last]))
    }

    fn is_shed(connection: &AdmittedConnection) -> bool {
        connection.activity.shed.notified().now_or_never().is_some()
    }

    #[test]
    fn one_address_closes_its_own_oldest_connection_and_none_of_others() {
        let table = ConnectionTable::with_limits(2, 10);
        let other = table.admit(address(1)).unwrap();
        let [first, second, third] = [(); 3].map(|()| table.admit(address(2)).unwrap());
        assert!(is_shed(&first) && !is_shed(&second) && !is_shed(&third) && !is_shed(&other));
    }

    #[test]
    fn when_all_are_taken_the_oldest_that_waits_goes_and_owners_stay() {
        let table = ConnectionTable::with_limits(10, 3);
        let owner = table.admit(address(1)).unwrap();
        owner.activity.note_credential();
        owner.activity.note_response(Instant::now());
        let strangers = [2, 3, 4].map(|last| table.admit(address(last)).unwrap());
        assert!(!is_shed(&owner) && is_shed(&strangers[0]) && !is_shed(&strangers[2]));
    }

    #[test]
    fn connections_in_use_are_never_closed_and_a_closed_one_makes_room() {
        let table = ConnectionTable::with_limits(2, 2);
        let [first, second] = [(); 2].map(|()| table.admit(address(1)).unwrap());
        first.activity.note_credential();
        second.activity.note_credential();
        assert!(table.admit(address(1)).is_none() && table.admit(address(2)).is_none());
        drop(first);
        assert!(table.admit(address(2)).is_some());
    }
}
