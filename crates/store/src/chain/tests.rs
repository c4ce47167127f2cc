//! Tampering with a chain in memory: every kind is detected and located.

use super::*;
use model::{AgentName, AuditId, Author, ContentHash, Dialect, Moment, Outcome, Seq};

fn key() -> ChainKey {
    ChainKey::new([7; 32])
}

fn event(id: i64) -> AuditEvent {
    AuditEvent {
        id: AuditId(id),
        seq: Seq(id),
        author: Author {
            agent: AgentName::new("codex"),
            client: Some("codex 1".into()),
            dialect: Dialect::Quipu,
            tool: "remember".into(),
        },
        resource: "vectors/memories".into(),
        outcome: Outcome::Done,
        at: Moment(id * 10),
        duration_us: 3,
        arguments: ContentHash([9; 32]),
        note: format!("created {id}"),
    }
}

/// A chain of events with its checkpoints and its head.
struct Chain {
    rows: Vec<(AuditEvent, Option<Mac>)>,
    marks: Vec<String>,
    head: Head,
}

impl Chain {
    /// Events 1 to 9, with a checkpoint at 4.
    fn new() -> Self {
        let key = key();
        let mut value = CHAIN_START;
        let mut rows = Vec::new();
        let begin = Mark { kind: MarkKind::Begin, id: AuditId(0), mac: CHAIN_START, at: Moment(0) };
        let mut marks = vec![begin.line(&key)];
        for id in 1..=9 {
            value = key.link(&value, &event(id));
            rows.push((event(id), Some(value)));
            if id == 4 {
                let check =
                    Mark { kind: MarkKind::Check, id: AuditId(4), mac: value, at: Moment(40) };
                marks.push(check.line(&key));
            }
        }
        Self { rows, marks, head: Head::new(&key, AuditId(9), value) }
    }

    fn verified(&self) -> ChainReport {
        let key = key();
        let mut verifier = Verifier::new(&key, self.marks.iter().map(String::as_str));
        for (event, mac) in &self.rows {
            verifier.event(event, *mac);
        }
        verifier.finish(&self.head)
    }

    /// Returns the first event that a verification reports.
    #[track_caller]
    fn first_fault(&self) -> i64 {
        let report = self.verified();
        assert!(!report.holds(), "nothing was found");
        report.faults.iter().map(|fault| fault.first.0).min().unwrap()
    }

    /// Does what retention does: removes all events up to one, and adds a checkpoint for it.
    fn begin_after(&mut self, id: i64) {
        let (_, mac) = self.rows[usize::try_from(id).unwrap() - 1];
        let begin =
            Mark { kind: MarkKind::Begin, id: AuditId(id), mac: mac.unwrap(), at: Moment(99) };
        self.marks.push(begin.line(&key()));
        self.rows.retain(|(event, _)| event.id.0 > id);
    }
}

#[test]
fn an_untouched_chain_holds() {
    let report = Chain::new().verified();
    assert_eq!((report.events, report.before, report.marks), (9, 0, 2));
    assert!(report.holds(), "{report:?}");
}

#[test]
fn every_change_to_an_event_is_found_where_it_is() {
    let changes: [fn(&mut AuditEvent); 11] = [
        |e| e.seq.0 += 1,
        |e| e.author.agent = AgentName::new("codey"),
        |e| e.author.client = None,
        |e| e.author.dialect = Dialect::Epitome,
        |e| e.author.tool.push('x'),
        |e| e.resource = "vectors/memorie".into(),
        |e| e.outcome = Outcome::Refused,
        |e| e.at.0 -= 1,
        |e| e.duration_us += 1,
        |e| e.arguments.0[31] ^= 1,
        |e| e.note.clear(),
    ];
    for (nth, change) in changes.into_iter().enumerate() {
        for at in 0..9 {
            let mut chain = Chain::new();
            change(&mut chain.rows[at].0);
            assert_eq!(chain.first_fault(), at as i64 + 1, "change {nth}");
        }
    }
}

#[test]
fn words_cannot_move_from_one_field_to_the_next() {
    let mut chain = Chain::new();
    chain.rows[2].0.author.tool = "rememberv".into();
    chain.rows[2].0.resource = "ectors/memories".into();
    assert_eq!(chain.first_fault(), 3);
}

