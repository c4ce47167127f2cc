//! Operations on memories: list, remember, get, correct, flag, forget, tag and retire.

use super::json::{
    ErasureProposalJson, FlagJson, MemoryJson, NamedCount, memory_tag, named_counts,
};
use super::paging::{ListJson, parse_page};
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::correct::CorrectRequest;
use engine::edit::{TagMemoriesOutcome, TagMemoriesRequest};
use engine::forget::ForgetRequest;
use engine::remember::{RememberOutcome, RememberRequest, RememberStatus};
use engine::review::FlagMemoryRequest;
use engine::{ExpectedVersion, MemoryQuery, MemorySort};
use model::{AgentName, Failure, Kind, MemoryId, Moment, QuestionId, SessionId, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Path parameter of one item.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct IdPath {
    /// Id of the item.
    pub id: i64,
}

/// Filter for memories. A missing field does not filter.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryListQuery {
    /// Kind of the memory.
    pub kind: Option<String>,
    /// Tag of the memory.
    pub tag: Option<String>,
    /// Name of the project.
    pub project: Option<String>,
    /// Name of the collection.
    pub collection: Option<String>,
    /// Name of the agent.
    pub agent: Option<String>,
    /// Id of the session.
    pub session: Option<i64>,
    /// Status; default `active`; `any` for all.
    pub status: Option<String>,
    /// Start of the period: `2026-05-03`.
    pub since: Option<String>,
    /// End of the period.
    pub until: Option<String>,
    /// Maximum number of items.
    pub limit: Option<u16>,
    /// Value of `next` from the previous page.
    pub cursor: Option<String>,
}

impl MemoryListQuery {
    /// Converts the filter into a query of the engine.
    pub fn query(&self) -> Result<MemoryQuery, Failure> {
        let some = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Ok(MemoryQuery {
            kinds: some(&self.kind).map(|kind| Kind::new(&kind)).transpose()?.into_iter().collect(),
            statuses: parse_statuses(self.status.as_deref())?,
            sessions: self.session.map(SessionId).into_iter().collect(),
            project: some(&self.project),
            collection: some(&self.collection),
            agent: some(&self.agent).map(|agent| AgentName::new(&agent)),
            tags: some(&self.tag).into_iter().collect(),
            created_from: parse_moment(some(&self.since).as_deref())?,
            created_until: parse_moment(some(&self.until).as_deref())?,
            sort: MemorySort::Newest,
            ..MemoryQuery::default()
        })
    }
}

fn parse_statuses(named: Option<&str>) -> Result<Vec<Status>, Failure> {
    match named.unwrap_or("active").trim() {
        "any" => Ok(Vec::new()),
        // A form sends an empty field when nothing is selected.
        "" => Ok(vec![Status::Active]),
        name => Status::parse(name).map(|status| vec![status]).ok_or_else(|| {
            Failure::invalid(
                "the status must be one of active, proposed, superseded, rejected, retired, any",
            )
        }),
    }
}

/// Parses an optional point in time.
pub(crate) fn parse_moment(text: Option<&str>) -> Result<Option<Moment>, Failure> {
    text.map(Moment::parse).transpose().map_err(|error| Failure::invalid(error.to_string()))
}

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    input: MemoryListQuery,
) -> Result<ApiResponse<ListJson<MemoryJson>>, Failure> {
    let page = parse_page(input.limit, input.cursor.as_deref())?;
    let listed = context.engine.memories().list(&context.caller, &input.query()?, page).await?;
    let items = listed.items.into_iter().map(MemoryJson::from).collect();
    ApiResponse::new(ListJson::new(items, listed.total, page))
}

