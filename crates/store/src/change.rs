//! The changes a batch is made of: everything that can be written, in domain verbs.
//! What must hold for a change is checked inside the transaction that applies it.

use crate::Kept;
use model::{
    ContextRole, ContextSource, EntityId, FlagId, Grant, HandoffId, JsonMap, Kind, LinkKind,
    MemoryId, Moment, NewEntity, NewHandoff, NewMemory, NewReference, NewReview, NewSession,
    Provenance, QuestionId, RecordId, Resolution, ReviewId, SessionId, Status, StoredVector,
    WorkspaceId,
};

/// Something that is there already, or that an earlier change of the same batch makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ref<T> {
    /// It is there, under this id.
    Id(T),
    /// The change at this position of the batch makes it (or found it there).
    Made(usize),
}

/// What to do when an active memory says the same in the same collection and project, of the same
/// table if of any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDuplicate {
    /// Write nothing and answer with the memory that is there.
    Answer,
    /// The same, but only a memory of the same session counts.
    AnswerWithinSession,
    /// Write it all the same: rows of a table may repeat.
    Keep,
}

/// What to do when this text was forgotten before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnForgotten {
    /// Refuse the batch.
    Refuse,
    /// Write it: somebody decided so.
    Allow,
}

/// A memory to write.
#[derive(Debug, Clone, PartialEq)]
pub struct AddMemory {
    /// The memory.
    pub memory: NewMemory,
    /// The session it was made in.
    pub session: Option<Ref<SessionId>>,
    /// Its vectors.
    pub vector: Option<StoredVector>,
    /// What to do when it is there already.
    pub on_duplicate: OnDuplicate,
    /// What to do when it was forgotten.
    pub on_forgotten: OnForgotten,
}

/// Fields of a memory that may change without a new version. The text is not among them: a new text
/// is a correction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryEdit {
    /// A new kind.
    pub kind: Option<Kind>,
    /// A new headline; `Some(None)` removes it.
    pub title: Option<Option<String>>,
    /// A new summary; `Some(None)` removes it.
    pub summary: Option<Option<String>>,
    /// A new collection.
    pub collection: Option<String>,
    /// A new project; `Some(None)` removes it.
    pub project: Option<Option<String>>,
    /// New labels in place of the old.
    pub tags: Option<Vec<String>>,
    /// New projects, paths or contexts in place of the old.
    pub applies_to: Option<Vec<String>>,
    /// A new priority.
    pub priority: Option<u8>,
    /// A new confidence.
    pub confidence: Option<f32>,
    /// New metadata in place of the old.
    pub metadata: Option<JsonMap>,
    /// A new end; `Some(None)` removes it.
    pub valid_to: Option<Option<Moment>>,
}

/// Fields of an entity that may change.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntityEdit {
    /// A new name; the old one becomes an alias.
    pub name: Option<String>,
    /// A new sort of thing.
    pub kind: Option<String>,
    /// Properties to merge in by RFC 7396.
    pub properties: JsonMap,
}

/// That a memory mentions an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMention {
    /// The memory.
    pub memory: Ref<MemoryId>,
    /// The entity.
    pub entity: Ref<EntityId>,
    /// The sort of thing it was read as.
    pub kind: String,
    /// Its name as written there.
    pub name: String,
    /// Which reading found it.
    pub source: String,
    /// The file it stands in, where one is named.
    pub path: Option<String>,
}

/// What is said of an entity. The same text of the same entity exists once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewObservation {
    /// Of what.
    pub entity: Ref<EntityId>,
    /// What is said.
    pub text: String,
    /// The memory it is said in.
    pub memory: Option<Ref<MemoryId>>,
}

/// A typed edge between two entities. One that is there grows by the weight, up to 10.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRelation {
    /// Where it starts.
    pub source: Ref<EntityId>,
    /// Where it ends.
    pub target: Ref<EntityId>,
    /// In the active voice.
    pub kind: String,
    /// How strong.
    pub weight: f32,
    /// 0 to 1.
    pub confidence: f32,
    /// The memory it is said in.
    pub memory: Option<Ref<MemoryId>>,
    /// Properties to merge in.
    pub properties: JsonMap,
}

