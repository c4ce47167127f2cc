//! The context to begin a conversation with: profile, tables, collections, entities and recent
//! memories, within two thousand tokens however much there is. A section that is not granted is
//! empty and says so.

use super::plan::{self, Sources};
use super::shown;
use super::source_ref::SourceRef;
use engine::recall::Recall;
use engine::{Caller, Engine, cut_to_tokens, estimate_tokens};
use model::{Entity, ErrorCode, Failure, JsonMap, Memory, ProfileVersion, Table};
use serde_json::{Value, json};

/// What the whole answer may cost, in tokens.
const TOKENS: usize = 2_000;
/// What the profile may take of it.
const PROFILE_TOKENS: usize = 600;
/// What the tables and the collections may take of it, each.
const NAMES_TOKENS: usize = 200;
/// What one memory may take of it.
const MEMORY_TOKENS: usize = 80;
/// What the metadata of one memory, or the properties of one entity, may take of it.
const EXTRAS_TOKENS: usize = 40;
const ENTITIES: usize = 20;
const MEMORIES: usize = 10;

/// What happens when the profile is not granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// Everything is empty and says why.
    Open,
    /// The call is refused.
    Closed,
}

/// What was found, section by section; `None` is not granted.
#[derive(Default)]
struct Found {
    profile: Option<Option<ProfileVersion>>,
    tables: Option<Vec<Table>>,
    collections: Option<Vec<(String, usize)>>,
    entities: Option<Vec<Entity>>,
    memories: Option<Vec<Memory>>,
}

/// Loads the context; a topic ranks the memories, and `warnings` are told with it.
pub(super) async fn load(
    engine: &Engine,
    caller: &Caller,
    topic: Option<&str>,
    gate: Gate,
    warnings: Vec<String>,
) -> Result<Value, Failure> {
    let profile = engine.profile().get(caller).await;
    if let (Err(failure), Gate::Closed) = (&profile, gate) {
        return Err(failure.clone());
    }
    let mut found = Found { profile: granted(profile)?, ..Found::default() };
    if found.profile.is_some() {
        found.tables = granted(engine.tables().list(caller).await)?;
        found.entities = granted(engine.graph().top_entities(caller, ENTITIES).await)?;
    }
    if found.profile.is_some()
        && !engine.memories().closed_places(caller).await?.iter().any(|place| place == "vectors")
    {
        found.collections = granted(engine.memories().collections(caller).await)?;
        found.memories = granted(memories(engine, caller, topic).await)?;
    }
    Ok(found.told(topic, warnings))
}

