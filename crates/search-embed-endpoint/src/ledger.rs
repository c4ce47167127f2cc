//! What was spent today and what is known of the endpoint's models, in a small file that all
//! processes share under a lock. Losing the file costs a day's count and one introduction, so a
//! file that cannot be read is begun anew.

use embed::Calibration;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::PathBuf;

/// No ledger is longer than this.
const BYTES_MAX: u64 = 1 << 20;
/// How many models are remembered; the whole list is begun anew after that.
const MODELS_MAX: usize = 64;

/// How much may be asked in a day, by the UTC calendar. What is missing is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// Tokens a day.
    pub tokens_per_day: Option<u64>,
    /// Texts a day.
    pub texts_per_day: Option<u64>,
}

/// What was asked on a day, and what may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spending {
    /// The day, as in 2026-05-03.
    pub day: String,
    /// Tokens asked for.
    pub tokens: u64,
    /// Texts asked for.
    pub texts: u64,
    /// What may be.
    pub budget: Budget,
}

/// Tokens and texts of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    pub tokens: u64,
    pub texts: u64,
}

/// What an endpoint showed when it was first asked for a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Known {
    pub dimensions: usize,
    unrelated: f32,
    related: f32,
}

/// The file.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
    budget: Budget,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Page {
    #[serde(default)]
    day: String,
    #[serde(default)]
    tokens: u64,
    #[serde(default)]
    texts: u64,
    #[serde(default)]
    models: BTreeMap<String, Known>,
}

impl Known {
    pub fn new(dimensions: usize, calibration: Calibration) -> Self {
        let Calibration { unrelated, related } = calibration;
        Self { dimensions, unrelated, related }
    }

    pub fn calibration(&self) -> Calibration {
        Calibration { unrelated: self.unrelated, related: self.related }
    }
}

impl Ledger {
    pub fn new(path: PathBuf, budget: Budget) -> Self {
        Self { path, budget }
    }

    /// Books a request before it is made, so that several processes together stay within the
    /// budget.
    pub fn book(&self, day: &str, cost: Cost) -> Result<(), String> {
        let booked = self.change(|page| {
            page.turn_to(day);
            let over = |spent: u64, more: u64, limit: Option<u64>| {
                limit.filter(|limit| spent + more > *limit)
            };
            if let Some(limit) = over(page.tokens, cost.tokens, self.budget.tokens_per_day) {
                return Err(spent_up(page.tokens, limit, "tokens"));
            }
            if let Some(limit) = over(page.texts, cost.texts, self.budget.texts_per_day) {
                return Err(spent_up(page.texts, limit, "texts"));
            }
            page.tokens += cost.tokens;
            page.texts += cost.texts;
            Ok(())
        });
        match booked {
            Ok(booked) => booked,
            // Without a budget nothing depends on the count.
            Err(_) if self.budget == Budget::default() => Ok(()),
            Err(error) => {
                Err(format!("what was spent cannot be written to {}: {error}", self.path.display()))
            }
        }
    }

    /// Puts what a request really cost in the place of what was booked for it.
    pub fn settle(&self, day: &str, booked: Cost, real: Cost) {
        let settled = self.change(|page| {
            if page.day == day {
                page.tokens = (page.tokens + real.tokens).saturating_sub(booked.tokens);
                page.texts = (page.texts + real.texts).saturating_sub(booked.texts);
            }
        });
        if let Err(error) = settled {
            tracing::warn!(%error, "what an endpoint cost could not be written down");
        }
    }

    /// What was spent on a day.
    pub fn spending(&self, day: &str) -> Spending {
        let page = self.read();
        let (tokens, texts) = if page.day == day { (page.tokens, page.texts) } else { (0, 0) };
        Spending { day: day.to_owned(), tokens, texts, budget: self.budget }
    }

    /// What is known of a model.
    pub fn known(&self, model: &str) -> Option<Known> {
        self.read().models.get(model).copied()
    }

    /// Writes down what was learned of a model.
    pub fn learn(&self, model: &str, known: Known) {
        let learned = self.change(|page| {
            if page.models.len() >= MODELS_MAX {
                page.models.clear();
            }
            page.models.insert(model.to_owned(), known);
        });
        if let Err(error) = learned {
            tracing::warn!(%error, "what was learned of an endpoint could not be written down");
        }
    }

