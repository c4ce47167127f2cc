//! Tampering with a chain in memory: every kind is detected and located.

use super::*;
use model::{AgentName, AuditId, AuditOutcome, Author, ContentHash, Dialect, Moment, Seq};

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
        outcome: AuditOutcome::Done,
        at: Moment(id * 10),
        duration_us: 3,
        arguments: ContentHash([9; 32]),
        note: format!("created {id}"),
    }
}

/// A chain of events with its checkpoints and its head.
struct TestChain {
    rows: Vec<(AuditEvent, Option<Mac>)>,
    checkpoints: Vec<String>,
    head: ChainHead,
}

impl TestChain {
    /// Events 1 to 9, with a checkpoint at 4.
    fn new() -> Self {
        let key = key();
        let mut value = CHAIN_START;
        let mut rows = Vec::new();
        let begin = Checkpoint {
            kind: CheckpointKind::Start,
            id: AuditId(0),
            mac: CHAIN_START,
            at: Moment(0),
        };
        let mut marks = vec![begin.to_line(&key)];
        for id in 1..=9 {
            value = key.next_mac(&value, &event(id));
            rows.push((event(id), Some(value)));
            if id == 4 {
                let check = Checkpoint {
                    kind: CheckpointKind::Reached,
                    id: AuditId(4),
                    mac: value,
                    at: Moment(40),
                };
                marks.push(check.to_line(&key));
            }
        }
        Self { rows, checkpoints: marks, head: ChainHead::new(&key, AuditId(9), value) }
    }

    fn verify(&self) -> ChainReport {
        let key = key();
        let mut verifier = ChainVerifier::new(&key, self.checkpoints.iter().map(String::as_str));
        for (event, mac) in &self.rows {
            verifier.check_event(event, *mac);
        }
        verifier.finish(&self.head)
    }

    /// Returns the first event that a verification reports.
    #[track_caller]
    fn first_fault(&self) -> i64 {
        let report = self.verify();
        assert!(!report.is_intact(), "nothing was found");
        report.faults.iter().map(|fault| fault.first.0).min().unwrap()
    }

    /// Does what retention does: removes all events up to one, and adds a checkpoint for it.
    fn prune_through(&mut self, id: i64) {
        let (_, mac) = self.rows[usize::try_from(id).unwrap() - 1];
        let begin = Checkpoint {
            kind: CheckpointKind::Start,
            id: AuditId(id),
            mac: mac.unwrap(),
            at: Moment(99),
        };
        self.checkpoints.push(begin.to_line(&key()));
        self.rows.retain(|(event, _)| event.id.0 > id);
    }
}

#[test]
fn an_untouched_chain_is_intact() {
    let report = TestChain::new().verify();
    assert_eq!((report.events, report.before_chain, report.checkpoints), (9, 0, 2));
    assert!(report.is_intact(), "{report:?}");
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
        |e| e.outcome = AuditOutcome::Refused,
        |e| e.at.0 -= 1,
        |e| e.duration_us += 1,
        |e| e.arguments.0[31] ^= 1,
        |e| e.note.clear(),
    ];
    for (nth, change) in changes.into_iter().enumerate() {
        for at in 0..9 {
            let mut chain = TestChain::new();
            change(&mut chain.rows[at].0);
            assert_eq!(chain.first_fault(), at as i64 + 1, "change {nth}");
        }
    }
}

#[test]
fn words_cannot_move_from_one_field_to_the_next() {
    let mut chain = TestChain::new();
    chain.rows[2].0.author.tool = "rememberv".into();
    chain.rows[2].0.resource = "ectors/memories".into();
    assert_eq!(chain.first_fault(), 3);
}

#[test]
fn a_flipped_bit_of_any_mac_is_found() {
    for at in 0..9 {
        let mut chain = TestChain::new();
        chain.rows[at].1.as_mut().unwrap()[5] ^= 1;
        assert_eq!(chain.first_fault(), at as i64 + 1);
        chain.rows[at].1 = None;
        assert_eq!(chain.first_fault(), at as i64 + 1);
    }
}

#[test]
fn a_dropped_event_is_found_wherever_it_was() {
    for at in 0..9 {
        let mut chain = TestChain::new();
        chain.rows.remove(at);
        assert_eq!(chain.first_fault(), at as i64 + 1);
    }
}

