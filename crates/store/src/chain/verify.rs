//! Walks a chain from its oldest event to its newest and says where it does not hold.

use super::{CHAIN_START, ChainKey, Mac, Mark, MarkKind};
use model::{AuditEvent, AuditId};

/// Most faults that are told; a chain that is broken from end to end needs no longer list.
const FAULTS_MAX: usize = 100;

/// The newest event as the store itself says it, sealed, so that a tail cannot be cut off quietly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Its number; 0 before the first.
    pub id: AuditId,
    /// The value of the chain after it.
    pub mac: Mac,
    /// The seal over both.
    pub seal: Mac,
}

impl Head {
    /// The head after an event.
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

/// Where a chain does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainFault {
    /// The first event that it is about.
    pub first: AuditId,
    /// The last one.
    pub last: AuditId,
    /// What is wrong, in words.
    pub what: String,
}

/// What a walk along a chain found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChainReport {
    /// How many events hold together.
    pub events: usize,
    /// How many came before the chain began, so that nothing can be said of them.
    pub before: usize,
    /// The newest event.
    pub newest: Option<AuditId>,
    /// How many signed marks were held against it.
    pub marks: usize,
    /// Where it does not hold.
    pub faults: Vec<ChainFault>,
}

impl ChainReport {
    /// Whether the chain holds from end to end.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Walks along a chain.
pub struct Verifier<'k> {
    key: &'k ChainKey,
    marks: Vec<Mark>,
    /// The value of the chain so far; unknown after a gap.
    value: Option<Mac>,
    /// The last event seen; the beginning of the chain before the first.
    last: Option<AuditId>,
    /// The value as the last event carries it.
    carried: Mac,
    report: ChainReport,
}

impl<'k> Verifier<'k> {
    /// A walk that holds events against these lines of marks.
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
                    format!("line {} of the checkpoints is not signed by this key", number + 1),
                ),
            }
        }
        verifier.report.marks = verifier.marks.len();
        verifier
    }

    /// Goes on to the next event, in the order of their numbers, with the value it carries.
    pub fn event(&mut self, event: &AuditEvent, carried: Option<Mac>) {
        let id = event.id;
        self.arrive(id);
        let first_kept = self.begin_at_or_after(id);
        if self.value.is_none() && first_kept.is_some_and(|begin| self.only_begins_from(begin, id))
        {
            self.pass_by(id, carried);
            return;
        }
        match (self.value, carried) {
            (_, None) => self.fault(id.0, id.0, "it is not sealed"),
            (Some(before), Some(mac)) if self.key.link(&before, event) != mac => {
                self.fault(id.0, id.0, "it was changed, or stands in another's place");
            }
            _ => self.report.events += 1,
        }
        self.stand_at(id, carried.unwrap_or(CHAIN_START));
    }

    /// Goes on to an event that cannot even be read.
    pub fn unreadable(&mut self, id: AuditId, carried: Option<Mac>) {
        self.arrive(id);
        self.fault(id.0, id.0, "it cannot be read as an event");
        self.stand_at(id, carried.unwrap_or(CHAIN_START));
    }

    /// Ends the walk; the head is what the store says of its newest event.
    #[must_use]
    pub fn finish(mut self, head: &Head) -> ChainReport {
        let begins = self.marks.iter().filter(|mark| mark.kind == MarkKind::Begin);
        let begun = begins.max_by_key(|mark| mark.id).copied();
        let Some(begun) = begun else {
            self.fault(0, 0, "no checkpoint says where the chain begins");
            return self.report;
        };
        let (end, value) = match self.last {
            Some(last) => {
                (last.max(begun.id), if last >= begun.id { self.carried } else { begun.mac })
            }
            None => (begun.id, begun.mac),
        };
        let marked = self.marks.iter().map(|mark| mark.id).max().unwrap_or(end);
        if marked > end {
            self.fault(
                end.0 + 1,
                marked.0,
                "they are missing at the end; a checkpoint names the last of them",
            );
        }
        if !head.holds(self.key) {
            self.fault(
                head.id.0,
                head.id.0,
                "the store's own note of the newest event is not sealed",
            );
        } else if head.id > end && marked < head.id {
            self.fault(
                end.0 + 1,
                head.id.0,
                "they are missing at the end; the store's own note names the last of them",
            );
        } else if head.id < end {
            self.fault(
                head.id.0 + 1,
                end.0,
                "they are newer than the store's own note of the newest event",
            );
        } else if head.id == end && head.mac != value {
            self.fault(end.0, end.0, "it is not the one that the store's own note names");
        }
        self.report.newest = self.last;
        self.report
    }

    /// Finds the value of the chain before an event, and gaps in the numbers.
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
            self.fault(before.0 + 1, id.0 - 1, "they are missing");
            self.value = None;
        }
    }

    fn begin_at_or_after(&self, id: AuditId) -> Option<AuditId> {
        let begins = self.marks.iter().filter(|mark| mark.kind == MarkKind::Begin && mark.id >= id);
        begins.map(|mark| mark.id).min()
    }

    /// Whether no mark says anything of the chain before this one.
    fn only_begins_from(&self, begin: AuditId, id: AuditId) -> bool {
        self.marks.iter().all(|mark| mark.id >= begin || mark.id >= id)
            && !self.marks.iter().any(|mark| mark.kind == MarkKind::Begin && mark.id < id)
    }

    /// An event from before the chain began.
    fn pass_by(&mut self, id: AuditId, carried: Option<Mac>) {
        self.report.before += 1;
        self.last = Some(id);
        self.carried = carried.unwrap_or(CHAIN_START);
        let begins = |mark: &&Mark| mark.kind == MarkKind::Begin && mark.id == id;
        self.value = self.marks.iter().find(begins).map(|mark| mark.mac);
    }

    fn stand_at(&mut self, id: AuditId, carried: Mac) {
        if self.marks.iter().any(|mark| mark.id == id && mark.mac != carried) {
            self.fault(id.0, id.0, "it is not the one that a checkpoint names");
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
