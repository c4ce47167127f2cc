//! Effect of a decision on the two sides of a review item. Pure: sides in, changes out.

use model::{Failure, LinkKind, Memory, Origin, Resolution, ReviewKind, Status};
use store::{Change, Ref};

/// The two sides of a review item.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReviewSides<'m> {
    pub kind: ReviewKind,
    /// Memory in question.
    pub subject: Option<&'m Memory>,
    /// Memory that it disagrees with.
    pub against: Option<&'m Memory>,
    /// Current versions that replaced `against` since.
    pub newer: &'m [Memory],
}

impl ReviewSides<'_> {
    /// Returns whether only the owner in person may decide: a proposal against what they typed, or
    /// a decision that retires what they typed.
    pub fn needs_owner_for(&self, resolution: Resolution) -> bool {
        let against = self.against.is_some_and(is_typed) || self.newer.iter().any(is_typed);
        let subject = self.subject.is_some_and(is_typed);
        match (self.kind, resolution) {
            (ReviewKind::Flag, Resolution::Confirm) => subject,
            (ReviewKind::Flag, _) => false,
            (ReviewKind::Proposal, Resolution::Reject) => against || subject,
            (ReviewKind::Proposal, _) => against,
            (ReviewKind::Contradiction, Resolution::Confirm) => against,
            (ReviewKind::Contradiction, Resolution::Reject) => subject,
            (ReviewKind::Contradiction, Resolution::KeepBoth) => false,
        }
    }

    /// Returns the changes of a decision.
    ///
    /// # Errors
    /// Fails when the memory in question was forgotten and the decision would make it current.
    pub fn decide(&self, resolution: Resolution) -> Result<Vec<Change>, Failure> {
        if self.kind == ReviewKind::Flag {
            // Confirming a flag means that the complaint is right.
            let wrong = self.subject.filter(|_| resolution == Resolution::Confirm);
            return Ok(wrong.and_then(reject).into_iter().collect());
        }
        if resolution == Resolution::Reject {
            return Ok(self
                .subject
                .and_then(reject)
                .into_iter()
                .chain(self.against.and_then(activate))
                .collect());
        }
        let Some(subject) = self.subject else {
            return Err(Failure::invalid(
                "the memory in question was forgotten; this item can only be rejected",
            ));
        };
        let mut changes: Vec<Change> = activate(subject).into_iter().collect();
        match self.against {
            Some(against) if resolution == Resolution::Confirm => {
                // Versions that were written while the item was open lose as well.
                let losers = std::iter::once(against).chain(self.newer);
                changes.extend(
                    losers.map(|old| Change::Supersede { old: old.id, new: Ref::Id(subject.id) }),
                );
            }
            Some(against) => {
                changes.extend(activate(against));
                let (source, target) = (Ref::Id(subject.id), Ref::Id(against.id));
                changes.push(Change::Link {
                    source,
                    target,
                    kind: LinkKind::RelatedTo,
                    weight: 1.0,
                });
            }
            None => {}
        }
        Ok(changes)
    }
}

fn is_typed(memory: &Memory) -> bool {
    memory.provenance.origin == Origin::Typed
}

/// Activates a proposed or rejected memory. One that a newer version replaced stays replaced.
fn activate(memory: &Memory) -> Option<Change> {
    let can_activate = matches!(memory.status, Status::Proposed | Status::Rejected);
    can_activate.then_some(Change::SetStatus { memory: Ref::Id(memory.id), status: Status::Active })
}

