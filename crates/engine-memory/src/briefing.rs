//! The briefing: context for a new session within a token budget. It contains the profile, the last
//! episode, open handoffs, recent decisions, the most mentioned entities, and counts of everything
//! else. Memories from outside sources are never included: an injected text must not enter every
//! session.

mod session_start;

pub use session_start::SessionBriefingRequest;

use crate::Memories;
use crate::counts::visible_counts;
use crate::entities::EntityVisibility;
use crate::tables::readable;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    Entity, Failure, Handoff, JsonMap, Kind, Memory, MemoryId, Moment, Origin, Page, Permission,
    Status, Table, limits,
};
use recall::estimate_tokens;
use store::{EntityQuery, HandoffQuery, MemoryQuery};

/// Token budget of a briefing unless the caller sets one.
pub const BUDGET_TOKENS: usize = 1_500;
/// Smallest useful token budget.
const BUDGET_MIN: usize = 100;
// A single text gets at most a quarter of the budget, so that one long memory cannot fill it.
const LARGEST_SHARE: usize = 4;
/// Estimated tokens for the names, dates and brackets around an item.
const ITEM_TOKENS: usize = 16;

/// Resources a briefing draws on; access to any of them is enough to get one.
const RESOURCES: [Resource; 5] = [
    Resource::Memories(None),
    Resource::Profile,
    Resource::Tables(None),
    Resource::Graph,
    Resource::Handoffs,
];

/// Input of [`Memories::briefing`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BriefingRequest {
    /// The caller's project when missing. Memories without a project belong to every project.
    pub project: Option<String>,
    /// [`BUDGET_TOKENS`] when missing.
    pub budget_tokens: Option<usize>,
}

/// Context for a new session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Briefing {
    /// The fields of the profile that fit the budget.
    pub profile: JsonMap,
    /// Names of the profile fields that did not fit.
    pub profile_left_out: Vec<String>,
    /// Summary of the last session.
    pub episode: Option<Memory>,
    /// Handoffs that can be claimed, without their documents.
    pub handoffs: Vec<Handoff>,
    pub decisions: Vec<Memory>,
    /// Standing rules and preferences; only at the start of a session.
    pub rules: Vec<Memory>,
    /// End of the agent's last session in this project; only at the start of a session.
    pub last_here: Option<Moment>,
    /// Memories written since then.
    pub changed: Vec<Memory>,
    /// Most important and newest memories.
    pub notable: Vec<Memory>,
    pub entities: Vec<Entity>,
    /// Counts of everything that can be asked for.
    pub inventory: BriefingInventory,
    /// Estimated cost of the whole briefing.
    pub tokens: usize,
}

/// Counts of everything in the store, for the caller to ask about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BriefingInventory {
    pub memories: usize,
    /// Active memories by project, most first.
    pub projects: Vec<(String, usize)>,
    /// Active memories by kind, most first.
    pub kinds: Vec<(String, usize)>,
    /// Active memories by collection, most first.
    pub collections: Vec<(String, usize)>,
    pub tables: Vec<Table>,
    pub references: usize,
    /// Open review items.
    pub reviews: usize,
}

/// The unspent part of a token budget.
struct BriefingBudget {
    left: usize,
    largest: usize,
}

impl BriefingBudget {
    fn new(tokens: usize) -> Self {
        Self { left: tokens, largest: (tokens / LARGEST_SHARE).max(1) }
    }

    /// Spends tokens if enough are left and the text is not too large for one item.
    fn spend(&mut self, tokens: usize) -> bool {
        let cost = tokens + ITEM_TOKENS;
        let fits = cost <= self.left && tokens <= self.largest;
        if fits {
            self.left -= cost;
        }
        fits
    }
}

