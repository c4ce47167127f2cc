//! The forward pass over a batch. The token rows of many windows are stacked in one matrix, so that
//! weights that were read are used for many of them; only attention works window by window. It
//! knows the model's architecture and nothing of instruction sets: every function here is inlined
//! into one pass per instruction set. Closures are avoided in the numeric loops, since one that is
//! not inlined would be compiled without the instruction set.

use super::activations::QuantisedRows;
use super::aligned::AlignedRows;
use super::attention::{AttentionBuffers, attend};
use super::elementwise::{average, gelu, layer_norm, load_row};
use super::kernel::{Isa, LANES, LaneArray, Lanes, MAX_ROWS, TileSums};
use super::layout::{COLUMNS, HIDDEN_BLOCKS, WIDTH};
use super::weights::{
    ColumnFactors, LayerNormParams, LayerWeights, Network, Panels, write_token_row,
};
use super::windows::batches;

/// State of one run of the model. A row is a token.
pub(super) struct ForwardPass {
    network: Network,
    /// Lengths of the windows, in the order of their rows.
    windows: Vec<usize>,
    /// Lengths of the stretches of rows that are averaged, as many for each window.
    averaged: Vec<usize>,
    /// Residual stream that the layers add to.
    rows: AlignedRows<f32, WIDTH>,
    /// Mean of the contextual vectors of each stretch.
    means: AlignedRows<f32, WIDTH>,
}

impl ForwardPass {
    /// Creates a pass over windows of at most [`WINDOW`](super::layout::WINDOW) ids each.
    pub fn new(windows: &[&[u32]]) -> Self {
        let tokens = windows.iter().flat_map(|ids| ids.iter().enumerate());
        let lengths: Vec<usize> = windows.iter().map(|ids| ids.len()).collect();
        let mut pass = Self::empty(Network::Embedder, lengths.clone(), lengths);
        for (row, (position, id)) in pass.rows.get_mut().iter_mut().zip(tokens) {
            write_token_row(*id, position, row);
        }
        pass
    }

    /// Creates a pass over pairs of texts of these lengths, whose input rows are given: one window
    /// for each pair, and one mean for each text.
    pub fn over_pairs(pairs: &[[usize; 2]], rows: impl Iterator<Item = [f32; WIDTH]>) -> Self {
        let windows = pairs.iter().map(|pair| pair.iter().sum()).collect();
        let mut pass = Self::empty(Network::CrossEncoder, windows, pairs.as_flattened().to_vec());
        pass.rows.get_mut().iter_mut().zip(rows).for_each(|(row, given)| *row = given);
        pass
    }

    fn empty(network: Network, windows: Vec<usize>, averaged: Vec<usize>) -> Self {
        let (rows, means) = (windows.iter().sum(), averaged.len());
        let (rows, means) = (AlignedRows::new(rows), AlignedRows::new(means));
        Self { network, windows, averaged, rows, means }
    }

    /// Returns the mean vector of each window, or of each text of the pairs.
    pub fn means(&self) -> &[[f32; WIDTH]] {
        self.means.get()
    }
}

/// Runs all layers (pre-norm transformer). Attention holds the sums of `QUERIES` queries and
/// `BLOCKS` vectors in registers at once.
#[inline(always)]
pub(super) fn run<I: Isa, const QUERIES: usize, const BLOCKS: usize>(
    isa: I,
    pass: &mut ForwardPass,
) {
    let parts: Vec<&[usize]> = batches(&pass.windows, |length| *length, I::PART_ROWS).collect();
    let most = parts.iter().map(|lengths| lengths.iter().sum()).max().unwrap_or(0);
    let mut buffers = Buffers::<I>::new(most);
    for layer in LayerWeights::all_but_last(pass.network) {
        for (lengths, rows) in split_parts(&parts, pass.rows.get_mut()) {
            run_attention::<_, QUERIES, BLOCKS>(isa, layer, lengths, rows, &mut buffers);
            run_feed_forward(isa, layer, rows, &mut buffers);
        }
    }
    let layer = LayerWeights::last(pass.network);
    let averaged = (&pass.averaged[..], pass.averaged.len() / pass.windows.len().max(1));
    let parts = split_parts(&parts, pass.rows.get_mut());
    let means = pass.means.get_mut();
    run_last_layer::<_, QUERIES, BLOCKS>(isa, layer, parts, averaged, means, &mut buffers);
}

