//! The changes that make up a batch: everything that can be written, as domain operations.
//! Preconditions of a change are checked inside the transaction that applies it, never here.

use crate::ImportedItem;
use model::{
    ConnectionId, ContextRole, ContextSource, EntityId, FlagId, Grant, HandoffId, JsonMap, Kind,
    LinkKind, MemoryId, Moment, NewEntity, NewHandoff, NewMemory, NewReference, NewReview,
    NewSession, Provenance, QuestionId, RecordId, Resolution, ReviewId, SessionId, Status,
    StoredVectors, Trust, WorkspaceId,
};

/// A reference to something that exists, or to the result of an earlier change of the same batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ref<T> {
    Id(T),
    /// Whatever the change at this index of the batch created or found.
    ResultOf(usize),
}

/// Handling of a new memory whose text an active memory of the same collection, project and table
/// already has. One whose title names something else is no duplicate: the title is part of what it
/// says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDuplicate {
    /// Writes nothing and returns the existing memory.
    ReturnExisting,
    /// Like `ReturnExisting`, but only a memory that has all the fields of the new metadata with
    /// the same values counts as a duplicate: an event said twice may have happened twice.
    ReturnExistingWithMetadata,
    /// Like `ReturnExisting`, but only memories of the same session count as duplicates.
    ReturnExistingInSession,
    /// Writes the memory anyway: rows of a table may repeat.
    Insert,
}

/// Handling of a new memory whose text was forgotten before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnForgotten {
    /// Refuses the whole batch, unless an active memory of the same collection, project and table
    /// has the text.
    Refuse,
    /// Writes the memory, because a person decided so.
    Allow,
}

/// A memory to write.
#[derive(Debug, Clone, PartialEq)]
pub struct AddMemory {
    pub memory: NewMemory,
    pub session: Option<Ref<SessionId>>,
    pub vector: Option<StoredVectors>,
    pub on_duplicate: OnDuplicate,
    pub on_forgotten: OnForgotten,
}

/// Fields of a memory that may change without a new version; `None` leaves a field as it is and
/// `Some(None)` clears it. The text is not among them: a new text is a correction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryEdit {
    pub kind: Option<Kind>,
    pub title: Option<Option<String>>,
    pub summary: Option<Option<String>>,
    pub collection: Option<String>,
    pub project: Option<Option<String>>,
    /// New labels, replacing all existing ones.
    pub tags: Option<Vec<String>>,
    /// New projects, paths or contexts, replacing all existing ones.
    pub applies_to: Option<Vec<String>>,
    pub priority: Option<u8>,
    pub confidence: Option<f32>,
    /// New metadata, replacing the existing map.
    pub metadata: Option<JsonMap>,
    pub valid_to: Option<Option<Moment>>,
}

/// Fields of an entity that may change.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntityEdit {
    /// A new name; the old one becomes an alias.
    pub name: Option<String>,
    pub kind: Option<String>,
    /// A JSON merge patch (RFC 7396) for the properties.
    pub properties: JsonMap,
}

/// A mention of an entity in a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMention {
    pub memory: Ref<MemoryId>,
    pub entity: Ref<EntityId>,
    /// The kind of entity that the text was read as.
    pub kind: String,
    /// The name as the memory spells it.
    pub name: String,
    /// The extractor that found the mention.
    pub source: String,
    /// The file that contains the entity, if one is named.
    pub path: Option<String>,
}

/// A statement about an entity. The same text about the same entity exists once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewObservation {
    pub entity: Ref<EntityId>,
    pub text: String,
    /// The memory that contains the statement.
    pub memory: Option<Ref<MemoryId>>,
}

/// A typed edge between two entities. Repeating one that exists adds the weight, up to 10.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRelation {
    pub source: Ref<EntityId>,
    pub target: Ref<EntityId>,
    /// A verb in the active voice, such as `works_at`.
    pub kind: String,
    pub weight: f32,
    /// From 0 to 1.
    pub confidence: f32,
    /// The memory that states the relation.
    pub memory: Option<Ref<MemoryId>>,
    /// A JSON merge patch (RFC 7396) for the properties.
    pub properties: JsonMap,
}

