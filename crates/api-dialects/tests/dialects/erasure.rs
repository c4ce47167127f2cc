//! Erasing is the owner's, in every dialect: each call that removes something leaves what the owner
//! typed and what another agent wrote where it is, and raises a proposal; what the caller wrote
//! itself goes.

mod calls;

use crate::fixture::DialectFixture;
use calls::{DeletingCall, calls, every_dialect};
use engine::Caller;
use engine::entities::EntityRef;
use engine::grants::SetGrantRequest;
use engine::profile::PatchProfileRequest;
use engine::remember::{NewRow, RememberRequest};
use engine::review::ListReviewsRequest;
use engine::sessions::SessionRef;
use engine::tables::QueryTableRequest;
use model::{AgentName, Dialect, ErrorCode, JsonMap, MemoryId, OwnerId, Permission, Status};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Text of the memory that is to be removed.
pub const TEXT: &str = "The harbour opens at six, said Ada Lovelace";
/// Session in which it is written.
pub const SESSION: &str = "workshop";
/// Entity that only this memory mentions.
const ENTITY: &str = "Ada Lovelace";

/// The kind of item that a call removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErasedItem {
    Memory,
    Row,
    Field,
    Entity,
}

/// The author of the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemAuthor {
    Owner,
    AnotherAgent,
    Caller,
}

/// Ids of the item.
#[derive(Debug, Default)]
pub struct PlantedItem {
    pub memory: i64,
    pub row: i64,
    pub entity: i64,
}

fn author(fixture: &DialectFixture, author: ItemAuthor) -> Caller {
    match author {
        ItemAuthor::Owner => Caller::person(OwnerId::me()),
        ItemAuthor::AnotherAgent => fixture.caller("cursor"),
        ItemAuthor::Caller => fixture.caller("claude"),
    }
}

fn object(value: Value) -> JsonMap {
    value.as_object().unwrap().clone()
}

async fn plant(fixture: &DialectFixture, item: ErasedItem, by: &Caller) -> PlantedItem {
    let mut planted = PlantedItem::default();
    let meal = || NewRow {
        table: "meals".into(),
        description: None,
        data: object(json!({"food": "eel"})),
    };
    let remember = RememberRequest {
        session: Some(SessionRef::Key(SESSION.into())),
        row: (item == ErasedItem::Row).then(meal),
        ..RememberRequest::text(TEXT)
    };
    if item == ErasedItem::Field {
        let patch = PatchProfileRequest { patch: object(json!({"diet": "vegan"})), reason: None };
        fixture.engine.profile().patch(by, &patch).await.unwrap();
        return planted;
    }
    let done = fixture.engine.memories().remember(by, &remember).await.unwrap();
    planted.memory = done.id.unwrap().0;
    planted.row = done.row.map_or(0, |(_, id)| id.0);
    let name = EntityRef::Name(ENTITY.into());
    planted.entity = fixture.engine.graph().entity(by, &name).await.unwrap().entity.id.0;
    planted
}

/// Returns whether the item is still there, as the owner sees it.
async fn is_there(fixture: &DialectFixture, item: ErasedItem, planted: &PlantedItem) -> bool {
    let owner = Caller::person(OwnerId::me());
    let engine = &fixture.engine;
    match item {
        ErasedItem::Memory => {
            let found = engine.memories().get(&owner, &[MemoryId(planted.memory)]).await.unwrap();
            found.first().is_some_and(|memory| memory.status == Status::Active)
        }
        ErasedItem::Row => {
            let all = QueryTableRequest { table: "meals".into(), ..QueryTableRequest::default() };
            engine.tables().query(&owner, &all).await.unwrap().total == 1
        }
        ErasedItem::Field => {
            let profile = engine.profile().get(&owner).await.unwrap();
            profile.is_some_and(|version| version.data.contains_key("diet"))
        }
        ErasedItem::Entity => {
            engine.graph().entity(&owner, &EntityRef::Name(ENTITY.into())).await.is_ok()
        }
    }
}

async fn open_items(fixture: &DialectFixture) -> usize {
    let owner = Caller::person(OwnerId::me());
    let open = ListReviewsRequest::default();
    fixture.engine.reviews().list(&owner, &open).await.unwrap().total
}

