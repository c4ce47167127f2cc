//! Layer of the log subscriber that turns spans into records for the export. A trace begins with
//! the request of another program; work in the background has none.

use crate::export::SpanSender;
use crate::sampler::Sampler;
use crate::span_attributes::SpanAttributes;
use crate::span_record::{SpanKind, SpanRecord};
use crate::trace_context::TraceContext;
use metrics::TRACE_TARGET;
use std::time::{Duration, Instant, SystemTime};
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{FilterFn, filter_fn};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Layer that exports the spans of [`TRACE_TARGET`].
#[derive(Debug)]
pub struct SpanLayer {
    sender: SpanSender,
    sampler: Sampler,
}

/// A span that has not ended.
struct SpanState {
    record: SpanRecord,
    started: Instant,
}

impl SpanLayer {
    pub(crate) fn new(sender: SpanSender, sampler: Sampler) -> Self {
        Self { sender, sampler }
    }

    /// Adds the filter that lets only the spans of [`TRACE_TARGET`] through. Spans and events of
    /// other crates may contain texts.
    #[must_use]
    pub fn with_target_filter<S>(self) -> impl Layer<S> + Send + Sync
    where
        S: Subscriber + for<'s> LookupSpan<'s>,
    {
        self.with_filter(target_filter())
    }

    /// Returns the identity of a new span and the id of its parent; `None` if it is in no trace.
    fn identify(
        &self,
        parent: Option<TraceContext>,
        attributes: &SpanAttributes,
    ) -> Option<(TraceContext, Option<[u8; 8]>)> {
        if let Some(parent) = parent {
            return Some((parent.child()?, Some(parent.span_id)));
        }
        if attributes.kind != SpanKind::Server {
            return None;
        }
        let caller = attributes.caller;
        let context = match caller {
            Some(caller) => caller.child()?,
            None => TraceContext::root()?,
        };
        let sampled = self.sampler.is_sampled(context, caller);
        Some((TraceContext { sampled, ..context }, caller.map(|caller| caller.span_id)))
    }
}

fn target_filter() -> FilterFn<fn(&Metadata<'_>) -> bool> {
    let is_exported: fn(&Metadata<'_>) -> bool =
        |metadata| metadata.is_span() && metadata.target() == TRACE_TARGET;
    filter_fn(is_exported).with_max_level_hint(Level::INFO)
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for SpanLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let parent = span.parent().and_then(|parent| {
            parent.extensions().get::<SpanState>().map(|state| state.record.context)
        });
        let mut fields = SpanAttributes::default();
        attributes.record(&mut fields);
        let Some((identity, parent)) = self.identify(parent, &fields) else { return };
        let name = fields.name.unwrap_or_else(|| span.name().to_owned());
        let record = SpanRecord {
            context: identity,
            parent,
            name,
            kind: fields.kind,
            started: SystemTime::now(),
            duration: Duration::ZERO,
            attributes: fields.values,
            is_error: fields.is_error,
        };
        span.extensions_mut().insert(SpanState { record, started: Instant::now() });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = SpanAttributes::default();
        values.record(&mut fields);
        if let Some(state) = span.extensions_mut().get_mut::<SpanState>() {
            state.record.attributes.append(&mut fields.values);
            state.record.is_error |= fields.is_error;
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(state) = span.extensions_mut().remove::<SpanState>() else { return };
        if state.record.context.sampled {
            self.sender.send(SpanRecord { duration: state.started.elapsed(), ..state.record });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::SpanQueue;
    use crate::span_record::AttributeValue;
    use tracing_subscriber::layer::SubscriberExt;

    fn records(work: impl FnOnce()) -> Vec<SpanRecord> {
        let (sender, queue) = SpanQueue::channel();
        let layer = SpanLayer::new(sender, Sampler::default()).with_target_filter();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), work);
        queue.waiting_spans()
    }

    #[test]
    fn a_span_has_the_trace_of_its_parent_and_the_fields_recorded_later() {
        let records = records(|| {
            let call = tracing::info_span!(
                target: TRACE_TARGET, "call", otel.kind = "server", outcome = tracing::field::Empty,
            );
            call.in_scope(|| {
                tracing::info_span!(target: TRACE_TARGET, "read", rows = 3_u64).in_scope(|| {});
            });
            call.record("outcome", "ok");
        });
        let [read, call] = &records[..] else { panic!("{records:?}") };
        assert_eq!((read.name.as_str(), call.name.as_str()), ("read", "call"));
        assert_eq!(read.parent, Some(call.context.span_id));
        assert_eq!(read.context.trace_id, call.context.trace_id);
        assert_eq!(read.attributes, [("rows", AttributeValue::Integer(3))]);
        assert_eq!(call.attributes, [("outcome", AttributeValue::Text("ok".into()))]);
        assert_eq!((read.kind, call.kind), (SpanKind::Internal, SpanKind::Server));
    }

    #[test]
    fn only_spans_of_the_target_inside_of_a_request_are_exported() {
        let records = records(|| {
            drop(tracing::info_span!(target: TRACE_TARGET, "background"));
            let call = tracing::info_span!(target: TRACE_TARGET, "call", otel.kind = "server");
            call.in_scope(|| {
                tracing::info_span!(target: "rmcp", "message", text = "blorptang").in_scope(|| {
                    drop(tracing::info_span!(target: TRACE_TARGET, "read"));
                });
                tracing::info!("blorptang");
            });
        });
        let names: Vec<_> = records.iter().map(|record| record.name.as_str()).collect();
        assert_eq!(names, ["read", "call"]);
        assert_eq!(records[0].parent, Some(records[1].context.span_id));
    }

    #[test]
    fn the_trace_of_the_caller_is_continued_with_its_decision() {
        const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0";
        let call = |flag: &str| {
            let sent = format!("{CALLER}{flag}");
            records(|| {
                drop(tracing::info_span!(
                    target: TRACE_TARGET, "call", otel.kind = "server", traceparent = sent,
                ));
            })
        };
        let sampled = call("1");
        assert_eq!(sampled[0].context.trace_id[..2], [0x4b, 0xf9]);
        assert_eq!(sampled[0].parent.unwrap()[..2], [0x00, 0xf0]);
        assert_eq!(sampled[0].attributes, []);
        assert_eq!(call("0"), []);
    }

    #[test]
    fn long_texts_and_debug_representations_are_left_out() {
        let records = records(|| {
            let (long, secret) = ("x".repeat(101), Some("blorptang"));
            drop(tracing::info_span!(
                target: TRACE_TARGET, "call", otel.kind = "server", long, shown = ?secret,
            ));
        });
        assert_eq!(records[0].attributes, []);
    }

    #[test]
    fn an_error_type_marks_a_span_as_failed() {
        let records = records(|| {
            drop(tracing::info_span!(
                target: TRACE_TARGET, "call", otel.kind = "server", error.type = "not_found",
            ));
        });
        assert!(records[0].is_error);
    }
}