impl<'e> Memories<'e> {
    /// Returns the context for a new session.
    ///
    /// # Errors
    /// Fails when the store cannot answer.
    pub fn briefing(
        self,
        caller: &'e Caller,
        input: &'e BriefingRequest,
    ) -> UseCaseFuture<'e, Briefing> {
        Box::pin(async move {
            let call =
                Call::begin_any(self.core, caller, &RESOURCES, Permission::Read, input).await?;
            let tokens = input.budget_tokens.unwrap_or(BUDGET_TOKENS).max(BUDGET_MIN);
            let mut budget = BriefingBudget::new(tokens);
            let project = input.project.clone().or_else(|| caller.environment.project.clone());
            // The order below is the order of importance: whatever comes first is served from the
            // budget first.
            let mut briefing =
                Briefing { inventory: inventory(&call).await?, ..Briefing::default() };
            budget.spend(inventory_tokens(&briefing.inventory));
            fill_profile(&call, &mut budget, &mut briefing).await?;
            let scope = BriefingScope { project: project.as_deref(), branch: None };
            briefing.episode =
                newest(&call, &mut budget, "episode", scope, 1, &briefing).await?.pop();
            briefing.handoffs = open_handoffs(&call, &mut budget, scope).await?;
            briefing.decisions =
                newest(&call, &mut budget, "decision", scope, 8, &briefing).await?;
            briefing.notable = notable(&call, &mut budget, scope, None, &briefing).await?;
            briefing.entities = top_entities(&call, &mut budget).await?;
            briefing.tokens = tokens - budget.left;
            let shown: Vec<MemoryId> = briefing.memories().map(|memory| memory.id).collect();
            call.note_shown(format!("briefed with {}", shown.len()), &shown).await;
            Ok(briefing)
        })
    }
}

impl Briefing {
    /// Iterates over every memory of the briefing.
    pub fn memories(&self) -> impl Iterator<Item = &Memory> {
        let stated = self.decisions.iter().chain(&self.rules).chain(&self.changed);
        self.episode.iter().chain(stated).chain(&self.notable)
    }
}

async fn inventory(call: &Call<'_>) -> Result<BriefingInventory, Failure> {
    let counts = visible_counts(call).await?;
    let tables = readable(call, call.store().tables().await?);
    // Eight names each: a briefing shows that something exists, a listing shows all of it.
    let few = |list: Vec<(String, usize)>| list.into_iter().take(8).collect();
    Ok(BriefingInventory {
        memories: counts.in_status(Status::Active),
        projects: few(counts.projects),
        kinds: few(counts.kinds),
        collections: few(counts.collections),
        tables: tables.into_iter().take(20).collect(),
        references: counts.references,
        reviews: counts.reviews_open,
    })
}

fn inventory_tokens(inventory: &BriefingInventory) -> usize {
    let counted = inventory.projects.iter().chain(&inventory.kinds).chain(&inventory.collections);
    let names =
        counted.map(|(name, _)| name).chain(inventory.tables.iter().map(|table| &table.name));
    names.map(|name| estimate_tokens(name) + 3).sum()
}

// Field by field, so that one long field does not exclude the others.
async fn fill_profile(
    call: &Call<'_>,
    budget: &mut BriefingBudget,
    briefing: &mut Briefing,
) -> Result<(), Failure> {
    if !call.policy.allows(Resource::Profile, Permission::Read) {
        return Ok(());
    }
    let profile = call.store().profile().await?;
    for (name, value) in profile.map(|version| version.data).unwrap_or_default() {
        if budget.spend(estimate_tokens(&name) + estimate_tokens(&value.to_string())) {
            briefing.profile.insert(name, value);
        } else {
            briefing.profile_left_out.push(name);
        }
    }
    Ok(())
}

async fn newest(
    call: &Call<'_>,
    budget: &mut BriefingBudget,
    kind: &str,
    scope: BriefingScope<'_>,
    count: usize,
    so_far: &Briefing,
) -> Result<Vec<Memory>, Failure> {
    let query = MemoryQuery {
        kinds: vec![Kind::new(kind)?],
        statuses: vec![Status::Active],
        ..call.query()
    };
    pick(call, budget, &query, scope, count, so_far).await
}

