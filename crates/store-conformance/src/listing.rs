//! Listing memories: filters, orders, pages and totals.

use super::builders::{add, batch_by, moment, note_at, remember};
use super::fixture::StoreFixture;
use model::{AgentName, Dialect, Kind, MemoryId, NewSession, Page, Status, limits};
use store::{AddMemory, Batch, Change, MemoryQuery, MemorySort, OnDuplicate, Ref};

/// Writes a memory numbered `n` at second `n`, adjusted by `change`.
async fn numbered(at: &StoreFixture, n: i64, change: impl FnOnce(&mut AddMemory)) -> MemoryId {
    let mut new = note_at(n, &format!("memory {n}"));
    change(&mut new);
    at.apply_at(n, add(new)).await.memory().unwrap()
}

pub async fn the_newest_memory_comes_first_unless_asked_otherwise(at: &StoreFixture) {
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(numbered(at, n, |_| {}).await);
    }
    assert_eq!(
        at.list_ids(&MemoryQuery { sort: MemorySort::Oldest, ..MemoryQuery::default() }).await,
        ids
    );
    ids.reverse();
    assert_eq!(at.list_ids(&MemoryQuery::default()).await, ids);
}

pub async fn memories_are_sorted_by_confidence_importance_or_use(at: &StoreFixture) {
    let a = numbered(at, 1, |add| (add.memory.confidence, add.memory.priority) = (0.2, 3)).await;
    let b = numbered(at, 2, |add| (add.memory.confidence, add.memory.priority) = (0.9, 5)).await;
    let c = numbered(at, 3, |add| (add.memory.confidence, add.memory.priority) = (0.5, 3)).await;
    for (times, memory) in [(1, a), (3, c), (2, b)] {
        let shown = store::ReadEvent::new(super::builders::event(moment(9)), vec![memory]);
        at.store.log_reads(&at.owner, vec![shown; times]).await.unwrap();
    }
    let sorted = async |sort| at.list_ids(&MemoryQuery { sort, ..MemoryQuery::default() }).await;
    assert_eq!(sorted(MemorySort::MostConfident).await, [b, c, a]);
    assert_eq!(sorted(MemorySort::MostImportant).await, [c, a, b], "among equals the newest first");
    assert_eq!(sorted(MemorySort::MostUsed).await, [c, b, a]);
}

pub async fn each_filter_narrows_the_listing(at: &StoreFixture) {
    let session = at.apply(Change::StartSession(NewSession::default())).await.session().unwrap();
    let fact = Kind::new("fact").unwrap();
    let a = numbered(at, 1, |add| add.memory.kind = fact.clone()).await;
    let b = numbered(at, 2, |add| add.session = Some(Ref::Id(session))).await;
    let c = numbered(at, 3, |add| add.memory.project = Some("quipu".into())).await;
    let d = numbered(at, 4, |add| add.memory.collection = "journal".into()).await;
    let e = numbered(at, 5, |add| add.memory.tags = vec!["red".into(), "blue".into()]).await;
    let f = numbered(at, 6, |add| add.memory.confidence = 0.1).await;
    let g = numbered(at, 7, |add| add.memory.status = Status::Proposed).await;
    let all = MemoryQuery::default;
    for (query, found) in [
        (MemoryQuery { kinds: vec![fact.clone()], ..all() }, vec![a]),
        (MemoryQuery { sessions: vec![session], ..all() }, vec![b]),
        (MemoryQuery { project: Some("quipu".into()), ..all() }, vec![c]),
        (MemoryQuery { collection: Some("journal".into()), ..all() }, vec![d]),
        (MemoryQuery { tags: vec!["blue".into(), "green".into()], ..all() }, vec![e]),
        (MemoryQuery { confidence_max: Some(0.5), ..all() }, vec![f]),
        (MemoryQuery { confidence_min: Some(0.5), ..all() }, vec![g, e, d, c, b, a]),
        (MemoryQuery { statuses: vec![Status::Proposed], ..all() }, vec![g]),
        (
            MemoryQuery { statuses: vec![Status::Proposed, Status::Active], ..all() },
            vec![g, f, e, d, c, b, a],
        ),
        (MemoryQuery { created_from: Some(moment(6)), ..all() }, vec![g, f]),
        (MemoryQuery { created_until: Some(moment(2)), ..all() }, vec![b, a]),
        (MemoryQuery { after: Some(e), ..all() }, vec![g, f]),
        (
            MemoryQuery { kinds: vec![fact.clone()], statuses: vec![Status::Active], ..all() },
            vec![a],
        ),
        (
            MemoryQuery {
                kinds: vec![fact.clone()],
                statuses: vec![Status::Active],
                after: Some(a),
                ..all()
            },
            vec![],
        ),
        (MemoryQuery { kinds: vec![fact], tags: vec!["red".into()], ..all() }, vec![]),
        (MemoryQuery { project: Some("qui".into()), ..all() }, vec![]),
    ] {
        assert_eq!(at.list_ids(&query).await, found, "{query:?}");
    }
}

