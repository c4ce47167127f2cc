//! Verification of an audit chain, from its oldest event to its newest. Reads no storage: the
//! backend passes in the events, the checkpoints and the head.

use super::{CHAIN_START, ChainKey, Mac, Mark, MarkKind};
use model::{AuditEvent, AuditId};

/// Maximum number of reported faults: a chain that is broken throughout needs no longer list.
const FAULTS_MAX: usize = 100;

/// The store's own signed record of its newest event, which reveals a truncated tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The newest event; 0 when there is none.
    pub id: AuditId,
    /// The MAC that the newest event carries.
    pub mac: Mac,
    /// A MAC over the two other fields.
    pub seal: Mac,
}

impl Head {
    /// Signs the head after an event.
    #[must_use]
    pub fn new(key: &ChainKey, id: AuditId, mac: Mac) -> Self {
        Self { id, mac, seal: key.seal("head", &statement(id, &mac)) }
    }

    fn holds(&self, key: &ChainKey) -> bool {
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
    pub what: String,
}

/// Result of verifying a chain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChainReport {
    /// Number of events that were verified.
    pub events: usize,
    /// Number of events from before the chain began, which cannot be verified.
    pub before: usize,
    pub newest: Option<AuditId>,
    /// Number of signed checkpoints that the chain was compared with.
    pub marks: usize,
    pub faults: Vec<ChainFault>,
}

impl ChainReport {
    /// Returns true when the chain is unbroken from end to end.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.faults.is_empty()
    }
}

/// A verification in progress: it is fed with the events in the order of their ids.
pub struct Verifier<'k> {
    key: &'k ChainKey,
    marks: Vec<Mark>,
    /// The MAC that the next event builds on; unknown after a gap.
    value: Option<Mac>,
    /// The last event seen.
    last: Option<AuditId>,
    /// The MAC that the last event carries.
    carried: Mac,
    report: ChainReport,
}

