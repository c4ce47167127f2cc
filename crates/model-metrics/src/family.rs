//! One metric with all its combinations of labels.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::Instant;

/// Maximum number of combinations of labels; further ones are not counted.
// Labels are words of the program, so this bounds an error in it.
const SERIES_MAX: usize = 2_000;

/// The kinds of metrics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MetricKind {
    Counter,
    /// Counts values by the upper bounds of their buckets.
    Histogram(&'static [f64]),
}

/// A metric.
pub struct MetricFamily {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) kind: MetricKind,
    series: Mutex<BTreeMap<SeriesLabels, MetricSeries>>,
}

/// Labels of a series, each with its value.
pub(crate) type SeriesLabels = Vec<(&'static str, String)>;

/// The values under one combination of labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct MetricSeries {
    pub count: u64,
    pub sum: f64,
    /// Number of values in each bucket, without those of smaller ones.
    pub buckets: Vec<u64>,
}

impl MetricFamily {
    /// Declares a metric.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, kind: MetricKind) -> Self {
        Self { name, help, kind, series: Mutex::new(BTreeMap::new()) }
    }

    /// Counts one under these labels.
    pub fn count(&self, labels: &[(&'static str, &str)]) {
        self.change(labels, |series| series.count += 1);
    }

    /// Adds a value to a histogram.
    pub fn observe(&self, labels: &[(&'static str, &str)], value: f64) {
        let MetricKind::Histogram(bounds) = self.kind else { return };
        self.change(labels, |series| {
            series.count += 1;
            series.sum += value;
            series.buckets.resize(bounds.len(), 0);
            if let Some(bucket) = bounds.iter().position(|bound| value <= *bound) {
                series.buckets[bucket] += 1;
            }
        });
    }

    /// Returns the values of all combinations of labels, in order.
    pub(crate) fn snapshot(&self) -> Vec<(SeriesLabels, MetricSeries)> {
        let series = self.series.lock();
        series.iter().map(|(labels, series)| (labels.clone(), series.clone())).collect()
    }

    fn change(&self, labels: &[(&'static str, &str)], change: impl FnOnce(&mut MetricSeries)) {
        let key = labels.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let mut all = self.series.lock();
        if all.len() < SERIES_MAX || all.contains_key(&key) {
            change(all.entry(key).or_default());
        }
    }
}

/// Measures a duration, and adds it to a histogram.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts to measure.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Adds the time since the start to a histogram.
    pub fn observe(self, family: &MetricFamily, labels: &[(&'static str, &str)]) {
        family.observe(labels, self.0.elapsed().as_secs_f64());
    }
}
