//! Proposals to erase in a file: they name items by their ids, which may be others here.

use crate::fixture::{InterchangeFixture, me};
use engine::Caller;
use engine::forget::ForgetRequest;
use engine::remember::{NewRow, RememberRequest};
use engine::review::ListReviewsRequest;
use interchange::transfer::{ImportOptions, ImportOutcome};
use interchange::{export_jsonl, import_jsonl};
use model::{AgentName, Dialect, MemoryId, OwnerId};
use serde_json::json;

fn agent() -> Caller {
    Caller::agent(OwnerId::me(), AgentName::new("claude"), Dialect::Quipu)
}

async fn remember(fixture: &InterchangeFixture, text: &str) -> MemoryId {
    let input = RememberRequest::text(text);
    fixture.engine.memories().remember(&me(), &input).await.unwrap().id.unwrap()
}

async fn transfer(from: &InterchangeFixture, to: &InterchangeFixture) -> ImportOutcome {
    let mut file = Vec::new();
    export_jsonl(&from.engine, &me(), &mut file, |_| ()).await.unwrap();
    let options = ImportOptions::default();
    import_jsonl(&to.engine, &me(), &file[..], options, |_| ()).await.unwrap()
}

#[tokio::test]
async fn a_proposal_names_the_same_memory_under_its_id_here() {
    let there = InterchangeFixture::new().await;
    let typed = remember(&there, "The spare key lies under the stone").await;
    let forget = ForgetRequest { memories: vec![typed], ..ForgetRequest::default() };
    there.engine.memories().forget(&agent(), &forget).await.unwrap();
    let here = InterchangeFixture::new().await;
    let other = remember(&here, "This one has the id that the other had").await;
    assert_eq!(other, typed);
    transfer(&there, &here).await;
    let open = ListReviewsRequest::default();
    let items = here.engine.reviews().list(&me(), &open).await.unwrap().items;
    let shown = items[0].erasure.as_ref().unwrap();
    assert_ne!(shown.erasure.memories, [other]);
    assert_eq!(shown.memories[0].text, "The spare key lies under the stone");
}

#[tokio::test]
async fn a_proposal_to_delete_a_row_names_the_row_that_was_imported() {
    let there = InterchangeFixture::new().await;
    let meal = |food: &str| {
        let data = json!({ "food": food }).as_object().unwrap().clone();
        let row = NewRow { table: "meals".into(), description: None, data };
        RememberRequest { row: Some(row), ..RememberRequest::default() }
    };
    let (_, row) =
        there.engine.memories().remember(&me(), &meal("eel")).await.unwrap().row.unwrap();
    there.engine.tables().delete_row(&agent(), "meals", row).await.unwrap();
    let here = InterchangeFixture::new().await;
    here.engine.memories().remember(&me(), &meal("rice")).await.unwrap();
    transfer(&there, &here).await;
    let open = ListReviewsRequest::default();
    let items = here.engine.reviews().list(&me(), &open).await.unwrap().items;
    let shown = items[0].erasure.as_ref().unwrap();
    assert_eq!(shown.others, ["row 2 of meals: meals: food: eel"]);
}

#[tokio::test]
async fn a_proposal_about_nothing_that_was_imported_is_skipped_and_told() {
    let there = InterchangeFixture::new().await;
    let typed = remember(&there, "The spare key lies under the stone").await;
    let forget = ForgetRequest { memories: vec![typed], ..ForgetRequest::default() };
    there.engine.memories().forget(&agent(), &forget).await.unwrap();
    let here = InterchangeFixture::new().await;
    let same = remember(&here, "The spare key lies under the stone").await;
    let forget = ForgetRequest { memories: vec![same], ..ForgetRequest::default() };
    here.engine.memories().forget(&me(), &forget).await.unwrap();
    let imported = transfer(&there, &here).await;
    let told = "nothing that it would delete was imported".to_owned();
    assert_eq!(imported.skipped, [("review 1".to_owned(), told)]);
}