/// What happens to a handoff. Whoever does it is the author of the batch; when, the time of its
/// event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandoffStep {
    /// Take it, if it is free or already the caller's, until the lease ends.
    Claim {
        /// When the lease ends.
        until: Moment,
        /// What the claimant tells beside it.
        notes: Vec<(String, String)>,
    },
    /// Give it back. Only its holder may, unless `anyone`.
    Release {
        /// The owner may take it from whoever holds it.
        anyone: bool,
    },
    /// The work is done. Only its holder may, unless `anyone`.
    Complete {
        /// The owner may settle it for whoever holds it.
        anyone: bool,
    },
    /// Nobody needs it any more. Refused while somebody else holds it, unless `anyone`.
    Cancel {
        /// The owner may cancel it whoever holds it.
        anyone: bool,
    },
    /// Open it again after it was completed or cancelled.
    Reopen,
}

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Writes a memory. Makes `Memory` or, when it is there, `Duplicate`.
    AddMemory(Box<AddMemory>),
    /// Changes fields of a memory.
    EditMemory {
        /// Which.
        memory: MemoryId,
        /// What.
        edit: Box<MemoryEdit>,
    },
    /// Moves a memory to another status; leaving or entering `active` sets or clears `ended_at`.
    SetStatus {
        /// Which.
        memory: Ref<MemoryId>,
        /// To what.
        status: Status,
    },
    /// Replaces a memory: the old one becomes superseded and a `supersedes` link leads to it.
    /// A no-op when both are the same memory.
    Supersede {
        /// What is replaced.
        old: MemoryId,
        /// By what.
        new: Ref<MemoryId>,
    },
    /// Replaces the vectors of a memory, after the model changed.
    SetVector {
        /// Which.
        memory: MemoryId,
        /// The new vectors.
        vector: StoredVector,
    },
    /// Links two memories. A link that is there gets the new weight.
    Link {
        /// Where it starts.
        source: Ref<MemoryId>,
        /// Where it ends.
        target: Ref<MemoryId>,
        /// What the source is to the target.
        kind: LinkKind,
        /// 0 to 1.
        weight: f32,
    },
    /// Removes a link.
    Unlink {
        /// Where it starts.
        source: MemoryId,
        /// Where it ends.
        target: MemoryId,
        /// What the source is to the target.
        kind: LinkKind,
    },
    /// Begins a session or takes a known one up again. Makes `Session`.
    StartSession(NewSession),
    /// Ends a session.
    EndSession {
        /// Which.
        session: Ref<SessionId>,
        /// The memory that sums it up.
        episode: Option<Ref<MemoryId>>,
    },
    /// Writes an entity or finds it by name. Makes `Entity`.
    PutEntity(NewEntity),
    /// Changes fields of an entity.
    EditEntity {
        /// Which.
        entity: EntityId,
        /// What.
        edit: EntityEdit,
    },
    /// Makes two entities one: observations, relations and mentions move, the name becomes an
    /// alias.
    MergeEntities {
        /// Which goes.
        from: EntityId,
        /// Which stays.
        into: EntityId,
    },
    /// Removes an entity with its observations, relations and mentions.
    DeleteEntity(EntityId),
    /// Notes that a memory mentions an entity.
    Mention(NewMention),
    /// Notes what is said of an entity. Makes `Observation`.
    Observe(NewObservation),
    /// Relates two entities. Makes `Relation`.
    Relate(Box<NewRelation>),
    /// Writes a row; the table and its columns appear. Makes `Record`.
    AddRecord {
        /// The table, in its one spelling.
        table: String,
        /// What the table is for; kept when it has none yet.
        description: Option<String>,
        /// The fields.
        data: JsonMap,
        /// The memory it is written with.
        memory: Option<Ref<MemoryId>>,
    },
    /// Changes a row by RFC 7396.
    UpdateRecord {
        /// The table.
        table: String,
        /// The row.
        record: RecordId,
        /// The patch.
        patch: JsonMap,
    },
    /// Removes a row. Its memory is left to the caller.
    DeleteRecord {
        /// The table.
        table: String,
        /// The row.
        record: RecordId,
    },
    /// Merges into the profile by RFC 7396. Makes `Profile`; no new version when nothing changes.
    PatchProfile {
        /// The patch.
        patch: JsonMap,
        /// Why.
        reason: Option<String>,
        /// Who writes it and from what.
        provenance: Provenance,
    },
    /// Takes fields out of every version of the profile, for good, with the reasons of the versions
    /// that changed them. Makes `Forgotten`.
    EraseProfile {
        /// The dotted paths.
        fields: Vec<String>,
    },
    /// Writes a handoff. Makes `Handoff`.
    StoreHandoff(Box<NewHandoff>),
    /// Moves a handoff on. Conflicts when somebody else holds it.
    MoveHandoff {
        /// Which.
        handoff: HandoffId,
        /// How.
        step: HandoffStep,
    },
    /// Files a document in place of the one at its path. Makes `Reference`.
    PutReference {
        /// The document.
        reference: Box<NewReference>,
        /// The vectors of its sections, one for each.
        vectors: Vec<Option<StoredVector>>,
    },
    /// Removes the document at a path.
    RemoveReference {
        /// The path.
        path: String,
    },
    /// Raises something to decide. Makes `Review`.
    RaiseReview {
        /// What it is.
        item: NewReview,
        /// The memory in question.
        subject: Option<Ref<MemoryId>>,
        /// What it disagrees with.
        against: Option<Ref<MemoryId>>,
    },
    /// Notes what was decided. Conflicts when it was decided before.
    ResolveReview {
        /// Which.
        review: ReviewId,
        /// How.
        resolution: Resolution,
    },
    /// Keeps how things stood before a decision, so that it can be undone.
    KeepBefore {
        /// The decision on which item.
        review: ReviewId,
        /// How they stood, by numbers.
        before: JsonMap,
    },
    /// Lets a decided item wait again. Conflicts when it does already.
    ReopenReview {
        /// Which.
        review: ReviewId,
    },
    /// Puts a memory back to a status that it had, with when it left `active`.
    PutBack {
        /// Which.
        memory: MemoryId,
        /// To what.
        status: Status,
        /// When it had left `active`.
        ended_at: Option<Moment>,
    },
    /// Opens flags of a memory again; those that are open or gone are passed over.
    ReopenFlags {
        /// Which memory.
        memory: MemoryId,
        /// Which flags.
        flags: Vec<FlagId>,
    },
    /// Complains about a memory. Makes `Flag`.
    Flag {
        /// Which.
        memory: MemoryId,
        /// What is wrong.
        reason: String,
    },
    /// Settles every flag of a memory.
    SettleFlags {
        /// Which.
        memory: MemoryId,
    },
    /// Removes memories and everything that tells of them, and leaves tombstones. Makes
    /// `Forgotten`.
    Forget {
        /// Which; those that are not there are passed over.
        memories: Vec<MemoryId>,
    },
    /// Removes everything that is remembered, said, filed, asked or passed on, with every hash of
    /// it. What stays are grants, settings and the audit log. Makes `Forgotten`, whose receipt
    /// counts places and names no memory.
    EraseEverything,
    /// Gives up questions that found nothing; all of them when none is named.
    DropQuestions {
        /// Which.
        questions: Vec<QuestionId>,
    },
    /// Grants or denies an agent a resource, in place of what stood there.
    PutGrant(Grant),
    /// Takes a grant back.
    RevokeGrant {
        /// Whose.
        agent: model::AgentName,
        /// On what.
        resource: String,
    },
    /// Makes a workspace. Makes `Workspace`.
    CreateWorkspace {
        /// Its name.
        name: String,
    },
    /// Adds a memory to a workspace. Makes `Context`.
    AddContext {
        /// The workspace.
        workspace: WorkspaceId,
        /// Where its memories come from.
        source: ContextSource,
        /// What it is to the workspace.
        role: ContextRole,
        /// What people call it.
        label: String,
    },
    /// Writes something as it was kept elsewhere. It gets the number it had where nothing has or
    /// had that number, and the next one otherwise. Makes the session, entity, memory, relation,
    /// record, profile, handoff or review, or finds it there.
    Keep(Box<Kept>),
    /// Keeps a setting of the owner.
    PutSetting {
        /// Its name.
        name: String,
        /// Its value.
        value: serde_json::Value,
    },
}
