//! The reader of messages, on samples that are changed at random.

use super::{IncomingMessage, read_message};
use fuzz::FuzzTarget;

#[test]
fn no_line_makes_the_reader_of_messages_fail() {
    FuzzTarget::new("messages", env!("CARGO_MANIFEST_DIR"), 1_000).run(|bytes| match read_message(
        bytes,
    ) {
        IncomingMessage::Nothing => (0, String::new()),
        IncomingMessage::Message(_) => (1, String::new()),
        IncomingMessage::Unreadable(fault) => {
            let words = fault.error.message.chars().filter(|c| !c.is_ascii_digit());
            (2 + i32::from(fault.id.is_some()), words.take(40).collect())
        }
    });
}
