//! The context for the start of a conversation: profile, tables, collections, entities and recent
//! memories, within 2,000 tokens however much is stored. A section without a grant is empty and
//! marked as denied.

use super::render;
use super::retrieval_plan::{self, PlanSources};
use super::source_ref::SourceRef;
use crate::marks::insert_marks;
use engine::marks::MemoryMarks;
use engine::recall::RecallRequest;
use engine::{Caller, Engine, cut_to_tokens, estimate_tokens};
use model::{Entity, ErrorCode, Failure, JsonMap, Memory, MemoryId, ProfileVersion, Table};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Maximum number of tokens of the whole result, as the contract documents it.
const CONTEXT_TOKENS: usize = 2_000;
/// Share of the profile.
const PROFILE_TOKENS: usize = 600;
/// Share of the tables and of the collections, each.
const NAMES_TOKENS: usize = 200;
/// Maximum number of tokens of one memory.
const MEMORY_TOKENS: usize = 80;
/// Maximum number of tokens of the metadata of one memory, the properties of one entity, and
/// similar extras.
const EXTRAS_TOKENS: usize = 40;
const ENTITIES_MAX: usize = 20;
const MEMORIES_MAX: usize = 10;

/// Behavior if the profile is not granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProfileGrant {
    /// The section is empty and marked as denied, and the others are as granted.
    Optional,
    /// The call is refused.
    Required,
}

/// Sections of the context; `None` means that the section is not granted.
#[derive(Default)]
struct ContextSections {
    profile: Option<Option<ProfileVersion>>,
    tables: Option<Vec<Table>>,
    collections: Option<Vec<(String, usize)>>,
    entities: Option<Vec<Entity>>,
    memories: Option<Vec<Memory>>,
    marks: HashMap<MemoryId, MemoryMarks>,
}

/// Loads the context. A topic ranks the memories; `warnings` are added to those of the context.
pub(super) async fn load(
    engine: &Engine,
    caller: &Caller,
    topic: Option<&str>,
    profile_grant: ProfileGrant,
    warnings: Vec<String>,
) -> Result<Value, Failure> {
    let profile = engine.profile().get(caller).await;
    // The older tool documents a refusal here, `recall` an empty context.
    if let (Err(failure), ProfileGrant::Required) = (&profile, profile_grant) {
        return Err(failure.clone());
    }
    let mut found =
        ContextSections { profile: unless_denied(profile)?, ..ContextSections::default() };
    found.tables = unless_denied(engine.tables().list(caller).await)?;
    found.entities = unless_denied(engine.graph().top_entities(caller, ENTITIES_MAX).await)?;
    let unreadable = engine.memories().unreadable_resources(caller).await?;
    if !unreadable.iter().any(|resource| resource == "vectors") {
        found.collections = unless_denied(engine.memories().collections(caller).await)?;
        found.memories = unless_denied(memories(engine, caller, topic).await)?;
        let shown = found.memories.as_deref().unwrap_or_default();
        found.marks =
            unless_denied(engine.memories().marks(caller, shown).await)?.unwrap_or_default();
    }
    Ok(found.render_result(topic, warnings))
}

