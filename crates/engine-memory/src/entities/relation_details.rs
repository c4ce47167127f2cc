//! Details of relations: the dose of a medication, the birthday of a relative. They are read from
//! the row or the profile that states the relation, so that they change and go with it.

use crate::Graph;
use crate::profile::{field_at, profile_fields};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, JsonMap, Memory, MemoryId, Permission, Relation, limits};
use serde_json::Value;
use std::collections::HashMap;

/// Maximum number of details of a relation.
const DETAILS_MAX: usize = 12;
/// Maximum length of a detail; a longer value is a text of its own.
const DETAIL_CHARS_MAX: usize = 120;

impl<'e> Graph<'e> {
    /// Returns the details of each relation, in the same order. What the caller may not read has
    /// none.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn relation_details(
        self,
        caller: &'e Caller,
        relations: &'e [&'e Relation],
    ) -> UseCaseFuture<'e, Vec<JsonMap>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, &relations.len())
                    .await?;
            let mut stating: HashMap<MemoryId, JsonMap> = HashMap::new();
            let mut ids: Vec<MemoryId> = relations.iter().filter_map(|one| one.memory).collect();
            ids.sort_unstable();
            ids.dedup();
            for some in ids.chunks(limits::IDS_PER_CALL) {
                for memory in call.memories(some).await? {
                    stating.insert(memory.id, details_in(&call, &memory).await?);
                }
            }
            let details = |relation: &&Relation| {
                let stated = relation.memory.and_then(|memory| stating.get(&memory));
                let mut details = relation.properties.clone();
                details.extend(stated.cloned().unwrap_or_default());
                details
            };
            Ok(relations.iter().map(details).collect())
        })
    }
}

/// Returns the details that are stated together with a memory.
async fn details_in(call: &Call<'_>, memory: &Memory) -> Result<JsonMap, Failure> {
    if let Some(field) = profile_fields(memory).next() {
        return details_in_profile(call, field).await;
    }
    let rows = call.store().records_of_memory(memory.id).await?;
    Ok(rows.last().map(|row| short_values(&row.data)).unwrap_or_default())
}

/// Returns the other fields of the person or thing that a field of the profile belongs to.
async fn details_in_profile(call: &Call<'_>, field: &str) -> Result<JsonMap, Failure> {
    let Some((parent, _)) = field.rsplit_once('.') else { return Ok(JsonMap::new()) };
    let profile = call.store().profile().await?;
    let parent = profile.as_ref().and_then(|profile| field_at(&profile.data, parent));
    Ok(parent.and_then(Value::as_object).map(short_values).unwrap_or_default())
}

fn short_values(fields: &JsonMap) -> JsonMap {
    let is_short = |value: &Value| match value {
        Value::String(text) => text.chars().count() <= DETAIL_CHARS_MAX,
        Value::Number(_) | Value::Bool(_) => true,
        _ => false,
    };
    let short = fields.iter().filter(|(_, value)| is_short(value)).take(DETAILS_MAX);
    short.map(|(name, value)| (name.clone(), value.clone())).collect()
}