#[test]
fn a_dropped_event_is_found_even_when_the_others_are_numbered_anew() {
    for at in 0..8 {
        let mut chain = TestChain::new();
        chain.rows.remove(at);
        chain.rows.iter_mut().skip(at).for_each(|(event, _)| event.id.0 -= 1);
        assert_eq!(chain.first_fault(), at as i64 + 1);
    }
}

#[test]
fn swapped_events_are_found() {
    for at in 0..8 {
        let mut chain = TestChain::new();
        chain.rows.swap(at, at + 1);
        let (one, other) = (chain.rows[at].0.id, chain.rows[at + 1].0.id);
        (chain.rows[at].0.id, chain.rows[at + 1].0.id) = (other, one);
        assert_eq!(chain.first_fault(), at as i64 + 1);
    }
}

#[test]
fn a_truncated_tail_is_found_by_the_head_and_by_the_checkpoints() {
    for left in 0..9 {
        let mut chain = TestChain::new();
        chain.rows.truncate(left);
        assert_eq!(chain.first_fault(), left as i64 + 1);
    }
    // With an earlier head put back as well, only the checkpoint at 4 reveals the cut.
    for left in 1..4 {
        let mut chain = TestChain::new();
        chain.rows.truncate(left);
        chain.head = ChainHead::new(&key(), AuditId(left as i64), chain.rows[left - 1].1.unwrap());
        assert_eq!(chain.first_fault(), left as i64 + 1);
    }
}

#[test]
fn a_forged_head_or_checkpoint_is_found() {
    let mut chain = TestChain::new();
    chain.head.seal[0] ^= 1;
    assert!(!chain.verify().is_intact());
    let mut chain = TestChain::new();
    chain.rows.truncate(6);
    let forger = ChainKey::new([8; 32]);
    chain.head = ChainHead::new(&forger, AuditId(6), chain.rows[5].1.unwrap());
    assert!(!chain.verify().is_intact());
    let mut chain = TestChain::new();
    chain.checkpoints[1] = chain.checkpoints[1].replace("check 4", "check 3");
    assert!(!chain.verify().is_intact());
    chain.checkpoints.clear();
    assert!(!chain.verify().is_intact());
}

#[test]
fn a_chain_without_its_oldest_events_is_intact_only_after_retention() {
    let mut chain = TestChain::new();
    chain.rows.drain(..3);
    assert_eq!(chain.first_fault(), 1);
    let mut chain = TestChain::new();
    chain.prune_through(3);
    assert!(chain.verify().is_intact(), "{:?}", chain.verify());
    chain.rows.remove(0);
    assert_eq!(chain.first_fault(), 4);
    let mut chain = TestChain::new();
    chain.prune_through(9);
    assert!(chain.verify().is_intact(), "nothing is left of it: {:?}", chain.verify());
}

#[test]
fn retention_interrupted_after_its_checkpoint_leaves_an_intact_chain() {
    let mut chain = TestChain::new();
    let rows = chain.rows.clone();
    chain.prune_through(3);
    chain.rows = rows;
    let report = chain.verify();
    assert!(report.is_intact(), "{report:?}");
    assert_eq!(report.events, 9);
}

#[test]
fn events_from_before_the_chain_began_are_counted_and_not_verified() {
    let key = key();
    let first = key.next_mac(&CHAIN_START, &event(3));
    let begin =
        Checkpoint { kind: CheckpointKind::Start, id: AuditId(2), mac: CHAIN_START, at: Moment(0) };
    let chain = TestChain {
        rows: vec![(event(1), None), (event(2), None), (event(3), Some(first))],
        checkpoints: vec![begin.to_line(&key)],
        head: ChainHead::new(&key, AuditId(3), first),
    };
    let report = chain.verify();
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.before_chain, report.events), (2, 1));
}

#[test]
fn a_key_is_never_printed() {
    assert_eq!(format!("{:?}", key()), "ChainKey(…)");
}

impl TestChain {
    fn kept_head(&self, id: i64, origin: ChainOrigin) -> String {
        let (_, mac) = self.rows[usize::try_from(id).unwrap() - 1];
        KeptHead { id: AuditId(id), mac: mac.unwrap(), at: Moment(7), origin }.to_line(&key())
    }

