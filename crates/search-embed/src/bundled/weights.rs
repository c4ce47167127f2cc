//! Weights of the model, read in place from the binary's read-only pages. Nothing is parsed or
//! copied at start, and only the pages that a text needs are ever touched. What the numbers mean is
//! known by the forward pass.

use super::layout::{
    COLUMNS, HIDDEN_BLOCKS, LAYERS, NETWORKS, PAIR_FEATURES, PAIR_HIDDEN, PANEL, RELATIONS,
    TOKEN_ROLES, WIDTH, WINDOW,
};

/// Number of panels in one `WIDTH` × `WIDTH` projection.
const SQUARE_PANELS: usize = WIDTH / COLUMNS;
/// Number of panels in the joint query, key and value projection.
const QKV_PANELS: usize = 3 * SQUARE_PANELS;
/// Number of panels in a layer, in the order of use: qkv, out, then up and down of each hidden
/// block.
const LAYER_PANELS: usize = QKV_PANELS + SQUARE_PANELS * (1 + 2 * HIDDEN_BLOCKS);

/// First values of the parts of the cross-encoder's head, in the order of the file.
const HIDDEN_WEIGHTS: usize = TOKEN_ROLES * WIDTH;
const HIDDEN_BIASES: usize = HIDDEN_WEIGHTS + PAIR_HIDDEN * PAIR_FEATURES;
const OUTPUT_WEIGHTS: usize = HIDDEN_BIASES + PAIR_HIDDEN;
const OUTPUT_BIASES: usize = OUTPUT_WEIGHTS + RELATIONS * PAIR_HIDDEN;
const PAIR_HEAD_VALUES: usize = OUTPUT_BIASES + RELATIONS;

/// A `WIDTH` × `COLUMNS` slice of a weight matrix: for every four depth positions, four bytes of
/// each column.
pub(super) type Panel = [u8; PANEL];

/// Bytes aligned to a cache line, so that no vector load of the kernels crosses one.
#[repr(C, align(64))]
struct CacheAligned<Bytes: ?Sized>(Bytes);

macro_rules! packed {
    ($name:literal) => {
        *include_bytes!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

static PANELS: CacheAligned<[u8; NETWORKS * LAYERS * LAYER_PANELS * PANEL]> =
    CacheAligned(packed!("panels.bin"));
static COLUMN_FACTORS: [u8; NETWORKS * LAYERS * LAYER_PANELS * 3 * COLUMNS * 4] =
    packed!("columns.bin");
static NORMS: [u8; NETWORKS * LAYERS * 4 * WIDTH * 4] = packed!("norms.bin");
static POSITIONS: [u8; WINDOW * WIDTH * 4] = packed!("positions.bin");
static PAIR_HEAD: [u8; PAIR_HEAD_VALUES * 4] = packed!("pair_head.bin");
static TABLE: &[u8] = &packed!("table.bin");
static TABLE_SCALES: &[u8] = &packed!("scales.bin");

/// Factors that convert the integer sums of a panel's columns back to floats.
pub(super) struct ColumnFactors {
    /// Scale of the weights.
    pub scale: [f32; COLUMNS],
    /// Sum of the column's weights, which corrects for the zero point of the inputs.
    pub sum: [f32; COLUMNS],
    pub bias: [f32; COLUMNS],
}

/// Consecutive panels that form one projection.
#[derive(Clone, Copy)]
pub(super) struct Panels {
    first: usize,
    count: usize,
}

impl Panels {
    /// Iterates over the panels with the first column of each and its factors.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = (usize, &'static Panel, ColumnFactors)> {
        let (panels, _) = PANELS.0.as_chunks::<PANEL>();
        let panels = &panels[self.first..self.first + self.count];
        panels
            .iter()
            .enumerate()
            .map(move |(at, panel)| (at * COLUMNS, panel, factors(self.first + at)))
    }
}

/// Gain and shift of a layer norm.
pub(super) type LayerNormParams = ([f32; WIDTH], [f32; WIDTH]);

/// A stack of layers over the same token embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Network {
    /// Reads one text.
    Embedder,
    /// Reads two texts together.
    CrossEncoder,
}

impl Network {
    fn first_layer(self) -> usize {
        match self {
            Self::Embedder => 0,
            Self::CrossEncoder => LAYERS,
        }
    }
}

