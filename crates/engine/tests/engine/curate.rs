//! Curated notes, as far as the dialect's own tests cannot check: trust, projects, and corrected
//! notes.

use crate::fixture::{EngineFixture, agent, owner};
use engine::remember::{RememberRequest, RememberStatus};
use model::{LinkKind, Status};

fn note(title: &str, text: &str) -> RememberRequest {
    RememberRequest { title: Some(title.into()), ..RememberRequest::text(text) }
}

#[tokio::test]
async fn a_fuller_version_only_proposes_to_replace_what_the_owner_typed() {
    let fixture = EngineFixture::new().await;
    let typed = fixture
        .engine
        .memories()
        .remember(&owner(), &note("Oven", "The oven is gas."))
        .await
        .unwrap()
        .id
        .unwrap();
    let filed = fixture
        .engine
        .memories()
        .curate(&agent("a"), &note("Oven", "The oven is gas. It is old."))
        .await
        .unwrap();
    assert_eq!(filed.remembered.status, RememberStatus::Proposed);
    assert_eq!(fixture.memory(typed).await.status, Status::Active);
}

#[tokio::test]
async fn a_note_of_another_project_is_linked_and_never_superseded() {
    let fixture = EngineFixture::new().await;
    let here = |project: &str, text: &str| RememberRequest {
        project: Some(project.into()),
        ..note("Oven", text)
    };
    let other = fixture
        .engine
        .memories()
        .curate(&agent("a"), &here("one", "The oven is gas."))
        .await
        .unwrap();
    let filed = fixture
        .engine
        .memories()
        .curate(&agent("a"), &here("two", "The oven is gas. It is old."))
        .await
        .unwrap();
    assert_eq!(filed.remembered.status, RememberStatus::Created);
    assert_eq!(filed.similar, [other.remembered.id.unwrap()]);
}

#[tokio::test]
async fn a_title_resolves_to_the_current_version() {
    let fixture = EngineFixture::new().await;
    let old = fixture
        .engine
        .memories()
        .curate(&agent("a"), &note("Oven", "The oven is gas."))
        .await
        .unwrap()
        .remembered
        .id
        .unwrap();
    let new = RememberRequest { supersedes: vec![old], ..note("Oven", "The oven is electric.") };
    let new = fixture.engine.memories().remember(&agent("a"), &new).await.unwrap().id.unwrap();
    let filed = fixture
        .engine
        .memories()
        .curate(&agent("a"), &note("Bread", "Bake it in the [[oven]]."))
        .await
        .unwrap();
    assert_eq!(filed.links, [("oven".to_owned(), new)]);
    let links =
        fixture.store.links(&model::OwnerId::me(), filed.remembered.id.unwrap()).await.unwrap();
    assert_eq!((links.outgoing[0].target, links.outgoing[0].kind), (new, LinkKind::RelatedTo));
}

#[tokio::test]
async fn a_note_that_links_to_itself_can_be_added_twice() {
    let fixture = EngineFixture::new().await;
    let own = note("Oven", "See [[Oven]].");
    fixture.engine.memories().curate(&agent("a"), &own).await.unwrap();
    let again = fixture.engine.memories().curate(&agent("a"), &own).await.unwrap();
    assert_eq!((again.remembered.status, again.links), (RememberStatus::Duplicate, vec![]));
}
