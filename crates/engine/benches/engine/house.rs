//! A store filled with memories to measure on.

use crate::words::{Dice, text};
use embed::{Bundled, Embedder};
use engine::{Caller, Engine, Parts, SystemClock};
use model::{
    AgentName, AuditEvent, AuditId, ContentHash, Dialect, LinkKind, MemoryId, Moment, NewMemory, Origin, Outcome,
    OwnerId, Provenance, Seq,
};
use std::path::PathBuf;
use std::sync::Arc;
use store::{AddMemory, Batch, Change, OnDuplicate, OnForgotten, Ref, Store};
use testkit::TempStore;

/// How many words a memory has.
pub const WORDS: usize = 40;

pub struct House {
    pub home: TempStore,
    pub engine: Arc<Engine>,
    pub caller: Caller,
    pub embedder: Arc<Bundled>,
}

impl House {
    /// A store with so many memories, each linked to an earlier one, written past the engine in large batches.
    pub async fn filled(size: usize) -> Self {
        let home = TempStore::new().await;
        let embedder = Arc::new(Bundled::new());
        let caller = Caller::agent(OwnerId::me(), AgentName::new("bench"), Dialect::Quipu).using("bench");
        let engine = Arc::new(engine_on(&home, &embedder));
        let house = Self { home, engine, caller, embedder };
        let mut dice = Dice::new(7);
        let mut written = 0;
        while written < size {
            let count = (size - written).min(1_000);
            house.write(house.batch(&mut dice, written, count)).await;
            written += count;
        }
        house
    }

    /// Another engine on the same files, as a new process would have it.
    pub fn fresh_engine(&self) -> Engine {
        engine_on(&self.home, &self.embedder)
    }

    /// A memory as `remember` writes it, without its vector.
    pub fn memory(&self, text: String) -> NewMemory {
        let origin = Origin::Agent;
        let author = self.caller.author.clone();
        NewMemory::note(text, Provenance { author, origin, trust: origin.trust(), at: Moment(1_777_000_000_000_000) })
    }

    pub fn event(&self) -> AuditEvent {
        AuditEvent {
            id: AuditId(0),
            seq: Seq::ZERO,
            author: self.caller.author.clone(),
            resource: "vectors".into(),
            outcome: Outcome::Done,
            at: Moment(1_777_000_000_000_000),
            duration_us: 0,
            arguments: ContentHash::of(""),
            note: "bench".into(),
        }
    }

    pub async fn write(&self, changes: Vec<Change>) {
        self.home.write(&OwnerId::me(), Batch::new(self.event(), changes)).await.expect("the batch is written");
    }

    pub fn adding(&self, text: String) -> AddMemory {
        let embedding = self.embedder.embed(&[&text]).expect("the bundled model embeds").remove(0);
        AddMemory {
            memory: self.memory(text),
            session: None,
            vector: Some(embedding.stored(self.embedder.model())),
            on_duplicate: OnDuplicate::Keep,
            on_forgotten: OnForgotten::Allow,
        }
    }

    fn batch(&self, dice: &mut Dice, first: usize, count: usize) -> Vec<Change> {
        let texts: Vec<String> = (0..count).map(|_| text(dice, WORDS)).collect();
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors: Vec<_> = borrowed
            .chunks(64)
            .flat_map(|some| self.embedder.embed(some).expect("the bundled model embeds"))
            .map(|embedding| embedding.stored(self.embedder.model()))
            .collect();
        let mut changes = Vec::with_capacity(count * 2);
        for (text, vector) in texts.into_iter().zip(vectors) {
            let place = changes.len();
            let (on_duplicate, on_forgotten) = (OnDuplicate::Keep, OnForgotten::Allow);
            let memory = self.memory(text);
            let add = AddMemory { memory, session: None, vector: Some(vector), on_duplicate, on_forgotten };
            changes.push(Change::AddMemory(Box::new(add)));
            if first > 0 {
                let target = Ref::Id(MemoryId(1 + dice.roll(first) as i64));
                let kind = LinkKind::RelatedTo;
                changes.push(Change::Link { source: Ref::Made(place), target, kind, weight: 1.0 });
            }
        }
        changes
    }
}

fn engine_on(home: &TempStore, embedder: &Arc<Bundled>) -> Engine {
    let directory: PathBuf = home.home().to_owned();
    Engine::new(Parts {
        store: Arc::new(home.open_again()),
        embedder: Arc::clone(embedder) as Arc<dyn Embedder>,
        clock: Arc::new(SystemClock),
        snapshots: Some(Arc::new(move |owner: &OwnerId| directory.join(format!("{owner}.snapshot")))),
    })
}
