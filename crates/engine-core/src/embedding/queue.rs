//! Embedding of many texts while more are collected: an import reads its next items meanwhile.

use super::{Embeddable, TEXTS_AT_ONCE, embed_all, log_failure};
use embed::{EmbedError, Embedder};
use metrics::TRACE_TARGET;
use model::StoredVectors;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

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
    shares: usize,
    threads_max: usize,
    threads: Vec<JoinHandle<Result<Vec<EmbeddedShare>, EmbedError>>>,
}

/// Some texts, with their place among all.
type Share = (usize, Vec<Embeddable>);
/// Vectors of some texts, with their place among all.
type EmbeddedShare = (usize, Vec<StoredVectors>);

impl EmbeddingQueue {
    /// Creates a queue for about as many texts.
    pub(super) fn new(embedder: Arc<dyn Embedder>, texts: usize) -> Self {
        // A server that embeds has a limit of its own, and each request takes a while.
        let (threads_max, share) = match embedder.is_local() {
            true => (cores(), texts.div_ceil(cores()).clamp(1, SHARE_MAX)),
            false => (1, TEXTS_AT_ONCE),
        };
        let (sender, receiver) = channel();
        Self {
            embedder,
            share,
            waiting: Vec::new(),
            sender,
            receiver: Arc::new(Mutex::new(receiver)),
            shares: 0,
            threads_max,
            threads: Vec::new(),
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

    /// Waits for the vectors of all texts, in their order, or returns the embedder's error.
    ///
    /// # Errors
    /// Fails when the embedder does.
    pub async fn finish(mut self) -> Result<Vec<StoredVectors>, EmbedError> {
        if !self.waiting.is_empty() {
            self.send_waiting();
        }
        // Threads end when nobody can send any more.
        drop(self.sender);
        let mut embedded = Vec::with_capacity(self.shares);
        for thread in self.threads {
            let died = |error| EmbedError::unavailable(self.embedder.model(), format!("{error}"));
            let shares = thread.await.unwrap_or_else(|error| Err(died(error)));
            embedded.extend(log_failure(shares)?);
        }
        embedded.sort_unstable_by_key(|(at, _)| *at);
        Ok(embedded.into_iter().flat_map(|(_, vectors)| vectors).collect())
    }

    fn send_waiting(&mut self) {
        let share = (self.shares, std::mem::take(&mut self.waiting));
        self.shares += 1;
        // The receiver is held by this value too, so that sending cannot fail.
        let _ = self.sender.send(share);
        if self.threads.len() < self.threads_max {
            self.threads.push(self.start_thread());
        }
    }

    // An embedder computes for milliseconds or waits for a server; on an event loop thread it would
    // stall every other call of that thread.
    fn start_thread(&self) -> JoinHandle<Result<Vec<EmbeddedShare>, EmbedError>> {
        let (embedder, receiver) = (Arc::clone(&self.embedder), Arc::clone(&self.receiver));
        tokio::task::spawn_blocking(move || {
            let mut embedded = Vec::new();
            while let Some((at, texts)) = next_share(&receiver) {
                let span = tracing::info_span!(target: TRACE_TARGET, "embed", texts = texts.len());
                embedded.push((at, span.in_scope(|| embed_all(&*embedder, &texts))?));
            }
            Ok(embedded)
        })
    }
}

// Whoever has the lock waits for the next share, and the others for the lock.
fn next_share(receiver: &Mutex<Receiver<Share>>) -> Option<Share> {
    receiver.lock().recv().ok()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
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
    async fn a_text_that_cannot_be_embedded_fails_all() {
        let mut queue = EmbeddingQueue::new(NumberEmbedder::new(true), 100);
        queue.add(numbers(99));
        queue.add([Embeddable::whole("none".to_owned())]);
        assert!(queue.finish().await.is_err());
    }
}
