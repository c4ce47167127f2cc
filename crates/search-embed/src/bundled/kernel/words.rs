//! Levels and weights as 16-bit integers, for instruction sets that multiply pairs of these but no
//! bytes. A pair is one byte of each half of a quad, so that shifts are all that it takes to get
//! there: first come the pairs of all even bytes, then those of all odd ones.

use crate::bundled::layout::{COLUMNS, QUAD, WIDTH, WINDOW};
use crate::bundled::weights::Panel;

/// Number of pairs in the depth of a product.
pub(super) const PAIRS: usize = WIDTH / 2;

/// Number of rows that go through a layer together. As many as make the conversion of the weights
/// count little take 5% less time than a quarter of them, though their intermediate results do not
/// fit the L2 cache.
pub(super) const PART_ROWS: usize = 2 * WINDOW;

/// Weights of a panel: for each pair, both weights of each column.
pub(super) type WordPanel = [[[i16; 2]; COLUMNS]; PAIRS];
/// Levels of a row, both of a pair in one integer.
pub(super) type WordRow = [i32; PAIRS];

/// Converts a panel, once for all rows.
#[inline(always)]
pub(super) fn panel_to_words<'a>(panel: &Panel, scratch: &'a mut WordPanel) -> &'a WordPanel {
    let (even, odd) = scratch.split_at_mut(PAIRS / 2);
    for (at, quads) in panel.as_chunks().0.iter().enumerate() {
        half_bytes::<8>(quads, even[at].as_flattened_mut());
        half_bytes::<0>(quads, odd[at].as_flattened_mut());
    }
    scratch
}

/// Converts one byte of each half of the quads.
#[inline(always)]
fn half_bytes<const SHIFT: usize>(quads: &[u8; COLUMNS * QUAD], words: &mut [i16]) {
    let halves = quads.as_chunks().0;
    for at in 0..2 * COLUMNS {
        words[at] = i16::from_le_bytes(halves[at]) << SHIFT >> 8;
    }
}

/// Converts the levels of rows, once for all panels.
#[inline(always)]
pub(super) fn rows_to_words<'a>(
    rows: &[[u8; WIDTH]],
    scratch: &'a mut Vec<WordRow>,
) -> &'a [WordRow] {
    const EVEN: i32 = 0x00ff_00ff;
    scratch.resize(rows.len(), [0; PAIRS]);
    for (words, row) in scratch.iter_mut().zip(rows) {
        let (even, odd) = words.split_at_mut(PAIRS / 2);
        let quads = row.as_chunks::<QUAD>().0;
        for at in 0..PAIRS / 2 {
            let quad = i32::from_le_bytes(quads[at]);
            (even[at], odd[at]) = (quad & EVEN, quad >> 8 & EVEN);
        }
    }
    scratch
}
