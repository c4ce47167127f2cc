//! Listing: the view returns the same as the store, for every filter and page.

use crate::fixture::{EngineFixture, agent, owner};
use engine::correct::CorrectRequest;
use engine::{MemoryQuery, MemorySort};
use model::{
    AgentName, Dialect, Kind, MemoryId, Moment, NewSession, OwnerId, Page, SessionId, Status,
};
use store::{Change, ChangeResult, Ref};

/// Creates forty memories that differ in every listed attribute. Returns also the time in their
/// middle.
async fn filled_fixture() -> (EngineFixture, Moment) {
    let fixture = EngineFixture::new().await;
    let made = fixture.write("a", vec![Change::StartSession(NewSession::default())]).await;
    let session = made.iter().find_map(ChangeResult::session).unwrap();
    for number in 0..40_i64 {
        if number % 5 == 0 {
            fixture.clock.advance(60);
        }
        let edit = |add: &mut store::AddMemory| {
            let memory = &mut add.memory;
            memory.kind = Kind::new(["fact", "note", "decision"][number as usize % 3]).unwrap();
            memory.status = [Status::Active, Status::Active, Status::Proposed][number as usize % 3];
            memory.project = (number % 4 == 0).then(|| "quipu".to_owned());
            memory.collection = ["memories", "journal"][number as usize % 2].to_owned();
            memory.tags = [vec!["red".to_owned()], vec!["blue".to_owned()], vec![]]
                [number as usize % 3]
                .clone();
            memory.confidence = number as f32 / 40.0;
            add.session = (number % 6 == 0).then_some(Ref::Id(session));
        };
        fixture
            .add(if number % 7 == 0 { "b" } else { "a" }, &format!("memory {number}"), edit)
            .await;
    }
    let middle = fixture.now().plus_seconds(-240);
    (fixture, middle)
}

fn queries(middle: Moment) -> Vec<MemoryQuery> {
    let all = MemoryQuery::default;
    vec![
        all(),
        MemoryQuery { statuses: vec![Status::Active], ..all() },
        MemoryQuery { statuses: vec![Status::Proposed, Status::Retired], ..all() },
        MemoryQuery {
            kinds: vec![Kind::new("fact").unwrap(), Kind::new("note").unwrap()],
            ..all()
        },
        MemoryQuery { project: Some("quipu".into()), ..all() },
        MemoryQuery { project: Some("nobody's".into()), ..all() },
        MemoryQuery { collection: Some("journal".into()), ..all() },
        MemoryQuery { agent: Some(AgentName::new("b")), ..all() },
        MemoryQuery { dialect: Some(Dialect::Quipu), ..all() },
        MemoryQuery { dialect: Some(Dialect::Librarian), ..all() },
        MemoryQuery { tags: vec!["blue".into(), "green".into()], ..all() },
        MemoryQuery { sessions: vec![SessionId(1)], ..all() },
        MemoryQuery { created_from: Some(middle), ..all() },
        MemoryQuery { created_until: Some(middle), ..all() },
        MemoryQuery { confidence_min: Some(0.3), confidence_max: Some(0.7), ..all() },
        MemoryQuery { sort: MemorySort::MostConfident, ..all() },
    ]
}

#[tokio::test]
async fn a_listing_equals_that_of_the_store() {
    let (fixture, middle) = filled_fixture().await;
    for query in queries(middle) {
        for sort in [query.sort, MemorySort::Oldest] {
            for page in
                [Page::first(7), Page { limit: 7, offset: 7 }, Page { limit: 50, offset: 30 }]
            {
                let query = MemoryQuery { sort, ..query.clone() };
                let listed = fixture.engine.memories().list(&owner(), &query, page).await.unwrap();
                let truth =
                    fixture.store.list_memories(&OwnerId::me(), &query, page).await.unwrap();
                let ids = |memories: &[model::Memory]| {
                    memories.iter().map(|m| m.id).collect::<Vec<MemoryId>>()
                };
                assert_eq!(ids(&listed.items), ids(&truth.items), "{query:?} {page:?}");
                assert_eq!(listed.total, truth.total, "{query:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_correction_by_another_process_is_listed() {
    let fixture = EngineFixture::new().await;
    let wrong = fixture.add("a", "The harbour opens at six", |_| {}).await;
    let active = MemoryQuery { statuses: vec![Status::Active], ..MemoryQuery::default() };
    let listed = async || {
        fixture.engine.memories().list(&owner(), &active, Page::first(9)).await.unwrap().items
    };
    assert_eq!(listed().await[0].id, wrong);
    let other = fixture.reopen(None);
    other
        .memories()
        .correct(&agent("b"), &CorrectRequest::new(wrong, "The harbour opens at seven"))
        .await
        .unwrap();
    let texts: Vec<String> = listed().await.into_iter().map(|memory| memory.text).collect();
    assert_eq!(texts, ["The harbour opens at seven"]);
}
