//! Operations on entities: list, get, rename, merge and delete.

use super::memories::ById;
use super::paging::{Listed, page};
use super::shown::{EntityShown, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::entities::{EntityRef, ListEntities, RelationView};
use model::{EntityId, Failure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Filter for entities.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sought {
    /// Text that the name contains.
    name: Option<String>,
    /// Kind of the entity.
    kind: Option<String>,
    /// Maximum number of items.
    limit: Option<u16>,
    /// Value of `next` from the previous page.
    cursor: Option<String>,
}

pub(super) async fn list(
    context: Desk,
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
    let listed = context.engine.graph().list_entities(&context.caller, &list).await?;
    let items = listed.items.into_iter().map(EntityShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

/// An entity with its observations, relations and mentions.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WholeEntity {
    entity: EntityShown,
    /// Observations, newest first.
    observations: Vec<Said>,
    /// Relations, strongest first.
    relations: Vec<RelationShown>,
    /// Ids of the memories that mention it, newest first.
    memories: Vec<i64>,
}

/// An observation about an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Said {
    text: String,
    at: String,
}

/// A relation between two entities.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RelationShown {
    /// Id of the source entity.
    source: i64,
    /// Id of the target entity.
    target: i64,
    /// Names of source and target.
    names: (String, String),
    /// Kind of the relation, in the active voice.
    kind: String,
    /// Strength of the relation.
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
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<WholeEntity>, Failure> {
    let view = context.engine.graph().entity(&context.caller, &by_id(path.id)).await?;
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

/// A new name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewName {
    /// New name; the old one is kept as an alias.
    name: String,
}

/// A renamed entity.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Renamed {
    /// The entity after the change.
    #[serde(flatten)]
    entity: EntityShown,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

pub(super) async fn rename(
    context: Desk,
    path: ById,
    input: NewName,
) -> Result<Answer<Renamed>, Failure> {
    let renamed =
        context.engine.graph().rename_entity(&context.caller, &by_id(path.id), &input.name).await?;
    Answer::of(Renamed { entity: renamed.entity.into(), notes: renamed.notes })
}

/// Target of a merge.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Survivor {
    /// Id of the entity that stays.
    into: i64,
}

pub(super) async fn merge(
    context: Desk,
    path: ById,
    input: Survivor,
) -> Result<Answer<EntityShown>, Failure> {
    let merged = context
        .engine
        .graph()
        .merge_entities(&context.caller, &by_id(path.id), &by_id(input.into))
        .await?;
    Answer::of(merged.into())
}

pub(super) async fn delete(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<EntityShown>, Failure> {
    Answer::of(context.engine.graph().delete_entity(&context.caller, &by_id(path.id)).await?.into())
}
