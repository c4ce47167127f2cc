//! A store filled with synthetic memories, written in large batches without the engine.

use super::synthetic_text::{SENTENCE_WORDS, Xorshift, text};
use embed::{BundledEmbedder, Embedder, Embedding, normalise};
use model::{
    AgentName, AuditEvent, AuditId, AuditOutcome, Author, ContentHash, Dialect, LinkKind, MemoryId,
    Moment, NewMemory, NewSession, Origin, OwnerId, Provenance, Seq, SessionId, StoredVectors,
};
use parking_lot::Mutex;
use store::{AddMemory, Batch, Change, OnDuplicate, OnForgotten, Ref, Store};

/// Number of words of a memory.
pub const MEMORY_WORDS: usize = 40;
/// Time of all writes.
const WRITTEN_AT: Moment = Moment(1_777_000_000_000_000);
/// Number of memories in one batch.
const BATCH_MEMORIES: usize = 1_000;

/// Number of memories in one session; recall also looks at the neighbours of a hit.
const SESSION_MEMORIES: usize = 12;

/// Number of texts that are embedded; each vector of a memory is the mean of two of theirs.
// Embedding each memory would take longer than everything that is measured, and the cost of a
// search does not depend on the meaning of the vectors.
const EMBEDDED_TEXTS: usize = 512;

/// Writes synthetic memories to stores.
pub struct StoreFiller {
    embedder: BundledEmbedder,
    pool: Vec<Vec<f32>>,
    rng: Mutex<Xorshift>,
}

#[expect(clippy::expect_used, reason = "a benchmark without a filled store cannot continue")]
impl StoreFiller {
    /// Creates a filler with vectors like those of the bundled model.
    ///
    /// # Panics
    /// The bundled model fails.
    #[must_use]
    pub fn new() -> Self {
        let (embedder, mut rng) = (BundledEmbedder::new(), Xorshift::new(3));
        let texts: Vec<String> =
            (0..EMBEDDED_TEXTS).map(|_| text(&mut rng, SENTENCE_WORDS)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embeddings =
            texts.chunks(64).flat_map(|some| embedder.embed(some).expect("the model embeds"));
        let pool = embeddings.map(|embedding| embedding.mean()).collect();
        Self { embedder, pool, rng: Mutex::new(rng) }
    }

    /// Writes this many memories, in sessions, each linked to an earlier one.
    ///
    /// # Panics
    /// The store refuses a batch.
    pub async fn fill(&self, store: &dyn Store, size: usize) {
        self.fill_owner(store, &OwnerId::me(), size).await;
    }

    /// Writes this many memories of one owner, in sessions, each linked to an earlier one.
    ///
    /// # Panics
    /// The store refuses a batch.
    pub async fn fill_owner(&self, store: &dyn Store, owner: &OwnerId, size: usize) {
        let mut rng = Xorshift::new(7);
        let mut written = 0;
        while written < size {
            let count = (size - written).min(BATCH_MEMORIES);
            let changes = self.changes(&mut rng, written, count);
            let batch = Batch::new(event(), changes);
            store.write(owner, batch).await.expect("the batch is written");
            written += count;
        }
    }

    /// Returns a batch that writes one memory, and as many bytes for the baseline file.
    #[must_use]
    pub fn single_memory(&self, text: String) -> (Batch, Vec<u8>) {
        let vector = self.random_vectors(&text);
        let mut bytes = text.clone().into_bytes();
        bytes.extend(&vector.data);
        // About the size of the other fields.
        bytes.extend([0_u8; 200]);
        (Batch::new(event(), vec![add_memory(text, None, vector)]), bytes)
    }

    /// Returns random vectors for a text: one for the whole, then one for each sentence.
    fn random_vectors(&self, text: &str) -> StoredVectors {
        let mut rng = self.rng.lock();
        let mut draw = || {
            let (one, other) =
                (&self.pool[rng.below(EMBEDDED_TEXTS)], &self.pool[rng.below(EMBEDDED_TEXTS)]);
            let mut blend: Vec<f32> = one.iter().zip(other).map(|(a, b)| a + b).collect();
            normalise(&mut blend);
            Embedding { windows: vec![blend] }.to_stored(self.embedder.model())
        };
        let mut all = draw();
        let sentences = text.matches('.').count();
        (0..sentences).filter(|_| sentences > 1).for_each(|_| all.data.extend(draw().data));
        all
    }

    fn changes(&self, rng: &mut Xorshift, first: usize, count: usize) -> Vec<Change> {
        let texts: Vec<String> = (0..count).map(|_| text(rng, MEMORY_WORDS)).collect();
        let mut changes = Vec::with_capacity(count * 2);
        let mut session = None;
        for (nth, text) in texts.into_iter().enumerate() {
            if nth.is_multiple_of(SESSION_MEMORIES) {
                session = Some(Ref::ResultOf(changes.len()));
                changes.push(Change::StartSession(NewSession::default()));
            }
            let (vector, source) = (self.random_vectors(&text), Ref::ResultOf(changes.len()));
            changes.push(add_memory(text, session, vector));
            if first > 0 {
                let target = Ref::Id(MemoryId(1 + i64::try_from(rng.below(first)).unwrap_or(0)));
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

impl Default for StoreFiller {
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
        outcome: AuditOutcome::Done,
        at: WRITTEN_AT,
        duration_us: 0,
        arguments: ContentHash::of_text(""),
        note: "bench".into(),
    }
}

fn add_memory(text: String, session: Option<Ref<SessionId>>, vector: StoredVectors) -> Change {
    let origin = Origin::Agent;
    let provenance = Provenance { author: author(), origin, trust: origin.trust(), at: WRITTEN_AT };
    Change::AddMemory(Box::new(AddMemory {
        memory: NewMemory::note(text, provenance),
        session,
        vector: Some(vector),
        on_duplicate: OnDuplicate::Insert,
        on_forgotten: OnForgotten::Allow,
    }))
}
