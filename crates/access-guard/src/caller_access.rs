//! The most that a caller can access by the way it was authenticated, before any grant is checked.

use model::Permission;

/// Access of an agent by its authentication. The owner in person has full access either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerAccess {
    /// Runs under the account of the owner: everything, until the owner turns grants on.
    Account,
    /// Presented the token of the owner: everything that is not reserved to the owner.
    OwnerToken,
    /// Presented a credential of its own: what its grants allow, and at most this permission.
    Credential(Permission),
}
