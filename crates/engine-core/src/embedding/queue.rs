//! Embedding of many texts while more are collected, and while the first are written: an import
//! keeps all cores busy.

use super::{Embeddable, TEXTS_AT_ONCE, embed_all, log_failure};
use embed::{EmbedError, Embedder};
use metrics::TRACE_TARGET;
use model::StoredVectors;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Largest number of texts that a thread takes at a time. With fewer, a model reads its weights
/// more often; with more, threads end at different times.
const SHARE_MAX: usize = 16;

/// Texts that are being embedded, on all cores where the model is on this machine.
pub struct EmbeddingQueue {
    embedder: Arc<dyn Embedder>,
    /// Number of texts that are handed to a thread together.
    share: usize,
    waiting: Vec<Embeddable>,
    sender: Sender<Share>,
    receiver: Arc<Mutex<Receiver<Share>>>,
    embedded_sender: UnboundedSender<EmbeddedShare>,
    embedded: UnboundedReceiver<EmbeddedShare>,
    shares: usize,
    threads_max: usize,
    threads: usize,
}

/// Some texts, with their place among all.
type Share = (usize, Vec<Embeddable>);
/// Vectors of some texts, with their place among all.
type EmbeddedShare = (usize, Result<Vec<StoredVectors>, EmbedError>);

impl EmbeddingQueue {
    /// Creates a queue for about as many texts.
    pub(super) fn new(embedder: Arc<dyn Embedder>, texts: usize) -> Self {
        // A server that embeds has a limit of its own, and each request takes a while.
        let (threads_max, share) = match embedder.is_local() {
            true => (cores(), texts.div_ceil(cores()).clamp(1, SHARE_MAX)),
            false => (1, TEXTS_AT_ONCE),
        };
        let (sender, receiver) = channel();
        let (embedded_sender, embedded) = unbounded_channel();
        Self {
            embedder,
            share,
            waiting: Vec::new(),
            sender,
            receiver: Arc::new(Mutex::new(receiver)),
            embedded_sender,
            embedded,
            shares: 0,
            threads_max,
            threads: 0,
        }
    }

    /// Adds texts. Their embedding starts as soon as there are enough for a thread.
    pub fn add(&mut self, texts: impl IntoIterator<Item = Embeddable>) {
        for text in texts {
            self.waiting.push(text);
            if self.waiting.len() >= self.share {
                self.send_waiting();
            }
        }
    }

    /// Ends the collection of texts, and returns their vectors as they are computed.
    pub fn close(mut self) -> EmbeddedTexts {
        if !self.waiting.is_empty() {
            self.send_waiting();
        }
        // Threads end when nobody can send any more, and the vectors when all threads have ended.
        EmbeddedTexts {
            embedder: self.embedder,
            embedded: self.embedded,
            shares: self.shares,
            next: 0,
            early: BTreeMap::new(),
            ready: VecDeque::new(),
            has_failed: false,
        }
    }

    /// Waits for the vectors of all texts, in their order, or returns the embedder's error.
    ///
    /// # Errors
    /// Fails when the embedder does.
    pub async fn finish(self) -> Result<Vec<StoredVectors>, EmbedError> {
        self.close().take(usize::MAX).await
    }

    fn send_waiting(&mut self) {
        let share = (self.shares, std::mem::take(&mut self.waiting));
        self.shares += 1;
        // The receiver is held by this value too, so that sending cannot fail.
        let _ = self.sender.send(share);
        if self.threads < self.threads_max {
            self.threads += 1;
            self.start_thread();
        }
    }

    // An embedder computes for milliseconds or waits for a server; on an event loop thread it would
    // stall every other call of that thread.
    fn start_thread(&self) {
        let (embedder, receiver) = (Arc::clone(&self.embedder), Arc::clone(&self.receiver));
        let embedded = self.embedded_sender.clone();
        tokio::task::spawn_blocking(move || {
            while let Some((at, texts)) = next_share(&receiver) {
                let span = tracing::info_span!(target: TRACE_TARGET, "embed", texts = texts.len());
                let vectors = span.in_scope(|| embed_all(&*embedder, &texts));
                let failed = vectors.is_err();
                // Nobody waits any more when the caller gave up.
                if embedded.send((at, vectors)).is_err() || failed {
                    return;
                }
            }
        });
    }
}