/// A memory to write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RememberBody {
    /// Text of the memory.
    text: String,
    /// Title of the memory.
    title: Option<String>,
    /// Kind of the memory; default `note`.
    kind: Option<String>,
    /// Tags of the memory.
    #[serde(default)]
    tags: Vec<String>,
    /// Name of the project.
    project: Option<String>,
    /// Name of the collection.
    collection: Option<String>,
    /// Priority, 1 (most important) to 5.
    priority: Option<u8>,
    /// Value from 0 to 1.
    confidence: Option<f32>,
    /// End of validity.
    expires: Option<String>,
    /// Ids of the memories that it replaces.
    #[serde(default)]
    supersedes: Vec<i64>,
    /// Write the memory even if the same text was forgotten before.
    #[serde(default)]
    allow_forgotten: bool,
    /// Key that makes a retry safe.
    idempotency_key: Option<String>,
    /// Id of the unanswered question that it answers, which is then dismissed.
    answers: Option<i64>,
}

/// Result of writing a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RememberJson {
    /// The memory concerned.
    id: Option<i64>,
    /// `created`, `duplicate`, `proposed` or `profile_only`.
    happened: &'static str,
    /// Ids of all memories that it superseded.
    superseded: Vec<i64>,
    /// Ids of those that it superseded because it gives another value to the same state.
    replaced: Vec<i64>,
    /// Ids of memories that say nearly the same.
    similar: Vec<i64>,
    /// Ids of the contradicted memories.
    conflicts: Vec<i64>,
    /// Changes made to the input and ignored fields, in sentences.
    notes: Vec<String>,
}

impl From<RememberOutcome> for RememberJson {
    fn from(done: RememberOutcome) -> Self {
        let ignored =
            done.ignored.into_iter().map(|one| format!("{} was ignored: {}", one.field, one.why));
        Self {
            id: done.id.map(|id| id.0),
            happened: match done.status {
                RememberStatus::Created => "created",
                RememberStatus::Duplicate => "duplicate",
                RememberStatus::Proposed => "proposed",
                RememberStatus::ProfileOnly => "profile_only",
            },
            superseded: done.superseded.iter().map(|id| id.0).collect(),
            replaced: done.replaced.iter().map(|one| one.memory.0).collect(),
            similar: done.similar.iter().map(|one| one.memory.0).collect(),
            conflicts: done.conflicts.iter().map(|conflict| conflict.memory.0).collect(),
            notes: done.notes.into_iter().chain(ignored).collect(),
        }
    }
}

pub(super) async fn remember(
    context: RequestContext,
    _: NoFields,
    input: RememberBody,
) -> Result<ApiResponse<RememberJson>, Failure> {
    let remember = RememberRequest {
        title: input.title,
        kind: input.kind,
        tags: input.tags,
        project: input.project,
        collection: input.collection,
        priority: input.priority,
        confidence: input.confidence,
        expires: parse_moment(input.expires.as_deref())?,
        supersedes: input.supersedes.into_iter().map(MemoryId).collect(),
        allow_forgotten: input.allow_forgotten,
        idempotency_key: input.idempotency_key,
        ..RememberRequest::text(input.text)
    };
    let done = context.engine.memories().remember(&context.caller, &remember).await?;
    let mut outcome = RememberJson::from(done);
    if let Some(question) = input.answers {
        let dismissed =
            context.engine.admin().dismiss_question(&context.caller, QuestionId(question)).await;
        // The memory is written by now, so that this must not fail the request.
        let note = |failure: Failure| format!("question {question} stays open: {failure}");
        outcome.notes.extend(dismissed.err().map(note));
    }
    ApiResponse::new(outcome)
}

/// A memory with its links, entities and flags.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryDetailsJson {
    /// The memory concerned.
    memory: MemoryJson,
    /// Id of the current version.
    latest: i64,
    /// Links in both directions.
    links: Vec<LinkJson>,
    /// Mentioned entities.
    entities: Vec<MentionJson>,
    /// Flags on the memory.
    flags: Vec<FlagJson>,
}

/// A link between two memories.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LinkJson {
    /// Id of the source memory.
    pub source: i64,
    /// Id of the target memory.
    pub target: i64,
    /// Kind of the link, from source to target.
    pub kind: &'static str,
    /// The link in words: "is caused by".
    pub label: &'static str,
    /// Value from 0 to 1.
    pub weight: f32,
}

/// An entity that a memory mentions.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MentionJson {
    id: i64,
    kind: String,
    name: String,
}

