//! The forward pass over a batch. The token rows of many windows are stacked in one matrix, so that
//! each panel of weights is read once for all of them; only attention works window by window. It
//! knows the model's architecture and nothing of instruction sets: every function here is inlined
//! into one pass per instruction set. Closures are avoided in the numeric loops, since one that is
//! not inlined would be compiled without the instruction set.

use super::activations::QuantisedRows;
use super::attention::attend;
use super::elementwise::{gelu, layer_norm, load_row};
use super::kernel::{Isa, LANES, LaneArray, Lanes, MAX_ROWS};
use super::layout::{COLUMNS, WIDTH};
use super::weights::{ColumnFactors, LayerNormParams, LayerWeights, Panels, token_row};

/// State of one run of the model. A row is a token.
pub(super) struct ForwardPass {
    /// Lengths of the windows, in the order of their rows.
    lengths: Vec<usize>,
    /// Residual stream that the layers add to; at the end, the contextual vectors of the tokens.
    rows: Vec<[f32; WIDTH]>,
}

impl ForwardPass {
    /// Creates a pass over windows of at most [`WINDOW`](super::layout::WINDOW) ids each.
    pub fn new(windows: &[&[u32]]) -> Self {
        let tokens = windows.iter().flat_map(|ids| ids.iter().enumerate());
        let rows = tokens.map(|(position, id)| token_row(*id, position)).collect();
        Self { lengths: windows.iter().map(|ids| ids.len()).collect(), rows }
    }

    /// Iterates over the rows of each window.
    pub fn windows(&self) -> impl Iterator<Item = &[[f32; WIDTH]]> {
        let mut rest = &self.rows[..];
        self.lengths.iter().map(move |length| {
            let (window, after) = rest.split_at(*length);
            rest = after;
            window
        })
    }
}

/// Runs all layers (pre-norm transformer). Attention holds the sums of `QUERIES` queries and
/// `BLOCKS` vectors in registers at once.
#[inline(always)]
pub(super) fn run<I: Isa, const QUERIES: usize, const BLOCKS: usize>(
    isa: I,
    pass: &mut ForwardPass,
) {
    let ForwardPass { lengths, rows } = pass;
    let lanes = isa.lanes();
    let mut levels = QuantisedRows::new(rows.len().next_multiple_of(I::ROW_GROUP));
    let mut hidden = levels.clone();
    let mut qkv = vec![[0.0; 3 * WIDTH]; rows.len()];
    let mut block = vec![[0.0; WIDTH]; rows.len()];
    for layer in LayerWeights::all() {
        quantise_normalised(lanes, &mut levels, rows, layer.attention_norm());
        project::<_, _, Overwrite>(isa, &levels, layer.qkv(), &mut qkv);
        let mut first = 0;
        for length in lengths.iter() {
            let window = first..first + length;
            attend::<_, QUERIES, BLOCKS>(lanes, &qkv[window.clone()], &mut block[window]);
            first += length;
        }
        quantise_rows(lanes, &mut levels, &block);
        project::<_, _, Accumulate>(isa, &levels, layer.attention_output(), rows);

        quantise_normalised(lanes, &mut levels, rows, layer.feed_forward_norm());
        for (up, down) in layer.feed_forward() {
            project::<_, _, Activate>(isa, &levels, up, &mut block);
            quantise_rows(lanes, &mut hidden, &block);
            project::<_, _, Accumulate>(isa, &hidden, down, rows);
        }
    }
}

#[inline(always)]
fn quantise_rows<L: Lanes>(lanes: L, levels: &mut QuantisedRows, rows: &[[f32; WIDTH]]) {
    for (at, row) in rows.iter().enumerate() {
        levels.set_row(lanes, at, &load_row(lanes, row));
    }
}

#[inline(always)]
fn quantise_normalised<L: Lanes>(
    lanes: L,
    levels: &mut QuantisedRows,
    rows: &[[f32; WIDTH]],
    (gain, shift): LayerNormParams,
) {
    let (gain, shift) = (load_row(lanes, &gain), load_row(lanes, &shift));
    for (at, row) in rows.iter().enumerate() {
        levels.set_row(lanes, at, &layer_norm(lanes, load_row(lanes, row), &gain, &shift));
    }
}