/// Rejects an active or proposed memory. One that is out of use already stays as it is.
fn reject(memory: &Memory) -> Option<Change> {
    let can_reject = matches!(memory.status, Status::Active | Status::Proposed);
    can_reject.then_some(Change::SetStatus { memory: Ref::Id(memory.id), status: Status::Rejected })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        AccessStats, AgentName, Author, Dialect, JsonMap, Kind, MemoryId, Moment, Provenance,
    };

    fn memory(id: i64, origin: Origin, status: Status) -> Memory {
        let author = Author {
            agent: AgentName::new("a"),
            client: None,
            dialect: Dialect::Quipu,
            tool: String::new(),
        };
        Memory {
            id: MemoryId(id),
            kind: Kind::note(),
            title: None,
            text: "t".into(),
            summary: None,
            collection: "memories".into(),
            session: None,
            project: None,
            tags: vec![],
            applies_to: vec![],
            priority: 3,
            confidence: 0.9,
            metadata: JsonMap::new(),
            provenance: Provenance { author, origin, trust: origin.trust(), at: Moment(0) },
            valid_from: Moment(0),
            valid_to: None,
            status,
            ended_at: None,
            access: AccessStats::default(),
            flags: 0,
            updated_at: Moment(0),
        }
    }

    fn needs_owner(
        kind: ReviewKind,
        resolution: Resolution,
        subject: Origin,
        against: Option<Origin>,
    ) -> bool {
        let subject = memory(2, subject, Status::Active);
        let against = against.map(|origin| memory(1, origin, Status::Active));
        ReviewSides { kind, subject: Some(&subject), against: against.as_ref(), newer: &[] }
            .needs_owner_for(resolution)
    }

    #[test]
    fn any_decision_on_a_proposal_against_what_the_owner_typed_needs_the_owner() {
        for resolution in Resolution::ALL {
            assert!(needs_owner(
                ReviewKind::Proposal,
                resolution,
                Origin::Agent,
                Some(Origin::Typed)
            ));
            assert!(!needs_owner(
                ReviewKind::Proposal,
                resolution,
                Origin::Outside,
                Some(Origin::Agent)
            ));
        }
    }

    #[test]
    fn an_agent_may_decide_unless_that_retires_what_the_owner_typed() {
        let contradiction = ReviewKind::Contradiction;
        assert!(needs_owner(
            contradiction,
            Resolution::Confirm,
            Origin::Agent,
            Some(Origin::Typed)
        ));
        assert!(!needs_owner(
            contradiction,
            Resolution::Reject,
            Origin::Agent,
            Some(Origin::Typed)
        ));
        assert!(!needs_owner(
            contradiction,
            Resolution::KeepBoth,
            Origin::Agent,
            Some(Origin::Typed)
        ));
        assert!(needs_owner(contradiction, Resolution::Reject, Origin::Typed, Some(Origin::Agent)));
        assert!(!needs_owner(
            contradiction,
            Resolution::Confirm,
            Origin::Typed,
            Some(Origin::Agent)
        ));
        assert!(needs_owner(ReviewKind::Flag, Resolution::Confirm, Origin::Typed, None));
        assert!(!needs_owner(ReviewKind::Flag, Resolution::Reject, Origin::Typed, None));
        assert!(!needs_owner(ReviewKind::Flag, Resolution::Confirm, Origin::Agent, None));
    }

    #[test]
    fn a_replaced_memory_is_not_revived_by_a_late_decision() {
        let subject = memory(2, Origin::Agent, Status::Superseded);
        let against = memory(1, Origin::Agent, Status::Active);
        let sides = ReviewSides {
            kind: ReviewKind::Contradiction,
            subject: Some(&subject),
            against: Some(&against),
            newer: &[],
        };
        let confirmed = sides.decide(Resolution::Confirm).unwrap();
        assert_eq!(confirmed, [Change::Supersede { old: MemoryId(1), new: Ref::Id(MemoryId(2)) }]);
        assert_eq!(sides.decide(Resolution::Reject).unwrap(), []);
    }

    #[test]
    fn a_confirmed_proposal_replaces_the_version_that_holds_now_too() {
        let subject = memory(2, Origin::Agent, Status::Proposed);
        let (against, newer) = (
            memory(1, Origin::Agent, Status::Superseded),
            [memory(3, Origin::Typed, Status::Active)],
        );
        let kind = ReviewKind::Proposal;
        let sides =
            ReviewSides { kind, subject: Some(&subject), against: Some(&against), newer: &newer };
        let replaced = |old| Change::Supersede { old: MemoryId(old), new: Ref::Id(MemoryId(2)) };
        let active = Change::SetStatus { memory: Ref::Id(MemoryId(2)), status: Status::Active };
        assert_eq!(sides.decide(Resolution::Confirm).unwrap(), [active, replaced(1), replaced(3)]);
        assert!(sides.needs_owner_for(Resolution::Confirm));
    }

    #[test]
    fn a_forgotten_subject_can_only_be_rejected() {
        let against = memory(1, Origin::Agent, Status::Active);
        let sides = ReviewSides {
            kind: ReviewKind::Contradiction,
            subject: None,
            against: Some(&against),
            newer: &[],
        };
        assert!(sides.decide(Resolution::Confirm).is_err());
        assert!(sides.decide(Resolution::KeepBoth).is_err());
        assert_eq!(sides.decide(Resolution::Reject).unwrap(), []);
    }
}
