//! Statements that are changed at random: none makes the sandbox panic or run on.

use crate::fixture::sandbox_with_meals_and_books;
use fuzz::FuzzTarget;
use sandbox::Bounds;
use std::sync::Mutex;
use std::time::Duration;

#[test]
fn no_statement_makes_the_sandbox_fail() {
    let sandbox = Mutex::new(sandbox_with_meals_and_books());
    let bounds = Bounds { time: Duration::from_millis(200), ..Bounds::default() };
    FuzzTarget::new("statements", env!("CARGO_MANIFEST_DIR"), 500).run(move |bytes| {
        let sql = String::from_utf8_lossy(bytes);
        let answer = sandbox.lock().unwrap().run(&sql, None, &bounds);
        let words = |text: String| text.chars().filter(|c| !c.is_ascii_digit()).take(40).collect();
        answer
            .map(|rows| (rows.columns.len(), rows.rows.len()))
            .map_err(|error| -> String { words(error.to_string()) })
    });
}
