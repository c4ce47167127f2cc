//! Verification of an audit chain, from its oldest event to its newest. Reads no storage: the
//! backend passes in the events, the checkpoints and the head.

use super::{
    CHAIN_START, ChainAnchor, ChainKey, ChainOrigin, Checkpoint, CheckpointKind, KeptHead, Mac,
};
use model::{AuditEvent, AuditId, OwnerId};
use std::fmt;

/// Maximum number of reported faults: a chain that is broken throughout needs no longer list.
const FAULTS_MAX: usize = 100;

/// The fault of a chain whose key was created in place of a missing one.
const KEY_LOST: &str = "the key was missing when the memory was opened, so nothing proves that the \
    events up to here are those that were written";

/// The store's own signed record of its newest event, which reveals a truncated tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainHead {
    /// The newest event; 0 when there is none.
    pub id: AuditId,
    /// The MAC that the newest event carries.
    pub mac: Mac,
    /// A MAC over the two other fields.
    pub seal: Mac,
}

impl ChainHead {
    /// Signs the head after an event.
    #[must_use]
    pub fn new(key: &ChainKey, id: AuditId, mac: Mac) -> Self {
        Self { id, mac, seal: key.sign("head", &statement(id, &mac)) }
    }

    fn is_valid(&self, key: &ChainKey) -> bool {
        *self == Self::new(key, self.id, self.mac)
    }
}

fn statement(id: AuditId, mac: &Mac) -> Vec<u8> {
    [&id.0.to_le_bytes()[..], mac].concat()
}

/// A range of events where a chain is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainFault {
    pub first: AuditId,
    pub last: AuditId,
    /// The problem, in words.
    pub problem: String,
}

impl ChainFault {
    /// Returns the events concerned, in words.
    #[must_use]
    pub fn location(&self) -> String {
        match (self.first.0, self.last.0) {
            (0, 0) => "audit log".to_owned(),
            (first, last) if first == last => format!("event {first}"),
            (first, last) => format!("events {first} to {last}"),
        }
    }
}

impl fmt::Display for ChainFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location(), self.problem)
    }
}

/// Result of verifying a chain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChainReport {
    /// Number of events that were verified.
    pub events: usize,
    /// Number of events from before the chain began, which cannot be verified.
    pub before_chain: usize,
    pub newest: Option<AuditId>,
    /// Number of signed checkpoints that the chain was compared with.
    pub checkpoints: usize,
    /// The last event with the MAC that it carries; `None` when the chain has no beginning.
    pub end: Option<(AuditId, Mac)>,
    pub faults: Vec<ChainFault>,
}

impl ChainReport {
    /// Returns the head of the chain as an owner keeps it elsewhere; `None` when it is broken.
    #[must_use]
    pub fn anchor(&self, owner: &OwnerId) -> Option<ChainAnchor> {
        let (id, mac) = self.end.filter(|_| self.is_intact())?;
        Some(ChainAnchor { owner: owner.clone(), id, mac })
    }

    /// Returns true when the chain is unbroken from end to end.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.faults.is_empty()
    }
}

/// A verification in progress: it is fed with the events in the order of their ids.
#[derive(Clone)]
pub struct ChainVerifier<'k> {
    key: &'k ChainKey,
    checkpoints: Vec<Checkpoint>,
    /// Some checkpoint was written beside a kept head.
    expects_head: bool,
    kept: Option<KeptHead>,
    /// The MAC that the next event builds on; unknown after a gap.
    previous_mac: Option<Mac>,
    /// The last event seen.
    last: Option<AuditId>,
    /// The MAC that the last event carries.
    last_mac: Mac,
    report: ChainReport,
}

