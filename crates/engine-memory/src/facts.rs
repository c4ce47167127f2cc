//! Facts on a topic from every place at once: memories, rows, the profile and the graph, ranked by
//! one score. Each says where it stands, so that whoever reads it can correct or forget just that.

use crate::entities::GraphPattern;
use crate::entities::RelationView;
use crate::entities::{Sight, relations_touching, with_names};
use crate::recall::Hit;
use crate::recall::Recall;
use crate::{Graph, Memories};
use ::recall::{Parts, Weights};
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    EntityId, Failure, JsonMap, Memory, MemoryId, Moment, Page, Permission, Record, RecordId,
    limits,
};
use std::collections::HashSet;
use store::EntityQuery;

/// How many words of a topic are looked up among the entities.
const NAMES_MAX: usize = 6;
/// A shorter word would be found in half of all names.
const NAME_CHARS_MIN: usize = 3;
/// How many entities each word may bring.
const ENTITIES_PER_NAME: usize = 5;

/// The places that are looked in.
const PLACES: [Resource; 4] =
    [Resource::Profile, Resource::Tables(None), Resource::Memories(None), Resource::Graph];

/// What to gather facts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskFacts {
    /// The topic: a question or a few words.
    pub topic: String,
    /// How many facts at most.
    pub limit: usize,
    /// How many tokens they may cost, roughly.
    pub budget_tokens: usize,
}

/// Where a fact stands.
#[derive(Debug, Clone, PartialEq)]
pub enum FactSource {
    /// In a memory.
    Memory(Memory),
    /// In a row; the memory tells of it in words.
    Row {
        /// The table.
        table: String,
        /// The row.
        row: RecordId,
        /// Its fields.
        data: JsonMap,
        /// What tells of it.
        memory: Memory,
    },
    /// In a field of the profile; the memory tells of it in words.
    Profile {
        /// The field, as a dotted path.
        field: String,
        /// What tells of it.
        memory: Memory,
    },
    /// In a relation between two entities.
    Relation(RelationView),
}

/// A fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// In words.
    pub text: String,
    /// Where it stands.
    pub source: FactSource,
    /// How well it answers, 0 to 1; the same scale for every place.
    pub strength: f32,
    /// Since when it holds.
    pub at: Moment,
}

/// What is known on a topic.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// The facts, best first.
    pub facts: Vec<Fact>,
    /// How many more there are.
    pub left_out: usize,
    /// The places that the caller may not read, by the names that grants use.
    pub denied: Vec<String>,
}

impl Facts {
    fn is_open(&self, place: &str) -> bool {
        self.denied.iter().all(|closed| closed != place)
    }
}