pub async fn memories_of_one_agent_can_be_listed(at: &StoreFixture) {
    at.remember("by the usual author").await;
    let mut by_bob = note_at(1, "by bob");
    by_bob.memory.provenance = super::builders::provenance("bob", moment(1));
    let bobs =
        at.commit(batch_by("bob", moment(1), vec![add(by_bob)])).await.results[0].memory().unwrap();
    let query = MemoryQuery { agent: Some(AgentName::new("bob")), ..MemoryQuery::default() };
    assert_eq!(at.list_ids(&query).await, [bobs]);
}

pub async fn memories_of_one_dialect_can_be_listed(at: &StoreFixture) {
    let other = numbered(at, 1, |_| {}).await;
    let through = |add: &mut AddMemory| add.memory.provenance.author.dialect = Dialect::CodeMemory;
    let own = numbered(at, 2, through).await;
    let query = |dialect| MemoryQuery { dialect: Some(dialect), ..MemoryQuery::default() };
    assert_eq!(at.list_ids(&query(Dialect::CodeMemory)).await, [own]);
    assert_eq!(at.list_ids(&query(Dialect::Librarian)).await, []);
    assert_eq!(at.list_ids(&MemoryQuery::default()).await, [own, other]);
}

pub async fn pages_follow_each_other_and_have_the_total(at: &StoreFixture) {
    at.write((0..7).map(|n| remember(&format!("memory {n}"))).collect()).await;
    let mut seen = Vec::new();
    for (offset, limit) in [(0, 3), (3, 3), (3, 0), (6, 3), (9, 3)] {
        let page = Page { limit, offset };
        let listing =
            at.store.list_memories(&at.owner, &MemoryQuery::default(), page).await.unwrap();
        assert_eq!(listing.total, 7, "at {offset}");
        seen.extend(listing.items.iter().map(|memory| memory.id));
    }
    assert_eq!(seen, at.list_ids(&MemoryQuery::default()).await);
}

pub async fn no_page_is_larger_than_the_cap(at: &StoreFixture) {
    let over = limits::PAGE_ITEMS + 1;
    let changes = (0..over).map(|n| remember(&format!("memory {n}"))).collect();
    at.commit(Batch::new(super::builders::event(moment(0)), changes)).await;
    let page = Page { limit: usize::MAX, offset: 0 };
    let listing = at.store.list_memories(&at.owner, &MemoryQuery::default(), page).await.unwrap();
    assert_eq!((listing.items.len(), listing.total), (limits::PAGE_ITEMS, over));
    let far = Page { limit: 10, offset: usize::MAX };
    let listing = at.store.list_memories(&at.owner, &MemoryQuery::default(), far).await.unwrap();
    assert_eq!((listing.items.len(), listing.total), (0, over));
}

pub async fn no_filter_is_read_as_an_expression(at: &StoreFixture) {
    let hostile = "a' OR '1'='1\"; DROP TABLE memories; -- %_*";
    let mut new = note_at(0, "hostile");
    new.on_duplicate = OnDuplicate::Insert;
    new.memory.project = Some(hostile.into());
    new.memory.tags = vec![hostile.into()];
    let id = at.add_memory(add(new)).await;
    at.remember("beside it").await;
    let by_project = MemoryQuery { project: Some(hostile.into()), ..MemoryQuery::default() };
    let by_tag = MemoryQuery { tags: vec![hostile.into()], ..MemoryQuery::default() };
    assert_eq!((at.list_ids(&by_project).await, at.list_ids(&by_tag).await), (vec![id], vec![id]));
}
