//! Facts on a topic from all sources at once: memories, rows, the profile and the graph, ranked by
//! one score. Each fact names its source, so that a reader can correct or forget exactly that.

use crate::entities::GraphPatternRequest;
use crate::entities::RelationView;
use crate::entities::{EntityVisibility, relations_touching, with_names};
use crate::marks::MemoryMarks;
use crate::recall::MemoryHit;
use crate::recall::RecallRequest;
use crate::similar::term_coverage;
use crate::{Graph, Memories};
use ::recall::{RankingWeights, ScoreParts};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    EntityId, Failure, JsonMap, Memory, MemoryId, Moment, Page, Permission, Record, RecordId,
    limits,
};
use std::collections::HashSet;
use store::EntityQuery;

/// Number of words of a topic that are looked up among the entities.
const NAMES_MAX: usize = 6;
// Shorter words are part of too many names.
const NAME_CHARS_MIN: usize = 3;
/// Number of entities that each word may contribute.
const ENTITIES_PER_NAME: usize = 5;

/// Resources that facts come from.
const RESOURCES: [Resource; 4] =
    [Resource::Profile, Resource::Tables(None), Resource::Memories(None), Resource::Graph];

/// Input of [`Memories::facts`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactsRequest {
    /// A question or a few words.
    pub topic: String,
    pub limit: usize,
    /// Estimated token budget.
    pub budget_tokens: usize,
}

/// Source of a fact.
#[derive(Debug, Clone, PartialEq)]
pub enum FactSource {
    Memory(Memory),
    /// A row of a table, with the memory that describes it.
    Row {
        table: String,
        row: RecordId,
        data: JsonMap,
        memory: Memory,
    },
    /// A field of the profile, with the memory that describes it.
    Profile {
        /// Dotted path of the field.
        field: String,
        memory: Memory,
    },
    Relation(RelationView),
}

/// A fact on a topic.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    pub text: String,
    pub source: FactSource,
    /// Score of the answer, 0 to 1; comparable across all sources.
    pub strength: f32,
    /// Start of its validity.
    pub at: Moment,
    /// Marks of the memory that it comes from.
    pub marks: MemoryMarks,
}

/// Facts on a topic.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FactResults {
    /// Best first.
    pub facts: Vec<Fact>,
    /// Number of further facts.
    pub left_out: usize,
    /// Resources that the caller may not read, by the names used in grants.
    pub denied: Vec<String>,
}

impl FactResults {
    fn is_readable(&self, resource: &str) -> bool {
        self.denied.iter().all(|denied| denied != resource)
    }
}

