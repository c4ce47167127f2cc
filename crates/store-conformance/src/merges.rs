//! Undoing a merge of two entities: everything is as before, and nothing later is lost.

use super::builders::{fields, forget, mention};
use super::fixture::{StoreFixture, full_page};
use model::{Entity, EntityId, ErrorCode, MemoryId, Mention, NewEntity, Observation, RelationId};
use serde_json::{Value, json};
use store::{
    AttributedRelation, Change, ChangeResult, EntityEdit, NewObservation, NewRelation, Ref,
};

/// Two entities with everything that merging joins: `[ada, countess, bob]`, and three memories.
struct MergeStory {
    ada: EntityId,
    countess: EntityId,
    bob: EntityId,
    /// A memory about both, and one about each of the two.
    both: MemoryId,
    of_ada: MemoryId,
    of_countess: MemoryId,
}

/// All that is stored about the entities of the story.
#[derive(Debug, PartialEq)]
struct GraphState {
    entities: Vec<Entity>,
    observations: Vec<Vec<Observation>>,
    relations: Vec<AttributedRelation>,
    mentions: Vec<Vec<Mention>>,
}

async fn put(
    at: &StoreFixture,
    second: i64,
    kind: &str,
    name: &str,
    properties: Value,
) -> EntityId {
    let confidence = if second == 1 { 0.5 } else { 0.75 };
    let properties = fields(properties);
    let new = NewEntity { kind: Some(kind.into()), name: name.into(), properties, confidence };
    at.apply_at(second, Change::PutEntity(new)).await.entity().unwrap()
}

fn observe(entity: EntityId, text: &str, memory: Option<MemoryId>) -> Change {
    let memory = memory.map(Ref::Id);
    Change::Observe(NewObservation { entity: Ref::Id(entity), text: text.to_owned(), memory })
}

fn relate(
    (source, target): (EntityId, EntityId),
    kind: &str,
    memory: Option<MemoryId>,
    properties: Value,
) -> Change {
    Change::Relate(Box::new(NewRelation {
        source: Ref::Id(source),
        target: Ref::Id(target),
        kind: kind.into(),
        weight: 1.5,
        confidence: 0.5,
        memory: memory.map(Ref::Id),
        properties: fields(properties),
    }))
}

impl MergeStory {
    async fn tell(at: &StoreFixture) -> Self {
        let ada = put(at, 1, "person", "Ada", json!({"born": 1815, "city": "London"})).await;
        let countess = put(at, 2, "noble", "Lovelace", json!({"title": "countess"})).await;
        let bob = put(at, 3, "person", "Bob", json!({})).await;
        let edit = EntityEdit { name: Some("The Countess".into()), ..EntityEdit::default() };
        at.write(vec![Change::EditEntity { entity: countess, edit }]).await;
        let story = Self {
            ada,
            countess,
            bob,
            both: at.remember("Ada is the Countess").await,
            of_ada: at.remember("Ada knows Bob").await,
            of_countess: at.remember("The Countess knows Bob").await,
        };
        story.state_facts(at).await;
        story
    }

    async fn state_facts(&self, at: &StoreFixture) {
        let Self { ada, countess, bob, both, of_ada, of_countess } = *self;
        let changes = vec![
            mention(both, ada, "Ada"),
            mention(both, countess, "the Countess"),
            mention(of_ada, ada, "Ada"),
            mention(of_countess, countess, "The Countess"),
            observe(ada, "likes tea", Some(of_ada)),
            observe(countess, "likes tea", Some(of_countess)),
            observe(countess, "rides", None),
            relate((ada, bob), "knows", Some(of_ada), json!({"since": 2020})),
            relate((countess, bob), "knows", Some(of_countess), json!({"since": 1999, "at": "x"})),
            relate((bob, countess), "admires", None, json!({"much": true})),
            relate((countess, ada), "is", Some(both), json!({"sure": 1})),
        ];
        at.write_at(5, changes).await;
    }

    async fn state(&self, at: &StoreFixture) -> GraphState {
        let ids = [self.ada, self.countess, self.bob];
        let mut observations = Vec::new();
        for id in ids {
            observations
                .push(at.store.observations(&at.owner, id, full_page()).await.unwrap().items);
        }
        let mut mentions = Vec::new();
        for id in [self.both, self.of_ada, self.of_countess] {
            mentions.push(at.store.mentions(&at.owner, id).await.unwrap());
        }
        let relations = at.store.relations_after(&at.owner, RelationId(0), 99).await.unwrap();
        let entities = at.store.entities(&at.owner, &ids).await.unwrap();
        GraphState { entities, observations, relations, mentions }
    }

