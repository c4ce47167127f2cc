//! Erasing everything of an owner, visible in every process.

use crate::fixture::{EngineFixture, agent, fields, owner, refused};
use engine::entities::PutEntityRequest;
use engine::recall::RecallRequest;
use engine::references::FileReferenceRequest;
use engine::remember::{NewRow, RememberRequest};
use engine::tables::SelectRequest;
use model::{ErrorCode, OwnerId};
use serde_json::json;

#[tokio::test]
async fn nothing_is_erased_unconfirmed_or_by_an_agent() {
    let fixture = EngineFixture::new().await;
    fixture.add("codex", "stays", |_| {}).await;
    let told = refused(
        fixture.engine.admin().erase_everything(&owner(), false).await,
        ErrorCode::InvalidArgument,
    );
    assert!(told.contains("1 memories"), "{told}");
    refused(
        fixture.engine.admin().erase_everything(&agent("codex"), true).await,
        ErrorCode::ConsentRequired,
    );
    assert_eq!(
        fixture
            .engine
            .memories()
            .recall(&owner(), &RecallRequest::query("stays"))
            .await
            .unwrap()
            .hits
            .len(),
        1
    );
}

#[tokio::test]
async fn everything_is_erased_with_a_count_by_place_in_every_process() {
    let fixture = EngineFixture::new().await;
    let snapshot = fixture.path("view.snapshot");
    let engine = fixture.reopen(Some(snapshot.clone()));
    let (me, other) = (owner(), fixture.reopen(None));
    let row = NewRow {
        table: "meals".into(),
        description: None,
        data: fields(json!({ "food": "pizza" })),
    };
    engine.memories().remember(&me, &RememberRequest::text("The kiln is blue.")).await.unwrap();
    engine
        .memories()
        .remember(&me, &RememberRequest { row: Some(row.clone()), ..RememberRequest::default() })
        .await
        .unwrap();
    let profile = Some(fields(json!({ "name": "Ines" })));
    engine
        .memories()
        .remember(&me, &RememberRequest { profile, ..RememberRequest::default() })
        .await
        .unwrap();
    engine
        .graph()
        .put_entity(&me, &PutEntityRequest { name: "Ada".into(), ..PutEntityRequest::default() })
        .await
        .unwrap();
    engine
        .references()
        .put(&me, &FileReferenceRequest { path: "a.md".into(), text: "# A\ntext".into() })
        .await
        .unwrap();
    let rows =
        SelectRequest { sql: "SELECT count(*) AS n FROM meals".into(), ..SelectRequest::default() };
    assert_eq!(other.tables().select(&me, &rows).await.unwrap().rows[0][0], json!(1));
    assert_eq!(
        other.memories().recall(&me, &RecallRequest::query("kiln")).await.unwrap().hits.len(),
        1
    );

    std::fs::write(&snapshot, "a snapshot of what is there").unwrap();
    let removal = engine.admin().erase_everything(&me, true).await.unwrap();
    for place in [
        "memories",
        "records",
        "tables",
        "profile",
        "entities",
        "references",
        "vectors",
        "snapshot",
    ] {
        assert!(removal.removed_from(place) > 0, "{place}: {removal:?}");
    }
    assert!(removal.memories >= 3 && !snapshot.exists());
    for engine in [&engine, &other] {
        assert!(
            engine
                .memories()
                .recall(&me, &RecallRequest::query("kiln"))
                .await
                .unwrap()
                .hits
                .is_empty()
        );
        assert!(engine.references().search(&me, "text", None).await.unwrap().is_empty());
        assert!(engine.profile().get(&me).await.unwrap().is_none());
    }
    assert_eq!(fixture.store.counts(&OwnerId::me()).await.unwrap().entities, 0);
    let pasta = NewRow { data: fields(json!({ "dish": "pasta" })), ..row };
    engine
        .memories()
        .remember(&me, &RememberRequest { row: Some(pasta), ..RememberRequest::default() })
        .await
        .unwrap();
    let rows = SelectRequest { sql: "SELECT * FROM meals".into(), ..SelectRequest::default() };
    let told = other.tables().select(&me, &rows).await.unwrap();
    assert_eq!(told.rows.len(), 1, "a table of the same name has nothing of the erased one");
    engine.memories().remember(&me, &RememberRequest::text("The kiln is blue.")).await.unwrap();
}
