//! Memories: list, remember, read, correct, flag, forget, label, retire.

use super::paging::{Listed, page};
use super::shown::{Counted, FlagShown, MemoryShown, counted, memory_tag};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::correct::Correct;
use engine::edit::{TagMemories, Tagged};
use engine::forget::Forget;
use engine::remember::{Happened, Remember, Remembered};
use engine::review::FlagMemory;
use engine::{MemoryQuery, Sort, Standing};
use model::{AgentName, Failure, Kind, MemoryId, Moment, SessionId, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which memory.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ById {
    /// Its number.
    pub id: i64,
}

/// Which memories to list. Whatever is missing lets all through.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListMemories {
    /// Of this kind.
    pub kind: Option<String>,
    /// With this label.
    pub tag: Option<String>,
    /// Of this project.
    pub project: Option<String>,
    /// In this drawer.
    pub collection: Option<String>,
    /// By this agent.
    pub agent: Option<String>,
    /// Of the session of this number.
    pub session: Option<i64>,
    /// `active` unless told otherwise; `any` for all.
    pub status: Option<String>,
    /// Written on this day or later: `2026-05-03`.
    pub since: Option<String>,
    /// Written at this moment or earlier.
    pub until: Option<String>,
    /// How many at most.
    pub limit: Option<u16>,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl ListMemories {
    /// The same as the engine asks it.
    pub fn query(&self) -> Result<MemoryQuery, Failure> {
        let some = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Ok(MemoryQuery {
            kinds: some(&self.kind).map(|kind| Kind::new(&kind)).transpose()?.into_iter().collect(),
            statuses: statuses(self.status.as_deref())?,
            sessions: self.session.map(SessionId).into_iter().collect(),
            project: some(&self.project),
            collection: some(&self.collection),
            agent: some(&self.agent).map(|agent| AgentName::new(&agent)),
            tags: some(&self.tag).into_iter().collect(),
            created_from: moment(some(&self.since).as_deref())?,
            created_until: moment(some(&self.until).as_deref())?,
            sort: Sort::Newest,
            ..MemoryQuery::default()
        })
    }
}

fn statuses(named: Option<&str>) -> Result<Vec<Status>, Failure> {
    match named.unwrap_or("active").trim() {
        "any" => Ok(Vec::new()),
        "" => Ok(vec![Status::Active]),
        name => Status::parse(name).map(|status| vec![status]).ok_or_else(|| {
            Failure::invalid(
                "the status is none of active, proposed, superseded, rejected, retired, any",
            )
        }),
    }
}

/// A point in time as a caller writes it.
pub(crate) fn moment(text: Option<&str>) -> Result<Option<Moment>, Failure> {
    text.map(Moment::parse).transpose().map_err(|error| Failure::invalid(error.to_string()))
}

pub(super) async fn list(
    desk: Desk,
    _: Nothing,
    input: ListMemories,
) -> Result<Answer<Listed<MemoryShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let listed = desk.engine.memories().list(&desk.caller, &input.query()?, page).await?;
    let items = listed.items.into_iter().map(MemoryShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

/// Something to remember.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewText {
    /// What to remember.
    text: String,
    /// A headline.
    title: Option<String>,
    /// What sort of thing; `note` when missing.
    kind: Option<String>,
    /// Labels.
    #[serde(default)]
    tags: Vec<String>,
    /// The project.
    project: Option<String>,
    /// The drawer.
    collection: Option<String>,
    /// 1 (most important) to 5.
    priority: Option<u8>,
    /// 0 to 1.
    confidence: Option<f32>,
    /// Until when it holds.
    expires: Option<String>,
    /// Memories that it replaces.
    #[serde(default)]
    supersedes: Vec<i64>,
    /// Write it although it was forgotten before.
    #[serde(default)]
    allow_forgotten: bool,
    /// Makes a retry safe.
    idempotency_key: Option<String>,
}

/// What came of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Outcome {
    /// The memory.
    id: Option<i64>,
    /// `created`, `duplicate`, `proposed` or `profile_only`.
    happened: &'static str,
    /// The memories it replaced.
    superseded: Vec<i64>,
    /// The memories that it contradicts.
    conflicts: Vec<i64>,
    /// What was changed or ignored on the way in, in sentences.
    notes: Vec<String>,
}

