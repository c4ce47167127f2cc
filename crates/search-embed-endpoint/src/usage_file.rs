//! Usage of the current day and probe results of the endpoint's models, in a small JSON file that
//! all processes share under a file lock. Losing the file costs one day's count and one probe, so a
//! file that cannot be parsed is replaced.

use embed::Calibration;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::PathBuf;

/// Maximum number of bytes read from the file.
const BYTES_MAX: u64 = 1 << 20;
/// Maximum number of saved models; beyond it the list is cleared.
const MODELS_MAX: usize = 64;

/// Limits per UTC day; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DailyBudget {
    pub tokens_per_day: Option<u64>,
    pub texts_per_day: Option<u64>,
}

/// Usage of one day, and the budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spending {
    /// Date in the form 2026-05-03.
    pub day: String,
    pub tokens: u64,
    pub texts: u64,
    pub budget: DailyBudget,
}

/// Cost of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestCost {
    pub tokens: u64,
    pub texts: u64,
}

/// Result of probing a model of the endpoint. Stored in the file: field names must not change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ModelProbe {
    pub dimensions: usize,
    unrelated: f32,
    related: f32,
}

/// The shared file.
#[derive(Debug)]
pub(crate) struct UsageFile {
    path: PathBuf,
    budget: DailyBudget,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct UsageRecord {
    #[serde(default)]
    day: String,
    #[serde(default)]
    tokens: u64,
    #[serde(default)]
    texts: u64,
    #[serde(default)]
    models: BTreeMap<String, ModelProbe>,
}

impl ModelProbe {
    pub fn new(dimensions: usize, calibration: Calibration) -> Self {
        let Calibration { unrelated, related } = calibration;
        Self { dimensions, unrelated, related }
    }

    pub fn calibration(&self) -> Calibration {
        Calibration { unrelated: self.unrelated, related: self.related }
    }
}

impl UsageFile {
    pub fn new(path: PathBuf, budget: DailyBudget) -> Self {
        Self { path, budget }
    }

    /// Reserves the cost of a request before it is sent, so that several processes together stay
    /// within the budget.
    pub fn reserve(&self, day: &str, cost: RequestCost) -> Result<(), String> {
        let reserved = self.update(|record| {
            record.roll_over_to(day);
            let over = |spent: u64, more: u64, limit: Option<u64>| {
                limit.filter(|limit| spent + more > *limit)
            };
            if let Some(limit) = over(record.tokens, cost.tokens, self.budget.tokens_per_day) {
                return Err(budget_exhausted(record.tokens, limit, "tokens"));
            }
            if let Some(limit) = over(record.texts, cost.texts, self.budget.texts_per_day) {
                return Err(budget_exhausted(record.texts, limit, "texts"));
            }
            record.tokens += cost.tokens;
            record.texts += cost.texts;
            Ok(())
        });
        match reserved {
            Ok(reserved) => reserved,
            // Without a budget nothing depends on the count.
            Err(_) if self.budget == DailyBudget::default() => Ok(()),
            Err(error) => {
                Err(format!("the usage cannot be written to {}: {error}", self.path.display()))
            }
        }
    }

    /// Replaces the reserved cost of a request by its actual cost.
    pub fn settle(&self, day: &str, reserved: RequestCost, actual: RequestCost) {
        let settled = self.update(|record| {
            // A request that ends after midnight is not counted towards the new day.
            if record.day == day {
                record.tokens = (record.tokens + actual.tokens).saturating_sub(reserved.tokens);
                record.texts = (record.texts + actual.texts).saturating_sub(reserved.texts);
            }
        });
        if let Err(error) = settled {
            tracing::warn!(%error, "the usage of the endpoint could not be saved");
        }
    }

    /// Returns the usage of a day.
    pub fn spending(&self, day: &str) -> Spending {
        let record = self.read();
        let (tokens, texts) =
            if record.day == day { (record.tokens, record.texts) } else { (0, 0) };
        Spending { day: day.to_owned(), tokens, texts, budget: self.budget }
    }

    /// Returns the saved probe of a model.
    pub fn model_probe(&self, model: &str) -> Option<ModelProbe> {
        self.read().models.get(model).copied()
    }

    /// Saves the probe of a model.
    pub fn save_model_probe(&self, model: &str, probe: ModelProbe) {
        let saved = self.update(|record| {
            if record.models.len() >= MODELS_MAX {
                record.models.clear();
            }
            record.models.insert(model.to_owned(), probe);
        });
        if let Err(error) = saved {
            tracing::warn!(%error, "the probe of the endpoint could not be saved");
        }
    }

