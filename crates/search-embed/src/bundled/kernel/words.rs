//! Levels and weights as 16-bit integers, for instruction sets that multiply pairs of these but no
//! bytes. A pair is one byte of each half of a quad, so that shifts are all that it takes to get
//! there: first come the pairs of all even bytes, then those of all odd ones.

use crate::bundled::layout::{COLUMNS, QUAD, WIDTH};
use crate::bundled::weights::Panel;

/// Number of pairs in the depth of a product.
pub(super) const PAIRS: usize = WIDTH / 2;

/// Weights of a panel: for each pair, both weights of each column.
pub(super) type WordPanel = [[[i16; 2]; COLUMNS]; PAIRS];
/// Levels of a row, both of a pair in one integer.
pub(super) type WordRow = [i32; PAIRS];

/// Converts a panel, once for all rows.
#[inline(always)]
pub(super) fn panel_to_words<'a>(panel: &Panel, scratch: &'a mut WordPanel) -> &'a WordPanel {
    let (even, odd) = scratch.split_at_mut(PAIRS / 2);
    let quads = panel.as_chunks::<{ COLUMNS * QUAD }>().0;
    for (quads, (even, odd)) in quads.iter().zip(even.iter_mut().zip(odd)) {
        let halves = quads.as_chunks::<2>().0;
        for (at, (even, odd)) in
            even.as_flattened_mut().iter_mut().zip(odd.as_flattened_mut()).enumerate()
        {
            let half = i16::from_le_bytes(halves[at]);
            (*even, *odd) = (half << 8 >> 8, half >> 8);
        }
    }
    scratch
}

/// Converts the levels of a row.
#[inline(always)]
pub(super) fn row_to_words(row: &[u8; WIDTH], words: &mut WordRow) {
    const EVEN: i32 = 0x00ff_00ff;
    let quads = row.as_chunks::<QUAD>().0;
    let (even, odd) = words.split_at_mut(PAIRS / 2);
    for (at, quad) in quads.iter().enumerate() {
        let quad = i32::from_le_bytes(*quad);
        (even[at], odd[at]) = (quad & EVEN, quad >> 8 & EVEN);
    }
}