// Whoever has the lock waits for the next share, and the others for the lock.
fn next_share(receiver: &Mutex<Receiver<Share>>) -> Option<Share> {
    receiver.lock().recv().ok()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Vectors of texts in the order of the texts, which are computed while the first are taken.
pub struct EmbeddedTexts {
    embedder: Arc<dyn Embedder>,
    embedded: UnboundedReceiver<EmbeddedShare>,
    /// Number of shares in all.
    shares: usize,
    /// Place of the share that comes next.
    next: usize,
    /// Shares that came before their turn.
    early: BTreeMap<usize, Vec<StoredVectors>>,
    ready: VecDeque<StoredVectors>,
    has_failed: bool,
}

impl EmbeddedTexts {
    /// Waits for the vectors of the next texts; of fewer, if there are no more.
    ///
    /// # Errors
    /// Fails when the embedder does, and from then on.
    pub async fn take(&mut self, count: usize) -> Result<Vec<StoredVectors>, EmbedError> {
        while self.ready.len() < count && self.next < self.shares {
            let received = self.receive_share().await;
            if received.is_err() {
                self.has_failed = true;
                // It belongs to texts before those that are asked for next.
                self.ready.clear();
            }
            received?;
        }
        let count = count.min(self.ready.len());
        Ok(self.ready.drain(..count).collect())
    }

    async fn receive_share(&mut self) -> Result<(), EmbedError> {
        let ended = || EmbedError::unavailable(self.embedder.model(), "its thread ended");
        if self.has_failed {
            return Err(ended());
        }
        let share = self.embedded.recv().await.ok_or_else(ended);
        let (at, vectors) = log_failure(share.and_then(|(at, vectors)| Ok((at, vectors?))))?;
        self.early.insert(at, vectors);
        while let Some(vectors) = self.early.remove(&self.next) {
            self.ready.extend(vectors);
            self.next += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use embed::{Calibration, Embedding};
    use model::VectorModel;

    /// An embedder that returns the number in a text as its vector, and fails where there is none.
    struct NumberEmbedder {
        model: VectorModel,
        is_local: bool,
    }

    impl NumberEmbedder {
        fn new(is_local: bool) -> Arc<Self> {
            let model = VectorModel { id: "numbers".into(), dimensions: 2 };
            Arc::new(Self { model, is_local })
        }
    }

    impl Embedder for NumberEmbedder {
        fn model(&self) -> &VectorModel {
            &self.model
        }

        fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
            let vector = |text: &&str| match text.parse::<f32>() {
                Ok(number) => Ok(Embedding { windows: vec![vec![number, 100.0]] }),
                Err(_) => Err(EmbedError::unavailable(&self.model, "no number")),
            };
            texts.iter().map(vector).collect()
        }

        fn is_local(&self) -> bool {
            self.is_local
        }

        fn calibration(&self) -> Calibration {
            Calibration { unrelated: 0.0, related: 1.0 }
        }
    }

    fn numbers(count: usize) -> Vec<Embeddable> {
        (0..count).map(|number| Embeddable::whole(number.to_string())).collect()
    }

    #[tokio::test]
    async fn vectors_are_in_the_order_of_the_texts_however_they_were_shared_out() {
        for is_local in [true, false] {
            let embedder = NumberEmbedder::new(is_local);
            for count in [0, 1, 2, SHARE_MAX, 3 * SHARE_MAX + 1, 200] {
                let mut queue = EmbeddingQueue::new(Arc::clone(&embedder) as _, count);
                for text in numbers(count) {
                    queue.add([text]);
                }
                let expected = embed_all(&*embedder, &numbers(count)).unwrap();
                assert_eq!(queue.finish().await.unwrap(), expected, "{count} {is_local}");
            }
        }
    }

    #[tokio::test]
    async fn the_first_vectors_can_be_taken_before_the_others() {
        let embedder = NumberEmbedder::new(true);
        let mut queue = EmbeddingQueue::new(Arc::clone(&embedder) as _, 100);
        queue.add(numbers(100));
        let mut embedded = queue.close();
        let expected = embed_all(&*embedder, &numbers(100)).unwrap();
        assert_eq!(embedded.take(30).await.unwrap(), expected[..30]);
        assert_eq!(embedded.take(0).await.unwrap(), []);
        assert_eq!(embedded.take(500).await.unwrap(), expected[30..]);
        assert_eq!(embedded.take(1).await.unwrap(), []);
    }

    #[tokio::test]
    async fn a_text_that_cannot_be_embedded_fails_all() {
        let mut queue = EmbeddingQueue::new(NumberEmbedder::new(true), 100);
        queue.add(numbers(99));
        queue.add([Embeddable::whole("none".to_owned())]);
        let mut embedded = queue.close();
        assert!(embedded.take(usize::MAX).await.is_err());
        assert!(embedded.take(1).await.is_err(), "vectors of other texts must not be returned");
    }
}
