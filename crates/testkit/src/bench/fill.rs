//! A store filled with synthetic memories, written in large batches without the engine.

use super::words::{Dice, SENTENCE_WORDS, text};
use embed::{Bundled, Embedder, Embedding, normalise};
use model::{
    AgentName, AuditEvent, AuditId, Author, ContentHash, Dialect, LinkKind, MemoryId, Moment,
    NewMemory, NewSession, Origin, Outcome, OwnerId, Provenance, Seq, SessionId, StoredVector,
};
use std::sync::{Mutex, PoisonError};
use store::{AddMemory, Batch, Change, OnDuplicate, OnForgotten, Ref, Store};

/// Number of words of a memory.
pub const WORDS: usize = 40;
/// Time of all writes.
const AT: Moment = Moment(1_777_000_000_000_000);
/// Number of memories in one batch.
const BATCH: usize = 1_000;

/// Number of memories in one session; recall also looks at the neighbours of a hit.
const SESSION: usize = 12;

/// Number of texts that are embedded; each vector of a memory is the mean of two of theirs.
// Embedding each memory would take longer than everything that is measured, and the cost of a
// search does not depend on the meaning of the vectors.
const POOL: usize = 512;

/// Writes synthetic memories to stores.
pub struct Filled {
    embedder: Bundled,
    pool: Vec<Vec<f32>>,
    dice: Mutex<Dice>,
}

#[expect(clippy::expect_used, reason = "a benchmark without a filled store cannot continue")]
impl Filled {
    /// Creates a filler with vectors like those of the bundled model.
    ///
    /// # Panics
    /// The bundled model fails.
    #[must_use]
    pub fn new() -> Self {
        let (embedder, mut rng) = (Bundled::new(), Dice::new(3));
        let texts: Vec<String> = (0..POOL).map(|_| text(&mut rng, SENTENCE_WORDS)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embeddings =
            texts.chunks(64).flat_map(|some| embedder.embed(some).expect("the model embeds"));
        let pool = embeddings.map(|embedding| embedding.mean()).collect();
        Self { embedder, pool, dice: Mutex::new(rng) }
    }

    /// Writes this many memories, in sessions, each linked to an earlier one.
    ///
    /// # Panics
    /// The store refuses a batch.
    pub async fn fill(&self, store: &dyn Store, size: usize) {
        let mut rng = Dice::new(7);
        let mut written = 0;
        while written < size {
            let count = (size - written).min(BATCH);
            let changes = self.changes(&mut rng, written, count);
            store
                .write(&OwnerId::me(), Batch::new(event(), changes))
                .await
                .expect("the batch is written");
            written += count;
        }
    }

    /// Returns a batch that writes one memory, and as many bytes for the baseline file.
    #[must_use]
    pub fn one(&self, text: String) -> (Batch, Vec<u8>) {
        let vector = self.vectors(&text);
        let mut bytes = text.clone().into_bytes();
        bytes.extend(&vector.windows);
        // About the size of the other fields.
        bytes.extend([0_u8; 200]);
        (Batch::new(event(), vec![adding(text, None, vector)]), bytes)
    }

    /// Returns random vectors for a text: one for the whole, then one for each sentence.
    fn vectors(&self, text: &str) -> StoredVector {
        let mut rng = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        let mut draw = || {
            let (one, other) = (&self.pool[rng.roll(POOL)], &self.pool[rng.roll(POOL)]);
            let mut blend: Vec<f32> = one.iter().zip(other).map(|(a, b)| a + b).collect();
            normalise(&mut blend);
            Embedding { windows: vec![blend] }.stored(self.embedder.model())
        };
        let mut all = draw();
        let sentences = text.matches('.').count();
        (0..sentences).filter(|_| sentences > 1).for_each(|_| all.windows.extend(draw().windows));
        all
    }

    fn changes(&self, rng: &mut Dice, first: usize, count: usize) -> Vec<Change> {
        let texts: Vec<String> = (0..count).map(|_| text(rng, WORDS)).collect();
        let mut changes = Vec::with_capacity(count * 2);
        let mut session = None;
        for (nth, text) in texts.into_iter().enumerate() {
            if nth.is_multiple_of(SESSION) {
                session = Some(Ref::Made(changes.len()));
                changes.push(Change::StartSession(NewSession::default()));
            }
            let (vector, source) = (self.vectors(&text), Ref::Made(changes.len()));
            changes.push(adding(text, session, vector));
            if first > 0 {
                let target = Ref::Id(MemoryId(1 + i64::try_from(rng.roll(first)).unwrap_or(0)));
                changes.push(Change::Link {
                    source,
                    target,
                    kind: LinkKind::RelatedTo,
                    weight: 1.0,
                });
            }
        }
        changes
    }
}

impl Default for Filled {
    fn default() -> Self {
        Self::new()
    }
}

fn author() -> Author {
    Author {
        agent: AgentName::new("bench"),
        client: None,
        dialect: Dialect::Quipu,
        tool: "bench".into(),
    }
}

fn event() -> AuditEvent {
    AuditEvent {
        id: AuditId(0),
        seq: Seq::ZERO,
        author: author(),
        resource: "vectors".into(),
        outcome: Outcome::Done,
        at: AT,
        duration_us: 0,
        arguments: ContentHash::of(""),
        note: "bench".into(),
    }
}

fn adding(text: String, session: Option<Ref<SessionId>>, vector: StoredVector) -> Change {
    let origin = Origin::Agent;
    let provenance = Provenance { author: author(), origin, trust: origin.trust(), at: AT };
    Change::AddMemory(Box::new(AddMemory {
        memory: NewMemory::note(text, provenance),
        session,
        vector: Some(vector),
        on_duplicate: OnDuplicate::Keep,
        on_forgotten: OnForgotten::Allow,
    }))
}