/// What a section gives, or `None` when it is not granted.
fn granted<T>(section: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match section {
        Ok(found) => Ok(Some(found)),
        Err(failure) if failure.code == ErrorCode::ConsentRequired => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// What answers the topic; without one, or when nothing does, what was written last.
async fn memories(
    engine: &Engine,
    caller: &Caller,
    topic: Option<&str>,
) -> Result<Vec<Memory>, Failure> {
    if let Some(topic) = topic {
        let input = Recall { limit: Some(MEMORIES), ..Recall::query(topic) };
        let hits = engine.memories().recall(caller, &input).await?.hits;
        if !hits.is_empty() {
            return Ok(hits.into_iter().map(|hit| hit.memory).collect());
        }
    }
    engine.memories().recent(caller, MEMORIES).await
}

impl Found {
    fn told(&self, topic: Option<&str>, more: Vec<String>) -> Value {
        let mut answer = JsonMap::new();
        answer.insert("access".into(), self.access());
        answer.insert("hints".into(), self.hints());
        if let Some(topic) = topic {
            answer.insert("retrievalPlan".into(), self.plan(topic));
        }
        let warnings: Vec<String> = self.warnings().into_iter().chain(more).collect();
        let mut room = Room {
            left: TOKENS.saturating_sub(cost(&json!(answer)) + cost(&json!(warnings)) + 120),
        };
        let mut left = JsonMap::new();
        let (profile, without) = self.profile(&mut room);
        answer.insert("profile".into(), profile);
        shown::listed(&mut left, "profile", without);
        for (name, items, most) in self.lists() {
            let count = items.len();
            let kept: Vec<Value> = room
                .within(most, |share| items.into_iter().filter(|item| share.take(item)).collect());
            shown::optional(
                &mut left,
                name,
                (kept.len() < count).then(|| (count - kept.len()).into()),
            );
            answer.insert(name.into(), Value::Array(kept));
        }
        if !left.is_empty() {
            answer["hints"]["leftOut"] = Value::Object(left);
        }
        shown::with_warnings(answer, &warnings)
    }

    /// Each list with the most that it may take, in the order in which they are filled.
    fn lists(&self) -> [(&'static str, Vec<Value>, usize); 4] {
        [
            ("tables", self.tables.iter().flatten().map(table).collect(), NAMES_TOKENS),
            (
                "collections",
                self.collections.iter().flatten().map(collection).collect(),
                NAMES_TOKENS,
            ),
            ("recentMemories", self.memories.iter().flatten().map(memory).collect(), TOKENS),
            ("topEntities", self.entities.iter().flatten().map(entity).collect(), TOKENS),
        ]
    }

    /// Field by field, so that one long field does not keep the others out; the names of those that
    /// do not fit.
    fn profile(&self, room: &mut Room) -> (Value, Vec<Value>) {
        let Some(Some(version)) = &self.profile else { return (Value::Null, Vec::new()) };
        let (mut kept, mut without) = (JsonMap::new(), Vec::new());
        room.within(PROFILE_TOKENS, |share| {
            for (name, value) in &version.data {
                if share.take(&json!([name, value])) {
                    kept.insert(name.clone(), value.clone());
                } else if share.take(&json!(name)) {
                    without.push(name.as_str().into());
                }
            }
        });
        (Value::Object(kept), without)
    }

    fn access(&self) -> Value {
        let sections = self.sections();
        let mut shown: JsonMap = sections
            .iter()
            .map(|(name, open)| {
                ((*name).to_owned(), if *open { "granted" } else { "denied" }.into())
            })
            .collect();
        shown.insert("deniedSections".into(), json!(self.denied()));
        Value::Object(shown)
    }

    fn sections(&self) -> [(&'static str, bool); 4] {
        [
            ("profile", self.profile.is_some()),
            ("tables", self.tables.is_some()),
            ("vectors", self.memories.is_some()),
            ("graph", self.entities.is_some()),
        ]
    }

    fn denied(&self) -> Vec<&'static str> {
        self.sections().iter().filter(|(_, open)| !open).map(|(name, _)| *name).collect()
    }

    fn warnings(&self) -> Vec<String> {
        let closed = self.denied();
        let told = || {
            format!(
                "not granted: {}; the owner can grant it with `quipu grants`",
                closed.join(", ")
            )
        };
        (!closed.is_empty()).then(told).into_iter().collect()
    }

    fn hints(&self) -> Value {
        let tables = self.tables.as_deref().unwrap_or_default();
        let collections = self.collections.as_deref().unwrap_or_default();
        let entities = self.entities.as_deref().unwrap_or_default();
        let few = |names: Vec<&str>| cut_to_tokens(&names.join(", "), EXTRAS_TOKENS);
        let mut tools: Vec<String> = Vec::new();
        if !collections.is_empty() {
            let names = few(collections.iter().map(|(name, _)| name.as_str()).collect());
            tools.push(format!(
                "recall - user has {} vector collection(s): {names}",
                collections.len()
            ));
        }
        if !entities.is_empty() {
            let (count, more) =
                (entities.len(), if entities.len() < ENTITIES { "" } else { " or more" });
            tools.push(format!(
                "recall - the graph has {count}{more} entities; ask with mode graph"
            ));
        }
        if !tables.is_empty() {
            let names = few(tables.iter().map(|table| table.name.as_str()).collect());
            tools.push(format!("recall - user has {} table(s): {names}", tables.len()));
        }
        if tools.is_empty() {
            tools.push("memorize - nothing is known yet; save what the user shares".to_owned());
        }
        json!({
            "hasStructuredData": !tables.is_empty(), "hasMemories": !collections.is_empty(),
            "hasGraphData": !entities.is_empty(), "suggestedTools": tools,
        })
    }

    fn plan(&self, topic: &str) -> Value {
        let nothing = JsonMap::new();
        let profile = self
            .profile
            .as_ref()
            .and_then(Option::as_ref)
            .map_or(&nothing, |version| &version.data);
        let sources = Sources {
            tables: self.tables.as_deref().unwrap_or_default(),
            collections: self.collections.as_deref().unwrap_or_default(),
            profile,
        };
        plan::plan(&cut_to_tokens(topic, EXTRAS_TOKENS), &sources)
    }
}

/// What is left of the tokens.
struct Room {
    left: usize,
}

impl Room {
    /// Lets a part be filled with at most so much of what is left.
    fn within<T>(&mut self, most: usize, fill: impl FnOnce(&mut Self) -> T) -> T {
        let given = self.left.min(most);
        let mut share = Self { left: given };
        let filled = fill(&mut share);
        self.left -= given - share.left;
        filled
    }

    fn take(&mut self, item: &Value) -> bool {
        let cost = cost(item);
        let fits = cost <= self.left;
        if fits {
            self.left -= cost;
        }
        fits
    }
}

/// What a value costs as it travels, with the comma behind it.
fn cost(value: &Value) -> usize {
    estimate_tokens(&value.to_string()) + 1
}

fn table(table: &Table) -> Value {
    let description = table.description.as_deref().map(|text| cut_to_tokens(text, EXTRAS_TOKENS));
    json!({ "name": table.name, "description": description, "recordCount": table.rows })
}

fn collection((name, count): &(String, usize)) -> Value {
    json!({ "name": name, "description": null, "entryCount": count })
}

fn entity(entity: &Entity) -> Value {
    json!({
        "id": entity.id.0, "type": entity.kind, "name": entity.name, "properties": small(&entity.properties),
        "confidence": shown::rounded(entity.confidence), "mentionCount": entity.mentions,
        "sourceRef": SourceRef::Entity(entity.id).to_string(),
    })
}

fn memory(memory: &Memory) -> Value {
    json!({
        "id": memory.id.0, "sourceRef": SourceRef::of(memory).to_string(), "collection": memory.collection,
        "text": cut_to_tokens(&memory.text, MEMORY_TOKENS), "metadata": small(&memory.metadata),
        "confidence": shown::rounded(memory.confidence), "status": shown::status(memory),
        "createdAt": shown::time(memory.provenance.at),
    })
}

/// An object when it is small; nothing of it otherwise.
fn small(object: &JsonMap) -> Value {
    let shown = Value::Object(object.clone());
    if cost(&shown) <= EXTRAS_TOKENS { shown } else { json!({}) }
}
