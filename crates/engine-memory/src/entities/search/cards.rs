//! Searchable cards of entities: names and observations of each, in an index of their own. The
//! index is rebuilt when the store changes; unchanged cards keep their vectors.

use engine_core::Core;
use engine_core::call::Call;
use engine_core::embedding::Embeddable;
use engine_core::search::SearchRequest;
use index::{DocFacts, Filter, IndexEntry, IndexField, View};
use model::{ContentHash, EntityId, Failure, MemoryId, Moment, OwnerId, Seq, StoredVectors};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use store::EntityCard;

/// Number of cards read in one batch.
const CARDS_AT_ONCE: usize = 1_000;
// Bounds the time and memory of a rebuild. Entities past it are still found through the memories
// that mention them.
const CARDS_MAX: usize = 20_000;

/// Cache of entity cards by owner.
#[derive(Default)]
pub(crate) struct EntityCardCache {
    owners: Mutex<HashMap<OwnerId, Arc<EntityCards>>>,
}

/// The entity cards of one owner at a sequence number of one store.
pub(crate) struct EntityCards {
    store: [u8; 16],
    at: Seq,
    view: View,
    /// Entity of each document; a document's id is the index here.
    entities: Vec<EntityId>,
    vectors: HashMap<ContentHash, StoredVectors>,
}

impl EntityCardCache {
    /// Returns the owner's cards, rebuilt if the store has changed.
    pub async fn current(&self, call: &Call<'_>) -> Result<Arc<EntityCards>, Failure> {
        let (core, owner) = (call.core, &call.caller.owner);
        let newest = core.store_of(owner).seq().await?;
        let known = self.owners.lock().get(owner).map(Arc::clone);
        match known {
            Some(known) if known.at == newest && known.store == call.store_id() => Ok(known),
            // Vectors are keyed by the text, so that a rebuild embeds only the cards that changed.
            known => {
                let vectors = known.map(|known| known.vectors.clone()).unwrap_or_default();
                let at = (call.store_id(), newest);
                let cards = Arc::new(EntityCards::build(core, owner, at, vectors).await?);
                let mut owners = self.owners.lock();
                owners.insert(owner.clone(), Arc::clone(&cards));
                Ok(cards)
            }
        }
    }
}

impl EntityCards {
    async fn build(
        core: &Core,
        owner: &OwnerId,
        (store, at): ([u8; 16], Seq),
        known: HashMap<ContentHash, StoredVectors>,
    ) -> Result<Self, Failure> {
        let view = View::new(Some(core.embedder().model().clone()));
        let mut cards = Self { store, at, view, entities: Vec::new(), vectors: HashMap::new() };
        let mut after = EntityId(0);
        while cards.entities.len() < CARDS_MAX {
            let batch = core.store_of(owner).entity_cards(after, CARDS_AT_ONCE).await?;
            let Some(last) = batch.last() else { break };
            after = last.entity;
            cards.embed(core, &batch, &known).await?;
            cards.add_batch(&batch);
        }
        Ok(cards)
    }

    /// Embeds the cards with observations whose text is new.
    async fn embed(
        &mut self,
        core: &Core,
        batch: &[EntityCard],
        known: &HashMap<ContentHash, StoredVectors>,
    ) -> Result<(), Failure> {
        let mut missing = Vec::new();
        // A card without observations has only names, which are found by words.
        for card in batch.iter().filter(|card| !card.observations.is_empty()) {
            let (text, hash) = (text(card), hash(card));
            match known.get(&hash) {
                Some(vector) => drop(self.vectors.insert(hash, vector.clone())),
                None => missing.push((hash, text)),
            }
        }
        let texts = missing.iter().map(|(_, text)| Embeddable::whole(text.clone()));
        if let Ok(vectors) = core.vectors_of(texts.collect()).await {
            self.vectors.extend(missing.into_iter().map(|(hash, _)| hash).zip(vectors));
        }
        Ok(())
    }

    fn add_batch(&mut self, batch: &[EntityCard]) {
        let first = self.entities.len();
        let texts: Vec<(String, String)> = batch
            .iter()
            .map(|card| (card.names.join("\n"), card.observations.join("\n")))
            .collect();
        let entries = batch.iter().zip(&texts).enumerate().map(|(nth, (card, (names, said)))| {
            let id = MemoryId(i64::try_from(first + nth).unwrap_or(i64::MAX));
            let mut entry = IndexEntry::new(DocFacts::note(id, Moment(0)));
            entry.texts = vec![(IndexField::Title, names), (IndexField::Text, said)];
            entry.vector = self.vectors.get(&hash(card));
            entry
        });
        self.view.apply(entries, [], self.at);
        self.entities.extend(batch.iter().map(|card| card.entity));
    }

    /// Returns the entities that answer a question, with their scores.
    pub fn ranked(
        &self,
        request: &SearchRequest,
        question: &recall::RecallQuery,
    ) -> Vec<(EntityId, f32)> {
        let ranked = request.rank(&self.view, question, &Filter::default());
        let entity = |id: MemoryId| self.entities.get(usize::try_from(id.0).ok()?).copied();
        ranked.iter().filter_map(|one| Some((entity(one.id)?, one.parts.own_score()))).collect()
    }
}

fn text(card: &EntityCard) -> String {
    format!("{}: {}", card.names.join(", "), card.observations.join("\n"))
}

fn hash(card: &EntityCard) -> ContentHash {
    ContentHash::of_bytes(text(card).as_bytes())
}
