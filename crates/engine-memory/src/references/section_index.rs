//! Search indexes over the sections of each owner's references, rebuilt when a document changes.

use super::ReferenceHit;
use engine_core::Core;
use engine_core::search::rank_filtered;
use index::{DocFacts, Filter, IndexEntry, IndexField, View};
use model::{
    Failure, MemoryId, Moment, OwnerId, ReferenceId, Section, SectionHit, Seq, VectorModel,
};
use parking_lot::Mutex;
use recall::{AnswerConfidence, RankingWeights as Ranking};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::StoredSection;

/// Number of sections read in one batch.
const SECTIONS_AT_ONCE: usize = 1_000;

/// Cache of reference indexes by owner.
#[derive(Default)]
pub(crate) struct ReferenceIndexes {
    owners: Mutex<HashMap<OwnerId, Arc<ReferenceIndex>>>,
}

/// Index over one owner's references at a sequence number.
pub(crate) struct ReferenceIndex {
    store: [u8; 16],
    at: Seq,
    view: View,
    /// Section of each document of the view; its id is the index here.
    sections: Vec<SectionHit>,
}

impl ReferenceIndexes {
    /// Returns the owner's index, rebuilt if a reference has changed.
    pub async fn current(
        &self,
        core: &Core,
        owner: &OwnerId,
    ) -> Result<Arc<ReferenceIndex>, Failure> {
        // References have a sequence number of their own: a new memory does not rebuild this index.
        let newest = core.store_of(owner).references_seq().await?;
        let store = core.store_of(owner).identity().await?;
        let known = self.owners.lock().get(owner).map(Arc::clone);
        let model = Some(core.embedder().model());
        if let Some(known) = known.filter(|known| known.is_current(store, newest, model)) {
            return Ok(known);
        }
        // Two callers may build it at the same time; the result is the same and one of them is
        // kept.
        let documents = Arc::new(ReferenceIndex::build(core, owner, store, newest).await?);
        let mut owners = self.owners.lock();
        owners.insert(owner.clone(), Arc::clone(&documents));
        Ok(documents)
    }
}

impl ReferenceIndex {
    /// Returns whether the index is of this store, sequence number and model.
    fn is_current(&self, store: [u8; 16], at: Seq, model: Option<&VectorModel>) -> bool {
        self.store == store && self.at == at && self.view.model() == model
    }

    async fn build(
        core: &Core,
        owner: &OwnerId,
        store: [u8; 16],
        at: Seq,
    ) -> Result<Self, Failure> {
        let view = View::new(Some(core.embedder().model().clone()));
        let mut documents = Self { store, at, view, sections: Vec::new() };
        let mut after: Option<(ReferenceId, usize)> = None;
        loop {
            let batch = core.store_of(owner).sections(after, SECTIONS_AT_ONCE).await?;
            let Some(last) = batch.last() else { return Ok(documents) };
            after = Some((last.hit.reference, last.hit.ordinal));
            documents.add_batch(batch);
        }
    }

    fn add_batch(&mut self, batch: Vec<StoredSection>) {
        let first = self.sections.len();
        let headings: Vec<String> = batch
            .iter()
            .map(|section| {
                format!("{} {}", section.hit.path, section.hit.section.heading.join(" "))
            })
            .collect();
        let entries = batch.iter().zip(&headings).enumerate().map(|(nth, (section, heading))| {
            let id = MemoryId(i64::try_from(first + nth).unwrap_or(i64::MAX));
            let mut entry = IndexEntry::new(DocFacts::note(id, Moment(0)));
            entry.texts =
                vec![(IndexField::Title, heading), (IndexField::Text, &section.hit.section.text)];
            entry.vector = section.vector.as_ref();
            entry
        });
        self.view.apply(entries, [], self.at);
        self.sections.extend(batch.into_iter().map(|section| section.hit));
    }

    /// Returns the sections of the document at a path, in order; empty when there is no such
    /// document.
    pub fn sections_of(&self, path: &str) -> Vec<Section> {
        self.sections.iter().filter(|hit| hit.path == path).map(|hit| hit.section.clone()).collect()
    }

    /// Returns the best section of each document that answers, best first.
    /// Empty when the documents say nothing about it.
    pub fn search(
        &self,
        (text, question): (&str, &recall::RecallQuery),
        limit: usize,
    ) -> Vec<ReferenceHit> {
        let mut documents = HashSet::new();
        let within = self.view.filter(&Filter::default(), question.now);
        let weights = Ranking::default();
        let ranked = rank_filtered(&self.view, question, &Filter::default(), &weights);
        let asked = (text, question);
        let confidence = AnswerConfidence::estimate(&self.view, &within, asked, &ranked, &weights);
        if confidence.is_nothing_known() {
            return Vec::new();
        }
        ranked
            .into_iter()
            .filter_map(|one| {
                let hit = self.sections.get(usize::try_from(one.id.0).ok()?)?;
                Some(ReferenceHit { hit: hit.clone(), score: one.score })
            })
            .filter(|found| documents.insert(found.hit.reference))
            .take(limit)
            .collect()
    }
}