impl<'k> Verifier<'k> {
    /// Starts a verification against these checkpoint lines.
    pub fn new<'l>(key: &'k ChainKey, lines: impl IntoIterator<Item = &'l str>) -> Self {
        let mut verifier = Self {
            key,
            marks: Vec::new(),
            value: None,
            last: None,
            carried: CHAIN_START,
            report: ChainReport::default(),
        };
        for (number, line) in lines.into_iter().enumerate() {
            match Mark::read(line, key) {
                Some(mark) => verifier.marks.push(mark),
                None => verifier.fault(
                    0,
                    0,
                    format!("line {} of the checkpoint file is not signed by this key", number + 1),
                ),
            }
        }
        verifier.report.marks = verifier.marks.len();
        verifier
    }

    /// Verifies the next event, given the MAC that it carries.
    pub fn event(&mut self, event: &AuditEvent, carried: Option<Mac>) {
        let id = event.id;
        self.arrive(id);
        let start = self.begin_at_or_after(id);
        if self.value.is_none() && start.is_some_and(|begin| self.only_begins_from(begin, id)) {
            self.pass_by(id, carried);
            return;
        }
        match (self.value, carried) {
            (_, None) => self.fault(id.0, id.0, "has no MAC"),
            (Some(before), Some(mac)) if self.key.link(&before, event) != mac => {
                self.fault(id.0, id.0, "was changed or moved");
            }
            // Without a known predecessor the event's own MAC cannot be recomputed; it serves as
            // the base for the next event, so that one gap is reported once.
            _ => self.report.events += 1,
        }
        self.stand_at(id, carried.unwrap_or(CHAIN_START));
    }

    /// Reports the next event as unreadable and goes on after it.
    pub fn unreadable(&mut self, id: AuditId, carried: Option<Mac>) {
        self.arrive(id);
        self.fault(id.0, id.0, "cannot be read as an event");
        self.stand_at(id, carried.unwrap_or(CHAIN_START));
    }

    /// Ends the verification by comparing the last event with the store's head and with the newest
    /// checkpoint.
    #[must_use]
    pub fn finish(mut self, head: &Head) -> ChainReport {
        let begins = self.marks.iter().filter(|mark| mark.kind == MarkKind::Begin);
        let start = begins.max_by_key(|mark| mark.id).copied();
        let Some(start) = start else {
            self.fault(0, 0, "no checkpoint states where the chain begins");
            return self.report;
        };
        // Retention may have removed every event, even those up to a newer beginning; the chain
        // then ends where it begins.
        let (end, value) = match self.last {
            Some(last) => {
                (last.max(start.id), if last >= start.id { self.carried } else { start.mac })
            }
            None => (start.id, start.mac),
        };
        let marked = self.marks.iter().map(|mark| mark.id).max().unwrap_or(end);
        if marked > end {
            self.fault(end.0 + 1, marked.0, "missing at the end, according to a checkpoint");
        }
        if !head.holds(self.key) {
            self.fault(
                head.id.0,
                head.id.0,
                "the store's record of its newest event has an invalid signature",
            );
        } else if head.id > end && marked < head.id {
            self.fault(
                end.0 + 1,
                head.id.0,
                "missing at the end, according to the store's record of its newest event",
            );
        } else if head.id < end {
            self.fault(head.id.0 + 1, end.0, "newer than the store's record of its newest event");
        } else if head.id == end && head.mac != value {
            self.fault(end.0, end.0, "differs from the store's record of its newest event");
        }
        self.report.newest = self.last;
        self.report
    }

    /// Finds the MAC that an event builds on, and reports a gap in the ids before it.
    fn arrive(&mut self, id: AuditId) {
        let expected = match self.last {
            Some(last) => Some(last),
            None => {
                let begins =
                    self.marks.iter().filter(|mark| mark.kind == MarkKind::Begin && mark.id < id);
                let begin = begins.max_by_key(|mark| mark.id).copied();
                self.value = begin.map(|mark| mark.mac);
                begin.map(|mark| mark.id)
            }
        };
        if let Some(before) = expected.filter(|before| before.0 + 1 < id.0) {
            self.fault(before.0 + 1, id.0 - 1, "missing");
            self.value = None;
        }
    }

    fn begin_at_or_after(&self, id: AuditId) -> Option<AuditId> {
        let begins = self.marks.iter().filter(|mark| mark.kind == MarkKind::Begin && mark.id >= id);
        begins.map(|mark| mark.id).min()
    }

    /// Returns true when no checkpoint makes a statement about the chain before `begin`.
    fn only_begins_from(&self, begin: AuditId, id: AuditId) -> bool {
        self.marks.iter().all(|mark| mark.id >= begin || mark.id >= id)
            && !self.marks.iter().any(|mark| mark.kind == MarkKind::Begin && mark.id < id)
    }

    /// Counts an event from before the chain began.
    fn pass_by(&mut self, id: AuditId, carried: Option<Mac>) {
        self.report.before += 1;
        self.last = Some(id);
        self.carried = carried.unwrap_or(CHAIN_START);
        let begins = |mark: &&Mark| mark.kind == MarkKind::Begin && mark.id == id;
        self.value = self.marks.iter().find(begins).map(|mark| mark.mac);
    }

    fn stand_at(&mut self, id: AuditId, carried: Mac) {
        if self.marks.iter().any(|mark| mark.id == id && mark.mac != carried) {
            self.fault(id.0, id.0, "differs from a checkpoint");
        }
        (self.last, self.value, self.carried) = (Some(id), Some(carried), carried);
    }

    fn fault(&mut self, first: i64, last: i64, what: impl Into<String>) {
        if self.report.faults.len() < FAULTS_MAX {
            let (first, last) = (AuditId(first), AuditId(last));
            self.report.faults.push(ChainFault { first, last, what: what.into() });
        }
    }
}