impl<'k> ChainVerifier<'k> {
    /// Starts a verification against these checkpoint lines.
    pub fn new<'l>(key: &'k ChainKey, lines: impl IntoIterator<Item = &'l str>) -> Self {
        let mut verifier = Self {
            key,
            checkpoints: Vec::new(),
            expects_head: false,
            kept: None,
            previous_mac: None,
            last: None,
            last_mac: CHAIN_START,
            report: ChainReport::default(),
        };
        for (number, line) in lines.into_iter().enumerate() {
            match Checkpoint::parse_with_origin(line, key) {
                Some((mark, beside_head)) => {
                    verifier.checkpoints.push(mark);
                    verifier.expects_head |= beside_head;
                }
                None => verifier.add_fault(
                    0,
                    0,
                    format!("line {} of the checkpoint file is not signed by this key", number + 1),
                ),
            }
        }
        verifier.report.checkpoints = verifier.checkpoints.len();
        verifier
    }

    /// Compares the chain with the head that is kept outside of the store as well; `None` when
    /// there is none, which is a fault where there was one.
    #[must_use]
    pub fn with_kept_head(mut self, line: Option<&str>) -> Self {
        self.kept = line.and_then(|line| KeptHead::parse(line, self.key));
        match line {
            None if self.expects_head => self.add_fault(0, 0, "the kept head is missing"),
            Some(_) if self.kept.is_none() => {
                self.add_fault(0, 0, "the kept head is not signed by this key");
            }
            _ => {}
        }
        self
    }

    /// Verifies the next event, given the MAC that it carries.
    pub fn check_event(&mut self, event: &AuditEvent, carried: Option<Mac>) {
        let id = event.id;
        self.advance_to(id);
        let start = self.start_at_or_after(id);
        if self.previous_mac.is_none()
            && start.is_some_and(|begin| self.has_no_claim_before(begin, id))
        {
            self.skip_before_chain(id, carried);
            return;
        }
        match (self.previous_mac, carried) {
            (_, None) => self.add_fault(id.0, id.0, "has no MAC"),
            (Some(before), Some(mac)) if self.key.next_mac(&before, event) != mac => {
                self.add_fault(id.0, id.0, "was changed or moved");
            }
            // Without a known predecessor the event's own MAC cannot be recomputed; it serves as
            // the base for the next event, so that one gap is reported once.
            _ => self.report.events += 1,
        }
        self.accept(id, carried.unwrap_or(CHAIN_START));
    }

    /// Reports the next event as unreadable and goes on after it.
    pub fn report_unreadable(&mut self, id: AuditId, carried: Option<Mac>) {
        self.advance_to(id);
        self.add_fault(id.0, id.0, "cannot be read as an event");
        self.accept(id, carried.unwrap_or(CHAIN_START));
    }

    /// Ends the verification by comparing the last event with the store's head and with the newest
    /// checkpoint.
    #[must_use]
    pub fn finish(mut self, head: &ChainHead) -> ChainReport {
        let begins = self.checkpoints.iter().filter(|mark| mark.kind == CheckpointKind::Start);
        let start = begins.max_by_key(|mark| mark.id).copied();
        let Some(start) = start else {
            self.add_fault(0, 0, "no checkpoint states where the chain begins");
            return self.report;
        };
        // Retention may have removed every event, even those up to a newer beginning; the chain
        // then ends where it begins.
        let (end, value) = match self.last {
            Some(last) => {
                (last.max(start.id), if last >= start.id { self.last_mac } else { start.mac })
            }
            None => (start.id, start.mac),
        };
        let marked = self.checkpoints.iter().map(|mark| mark.id).max().unwrap_or(end);
        if marked > end {
            self.add_fault(end.0 + 1, marked.0, "missing at the end, according to a checkpoint");
        }
        if !head.is_valid(self.key) {
            self.add_fault(
                head.id.0,
                head.id.0,
                "the store's record of its newest event has an invalid signature",
            );
        } else if head.id > end && marked < head.id {
            self.add_fault(
                end.0 + 1,
                head.id.0,
                "missing at the end, according to the store's record of its newest event",
            );
        } else if head.id < end {
            self.add_fault(
                head.id.0 + 1,
                end.0,
                "newer than the store's record of its newest event",
            );
        } else if head.id == end && head.mac != value {
            self.add_fault(end.0, end.0, "differs from the store's record of its newest event");
        }
        self.compare_kept_head(&start, end);
        self.report.newest = self.last;
        self.report.end = Some((end, value));
        self.report
    }

    /// Compares the kept head with the beginning and the end of the chain. An event in between was
    /// compared when it passed by.
    fn compare_kept_head(&mut self, start: &Checkpoint, end: AuditId) {
        let Some(kept) = self.kept else { return };
        if kept.origin == ChainOrigin::KeyLost {
            let first = start.id.0.min(1);
            self.add_fault(first, start.id.0, KEY_LOST);
        }
        if kept.id > end {
            self.add_fault(end.0 + 1, kept.id.0, "missing at the end, according to the kept head");
        }
        if kept.id == start.id && kept.mac != start.mac {
            self.add_fault(kept.id.0, kept.id.0, "differs from the kept head");
        }
    }

    /// Finds the MAC that an event builds on, and reports a gap in the ids before it.
    fn advance_to(&mut self, id: AuditId) {
        let expected = match self.last {
            Some(last) => Some(last),
            None => {
                let begins = self
                    .checkpoints
                    .iter()
                    .filter(|mark| mark.kind == CheckpointKind::Start && mark.id < id);
                let begin = begins.max_by_key(|mark| mark.id).copied();
                self.previous_mac = begin.map(|mark| mark.mac);
                begin.map(|mark| mark.id)
            }
        };
        if let Some(before) = expected.filter(|before| before.0 + 1 < id.0) {
            self.add_fault(before.0 + 1, id.0 - 1, "missing");
            self.previous_mac = None;
        }
    }

    fn start_at_or_after(&self, id: AuditId) -> Option<AuditId> {
        let begins = self
            .checkpoints
            .iter()
            .filter(|mark| mark.kind == CheckpointKind::Start && mark.id >= id);
        begins.map(|mark| mark.id).min()
    }

    /// Returns true when no checkpoint makes a statement about the chain before `begin`.
    fn has_no_claim_before(&self, begin: AuditId, id: AuditId) -> bool {
        self.checkpoints.iter().all(|mark| mark.id >= begin || mark.id >= id)
            && !self
                .checkpoints
                .iter()
                .any(|mark| mark.kind == CheckpointKind::Start && mark.id < id)
    }

    /// Counts an event from before the chain began.
    fn skip_before_chain(&mut self, id: AuditId, carried: Option<Mac>) {
        self.report.before_chain += 1;
        self.last = Some(id);
        self.last_mac = carried.unwrap_or(CHAIN_START);
        let begins = |mark: &&Checkpoint| mark.kind == CheckpointKind::Start && mark.id == id;
        self.previous_mac = self.checkpoints.iter().find(begins).map(|mark| mark.mac);
    }

    fn accept(&mut self, id: AuditId, carried: Mac) {
        if self.kept.is_some_and(|kept| kept.id == id && kept.mac != carried) {
            self.add_fault(id.0, id.0, "differs from the kept head");
        }
        if self.checkpoints.iter().any(|mark| mark.id == id && mark.mac != carried) {
            self.add_fault(id.0, id.0, "differs from a checkpoint");
        }
        (self.last, self.previous_mac, self.last_mac) = (Some(id), Some(carried), carried);
    }

    fn add_fault(&mut self, first: i64, last: i64, what: impl Into<String>) {
        if self.report.faults.len() < FAULTS_MAX {
            let (first, last) = (AuditId(first), AuditId(last));
            self.report.faults.push(ChainFault { first, last, problem: what.into() });
        }
    }
}