/// Plays a call against an item of an author. Returns whether the item is still there, the number
/// of items that wait for the owner, and the last result.
async fn play(call: &DeletingCall, by: ItemAuthor) -> (bool, usize, Value) {
    let fixture = call.fixture().await;
    let planted = plant(&fixture, call.item, &author(&fixture, by)).await;
    fixture.clock.advance(10 * 86_400);
    let mut last = json!({});
    for (tool, arguments) in (call.arguments)(&planted) {
        last = match fixture.try_call("claude", tool, arguments).await {
            Ok(answer) => answer,
            // A refusal removes nothing either; the item that waits is then an older one.
            Err(failure) => json!({ "refused": failure.code.name(), "message": failure.message }),
        };
    }
    (is_there(&fixture, call.item, &planted).await, open_items(&fixture).await, last)
}

#[tokio::test]
async fn no_call_removes_what_the_owner_typed() {
    for call in calls() {
        let (there, waiting, answer) = play(&call, ItemAuthor::Owner).await;
        assert!(there, "{call:?}: {answer}");
        assert_eq!(waiting, usize::from(call.reaches_typed), "{call:?}: {answer}");
    }
}

#[tokio::test]
async fn no_call_removes_what_another_agent_wrote_and_each_raises_a_proposal() {
    for call in calls() {
        let (there, waiting, answer) = play(&call, ItemAuthor::AnotherAgent).await;
        assert!(there, "{call:?}: {answer}");
        assert_eq!(waiting, 1, "{call:?}: {answer}");
        let told = answer.to_string();
        let is_told = ["quipu review", "approval", "withheld"].iter().any(|one| told.contains(one));
        assert!(is_told, "{call:?}: {answer}");
    }
}

#[tokio::test]
async fn each_call_removes_what_the_caller_wrote_itself() {
    for call in calls() {
        let (there, waiting, answer) = play(&call, ItemAuthor::Caller).await;
        assert!(!there, "{call:?}: {answer}");
        assert_eq!(waiting, 0, "{call:?}: {answer}");
    }
}

#[tokio::test]
async fn the_grant_erase_lets_each_call_remove_what_others_wrote() {
    for call in calls() {
        let fixture = call.fixture().await;
        grant_erase(&fixture, "claude").await;
        let by = author(&fixture, ItemAuthor::AnotherAgent);
        let planted = plant(&fixture, call.item, &by).await;
        fixture.clock.advance(10 * 86_400);
        for (tool, arguments) in (call.arguments)(&planted) {
            fixture.call(tool, arguments).await;
        }
        assert!(!is_there(&fixture, call.item, &planted).await, "{call:?}");
    }
}

#[tokio::test]
async fn the_same_call_again_raises_no_second_proposal() {
    for call in calls() {
        let fixture = call.fixture().await;
        let by = author(&fixture, ItemAuthor::AnotherAgent);
        let planted = plant(&fixture, call.item, &by).await;
        fixture.clock.advance(10 * 86_400);
        for _ in 0..2 {
            for (tool, arguments) in (call.arguments)(&planted) {
                let _ = fixture.try_call("claude", tool, arguments).await;
            }
        }
        assert_eq!(open_items(&fixture).await, 1, "{call:?}");
    }
}

#[test]
fn every_tool_that_removes_something_is_in_the_table() {
    // These two decide about contradictions, which both sides survive in the history; what the
    // owner typed they leave to the owner, as `an_agent_cannot_decide_against_the_owner` shows.
    let exempt = ["review", "review_memories"];
    let mut known = HashSet::new();
    for call in calls() {
        let tools = (call.arguments)(&PlantedItem::default());
        known.extend(tools.into_iter().map(|(tool, _)| (call.dialect, tool)));
    }
    for (dialect, api) in every_dialect() {
        for tool in api.tools().iter().chain(api.unlisted_tools()) {
            let removes = tool.annotations.destructive && !exempt.contains(&tool.name);
            assert!(!removes || known.contains(&(dialect, tool.name)), "{dialect:?} {}", tool.name);
        }
    }
}

