//! A zone map: bounds of a column of times for each run of documents, so that a search for the
//! newest or the oldest reads only the runs that can hold them. Documents arrive about in the order
//! of their times, so that a few runs are enough.

use crate::DocId;
use crate::mapped_array::MappedArray;

/// Number of documents of a zone. A multiple of 64, so that a zone is whole words of a bitmap.
pub(crate) const ZONE_DOCS: usize = 1_024;

/// Lower and upper bounds of the values of each zone. A value that was replaced or removed still
/// widens the bounds of its zone until the map is built anew.
#[derive(Debug, Clone, Default)]
pub(crate) struct ZoneMap {
    bounds: Vec<ZoneBounds>,
}

/// Bounds of the values of one zone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ZoneBounds {
    pub(crate) min: i64,
    pub(crate) max: i64,
}

impl ZoneBounds {
    /// Bounds of no value.
    const NONE: Self = Self { min: i64::MAX, max: i64::MIN };

    fn of_values(values: &[i64]) -> Self {
        values.iter().fold(Self::NONE, |bounds, &value| bounds.widened(value))
    }

    fn widened(self, value: i64) -> Self {
        Self { min: self.min.min(value), max: self.max.max(value) }
    }
}

impl ZoneMap {
    /// Returns the bounds of a column.
    pub(crate) fn of_column(column: &MappedArray<i64>) -> Self {
        let [first, second] = column.parts();
        let whole = first.chunks(ZONE_DOCS).map(ZoneBounds::of_values).collect();
        let mut map = Self { bounds: whole };
        let rest = (first.len()..).zip(second);
        rest.for_each(|(doc, &value)| map.widen(DocId(doc as u32), value));
        map
    }

    /// Widens the bounds of the document's zone by a value.
    pub(crate) fn widen(&mut self, doc: DocId, value: i64) {
        let zone = doc.index() / ZONE_DOCS;
        if zone >= self.bounds.len() {
            self.bounds.resize(zone + 1, ZoneBounds::NONE);
        }
        self.bounds[zone] = self.bounds[zone].widened(value);
    }

    /// Returns the bounds of every zone, in the order of the documents.
    pub(crate) fn zones(&self) -> &[ZoneBounds] {
        &self.bounds
    }
}
