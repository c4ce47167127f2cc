//! Random plans: steps of operations on few items, so that the operations interfere often. A plan
//! names items by index, never by id, so that it can be generated and shrunk before a store exists.

use model::{LinkKind, Status};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use store::{OnDuplicate, OnForgotten};

/// The texts of memories; a plan names one by its index. The last one is invalid.
pub(super) const TEXTS: [&str; 6] =
    ["The port is 80", "the PORT  is 80", "We use Postgres", "Tea at four", "Ada leads", ""];
pub(super) const TABLES: [&str; 2] = ["meals", "books"];
pub(super) const AGENTS: [&str; 3] = ["ada", "bob", "eve"];

/// A choice among the items created so far.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pick {
    /// An existing item, by index modulo their number.
    There(u8),
    /// An item that was ever created, existing or not, by index modulo their number.
    Made(u8),
    /// An item that never existed.
    Unknown,
}

impl Pick {
    /// Returns the index of the item, given the existing ones and the number ever created.
    pub(super) fn among(self, there: &[usize], made: usize) -> Option<usize> {
        match self {
            Self::There(number) => there.get(usize::from(number) % there.len().max(1)).copied(),
            Self::Made(number) => (made > 0).then(|| usize::from(number) % made),
            Self::Unknown => None,
        }
    }
}

/// A batch of a plan.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub agent: usize,
    /// The idempotency key and the request's fingerprint.
    pub key: Option<(u8, u8)>,
    pub operations: Vec<Operation>,
}

/// A change of a plan.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    Remember {
        text: usize,
        project: Option<&'static str>,
        session: Option<Pick>,
        on_duplicate: OnDuplicate,
        on_forgotten: OnForgotten,
    },
    SetStatus {
        memory: Pick,
        status: Status,
    },
    Supersede {
        old: Pick,
        new: Pick,
    },
    /// A link whose weight is given in quarters; five are past the limit.
    Link {
        source: Pick,
        target: Pick,
        kind: LinkKind,
        quarters: u8,
    },
    Unlink {
        link: Pick,
    },
    StartSession {
        key: Option<&'static str>,
    },
    EndSession {
        session: Pick,
        episode: Option<Pick>,
    },
    AddRecord {
        table: usize,
        field: &'static str,
        value: i64,
        memory: Option<Pick>,
    },
    UpdateRecord {
        table: usize,
        record: Pick,
        field: &'static str,
        value: Option<i64>,
    },
    DeleteRecord {
        table: usize,
        record: Pick,
    },
    StoreHandoff,
    MoveHandoff {
        handoff: Pick,
        way: Way,
    },
    Flag {
        memory: Pick,
    },
    SettleFlags {
        memory: Pick,
    },
    Forget {
        memories: Vec<Pick>,
    },
}

/// A step of a handoff.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    /// A claim for so many seconds.
    Claim(i64),
    Release {
        anyone: bool,
    },
    Complete {
        anyone: bool,
    },
    Cancel {
        anyone: bool,
    },
    Reopen,
}

/// Generates a batch that creates an item of each type, then up to twenty batches of up to five
/// changes.
pub(super) fn plans() -> impl Strategy<Value = Vec<Step>> {
    let step =
        (0..AGENTS.len(), option::weighted(0.3, (0_u8..2, 0_u8..2)), vec(operations(), 1..=5))
            .prop_map(|(agent, key, operations)| Step { agent, key, operations });
    vec(step, 1..=20).prop_map(|mut steps| {
        steps.insert(0, Step { agent: 0, key: None, operations: something_of_each_sort() });
        steps
    })
}

fn something_of_each_sort() -> Vec<Operation> {
    let remember = |text| Operation::Remember {
        text,
        project: None,
        session: None,
        on_duplicate: OnDuplicate::Keep,
        on_forgotten: OnForgotten::Refuse,
    };
    let add = |table| Operation::AddRecord { table, field: "food", value: 1, memory: None };
    let session = Operation::StartSession { key: None };
    vec![remember(0), remember(2), remember(3), session, add(0), add(1), Operation::StoreHandoff]
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => remembering(),
        6 => of_memories(),
        3 => of_sessions(),
        4 => of_records(),
        3 => of_handoffs(),
    ]
}