/// One transformer layer, as an index into the tables.
#[derive(Clone, Copy)]
pub(super) struct LayerWeights(usize);

impl LayerWeights {
    /// Iterates over the layers of a network in order, except the last.
    pub fn all_but_last(network: Network) -> impl Iterator<Item = Self> {
        (network.first_layer()..network.first_layer() + LAYERS - 1).map(Self)
    }

    /// Returns the last layer of a network.
    pub fn last(network: Network) -> Self {
        Self(network.first_layer() + LAYERS - 1)
    }

    /// Returns the norm before attention.
    #[inline(always)]
    pub fn attention_norm(self) -> LayerNormParams {
        (floats_at(&NORMS, self.0 * 4 * WIDTH), floats_at(&NORMS, (self.0 * 4 + 1) * WIDTH))
    }

    /// Returns the norm before the feed-forward network.
    #[inline(always)]
    pub fn feed_forward_norm(self) -> LayerNormParams {
        (floats_at(&NORMS, (self.0 * 4 + 2) * WIDTH), floats_at(&NORMS, (self.0 * 4 + 3) * WIDTH))
    }

    /// Returns the projection to queries, keys and values.
    pub fn qkv(self) -> Panels {
        Panels { first: self.0 * LAYER_PANELS, count: QKV_PANELS }
    }

    /// Returns the projection of the attention output back into the residual stream.
    pub fn attention_output(self) -> Panels {
        Panels { first: self.0 * LAYER_PANELS + QKV_PANELS, count: SQUARE_PANELS }
    }

    /// Iterates over the feed-forward network as pairs of projections, up to a block of the hidden
    /// side and down from it.
    pub fn feed_forward(self) -> impl Iterator<Item = (Panels, Panels)> {
        let first = self.0 * LAYER_PANELS + QKV_PANELS + SQUARE_PANELS;
        (0..HIDDEN_BLOCKS).map(move |block| {
            let up = Panels { first: first + 2 * block * SQUARE_PANELS, count: SQUARE_PANELS };
            (up, Panels { first: up.first + SQUARE_PANELS, ..up })
        })
    }
}

/// Writes the input row of a token: its embedding plus that of its position in the window.
#[inline(always)]
pub(super) fn write_token_row(id: u32, position: usize, row: &mut [f32; WIDTH]) {
    let id = id as usize;
    let [scale] = floats_at(TABLE_SCALES, id);
    let levels = &TABLE[id * WIDTH..][..WIDTH];
    *row = floats_at(&POSITIONS, position * WIDTH);
    for (value, level) in row.iter_mut().zip(levels) {
        *value += f32::from(level.cast_signed()) * scale;
    }
}

/// Returns what a token's role in a pair adds to its input row.
pub(super) fn role_row(role: usize) -> [f32; WIDTH] {
    floats_at(&PAIR_HEAD, role * WIDTH)
}

/// Returns the weights and the bias of one unit behind the description of a pair.
pub(super) fn hidden_unit(unit: usize) -> ([f32; PAIR_FEATURES], f32) {
    let [bias] = floats_at(&PAIR_HEAD, HIDDEN_BIASES + unit);
    (floats_at(&PAIR_HEAD, HIDDEN_WEIGHTS + unit * PAIR_FEATURES), bias)
}

/// Returns the weights and the bias of one relation.
pub(super) fn relation_unit(relation: usize) -> ([f32; PAIR_HIDDEN], f32) {
    let [bias] = floats_at(&PAIR_HEAD, OUTPUT_BIASES + relation);
    (floats_at(&PAIR_HEAD, OUTPUT_WEIGHTS + relation * PAIR_HIDDEN), bias)
}

#[inline(always)]
fn factors(panel: usize) -> ColumnFactors {
    let row = |at: usize| floats_at(&COLUMN_FACTORS, (panel * 3 + at) * COLUMNS);
    ColumnFactors { scale: row(0), sum: row(1), bias: row(2) }
}

/// Reads `N` floats starting at index `first`.
#[inline(always)]
fn floats_at<const N: usize>(bytes: &[u8], first: usize) -> [f32; N] {
    let (quads, _) = bytes.as_chunks::<4>();
    let quads = &quads[first..first + N];
    std::array::from_fn(|at| f32::from_le_bytes(quads[at]))
}
