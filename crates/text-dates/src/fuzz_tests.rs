//! The date parser on samples that are changed at random.

use crate::{date_words, dates, events};
use fuzz::FuzzTarget;

/// Noon of 3 May 2026, in microseconds.
const NOW_US: i64 = 1_777_809_600_000_000;

#[test]
fn no_text_makes_the_date_parser_fail() {
    FuzzTarget::new("dates", env!("CARGO_MANIFEST_DIR"), 400).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let spans = dates(&text, NOW_US);
        for span in &spans {
            assert!(span.from_us <= span.until_us && text.get(span.range.clone()).is_some());
            let _ = (date_words(span.from_us), date_words(span.until_us));
        }
        (spans.len(), events(&text).len())
    });
}
