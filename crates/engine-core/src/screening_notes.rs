//! Notes on what screening changed. Every screen of a call reports its changes to the call when it
//! is dropped, so that no use case can omit them: they are in the audit event and in the result.

use guard::{ScreenedText, Screening};
use parking_lot::{Mutex, MutexGuard};
use std::ops::{Deref, DerefMut};

// An import may change thousands of texts; those past this number are only counted.
const NOTES_MAX: usize = 50;

/// A screen that belongs to a call.
pub struct CallScreen<'c> {
    screen: Screening,
    changed: &'c ScreeningNotes,
}

impl Deref for CallScreen<'_> {
    type Target = Screening;

    fn deref(&self) -> &Screening {
        &self.screen
    }
}

impl DerefMut for CallScreen<'_> {
    fn deref_mut(&mut self) -> &mut Screening {
        &mut self.screen
    }
}

impl Drop for CallScreen<'_> {
    fn drop(&mut self) {
        self.changed.add(std::mem::take(&mut self.screen).finish());
    }
}

/// Sentences about what screening changed in a call.
#[derive(Debug, Default)]
pub struct ScreeningNotes(Mutex<NoteLog>);

#[derive(Debug, Default)]
struct NoteLog {
    notes: Vec<String>,
    more: usize,
    /// Number of these that an audit event contains already.
    logged: usize,
    passed: ScreenedText,
}

impl NoteLog {
    fn sentences(&self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("{} more changes like these", self.more));
        self.notes.iter().cloned().chain(more).collect()
    }
}

impl ScreeningNotes {
    /// Wraps a screen so that its changes are reported here.
    pub fn wrap(&self, screen: Screening) -> CallScreen<'_> {
        let passed = std::mem::take(&mut self.lock().passed);
        CallScreen { screen: screen.with_screened(passed), changed: self }
    }

    /// Returns everything so far, for the result.
    pub fn notes(&self) -> Vec<String> {
        self.lock().sentences()
    }

    /// Returns what no event of this call contains yet.
    pub fn unlogged(&self) -> Vec<String> {
        let mut log = self.lock();
        let new = log.sentences().split_off(log.logged);
        log.logged = log.notes.len();
        new
    }

    fn add(&self, (notes, passed): (Vec<String>, ScreenedText)) {
        let mut log = self.lock();
        log.passed = passed;
        for note in notes {
            if log.notes.len() < NOTES_MAX {
                log.notes.push(note);
            } else {
                log.more += 1;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, NoteLog> {
        self.0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen_texts(changed: &ScreeningNotes, texts: usize) {
        let mut screen = changed.wrap(Screening::default());
        for _ in 0..texts {
            screen.text("text", &mut "pay\u{202e}pal".to_owned()).unwrap();
        }
    }

    #[test]
    fn changes_are_reported_when_the_screen_is_dropped() {
        let changed = ScreeningNotes::default();
        screen_texts(&changed, 1);
        assert_eq!(changed.notes(), ["text: removed invisible characters (1 direction)"]);
        assert_eq!(changed.unlogged(), ["text: removed invisible characters (1 direction)"]);
        assert!(changed.unlogged().is_empty(), "an event tells it once");
        assert_eq!(changed.notes().len(), 1, "the answer tells it however often it was logged");
    }

    #[test]
    fn changes_past_the_limit_are_counted() {
        let changed = ScreeningNotes::default();
        screen_texts(&changed, NOTES_MAX + 3);
        assert_eq!(changed.notes().len(), NOTES_MAX + 1);
        assert_eq!(changed.notes().last().unwrap(), "3 more changes like these");
    }
}
