//! The roots of a statement as 64 bits, one bit for each root. Two roots may fall on one bit, so a match proves
//! nothing; but where the bits say no, the roots say no, and a new text is held against a dozen others on every
//! write, nearly all of which have little to do with it.

/// The bits of some roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks(u64);

impl<'r> FromIterator<&'r str> for Marks {
    fn from_iter<I: IntoIterator<Item = &'r str>>(roots: I) -> Self {
        Self(roots.into_iter().fold(0, |all, root| all | bit(root)))
    }
}

impl Marks {
    /// Whether both may have a root in common.
    pub(super) fn may_share_with(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all roots of the other may be among these.
    pub(super) fn hold_all_of(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether each may have just one root that the other lacks.
    pub(super) fn may_differ_in_one(self, other: Self) -> bool {
        (self.0 & !other.0).count_ones() <= 1 && (other.0 & !self.0).count_ones() <= 1
    }
}

/// The bit of a root, by the hash of Fowler, Noll and Vo, whose upper bits depend on every byte.
fn bit(root: &str) -> u64 {
    let mixed = root.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    1 << (mixed >> 58)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn marks(roots: &BTreeSet<String>) -> Marks {
        roots.iter().map(String::as_str).collect()
    }

    proptest! {
        #[test]
        fn marks_never_deny_what_the_roots_allow(
            a in proptest::collection::btree_set("[a-d]{1,3}", 0..12),
            b in proptest::collection::btree_set("[a-d]{1,3}", 0..12),
        ) {
            let (one, two) = (marks(&a), marks(&b));
            prop_assert!(one.may_share_with(two) || a.is_disjoint(&b));
            prop_assert!(one.hold_all_of(two) || !b.is_subset(&a));
            let differ_in_one = a.difference(&b).count() == 1 && b.difference(&a).count() == 1;
            prop_assert!(one.may_differ_in_one(two) || !differ_in_one);
        }
    }

    #[test]
    fn marks_tell_unlike_roots_apart() {
        let of = |roots: &[&str]| roots.iter().copied().collect::<Marks>();
        let (port, cat) = (of(&["port", "server"]), of(&["cat", "sofa"]));
        assert!(!port.may_share_with(cat) && !port.hold_all_of(cat) && !port.may_differ_in_one(cat));
    }
}
