//! Finds the id of a request in bytes that are not JSON as a whole. The bytes can be given in
//! pieces, so that the id of a message too long to be kept is found too.

use rmcp::model::RequestId;

/// Maximum length in bytes of an id, and of a key that could be `id`.
const TOKEN_BYTES_MAX: usize = 256;

/// Reads bytes one by one and keeps the value of the first `id` at the top level.
#[derive(Debug, Default)]
pub(crate) struct IdScanner {
    depth: usize,
    state: ScanState,
    /// Bytes of the current string or plain value at the top level, cut at the maximum.
    token: Vec<u8>,
    /// True behind the key `id`.
    is_value_of_id: bool,
    found: Option<RequestId>,
}

/// State of the scanner between two bytes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ScanState {
    #[default]
    Between,
    Text,
    /// Behind a backslash in a text.
    Escape,
    /// In a number or word.
    Plain,
}

impl IdScanner {
    /// Returns the id in these bytes.
    pub fn id_in(bytes: &[u8]) -> Option<RequestId> {
        let mut scanner = Self::default();
        scanner.feed(bytes);
        scanner.finish()
    }

    /// Reads the next piece.
    pub fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.found.is_some() {
                return;
            }
            self.step(*byte);
        }
    }

    /// Returns the id, which may be the last thing that was read.
    pub fn finish(mut self) -> Option<RequestId> {
        if self.state == ScanState::Plain {
            self.end_plain();
        }
        self.found
    }

    fn step(&mut self, byte: u8) {
        match (self.state, byte) {
            (ScanState::Text, b'\\') => {
                self.keep(byte);
                self.state = ScanState::Escape;
            }
            (ScanState::Text, b'"') => self.end_text(),
            (ScanState::Text | ScanState::Escape, _) => {
                self.keep(byte);
                self.state = ScanState::Text;
            }
            (ScanState::Plain, b'0'..=b'9' | b'-' | b'+' | b'.' | b'a'..=b'z' | b'A'..=b'Z') => {
                self.keep(byte);
            }
            (ScanState::Plain, _) => {
                self.end_plain();
                self.between(byte);
            }
            (ScanState::Between, _) => self.between(byte),
        }
    }

    fn between(&mut self, byte: u8) {
        self.state = ScanState::Between;
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b'"' => self.begin(ScanState::Text),
            b',' if self.depth == 1 => self.is_value_of_id = false,
            b':' if self.depth == 1 => self.is_value_of_id = self.token == b"id",
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' => {}
            _ => {
                self.begin(ScanState::Plain);
                self.keep(byte);
            }
        }
    }

    fn begin(&mut self, state: ScanState) {
        self.state = state;
        if self.depth == 1 {
            self.token.clear();
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() <= TOKEN_BYTES_MAX {
            self.token.push(byte);
        }
    }

    fn end_text(&mut self) {
        self.state = ScanState::Between;
        if self.depth == 1 && self.is_value_of_id && self.token.len() <= TOKEN_BYTES_MAX {
            let quoted = [b"\"", self.token.as_slice(), b"\""].concat();
            let text = serde_json::from_slice::<String>(&quoted).ok();
            self.found = text.map(|text| RequestId::String(text.into()));
        }
    }

    fn end_plain(&mut self) {
        self.state = ScanState::Between;
        if self.depth == 1 && self.is_value_of_id {
            let number = serde_json::from_slice::<i64>(&self.token).ok();
            self.found = number.map(RequestId::Number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_that_of_the_message_and_not_one_inside_it() {
        for (bytes, id) in [
            (r#"{"id":7,"x":NaN}"#, Some(RequestId::Number(7))),
            (r#"{"id" : "a\"b" , oops"#, Some(RequestId::String("a\"b".into()))),
            (r#"{"params":{"id":1,"a":["id",{"id":2}]},"id":-3"#, Some(RequestId::Number(-3))),
            (r#"{"text":"\"id\":5","method":"id","id":6}"#, Some(RequestId::Number(6))),
            (r#"{"method":"id","x":5}"#, None),
            (r#"{"id":null,"x":}"#, None),
            (r#"{"id":1.5}"#, None),
            (r#"["id",7]"#, None),
            ("", None),
        ] {
            assert_eq!(IdScanner::id_in(bytes.as_bytes()), id, "{bytes}");
        }
    }

    #[test]
    fn pieces_are_read_like_the_whole() {
        let bytes = br#"{"params":{"long":"text"},"id":"call-12"}"#;
        for cut in 0..bytes.len() {
            let mut scanner = IdScanner::default();
            scanner.feed(&bytes[..cut]);
            scanner.feed(&bytes[cut..]);
            assert_eq!(scanner.finish(), Some(RequestId::String("call-12".into())), "{cut}");
        }
    }
}
