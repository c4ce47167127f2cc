//! Remaking derived memories: another text under the same id, and nothing left of the old one.

use super::builders::{batch, contradiction, mention, moment, remade, vector};
use super::fixture::{StoreFixture, full_page};
use model::{ContentHash, JsonMap, LinkKind, MemoryId, Origin};
use store::{
    Batch, Change, ChangeResult, Conflict, ExpectedVersion, NewObservation, NewRelation, Ref,
    ReviewQuery, WriteError,
};

pub async fn a_remade_memory_has_another_text_under_the_same_id(at: &StoreFixture) {
    let (part, derived) = (at.remember("a part").await, at.remember("quotes: a part").await);
    at.write(vec![super::builders::link(part, derived, LinkKind::PartOf)]).await;
    let before = at.memory(derived).await;
    let result = at.apply_at(60, remade(derived, "quotes: nothing")).await;
    assert_eq!(result, ChangeResult::Remade(derived));
    let after = at.memory(derived).await;
    assert_eq!((after.text.as_str(), after.updated_at), ("quotes: nothing", moment(60)));
    assert_eq!(after.provenance.trust, Origin::Inferred.trust());
    let mut expected = before;
    expected.text.clone_from(&after.text);
    (expected.updated_at, expected.provenance.trust) = (after.updated_at, after.provenance.trust);
    assert_eq!(after, expected, "nothing else changes");
    assert_eq!(at.links(derived).await.incoming.len(), 1);
}

pub async fn nothing_that_was_read_from_the_old_text_stays(at: &StoreFixture) {
    let (other, derived) = (at.remember("another").await, at.remember("about Ada and Bob").await);
    let (ada, bob) = (at.put_entity("Ada").await, at.put_entity("Bob").await);
    at.write(vec![
        Change::SetVector { memory: derived, vector: vector("m", 1) },
        mention(derived, ada, "Ada"),
        contradiction(derived, other),
        contradiction(other, derived),
        Change::Observe(NewObservation {
            entity: Ref::Id(bob),
            text: "is about Bob".into(),
            memory: Some(Ref::Id(derived)),
        }),
        Change::Relate(Box::new(NewRelation {
            source: Ref::Id(ada),
            target: Ref::Id(bob),
            kind: "knows".into(),
            weight: 1.0,
            confidence: 1.0,
            memory: Some(Ref::Id(derived)),
            properties: JsonMap::new(),
        })),
    ])
    .await;
    at.apply_at(60, remade(derived, "about nobody")).await;
    let store = &at.store;
    assert_eq!(store.vector(&at.owner, derived).await.unwrap(), None);
    assert!(store.mentions(&at.owner, derived).await.unwrap().is_empty());
    assert!(store.relations(&at.owner, &[ada, bob]).await.unwrap().is_empty());
    assert!(store.entities(&at.owner, &[ada, bob]).await.unwrap().is_empty(), "both are orphans");
    let about = ReviewQuery { memories: Some(vec![derived]), ..ReviewQuery::default() };
    assert_eq!(store.reviews(&at.owner, &about, full_page()).await.unwrap().total, 0);
}

pub async fn a_remade_memory_is_found_by_its_new_text_alone(at: &StoreFixture) {
    let derived = at.remember("the old text").await;
    at.apply_at(60, remade(derived, "the new text")).await;
    let found = async |text: &str| {
        at.store.memory_by_text(&at.owner, ContentHash::of_text(text)).await.unwrap()
    };
    assert_eq!((found("the old text").await, found("The NEW text").await), (None, Some(derived)));
    assert_eq!(at.forgotten_at("the old text").await, None, "it was not forgotten");
}

pub async fn a_remade_memory_is_returned_to_the_view(at: &StoreFixture) {
    let derived = at.remember("the old text").await;
    let seq = at.seq().await;
    let new = Change::RemakeMemory {
        memory: derived,
        text: "the new text".into(),
        trust: Origin::Outside.trust(),
        vector: Some(vector("m", 3)),
        erase: true,
    };
    at.apply_at(60, new).await;
    let changes = at.store.changes(&at.owner, seq, 10).await.unwrap();
    let [entry] = &changes.entries[..] else { panic!("one entry, not {changes:?}") };
    assert_eq!((entry.memory.id, entry.memory.text.as_str()), (derived, "the new text"));
    assert_eq!(entry.vector, Some(vector("m", 3)));
}

pub async fn remaking_something_unknown_or_without_a_text_is_refused(at: &StoreFixture) {
    let derived = at.remember("a text").await;
    let unknown = at.expect_refused(batch(vec![remade(MemoryId(987_654), "a text")])).await;
    assert!(matches!(unknown, WriteError::NotFound { .. }), "{unknown:?}");
    let long = "x".repeat(model::limits::TEXT_BYTES + 1);
    for text in ["", " ", long.as_str()] {
        let refusal = at.expect_refused(batch(vec![remade(derived, text)])).await;
        assert!(matches!(refusal, WriteError::Refused(_)), "{refusal:?}");
    }
    assert_eq!(at.memory(derived).await.text, "a text");
}

pub async fn a_text_made_from_an_outdated_source_is_refused(at: &StoreFixture) {
    let (part, derived) = (at.remember("a part").await, at.remember("quotes: a part").await);
    let read_at = at.seq().await;
    let expecting = |memories: Vec<MemoryId>| Batch {
        expected_versions: vec![ExpectedVersion::Sources { memories, read_at }],
        ..batch(vec![remade(derived, "quotes: it")])
    };
    at.remember("something else").await;
    at.commit(expecting(vec![part, MemoryId(987_654)])).await;
    let link = super::builders::link(part, derived, LinkKind::PartOf);
    at.write(vec![link]).await;
    let late = at.expect_refused(expecting(vec![part])).await;
    assert!(matches!(late, WriteError::Conflict(Conflict::SourcesChanged)), "{late:?}");
}