/// A step in the life of a handoff, taken by the author of the batch at the time of its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandoffStep {
    /// Takes the handoff until the lease ends. Refused while another session holds it. The holder
    /// may repeat it; its earlier notes stay unless it gives others.
    Claim {
        /// End of the lease.
        until: Moment,
        /// Names and values that the claimant adds to the claim.
        notes: Vec<(String, String)>,
    },
    /// Gives the handoff back. Only its holder may, unless `anyone`.
    Release {
        /// Lets the owner take the handoff away from its holder.
        anyone: bool,
    },
    /// Marks the work as done. Only its holder may, unless `anyone`.
    Complete {
        /// Lets the owner complete the handoff in place of its holder.
        anyone: bool,
    },
    /// Marks the work as no longer needed. Refused while another agent holds it, unless `anyone`.
    Cancel {
        /// Lets the owner cancel the handoff whoever holds it.
        anyone: bool,
    },
    /// Opens a completed or cancelled handoff again.
    Reopen,
}

/// A single change of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Writes a memory. Results in `Memory`, or in `Duplicate` when it already exists.
    AddMemory(Box<AddMemory>),
    /// Changes fields of a memory.
    EditMemory { memory: MemoryId, edit: Box<MemoryEdit> },
    /// Moves a memory to another status; leaving or entering `active` sets or clears `ended_at`.
    SetStatus { memory: Ref<MemoryId>, status: Status },
    /// Replaces a memory: the old one becomes superseded and gets a `supersedes` link from the new
    /// one. Does nothing when both are the same memory. Conflicts when that would close a cycle of
    /// replacements, or end an active memory without an active successor.
    Supersede { old: MemoryId, new: Ref<MemoryId> },
    /// Replaces the text of a derived memory in place, after its sources changed. Whatever was read
    /// from the old text goes with it: vectors, mentions, observations, relations and review items.
    /// No version of the old text remains. Results in `Remade`.
    RemakeMemory {
        memory: MemoryId,
        text: String,
        /// That of the weakest source.
        trust: Trust,
        vector: Option<StoredVectors>,
        /// Removes every trace of the old text from the files, as forgetting does.
        erase: bool,
    },
    /// Replaces the vectors of a memory, after the embedding model changed.
    SetVector { memory: MemoryId, vector: StoredVectors },
    /// Links two memories. An existing link gets the new weight. Conflicts when a `supersedes` link
    /// would close a cycle.
    Link {
        source: Ref<MemoryId>,
        target: Ref<MemoryId>,
        kind: LinkKind,
        /// From 0 to 1.
        weight: f32,
    },
    /// Removes a link.
    Unlink { source: MemoryId, target: MemoryId, kind: LinkKind },
    /// Starts a session or resumes a known one. Results in `Session`.
    StartSession(NewSession),
    /// Ends a session.
    EndSession {
        session: Ref<SessionId>,
        /// The memory that summarizes the session.
        episode: Option<Ref<MemoryId>>,
    },
    /// Writes an entity or finds it by name. Results in `Entity`.
    PutEntity(NewEntity),
    /// Changes fields of an entity.
    EditEntity { entity: EntityId, edit: EntityEdit },
    /// Merges two entities: observations, relations and mentions move, and the name of the removed
    /// one becomes an alias. The newest 100 merges can be undone.
    MergeEntities {
        /// The entity that is removed.
        from: Ref<EntityId>,
        /// The entity that remains.
        into: Ref<EntityId>,
    },
    /// Undoes the merge that removed an entity: it comes back under its id with everything that was
    /// known of it, and what changed since stays. Conflicts when another entity was merged into the
    /// same one later, or the name is taken. Results in `Entity`.
    UndoMerge {
        /// The entity that was removed.
        entity: EntityId,
    },
    /// Removes an entity with its observations, relations and mentions.
    DeleteEntity(EntityId),
    /// Records that a memory mentions an entity.
    Mention(NewMention),
    /// Records a statement about an entity. Results in `Observation`.
    Observe(NewObservation),
    /// Relates two entities. Results in `Relation`.
    Relate(Box<NewRelation>),
    /// Writes a row; the table and its columns are created as needed. Results in `Record`.
    AddRecord {
        /// The table name in its canonical spelling.
        table: String,
        /// The purpose of the table; ignored when the table already has a description.
        description: Option<String>,
        data: JsonMap,
        /// The memory that the row is written with.
        memory: Option<Ref<MemoryId>>,
    },
    /// Changes a row by JSON merge patch (RFC 7396).
    UpdateRecord { table: String, record: RecordId, patch: JsonMap },
    /// Writes another version of a row, stated by another memory: the row as it is now, changed by
    /// JSON merge patch. A row is as its newest version with an active memory states it; every
    /// change of a status, in this batch or later, changes the row accordingly.
    ReviseRecord { table: String, record: RecordId, patch: JsonMap, memory: Ref<MemoryId> },
    /// Removes a row with all its versions. The caller decides about their memories.
    DeleteRecord { table: String, record: RecordId },
    /// Merges a patch into the profile (RFC 7396). Results in `Profile`; a patch that changes
    /// nothing creates no version.
    PatchProfile { patch: JsonMap, reason: Option<String>, provenance: Provenance },
    /// Removes fields from every version of the profile for good, along with the reasons of the
    /// versions that changed them. Results in `Forgotten`.
    EraseProfile {
        /// Paths of the fields; a member of a list is named by its name, `family["Leela"].age`.
        fields: Vec<String>,
    },
    /// Writes a handoff. Results in `Handoff`.
    StoreHandoff(Box<NewHandoff>),
    /// Takes a step of a handoff. Conflicts while another agent, or another session of the same
    /// agent, holds it.
    MoveHandoff {
        handoff: HandoffId,
        step: HandoffStep,
        /// Running session that takes the step, where it is known.
        connection: Option<ConnectionId>,
    },
    /// Stores a document, replacing the one at its path. Results in `Reference`.
    PutReference {
        reference: Box<NewReference>,
        /// The vectors of each section, in order.
        vectors: Vec<Option<StoredVectors>>,
    },
    /// Removes the document at a path.
    RemoveReference { path: String },
    /// Creates an item for review. Results in `Review`.
    RaiseReview {
        item: NewReview,
        /// The memory in question.
        subject: Option<Ref<MemoryId>>,
        /// The memory that it disagrees with.
        against: Option<Ref<MemoryId>>,
    },
    /// Records the decision on a review item. Conflicts when it was already decided.
    ResolveReview { review: ReviewId, resolution: Resolution },
    /// Stores the state before a decision, so that the decision can be undone.
    SaveUndoState {
        review: ReviewId,
        /// The earlier state, in the encoding of the engine.
        before: JsonMap,
    },
    /// Opens a decided review item again. Conflicts when it is open.
    ReopenReview { review: ReviewId },
    /// Restores an earlier status of a memory, including the time when it left `active`.
    RestoreStatus { memory: MemoryId, status: Status, ended_at: Option<Moment> },
    /// Opens flags of a memory again; open and unknown flags are ignored.
    ReopenFlags { memory: MemoryId, flags: Vec<FlagId> },
    /// Flags a memory as wrong. Results in `Flag`.
    Flag { memory: MemoryId, reason: String },
    /// Settles every open flag of a memory.
    SettleFlags { memory: MemoryId },
    /// Removes memories with everything that refers to them, and leaves tombstones. Results in
    /// `Forgotten`.
    Forget {
        /// Ids to forget; unknown ones are ignored.
        memories: Vec<MemoryId>,
    },
    /// Removes all content of the owner, with every hash of it. Grants, settings and the audit log
    /// remain. Results in `Forgotten`, with a receipt that has counts but no memory ids.
    EraseEverything,
    /// Removes unanswered questions; an empty list removes all of them.
    DropQuestions { questions: Vec<QuestionId> },
    /// Grants or denies an agent a resource, replacing the existing rule.
    PutGrant(Grant),
    /// Removes a grant.
    RevokeGrant { agent: model::AgentName, resource: String },
    /// Creates a workspace. Results in `Workspace`.
    CreateWorkspace { name: String },
    /// Adds a source of memories to a workspace. Results in `Context`.
    AddContext { workspace: WorkspaceId, source: ContextSource, role: ContextRole, label: String },
    /// Writes an item of an export unchanged. It gets its old id if that was never used here, and
    /// the next free id otherwise. Results in the session, entity, memory, relation, record,
    /// profile, handoff or review that was created or found. Conflicts when a `supersedes` link
    /// would close a cycle.
    Import(Box<ImportedItem>),
    /// Stores a setting of the owner.
    PutSetting { name: String, value: serde_json::Value },
}
