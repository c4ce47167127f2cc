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
pub(super) enum ItemPick {
    /// An existing item, by index modulo their number.
    Existing(u8),
    /// An item that was ever created, existing or not, by index modulo their number.
    Created(u8),
    /// An item that never existed.
    Unknown,
}

impl ItemPick {
    /// Returns the index of the item, given the existing ones and the number ever created.
    pub(super) fn index_among(self, existing: &[usize], created: usize) -> Option<usize> {
        match self {
            Self::Existing(number) => {
                existing.get(usize::from(number) % existing.len().max(1)).copied()
            }
            Self::Created(number) => (created > 0).then(|| usize::from(number) % created),
            Self::Unknown => None,
        }
    }
}

/// A batch of a plan.
#[derive(Debug, Clone)]
pub(super) struct PlanStep {
    pub agent: usize,
    /// The idempotency key and the request's fingerprint.
    pub key: Option<(u8, u8)>,
    pub operations: Vec<PlannedChange>,
}

/// A change of a plan.
#[derive(Debug, Clone)]
pub(super) enum PlannedChange {
    Remember {
        text: usize,
        project: Option<&'static str>,
        session: Option<ItemPick>,
        on_duplicate: OnDuplicate,
        on_forgotten: OnForgotten,
    },
    SetStatus {
        memory: ItemPick,
        status: Status,
    },
    Supersede {
        old: ItemPick,
        new: ItemPick,
    },
    /// A link whose weight is given in quarters; five are past the limit.
    Link {
        source: ItemPick,
        target: ItemPick,
        kind: LinkKind,
        quarters: u8,
    },
    Unlink {
        link: ItemPick,
    },
    StartSession {
        key: Option<&'static str>,
    },
    EndSession {
        session: ItemPick,
        episode: Option<ItemPick>,
    },
    AddRecord {
        table: usize,
        field: &'static str,
        value: i64,
        memory: Option<ItemPick>,
    },
    UpdateRecord {
        table: usize,
        record: ItemPick,
        field: &'static str,
        value: Option<i64>,
    },
    ReviseRecord {
        table: usize,
        record: ItemPick,
        field: &'static str,
        value: Option<i64>,
        memory: ItemPick,
    },
    DeleteRecord {
        table: usize,
        record: ItemPick,
    },
    StoreHandoff,
    MoveHandoff {
        handoff: ItemPick,
        step: PlannedHandoffStep,
    },
    Flag {
        memory: ItemPick,
    },
    SettleFlags {
        memory: ItemPick,
    },
    Remake {
        memory: ItemPick,
        text: usize,
    },
    Forget {
        memories: Vec<ItemPick>,
    },
}

