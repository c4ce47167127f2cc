//! Messages that are changed at random.

use crate::user_statements;
use fuzz::FuzzTarget;

#[test]
fn no_message_makes_the_extraction_fail() {
    FuzzTarget::new("user_statements", env!("CARGO_MANIFEST_DIR"), 150).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let found = user_statements(&text);
        assert!(found.iter().all(|one| !one.text.trim().is_empty()));
        found.len()
    });
}
