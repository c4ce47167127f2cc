//! The model's numbers, read in place from the binary's read-only pages. Nothing is parsed or
//! copied at start, and only pages that a text needs are ever touched. What the numbers are for,
//! the forward pass knows.

use super::layout::{COLUMNS, HIDDEN_BLOCKS, LAYERS, PANEL, WIDTH, WINDOW};

/// Panels of one `WIDTH` × `WIDTH` projection.
const SQUARE_PANELS: usize = WIDTH / COLUMNS;
/// Panels of the joint query, key and value projection.
const QKV_PANELS: usize = 3 * SQUARE_PANELS;
/// Panels of a layer, in the order of use: qkv, out, then up and down of each hidden block.
const LAYER_PANELS: usize = QKV_PANELS + SQUARE_PANELS * (1 + 2 * HIDDEN_BLOCKS);

/// A `WIDTH` × `COLUMNS` slice of a weight matrix: for every four depth positions, four bytes of
/// each column.
pub(super) type Panel = [u8; PANEL];

/// Bytes at the start of a cache line, so that no vector load of the kernels crosses one.
#[repr(C, align(64))]
struct Aligned<Bytes: ?Sized>(Bytes);

macro_rules! packed {
    ($name:literal) => {
        *include_bytes!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

static PANELS: Aligned<[u8; LAYERS * LAYER_PANELS * PANEL]> = Aligned(packed!("panels.bin"));
static COLUMN_FACTORS: [u8; LAYERS * LAYER_PANELS * 3 * COLUMNS * 4] = packed!("columns.bin");
static NORMS: [u8; LAYERS * 4 * WIDTH * 4] = packed!("norms.bin");
static POSITIONS: [u8; WINDOW * WIDTH * 4] = packed!("positions.bin");
static TABLE: &[u8] = &packed!("table.bin");
static TABLE_SCALES: &[u8] = &packed!("scales.bin");

/// How the integer sums of a panel's columns become numbers again.
pub(super) struct Factors {
    /// What one unit of a weight is worth.
    pub scale: [f32; COLUMNS],
    /// The sum of the column's weights, for inputs that do not start at zero.
    pub sum: [f32; COLUMNS],
    /// What is added to the column in any case.
    pub bias: [f32; COLUMNS],
}

/// Consecutive panels that make one projection.
#[derive(Clone, Copy)]
pub(super) struct Panels {
    first: usize,
    count: usize,
}

impl Panels {
    /// The panels with the first column of each and its factors.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = (usize, &'static Panel, Factors)> {
        let (panels, _) = PANELS.0.as_chunks::<PANEL>();
        let panels = &panels[self.first..self.first + self.count];
        panels
            .iter()
            .enumerate()
            .map(move |(at, panel)| (at * COLUMNS, panel, factors(self.first + at)))
    }
}

/// Gain and shift of a norm.
pub(super) type Norm = ([f32; WIDTH], [f32; WIDTH]);

/// One transformer layer, by the places of its parts.
#[derive(Clone, Copy)]
pub(super) struct Layer(usize);

impl Layer {
    /// The layers in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..LAYERS).map(Self)
    }

    /// The norm before attention.
    #[inline(always)]
    pub fn attention_norm(self) -> Norm {
        (floats(&NORMS, self.0 * 4 * WIDTH), floats(&NORMS, (self.0 * 4 + 1) * WIDTH))
    }

    /// The norm before the feed-forward part.
    #[inline(always)]
    pub fn feed_norm(self) -> Norm {
        (floats(&NORMS, (self.0 * 4 + 2) * WIDTH), floats(&NORMS, (self.0 * 4 + 3) * WIDTH))
    }

    /// Queries, keys and values, side by side.
    pub fn qkv(self) -> Panels {
        Panels { first: self.0 * LAYER_PANELS, count: QKV_PANELS }
    }

    /// What attention found, back into the stream.
    pub fn out(self) -> Panels {
        Panels { first: self.0 * LAYER_PANELS + QKV_PANELS, count: SQUARE_PANELS }
    }

    /// The feed-forward part as pairs of projections, up into a block of the hidden side and down
    /// from it.
    pub fn feed(self) -> impl Iterator<Item = (Panels, Panels)> {
        let first = self.0 * LAYER_PANELS + QKV_PANELS + SQUARE_PANELS;
        (0..HIDDEN_BLOCKS).map(move |block| {
            let up = Panels { first: first + 2 * block * SQUARE_PANELS, count: SQUARE_PANELS };
            (up, Panels { first: up.first + SQUARE_PANELS, ..up })
        })
    }
}

/// The row of a token at a position of its window, before the first layer.
#[inline(always)]
pub(super) fn token_row(id: u16, position: usize) -> [f32; WIDTH] {
    let [scale] = floats(TABLE_SCALES, usize::from(id));
    let levels = &TABLE[usize::from(id) * WIDTH..][..WIDTH];
    let mut row = floats(&POSITIONS, position * WIDTH);
    for (value, level) in row.iter_mut().zip(levels) {
        *value += f32::from(level.cast_signed()) * scale;
    }
    row
}

#[inline(always)]
fn factors(panel: usize) -> Factors {
    let row = |at: usize| floats(&COLUMN_FACTORS, (panel * 3 + at) * COLUMNS);
    Factors { scale: row(0), sum: row(1), bias: row(2) }
}

/// `N` floats from the one at index `first` on.
#[inline(always)]
fn floats<const N: usize>(bytes: &[u8], first: usize) -> [f32; N] {
    let (quads, _) = bytes.as_chunks::<4>();
    let quads = &quads[first..first + N];
    std::array::from_fn(|at| f32::from_le_bytes(quads[at]))
}
