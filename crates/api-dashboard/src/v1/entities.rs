//! Entities: listed, read, renamed, merged and deleted.

use super::memories::ById;
use super::paging::{Listed, page};
use super::shown::{EntityShown, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::entities::{EntityRef, ListEntities, RelationView};
use model::{EntityId, Failure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which entities to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sought {
    /// Whose name contains this.
    name: Option<String>,
    /// Of this sort.
    kind: Option<String>,
    /// How many at most.
    limit: Option<u16>,
    /// Where the page before ended.
    cursor: Option<String>,
}

pub(super) async fn list(
    desk: Desk,
    _: Nothing,
    input: Sought,
) -> Result<Answer<Listed<EntityShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let list = ListEntities {
        name: input.name,
        kind: input.kind,
        limit: Some(page.limit),
        offset: page.offset,
    };
    let listed = desk.engine.graph().list_entities(&desk.caller, &list).await?;
    let items = listed.items.into_iter().map(EntityShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

/// An entity with what is known of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WholeEntity {
    /// The entity.
    entity: EntityShown,
    /// What was said of it, newest first.
    observations: Vec<Said>,
    /// How it relates, strongest first.
    relations: Vec<RelationShown>,
    /// The memories that mention it, newest first.
    memories: Vec<i64>,
}

/// What was said of an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Said {
    text: String,
    at: String,
}

/// How two entities relate.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RelationShown {
    /// The number of where it starts.
    source: i64,
    /// The number of where it ends.
    target: i64,
    /// The names of both ends.
    names: (String, String),
    /// In the active voice.
    kind: String,
    /// How strong.
    weight: f32,
}

impl From<RelationView> for RelationShown {
    fn from(view: RelationView) -> Self {
        let relation = view.relation;
        Self {
            source: relation.source.0,
            target: relation.target.0,
            names: (view.source, view.target),
            kind: relation.kind,
            weight: relation.weight,
        }
    }
}

pub(super) async fn one(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<WholeEntity>, Failure> {
    let view = desk.engine.graph().entity(&desk.caller, &by_id(path.id)).await?;
    let said =
        view.observations.into_iter().map(|said| Said { text: said.text, at: time(said.at) });
    Answer::of(WholeEntity {
        entity: view.entity.into(),
        observations: said.collect(),
        relations: view.relations.into_iter().map(RelationShown::from).collect(),
        memories: view.memories.items.iter().map(|id| id.0).collect(),
    })
}

pub(super) fn by_id(id: i64) -> EntityRef {
    EntityRef::Id(EntityId(id))
}

/// Another name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewName {
    /// The name; the old one stays as an alias.
    name: String,
}

/// An entity under another name.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Renamed {
    /// The entity as it stands.
    #[serde(flatten)]
    entity: EntityShown,
    /// What was changed on the way in, in sentences.
    notes: Vec<String>,
}

pub(super) async fn rename(
    desk: Desk,
    path: ById,
    input: NewName,
) -> Result<Answer<Renamed>, Failure> {
    let renamed =
        desk.engine.graph().rename_entity(&desk.caller, &by_id(path.id), &input.name).await?;
    Answer::of(Renamed { entity: renamed.entity.into(), notes: renamed.notes })
}

/// The entity that stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Survivor {
    /// Its number.
    into: i64,
}

pub(super) async fn merge(
    desk: Desk,
    path: ById,
    input: Survivor,
) -> Result<Answer<EntityShown>, Failure> {
    let merged = desk
        .engine
        .graph()
        .merge_entities(&desk.caller, &by_id(path.id), &by_id(input.into))
        .await?;
    Answer::of(merged.into())
}

pub(super) async fn delete(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<EntityShown>, Failure> {
    Answer::of(desk.engine.graph().delete_entity(&desk.caller, &by_id(path.id)).await?.into())
}
