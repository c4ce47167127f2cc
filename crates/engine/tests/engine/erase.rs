//! Erasing everything of an owner, visible in every process.

use crate::fixture::{House, agent, fields, owner, refused};
use engine::entities::PutEntity;
use engine::recall::Recall;
use engine::references::FileReference;
use engine::remember::{NewRow, Remember};
use engine::tables::Select;
use model::{ErrorCode, OwnerId};
use serde_json::json;

#[tokio::test]
async fn nothing_is_erased_unconfirmed_or_by_an_agent() {
    let house = House::new().await;
    house.add("codex", "stays", |_| {}).await;
    let told = refused(
        house.engine.admin().erase_everything(&owner(), false).await,
        ErrorCode::InvalidArgument,
    );
    assert!(told.contains("1 memories"), "{told}");
    refused(
        house.engine.admin().erase_everything(&agent("codex"), true).await,
        ErrorCode::ConsentRequired,
    );
    assert_eq!(
        house.engine.memories().recall(&owner(), &Recall::query("stays")).await.unwrap().hits.len(),
        1
    );
}

#[tokio::test]
async fn everything_goes_with_a_receipt_for_each_place_and_every_process_hears_of_it() {
    let house = House::new().await;
    let snapshot = house.path("view.snapshot");
    let engine = house.twin(Some(snapshot.clone()));
    let (me, other) = (owner(), house.twin(None));
    std::fs::write(&snapshot, "a snapshot of what is there").unwrap();
    let row = NewRow {
        table: "meals".into(),
        description: None,
        data: fields(json!({ "food": "pizza" })),
    };
    engine.memories().remember(&me, &Remember::text("The kiln is blue.")).await.unwrap();
    engine
        .memories()
        .remember(&me, &Remember { row: Some(row.clone()), ..Remember::default() })
        .await
        .unwrap();
    let profile = Some(fields(json!({ "name": "Ines" })));
    engine.memories().remember(&me, &Remember { profile, ..Remember::default() }).await.unwrap();
    engine
        .graph()
        .put_entity(&me, &PutEntity { name: "Ada".into(), ..PutEntity::default() })
        .await
        .unwrap();
    engine
        .references()
        .put(&me, &FileReference { path: "a.md".into(), text: "# A\ntext".into() })
        .await
        .unwrap();
    let rows = Select { sql: "SELECT count(*) AS n FROM meals".into(), ..Select::default() };
    assert_eq!(other.tables().select(&me, &rows).await.unwrap().rows[0][0], json!(1));
    assert_eq!(other.memories().recall(&me, &Recall::query("kiln")).await.unwrap().hits.len(), 1);

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
            engine.memories().recall(&me, &Recall::query("kiln")).await.unwrap().hits.is_empty()
        );
        assert!(engine.references().search(&me, "text", None).await.unwrap().is_empty());
        assert!(engine.profile().get(&me).await.unwrap().is_none());
    }
    assert_eq!(house.store.counts(&OwnerId::me()).await.unwrap().entities, 0);
    let pasta = NewRow { data: fields(json!({ "dish": "pasta" })), ..row };
    engine
        .memories()
        .remember(&me, &Remember { row: Some(pasta), ..Remember::default() })
        .await
        .unwrap();
    let rows = Select { sql: "SELECT * FROM meals".into(), ..Select::default() };
    let told = other.tables().select(&me, &rows).await.unwrap();
    assert_eq!(told.rows.len(), 1, "a table of the same name has nothing of the erased one");
    engine.memories().remember(&me, &Remember::text("The kiln is blue.")).await.unwrap();
}