impl Memories<'_> {
    /// Gathers facts from every place that the caller may read.
    ///
    /// # Errors
    /// When the topic is too long, or the store cannot answer; `consent_required` when no place is
    /// granted. One that is not is no failure.
    pub async fn facts(self, caller: &Caller, input: &AskFacts) -> Result<Facts, Failure> {
        let mut gathered = Facts { denied: self.closed_places(caller).await?, ..Facts::default() };
        if gathered.denied.len() == PLACES.len() {
            // Asking for any of them names what is missing, and notes that it was asked for.
            Call::begin_any(self.core, caller, &PLACES, Permission::Read, input).await?;
        }
        let hits = self.hits(caller, input, &mut gathered).await?;
        let known: HashSet<MemoryId> = hits.iter().map(|hit| hit.memory.id).collect();
        for hit in hits {
            gathered.facts.push(self.placed(caller, hit).await?);
        }
        if gathered.is_open("graph") {
            gathered.facts.extend(self.related(caller, input, &known).await?);
        }
        gathered.facts.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(b.at.cmp(&a.at)));
        gathered.left_out += gathered.facts.len().saturating_sub(input.limit);
        gathered.facts.truncate(input.limit);
        Ok(gathered)
    }

    /// The places that the caller may not read at all, by the names that grants use.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn closed_places(self, caller: &Caller) -> Result<Vec<String>, Failure> {
        let policy = self.core.policy(caller).await?;
        let drawers = policy.sources(Permission::Read).collections;
        let open = |place: &Resource| match place {
            // What tells of a row or of the profile may be read without a grant on any drawer.
            Resource::Memories(None) => drawers.any(),
            other => policy.may(other.clone(), Permission::Read),
        };
        Ok(PLACES.iter().filter(|place| !open(place)).map(ToString::to_string).collect())
    }

    async fn hits(
        self,
        caller: &Caller,
        input: &AskFacts,
        gathered: &mut Facts,
    ) -> Result<Vec<Hit>, Failure> {
        if ["vectors", "tables", "profile"].iter().all(|place| !gathered.is_open(place)) {
            return Ok(Vec::new());
        }
        let (limit, budget_tokens) = (Some(input.limit), Some(input.budget_tokens));
        let recall = Recall { limit, budget_tokens, ..Recall::query(input.topic.clone()) };
        let recalled = self.recall(caller, &recall).await?;
        gathered.left_out = recalled.left_out;
        Ok(recalled.hits)
    }

    /// The fact with where it stands. A memory that the caller may see stands where it may look.
    async fn placed(self, caller: &Caller, hit: Hit) -> Result<Fact, Failure> {
        let Hit { memory, cut, strength, .. } = hit;
        let (text, at) = (cut.unwrap_or_else(|| memory.text.clone()), memory.valid_from);
        let field = crate::profile::fields_of(&memory).next().map(str::to_owned);
        let source = match field {
            Some(field) => FactSource::Profile { field, memory },
            None => match self.row_of(caller, memory.id).await? {
                Some(Record { id, table, data, .. }) => {
                    FactSource::Row { table, row: id, data, memory }
                }
                None => FactSource::Memory(memory),
            },
        };
        Ok(Fact { text, source, strength, at })
    }

    /// The row that a memory tells of, if it tells of one.
    async fn row_of(self, caller: &Caller, memory: MemoryId) -> Result<Option<Record>, Failure> {
        let mut rows = self.core.store_of(&caller.owner).records_of(memory).await?;
        Ok(rows.pop())
    }

    /// Relations that speak of the topic and that no memory told already.
    async fn related(
        self,
        caller: &Caller,
        input: &AskFacts,
        known: &HashSet<MemoryId>,
    ) -> Result<Vec<Fact>, Failure> {
        let call = Call::begin(self.core, caller, Resource::Graph, Permission::Read, input).await?;
        let terms = reading::content_terms(&input.topic);
        let mut views =
            with_names(&call, relations_touching(&call, &named(&call, &terms).await?).await?)
                .await?;
        let answers = match GraphPattern::asked(&input.topic) {
            Some(pattern) => {
                Graph::new(self.core, self.caches).graph_pattern(caller, &pattern).await?.relations
            }
            None => Vec::new(),
        };
        views.retain(|view| answers.iter().all(|answer| answer.relation.id != view.relation.id));
        let asked = answers.into_iter().map(|view| (view, 1.0));
        let spoken = views.into_iter().map(|view| {
            let share = share(&terms, &in_words(&view));
            (view, share)
        });
        let untold = |view: &RelationView| {
            view.relation.memory.is_none_or(|memory| !known.contains(&memory))
        };
        Ok(asked
            .chain(spoken)
            .filter(|(view, _)| untold(view))
            .filter_map(|(view, share)| fact_of(view, share))
            .collect())
    }
}

/// The entities whose names hold a word of the topic.
async fn named(call: &Call<'_>, terms: &[String]) -> Result<Vec<EntityId>, Failure> {
    let mut ids = Vec::new();
    let long = terms.iter().filter(|term| term.chars().count() >= NAME_CHARS_MIN);
    for term in long.take(NAMES_MAX) {
        let query = EntityQuery { name: Some(reading::root(term).to_owned()), kind: None };
        let page = Page::first(ENTITIES_PER_NAME.min(limits::PAGE));
        let listed = Sight::of(call).await?.list(call, &query, page).await?;
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

fn in_words(view: &RelationView) -> String {
    format!("{} {} {}", view.source, view.relation.kind.replace('_', " "), view.target)
}

/// How many of the topic's words a text has.
fn share(terms: &[String], text: &str) -> f32 {
    let said: HashSet<String> =
        reading::content_terms(text).iter().map(|term| reading::root(term).to_owned()).collect();
    let shared = terms.iter().filter(|term| said.contains(reading::root(term))).count();
    shared as f32 / terms.len().max(1) as f32
}

fn fact_of(view: RelationView, share: f32) -> Option<Fact> {
    let weights = Weights::default();
    let parts =
        Parts { words: weights.words * share * view.relation.confidence, ..Parts::default() };
    let strength = parts.strength(&weights);
    let (text, at) = (in_words(&view), view.relation.last_seen);
    (parts.own() >= weights.floor).then_some(Fact {
        text,
        source: FactSource::Relation(view),
        strength,
        at,
    })
}
