//! Queue of spans that have ended, and the thread that sends them. Neither a full queue nor a
//! collector that does not answer delays a call.

use crate::collector_client::CollectorClient;
use crate::otlp;
use crate::settings::TraceSettings;
use crate::span_layer::SpanLayer;
use crate::span_record::SpanRecord;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum number of spans that wait; further ones are dropped.
// The defaults of OpenTelemetry, for this and for the number of spans in one request.
const WAITING_MAX: usize = 2_048;
const SPANS_PER_REQUEST: usize = 512;
/// Longest time that the end of the process waits for the last spans.
const FINISH_TIMEOUT: Duration = Duration::from_secs(3);
/// Pause between two attempts to tell the thread to finish, while its queue is full.
const FINISH_RETRY: Duration = Duration::from_millis(20);
/// Shortest time between two reports of the same trouble.
const REPORT_PAUSE: Duration = Duration::from_secs(300);

/// Message to the thread.
enum QueueMessage {
    Span(Box<SpanRecord>),
    /// Sends what is waiting until the deadline, and answers.
    Finish(Instant, SyncSender<()>),
}

/// Sending end of the queue.
#[derive(Debug, Clone)]
pub(crate) struct SpanSender {
    queue: SyncSender<QueueMessage>,
    dropped: Arc<AtomicU64>,
}