#[tokio::test]
async fn an_agent_cannot_decide_against_the_owner() {
    for (dialect, decide) in [
        (Dialect::Quipu, json!({"action": "resolve", "id": 1, "resolution": "confirm"})),
        (Dialect::Epitome, json!({"action": "resolve", "metaId": 1, "resolution": "confirm"})),
    ] {
        let fixture = calls::fixture_of(dialect).await;
        let owner = Caller::person(OwnerId::me());
        let say = async |by: &Caller, text: &str| {
            let done = fixture.engine.memories().remember(by, &RememberRequest::text(text)).await;
            done.unwrap().id.unwrap()
        };
        let typed = say(&owner, "I live in Berlin.").await;
        say(&fixture.caller("claude"), "I live in Munich.").await;
        let failure = fixture.call_refused("review", decide).await;
        assert_eq!(failure.code, ErrorCode::ConsentRequired, "{failure}");
        let memory = fixture.engine.memories().get(&owner, &[typed]).await.unwrap().remove(0);
        assert_eq!(memory.status, Status::Active);
    }
}

#[tokio::test]
async fn only_the_owner_restores_a_retired_memory() {
    let fixture = DialectFixture::new().await;
    let id = fixture.remember("The harbour opens at six").await;
    let owner = Caller::person(OwnerId::me());
    fixture.engine.memories().retire(&owner, &[MemoryId(id)]).await.unwrap();
    let failure = fixture.call_refused("forget", json!({ "restore": [id] })).await;
    assert_eq!(failure.code, ErrorCode::ConsentRequired, "{failure}");
    let restore = json!({ "restore": [id] });
    let answer = fixture.try_call_as(&owner, "forget", restore).await.unwrap();
    fixture.assert_fits_schema("forget", &answer);
    assert_eq!(answer["hint"], format!("restored {id}; recalled again"));
    let both = json!({ "restore": [id], "ids": [id] });
    let failure = fixture.call_refused("forget", both).await;
    assert_eq!(failure.code, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn a_proposal_shows_the_texts_and_its_decision_the_receipt() {
    let fixture = DialectFixture::new().await;
    let planted =
        plant(&fixture, ErasedItem::Memory, &author(&fixture, ItemAuthor::AnotherAgent)).await;
    let asked = fixture.call("forget", json!({ "ids": [planted.memory] })).await;
    let listed = fixture.call("review", json!({})).await;
    let item = &listed["reviews"][0];
    assert_eq!((&item["id"], &item["erase"]["mode"]), (&asked["proposal"], &json!("forget")));
    assert_eq!(item["erase"]["memories"][0]["text"], TEXT);
    let confirm = json!({"action": "resolve", "id": asked["proposal"], "resolution": "confirm"});
    let failure = fixture.call_refused("review", confirm.clone()).await;
    assert_eq!(failure.code, ErrorCode::ConsentRequired, "{failure}");
    let owner = Caller::person(OwnerId::me());
    let decided = fixture.try_call_as(&owner, "review", confirm).await.unwrap();
    assert_eq!(decided["review"]["erase"]["receipt"]["memories"], 1);
    assert!(decided["review"]["erase"].get("memories").is_none(), "{decided}");
    let epitome = fixture.sharing_memory(dialects::Epitome::default());
    let none = epitome.call("review", json!({"action": "list"})).await;
    assert_eq!(none["contradictionCount"], 0);
}

#[tokio::test]
async fn epitome_lists_a_proposal_with_the_texts_as_old_values() {
    let fixture = calls::fixture_of(Dialect::Epitome).await;
    plant(&fixture, ErasedItem::Memory, &author(&fixture, ItemAuthor::AnotherAgent)).await;
    let asked = fixture.call("memorize", json!({"text": TEXT, "action": "delete"})).await;
    assert_eq!((&asked["deleted"], &asked["writeStatus"]), (&json!(0), &json!("pending_review")));
    let listed = fixture.call("review", json!({"action": "list"})).await;
    let entry = &listed["contradictions"][0];
    assert_eq!((&entry["id"], &entry["kind"]), (&asked["reviewId"], &json!("proposal")));
    assert_eq!(entry["contradictions"][0]["oldValue"], json!([TEXT]));
}

/// Grants an agent to erase what others wrote.
pub async fn grant_erase(fixture: &DialectFixture, agent: &str) {
    let grant = SetGrantRequest {
        agent: AgentName::new(agent),
        resource: "erase".into(),
        permission: Permission::Write,
    };
    let owner = Caller::person(OwnerId::me());
    fixture.engine.admin().set_grants(&owner, &[grant]).await.unwrap();
}
