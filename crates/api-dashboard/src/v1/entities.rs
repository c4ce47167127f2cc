//! Operations on entities: list, get, rename, merge, undo a merge, and delete.

use super::json::{EntityJson, ErasureProposalJson, format_time};
use super::memories::IdPath;
use super::paging::{ListJson, parse_page};
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::entities::{
    EntityMerge, EntityRef, EraseEntityOutcome, ListEntitiesRequest, RelationView,
};
use model::{EntityId, Failure, Memory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of memories of an entity whose beginning is returned.
const LATEST: usize = 12;
/// Maximum number of characters of such a beginning.
const EXCERPT_CHARS: usize = 240;

/// Filter for entities.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntityListQuery {
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
    context: RequestContext,
    _: NoFields,
    input: EntityListQuery,
) -> Result<ApiResponse<ListJson<EntityJson>>, Failure> {
    let page = parse_page(input.limit, input.cursor.as_deref())?;
    let list = ListEntitiesRequest {
        name: input.name,
        kind: input.kind,
        limit: Some(page.limit),
        offset: page.offset,
    };
    let listed = context.engine.graph().list_entities(&context.caller, &list).await?;
    let items = listed.items.into_iter().map(EntityJson::from).collect();
    ApiResponse::new(ListJson::new(items, listed.total, page))
}

/// An entity with its observations, relations and mentions.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntityDetailsJson {
    entity: EntityJson,
    /// Observations, newest first.
    observations: Vec<ObservationJson>,
    /// Relations, strongest first.
    relations: Vec<RelationJson>,
    /// Ids of the memories that mention it, newest first.
    memories: Vec<i64>,
    /// Beginnings of the newest of these memories.
    latest: Vec<MemoryExcerptJson>,
    /// Entities that were merged into it and can be parted from it again, newest first.
    merged: Vec<MergedEntityJson>,
}

/// An entity that was merged into another one.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MergedEntityJson {
    id: i64,
    kind: String,
    name: String,
    /// Time of the merge.
    at: String,
}

impl From<EntityMerge> for MergedEntityJson {
    fn from(merge: EntityMerge) -> Self {
        let EntityMerge { entity, kind, name, at } = merge;
        Self { id: entity.0, kind, name, at: format_time(at) }
    }
}

/// Beginning of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryExcerptJson {
    id: i64,
    kind: String,
    /// Title, or the beginning of the text.
    text: String,
    created_at: String,
}

impl From<Memory> for MemoryExcerptJson {
    fn from(memory: Memory) -> Self {
        let text = memory.title.unwrap_or(memory.text);
        Self {
            id: memory.id.0,
            kind: memory.kind.to_string(),
            text: text.chars().take(EXCERPT_CHARS).collect(),
            created_at: format_time(memory.provenance.at),
        }
    }
}

/// An observation about an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ObservationJson {
    text: String,
    at: String,
}

/// A relation between two entities.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RelationJson {
    /// Id of the source entity.
    source: i64,
    /// Id of the target entity.
    target: i64,
    /// Names of source and target.
    names: (String, String),
    /// Kind of the relation, in the active voice.
    kind: String,
    /// The relation in words: "lives in".
    label: String,
    /// The relation as subject, verb and object of a sentence to the owner: "You live in Porto".
    /// Only in the details of an entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<[String; 3]>,
    /// Strength of the relation.
    weight: f32,
    /// Time of the first statement.
    first_seen: String,
}

impl RelationJson {
    fn with_sentence(view: RelationView) -> Self {
        let sentence = Some(view.sentence());
        Self { sentence, ..view.into() }
    }
}

impl From<RelationView> for RelationJson {
    fn from(view: RelationView) -> Self {
        let label = view.label();
        let relation = view.relation;
        Self {
            label,
            sentence: None,
            source: relation.source.0,
            target: relation.target.0,
            names: (view.source, view.target),
            kind: relation.kind,
            weight: relation.weight,
            first_seen: format_time(relation.first_seen),
        }
    }
}

pub(super) async fn one(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<EntityDetailsJson>, Failure> {
    let view = context.engine.graph().entity(&context.caller, &entity_ref(path.id)).await?;
    let ids: Vec<_> = view.memories.items.iter().copied().take(LATEST).collect();
    let latest = if ids.is_empty() {
        Vec::new()
    } else {
        context.engine.memories().get(&context.caller, &ids).await?
    };
    let observations = view.observations.into_iter().map(|observation| ObservationJson {
        text: observation.text,
        at: format_time(observation.at),
    });
    ApiResponse::new(EntityDetailsJson {
        entity: view.entity.into(),
        observations: observations.collect(),
        relations: view.relations.into_iter().map(RelationJson::with_sentence).collect(),
        memories: view.memories.items.iter().map(|id| id.0).collect(),
        latest: latest.into_iter().map(MemoryExcerptJson::from).collect(),
        merged: view.merged.into_iter().map(MergedEntityJson::from).collect(),
    })
}

pub(super) fn entity_ref(id: i64) -> EntityRef {
    EntityRef::Id(EntityId(id))
}

/// A new name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenameEntityBody {
    /// New name; the old one is kept as an alias.
    name: String,
}

/// A renamed entity.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RenamedEntityJson {
    /// The entity after the change.
    #[serde(flatten)]
    entity: EntityJson,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

pub(super) async fn rename(
    context: RequestContext,
    path: IdPath,
    input: RenameEntityBody,
) -> Result<ApiResponse<RenamedEntityJson>, Failure> {
    let renamed = context
        .engine
        .graph()
        .rename_entity(&context.caller, &entity_ref(path.id), &input.name)
        .await?;
    ApiResponse::new(RenamedEntityJson { entity: renamed.entity.into(), notes: renamed.notes })
}

/// Target of a merge.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MergeEntityBody {
    /// Id of the entity that stays.
    into: i64,
}

/// An entity that was deleted or merged, or that waits for the owner's consent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErasedEntityJson {
    /// The deleted entity as it was, or the one that stays.
    #[serde(flatten)]
    entity: EntityJson,
    /// Proposal that waits; nothing was changed then.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<ErasureProposalJson>,
}

impl From<EraseEntityOutcome> for ErasedEntityJson {
    fn from(done: EraseEntityOutcome) -> Self {
        let proposal = done.proposal.as_ref().map(ErasureProposalJson::from);
        Self { entity: done.entity.into(), proposal }
    }
}

pub(super) async fn merge(
    context: RequestContext,
    path: IdPath,
    input: MergeEntityBody,
) -> Result<ApiResponse<ErasedEntityJson>, Failure> {
    let merged = context
        .engine
        .graph()
        .merge_entities(&context.caller, &entity_ref(path.id), &entity_ref(input.into))
        .await?;
    ApiResponse::new(merged.into())
}

pub(super) async fn undo_merge(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<EntityJson>, Failure> {
    let graph = context.engine.graph();
    ApiResponse::new(graph.undo_merge(&context.caller, EntityId(path.id)).await?.into())
}

pub(super) async fn delete(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<ErasedEntityJson>, Failure> {
    ApiResponse::new(
        context.engine.graph().delete_entity(&context.caller, &entity_ref(path.id)).await?.into(),
    )
}
