//! Traces of calls for an OpenTelemetry collector, over OTLP/HTTP with protobuf. The spans of
//! [`metrics::TRACE_TARGET`] go through a bounded queue to one thread that sends them to the host
//! that was configured, and to no other. Nothing waits for it: what cannot be queued or sent is
//! dropped and counted. It is written here because the SDK of OpenTelemetry takes longer to build
//! than what Quipu needs of it would justify.

mod collector_client;
mod export;
mod otlp;
mod sampler;
mod settings;
mod span_attributes;
mod span_layer;
mod span_record;
mod trace_context;

pub use export::TraceExport;
pub use settings::{TraceSettings, TraceSettingsError};
pub use span_layer::SpanLayer;
