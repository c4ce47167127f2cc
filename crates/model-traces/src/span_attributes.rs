//! Fields of a span, read as attributes. The names that begin with `otel.` are those of the crate
//! `tracing-opentelemetry`, which could take the place of this one.

use crate::span_record::{AttributeValue, SpanKind};
use crate::trace_context::TraceContext;
use std::fmt::Debug;
use tracing::field::{Field, Visit};

/// Maximum number of bytes of a text. A longer one is no word of the program.
const TEXT_BYTES_MAX: usize = 100;
/// Field with the name of a span, where it is not constant.
const NAME: &str = "otel.name";
/// Field with the kind of a span.
const KIND: &str = "otel.kind";
/// Field with the context that the caller sent.
const CALLER: &str = "traceparent";
/// Attribute that marks a span as failed.
const ERROR: &str = "error.type";

/// Fields of a span.
#[derive(Debug, Default)]
pub(crate) struct SpanAttributes {
    pub name: Option<String>,
    pub kind: SpanKind,
    /// Context that the caller sent.
    pub caller: Option<TraceContext>,
    pub is_error: bool,
    pub values: Vec<(&'static str, AttributeValue)>,
}

impl SpanAttributes {
    fn add(&mut self, field: &Field, value: AttributeValue) {
        self.is_error |= field.name() == ERROR;
        self.values.push((field.name(), value));
    }
}

impl Visit for SpanAttributes {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            CALLER => self.caller = TraceContext::parse(value),
            KIND if value == "server" => self.kind = SpanKind::Server,
            KIND => {}
            _ if value.len() > TEXT_BYTES_MAX => {}
            NAME => self.name = Some(value.to_owned()),
            _ => self.add(field, AttributeValue::Text(value.to_owned())),
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, AttributeValue::Switch(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, AttributeValue::Integer(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, AttributeValue::Integer(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, AttributeValue::Number(value));
    }

    // Whatever only has a debug representation may contain anything, so none is exported.
    fn record_debug(&mut self, _field: &Field, _value: &dyn Debug) {}
}
