//! Authorship: what the caller wrote itself, and may therefore delete itself.

use super::division::ErasureChain;
use engine_core::call::Call;
use model::{
    Dialect, Entity, EntityId, Failure, MemoryId, Origin, Page, ProfileVersion, Provenance,
    RelationId, limits, paths_overlap,
};
use std::collections::BTreeSet;

/// Returns whether the caller is the author of an item.
pub(crate) fn wrote(call: &Call<'_>, from: &Provenance) -> bool {
    // The owner's own name is free to any client over a pipe, so the name alone is not enough:
    // what was typed or imported is the owner's, whoever is called the same.
    from.author.agent == call.caller.author.agent
        && from.origin != Origin::Typed
        && from.author.dialect != Dialect::Import
}

/// Returns whether the caller wrote all memories of a chain, and every profile field that would go
/// with them.
pub(super) async fn wrote_all(call: &Call<'_>, chain: &ErasureChain) -> Result<bool, Failure> {
    if !chain.memories.iter().all(|memory| wrote(call, &memory.provenance)) {
        return Ok(false);
    }
    wrote_fields(call, &chain.fields).await
}

/// Returns whether the caller wrote every version of these profile fields.
pub(crate) async fn wrote_fields(call: &Call<'_>, fields: &[String]) -> Result<bool, Failure> {
    if fields.is_empty() {
        return Ok(true);
    }
    let mut page = Page::first(limits::PAGE_ITEMS);
    loop {
        let listed = call.store().profile_history(page).await?;
        let of_others = |version: &ProfileVersion| {
            changes_any(version, fields) && !wrote(call, &version.provenance)
        };
        if listed.items.iter().any(of_others) {
            return Ok(false);
        }
        page.offset += listed.items.len();
        if listed.items.is_empty() || page.offset >= listed.total {
            return Ok(true);
        }
    }
}

/// Returns whether a version changed one of these fields, or a field inside or around one.
pub(super) fn changes_any(version: &ProfileVersion, fields: &[String]) -> bool {
    let overlaps = |changed: &String| fields.iter().any(|field| paths_overlap(changed, field));
    version.changed.iter().any(overlaps)
}

/// Returns whether everything that is known about an entity comes from memories that the caller
/// wrote. What was stated outside of any memory has no recorded author.
pub(crate) async fn wrote_entity(call: &Call<'_>, entity: &Entity) -> Result<bool, Failure> {
    let Some(mut behind) = stating_memories(call, entity.id).await? else { return Ok(false) };
    behind.extend(mentioning_memories(call, entity.id).await?);
    if behind.is_empty() || !entity.properties.is_empty() {
        return Ok(false);
    }
    let behind: Vec<MemoryId> = behind.into_iter().collect();
    for some in behind.chunks(limits::IDS_PER_CALL) {
        let memories = call.memories_unchecked(some).await?;
        if !memories.iter().all(|memory| wrote(call, &memory.provenance)) {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn mentioning_memories(
    call: &Call<'_>,
    entity: EntityId,
) -> Result<BTreeSet<MemoryId>, Failure> {
    let (mut found, mut page) = (BTreeSet::new(), Page::first(limits::PAGE_ITEMS));
    loop {
        let listed = call.store().memories_mentioning(entity, page).await?;
        page.offset += listed.items.len();
        let last = listed.items.is_empty() || page.offset >= listed.total;
        found.extend(listed.items);
        if last {
            return Ok(found);
        }
    }
}

/// Returns the memories behind the observations and relations of an entity; `None` when one of
/// these was stated outside of any memory.
async fn stating_memories(
    call: &Call<'_>,
    entity: EntityId,
) -> Result<Option<BTreeSet<MemoryId>>, Failure> {
    let (mut found, mut page) = (BTreeSet::new(), Page::first(limits::PAGE_ITEMS));
    loop {
        let listed = call.store().observations(entity, page).await?;
        page.offset += listed.items.len();
        let last = listed.items.is_empty() || page.offset >= listed.total;
        for observation in listed.items {
            match observation.memory {
                Some(memory) => _ = found.insert(memory),
                None => return Ok(None),
            }
        }
        if last {
            break;
        }
    }
    let mut after = RelationId(0);
    loop {
        // All relations are read: only here does one come with every memory that states it.
        let some = call.store().relations_after(after, limits::PAGE_ITEMS).await?;
        let Some(last) = some.last() else { return Ok(Some(found)) };
        after = last.relation.id;
        for one in some {
            if one.relation.source != entity && one.relation.target != entity {
                continue;
            }
            if one.unattached {
                return Ok(None);
            }
            found.extend(one.stated_in);
        }
    }
}