/// Runs the last layer, of which only the means of stretches are wanted, as many for each window.
/// The end of the feed-forward network is linear, so that the means alone go through it.
#[inline(always)]
fn run_last_layer<'a, I: Isa, const QUERIES: usize, const BLOCKS: usize>(
    isa: I,
    layer: LayerWeights,
    parts: impl Iterator<Item = (&'a [usize], &'a mut [[f32; WIDTH]])>,
    (mut averaged, for_each_window): (&[usize], usize),
    means: &mut [[f32; WIDTH]],
    buffers: &mut Buffers<I>,
) {
    let mut hidden = [(); HIDDEN_BLOCKS].map(|()| AlignedRows::new(means.len()));
    let mut first = 0;
    for (lengths, rows) in parts {
        let (stretches, after) = averaged.split_at(lengths.len() * for_each_window);
        run_attention::<_, QUERIES, BLOCKS>(isa, layer, lengths, rows, buffers);
        average_stretches(isa.lanes(), stretches, rows, &mut means[first..]);
        run_up(isa, layer, stretches, rows, buffers, &mut hidden, first);
        first += stretches.len();
        averaged = after;
    }
    run_down(isa, layer, &hidden, means, &mut buffers.product);
}

/// Iterates over the parts with the rows of each.
fn split_parts<'a>(
    parts: &'a [&[usize]],
    mut rest: &'a mut [[f32; WIDTH]],
) -> impl Iterator<Item = (&'a [usize], &'a mut [[f32; WIDTH]])> {
    parts.iter().map(move |lengths| {
        let (rows, after) = std::mem::take(&mut rest).split_at_mut(lengths.iter().sum());
        rest = after;
        (*lengths, rows)
    })
}

/// Intermediate results of a part in one layer.
struct Buffers<I: Isa> {
    levels: QuantisedRows,
    hidden: QuantisedRows,
    qkv: AlignedRows<f32, { 3 * WIDTH }>,
    block: AlignedRows<f32, WIDTH>,
    attention: AttentionBuffers,
    product: ProductBuffers<I>,
}

impl<I: Isa> Buffers<I> {
    fn new(rows: usize) -> Self {
        let grouped = rows.next_multiple_of(I::ROW_GROUP);
        Self {
            levels: QuantisedRows::new(grouped),
            hidden: QuantisedRows::new(grouped),
            qkv: AlignedRows::new(rows),
            block: AlignedRows::new(rows),
            attention: AttentionBuffers::new(),
            product: ProductBuffers {
                rows: Vec::new(),
                panel: I::SCRATCH,
                sums: [[[0; COLUMNS]; MAX_ROWS]; 2],
            },
        }
    }
}

#[inline(always)]
fn run_attention<I: Isa, const QUERIES: usize, const BLOCKS: usize>(
    isa: I,
    layer: LayerWeights,
    lengths: &[usize],
    rows: &mut [[f32; WIDTH]],
    Buffers { levels, qkv, block, attention, product, .. }: &mut Buffers<I>,
) {
    let lanes = isa.lanes();
    let (qkv, block) = (&mut qkv.get_mut()[..rows.len()], &mut block.get_mut()[..rows.len()]);
    quantise_normalised(lanes, levels, rows, layer.attention_norm());
    project::<_, _, Overwrite>(isa, levels, layer.qkv(), qkv, product);
    let mut first = 0;
    for length in lengths {
        let window = first..first + length;
        attend::<_, QUERIES, BLOCKS>(lanes, &qkv[window.clone()], &mut block[window], attention);
        first += length;
    }
    quantise_rows(lanes, levels, block);
    project::<_, _, Accumulate>(isa, levels, layer.attention_output(), rows, product);
}

#[inline(always)]
fn run_feed_forward<I: Isa>(
    isa: I,
    layer: LayerWeights,
    rows: &mut [[f32; WIDTH]],
    Buffers { levels, hidden, block, product, .. }: &mut Buffers<I>,
) {
    let lanes = isa.lanes();
    let block = &mut block.get_mut()[..rows.len()];
    quantise_normalised(lanes, levels, rows, layer.feed_forward_norm());
    for (up, down) in layer.feed_forward() {
        project::<_, _, Activate>(isa, levels, up, block, product);
        quantise_rows(lanes, hidden, block);
        project::<_, _, Accumulate>(isa, hidden, down, rows, product);
    }
}