/// Turns a missing grant into `None`.
fn unless_denied<T>(section: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match section {
        Ok(found) => Ok(Some(found)),
        Err(failure) if failure.code == ErrorCode::ConsentRequired => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Returns the memories that match the topic, or the newest ones without a topic or a match.
async fn memories(
    engine: &Engine,
    caller: &Caller,
    topic: Option<&str>,
) -> Result<Vec<Memory>, Failure> {
    if let Some(topic) = topic {
        let input = RecallRequest { limit: Some(MEMORIES_MAX), ..RecallRequest::query(topic) };
        let hits = engine.memories().recall(caller, &input).await?.hits;
        if !hits.is_empty() {
            return Ok(hits.into_iter().map(|hit| hit.memory).collect());
        }
    }
    engine.memories().recent(caller, MEMORIES_MAX).await
}

impl ContextSections {
    fn render_result(&self, topic: Option<&str>, more: Vec<String>) -> Value {
        let mut answer = JsonMap::new();
        answer.insert("access".into(), self.access());
        answer.insert("hints".into(), self.hints());
        if let Some(topic) = topic {
            answer.insert("retrievalPlan".into(), self.plan(topic));
        }
        let warnings: Vec<String> = self.warnings().into_iter().chain(more).collect();
        // 120 tokens are reserved for the keys of the sections and for `leftOut`.
        let mut remaining = RemainingTokens {
            left: CONTEXT_TOKENS
                .saturating_sub(cost(&json!(answer)) + cost(&json!(warnings)) + 120),
        };
        let mut left = JsonMap::new();
        let (profile, omitted) = self.profile(&mut remaining);
        answer.insert("profile".into(), profile);
        render::insert_non_empty(&mut left, "profile", omitted);
        for (name, items, most) in self.lists() {
            let count = items.len();
            let included: Vec<Value> = remaining.with_at_most(most, |share| {
                items.into_iter().filter(|item| share.take_if_fits(item)).collect()
            });
            render::insert_some(
                &mut left,
                name,
                (included.len() < count).then(|| (count - included.len()).into()),
            );
            answer.insert(name.into(), Value::Array(included));
        }
        if !left.is_empty() {
            answer["hints"]["leftOut"] = Value::Object(left);
        }
        render::set_meta_warnings(answer, &warnings)
    }

    /// Returns each list with its maximum share of tokens, in the order in which they are filled.
    /// The order decides what is dropped first when tokens run out.
    fn lists(&self) -> [(&'static str, Vec<Value>, usize); 4] {
        [
            ("tables", self.tables.iter().flatten().map(table).collect(), NAMES_TOKENS),
            (
                "collections",
                self.collections.iter().flatten().map(collection).collect(),
                NAMES_TOKENS,
            ),
            (
                "recentMemories",
                self.memories.iter().flatten().map(|one| self.memory(one)).collect(),
                CONTEXT_TOKENS,
            ),
            ("topEntities", self.entities.iter().flatten().map(entity).collect(), CONTEXT_TOKENS),
        ]
    }

    /// Returns the fields of the profile that fit, and the names of the others. Fields are taken
    /// one by one, so that a long one does not displace the rest.
    fn profile(&self, remaining: &mut RemainingTokens) -> (Value, Vec<Value>) {
        let Some(Some(version)) = &self.profile else { return (Value::Null, Vec::new()) };
        let (mut included, mut omitted) = (JsonMap::new(), Vec::new());
        remaining.with_at_most(PROFILE_TOKENS, |share| {
            for (name, value) in &version.data {
                if share.take_if_fits(&json!([name, value])) {
                    included.insert(name.clone(), value.clone());
                } else if share.take_if_fits(&json!(name)) {
                    omitted.push(name.as_str().into());
                }
            }
        });
        (Value::Object(included), omitted)
    }

    fn memory(&self, one: &Memory) -> Value {
        let mut shown = memory(one);
        if let Some(marks) = self.marks.get(&one.id) {
            insert_marks(&mut shown, marks, render::MARKS);
        }
        Value::Object(shown)
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
        let warning = || {
            format!(
                "not granted: {}; the owner can grant it with `quipu grants`",
                closed.join(", ")
            )
        };
        (!closed.is_empty()).then(warning).into_iter().collect()
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
                (entities.len(), if entities.len() < ENTITIES_MAX { "" } else { " or more" });
            tools.push(format!("recall - the graph has {count}{more} entities; use mode graph"));
        }
        if !tables.is_empty() {
            let names = few(tables.iter().map(|table| table.name.as_str()).collect());
            tools.push(format!("recall - user has {} table(s): {names}", tables.len()));
        }
        match (tools.is_empty(), self.denied().as_slice()) {
            (false, _) => {}
            (true, []) => {
                tools.push("memorize - nothing is known yet; save what the user shares".to_owned());
            }
            (true, denied) => tools.push(format!(
                "nothing can be shown, because these are not granted: {}",
                denied.join(", ")
            )),
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
        let sources = PlanSources {
            tables: self.tables.as_deref().unwrap_or_default(),
            collections: self.collections.as_deref().unwrap_or_default(),
            profile,
        };
        retrieval_plan::plan(&cut_to_tokens(topic, EXTRAS_TOKENS), &sources)
    }
}

/// Remaining tokens of a result or of a part of it.
struct RemainingTokens {
    left: usize,
}

impl RemainingTokens {
    /// Fills a part with at most `most` of the remaining tokens; what the part leaves over stays
    /// available.
    fn with_at_most<T>(&mut self, most: usize, fill: impl FnOnce(&mut Self) -> T) -> T {
        let given = self.left.min(most);
        let mut share = Self { left: given };
        let filled = fill(&mut share);
        self.left -= given - share.left;
        filled
    }

    fn take_if_fits(&mut self, item: &Value) -> bool {
        let cost = cost(item);
        let fits = cost <= self.left;
        if fits {
            self.left -= cost;
        }
        fits
    }
}

/// Estimates the tokens of a value as compact JSON with the comma behind it.
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
        "id": entity.id.0, "type": entity.kind, "name": entity.name,
        "properties": if_small(&entity.properties),
        "confidence": render::rounded(entity.confidence), "mentionCount": entity.mentions,
        "sourceRef": SourceRef::Entity(entity.id).to_string(),
    })
}

fn memory(memory: &Memory) -> JsonMap {
    let text = cut_to_tokens(&memory.text, MEMORY_TOKENS);
    let mut shown = JsonMap::from_iter([
        ("id".to_owned(), Value::from(memory.id.0)),
        ("sourceRef".to_owned(), SourceRef::for_memory(memory).to_string().into()),
        ("collection".to_owned(), memory.collection.as_str().into()),
        ("text".to_owned(), text.into()),
        ("metadata".to_owned(), if_small(&memory.metadata)),
        ("confidence".to_owned(), render::rounded(memory.confidence)),
        ("status".to_owned(), render::status(memory).into()),
        ("createdAt".to_owned(), render::time(memory.provenance.at)),
    ]);
    render::insert_some(&mut shown, "title", memory.title.as_deref().map(Value::from));
    shown
}

/// Returns the object if it is small, and an empty one otherwise.
fn if_small(object: &JsonMap) -> Value {
    let shown = Value::Object(object.clone());
    if cost(&shown) <= EXTRAS_TOKENS { shown } else { json!({}) }
}
