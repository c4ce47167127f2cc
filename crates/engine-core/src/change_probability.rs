//! Estimates by the cross-encoder, on blocking threads. Without an estimate the rules decide alone.

use crate::Core;
use embed::TextPair;
use metrics::TRACE_TARGET;

impl Core {
    /// Returns for each pair the probability that its later text gives another value to what the
    /// earlier one states; `None` for a pair that cannot be read, and no number if the estimate
    /// failed.
    pub async fn change_probabilities(&self, pairs: Vec<TextPair>) -> Vec<Option<f32>> {
        let encoder = self.cross_encoder.clone();
        let span = tracing::info_span!(target: TRACE_TARGET, "compare", pairs = pairs.len());
        // A pair takes as long as embedding a short text: too long for a thread of an event loop.
        let estimate = move || span.in_scope(|| encoder.change_probabilities(&pairs));
        let estimated = tokio::task::spawn_blocking(estimate).await;
        estimated.unwrap_or_else(|error| {
            tracing::error!(%error, "the cross-encoder failed");
            Vec::new()
        })
    }
}