/// Averages the hidden side of the last feed-forward network over each stretch, and writes from the
/// stretch `first` on.
#[inline(always)]
fn run_up<I: Isa>(
    isa: I,
    layer: LayerWeights,
    lengths: &[usize],
    rows: &[[f32; WIDTH]],
    Buffers { levels, block, product, .. }: &mut Buffers<I>,
    means: &mut [AlignedRows<f32, WIDTH>; HIDDEN_BLOCKS],
    first: usize,
) {
    let block = &mut block.get_mut()[..rows.len()];
    quantise_normalised(isa.lanes(), levels, rows, layer.feed_forward_norm());
    for ((up, _), means) in layer.feed_forward().zip(means) {
        project::<_, _, Activate>(isa, levels, up, block, product);
        average_stretches(isa.lanes(), lengths, block, &mut means.get_mut()[first..]);
    }
}

/// Projects the averages of all stretches down from the hidden side.
#[inline(always)]
fn run_down<I: Isa>(
    isa: I,
    layer: LayerWeights,
    hidden: &[AlignedRows<f32, WIDTH>; HIDDEN_BLOCKS],
    means: &mut [[f32; WIDTH]],
    product: &mut ProductBuffers<I>,
) {
    let mut levels = QuantisedRows::new(means.len().next_multiple_of(I::ROW_GROUP));
    for ((_, down), hidden) in layer.feed_forward().zip(hidden) {
        quantise_rows(isa.lanes(), &mut levels, hidden.get());
        project::<_, _, Accumulate>(isa, &levels, down, means, product);
    }
}

/// Writes the mean of the rows of each stretch.
#[inline(always)]
fn average_stretches<L: Lanes>(
    lanes: L,
    lengths: &[usize],
    mut rows: &[[f32; WIDTH]],
    means: &mut [[f32; WIDTH]],
) {
    for (length, mean) in lengths.iter().zip(means) {
        let (stretch, after) = rows.split_at(*length);
        average(lanes, stretch, mean);
        rows = after;
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

/// Buffers of a projection, those of vectors first, so that these are aligned.
#[repr(C, align(64))]
struct ProductBuffers<I: Isa> {
    /// Sums of two tiles, one ahead of the other.
    sums: [TileSums; 2],
    panel: I::Scratch,
    rows: Vec<I::PreparedRow>,
}

/// Multiplies all rows with the panels' weights.
#[inline(always)]
fn project<I: Isa, const OUT: usize, O: Output>(
    isa: I,
    levels: &QuantisedRows,
    panels: Panels,
    out: &mut [[f32; OUT]],
    ProductBuffers { rows: row_scratch, panel: scratch, sums }: &mut ProductBuffers<I>,
) {
    let groups = out.len().div_ceil(I::ROW_GROUP);
    let tiles = groups.div_ceil(I::ROWS / I::ROW_GROUP);
    // Tiles of equal height: two of eight rows are faster than one of twelve and one of four.
    let (least, higher) = (groups / tiles, groups % tiles);
    let tile_start = |tile: usize| (least * tile + tile.min(higher)) * I::ROW_GROUP;
    let tile_rows = |tile: usize| tile_start(tile)..tile_start(tile + 1);
    let rows = isa.prepare_rows(levels.rows(0..groups * I::ROW_GROUP), row_scratch);
    for (column, panel, factors) in panels.iter() {
        let weights = isa.prepare_panel(panel, scratch);
        let factors = WideFactors::load(isa.lanes(), &factors);
        isa.multiply_tile(&rows[tile_rows(0)], weights, &mut sums[0]);
        for tile in 0..tiles {
            // One tile ahead, so that a matrix unit works while the tile before is converted.
            if tile + 1 < tiles {
                let sums = &mut sums[(tile + 1) % 2];
                isa.multiply_tile(&rows[tile_rows(tile + 1)], weights, sums);
            }
            let range = tile_rows(tile);
            let out = &mut out[range.start..];
            let sums = sums[tile % 2].iter().zip(levels.factors(range));
            for ((sums, row_factors), out) in sums.zip(out) {
                let out = out[column..column + COLUMNS].as_chunks_mut().0;
                let values = factors.dequantise(isa.lanes(), sums, *row_factors);
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
        let [mut scale, mut sum, mut bias] = [[lanes.splat(0.0); HALVES]; 3];
        for at in 0..HALVES {
            scale[at] = lanes.load(&factors.scale.as_chunks().0[at]);
            sum[at] = lanes.load(&factors.sum.as_chunks().0[at]);
            bias[at] = lanes.load(&factors.bias.as_chunks().0[at]);
        }
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
        for (at, value) in values.iter_mut().enumerate() {
            let base = lanes.mul_add(low, self.sum[at], *value);
            let sums = lanes.load_integers(&sums.as_chunks().0[at]);
            *value = lanes.mul_add(sums, lanes.mul(scale, self.scale[at]), base);
        }
        values
    }
}