async fn notable(
    call: &Call<'_>,
    budget: &mut BriefingBudget,
    scope: BriefingScope<'_>,
    after: Option<MemoryId>,
    so_far: &Briefing,
) -> Result<Vec<Memory>, Failure> {
    let query = MemoryQuery {
        statuses: vec![Status::Active],
        sort: store::MemorySort::MostImportant,
        after,
        ..call.query()
    };
    pick(call, budget, &query, scope, 6, so_far).await
}

/// The project and the branch that a briefing is for.
#[derive(Debug, Clone, Copy)]
struct BriefingScope<'s> {
    project: Option<&'s str>,
    branch: Option<&'s str>,
}

impl BriefingScope<'_> {
    /// Returns whether a memory is about the work on another branch.
    fn is_elsewhere(self, memory: &Memory) -> bool {
        let branch = memory.metadata.get("branch").and_then(serde_json::Value::as_str);
        self.branch.is_some() && branch.is_some() && branch != self.branch
    }
}

/// Returns the first memories that belong to the project, come from inside, are valid now and fit,
/// those of other branches last.
async fn pick(
    call: &Call<'_>,
    budget: &mut BriefingBudget,
    query: &MemoryQuery,
    scope: BriefingScope<'_>,
    count: usize,
    so_far: &Briefing,
) -> Result<Vec<Memory>, Failure> {
    // Filters that the store does not know are applied here, so more than `count` are read.
    let page = Page::first(limits::PAGE_ITEMS.min(200));
    let listing = call.store().list_memories(query, page).await?;
    let known: Vec<MemoryId> = so_far.memories().map(|memory| memory.id).collect();
    let project = scope.project;
    let in_project = |memory: &Memory| {
        project.is_none() || memory.project.is_none() || memory.project.as_deref() == project
    };
    let wants_episode = query.kinds.contains(&Kind::episode());
    let is_valid = |memory: &Memory| memory.valid_to.is_none_or(|end| end > call.at);
    let is_safe =
        |memory: &Memory| memory.provenance.origin != Origin::Outside && memory.flags == 0;
    let is_new = |memory: &Memory| {
        !known.contains(&memory.id)
            && memory.collection != crate::profile::COLLECTION
            // The episode of a session may be in the collection of its turns.
            && (wants_episode || !crate::transcripts::is_turn(memory))
    };
    let mut visible = call.visible(listing.items);
    visible.sort_by_key(|memory| scope.is_elsewhere(memory));
    let fitting = visible
        .into_iter()
        .filter(|memory| {
            in_project(memory) && is_valid(memory) && is_safe(memory) && is_new(memory)
        })
        .filter(|memory| budget.spend(estimate_tokens(&memory.text)));
    Ok(fitting.take(count).collect())
}

async fn open_handoffs(
    call: &Call<'_>,
    budget: &mut BriefingBudget,
    scope: BriefingScope<'_>,
) -> Result<Vec<Handoff>, Failure> {
    if !call.policy.allows(Resource::Handoffs, Permission::Read) {
        return Ok(Vec::new());
    }
    let query = HandoffQuery {
        free_at: Some(call.at),
        project: scope.project.map(str::to_owned),
        ..HandoffQuery::default()
    };
    let listing = call.store().handoffs(&query, Page::first(5)).await?;
    let mut handoffs = listing.items;
    // Those of this branch first.
    handoffs.sort_by_key(|handoff| {
        scope.branch.is_none() || handoff.source_ref.as_deref() != scope.branch
    });
    handoffs.retain_mut(|handoff| {
        handoff.document.clear();
        budget.spend(estimate_tokens(&handoff.title))
    });
    Ok(handoffs)
}

async fn top_entities(
    call: &Call<'_>,
    budget: &mut BriefingBudget,
) -> Result<Vec<Entity>, Failure> {
    if !call.policy.allows(Resource::Graph, Permission::Read) {
        return Ok(Vec::new());
    }
    let query = EntityQuery::default();
    let mut entities =
        EntityVisibility::for_call(call).await?.list(call, &query, Page::first(10)).await?.items;
    entities.retain(|entity| entity.mentions > 1 && budget.spend(estimate_tokens(&entity.name)));
    Ok(entities)
}