impl From<Remembered> for Outcome {
    fn from(done: Remembered) -> Self {
        let ignored =
            done.ignored.into_iter().map(|one| format!("{} was ignored: {}", one.field, one.why));
        Self {
            id: done.id.map(|id| id.0),
            happened: match done.happened {
                Happened::Created => "created",
                Happened::Duplicate => "duplicate",
                Happened::Proposed => "proposed",
                Happened::ProfileOnly => "profile_only",
            },
            superseded: done.superseded.iter().map(|id| id.0).collect(),
            conflicts: done.conflicts.iter().map(|conflict| conflict.memory.0).collect(),
            notes: done.notes.into_iter().chain(ignored).collect(),
        }
    }
}

pub(super) async fn remember(
    desk: Desk,
    _: Nothing,
    input: NewText,
) -> Result<Answer<Outcome>, Failure> {
    let remember = Remember {
        title: input.title,
        kind: input.kind,
        tags: input.tags,
        project: input.project,
        collection: input.collection,
        priority: input.priority,
        confidence: input.confidence,
        expires: moment(input.expires.as_deref())?,
        supersedes: input.supersedes.into_iter().map(MemoryId).collect(),
        allow_forgotten: input.allow_forgotten,
        idempotency_key: input.idempotency_key,
        ..Remember::text(input.text)
    };
    Answer::of(desk.engine.memories().remember(&desk.caller, &remember).await?.into())
}

/// A memory with everything that hangs on it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WholeMemory {
    /// The memory.
    memory: MemoryShown,
    /// The version that holds now.
    latest: i64,
    /// Its links, both ways.
    links: Vec<LinkShown>,
    /// The entities it mentions.
    entities: Vec<MentionShown>,
    /// The complaints about it.
    flags: Vec<FlagShown>,
}

/// A link between two memories.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LinkShown {
    /// Where it starts.
    pub source: i64,
    /// Where it ends.
    pub target: i64,
    /// What the source is to the target.
    pub kind: &'static str,
    /// 0 to 1.
    pub weight: f32,
}

/// An entity that a memory mentions.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MentionShown {
    id: i64,
    kind: String,
    name: String,
}

pub(super) async fn one(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<WholeMemory>, Failure> {
    let whole = desk.engine.memories().get_whole(&desk.caller, MemoryId(path.id)).await?;
    let tag = memory_tag(&whole.memory);
    let links = whole.links.outgoing.into_iter().chain(whole.links.incoming);
    let mentions = whole.mentions.into_iter();
    let shown = WholeMemory {
        latest: whole.latest.0,
        links: links
            .map(|link| LinkShown {
                source: link.source.0,
                target: link.target.0,
                kind: link.kind.name(),
                weight: link.weight,
            })
            .collect(),
        entities: mentions
            .map(|one| MentionShown { id: one.entity.0, kind: one.kind, name: one.name })
            .collect(),
        flags: whole.flags.into_iter().map(FlagShown::from).collect(),
        memory: whole.memory.into(),
    };
    Answer::tagged(shown, tag)
}

/// A correction.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewVersion {
    /// What is right.
    text: String,
    /// Why.
    reason: Option<String>,
    /// A new headline.
    title: Option<String>,
    /// A new kind.
    kind: Option<String>,
}

pub(super) async fn correct(
    desk: Desk,
    path: ById,
    input: NewVersion,
) -> Result<Answer<Outcome>, Failure> {
    let id = MemoryId(path.id);
    let editor = desk.editor(|tag| {
        let at = tag.strip_prefix(&format!("m{id}-"))?.parse().ok()?;
        Some(Standing::Memory(id, Moment(at)))
    })?;
    let correct = Correct {
        reason: input.reason,
        title: input.title,
        kind: input.kind,
        ..Correct::new(id, input.text)
    };
    Answer::of(desk.engine.memories().correct(&editor, &correct).await?.into())
}