pub(super) async fn one(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<MemoryDetailsJson>, Failure> {
    let whole = context.engine.memories().get_details(&context.caller, MemoryId(path.id)).await?;
    let tag = memory_tag(&whole.memory);
    let links = whole.links.outgoing.into_iter().chain(whole.links.incoming);
    let mentions = whole.mentions.into_iter();
    let details = MemoryDetailsJson {
        latest: whole.latest.0,
        links: links
            .map(|link| LinkJson {
                source: link.source.0,
                target: link.target.0,
                kind: link.kind.name(),
                label: link.kind.words(),
                weight: link.weight,
            })
            .collect(),
        entities: mentions
            .map(|one| MentionJson { id: one.entity.0, kind: one.kind, name: one.name })
            .collect(),
        flags: whole.flags.into_iter().map(FlagJson::from).collect(),
        memory: whole.memory.into(),
    };
    ApiResponse::with_tag(details, tag)
}

/// A correction of a memory.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorrectMemoryBody {
    /// Corrected text.
    text: String,
    /// Reason for the correction.
    reason: Option<String>,
    /// New title.
    title: Option<String>,
    /// New kind.
    kind: Option<String>,
}

pub(super) async fn correct(
    context: RequestContext,
    path: IdPath,
    input: CorrectMemoryBody,
) -> Result<ApiResponse<RememberJson>, Failure> {
    let id = MemoryId(path.id);
    let editor = context.editor(|tag| {
        let at = tag.strip_prefix(&format!("m{id}-"))?.parse().ok()?;
        Some(ExpectedVersion::Memory(id, Moment(at)))
    })?;
    let correct = CorrectRequest {
        reason: input.reason,
        title: input.title,
        kind: input.kind,
        ..CorrectRequest::new(id, input.text)
    };
    ApiResponse::new(context.engine.memories().correct(&editor, &correct).await?.into())
}

/// Versions of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryVersionsJson {
    /// Id of the current version.
    latest: i64,
    /// Versions, oldest first.
    versions: Vec<MemoryJson>,
}

pub(super) async fn versions(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<MemoryVersionsJson>, Failure> {
    let versions = context.engine.memories().versions(&context.caller, MemoryId(path.id)).await?;
    let details = versions.all.into_iter().map(MemoryJson::from).collect();
    ApiResponse::new(MemoryVersionsJson { latest: versions.latest.0, versions: details })
}

/// A flag to raise.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlagMemoryBody {
    /// Reason in a sentence.
    reason: String,
}

/// A raised flag.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FlaggedMemoryJson {
    /// Id of the review item that was created.
    review: i64,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

pub(super) async fn flag(
    context: RequestContext,
    path: IdPath,
    input: FlagMemoryBody,
) -> Result<ApiResponse<FlaggedMemoryJson>, Failure> {
    let flag = FlagMemoryRequest { memory: MemoryId(path.id), reason: input.reason };
    let flagged = context.engine.reviews().flag(&context.caller, &flag).await?;
    ApiResponse::new(FlaggedMemoryJson { review: flagged.review.0, notes: flagged.notes })
}

/// Memories to forget.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForgetBody {
    /// Ids of the memories; all their versions are forgotten too.
    memories: Vec<i64>,
    /// True to only report what would be forgotten.
    #[serde(default)]
    dry_run: bool,
}

/// Receipt of forgetting.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ForgetReceiptJson {
    /// Ids of all versions.
    memories: Vec<i64>,
    /// True when they are forgotten; false for a dry run.
    forgotten: bool,
    /// Number of items removed in each place.
    places: Vec<NamedCount>,
    /// Places that may still contain the text, and are cleared as soon as they can be.
    owed: Vec<String>,
    /// Ids of the episodes that quote them: made again without them, or removed with them.
    derived: Vec<i64>,
    /// Ids of other memories that contain the same text and stay.
    also_say_this: Vec<i64>,
    /// Memories that later gave another value to the same, and stay.
    newer_value_stays: Vec<MemoryJson>,
    /// Memories that wait for the owner's consent; they are not among the ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<ErasureProposalJson>,
}