    async fn merge(&self, at: &StoreFixture) {
        let (from, into) = (self.countess, self.ada);
        at.write_at(6, vec![Change::MergeEntities { from: Ref::Id(from), into: Ref::Id(into) }])
            .await;
    }

    async fn undo(&self, at: &StoreFixture) {
        let undone = at.apply_at(9, Change::UndoMerge { entity: self.countess }).await;
        assert_eq!(undone, ChangeResult::Entity(self.countess));
    }
}

pub async fn undoing_a_merge_restores_both_entities_exactly(at: &StoreFixture) {
    let story = MergeStory::tell(at).await;
    let before = story.state(at).await;
    story.merge(at).await;
    assert_ne!(story.state(at).await, before);
    let listed = at.store.merges_into(&at.owner, story.ada).await.unwrap();
    let names: Vec<_> = listed.iter().map(|one| (one.entity, one.name.as_str())).collect();
    assert_eq!(names, [(story.countess, "The Countess")]);
    let seq = at.seq().await;
    story.undo(at).await;
    assert_eq!(story.state(at).await, before);
    assert!(at.store.merges_into(&at.owner, story.ada).await.unwrap().is_empty());
    let changes = at.store.changes(&at.owner, seq, 99).await.unwrap();
    let touched: Vec<_> = changes.entries.iter().map(|entry| entry.memory.id).collect();
    assert!(touched.contains(&story.both) && touched.contains(&story.of_countess), "{touched:?}");
    let again = at.refusal_code(vec![Change::UndoMerge { entity: story.countess }]).await;
    assert_eq!(again, ErrorCode::NotFound, "it is undone once");
    story.merge(at).await;
    story.undo(at).await;
    assert_eq!(story.state(at).await, before, "and can be merged and undone again");
}

pub async fn what_changed_after_a_merge_stays_when_it_is_undone(at: &StoreFixture) {
    let story = MergeStory::tell(at).await;
    let before = story.state(at).await;
    story.merge(at).await;
    let MergeStory { ada, countess, bob, .. } = story;
    let (of_ada, of_countess) = (at.remember("later").await, at.remember("later too").await);
    let edit = EntityEdit {
        name: Some("Ada King".into()),
        properties: fields(json!({"city": "Ockham", "died": 1852})),
        ..EntityEdit::default()
    };
    let later = vec![
        Change::EditEntity { entity: ada, edit },
        mention(of_ada, ada, "Ada"),
        mention(of_countess, ada, "the countess"),
        observe(ada, "wrote programs", Some(of_ada)),
        relate((ada, bob), "knows", Some(of_ada), json!({"until": 2026})),
        relate((ada, bob), "teaches", None, json!({})),
    ];
    at.write_at(7, later).await;
    story.undo(at).await;
    let ada_now = at.entity(ada).await;
    assert_eq!(
        (ada_now.name.as_str(), ada_now.aliases.as_slice()),
        ("Ada King", &["Ada".into()][..])
    );
    let properties = fields(json!({"born": 1815, "city": "Ockham", "died": 1852}));
    assert_eq!(ada_now.properties, properties, "what was edited since stays");
    let noted = at.store.mentions(&at.owner, of_ada).await.unwrap();
    assert_eq!(noted[0].entity, ada);
    let noted = at.store.mentions(&at.owner, of_countess).await.unwrap();
    assert_eq!(noted[0].entity, countess, "a name that only the other one had is its own");
    let after = story.state(at).await;
    assert_eq!(after.entities[1].aliases, before.entities[1].aliases);
    let texts = |of: &Vec<Observation>| of.iter().map(|one| one.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&after.observations[0]), ["wrote programs", "likes tea"]);
    assert_eq!(after.observations[1], before.observations[1]);
    expect_relations(&story, &after.relations, of_ada);
}