fn picks() -> impl Strategy<Value = Pick> {
    prop_oneof![
        40 => any::<u8>().prop_map(Pick::There),
        2 => any::<u8>().prop_map(Pick::Made),
        1 => Just(Pick::Unknown),
    ]
}

fn remembering() -> impl Strategy<Value = Operation> {
    let text = prop_oneof![60 => 0..TEXTS.len() - 1, 1 => Just(TEXTS.len() - 1)];
    let on_duplicate =
        select(vec![OnDuplicate::Answer, OnDuplicate::AnswerWithinSession, OnDuplicate::Keep]);
    let on_forgotten = select(vec![OnForgotten::Refuse, OnForgotten::Allow]);
    let context = (option::weighted(0.3, Just("quipu")), option::weighted(0.3, picks()));
    (text, context, on_duplicate, on_forgotten).prop_map(
        |(text, (project, session), on_duplicate, on_forgotten)| Operation::Remember {
            text,
            project,
            session,
            on_duplicate,
            on_forgotten,
        },
    )
}

fn of_memories() -> impl Strategy<Value = Operation> {
    let kinds = || select(vec![LinkKind::Supports, LinkKind::Supersedes]);
    let ends = || (picks(), picks(), kinds());
    prop_oneof![
        2 => (picks(), select(Status::ALL.to_vec()))
            .prop_map(|(memory, status)| Operation::SetStatus { memory, status }),
        2 => (picks(), picks()).prop_map(|(old, new)| Operation::Supersede { old, new }),
        3 => (ends(), prop_oneof![30 => 0_u8..=4, 1 => Just(5)])
            .prop_map(|((source, target, kind), quarters)| Operation::Link {
                source,
                target,
                kind,
                quarters,
            }),
        1 => picks().prop_map(|link| Operation::Unlink { link }),
        2 => picks().prop_map(|memory| Operation::Flag { memory }),
        1 => picks().prop_map(|memory| Operation::SettleFlags { memory }),
        1 => vec(picks(), 0..=3).prop_map(|memories| Operation::Forget { memories }),
    ]
}

fn of_sessions() -> impl Strategy<Value = Operation> {
    prop_oneof![
        option::of(select(vec!["run 1", "run 2"])).prop_map(|key| Operation::StartSession { key }),
        (picks(), option::of(picks()))
            .prop_map(|(session, episode)| Operation::EndSession { session, episode }),
    ]
}

fn of_records() -> impl Strategy<Value = Operation> {
    let tables = || 0..TABLES.len();
    let fields = || select(vec!["food", "kcal"]);
    prop_oneof![
        3 => (tables(), fields(), 0_i64..4, option::of(picks()))
            .prop_map(|(table, field, value, memory)| Operation::AddRecord {
                table,
                field,
                value,
                memory,
            }),
        2 => (tables(), picks(), fields(), option::of(0_i64..4))
            .prop_map(|(table, record, field, value)| Operation::UpdateRecord {
                table,
                record,
                field,
                value,
            }),
        1 => (tables(), picks())
            .prop_map(|(table, record)| Operation::DeleteRecord { table, record }),
    ]
}

fn of_handoffs() -> impl Strategy<Value = Operation> {
    let ways = prop_oneof![
        4 => select(vec![5, 15, 40]).prop_map(Way::Claim),
        1 => any::<bool>().prop_map(|anyone| Way::Release { anyone }),
        1 => any::<bool>().prop_map(|anyone| Way::Complete { anyone }),
        1 => any::<bool>().prop_map(|anyone| Way::Cancel { anyone }),
        1 => Just(Way::Reopen),
    ];
    prop_oneof![
        1 => Just(Operation::StoreHandoff),
        3 => (picks(), ways).prop_map(|(handoff, way)| Operation::MoveHandoff { handoff, way }),
    ]
}
