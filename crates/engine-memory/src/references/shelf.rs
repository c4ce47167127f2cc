//! The sections of each owner's documents as a view of their own, built anew when a document
//! changes.

use super::ReferenceHit;
use engine_core::Core;
use engine_core::search::rank_filtered;
use index::{Entry, Facts, Field, Filter, View};
use model::{
    Failure, MemoryId, Moment, OwnerId, ReferenceId, Section, SectionHit, Seq, VectorModel,
};
use recall::Weights as Ranking;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use store::StoredSection;

/// How many sections are read at a time.
const SECTIONS_AT_ONCE: usize = 1_000;

/// The documents of every owner that were asked for.
#[derive(Default)]
pub(crate) struct ReferenceShelf {
    owners: Mutex<HashMap<OwnerId, Arc<Documents>>>,
}

/// The documents of one owner as they stood at a change.
pub(crate) struct Documents {
    store: [u8; 16],
    at: Seq,
    view: View,
    /// The section behind each number of the view.
    sections: Vec<SectionHit>,
}

impl ReferenceShelf {
    /// The owner's documents as they stand.
    pub async fn current(&self, core: &Core, owner: &OwnerId) -> Result<Arc<Documents>, Failure> {
        let newest = core.store_of(owner).references_seq().await?;
        let store = core.store_of(owner).identity().await?;
        let known =
            self.owners.lock().unwrap_or_else(PoisonError::into_inner).get(owner).map(Arc::clone);
        let model = Some(core.embedder().model());
        if let Some(known) = known.filter(|known| known.is(store, newest, model)) {
            return Ok(known);
        }
        let documents = Arc::new(Documents::read(core, owner, store, newest).await?);
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.insert(owner.clone(), Arc::clone(&documents));
        Ok(documents)
    }
}

impl Documents {
    /// Whether it is of this store, this change and this model.
    fn is(&self, store: [u8; 16], at: Seq, model: Option<&VectorModel>) -> bool {
        self.store == store && self.at == at && self.view.model() == model
    }

    async fn read(core: &Core, owner: &OwnerId, store: [u8; 16], at: Seq) -> Result<Self, Failure> {
        let view = View::new(Some(core.embedder().model().clone()));
        let mut documents = Self { store, at, view, sections: Vec::new() };
        let mut after: Option<(ReferenceId, usize)> = None;
        loop {
            let batch = core.store_of(owner).sections(after, SECTIONS_AT_ONCE).await?;
            let Some(last) = batch.last() else { return Ok(documents) };
            after = Some((last.hit.reference, last.hit.ordinal));
            documents.take_in(batch);
        }
    }

    fn take_in(&mut self, batch: Vec<StoredSection>) {
        let first = self.sections.len();
        let headings: Vec<String> = batch
            .iter()
            .map(|section| {
                format!("{} {}", section.hit.path, section.hit.section.heading.join(" "))
            })
            .collect();
        let entries = batch.iter().zip(&headings).enumerate().map(|(nth, (section, heading))| {
            let id = MemoryId(i64::try_from(first + nth).unwrap_or(i64::MAX));
            let mut entry = Entry::new(Facts::note(id, Moment(0)));
            entry.texts = vec![(Field::Title, heading), (Field::Text, &section.hit.section.text)];
            entry.vector = section.vector.as_ref();
            entry
        });
        self.view.apply(entries, [], self.at);
        self.sections.extend(batch.into_iter().map(|section| section.hit));
    }

    /// The sections of the document at a path, in order; none when there is no such document.
    pub fn sections_of(&self, path: &str) -> Vec<Section> {
        self.sections.iter().filter(|hit| hit.path == path).map(|hit| hit.section.clone()).collect()
    }

    /// The best section of each document that answers, best first.
    pub fn search(&self, question: &recall::Question, limit: usize) -> Vec<ReferenceHit> {
        let mut documents = HashSet::new();
        rank_filtered(&self.view, question, &Filter::default(), &Ranking::default())
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