    fn read(&self) -> UsageRecord {
        File::open(&self.path).and_then(|mut file| read_record(&mut file)).unwrap_or_default()
    }

    fn update<T>(&self, change: impl FnOnce(&mut UsageRecord) -> T) -> std::io::Result<T> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path)?;
        // Read and written under one lock, which the system releases when the file is closed.
        file.lock()?;
        let mut record = read_record(&mut file)?;
        let changed = change(&mut record);
        let text = serde_json::to_vec_pretty(&record)?;
        file.rewind()?;
        file.set_len(0)?;
        file.write_all(&text)?;
        Ok(changed)
    }
}

impl UsageRecord {
    fn roll_over_to(&mut self, day: &str) {
        if self.day != day {
            (self.day, self.tokens, self.texts) = (day.to_owned(), 0, 0);
        }
    }
}

fn read_record(file: &mut File) -> std::io::Result<UsageRecord> {
    let mut text = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text).unwrap_or_default())
}

fn budget_exhausted(spent: u64, limit: u64, what: &str) -> String {
    format!(
        "the budget of {limit} {what} per day is exhausted ({spent} used); it renews at midnight \
         UTC, or raise {what}_per_day"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: RequestCost = RequestCost { tokens: 10, texts: 1 };

    fn usage_file(directory: &tempfile::TempDir, budget: DailyBudget) -> UsageFile {
        UsageFile::new(directory.path().join("embedder.json"), budget)
    }

    #[test]
    fn a_budget_spans_processes_and_is_renewed_the_next_day() {
        let directory = tempfile::tempdir().unwrap();
        let budget = DailyBudget { tokens_per_day: Some(25), texts_per_day: None };
        usage_file(&directory, budget).reserve("2026-05-03", ONE).unwrap();
        usage_file(&directory, budget).reserve("2026-05-03", ONE).unwrap();
        let refused = usage_file(&directory, budget).reserve("2026-05-03", ONE).unwrap_err();
        assert!(
            refused.contains("25 tokens per day") && refused.contains("tokens_per_day"),
            "{refused}"
        );
        assert_eq!(usage_file(&directory, budget).spending("2026-05-03").tokens, 20);
        usage_file(&directory, budget).reserve("2026-05-04", ONE).unwrap();
        assert_eq!(usage_file(&directory, budget).spending("2026-05-04").tokens, 10);
    }

    #[test]
    fn texts_are_counted_too() {
        let directory = tempfile::tempdir().unwrap();
        let ledger =
            usage_file(&directory, DailyBudget { tokens_per_day: None, texts_per_day: Some(1) });
        ledger.reserve("2026-05-03", ONE).unwrap();
        assert!(ledger.reserve("2026-05-03", ONE).unwrap_err().contains("1 texts per day"));
    }

    #[test]
    fn the_actual_cost_replaces_the_reserved_cost() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = usage_file(&directory, DailyBudget::default());
        ledger.reserve("2026-05-03", ONE).unwrap();
        ledger.settle("2026-05-03", ONE, RequestCost { tokens: 4, texts: 1 });
        assert_eq!(ledger.spending("2026-05-03").tokens, 4);
        ledger.settle("2026-05-02", ONE, RequestCost { tokens: 400, texts: 1 });
        assert_eq!(ledger.spending("2026-05-03").tokens, 4, "yesterday's request is not today's");
    }

    #[test]
    fn a_damaged_file_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let ledger =
            usage_file(&directory, DailyBudget { tokens_per_day: Some(25), texts_per_day: None });
        std::fs::write(directory.path().join("embedder.json"), "{\"day\": 3").unwrap();
        ledger.reserve("2026-05-03", ONE).unwrap();
        assert_eq!(ledger.spending("2026-05-03").tokens, 10);
    }

    #[test]
    fn a_budget_that_cannot_be_saved_blocks_all_requests() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("missing/embedder.json");
        let limited = DailyBudget { tokens_per_day: Some(25), texts_per_day: None };
        assert!(UsageFile::new(path.clone(), limited).reserve("2026-05-03", ONE).is_err());
        assert!(UsageFile::new(path, DailyBudget::default()).reserve("2026-05-03", ONE).is_ok());
    }

    #[test]
    fn the_probe_of_a_model_is_saved() {
        let directory = tempfile::tempdir().unwrap();
        let probe = ModelProbe::new(768, Calibration { unrelated: 0.7, related: 0.9 });
        usage_file(&directory, DailyBudget::default()).save_model_probe("m", probe);
        assert_eq!(usage_file(&directory, DailyBudget::default()).model_probe("m"), Some(probe));
        assert_eq!(usage_file(&directory, DailyBudget::default()).model_probe("n"), None);
    }
}