/// A step of a handoff.
#[derive(Debug, Clone, Copy)]
pub(super) enum PlannedHandoffStep {
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
pub(super) fn plans() -> impl Strategy<Value = Vec<PlanStep>> {
    let step =
        (0..AGENTS.len(), option::weighted(0.3, (0_u8..2, 0_u8..2)), vec(operations(), 1..=5))
            .prop_map(|(agent, key, operations)| PlanStep { agent, key, operations });
    vec(step, 1..=20).prop_map(|mut steps| {
        steps.insert(0, PlanStep { agent: 0, key: None, operations: one_item_of_each_type() });
        steps
    })
}

fn one_item_of_each_type() -> Vec<PlannedChange> {
    let remember = |text| PlannedChange::Remember {
        text,
        project: None,
        session: None,
        on_duplicate: OnDuplicate::Insert,
        on_forgotten: OnForgotten::Refuse,
    };
    let add = |table| PlannedChange::AddRecord { table, field: "food", value: 1, memory: None };
    let session = PlannedChange::StartSession { key: None };
    vec![
        remember(0),
        remember(2),
        remember(3),
        session,
        add(0),
        add(1),
        PlannedChange::StoreHandoff,
    ]
}

fn operations() -> impl Strategy<Value = PlannedChange> {
    prop_oneof![
        6 => remember_operations(),
        6 => memory_operations(),
        3 => session_operations(),
        4 => record_operations(),
        3 => handoff_operations(),
    ]
}

fn picks() -> impl Strategy<Value = ItemPick> {
    prop_oneof![
        40 => any::<u8>().prop_map(ItemPick::Existing),
        2 => any::<u8>().prop_map(ItemPick::Created),
        1 => Just(ItemPick::Unknown),
    ]
}

fn remember_operations() -> impl Strategy<Value = PlannedChange> {
    let text = prop_oneof![60 => 0..TEXTS.len() - 1, 1 => Just(TEXTS.len() - 1)];
    let on_duplicate = select(vec![
        OnDuplicate::ReturnExisting,
        OnDuplicate::ReturnExistingInSession,
        OnDuplicate::Insert,
    ]);
    let on_forgotten = select(vec![OnForgotten::Refuse, OnForgotten::Allow]);
    let context = (option::weighted(0.3, Just("quipu")), option::weighted(0.3, picks()));
    (text, context, on_duplicate, on_forgotten).prop_map(
        |(text, (project, session), on_duplicate, on_forgotten)| PlannedChange::Remember {
            text,
            project,
            session,
            on_duplicate,
            on_forgotten,
        },
    )
}

fn memory_operations() -> impl Strategy<Value = PlannedChange> {
    let kinds = || select(vec![LinkKind::Supports, LinkKind::Supersedes]);
    let ends = || (picks(), picks(), kinds());
    prop_oneof![
        2 => (picks(), select(Status::ALL.to_vec()))
            .prop_map(|(memory, status)| PlannedChange::SetStatus { memory, status }),
        2 => (picks(), picks()).prop_map(|(old, new)| PlannedChange::Supersede { old, new }),
        3 => (ends(), prop_oneof![30 => 0_u8..=4, 1 => Just(5)])
            .prop_map(|((source, target, kind), quarters)| PlannedChange::Link {
                source,
                target,
                kind,
                quarters,
            }),
        1 => picks().prop_map(|link| PlannedChange::Unlink { link }),
        2 => picks().prop_map(|memory| PlannedChange::Flag { memory }),
        1 => picks().prop_map(|memory| PlannedChange::SettleFlags { memory }),
        1 => (picks(), 0..TEXTS.len())
            .prop_map(|(memory, text)| PlannedChange::Remake { memory, text }),
        1 => vec(picks(), 0..=3).prop_map(|memories| PlannedChange::Forget { memories }),
    ]
}

fn session_operations() -> impl Strategy<Value = PlannedChange> {
    prop_oneof![
        option::of(select(vec!["run 1", "run 2"]))
            .prop_map(|key| PlannedChange::StartSession { key }),
        (picks(), option::of(picks()))
            .prop_map(|(session, episode)| PlannedChange::EndSession { session, episode }),
    ]
}

fn record_operations() -> impl Strategy<Value = PlannedChange> {
    let tables = || 0..TABLES.len();
    let fields = || select(vec!["food", "kcal"]);
    prop_oneof![
        3 => (tables(), fields(), 0_i64..4, option::of(picks()))
            .prop_map(|(table, field, value, memory)| PlannedChange::AddRecord {
                table,
                field,
                value,
                memory,
            }),
        2 => (tables(), picks(), fields(), option::of(0_i64..4))
            .prop_map(|(table, record, field, value)| PlannedChange::UpdateRecord {
                table,
                record,
                field,
                value,
            }),
        3 => (tables(), picks(), fields(), option::of(0_i64..4), picks())
            .prop_map(|(table, record, field, value, memory)| PlannedChange::ReviseRecord {
                table,
                record,
                field,
                value,
                memory,
            }),
        1 => (tables(), picks())
            .prop_map(|(table, record)| PlannedChange::DeleteRecord { table, record }),
    ]
}

fn handoff_operations() -> impl Strategy<Value = PlannedChange> {
    let steps = prop_oneof![
        4 => select(vec![5, 15, 40]).prop_map(PlannedHandoffStep::Claim),
        1 => any::<bool>().prop_map(|anyone| PlannedHandoffStep::Release { anyone }),
        1 => any::<bool>().prop_map(|anyone| PlannedHandoffStep::Complete { anyone }),
        1 => any::<bool>().prop_map(|anyone| PlannedHandoffStep::Cancel { anyone }),
        1 => Just(PlannedHandoffStep::Reopen),
    ];
    prop_oneof![
        1 => Just(PlannedChange::StoreHandoff),
        3 => (picks(), steps)
            .prop_map(|(handoff, step)| PlannedChange::MoveHandoff { handoff, step }),
    ]
}
