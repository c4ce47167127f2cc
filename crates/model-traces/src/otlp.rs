//! Encodes spans as an `ExportTraceServiceRequest` of OTLP 1.x in protobuf. Field numbers are those
//! of `opentelemetry/proto/trace/v1/trace.proto`; that message has been stable since 2021.

use crate::span_record::{AttributeValue, SpanRecord};
use std::time::{SystemTime, UNIX_EPOCH};

/// Name of the instrumentation.
const SCOPE: &str = "quipu";

/// Status code of a span that failed.
const STATUS_ERROR: u64 = 2;
/// Flag of a sampled span.
const FLAG_SAMPLED: u32 = 1;

/// Encodes the spans of one process, with the attributes of that process.
pub(crate) fn encode(resource: &[(String, String)], spans: &[SpanRecord]) -> Vec<u8> {
    let mut request = ProtobufWriter::default();
    request.message(1, |resource_spans| {
        resource_spans.message(1, |message| {
            for (key, value) in resource {
                message.message(1, |pair| write_text_attribute(pair, key, value));
            }
        });
        resource_spans.message(2, |scope_spans| {
            scope_spans.message(1, |scope| scope.text(1, SCOPE));
            for span in spans {
                scope_spans.message(2, |message| write_span(message, span));
            }
        });
    });
    request.0
}

fn write_span(message: &mut ProtobufWriter, span: &SpanRecord) {
    let started = nanoseconds(span.started);
    let duration = u64::try_from(span.duration.as_nanos()).unwrap_or(u64::MAX);
    message.bytes(1, &span.context.trace_id);
    message.bytes(2, &span.context.span_id);
    if let Some(parent) = &span.parent {
        message.bytes(4, parent);
    }
    message.text(5, &span.name);
    message.integer(6, span.kind as u64);
    message.fixed64(7, started);
    message.fixed64(8, started.saturating_add(duration));
    for (key, value) in &span.attributes {
        message.message(9, |pair| write_attribute(pair, key, value));
    }
    if span.is_error {
        message.message(15, |status| status.integer(3, STATUS_ERROR));
    }
    message.fixed32(16, FLAG_SAMPLED);
}

fn write_text_attribute(pair: &mut ProtobufWriter, key: &str, value: &str) {
    pair.text(1, key);
    pair.message(2, |any| any.text(1, value));
}

fn write_attribute(pair: &mut ProtobufWriter, key: &str, value: &AttributeValue) {
    pair.text(1, key);
    pair.message(2, |any| match value {
        AttributeValue::Text(text) => any.text(1, text),
        AttributeValue::Switch(on) => any.integer(2, u64::from(*on)),
        // Protobuf writes a negative number as its two's complement.
        AttributeValue::Integer(number) => any.integer(3, number.cast_unsigned()),
        AttributeValue::Number(number) => any.fixed64(4, number.to_bits()),
    });
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Writer of one protobuf message.
#[derive(Default)]
struct ProtobufWriter(Vec<u8>);

/// Wire types of protobuf.
#[derive(Clone, Copy)]
enum WireType {
    Varint = 0,
    Fixed64 = 1,
    LengthDelimited = 2,
    Fixed32 = 5,
}

impl ProtobufWriter {
    fn tag(&mut self, field: u64, wire: WireType) {
        self.varint(field << 3 | wire as u64);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }

    fn integer(&mut self, field: u64, value: u64) {
        self.tag(field, WireType::Varint);
        self.varint(value);
    }

    fn fixed64(&mut self, field: u64, value: u64) {
        self.tag(field, WireType::Fixed64);
        self.0.extend(value.to_le_bytes());
    }

    fn fixed32(&mut self, field: u64, value: u32) {
        self.tag(field, WireType::Fixed32);
        self.0.extend(value.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, value: &[u8]) {
        self.tag(field, WireType::LengthDelimited);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    fn text(&mut self, field: u64, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    fn message(&mut self, field: u64, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(field, &inner.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span_record::SpanKind;
    use crate::trace_context::TraceContext;
    use std::time::Duration;

    /// A span with a value of every type.
    fn span() -> SpanRecord {
        SpanRecord {
            context: TraceContext { trace_id: [0xab; 16], span_id: [0xcd; 8], sampled: true },
            parent: Some([0xef; 8]),
            name: "tools/call recall".into(),
            kind: SpanKind::Server,
            started: UNIX_EPOCH + Duration::from_secs(1_700_000_000),
            duration: Duration::from_millis(300),
            attributes: vec![
                ("text", AttributeValue::Text("ok".into())),
                ("switch", AttributeValue::Switch(true)),
                ("integer", AttributeValue::Integer(-300)),
                ("number", AttributeValue::Number(0.5)),
            ],
            is_error: true,
        }
    }

    #[test]
    fn a_request_has_the_bytes_that_another_implementation_reads() {
        // Decoded with the crate `opentelemetry-proto` 0.33, which returned this span.
        let expected = include_bytes!("../tests/data/export_request.pb");
        let resource = [("service.name".to_owned(), "quipu".to_owned())];
        let encoded = encode(&resource, &[span()]);
        assert_eq!(encoded, expected);
    }
}