fn expect_relations(story: &MergeStory, relations: &[AttributedRelation], later: MemoryId) {
    let find = |source, target, kind: &str| {
        let ends = (source, target);
        let is = |one: &&AttributedRelation| {
            (one.relation.source, one.relation.target) == ends && one.relation.kind == kind
        };
        relations.iter().find(is).unwrap()
    };
    let (ada, countess, bob) = (story.ada, story.countess, story.bob);
    let own = find(ada, bob, "knows");
    assert_eq!(own.stated_in, [story.of_ada, later]);
    assert_eq!(own.relation.properties, fields(json!({"since": 2020, "until": 2026})));
    assert_eq!(own.relation.weight, 3.0, "what was stated since counts");
    let other = find(countess, bob, "knows");
    assert_eq!(other.stated_in, [story.of_countess]);
    assert_eq!(other.relation.properties, fields(json!({"since": 1999, "at": "x"})));
    assert_eq!(other.relation.weight, 1.5);
    find(ada, bob, "teaches");
    find(bob, countess, "admires");
    find(countess, ada, "is");
    assert_eq!(relations.len(), 5, "{relations:?}");
}

pub async fn merges_into_one_entity_are_undone_newest_first(at: &StoreFixture) {
    let story = MergeStory::tell(at).await;
    let before = story.state(at).await;
    story.merge(at).await;
    at.write(vec![Change::MergeEntities { from: Ref::Id(story.bob), into: Ref::Id(story.ada) }])
        .await;
    let listed = at.store.merges_into(&at.owner, story.ada).await.unwrap();
    let order: Vec<_> = listed.iter().map(|one| one.entity).collect();
    assert_eq!(order, [story.bob, story.countess]);
    let undo = |entity| vec![Change::UndoMerge { entity }];
    assert_eq!(at.refusal_code(undo(story.countess)).await, ErrorCode::Conflict);
    at.write(undo(story.bob)).await;
    at.write(undo(story.countess)).await;
    assert_eq!(story.state(at).await, before);
}

pub async fn a_merge_is_undone_only_while_its_entity_and_the_name_are_there(at: &StoreFixture) {
    let story = MergeStory::tell(at).await;
    story.merge(at).await;
    let undo = vec![Change::UndoMerge { entity: story.countess }];
    at.write(vec![Change::MergeEntities { from: Ref::Id(story.ada), into: Ref::Id(story.bob) }])
        .await;
    assert_eq!(at.refusal_code(undo.clone()).await, ErrorCode::Conflict, "merged once more");
    at.write(vec![Change::UndoMerge { entity: story.ada }]).await;
    let edit = EntityEdit {
        name: Some("the countess".into()),
        kind: Some("noble".into()),
        ..EntityEdit::default()
    };
    let rename = |entity| Change::EditEntity { entity, edit: edit.clone() };
    at.write(vec![rename(story.ada)]).await;
    assert_eq!(at.refusal_code(undo.clone()).await, ErrorCode::Conflict, "the name is taken");
    at.write(vec![Change::DeleteEntity(story.ada)]).await;
    assert_eq!(at.refusal_code(undo).await, ErrorCode::NotFound, "nothing is kept of it");
}

pub async fn undoing_a_merge_brings_nothing_forgotten_back(at: &StoreFixture) {
    let story = MergeStory::tell(at).await;
    story.merge(at).await;
    at.write(vec![forget(&[story.of_countess, story.both])]).await;
    story.undo(at).await;
    let after = story.state(at).await;
    let texts: Vec<_> = after.observations[1].iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["rides"], "what no forgotten memory states is back");
    let kinds: Vec<_> = after.relations.iter().map(|one| one.relation.kind.as_str()).collect();
    assert_eq!(kinds, ["knows", "admires"]);
    assert_eq!(after.relations[0].stated_in, [story.of_ada]);
    assert_eq!(at.entity(story.countess).await.mentions, 0);
}

pub async fn nothing_is_kept_of_a_merged_entity_that_only_forgotten_memories_state(
    at: &StoreFixture,
) {
    let (ada, countess) = (at.put_entity("Ada").await, at.put_entity("The Countess").await);
    let (kept, gone) = (at.remember("Ada").await, at.remember("The Countess").await);
    at.write(vec![mention(kept, ada, "Ada"), mention(gone, countess, "The Countess")]).await;
    at.write(vec![Change::MergeEntities { from: Ref::Id(countess), into: Ref::Id(ada) }]).await;
    let receipt = at.apply(forget(&[gone])).await;
    let ChangeResult::Forgotten(receipt) = receipt else { panic!("{receipt:?}") };
    assert_eq!(receipt.removed_from("merges"), 1);
    assert!(at.store.merges_into(&at.owner, ada).await.unwrap().is_empty());
    let undo = vec![Change::UndoMerge { entity: countess }];
    assert_eq!(at.refusal_code(undo).await, ErrorCode::NotFound);
}
