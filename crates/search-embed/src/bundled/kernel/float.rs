//! Products of rows and panels in floats, which every processor multiplies in vectors. They
//! are as exact as integers: no sum of 256 products of an unsigned with a signed byte reaches 2²⁴,
//! up to which floats represent every integer.

use super::{LANES, Lanes, TileSums};
use crate::bundled::layout::{COLUMNS, QUAD, WIDTH};
use crate::bundled::weights::Panel;

/// Weights of a panel as floats, by depth.
pub(super) type FloatPanel = [[f32; COLUMNS]; WIDTH];

/// Levels of a row as floats.
pub(super) type FloatRow = [f32; WIDTH];

/// Converts a panel to floats, once for all rows.
#[inline(always)]
pub(super) fn panel_to_floats<'a>(panel: &Panel, scratch: &'a mut FloatPanel) -> &'a FloatPanel {
    let quads = panel.as_chunks::<{ COLUMNS * QUAD }>().0;
    for (weights, columns) in scratch.as_chunks_mut::<QUAD>().0.iter_mut().zip(quads) {
        let columns = columns.as_chunks::<QUAD>().0;
        let [first, second, third, fourth] = weights;
        byte_to_floats::<24>(columns, first);
        byte_to_floats::<16>(columns, second);
        byte_to_floats::<8>(columns, third);
        byte_to_floats::<0>(columns, fourth);
    }
    scratch
}

/// Converts one byte of each quad, by shifts: a vector of whole quads can be shifted, while picking
/// single bytes would not vectorise.
#[inline(always)]
fn byte_to_floats<const SHIFT: usize>(columns: &[[u8; QUAD]], weights: &mut [f32; COLUMNS]) {
    for at in 0..COLUMNS {
        weights[at] = (i32::from_le_bytes(columns[at]) << SHIFT >> 24) as f32;
    }
}

/// Converts the levels of rows, once for all panels.
#[inline(always)]
pub(super) fn rows_to_floats<'a>(
    rows: &[[u8; WIDTH]],
    scratch: &'a mut Vec<FloatRow>,
) -> &'a [FloatRow] {
    scratch.resize(rows.len(), [0.0; WIDTH]);
    for (floats, row) in scratch.iter_mut().zip(rows) {
        for at in 0..WIDTH {
            floats[at] = f32::from(row[at]);
        }
    }
    scratch
}

/// Multiplies exactly `ROWS` rows with the weights. The constant lets the compiler keep all sums in
/// registers.
#[inline(always)]
pub(super) fn multiply_rows<L: Lanes, const ROWS: usize>(
    lanes: L,
    rows: &[FloatRow],
    weights: &FloatPanel,
    sums: &mut TileSums,
) {
    let rows: &[FloatRow; ROWS] = &rows.as_chunks().0[0];
    for half in 0..COLUMNS / LANES {
        let mut accumulators = [lanes.splat(0.0); ROWS];
        for depth in 0..WIDTH {
            let columns = lanes.load(&weights[depth].as_chunks().0[half]);
            for row in 0..ROWS {
                let level = lanes.splat(rows[row][depth]);
                accumulators[row] = lanes.mul_add(level, columns, accumulators[row]);
            }
        }
        for row in 0..ROWS {
            let mut floats = [0.0; LANES];
            lanes.store(accumulators[row], &mut floats);
            let sums = &mut sums[row].as_chunks_mut::<LANES>().0[half];
            for at in 0..LANES {
                sums[at] = floats[at] as i32;
            }
        }
    }
}