impl<'e> Memories<'e> {
    /// Returns facts from every source that the caller may read.
    ///
    /// # Errors
    /// Fails when the topic is too long, or the store cannot be read; `consent_required` when the
    /// caller may read no source at all.
    pub fn facts(
        self,
        caller: &'e Caller,
        input: &'e FactsRequest,
    ) -> UseCaseFuture<'e, FactResults> {
        Box::pin(async move {
            let mut gathered = FactResults {
                denied: self.unreadable_resources(caller).await?,
                ..FactResults::default()
            };
            if gathered.denied.len() == RESOURCES.len() {
                // Beginning the call produces the refusal, which names a missing grant and is
                // logged.
                Call::begin_any(self.core, caller, &RESOURCES, Permission::Read, input).await?;
            }
            let hits = self.hits(caller, input, &mut gathered).await?;
            let known: HashSet<MemoryId> = hits.iter().map(|hit| hit.memory.id).collect();
            for hit in hits {
                gathered.facts.push(self.locate(caller, hit).await?);
            }
            if gathered.is_readable("graph") {
                gathered.facts.extend(self.related_facts(caller, input, &known).await?);
            }
            gathered.facts.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(b.at.cmp(&a.at)));
            gathered.left_out += gathered.facts.len().saturating_sub(input.limit);
            gathered.facts.truncate(input.limit);
            Ok(gathered)
        })
    }

    /// Returns the resources that the caller may not read at all, by the names used in grants.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn unreadable_resources(self, caller: &'e Caller) -> UseCaseFuture<'e, Vec<String>> {
        Box::pin(async move {
            let policy = self.core.policy(caller).await?;
            let collections = policy.sources(Permission::Read).collections;
            let is_readable = |resource: &Resource| match resource {
                // Memories that describe a row or the profile are readable without a grant on any
                // collection.
                Resource::Memories(None) => collections.any(),
                other => policy.allows(other.clone(), Permission::Read),
            };
            Ok(RESOURCES
                .iter()
                .filter(|resource| !is_readable(resource))
                .map(ToString::to_string)
                .collect())
        })
    }

    async fn hits(
        self,
        caller: &Caller,
        input: &FactsRequest,
        gathered: &mut FactResults,
    ) -> Result<Vec<MemoryHit>, Failure> {
        if ["vectors", "tables", "profile"].iter().all(|resource| !gathered.is_readable(resource)) {
            return Ok(Vec::new());
        }
        let (limit, budget_tokens) = (Some(input.limit), Some(input.budget_tokens));
        let recall =
            RecallRequest { limit, budget_tokens, ..RecallRequest::query(input.topic.clone()) };
        let recalled = self.recall(caller, &recall).await?;
        gathered.left_out = recalled.left_out;
        Ok(recalled.hits)
    }

    /// Determines the source of a hit.
    async fn locate(self, caller: &Caller, hit: MemoryHit) -> Result<Fact, Failure> {
        let marks = hit.marks();
        let MemoryHit { memory, excerpt, strength, .. } = hit;
        let (text, at) = (excerpt.unwrap_or_else(|| memory.text.clone()), memory.valid_from);
        let field = crate::profile::profile_fields(&memory).next().map(str::to_owned);
        let source = match field {
            Some(field) => FactSource::Profile { field, memory },
            None => match self.row_of(caller, memory.id).await? {
                Some(Record { id, table, data, .. }) => {
                    FactSource::Row { table, row: id, data, memory }
                }
                None => FactSource::Memory(memory),
            },
        };
        Ok(Fact { text, source, strength, at, marks })
    }

    /// Returns the row that a memory describes, if any.
    async fn row_of(self, caller: &Caller, memory: MemoryId) -> Result<Option<Record>, Failure> {
        let mut rows = self.core.store_of(&caller.owner).records_of_memory(memory).await?;
        Ok(rows.pop())
    }

    /// Returns relations on the topic that no memory of the result states.
    async fn related_facts(
        self,
        caller: &Caller,
        input: &FactsRequest,
        known: &HashSet<MemoryId>,
    ) -> Result<Vec<Fact>, Failure> {
        let call = Call::begin(self.core, caller, Resource::Graph, Permission::Read, input).await?;
        let terms = reading::content_terms(&input.topic);
        let mut views = with_names(
            &call,
            relations_touching(&call, &entities_named_in(&call, &terms).await?).await?,
        )
        .await?;
        let answers = match GraphPatternRequest::from_question(&input.topic) {
            Some(pattern) => {
                Graph::new(self.core, self.caches).graph_pattern(caller, &pattern).await?.relations
            }
            None => Vec::new(),
        };
        views.retain(|view| answers.iter().all(|answer| answer.relation.id != view.relation.id));
        // A relation that answers the question directly covers it completely, whatever its words
        // are.
        let asked = answers.into_iter().map(|view| (view, 1.0));
        let others = views.into_iter().map(|view| {
            let share = term_coverage(&terms, &describe(&view));
            (view, share)
        });
        let is_unstated = |view: &RelationView| {
            view.relation.memory.is_none_or(|memory| !known.contains(&memory))
        };
        Ok(asked
            .chain(others)
            .filter(|(view, _)| is_unstated(view))
            .filter_map(|(view, share)| fact_of(view, share))
            .collect())
    }
}

/// Returns the entities whose names contain a word of the topic.
async fn entities_named_in(call: &Call<'_>, terms: &[String]) -> Result<Vec<EntityId>, Failure> {
    let mut ids = Vec::new();
    let long = terms.iter().filter(|term| term.chars().count() >= NAME_CHARS_MIN);
    for term in long.take(NAMES_MAX) {
        let query = EntityQuery { name: Some(reading::light_stem(term).to_owned()), kind: None };
        let page = Page::first(ENTITIES_PER_NAME.min(limits::PAGE_ITEMS));
        let listed = EntityVisibility::for_call(call).await?.list(call, &query, page).await?;
        ids.extend(
            listed
                .items
                .iter()
                .map(|entity| entity.id)
                .filter(|id| !ids.contains(id))
                .collect::<Vec<_>>(),
        );
    }
    Ok(ids)
}

/// Returns a relation with the words of its name, in which a topic may ask for it.
fn describe(view: &RelationView) -> String {
    format!("{} {} {}", view.source, view.relation.kind.replace('_', " "), view.target)
}

// Scored with the weights of recall, so that relations and memories are comparable.
fn fact_of(view: RelationView, share: f32) -> Option<Fact> {
    let weights = RankingWeights::default();
    let parts = ScoreParts {
        words: weights.words * share * view.relation.confidence,
        ..ScoreParts::default()
    };
    let strength = parts.strength(&weights);
    let text = format!("{} {} {}", view.source, view.label(), view.target);
    let at = view.relation.last_seen;
    (parts.own_score() >= weights.floor).then_some(Fact {
        text,
        source: FactSource::Relation(view),
        strength,
        at,
        marks: MemoryMarks::default(),
    })
}
