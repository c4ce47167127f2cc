//! A zone map: bounds of a column of times for each run of documents, so that a search for the
//! newest or the oldest reads only the runs that can hold them. Documents arrive about in the order
//! of their times, so that a few runs are enough.

use crate::DocId;

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

impl ZoneMap {
    /// Widens the bounds of the document's zone by a value.
    pub(crate) fn widen(&mut self, doc: DocId, value: i64) {
        let zone = doc.index() / ZONE_DOCS;
        if zone >= self.bounds.len() {
            self.bounds.resize(zone + 1, ZoneBounds { min: i64::MAX, max: i64::MIN });
        }
        let bounds = &mut self.bounds[zone];
        *bounds = ZoneBounds { min: bounds.min.min(value), max: bounds.max.max(value) };
    }

    /// Returns the bounds of every zone, in the order of the documents.
    pub(crate) fn zones(&self) -> &[ZoneBounds] {
        &self.bounds
    }
}