#[test]
fn a_flipped_bit_of_any_mac_is_found() {
    for at in 0..9 {
        let mut chain = Chain::new();
        chain.rows[at].1.as_mut().unwrap()[5] ^= 1;
        assert_eq!(chain.first_fault(), at as i64 + 1);
        chain.rows[at].1 = None;
        assert_eq!(chain.first_fault(), at as i64 + 1);
    }
}

#[test]
fn a_dropped_event_is_found_wherever_it_was() {
    for at in 0..9 {
        let mut chain = Chain::new();
        chain.rows.remove(at);
        assert_eq!(chain.first_fault(), at as i64 + 1);
    }
}

#[test]
fn a_dropped_event_is_found_even_when_the_others_are_numbered_anew() {
    for at in 0..8 {
        let mut chain = Chain::new();
        chain.rows.remove(at);
        chain.rows.iter_mut().skip(at).for_each(|(event, _)| event.id.0 -= 1);
        assert_eq!(chain.first_fault(), at as i64 + 1);
    }
}

#[test]
fn swapped_events_are_found() {
    for at in 0..8 {
        let mut chain = Chain::new();
        chain.rows.swap(at, at + 1);
        let (one, other) = (chain.rows[at].0.id, chain.rows[at + 1].0.id);
        (chain.rows[at].0.id, chain.rows[at + 1].0.id) = (other, one);
        assert_eq!(chain.first_fault(), at as i64 + 1);
    }
}

#[test]
fn a_tail_that_was_cut_off_is_found_by_the_head_and_by_the_marks() {
    for left in 0..9 {
        let mut chain = Chain::new();
        chain.rows.truncate(left);
        assert_eq!(chain.first_fault(), left as i64 + 1);
    }
    // With an earlier head put back as well, only the checkpoint at 4 reveals the cut.
    for left in 1..4 {
        let mut chain = Chain::new();
        chain.rows.truncate(left);
        chain.head = Head::new(&key(), AuditId(left as i64), chain.rows[left - 1].1.unwrap());
        assert_eq!(chain.first_fault(), left as i64 + 1);
    }
}

#[test]
fn a_forged_head_or_mark_is_found() {
    let mut chain = Chain::new();
    chain.head.seal[0] ^= 1;
    assert!(!chain.verified().holds());
    let mut chain = Chain::new();
    chain.rows.truncate(6);
    let forger = ChainKey::new([8; 32]);
    chain.head = Head::new(&forger, AuditId(6), chain.rows[5].1.unwrap());
    assert!(!chain.verified().holds());
    let mut chain = Chain::new();
    chain.marks[1] = chain.marks[1].replace("check 4", "check 3");
    assert!(!chain.verified().holds());
    chain.marks.clear();
    assert!(!chain.verified().holds());
}

#[test]
fn a_chain_without_its_oldest_events_holds_only_when_retention_said_so() {
    let mut chain = Chain::new();
    chain.rows.drain(..3);
    assert_eq!(chain.first_fault(), 1);
    let mut chain = Chain::new();
    chain.begin_after(3);
    assert!(chain.verified().holds(), "{:?}", chain.verified());
    chain.rows.remove(0);
    assert_eq!(chain.first_fault(), 4);
    let mut chain = Chain::new();
    chain.begin_after(9);
    assert!(chain.verified().holds(), "nothing is left of it: {:?}", chain.verified());
}

#[test]
fn retention_that_broke_off_after_its_mark_leaves_a_chain_that_holds() {
    let mut chain = Chain::new();
    let rows = chain.rows.clone();
    chain.begin_after(3);
    chain.rows = rows;
    let report = chain.verified();
    assert!(report.holds(), "{report:?}");
    assert_eq!(report.events, 9);
}

#[test]
fn events_from_before_the_chain_began_are_counted_and_not_judged() {
    let key = key();
    let first = key.link(&CHAIN_START, &event(3));
    let begin = Mark { kind: MarkKind::Begin, id: AuditId(2), mac: CHAIN_START, at: Moment(0) };
    let chain = Chain {
        rows: vec![(event(1), None), (event(2), None), (event(3), Some(first))],
        marks: vec![begin.line(&key)],
        head: Head::new(&key, AuditId(3), first),
    };
    let report = chain.verified();
    assert!(report.holds(), "{report:?}");
    assert_eq!((report.before, report.events), (2, 1));
}

#[test]
fn a_key_is_never_printed() {
    assert_eq!(format!("{:?}", key()), "ChainKey(…)");
}
