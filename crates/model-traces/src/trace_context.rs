//! Identity of a span across programs, as the header `traceparent` of W3C Trace Context carries it.

/// Identity of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TraceContext {
    pub trace_id: [u8; 16],
    pub span_id: [u8; 8],
    /// True if the spans of this trace are exported.
    pub sampled: bool,
}

/// Length of a `traceparent` of version 00.
const HEADER_LENGTH: usize = 55;

impl TraceContext {
    /// Starts a trace; `None` when the system provides no random numbers.
    pub fn root() -> Option<Self> {
        let trace_id = u128::from(random()?) << 64 | u128::from(random()?);
        Some(Self { trace_id: trace_id.to_be_bytes(), span_id: new_span_id()?, sampled: true })
    }

    /// Returns the identity of a new span in the same trace.
    pub fn child(self) -> Option<Self> {
        Some(Self { span_id: new_span_id()?, ..self })
    }

    /// Parses a `traceparent`. Versions to come may append fields, which are ignored.
    pub fn parse(header: &str) -> Option<Self> {
        let header = header.trim();
        let (known, rest) = (header.get(..HEADER_LENGTH)?, header.get(HEADER_LENGTH..)?);
        let mut fields = known.split('-');
        let version: [u8; 1] = parse_hex(fields.next()?)?;
        let is_extended = version != [0] && rest.starts_with('-');
        if version == [0xff] || !(rest.is_empty() || is_extended) {
            return None;
        }
        let (trace_id, span_id) = (parse_hex(fields.next()?)?, parse_hex(fields.next()?)?);
        let [flags] = parse_hex(fields.next()?)?;
        let is_valid = trace_id != [0; 16] && span_id != [0; 8] && fields.next().is_none();
        is_valid.then_some(Self { trace_id, span_id, sampled: flags & 1 == 1 })
    }
}

/// Returns a random number other than 0, which no id may be.
fn random() -> Option<u64> {
    getrandom::u64().ok().map(|number| number.max(1))
}

fn new_span_id() -> Option<[u8; 8]> {
    random().map(u64::to_be_bytes)
}

/// Parses lower-case hexadecimal digits; the specification allows no others.
fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() != 2 * N || !text.bytes().all(is_hex) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, start) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(text.get(start..start + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_header_of_the_specification_is_read() {
        let context = TraceContext::parse(VALID).unwrap();
        assert_eq!(context.trace_id[..2], [0x4b, 0xf9]);
        assert_eq!(context.span_id, [0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
        assert!(context.sampled);
        assert!(!TraceContext::parse(&VALID.replace("-01", "-00")).unwrap().sampled);
        assert!(TraceContext::parse(&format!("cc{}-what-comes", &VALID[2..])).is_some());
    }

    #[test]
    fn a_header_of_another_form_is_not_continued() {
        let zero_trace = format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32));
        let zero_span = VALID.replace("00f067aa0ba902b7", "0000000000000000");
        let (upper, longer) = (VALID.to_uppercase(), format!("{VALID}-more"));
        let (unknown, glued) = (format!("ff{}", &VALID[2..]), format!("cc{}x", &VALID[2..]));
        for header in ["", "00", "é", &zero_trace, &zero_span, &upper, &longer, &unknown, &glued] {
            assert_eq!(TraceContext::parse(header), None, "{header}");
        }
    }

    #[test]
    fn a_child_has_the_trace_of_its_parent_and_an_id_of_its_own() {
        let root = TraceContext::root().unwrap();
        let child = root.child().unwrap();
        assert_eq!(child.trace_id, root.trace_id);
        assert_ne!(child.span_id, root.span_id);
        assert_ne!(TraceContext::root().unwrap().trace_id, root.trace_id);
    }
}