    fn verify_with(&self, kept: Option<&str>) -> ChainReport {
        let key = key();
        let lines = self.checkpoints.iter().map(String::as_str);
        let mut verifier = ChainVerifier::new(&key, lines).with_kept_head(kept);
        for (event, mac) in &self.rows {
            verifier.check_event(event, *mac);
        }
        verifier.finish(&self.head)
    }

    /// Cuts events off and puts an earlier head and earlier checkpoints back with them.
    fn put_older_back(&mut self, left: usize) {
        self.rows.truncate(left);
        self.checkpoints.truncate(1);
        self.head = ChainHead::new(&key(), AuditId(left as i64), self.rows[left - 1].1.unwrap());
    }
}

#[test]
fn a_kept_head_may_be_older_than_the_chain_and_never_newer() {
    for id in 1..=9 {
        let chain = TestChain::new();
        let kept = chain.kept_head(id, ChainOrigin::Lawful);
        assert!(chain.verify_with(Some(&kept)).is_intact());
        let mut older = TestChain::new();
        older.put_older_back(3);
        assert!(older.verify().is_intact(), "nothing inside of it shows that it is older");
        assert_eq!(older.verify_with(Some(&kept)).is_intact(), id <= 3, "{id}");
    }
}

#[test]
fn a_kept_head_of_another_chain_is_found() {
    let chain = TestChain::new();
    let mut kept = KeptHead::parse(&chain.kept_head(5, ChainOrigin::Lawful), &key()).unwrap();
    kept.mac[0] ^= 1;
    assert!(!chain.verify_with(Some(&kept.to_line(&key()))).is_intact());
    let (forger, lost) = (ChainKey::new([8; 32]), chain.kept_head(5, ChainOrigin::KeyLost));
    assert!(!chain.verify_with(Some(&kept.to_line(&forger))).is_intact());
    assert!(!chain.verify_with(Some(&lost)).is_intact());
    assert!(!chain.verify_with(Some("")).is_intact());
    assert!(!chain.verify_with(None).is_intact());
}

#[test]
fn all_lines_of_heads_have_the_same_length() {
    let head = |id, at, origin| KeptHead { id: AuditId(id), mac: [7; 32], at: Moment(at), origin };
    let lines = [
        head(0, 0, ChainOrigin::Lawful),
        head(i64::MAX, i64::MAX, ChainOrigin::KeyLost),
        head(3, -1_777_777, ChainOrigin::Lawful),
    ]
    .map(|head| head.to_line(&key()));
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{lines:?}");
    assert!(lines.iter().all(|line| KeptHead::parse(line, &key()).is_some()));
}

#[test]
fn checkpoints_of_the_version_before_need_no_kept_head() {
    let key = key();
    let mut chain = TestChain::new();
    for line in &mut chain.checkpoints {
        let statement = line.rsplit_once(' ').unwrap().0.to_owned();
        let seal = key.sign("mark", statement.as_bytes());
        *line = format!("{statement} {}", checkpoint::hex(&seal));
    }
    assert!(chain.verify_with(None).is_intact(), "{:?}", chain.verify_with(None));
}

#[test]
fn an_anchor_is_contained_only_in_the_chain_it_was_taken_from() {
    let chain = TestChain::new();
    let report = chain.verify();
    let (id, mac) = report.end.unwrap();
    let anchor = ChainAnchor { owner: model::OwnerId::me(), id, mac };
    assert_eq!(ChainAnchor::parse(&format!(" {}\n", anchor.to_line())), Some(anchor.clone()));
    assert_eq!(anchor.check(&report, Some(mac)), Ok(()));
    assert_eq!(anchor.check(&report, None), Ok(()), "the end of a chain that retention emptied");
    assert!(anchor.check(&report, Some(CHAIN_START)).unwrap_err().contains("event 9"));
    let mut older = TestChain::new();
    older.put_older_back(3);
    let cut = anchor.check(&older.verify(), None).unwrap_err();
    assert!(cut.contains("events 4 to 9 are missing"), "{cut}");
    for line in ["", "quipu-audit-head:me:9", "quipu-audit-head:me:-1:00", "other:me:9:00"] {
        assert_eq!(ChainAnchor::parse(line), None, "{line}");
    }
}
