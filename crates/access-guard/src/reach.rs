//! How a caller was let in: the most it can reach, before any grant is looked at.

use model::Permission;

/// How an agent was let in. The owner in person reaches everything however they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It runs under the owner's own account: everything, until the owner turns grants on.
    Account,
    /// It holds the owner's own token: everything that is not the owner's alone.
    OwnersToken,
    /// It holds a credential of its own: what its grants say, and never more than this.
    Credential(Permission),
}
