//! The forward pass over a batch. The token rows of many windows are stacked in one matrix, so that
//! each panel of weights is read once for all of them; only attention works window by window. It
//! knows the model's architecture and nothing of instruction sets: every function here is inlined
//! into one pass per instruction set. Closures are avoided in the numeric loops, since one that is
//! not inlined would be compiled without the instruction set.

use super::activations::QuantisedRows;
use super::attention::attend;
use super::elementwise::{gelu, layer_norm};
use super::kernel::{Isa, MAX_ROWS};
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

/// Runs all layers (pre-norm transformer). Attention holds `TILE` sums in registers at once.
#[inline(always)]
pub(super) fn run<I: Isa, const TILE: usize>(isa: I, pass: &mut ForwardPass) {
    let ForwardPass { lengths, rows } = pass;
    let (mut levels, mut hidden) = (QuantisedRows::new(rows.len()), QuantisedRows::new(rows.len()));
    let mut qkv = vec![[0.0; 3 * WIDTH]; rows.len()];
    let mut block = vec![[0.0; WIDTH]; rows.len()];
    for layer in LayerWeights::all() {
        quantise_normalised(isa, &mut levels, rows, layer.attention_norm());
        project::<_, _, false>(isa, &levels, layer.qkv(), &mut qkv);
        let mut first = 0;
        for length in lengths.iter() {
            let window = first..first + length;
            attend::<_, TILE>(isa, &qkv[window.clone()], &mut block[window]);
            first += length;
        }
        for (at, row) in block.iter().enumerate() {
            levels.set_row(isa, at, row);
        }
        project::<_, _, true>(isa, &levels, layer.attention_output(), rows);

        quantise_normalised(isa, &mut levels, rows, layer.feed_forward_norm());
        for (up, down) in layer.feed_forward() {
            project::<_, _, false>(isa, &levels, up, &mut block);
            for (at, row) in block.iter().enumerate() {
                hidden.set_row(isa, at, &gelu(isa, row));
            }
            project::<_, _, true>(isa, &hidden, down, rows);
        }
    }
}

#[inline(always)]
fn quantise_normalised<I: Isa>(
    isa: I,
    levels: &mut QuantisedRows,
    rows: &[[f32; WIDTH]],
    (gain, shift): LayerNormParams,
) {
    for (at, row) in rows.iter().enumerate() {
        levels.set_row(isa, at, &layer_norm(isa, row, &gain, &shift));
    }
}

/// Multiplies all rows with the panels' weights and writes to `out`, or adds to it if `ADD`.
#[inline(always)]
fn project<I: Isa, const OUT: usize, const ADD: bool>(
    isa: I,
    levels: &QuantisedRows,
    panels: Panels,
    out: &mut [[f32; OUT]],
) {
    let tiles = out.len().div_ceil(I::ROWS);
    let mut sums = [[0.0; COLUMNS]; MAX_ROWS];
    let mut scratch = [[0.0; COLUMNS]; WIDTH];
    for (column, panel, factors) in panels.iter() {
        let weights = isa.prepare_panel(panel, &mut scratch);
        for tile in 0..tiles {
            // Tiles of equal height: two of eight rows are faster than one of twelve and one of
            // four.
            let range = out.len() * tile / tiles..out.len() * (tile + 1) / tiles;
            isa.multiply_tile(levels.rows(range.clone()), weights, &mut sums);
            for (row, sums) in range.zip(&sums) {
                let out = &mut out[row][column..column + COLUMNS];
                dequantise::<_, ADD>(isa, sums, levels.factors(row), &factors, out);
            }
        }
    }
}

/// Converts the integer sums of one row and panel back to floats: scale, zero point and bias.
#[inline(always)]
fn dequantise<I: Isa, const ADD: bool>(
    isa: I,
    sums: &[f32; COLUMNS],
    (scale, low): (f32, f32),
    columns: &ColumnFactors,
    out: &mut [f32],
) {
    for (at, out) in out.iter_mut().enumerate() {
        let base = isa.mul_add(low, columns.sum[at], columns.bias[at]);
        let value = isa.mul_add(sums[at], scale * columns.scale[at], base);
        *out = if ADD { *out + value } else { value };
    }
}