/// Every version of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AllVersions {
    /// The version that holds now.
    latest: i64,
    /// Every version, oldest first.
    versions: Vec<MemoryShown>,
}

pub(super) async fn versions(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<AllVersions>, Failure> {
    let versions = desk.engine.memories().versions(&desk.caller, MemoryId(path.id)).await?;
    let shown = versions.all.into_iter().map(MemoryShown::from).collect();
    Answer::of(AllVersions { latest: versions.latest.0, versions: shown })
}

/// A complaint.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Complaint {
    /// What is wrong, in a sentence.
    reason: String,
}

/// A complaint that was noted.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Noted {
    /// The review item that waits because of it.
    review: i64,
    /// What was changed on the way in, in sentences.
    notes: Vec<String>,
}

pub(super) async fn flag(
    desk: Desk,
    path: ById,
    input: Complaint,
) -> Result<Answer<Noted>, Failure> {
    let flag = FlagMemory { memory: MemoryId(path.id), reason: input.reason };
    let flagged = desk.engine.reviews().flag(&desk.caller, &flag).await?;
    Answer::of(Noted { review: flagged.review.0, notes: flagged.notes })
}

/// Memories to forget.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToForget {
    /// Which; all their versions go with them.
    memories: Vec<i64>,
    /// Only show what would go.
    #[serde(default)]
    dry_run: bool,
}

/// What was forgotten, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReceiptShown {
    /// The memories, every version of them.
    memories: Vec<i64>,
    /// Whether they are gone, or only would be.
    forgotten: bool,
    /// What went from each place.
    places: Vec<Counted>,
}

pub(super) async fn forget(
    desk: Desk,
    _: Nothing,
    input: ToForget,
) -> Result<Answer<ReceiptShown>, Failure> {
    let memories = input.memories.into_iter().map(MemoryId).collect();
    let forget = Forget { memories, query: None, dry_run: input.dry_run };
    let done = desk.engine.memories().forget(&desk.caller, &forget).await?;
    Answer::of(ReceiptShown {
        memories: done.memories.iter().map(|memory| memory.id.0).collect(),
        forgotten: done.receipt.is_some(),
        places: counted(done.receipt.map(|receipt| receipt.places).unwrap_or_default()),
    })
}

/// Labels to put on memories and to take off them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Labels {
    /// Which memories.
    memories: Vec<i64>,
    /// Labels they get.
    #[serde(default)]
    add: Vec<String>,
    /// Labels they lose.
    #[serde(default)]
    remove: Vec<String>,
}

/// Memories with other labels.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaggedShown {
    /// The memories as they stand.
    memories: Vec<MemoryShown>,
    /// What was changed on the way in, in sentences.
    notes: Vec<String>,
}

pub(super) async fn tag(
    desk: Desk,
    _: Nothing,
    input: Labels,
) -> Result<Answer<TaggedShown>, Failure> {
    let memories = input.memories.into_iter().map(MemoryId).collect();
    let tags = TagMemories { memories, add: input.add, remove: input.remove };
    let Tagged { memories, notes } = desk.engine.memories().tag(&desk.caller, &tags).await?;
    Answer::of(TaggedShown {
        memories: memories.into_iter().map(MemoryShown::from).collect(),
        notes,
    })
}

/// Memories by their numbers.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Several {
    /// Which memories.
    memories: Vec<i64>,
}

impl Several {
    fn ids(&self) -> Vec<MemoryId> {
        self.memories.iter().copied().map(MemoryId).collect()
    }
}

pub(super) async fn retire(
    desk: Desk,
    _: Nothing,
    input: Several,
) -> Result<Answer<Vec<MemoryShown>>, Failure> {
    let memories = desk.engine.memories().retire(&desk.caller, &input.ids()).await?;
    Answer::of(memories.into_iter().map(MemoryShown::from).collect())
}

pub(super) async fn unretire(
    desk: Desk,
    _: Nothing,
    input: Several,
) -> Result<Answer<Vec<MemoryShown>>, Failure> {
    let memories = desk.engine.memories().unretire(&desk.caller, &input.ids()).await?;
    Answer::of(memories.into_iter().map(MemoryShown::from).collect())
}