    fn read(&self) -> Page {
        File::open(&self.path).and_then(|mut file| page_in(&mut file)).unwrap_or_default()
    }

    fn change<T>(&self, change: impl FnOnce(&mut Page) -> T) -> std::io::Result<T> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path)?;
        file.lock()?;
        let mut page = page_in(&mut file)?;
        let changed = change(&mut page);
        let text = serde_json::to_vec_pretty(&page)?;
        file.rewind()?;
        file.set_len(0)?;
        file.write_all(&text)?;
        Ok(changed)
    }
}

impl Page {
    fn turn_to(&mut self, day: &str) {
        if self.day != day {
            (self.day, self.tokens, self.texts) = (day.to_owned(), 0, 0);
        }
    }
}

fn page_in(file: &mut File) -> std::io::Result<Page> {
    let mut text = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text).unwrap_or_default())
}

fn spent_up(spent: u64, limit: u64, what: &str) -> String {
    format!(
        "the budget of {limit} {what} a day is spent ({spent} so far); it is full again at midnight UTC, or raise \
         {what}_per_day"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Cost = Cost { tokens: 10, texts: 1 };

    fn ledger(directory: &tempfile::TempDir, budget: Budget) -> Ledger {
        Ledger::new(directory.path().join("embedder.json"), budget)
    }

    #[test]
    fn a_budget_is_kept_across_processes_and_full_again_the_next_day() {
        let directory = tempfile::tempdir().unwrap();
        let budget = Budget { tokens_per_day: Some(25), texts_per_day: None };
        ledger(&directory, budget).book("2026-05-03", ONE).unwrap();
        ledger(&directory, budget).book("2026-05-03", ONE).unwrap();
        let refused = ledger(&directory, budget).book("2026-05-03", ONE).unwrap_err();
        assert!(
            refused.contains("25 tokens a day") && refused.contains("tokens_per_day"),
            "{refused}"
        );
        assert_eq!(ledger(&directory, budget).spending("2026-05-03").tokens, 20);
        ledger(&directory, budget).book("2026-05-04", ONE).unwrap();
        assert_eq!(ledger(&directory, budget).spending("2026-05-04").tokens, 10);
    }

    #[test]
    fn texts_are_counted_too() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = ledger(&directory, Budget { tokens_per_day: None, texts_per_day: Some(1) });
        ledger.book("2026-05-03", ONE).unwrap();
        assert!(ledger.book("2026-05-03", ONE).unwrap_err().contains("1 texts a day"));
    }

    #[test]
    fn what_a_request_really_cost_takes_the_place_of_what_was_booked() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = ledger(&directory, Budget::default());
        ledger.book("2026-05-03", ONE).unwrap();
        ledger.settle("2026-05-03", ONE, Cost { tokens: 4, texts: 1 });
        assert_eq!(ledger.spending("2026-05-03").tokens, 4);
        ledger.settle("2026-05-02", ONE, Cost { tokens: 400, texts: 1 });
        assert_eq!(ledger.spending("2026-05-03").tokens, 4, "yesterday's request is not today's");
    }

    #[test]
    fn a_damaged_ledger_is_begun_anew() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = ledger(&directory, Budget { tokens_per_day: Some(25), texts_per_day: None });
        std::fs::write(directory.path().join("embedder.json"), "{\"day\": 3").unwrap();
        ledger.book("2026-05-03", ONE).unwrap();
        assert_eq!(ledger.spending("2026-05-03").tokens, 10);
    }

    #[test]
    fn a_budget_that_cannot_be_written_down_lets_nothing_through() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("missing/embedder.json");
        let limited = Budget { tokens_per_day: Some(25), texts_per_day: None };
        assert!(Ledger::new(path.clone(), limited).book("2026-05-03", ONE).is_err());
        assert!(Ledger::new(path, Budget::default()).book("2026-05-03", ONE).is_ok());
    }

    #[test]
    fn what_was_learned_of_a_model_stays() {
        let directory = tempfile::tempdir().unwrap();
        let known = Known::new(768, Calibration { unrelated: 0.7, related: 0.9 });
        ledger(&directory, Budget::default()).learn("m", known);
        assert_eq!(ledger(&directory, Budget::default()).known("m"), Some(known));
        assert_eq!(ledger(&directory, Budget::default()).known("n"), None);
    }
}