impl SpanSender {
    /// Enqueues a span, or drops it if too many wait.
    pub fn send(&self, span: SpanRecord) {
        if self.queue.try_send(QueueMessage::Span(Box::new(span))).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Receiving end of the queue.
pub(crate) struct SpanQueue {
    messages: Receiver<QueueMessage>,
    dropped: Arc<AtomicU64>,
}

impl SpanQueue {
    /// Creates a queue.
    pub fn channel() -> (SpanSender, Self) {
        let (queue, messages) = mpsc::sync_channel(WAITING_MAX);
        let dropped = Arc::new(AtomicU64::new(0));
        (SpanSender { queue, dropped: Arc::clone(&dropped) }, Self { messages, dropped })
    }

    #[cfg(test)]
    pub fn waiting_spans(&self) -> Vec<SpanRecord> {
        let span = |message| match message {
            QueueMessage::Span(span) => Some(*span),
            QueueMessage::Finish(..) => None,
        };
        self.messages.try_iter().filter_map(span).collect()
    }
}

/// The running export. Dropped without [`TraceExport::finish`], it loses the spans that wait.
#[derive(Debug)]
#[must_use]
pub struct TraceExport {
    sender: SpanSender,
}

impl TraceExport {
    /// Starts the thread, and returns the layer that feeds it.
    ///
    /// # Errors
    /// Fails when the thread cannot be started.
    pub fn start(settings: TraceSettings) -> io::Result<(SpanLayer, Self)> {
        let (sender, queue) = SpanQueue::channel();
        let layer = SpanLayer::new(sender.clone(), settings.sampler);
        let worker = ExportWorker {
            client: CollectorClient::new(&settings),
            queue,
            waiting: Vec::new(),
            trouble: TroubleReport::default(),
            settings,
        };
        thread::Builder::new().name("quipu-traces".to_owned()).spawn(move || worker.run())?;
        Ok((layer, Self { sender }))
    }

    /// Sends the spans that wait, for three seconds at most.
    pub fn finish(self) {
        let deadline = Instant::now() + FINISH_TIMEOUT;
        let (answer, answered) = mpsc::sync_channel(1);
        let mut message = QueueMessage::Finish(deadline, answer);
        while let Err(TrySendError::Full(unsent)) = self.sender.queue.try_send(message) {
            if Instant::now() >= deadline {
                return;
            }
            message = unsent;
            thread::sleep(FINISH_RETRY);
        }
        // An error means that the time is over, or that the thread has ended.
        _ = answered.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    }
}

/// State of the thread.
struct ExportWorker {
    client: CollectorClient,
    queue: SpanQueue,
    waiting: Vec<SpanRecord>,
    settings: TraceSettings,
    trouble: TroubleReport,
}

impl ExportWorker {
    fn run(mut self) {
        let mut due = None;
        loop {
            match self.receive(due) {
                Ok(QueueMessage::Span(span)) => {
                    self.waiting.push(*span);
                    due.get_or_insert_with(|| Instant::now() + self.settings.delay);
                    if self.waiting.len() < SPANS_PER_REQUEST {
                        continue;
                    }
                    self.send(self.settings.timeout);
                }
                Ok(QueueMessage::Finish(deadline, answer)) => {
                    self.send(deadline.saturating_duration_since(Instant::now()));
                    // Nobody waits any more when the time is over.
                    _ = answer.try_send(());
                }
                Err(RecvTimeoutError::Timeout) => self.send(self.settings.timeout),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            due = None;
        }
    }

    /// Waits for a message, without end while no span waits.
    fn receive(&self, due: Option<Instant>) -> Result<QueueMessage, RecvTimeoutError> {
        match due {
            Some(due) => {
                let left = due.saturating_duration_since(Instant::now());
                self.queue.messages.recv_timeout(left)
            }
            None => self.queue.messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    /// Sends the spans that wait. They are not kept for another attempt, because memory would grow
    /// for as long as the collector is away.
    fn send(&mut self, within: Duration) {
        let spans = std::mem::take(&mut self.waiting);
        if spans.is_empty() {
            return;
        }
        let dropped = self.queue.dropped.swap(0, Ordering::Relaxed);
        let body = otlp::encode(&self.settings.resource, &spans);
        match self.client.send(&body, within) {
            Ok(()) => self.trouble.note_success(dropped),
            Err(reason) => self.trouble.note_failure(dropped + spans.len() as u64, &reason),
        }
    }
}

/// Reports trouble to the log, rarely.
#[derive(Default)]
struct TroubleReport {
    dropped: u64,
    reported: Option<Instant>,
}

impl TroubleReport {
    fn note_failure(&mut self, dropped: u64, reason: &str) {
        self.dropped += dropped;
        if self.is_due() {
            let spans = std::mem::take(&mut self.dropped);
            tracing::warn!(reason, spans, "the collector got no traces; spans were dropped");
        }
    }

    fn note_success(&mut self, dropped: u64) {
        self.dropped += dropped;
        if self.dropped > 0 && self.is_due() {
            let spans = std::mem::take(&mut self.dropped);
            tracing::warn!(spans, "too many spans for the collector; some were dropped");
        }
    }

    fn is_due(&mut self) -> bool {
        let is_due = self.reported.is_none_or(|reported| reported.elapsed() >= REPORT_PAUSE);
        if is_due {
            self.reported = Some(Instant::now());
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span_record::SpanKind;
    use crate::trace_context::TraceContext;
    use std::time::SystemTime;

    #[test]
    fn spans_beyond_the_length_of_the_queue_are_dropped_and_counted() {
        let (sender, queue) = SpanQueue::channel();
        for _ in 0..WAITING_MAX + 7 {
            sender.send(SpanRecord {
                context: TraceContext::root().unwrap(),
                parent: None,
                name: "call".into(),
                kind: SpanKind::Server,
                started: SystemTime::now(),
                duration: Duration::ZERO,
                attributes: Vec::new(),
                is_error: false,
            });
        }
        assert_eq!(queue.dropped.load(Ordering::Relaxed), 7);
        assert_eq!(queue.waiting_spans().len(), WAITING_MAX);
    }

    #[test]
    fn trouble_is_reported_at_once_and_then_rarely() {
        let mut report = TroubleReport::default();
        report.note_failure(3, "it answered 500");
        assert_eq!(report.dropped, 0, "reported");
        report.note_failure(4, "it answered 500");
        report.note_success(1);
        assert_eq!(report.dropped, 5, "kept for the next report");
    }
}
