//! The vectors of every memory: each window as signed bytes, and as sign bits for a first look.
//! Two vectors are compared by their cosine, so the scale they were quantised with does not matter.

mod kernel;
mod nearest;
mod rotation;
mod signs;

use crate::Doc;
pub use nearest::QueryVector;
use rotation::Rotation;

/// A window whose memory is gone.
const NOBODY: u32 = u32::MAX;
/// How many windows of a memory are kept.
const WINDOWS_MAX: usize = 64;
/// The bytes before each stored window: its scale.
const SCALE_BYTES: usize = 4;

/// Windows one after another, as a snapshot keeps them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Windows {
    pub(crate) codes: Vec<i8>,
    /// One over each window's length; 0 for a window of zeros.
    pub(crate) inverse_norms: Vec<f32>,
    /// Sign bits after the rotation.
    pub(crate) bits: Vec<u64>,
    /// First window and number of windows of each place.
    pub(crate) spans: Vec<[u32; 2]>,
}

/// Windows, and which of them belong to whom.
#[derive(Debug, Clone)]
pub(crate) struct Vectors {
    dimensions: usize,
    rotation: Rotation,
    windows: Windows,
    /// The place each window belongs to.
    owners: Vec<u32>,
    vacant: usize,
}

impl Vectors {
    pub(crate) fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            rotation: Rotation::new(dimensions),
            windows: Windows::default(),
            owners: Vec::new(),
            vacant: 0,
        }
    }

    /// Replaces the windows of a place by those of a stored vector. Bytes that are no windows are none.
    pub(crate) fn set(&mut self, doc: Doc, stored: &[u8]) {
        self.remove(doc);
        if doc.index() >= self.windows.spans.len() {
            self.windows.spans.resize(doc.index() + 1, [0, 0]);
        }
        let window_bytes = SCALE_BYTES + self.dimensions;
        if self.dimensions == 0 || !stored.len().is_multiple_of(window_bytes) {
            return;
        }
        let start = self.owners.len();
        self.reserve(stored.len() / window_bytes);
        for window in stored.chunks_exact(window_bytes).take(WINDOWS_MAX) {
            self.push(doc, bytemuck::cast_slice(&window[SCALE_BYTES..]));
        }
        self.windows.spans[doc.index()] = [start as u32, (self.owners.len() - start) as u32];
    }

    /// Gives up the windows of a place.
    pub(crate) fn remove(&mut self, doc: Doc) {
        let Some(span) = self.windows.spans.get_mut(doc.index()) else { return };
        let [start, len] = std::mem::take(span);
        let (start, end) = (start as usize, (start + len) as usize);
        self.vacant += end - start;
        self.owners[start..end].fill(NOBODY);
        self.windows.codes[start * self.dimensions..end * self.dimensions].fill(0);
        self.windows.bits[start * self.rotation.words()..end * self.rotation.words()].fill(0);
    }

    /// How many windows there are, given up ones included.
    pub(crate) fn window_count(&self) -> usize {
        self.owners.len()
    }

    /// Whether a place has a vector.
    pub(crate) fn has(&self, doc: Doc) -> bool {
        self.windows.spans.get(doc.index()).is_some_and(|span| span[1] > 0)
    }

    /// Whether so many windows were given up that sweeping them is worth the time.
    pub(crate) fn wants_sweep(&self) -> bool {
        self.vacant > 1_024.max(self.window_count() / 4)
    }

    /// Keeps the windows of these places, in this order.
    pub(crate) fn gather(&mut self, order: &[Doc]) {
        let (dimensions, words) = (self.dimensions, self.rotation.words());
        let old = std::mem::replace(self, Self::new(dimensions));
        self.reserve(old.window_count() - old.vacant);
        for (place, doc) in order.iter().enumerate() {
            let [start, len] = old.windows.spans.get(doc.index()).copied().unwrap_or_default();
            let (start, end) = (start as usize, (start + len) as usize);
            self.windows.spans.push([self.owners.len() as u32, len]);
            self.windows.codes.extend_from_slice(&old.windows.codes[start * dimensions..end * dimensions]);
            self.windows.bits.extend_from_slice(&old.windows.bits[start * words..end * words]);
            self.windows.inverse_norms.extend_from_slice(&old.windows.inverse_norms[start..end]);
            self.owners.resize(self.owners.len() + end - start, place as u32);
        }
    }

    /// What everything else follows from.
    pub(crate) fn windows(&self) -> &Windows {
        &self.windows
    }

    /// Vectors of these windows, unless the parts do not fit together or leave a window to nobody.
    pub(crate) fn from_windows(dimensions: usize, windows: Windows) -> Option<Self> {
        let rotation = Rotation::new(dimensions);
        let count = windows.inverse_norms.len();
        let mut owners = Vec::with_capacity(count);
        for (place, &[start, len]) in windows.spans.iter().enumerate() {
            if len as usize > WINDOWS_MAX || len > 0 && start as usize != owners.len() {
                return None;
            }
            owners.extend((0..len).map(|_| place as u32));
        }
        let fits = owners.len() == count
            && Some(windows.codes.len()) == count.checked_mul(dimensions)
            && Some(windows.bits.len()) == count.checked_mul(rotation.words());
        fits.then_some(Self { dimensions, rotation, windows, owners, vacant: 0 })
    }

    pub(crate) fn bytes(&self) -> usize {
        let small = self.windows.inverse_norms.capacity() * 4
            + self.owners.capacity() * 4
            + self.windows.spans.capacity() * 8;
        self.windows.codes.capacity() + self.windows.bits.capacity() * 8 + small
    }

    fn push(&mut self, doc: Doc, codes: &[i8]) {
        let square: i64 = codes.iter().map(|&code| i64::from(code) * i64::from(code)).sum();
        self.windows.inverse_norms.push(if square == 0 { 0.0 } else { 1.0 / (square as f32).sqrt() });
        let rotated = self.rotation.rotated(codes.iter().map(|&code| f32::from(code)));
        self.windows.bits.extend(rotation::bits(&rotated, |value| value < 0.0));
        self.windows.codes.extend_from_slice(codes);
        self.owners.push(doc.0);
    }

    /// Makes room without ever holding much more than is needed: the codes are most of the view's memory.
    fn reserve(&mut self, windows: usize) {
        let wanted = self.window_count() + windows;
        if wanted * self.dimensions > self.windows.codes.capacity() {
            let more = windows.max(self.window_count() / 8);
            self.windows.codes.reserve_exact(more * self.dimensions);
            self.windows.bits.reserve_exact(more * self.rotation.words());
        }
    }
}
