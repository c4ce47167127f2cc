//! A span that has ended, as it is exported.

use crate::trace_context::TraceContext;
use std::time::{Duration, SystemTime};

/// A span that has ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SpanRecord {
    pub context: TraceContext,
    /// Id of the parent, in this process or the caller's.
    pub parent: Option<[u8; 8]>,
    pub name: String,
    pub kind: SpanKind,
    pub started: SystemTime,
    pub duration: Duration,
    pub attributes: Vec<(&'static str, AttributeValue)>,
    pub is_error: bool,
}

/// Part of a span in a conversation between programs, with the numbers of OTLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SpanKind {
    #[default]
    Internal = 1,
    /// Answers a request of another program.
    Server = 2,
}

/// Value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AttributeValue {
    Text(String),
    Switch(bool),
    Integer(i64),
    Number(f64),
}
