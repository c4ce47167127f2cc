//! A proposed erasure as the owner sees it before deciding: the texts that would go, read when the
//! item is shown and never stored with it.

use super::Erasure;
use crate::profile::{field_at, value_to_text};
use crate::review::ReviewView;
use crate::tables::record_text;
use engine_core::call::Call;
use guard::Resource;
use model::{EntityId, Failure, Memory, Permission, SourceFilter};
use store::ForgetReceipt;

/// Number of memories shown of one proposal.
const SHOWN: usize = 100;

/// Items of an erasure that still exist, and the outcome once it was accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct ErasureView {
    pub erasure: Erasure,
    /// At most 100 of its memories.
    pub memories: Vec<Memory>,
    /// Sentences about its profile fields, rows and entities.
    pub others: Vec<String>,
    /// Number of items removed by place, right after it was accepted.
    pub receipt: Option<ForgetReceipt>,
    /// Sentences about what was left alone when it was accepted.
    pub skipped: Vec<String>,
}

impl ErasureView {
    /// Returns the number of its memories that are not shown.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.erasure.memories.len().saturating_sub(SHOWN)
    }
}

/// Adds the items that would be deleted to a review item that proposes an erasure.
pub(crate) async fn attach_view(
    call: &Call<'_>,
    mut view: ReviewView,
) -> Result<ReviewView, Failure> {
    let Some(erasure) = Erasure::of_item(&view.item) else { return Ok(view) };
    let first = &erasure.memories[..erasure.memories.len().min(SHOWN)];
    let memories = call.memories(first).await?;
    let others = describe_others(call, &erasure).await?;
    let (receipt, skipped) = (None, Vec::new());
    view.erasure = Some(ErasureView { memories, others, erasure, receipt, skipped });
    Ok(view)
}

/// Access of a caller to what erasures name besides memories.
pub(crate) struct ErasureAccess {
    sources: SourceFilter,
    /// Names of entities come from memories of any source, so all of them must be readable.
    entities: bool,
}

impl ErasureAccess {
    pub fn new(call: &Call<'_>) -> Self {
        let graph = call.policy.allows(Resource::Graph, Permission::Read);
        Self { sources: call.readable.clone(), entities: graph && call.readable.is_all() }
    }

    /// Returns whether the caller may read the profile fields, rows and entities of an erasure.
    pub fn allows(&self, erasure: &Erasure) -> bool {
        let profile = erasure.profile_fields.is_empty() || self.sources.profile;
        let tables = erasure.rows.iter().all(|(table, _)| self.sources.tables.allows(table));
        let names_entities = !erasure.entities.is_empty() || !erasure.merges.is_empty();
        profile && tables && (self.entities || !names_entities)
    }
}

async fn describe_others(call: &Call<'_>, erasure: &Erasure) -> Result<Vec<String>, Failure> {
    let mut said = describe_fields(call, erasure).await?;
    for (table, id) in &erasure.rows {
        let row = call.store().record(table, *id).await?;
        let text = row.map_or(String::new(), |row| format!(": {}", record_text(table, &row.data)));
        said.push(format!("row {id} of {table}{text}"));
    }
    for entity in &erasure.entities {
        said.push(format!("entity {}", named(call, *entity).await?));
    }
    for (from, into) in &erasure.merges {
        let (from, into) = (named(call, *from).await?, named(call, *into).await?);
        said.push(format!("entity {from}, merged into {into}"));
    }
    Ok(said)
}

async fn describe_fields(call: &Call<'_>, erasure: &Erasure) -> Result<Vec<String>, Failure> {
    if erasure.profile_fields.is_empty() {
        return Ok(Vec::new());
    }
    let profile = call.store().profile().await?.map(|version| version.data).unwrap_or_default();
    let describe = |path: &String| match field_at(&profile, path) {
        Some(value) => format!("profile field {path}: {}", value_to_text(value)),
        None => format!("profile field {path}"),
    };
    Ok(erasure.profile_fields.iter().map(describe).collect())
}

async fn named(call: &Call<'_>, id: EntityId) -> Result<String, Failure> {
    let found = call.store().entities(&[id]).await?.pop();
    Ok(found.map_or_else(|| id.to_string(), |entity| format!("{id} ({})", entity.name)))
}
