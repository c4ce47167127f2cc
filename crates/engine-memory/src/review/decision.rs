//! Right to decide a review item: what the owner typed, only the owner in person may overrule.

use model::{Memory, Origin, Resolution, ReviewKind};

/// The two sides of a review item.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReviewSides<'m> {
    pub kind: ReviewKind,
    /// Memory in question.
    pub subject: Option<&'m Memory>,
    /// Memory that it disagrees with.
    pub against: Option<&'m Memory>,
    /// Current versions that replaced `against` since.
    pub newer: &'m [&'m Memory],
}

impl ReviewSides<'_> {
    /// Returns whether only the owner in person may decide: a proposal against what they typed, or
    /// a decision that retires what they typed.
    pub fn needs_owner_for(&self, resolution: Resolution) -> bool {
        let against =
            self.against.is_some_and(is_typed) || self.newer.iter().any(|newer| is_typed(newer));
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
}

fn is_typed(memory: &Memory) -> bool {
    memory.provenance.origin == Origin::Typed
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        AccessStats, AgentName, Author, Dialect, JsonMap, Kind, MemoryId, Moment, Provenance,
        Status,
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
    fn a_proposal_against_a_version_that_the_owner_typed_since_needs_the_owner() {
        let subject = memory(2, Origin::Agent, Status::Proposed);
        let against = memory(1, Origin::Agent, Status::Superseded);
        let newer = memory(3, Origin::Typed, Status::Active);
        let sides = ReviewSides {
            kind: ReviewKind::Proposal,
            subject: Some(&subject),
            against: Some(&against),
            newer: &[&newer],
        };
        assert!(sides.needs_owner_for(Resolution::Confirm));
    }
}