pub(super) async fn forget(
    context: RequestContext,
    _: NoFields,
    input: ForgetBody,
) -> Result<ApiResponse<ForgetReceiptJson>, Failure> {
    let memories = input.memories.into_iter().map(MemoryId).collect();
    let forget = ForgetRequest { memories, dry_run: input.dry_run };
    let done = context.engine.memories().forget(&context.caller, &forget).await?;
    ApiResponse::new(ForgetReceiptJson {
        memories: done.memories.iter().map(|memory| memory.id.0).collect(),
        forgotten: done.receipt.is_some(),
        proposal: done.proposal.as_ref().map(ErasureProposalJson::from),
        derived: done.derived.iter().map(|id| id.0).collect(),
        also_say_this: done.also_say.iter().map(|memory| memory.id.0).collect(),
        newer_value_stays: done.kept.into_iter().map(MemoryJson::from).collect(),
        owed: done.receipt.as_ref().map(|receipt| receipt.owed.clone()).unwrap_or_default(),
        places: named_counts(done.receipt.map(|receipt| receipt.removed).unwrap_or_default()),
    })
}

/// Tags to add to and remove from memories.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TagMemoriesBody {
    /// Ids of the memories.
    memories: Vec<i64>,
    /// Tags to add.
    #[serde(default)]
    add: Vec<String>,
    /// Tags to remove.
    #[serde(default)]
    remove: Vec<String>,
}

/// Memories with changed tags.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaggedMemoriesJson {
    /// Memories after the change.
    memories: Vec<MemoryJson>,
    /// Changes made to the input before it was stored, in sentences.
    notes: Vec<String>,
}

pub(super) async fn tag(
    context: RequestContext,
    _: NoFields,
    input: TagMemoriesBody,
) -> Result<ApiResponse<TaggedMemoriesJson>, Failure> {
    let memories = input.memories.into_iter().map(MemoryId).collect();
    let tags = TagMemoriesRequest { memories, add: input.add, remove: input.remove };
    let TagMemoriesOutcome { memories, notes } =
        context.engine.memories().tag(&context.caller, &tags).await?;
    ApiResponse::new(TaggedMemoriesJson {
        memories: memories.into_iter().map(MemoryJson::from).collect(),
        notes,
    })
}

/// A list of memories.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryIdsBody {
    /// Ids of the memories.
    memories: Vec<i64>,
}

impl MemoryIdsBody {
    fn ids(&self) -> Vec<MemoryId> {
        self.memories.iter().copied().map(MemoryId).collect()
    }
}

/// A memory that was retired, or that waits for the owner's consent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RetiredMemoryJson {
    /// The memory after the call.
    #[serde(flatten)]
    memory: MemoryJson,
    /// Proposal to retire it; it is still active then.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<ErasureProposalJson>,
}

pub(super) async fn retire(
    context: RequestContext,
    _: NoFields,
    input: MemoryIdsBody,
) -> Result<ApiResponse<Vec<RetiredMemoryJson>>, Failure> {
    let memories = context.engine.memories();
    let done = memories.retire(&context.caller, &input.ids()).await?;
    let retired = done.memories.into_iter();
    let mut listed: Vec<RetiredMemoryJson> =
        retired.map(|memory| RetiredMemoryJson { memory: memory.into(), proposal: None }).collect();
    if let Some(waiting) = &done.proposal {
        let proposed = memories.get(&context.caller, &waiting.erasure.memories).await?;
        listed.extend(proposed.into_iter().map(|memory| RetiredMemoryJson {
            memory: memory.into(),
            proposal: Some(waiting.into()),
        }));
    }
    ApiResponse::new(listed)
}

pub(super) async fn unretire(
    context: RequestContext,
    _: NoFields,
    input: MemoryIdsBody,
) -> Result<ApiResponse<Vec<MemoryJson>>, Failure> {
    let memories = context.engine.memories().unretire(&context.caller, &input.ids()).await?;
    ApiResponse::new(memories.into_iter().map(MemoryJson::from).collect())
}