/// Use of the numbers that a projection yields.
trait Output {
    /// Writes sixteen of them.
    fn put<L: Lanes>(lanes: L, value: L::Wide, out: &mut LaneArray);
}

/// Replaces what was there.
struct Overwrite;
/// Adds to what was there.
struct Accumulate;
/// Replaces what was there by the activation.
struct Activate;

impl Output for Overwrite {
    #[inline(always)]
    fn put<L: Lanes>(lanes: L, value: L::Wide, out: &mut LaneArray) {
        lanes.store(value, out);
    }
}

impl Output for Accumulate {
    #[inline(always)]
    fn put<L: Lanes>(lanes: L, value: L::Wide, out: &mut LaneArray) {
        lanes.store(lanes.add(lanes.load(out), value), out);
    }
}

impl Output for Activate {
    #[inline(always)]
    fn put<L: Lanes>(lanes: L, value: L::Wide, out: &mut LaneArray) {
        lanes.store(gelu(lanes, value), out);
    }
}

/// Multiplies all rows with the panels' weights.
#[inline(always)]
fn project<I: Isa, const OUT: usize, O: Output>(
    isa: I,
    levels: &QuantisedRows,
    panels: Panels,
    out: &mut [[f32; OUT]],
) {
    let groups = out.len().div_ceil(I::ROW_GROUP);
    let tiles = groups.div_ceil(I::ROWS / I::ROW_GROUP);
    let mut sums = [[0; COLUMNS]; MAX_ROWS];
    let mut scratch = [[0.0; COLUMNS]; WIDTH];
    for (column, panel, factors) in panels.iter() {
        let weights = isa.prepare_panel(panel, &mut scratch);
        let factors = WideFactors::load(isa.lanes(), &factors);
        for tile in 0..tiles {
            // Tiles of equal height: two of eight rows are faster than one of twelve and one of
            // four.
            let [first, end] = [tile, tile + 1].map(|tile| groups * tile / tiles * I::ROW_GROUP);
            isa.multiply_tile(levels.rows(first..end), weights, &mut sums);
            for row in first..end.min(out.len()) {
                let out = out[row][column..column + COLUMNS].as_chunks_mut().0;
                let values =
                    factors.dequantise(isa.lanes(), &sums[row - first], levels.factors(row));
                for at in 0..HALVES {
                    O::put(isa.lanes(), values[at], &mut out[at]);
                }
            }
        }
    }
}

/// Number of vectors in a row of a panel.
const HALVES: usize = COLUMNS / LANES;

/// Factors of a panel's columns in registers.
struct WideFactors<L: Lanes> {
    scale: [L::Wide; HALVES],
    sum: [L::Wide; HALVES],
    bias: [L::Wide; HALVES],
}

impl<L: Lanes> WideFactors<L> {
    #[inline(always)]
    fn load(lanes: L, factors: &ColumnFactors) -> Self {
        let mut wide = [[lanes.splat(0.0); HALVES]; 3];
        let columns = [&factors.scale, &factors.sum, &factors.bias];
        for (wide, columns) in wide.iter_mut().zip(columns) {
            for at in 0..HALVES {
                wide[at] = lanes.load(&columns.as_chunks().0[at]);
            }
        }
        let [scale, sum, bias] = wide;
        Self { scale, sum, bias }
    }

    /// Converts the integer sums of one row back to floats: scale, zero point and bias.
    #[inline(always)]
    fn dequantise(
        &self,
        lanes: L,
        sums: &[i32; COLUMNS],
        (scale, low): (f32, f32),
    ) -> [L::Wide; HALVES] {
        let (scale, low) = (lanes.splat(scale), lanes.splat(low));
        let mut values = self.bias;
        for at in 0..HALVES {
            let base = lanes.mul_add(low, self.sum[at], self.bias[at]);
            let sums = lanes.load_integers(&sums.as_chunks().0[at]);
            values[at] = lanes.mul_add(sums, lanes.mul(scale, self.scale[at]), base);
        }
        values
    }
}
