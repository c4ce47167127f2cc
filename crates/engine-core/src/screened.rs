//! Notes on what screening changed. Every screen of a call reports its changes to the call when it
//! is dropped, so that no use case can omit them: they are in the audit event and in the result.

use guard::{Passed, Screen};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

// An import may change thousands of texts; those past this number are only counted.
const TOLD_MAX: usize = 50;

/// A screen that belongs to a call.
pub struct Screened<'c> {
    screen: Screen,
    changed: &'c Changed,
}

impl Deref for Screened<'_> {
    type Target = Screen;

    fn deref(&self) -> &Screen {
        &self.screen
    }
}

impl DerefMut for Screened<'_> {
    fn deref_mut(&mut self) -> &mut Screen {
        &mut self.screen
    }
}

impl Drop for Screened<'_> {
    fn drop(&mut self) {
        self.changed.add(std::mem::take(&mut self.screen).put_away());
    }
}

/// Sentences about what screening changed in a call.
#[derive(Debug, Default)]
pub struct Changed(Mutex<Told>);

#[derive(Debug, Default)]
struct Told {
    notes: Vec<String>,
    more: usize,
    /// Number of these that an audit event contains already.
    logged: usize,
    passed: Passed,
}

impl Told {
    fn sentences(&self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("{} more changes like these", self.more));
        self.notes.iter().cloned().chain(more).collect()
    }
}

impl Changed {
    /// Wraps a screen so that its changes are reported here.
    pub fn through(&self, screen: Screen) -> Screened<'_> {
        let passed = std::mem::take(&mut self.told().passed);
        Screened { screen: screen.after(passed), changed: self }
    }

    /// Returns everything so far, for the result.
    pub fn notes(&self) -> Vec<String> {
        self.told().sentences()
    }

    /// Returns what no event of this call contains yet.
    pub fn unlogged(&self) -> Vec<String> {
        let mut told = self.told();
        let new = told.sentences().split_off(told.logged);
        told.logged = told.notes.len();
        new
    }

    fn add(&self, (notes, passed): (Vec<String>, Passed)) {
        let mut told = self.told();
        told.passed = passed;
        for note in notes {
            if told.notes.len() < TOLD_MAX {
                told.notes.push(note);
            } else {
                told.more += 1;
            }
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screened(changed: &Changed, texts: usize) {
        let mut screen = changed.through(Screen::default());
        for _ in 0..texts {
            screen.text("text", &mut "pay\u{202e}pal".to_owned()).unwrap();
        }
    }

    #[test]
    fn what_a_screen_changed_is_told_once_it_is_put_away() {
        let changed = Changed::default();
        screened(&changed, 1);
        assert_eq!(changed.notes(), ["text: removed invisible characters (1 direction)"]);
        assert_eq!(changed.unlogged(), ["text: removed invisible characters (1 direction)"]);
        assert!(changed.unlogged().is_empty(), "an event tells it once");
        assert_eq!(changed.notes().len(), 1, "the answer tells it however often it was logged");
    }

    #[test]
    fn of_very_many_changes_it_is_told_how_many_there_were() {
        let changed = Changed::default();
        screened(&changed, TOLD_MAX + 3);
        assert_eq!(changed.notes().len(), TOLD_MAX + 1);
        assert_eq!(changed.notes().last().unwrap(), "3 more changes like these");
    }
}
